/// Row programs of many row lengths, beside the same step by step, and quotients by a value of the row, beside
/// divisions of single elements.
#include "row_support.hpp"

#include <gemel/arrays/lazy.hpp>
#include <gemel/core/half.hpp>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

using namespace gemel;
using namespace gemel::testing;

namespace {

bool is_cpu() { return default_context().device().info().type == DeviceInfo::Type::cpu; }
bool is_short() { return std::getenv("GEMEL_TEST_SHORT"); }

bool can_stage() {
    const DeviceInfo& info = default_context().device().info();
    return !is_cpu() && info.has_cross_block_visibility &&
           info.shared_memory_per_block_bytes >= (std::size_t{48} << 10);
}

template <class T>
void check_rows(const Shape& shape) {
    CAPTURE(to_string(shape));
    const double precision = sizeof(T) == 2 ? 4e-3 : 1e-6;
    const GPUArray<T> x = row_numbers<T>(shape);
    const GPUArray<double> wide = astype<double>(x);
    const GPUArray<double> e = exp(wide - max(wide, 1, true)), softened = e / sum(e, 1, true);
    const AnyExpr f = exp(AnyExpr(x) - lazy::max(x, 1));
    CHECK(greatest_difference((f / lazy::sum(f, 1)).eval(), softened) < precision);
    // Two arrays, and results per row and per element.
    const GPUArray<T> y = x + T(1);
    const auto [quotient, least] = evaluate(x / (lazy::max(y, 1) + T(8)), lazy::min(x + y, 1));
    const GPUArray<double> expected = wide / (max(wide, 1, true) + 9.0);
    CHECK(greatest_difference(quotient, expected) < 4 * precision);
    CHECK(greatest_difference(least, GPUArray<double>(2.0 * min(wide, 1, true) + 1.0)) == 0);
}

/// A division of bits; NaN is like NaN.
std::uint32_t bits_of(float value) { return std::isnan(value) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(value); }
bool is_tiny(float value) { return std::fabs(value) < 0x1p-100f; }

/// Whether a quotient is right: to the bit, or within two units in the last place beside tiny numbers and where the
/// language's division is approximate.
bool is_right(float found, float dividend, float divisor, bool is_exact) {
    const float expected = dividend / divisor;
    if (bits_of(found) == bits_of(expected)) return true;
    if (is_exact && !is_tiny(dividend) && !is_tiny(expected)) return false;
    if (std::isnan(found) || std::isnan(expected)) return false;
    const auto distance = static_cast<std::int64_t>(bits_of(found)) - static_cast<std::int64_t>(bits_of(expected));
    return std::abs(distance) <= (is_exact ? 1 : 3);
}

}  // namespace

TEST_SUITE_BEGIN("lazy");

TEST_CASE("row programs of every kind of length") {
    const auto units = static_cast<std::int64_t>(default_context().device().info().compute_units);
    const std::int64_t lengths[] = {2,   3,   5,   8,    9,    12,   20,   28,   31,   33,   60,   63,
                                    65,  72,  100, 127,  129,  132,  180,  200,  255,  257,  260,  350,
                                    511, 513, 777, 1021, 1025, 1537, 2047, 2049, 3001, 4095, 8191, 8193};
    std::int64_t number = 0;
    for (const std::int64_t length : lengths) {
        if (is_cpu() && ++number % 9 != 0) continue;
        if (is_short() && ++number % 4 != 0 && length != 3) continue;
        // Short rows: so many that a thread takes several, one after another.
        const std::int64_t rows =
            length <= 5 && !is_cpu() ? 256 * 20 * units + 7 : std::max<std::int64_t>(60000 / length, 3);
        check_rows<float>({rows, length});
        check_rows<bfloat16>({rows, length});
    }
}

TEST_CASE("row programs of many rows that wide accesses divide") {
    for (const std::int64_t length : {20, 72, 140, 200}) {
        if ((is_cpu() || is_short()) && length != 140) continue;
        const Shape shape{(std::int64_t{1} << (is_cpu() ? 12 : 22)) / length + 5, length};
        check_rows<float>(shape);
        if (!is_short()) check_rows<bfloat16>(shape);
    }
    const GPUArray<float> x(default_context(), Shape{1 << 15, 140});
    CHECK((explain(softmax(x, 1)).find("copied as one piece") != std::string::npos) == can_stage());
}

TEST_CASE("the quotient by a value of the row is a division") {
    constexpr std::size_t rows = 1500, columns = 70;
    constexpr float infinity = std::numeric_limits<float>::infinity(), largest = std::numeric_limits<float>::max();
    const float special[] = {0.0f,     -0.0f,    1.0f,      -1.0f,        infinity,  -infinity,
                             largest,  -largest, 0x1p-126f, 0x1p-149f,    0x1p-130f, -0x1p-127f,
                             0x1p127f, 0x1p126f, 0x1p-100f, std::nanf("")};
    std::mt19937 engine(5);
    const auto any = [&](std::size_t k) {
        if (k < std::size(special)) return special[k];
        if (k % 3 == 0) return std::bit_cast<float>(static_cast<std::uint32_t>(engine()));
        return std::bit_cast<float>(0x3f800000u | static_cast<std::uint32_t>(engine() >> 9));
    };
    std::vector<float> x(rows * columns), divisors(rows);
    for (std::size_t r = 0; r < rows; ++r) {
        divisors[r] = any(r);
        for (std::size_t c = 0; c < columns; ++c) x[r * columns + c] = any(c);
    }
    // The largest of equal numbers is each of them.
    std::vector<float> repeated(rows * columns);
    for (std::size_t i = 0; i < repeated.size(); ++i) repeated[i] = divisors[i / columns];
    const Shape shape{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
    const GPUArray<float> array = to_gpu(x).reshape(shape), of_row = to_gpu(repeated).reshape(shape);
    const std::vector<float> found = GPUArray<float>(array / lazy::max(of_row, 1)).get();
    const bool is_exact = default_context().dialect().name == "cuda";
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        if (!is_right(found[i], x[i], divisors[i / columns], is_exact) && ++wrong < 5)
            MESSAGE(x[i], " / ", divisors[i / columns], " = ", found[i]);
    CHECK(wrong == 0);
}
