/// The language of einsum's subscripts.
#pragma once

#include <gemel/arrays/shape.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::dense {

/// A label is a small number: a letter, or an axis of "...".
using Labels = std::vector<int>;

/// Subscripts, read for operands of given shapes.
struct Contraction {
    std::vector<Labels> operands;  ///< the label of each axis
    Labels output;
    std::vector<std::int64_t> extents;  ///< of each label, broadcast
    std::string letters;                ///< of each label, also of those of "..."
};

/// At most so many operands, and so many labels, as there are letters.
inline constexpr std::size_t max_operands = 8, max_labels = 52;

/// @throws ArgumentError in the name of `who`
Contraction read_subscripts(const char* who, std::string_view subscripts, std::span<const Shape> shapes);

/// Labels as bits.
inline std::uint64_t bit_of(int label) { return std::uint64_t{1} << label; }
inline std::uint64_t bits_of(const Labels& labels) {
    std::uint64_t bits = 0;
    for (const int label : labels) bits |= bit_of(label);
    return bits;
}

}  // namespace gemel::dense
