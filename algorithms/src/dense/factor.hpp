/// Arrays whose axes have labels: what einsum contracts.
#pragma once

#include "dense/subscripts.hpp"

#include <gemel/arrays/matmul.hpp>

#include <cstdint>
#include <vector>

namespace gemel::dense {

/// Each axis has a label of its own; axes of extent 1 are left out.
struct Factor {
    AnyArray array;
    Labels labels;

    std::uint64_t bits() const { return bits_of(labels); }
    std::int64_t extent(int label) const;
    std::int64_t stride(int label) const;
    /// Labels in the order in which they lie in memory, the slowest first.
    Labels in_memory_order() const;
};

/// A view of an operand: repeated labels become diagonals, axes of extent 1 go.
Factor as_factor(const AnyArray& operand, const Labels& labels);
/// A view with the axes of these labels, of these extents: where the factor lacks one it is repeated.
AnyArray aligned(const Factor& factor, const Labels& labels, const std::vector<std::int64_t>& extents);
/// Whether the axes of these labels, one after the other, can be reached by equal steps. Labels that are not there have
/// a step of 0.
bool run_on(const Factor& factor, const Labels& labels, const std::vector<std::int64_t>& extents);

/// The labels of `of` whose bits are set, in their order.
Labels chosen(const Labels& of, std::uint64_t bits);
std::int64_t total_extent(const Labels& labels, const std::vector<std::int64_t>& extents);

/// The sum of products over the labels that `kept` lacks; every label that one factor alone has is kept.
/// @param order      of the labels in the end, if this is the last contraction; else null
/// @param precision  of products of matrices of float
Factor contract(const Factor& a, const Factor& b, std::uint64_t kept, const std::vector<std::int64_t>& extents,
                const Labels* order, Precision precision);

}  // namespace gemel::dense
