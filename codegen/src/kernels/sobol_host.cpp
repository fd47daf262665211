/// Direction vectors of Sobol' sequences, their scrambling, and their points on the host.
#include <gemel/codegen/philox.hpp>
#include <gemel/codegen/sobol.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/half.hpp>
#include <gemel/core/text.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <span>

namespace gemel::codegen {

namespace {

constexpr std::uint16_t numbers[] = {
#include "kernels/sobol_numbers.inc"
};
constexpr std::uint32_t scramble_stream = 0xFFFFFFFF;

/// A vector per bit of the Gray code: Bratley and Fox, "Algorithm 659: Implementing Sobol's quasirandom sequence
/// generator", ACM TOMS 14, 1988.
using Column = std::array<std::uint64_t, 64>;

Column first_column() {
    Column column{};
    for (int b = 0; b < 64; ++b) column[b] = std::uint64_t{1} << (63 - b);
    return column;
}

/// @param initial  the initial numbers of a dimension; advanced to the next one
Column next_column(const std::uint16_t*& initial) {
    const std::uint32_t polynomial = *initial++;
    const int degree = static_cast<int>(std::bit_width(polynomial)) - 1;
    Column column{};
    for (int b = 0; b < degree; ++b) column[b] = std::uint64_t{*initial++} << (63 - b);
    for (int b = degree; b < 64; ++b) {
        column[b] = column[b - degree] >> degree;
        for (int term = 1; term <= degree; ++term)
            if (polynomial >> (degree - term) & 1) column[b] ^= column[b - term];
    }
    return column;
}

/// The bits of `x`, highest first, multiplied by the matrix with these rows; it is lower triangular with ones on its
/// diagonal.
std::uint64_t scrambled(std::uint64_t x, std::span<const std::uint64_t> rows) {
    std::uint64_t result = x;
    for (int digit = 1; digit < 64; ++digit) {
        const std::uint64_t before = ~std::uint64_t{0} << (64 - digit);
        result ^= static_cast<std::uint64_t>(std::popcount(x & rows[digit] & before) & 1) << (63 - digit);
    }
    return result;
}

template <class T>
T element_of(std::uint64_t x) {
    if constexpr (std::is_same_v<T, std::uint64_t>)
        return x;
    else if constexpr (std::is_same_v<T, std::uint32_t>)
        return static_cast<std::uint32_t>(x >> 32);
    else if constexpr (std::is_same_v<T, double>)
        return static_cast<double>(x >> 11) * 0x1p-53;
    else if constexpr (std::is_same_v<T, float>)
        return static_cast<float>(x >> 40) * 0x1p-24f;
    else if constexpr (std::is_same_v<T, half>)
        return half(static_cast<float>(x >> 53) * 0x1p-11f);
    else
        return bfloat16(static_cast<float>(x >> 56) * 0x1p-8f);
}

}  // namespace

SobolTable sobol_table(std::int64_t dimensions, std::optional<std::uint64_t> scramble_seed) {
    if (dimensions < 1 || dimensions > sobol_dimensions)
        throw ArgumentError(text("Sobol: expected 1 to ", sobol_dimensions,
                                 " dimensions, for which there are direction numbers, got ", dimensions));
    const auto width = static_cast<std::size_t>(dimensions);
    SobolTable table{.dimensions = static_cast<int>(dimensions),
                     .directions = std::vector<std::uint64_t>(64 * width),
                     .shifts = std::vector<std::uint64_t>(width)};
    const std::uint16_t* initial = numbers;
    std::array<std::uint64_t, 65> drawn{};
    for (std::size_t d = 0; d < width; ++d) {
        Column column = d == 0 ? first_column() : next_column(initial);
        if (scramble_seed) {
            philox_fill(Distribution::bits, dtype_of<std::uint64_t>(), {},
                        {.key = *scramble_seed, .stream = scramble_stream, .word = 2 * drawn.size() * d}, drawn.size(),
                        drawn.data());
            for (std::uint64_t& vector : column) vector = scrambled(vector, std::span(drawn).first(64));
            table.shifts[d] = drawn[64];
        }
        for (std::size_t b = 0; b < 64; ++b) table.directions[b * width + d] = column[b];
    }
    return table;
}

void sobol_fill(DType element, const SobolTable& table, std::uint64_t first, std::uint64_t points, void* out) {
    const auto width = static_cast<std::size_t>(table.dimensions);
    const auto as = [&]<class T>(T*) {
        T* to = static_cast<T*>(out);
        if (points == 0) return;
        std::vector<std::uint64_t> point = table.shifts;
        const auto change = [&](int bit) {
            for (std::size_t d = 0; d < width; ++d)
                point[d] ^= table.directions[static_cast<std::size_t>(bit) * width + d];
        };
        for (std::uint64_t gray = first ^ first >> 1; gray != 0; gray &= gray - 1) change(std::countr_zero(gray));
        for (std::uint64_t i = 0;;) {
            for (std::size_t d = 0; d < width; ++d) *to++ = element_of<T>(point[d]);
            if (++i == points) return;
            change(std::countr_zero(first + i));
        }
    };
    const bool is_wide = sobol_bits(element) == 64;
    if (element.is_integer())
        return is_wide ? as(static_cast<std::uint64_t*>(nullptr)) : as(static_cast<std::uint32_t*>(nullptr));
    if (element.kind() == DType::Kind::bfloat) return as(static_cast<bfloat16*>(nullptr));
    if (element.size_bytes() == 2) return as(static_cast<half*>(nullptr));
    is_wide ? as(static_cast<double*>(nullptr)) : as(static_cast<float*>(nullptr));
}

}  // namespace gemel::codegen
