/// Iterative solvers of linear systems. The device never waits for the host during the iterations.
#pragma once

#include <gemel/algorithms/solve/linear_operator.hpp>
#include <gemel/codegen/sweep.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel::solve {

/// Options of all solvers, by name. A column is solved when |b - A x| <= max(tolerance * |b|, absolute_tolerance), in
/// Euclidean norms.
template <class T>
struct Options {
    double tolerance = 1e-5;
    double absolute_tolerance = 0;
    std::int64_t max_iterations = 0;  ///< 0: ten times the number of unknowns, at least 61
    /// The host reads the residual every `check_every` iterations and enqueues the next ones meanwhile.
    std::int64_t check_every = 20;
    LinearOperator<T> preconditioner = {};  ///< an approximate inverse of A; for cg and minres positive definite
    GPUArray<T> x0 = {};                    ///< start of the iteration; an empty handle means zero
    /// Called at each check with the number of iterations and the residual norm, the largest of all columns.
    std::function<void(std::int64_t iteration, double residual_norm)> callback = {};
    bool progress = false;  ///< prints progress to standard error if it is a terminal
    bool history = false;   ///< Result::history is filled
    bool throw_if_not_converged = true;
    std::int64_t restart = 30;  ///< gmres: iterations per cycle
    Stream stream = {};         ///< by default the thread's current stream
    codegen::SweepTuning tuning = {};
    /// Records the iterations between two checks once and launches them as a graph. This saves host time for small
    /// systems that are limited by launches. A and the preconditioner are then called only while these iterations are
    /// recorded, and must not read on the host. gmres ignores the option because its iterations differ.
    bool graph = false;
};

/// The recurrence's residual norm after a number of iterations.
struct Look {
    std::int64_t iteration = 0;
    double residual_norm = 0;  ///< the largest of all columns
};

/// The result of one column.
struct ColumnResult {
    std::int64_t iterations = 0;
    bool converged = false;
    double residual_norm = 0;  ///< of the true residual, b - A x
    double target = 0;         ///< the required residual norm
    std::string breakdown = {};
};

/// The part of a result that does not depend on the element type.
struct Report {
    std::int64_t iterations = 0;  ///< the maximum over all columns
    bool converged = false;       ///< whether all columns have converged
    double residual_norm = 0;     ///< |b - A x|, computed from the final x; the largest of all columns
    std::string breakdown = {};   ///< why the iteration broke down; empty if it did not
    std::vector<Look> history = {};
    std::vector<ColumnResult> columns = {};
};

template <class T>
struct Result : Report {
    GPUArray<T> x;  ///< of the shape of b
};

/// The tolerance was not reached. Options::throw_if_not_converged = false returns the result instead.
class GEMEL_API NotConverged : public Error {
   public:
    NotConverged(const std::string& message, Report report);
    ~NotConverged() override;
    std::int64_t iterations() const noexcept { return report_.iterations; }
    /// |b - A x|, the largest of all columns.
    double residual_norm() const noexcept { return report_.residual_norm; }
    const Report& report() const noexcept { return report_; }

   private:
    Report report_;
};

/// The iteration broke down. The message has the number that caused it and what it means for the matrix.
class GEMEL_API BreakDown : public NotConverged {
   public:
    BreakDown(const std::string& message, Report report);
    ~BreakDown() override;
};

namespace detail {

/// Options without the element type.
struct AnyOptions {
    double tolerance, absolute_tolerance;
    std::int64_t max_iterations, check_every;
    AnyOperator preconditioner;
    AnyArray x0;
    std::function<void(std::int64_t, double)> callback;
    bool progress, history, throw_if_not_converged;
    std::int64_t restart;
    Stream stream;
    codegen::SweepTuning tuning;
    bool graph;
};

template <class T>
AnyOptions without_type(const Options<T>& o) {
    return {o.tolerance,      o.absolute_tolerance,
            o.max_iterations, o.check_every,
            o.preconditioner, o.x0,
            o.callback,       o.progress,
            o.history,        o.throw_if_not_converged,
            o.restart,        o.stream,
            o.tuning,         o.graph};
}

enum class Method : std::uint8_t { cg, bicgstab, minres, gmres };
GEMEL_API Report solve(Method method, const AnyOperator& a, const AnyArray& b, const AnyOptions& options, AnyArray& x);

template <class T>
Result<T> solved(Method method, const AnyOperator& a, const GPUArray<T>& b, const Options<T>& options) {
    AnyArray x;
    Report report = solve(method, a, b, without_type(options), x);
    return {{std::move(report)}, GPUArray<T>(x)};
}

}  // namespace detail

// All solvers: A is square of extent n, b has shape (n,), or (n, k) for k right-hand sides, which converge
// independently. Scalars stay on the device; kernels return at once for columns that have converged. When all columns
// have converged by the recurrence, the residual is computed from x; if it misses the tolerance, the iteration restarts
// from x. Operators and preconditioners are called with arrays that belong to gemel.
// @throws ArgumentError if shapes, types or contexts do not fit, or b has NaN or infinite elements
// @throws NotConverged if the tolerance is not reached; BreakDown, derived from it, if the iteration breaks down. The
//         context remains usable
// A sweep updates vectors, computes inner products and then scalars. It takes one launch if blocks see each other's
// writes (DeviceInfo::has_cross_block_visibility), else two; the launch counts below count a sweep as one.
// @time   blocks until solved. Every `check_every` iterations the host reads the state of the previous check and
//         enqueues further iterations meanwhile: the device never waits for the host

/// Conjugate gradients: A is Hermitian and positive definite. Launches per iteration: A's, the preconditioner's (none
/// for jacobi()) and two; one with a sparse matrix.
/// @source Hestenes and Stiefel 1952; its inner products in one kernel: Meurant 1987, Chen and Carson,
///         "Predict-and-recompute conjugate gradient variants" (SIAM J. Sci. Comput. 42, 2020)
template <SolverElement T>
Result<T> cg(const std::type_identity_t<LinearOperator<T>>& a, const GPUArray<T>& b,
             const std::type_identity_t<Options<T>>& options = {}) {
    return detail::solved(detail::Method::cg, a, b, options);
}

/// Stabilised biconjugate gradients: any invertible A. Launches per iteration: twice A's and the preconditioner's (none
/// for jacobi()), and four; two with a real sparse matrix, three with jacobi() as well.
/// @source van der Vorst, "Bi-CGSTAB" (SIAM J. Sci. Stat. Comput. 13, 1992), preconditioned from the right
template <SolverElement T>
Result<T> bicgstab(const std::type_identity_t<LinearOperator<T>>& a, const GPUArray<T>& b,
                   const std::type_identity_t<Options<T>>& options = {}) {
    return detail::solved(detail::Method::bicgstab, a, b, options);
}

/// Minimal residuals: A is Hermitian, definite or not; the preconditioner is positive definite. Launches per iteration:
/// A's, the preconditioner's (none for jacobi()) and two; one with a sparse matrix.
/// @source Paige and Saunders, "Solution of sparse indefinite systems of linear equations" (SIAM J. Numer. Anal. 12,
/// 1975)
template <SolverElement T>
Result<T> minres(const std::type_identity_t<LinearOperator<T>>& a, const GPUArray<T>& b,
                 const std::type_identity_t<Options<T>>& options = {}) {
    return detail::solved(detail::Method::minres, a, b, options);
}

/// Generalised minimal residuals, restarted every `restart` iterations: any invertible A. Stores restart + 4 vectors
/// per column. Launches per iteration: A's, the preconditioner's (none for jacobi()) and two, for any number of
/// vectors.
/// @source Saad and Schultz, "GMRES" (SIAM J. Sci. Stat. Comput. 7, 1986), preconditioned from the right.
///         Classical Gram-Schmidt twice, the second time one iteration later
template <SolverElement T>
Result<T> gmres(const std::type_identity_t<LinearOperator<T>>& a, const GPUArray<T>& b,
                const std::type_identity_t<Options<T>>& options = {}) {
    return detail::solved(detail::Method::gmres, a, b, options);
}

}  // namespace gemel::solve
