/// Matrix products, as NumPy's matmul.
#pragma once

#include <gemel/arrays/expression.hpp>
#include <gemel/core/export.hpp>

namespace gemel {

/// @param dtype  of the result, to which both are converted first; their common type if empty
GEMEL_API AnyArray matrix_product(const AnyArray& a, const AnyArray& b, DType dtype);

/// The product of matrices: of shapes (..., n, k) and (..., k, m) one of (..., n, m), where the axes in front are
/// broadcast. An operand with one axis is a row on the left, a column on the right, and has no axis in the result.
/// Elements have the common type of both; sums of 16-bit floats are held in float, those of integers wrap around, those
/// of bools are "or". Operands may have any layout; expressions are evaluated first.
/// @returns  a new array in C order
/// @throws   ArgumentError if an operand has no axis, or the shapes do not fit
/// @time     enqueued, returns at once: one launch, and one more for each operand that must be converted or copied.
/// Made
///           for small and medium sizes: a library such as cuBLAS is faster beyond.
template <ArrayOperand A, ArrayOperand B>
auto matmul(const A& a, const B& b) {
    using L = typename OperandElement<A>::type;
    using R = typename OperandElement<B>::type;
    const GPUArray<L> left = a;
    const GPUArray<R> right = b;
    return GPUArray<Promote<L, R>>(matrix_product(left, right, dtype_of<Promote<L, R>>()));
}
/// The same for operands whose type is known at run time only.
template <class A, class B>
    requires UntypedCombinable<A, B>
AnyArray matmul(const A& a, const B& b) {
    return matrix_product(AnyExpr(a), AnyExpr(b), {});
}

}  // namespace gemel
