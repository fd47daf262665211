/// Preconditioners: approximate inverses for solvers.
#pragma once

#include <gemel/algorithms/solve/linear_operator.hpp>
#include <gemel/algorithms/sparse_matrix.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace gemel::solve {

/// A matrix type with a diagonal().
template <class A>
concept HasDiagonal = !std::derived_from<A, AnyArray> && requires(const A& a) {
    { a.diagonal() } -> std::convertible_to<AnyArray>;
};

/// Options of chebyshev(): the degree and the interval of eigenvalues.
struct ChebyshevOptions {
    int degree = 4;      ///< of the polynomial; each application takes degree - 1 products with A
    double lowest = 0;   ///< 0: a thirtieth of `highest`
    double highest = 0;  ///< 0: estimated by 20 steps of the power method, which wait for the device, plus 20 %
};

struct ApproximateInverseOptions {
    int power =
        1;  ///< 1: the factor has the pattern of A's lower part; 2: that of A * A, which is closer to the inverse
};

namespace detail {
GEMEL_API AnyOperator approximate_inverse(const sparse::AnyMatrix& a, const ApproximateInverseOptions& options);
GEMEL_API AnyOperator jacobi(const AnyArray& diagonal);
GEMEL_API AnyOperator block_jacobi(const AnyArray& blocks);
GEMEL_API AnyOperator chebyshev(const AnyOperator& a, const AnyArray& like, const ChebyshevOptions& options);
}  // namespace detail

/// Divides by a diagonal. Solvers do this in their own kernels, without an extra launch.
/// @param diagonal  of shape (n,) @throws ArgumentError if it has zeros, NaN or infinite elements
/// @time construction waits for the device once
template <SolverElement T>
LinearOperator<T> jacobi(const GPUArray<T>& diagonal) {
    return LinearOperator<T>(detail::jacobi(diagonal));
}
/// Divides by the diagonal of a matrix.
template <HasDiagonal A>
auto jacobi(const A& a) {
    return jacobi(GPUArray<typename std::remove_cvref_t<decltype(a.diagonal())>::value_type>(a.diagonal()));
}

/// Inverts the blocks along the diagonal and multiplies by the inverses.
/// @param blocks  of shape (count, m, m) with m <= 32. Block k covers rows k * m to k * m + m - 1; the operator's
/// extent
///                is count * m
/// @throws ArgumentError with the block's number if a block is singular
/// @time construction waits for the device once; one launch per application
/// @source Gauss and Jordan's elimination with partial pivoting, one thread for each block
template <SolverElement T>
LinearOperator<T> block_jacobi(const GPUArray<T>& blocks) {
    return LinearOperator<T>(detail::block_jacobi(blocks));
}

/// A sparse approximate inverse of a Hermitian, positive definite matrix: G* G, where G is lower triangular and G A G*
/// has ones on the diagonal. Among all factors with the same pattern, G is closest to the inverse of A's Cholesky
/// factor. Its rows are computed independently, and two sparse products apply G* G; there is no triangular solve, which
/// is slow on parallel devices. Only A's lower part is read. If a row has more than 64 entries below the diagonal, the
/// 64 nearest to it are used.
/// @throws ArgumentError if A is not square, if a row has no diagonal entry, or if a row shows that A is not positive
///         definite; the message has the row's number
/// @time construction waits for the device a few times; two launches per application to one vector
/// @source Kolotilina and Yeremin, "Factorized Sparse Approximate Inverse Preconditionings I" (1993)
template <SolverElement T>
LinearOperator<T> approximate_inverse(const sparse::Matrix<T>& a, const ApproximateInverseOptions& options = {}) {
    return LinearOperator<T>(detail::approximate_inverse(a.untyped(), options));
}

/// A polynomial of A that approximates its inverse on [lowest, highest] and is positive on (0, highest]. For a positive
/// definite A; it needs only products with A and no inner products.
/// @param like  any array of A's context
/// @throws ArgumentError if the degree is below 1, or not 0 < lowest < highest
/// @time  degree - 1 products with A and `degree` launches per application
/// @source Saad, "Iterative Methods for Sparse Linear Systems" (2003), algorithm 12.1
template <SolverElement T>
LinearOperator<T> chebyshev(const LinearOperator<T>& a, const GPUArray<T>& like, const ChebyshevOptions& options = {}) {
    return LinearOperator<T>(detail::chebyshev(a, like, options));
}
/// Chebyshev preconditioner of a matrix.
template <SolverElement T, MultipliesInto<T> A>
    requires(!std::derived_from<A, AnyOperator>)
LinearOperator<T> chebyshev(const A& a, const GPUArray<T>& like, const ChebyshevOptions& options = {}) {
    return chebyshev(LinearOperator<T>(a), like, options);
}

}  // namespace gemel::solve
