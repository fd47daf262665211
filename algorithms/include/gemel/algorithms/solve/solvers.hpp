/// Iterative solvers of linear systems whose loop never waits for the device.
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
    /// The host looks at the residual every so many iterations, and enqueues the next ones meanwhile.
    std::int64_t check_every = 20;
    LinearOperator<T> preconditioner = {};  ///< an approximate inverse of A; for cg and minres positive definite
    GPUArray<T> x0 = {};                    ///< where the iteration starts; zero if it is an empty handle
    /// Called at each look with the number of iterations and the residual (of several columns the largest).
    std::function<void(std::int64_t iteration, double residual_norm)> callback = {};
    bool progress = false;  ///< a line on standard error, where that is a terminal
    bool history = false;   ///< Result::history is filled
    bool throw_if_not_converged = true;
    std::int64_t restart = 30;  ///< gmres: vectors that it keeps
    Stream stream = {};         ///< the thread's current stream if left out
    codegen::SweepTuning tuning = {};
    /// The iterations from look to look are recorded once and launched as a graph: less of the host's time for systems
    /// so small that launches decide. A and the preconditioner are then called for these iterations only, and may not
    /// read on the host. gmres, whose iterations differ, takes no notice.
    bool graph = false;
};

/// The residual that the solver has come to after so many iterations, as its recurrence has it.
struct Look {
    std::int64_t iteration = 0;
    double residual_norm = 0;  ///< of several columns the largest
};

/// How far one column has come.
struct ColumnResult {
    std::int64_t iterations = 0;
    bool converged = false;
    double residual_norm = 0;  ///< of the true residual, b - A x
    double target = 0;         ///< what it had to reach
    std::string breakdown = {};
};

/// What solvers of any type have in common to say.
struct Report {
    std::int64_t iterations = 0;  ///< of several columns the most
    bool converged = false;       ///< all columns
    double residual_norm = 0;     ///< |b - A x|, computed from x in the end; of several columns the largest
    std::string breakdown = {};   ///< why no further iteration would help; empty if none broke down
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
    /// |b - A x|, of several columns the largest.
    double residual_norm() const noexcept { return report_.residual_norm; }
    const Report& report() const noexcept { return report_; }

   private:
    Report report_;
};

/// The iteration cannot go on: the message says which number forbids it, and what that tells of the matrix.
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

// All solvers: A is square of extent n, b has shape (n,), or (n, k) for k right-hand sides, each of which converges by
// itself. Scalars stay on the device; what is launched for a column after it has converged returns at once. When the
// recurrence says that all have, the residual is computed from x; where it misses the tolerance the iteration starts
// again from there. Operators and preconditioners are called with arrays of gemel's own.
// @throws ArgumentError if shapes, types or contexts do not fit, or b has NaN or infinite elements
// @throws NotConverged if the tolerance is not reached, and BreakDown, its child, if the iteration cannot go on. The
//         context can be used as before
// A sweep, which updates vectors, sums products of them and computes scalars, is one launch where blocks see each
// other's writes (DeviceInfo::has_cross_block_visibility), else two; launches below count sweeps.
// @time   blocks until solved. The host looks every `check_every` iterations, at what the device has reached one look
//         before, and enqueues meanwhile: the device never waits for the host

/// Conjugate gradients: A is Hermitian and positive definite. Launches per iteration: A's, the preconditioner's (none
/// for jacobi()) and two.
/// @source Hestenes and Stiefel 1952; its inner products in one kernel: Meurant 1987, Chen and Carson,
///         "Predict-and-recompute conjugate gradient variants" (SIAM J. Sci. Comput. 42, 2020)
template <SolverElement T>
Result<T> cg(const std::type_identity_t<LinearOperator<T>>& a, const GPUArray<T>& b,
             const std::type_identity_t<Options<T>>& options = {}) {
    return detail::solved(detail::Method::cg, a, b, options);
}

/// Stabilised biconjugate gradients: any invertible A. Launches per iteration: twice A's and the preconditioner's (none
/// for jacobi()), and four.
/// @source van der Vorst, "Bi-CGSTAB" (SIAM J. Sci. Stat. Comput. 13, 1992), preconditioned from the right
template <SolverElement T>
Result<T> bicgstab(const std::type_identity_t<LinearOperator<T>>& a, const GPUArray<T>& b,
                   const std::type_identity_t<Options<T>>& options = {}) {
    return detail::solved(detail::Method::bicgstab, a, b, options);
}

/// Minimal residuals: A is Hermitian, definite or not; the preconditioner is positive definite. Launches per iteration:
/// A's, and three; with a preconditioner other than jacobi() its own, and four.
/// @source Paige and Saunders, "Solution of sparse indefinite systems of linear equations" (SIAM J. Numer. Anal. 12,
/// 1975)
template <SolverElement T>
Result<T> minres(const std::type_identity_t<LinearOperator<T>>& a, const GPUArray<T>& b,
                 const std::type_identity_t<Options<T>>& options = {}) {
    return detail::solved(detail::Method::minres, a, b, options);
}

/// Generalised minimal residuals, started again every `restart` iterations: any invertible A. Keeps restart + 1 vectors
/// for each column. Launches in iteration j = 0, 1, ... of a cycle: A's, the preconditioner's, and 2 * ceil((j + 1) /
/// 8) + 1 (complex: 4 in place of 8); at the end of a cycle A's and three, with a preconditioner its own and one more.
/// @source Saad and Schultz, "GMRES" (SIAM J. Sci. Stat. Comput. 7, 1986), preconditioned from the right; each vector
/// is
///         made orthogonal twice, to eight of the others at a time
template <SolverElement T>
Result<T> gmres(const std::type_identity_t<LinearOperator<T>>& a, const GPUArray<T>& b,
                const std::type_identity_t<Options<T>>& options = {}) {
    return detail::solved(detail::Method::gmres, a, b, options);
}

}  // namespace gemel::solve
