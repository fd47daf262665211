/// Integers of expressions wrap around, as NumPy's, and do so however much is generated at once: compilers may not make
/// use of C's undefined overflow, divisions and shifts.
#include <doctest/doctest.h>

#include <gemel/gemel.hpp>

#include "generator_support.hpp"

#include <limits>
#include <type_traits>
#include <vector>

using namespace gemel;
using namespace gemel::testing;

namespace {

/// Computed in 128 bits and cut to T, which is what wrapping around means.
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

/// Products of 64-bit numbers can need more than 127 bits.
Wide product(Wide a, Wide b) { return static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b)); }

template <class T>
T cut(Wide value) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(value));
}

template <class T>
constexpr int bits = 8 * static_cast<int>(sizeof(T));

template <class T>
T host_shift_left(T a, T b) {
    return b < 0 || b >= bits<T> ? T(0) : cut<T>(Wide(a) << static_cast<int>(b));
}
template <class T>
T host_shift_right(T a, T b) {
    return static_cast<T>(Wide(a) >> (b < 0 || b >= bits<T> ? 64 : static_cast<int>(b)));
}
template <class T>
T host_floor_divide(T a, T b) {
    if (b == 0) return 0;
    const Wide rest = Wide(a) % b;
    return cut<T>(Wide(a) / b - (rest != 0 && (rest < 0) != (b < 0) ? 1 : 0));
}
template <class T>
T host_remainder(T a, T b) {
    if (b == 0) return 0;
    const Wide rest = Wide(a) % b;
    return cut<T>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}
template <class T>
T host_power(T a, T b) {
    if (b < 0) return a == 1 ? T(1) : cut<T>(a) == T(-1) ? T(b % 2 ? -1 : 1) : T(0);
    T result = 1;
    for (int k = 0; k < bits<T>; ++k) {  // by the bits of the exponent, the highest first
        result = cut<T>(product(result, result));
        if (Wide(b) >> (bits<T> - 1 - k) & 1) result = cut<T>(product(result, a));
    }
    return result;
}

template <class T>
std::vector<T> edges() {
    using Limits = std::numeric_limits<T>;
    std::vector<T> values{Limits::min(),
                          T(Limits::min() + 1),
                          0,
                          1,
                          2,
                          3,
                          7,
                          T(bits<T> - 1),
                          T(bits<T>),
                          100,
                          T(Limits::max() / 2),
                          T(Limits::max() / 2 + 1),
                          T(Limits::max() - 1),
                          Limits::max()};
    if (std::is_signed_v<T>) values.insert(values.end(), {T(-1), T(-2), T(-5), T(-bits<T>), T(-100)});
    return values;
}

/// All pairs of them.
template <class T>
struct Pairs {
    std::vector<T> a, b;
    GPUArray<T> x, y;
    Pairs() {
        for (const T first : edges<T>())
            for (const T second : edges<T>()) a.push_back(first), b.push_back(second);
        x = to_gpu(a);
        y = to_gpu(b);
    }
    template <class F>
    auto on_host(F&& f) const {
        std::vector<decltype(f(T(), T()))> results;
        for (std::size_t k = 0; k < a.size(); ++k) results.push_back(f(a[k], b[k]));
        return results;
    }
};

/// A typed expression, the same of types that are known at run time only, and its text.
#define CHECK_EVERY_FORM(T, expected, whole, written) \
    do { \
        const auto expected_ = expected; \
        CHECK_SAME(expected_, (whole).get(), DType(dtype_of<T>()).name(), " ", written, ", typed"); \
        using R = typename decltype((whole).eval())::value_type; \
        CHECK_SAME(expected_, expression(written, {{"x", x}, {"y", y}}).template get<R>(), \
                   DType(dtype_of<T>()).name(), " ", written, ", text"); \
    } while (false)

std::vector<std::uint8_t> truths(std::size_t count, bool value) { return std::vector<std::uint8_t>(count, value); }

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE_TEMPLATE("integers wrap around in every operation", T, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
    const Pairs<T> pairs;
    const auto& [a, b, x, y] = pairs;
    CHECK_EVERY_FORM(T, pairs.on_host([](T p, T q) { return cut<T>(Wide(p) + q); }), x + y, "x + y");
    CHECK_EVERY_FORM(T, pairs.on_host([](T p, T q) { return cut<T>(Wide(p) - q); }), x - y, "x - y");
    CHECK_EVERY_FORM(T, pairs.on_host([](T p, T q) { return cut<T>(product(p, q)); }), x * y, "x * y");
    CHECK_EVERY_FORM(T, pairs.on_host([](T p, T) { return cut<T>(-Wide(p)); }), -x, "-x");
    CHECK_EVERY_FORM(T, pairs.on_host([](T p, T) { return cut<T>(p < 0 ? -Wide(p) : Wide(p)); }), abs(x), "abs(x)");
    CHECK_EVERY_FORM(T, pairs.on_host([](T p, T) { return cut<T>(product(p, p)); }), square(x), "square(x)");
    CHECK_EVERY_FORM(T, pairs.on_host(host_power<T>), pow(x, y), "x ** y");
    CHECK_EVERY_FORM(T, pairs.on_host(host_shift_left<T>), x << y, "x << y");
    CHECK_EVERY_FORM(T, pairs.on_host(host_shift_right<T>), x >> y, "x >> y");
    CHECK_EVERY_FORM(T, pairs.on_host(host_floor_divide<T>), floor_divide(x, y), "x // y");
    CHECK_EVERY_FORM(T, pairs.on_host(host_remainder<T>), x % y, "x % y");
    CHECK_EVERY_FORM(T, pairs.on_host([](T p, T q) { return q == 0 ? T(0) : cut<T>(Wide(p) % q); }), fmod(x, y),
                     "fmod(x, y)");
}

TEST_CASE_TEMPLATE("a compiler draws no conclusions from integers that cannot overflow", T, std::int8_t, std::uint16_t,
                   std::int16_t, std::int32_t, std::int64_t) {
    const Pairs<T> pairs;
    const auto& [a, b, x, y] = pairs;
    const auto bytes = [&](auto&& f) { return pairs.on_host([&](T p, T q) -> std::uint8_t { return f(p, q); }); };
    CHECK_EVERY_FORM(T, bytes([](T p, T) { return cut<T>(Wide(p) + 1) > p; }), x + 1 > x, "x + 1 > x");
    CHECK_EVERY_FORM(T, bytes([](T p, T) { return cut<T>(-Wide(p)) == p; }), -x == x, "-x == x");
    CHECK_EVERY_FORM(T, bytes([](T p, T) { return cut<T>(Wide(p) * 2) / 2 == p; }), floor_divide(x * 2 + 0, 2) == x,
                     "(x * 2 + 0) // 2 == x");
    CHECK_EVERY_FORM(T, truths(a.size(), true), x + y - y == x, "x + y - y == x");
    CHECK_EVERY_FORM(T, bytes([](T p, T) { return cut<T>(p < 0 ? -Wide(p) : Wide(p)) < 0; }), abs(x) < 0, "abs(x) < 0");
    CHECK_EVERY_FORM(T, pairs.on_host([](T p, T) { return host_floor_divide<T>(cut<T>(product(p, p)), p); }),
                     floor_divide(x * x, x), "x * x // x");
    CHECK_EVERY_FORM(T, pairs.on_host([](T p, T q) { return host_shift_right<T>(host_shift_left<T>(p, q), q); }),
                     (x << y) >> y, "(x << y) >> y");
    CHECK_EVERY_FORM(T, bytes([](T p, T q) { return host_shift_left<T>(p, q) == 0; }), (x << y) == 0, "(x << y) == 0");
}

TEST_CASE("bools are shifted as int8") {
    const auto x = to_gpu(std::vector<std::int8_t>{0, 1, 0, 1}), y = to_gpu(std::vector<std::int8_t>{0, 0, 1, 1});
    const auto p = x != 0, q = y != 0;
    CHECK_SAME((std::vector<std::int8_t>{0, 1, 0, 2}), (p << q).get(), "left");
    CHECK_SAME((std::vector<std::int8_t>{0, 1, 0, 0}), (p >> q).get(), "right");
}

TEST_CASE_TEMPLATE("sums and products of integers wrap around", T, std::int32_t, std::uint16_t, std::int64_t) {
    const T most = std::numeric_limits<T>::max();
    const std::vector<T> a{most, 3, T(most - 1), 5, 7, most}, b{most, most, 2, T(-9), 1, T(most / 2)};
    const auto x = to_gpu(a), y = to_gpu(b);
    using S = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    S sum = 0, running = 1;
    T dotted = 0;
    std::vector<S> sums, products;
    for (std::size_t k = 0; k < a.size(); ++k) {
        sums.push_back(sum = cut<S>(Wide(sum) + a[k]));
        products.push_back(running = cut<S>(product(running, a[k])));
        dotted = cut<T>(Wide(dotted) + Wide(cut<T>(product(a[k], b[k]))));
    }
    CHECK(gemel::sum(x).item() == sum);
    CHECK(prod(x).item() == running);
    CHECK_SAME(sums, cumsum(x).get(), "cumsum");
    CHECK_SAME(products, cumprod(x).get(), "cumprod");
    CHECK(inner(x, y).item() == dotted);
    // (2, 3) times (3, 2)
    const auto matrices = matmul(x.reshape(Shape{2, 3}), y.reshape(Shape{3, 2})).get();
    for (std::size_t row = 0; row < 2; ++row)
        for (std::size_t column = 0; column < 2; ++column) {
            T expected = 0;
            for (std::size_t k = 0; k < 3; ++k)
                expected = cut<T>(Wide(expected) + Wide(cut<T>(product(a[3 * row + k], b[2 * k + column]))));
            CHECK(matrices[2 * row + column] == expected);
        }
}
