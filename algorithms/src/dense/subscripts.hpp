/// The syntax of einsum's subscripts.
#pragma once

#include <gemel/arrays/shape.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::dense {

/// A label is a small number: it stands for a letter or for an axis of "...".
using Labels = std::vector<int>;

/// Subscripts, parsed for operands of given shapes.
struct Contraction {
    std::vector<Labels> operands;  ///< the label of each axis
    Labels output;
    std::vector<std::int64_t> extents;  ///< of each label, broadcast
    std::string letters;                ///< for each label, including those of "..."
};

/// The maximum number of operands, and of labels: the number of letters.
inline constexpr std::size_t max_operands = 8, max_labels = 52;

/// @param who  the function named in errors @throws ArgumentError for subscripts that do not fit the shapes
Contraction read_subscripts(const char* who, std::string_view subscripts, std::span<const Shape> shapes);

/// The set of labels as bits.
inline std::uint64_t bit_of(int label) { return std::uint64_t{1} << label; }
inline std::uint64_t bits_of(const Labels& labels) {
    std::uint64_t bits = 0;
    for (const int label : labels) bits |= bit_of(label);
    return bits;
}

}  // namespace gemel::dense
