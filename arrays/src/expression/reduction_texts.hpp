/// The kernels of reductions of expressions.
#pragma once

#include "expression/expression_kernel.hpp"

#include <gemel/arrays/reduction_kernel.hpp>
#include <gemel/arrays/reductions.hpp>

namespace gemel {

/// The texts of a reduction of elements whose value has the text `map`. Functions that it calls are added to the
/// preamble; their names end with `at`. @param own  the elements' type
ReductionResult reduced_value(ReductionKind kind, DType own, DType result, std::string map, const std::string& at,
                              std::string& preamble);

/// Whether the extremes of integers of 8 and 16 bits have totals of 32 bits: on GPUs, which convert after each narrower
/// comparison. CPUs have more narrow numbers in a vector.
bool compares_in_32_bits(const detail::ExpressionOperands& operands);

/// What is stored of a sum.
struct FromSum {
    bool average = false;  ///< divided by the number of elements less ddof; without elements left, by 0
    double ddof = 0;
    bool root = false;
    DType result = {};
};

/// @param result  the type of the result and of the computation (float for 16-bit floats)
Reduction make_reduction(ReductionKind kind, const detail::ExpressionView& expression,
                         const detail::ExpressionOperands& operands, DType result);
/// @param computed  the type of the sum
Reduction make_from_sum(const FromSum& from, const detail::ExpressionView& expression,
                        const detail::ExpressionOperands& operands, DType computed);
/// The sum of the squared distances of doubles from their mean. Each thread sums distances from its first element; sums
/// of several threads are combined by their means, so that an element far from the others costs no more digits than the
/// sum of its own square.
/// @source Chan, Golub and LeVeque, "Algorithms for Computing the Sample Variance"
Reduction make_squared_distances(const FromSum& from, const detail::ExpressionView& expression,
                                 const detail::ExpressionOperands& operands);
/// Two doubles: the sums of the elements and of their squares.
Reduction make_moments(const detail::ExpressionView& expression, const detail::ExpressionOperands& operands);

}  // namespace gemel
