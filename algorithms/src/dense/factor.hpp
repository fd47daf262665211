/// Arrays with labelled axes: the operands of contractions.
#pragma once

#include "dense/subscripts.hpp"

#include <gemel/arrays/matmul.hpp>

#include <cstdint>
#include <vector>

namespace gemel::dense {

/// An array in which each axis has its own label; axes of extent 1 are dropped.
struct Factor {
    AnyArray array;
    Labels labels;

    std::uint64_t bits() const { return bits_of(labels); }
    std::int64_t extent(int label) const;
    std::int64_t stride(int label) const;
    /// Labels by their axes' order in memory, the slowest first.
    Labels in_memory_order() const;
};

/// A view of an operand: repeated labels become diagonals, axes of extent 1 are dropped.
Factor as_factor(const AnyArray& operand, const Labels& labels);
/// A view with an axis of the given extent for each of these labels; labels that the factor lacks are broadcast.
AnyArray aligned(const Factor& factor, const Labels& labels, const std::vector<std::int64_t>& extents);
/// Whether the axes of these labels can be merged into one axis with a constant step. Labels that the factor lacks have
/// a step of 0.
bool run_on(const Factor& factor, const Labels& labels, const std::vector<std::int64_t>& extents);

/// The labels of `of` whose bits are set, in the order of `of`.
Labels chosen(const Labels& of, std::uint64_t bits);
std::int64_t total_extent(const Labels& labels, const std::vector<std::int64_t>& extents);

/// The sum of products over the labels that are not in `kept`; labels of only one factor are always kept.
/// @param order      order of the result's labels if this is the last contraction; otherwise null
/// @param precision  of float matrix products
Factor contract(const Factor& a, const Factor& b, std::uint64_t kept, const std::vector<std::int64_t>& extents,
                const Labels* order, Precision precision);

}  // namespace gemel::dense
