/// Approximate inverses, which solvers take as their preconditioner.
#pragma once

#include <gemel/algorithms/solve/linear_operator.hpp>
#include <gemel/algorithms/sparse_matrix.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace gemel::solve {

/// A matrix that tells its diagonal.
template <class A>
concept HasDiagonal = !std::derived_from<A, AnyArray> && requires(const A& a) {
    { a.diagonal() } -> std::convertible_to<AnyArray>;
};

/// Eigenvalues between which chebyshev() inverts.
struct ChebyshevOptions {
    int degree = 4;     ///< of the polynomial: as many products with A less one per application
    double lowest = 0;  ///< 0: a thirtieth of the highest
    double highest =
        0;  ///< 0: found by twenty steps of the power method, which wait for the device, and raised by a fifth
};

struct ApproximateInverseOptions {
    int power =
        1;  ///< the factor has the places of A's lower part; with 2 those of A * A, which are nearer to the inverse
};

namespace detail {
GEMEL_API AnyOperator approximate_inverse(const sparse::AnyMatrix& a, const ApproximateInverseOptions& options);
GEMEL_API AnyOperator jacobi(const AnyArray& diagonal);
GEMEL_API AnyOperator block_jacobi(const AnyArray& blocks);
GEMEL_API AnyOperator chebyshev(const AnyOperator& a, const AnyArray& like, const ChebyshevOptions& options);
}  // namespace detail

/// Divides by a diagonal. Solvers do so within their own kernels: no launch more.
/// @param diagonal  of shape (n,) @throws ArgumentError if it has zeros, NaN or infinite elements
/// @time waits for the device once, here
template <SolverElement T>
LinearOperator<T> jacobi(const GPUArray<T>& diagonal) {
    return LinearOperator<T>(detail::jacobi(diagonal));
}
/// The same for a matrix's.
template <HasDiagonal A>
auto jacobi(const A& a) {
    return jacobi(GPUArray<typename std::remove_cvref_t<decltype(a.diagonal())>::value_type>(a.diagonal()));
}

/// Multiplies by the inverses of blocks along the diagonal, which are computed here.
/// @param blocks  of shape (count, m, m): block k is that of rows k * m, k * m + 1, ... The operator has the extent
///                count * m. m is at most 32
/// @throws ArgumentError if a block is singular, naming it @time waits for the device once; a launch per application
/// @source Gauss and Jordan's elimination with partial pivoting, one thread for each block
template <SolverElement T>
LinearOperator<T> block_jacobi(const GPUArray<T>& blocks) {
    return LinearOperator<T>(detail::block_jacobi(blocks));
}

/// A sparse approximate inverse of a Hermitian, positive definite matrix: G* G, where G is lower triangular and G A G*
/// has ones on the diagonal. Of all factors with entries in these places G is nearest to the inverse of A's Cholesky
/// factor. Rows are found independently of each other, and G* G is applied by two sparse products: nothing is solved by
/// substitution, which parallel devices do slowly. Only A's lower part is read. Of rows longer than 64 entries below
/// the diagonal those nearest to it are used.
/// @throws ArgumentError if A is not square, if a row has no entry on the diagonal, or A is not positive definite, as
/// far
///         as the factor shows: the row is named
/// @time waits for the device a few times, here; two launches per application of one vector
/// @source Kolotilina and Yeremin, "Factorized Sparse Approximate Inverse Preconditionings I" (1993)
template <SolverElement T>
LinearOperator<T> approximate_inverse(const sparse::Matrix<T>& a, const ApproximateInverseOptions& options = {}) {
    return LinearOperator<T>(detail::approximate_inverse(a.untyped(), options));
}

/// A polynomial of A that is near its inverse on [lowest, highest], and positive on (0, highest]: an approximate
/// inverse of a positive definite A without products of vectors, made of A alone.
/// @param like  any array of A's context
/// @throws ArgumentError if the degree is below 1, or not 0 < lowest < highest
/// @time  per application degree - 1 products with A and degree launches
/// @source Saad, "Iterative Methods for Sparse Linear Systems" (2003), algorithm 12.1
template <SolverElement T>
LinearOperator<T> chebyshev(const LinearOperator<T>& a, const GPUArray<T>& like, const ChebyshevOptions& options = {}) {
    return LinearOperator<T>(detail::chebyshev(a, like, options));
}
/// The same for a matrix.
template <SolverElement T, MultipliesInto<T> A>
    requires(!std::derived_from<A, AnyOperator>)
LinearOperator<T> chebyshev(const A& a, const GPUArray<T>& like, const ChebyshevOptions& options = {}) {
    return chebyshev(LinearOperator<T>(a), like, options);
}

}  // namespace gemel::solve
