/// Approximate inverses, which solvers take as their preconditioner.
#pragma once

#include <gemel/algorithms/solve/linear_operator.hpp>
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

namespace detail {
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
