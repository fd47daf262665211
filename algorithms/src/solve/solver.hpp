/// The common part of all iterative solvers: their vectors, the host's loop, the convergence checks.
#pragma once

#include "solve/sweep_texts.hpp"
#include "solve/sweeps.hpp"

#include <gemel/algorithms/solve/solvers.hpp>
#include <gemel/core/graph.hpp>
#include <gemel/core/host_buffer.hpp>
#include <gemel/core/stream.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gemel::solving {

using solve::AnyOperator;
using solve::Report;
using solve::detail::AnyOptions;
using solve::detail::Method;

/// A checked linear system.
struct System {
    const char* who;  ///< "solve::cg"
    AnyOperator a;
    AnyArray b;
    const AnyOptions& options;
};

class Solver {
   public:
    /// @param is_viewed  kernels get views of vectors() other than single columns
    /// @param max_sets   maximum number of operand sets in a sweep
    explicit Solver(const System& system, bool is_viewed = false, std::int64_t max_sets = 1);
    virtual ~Solver() = default;
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;

    /// Solves the system. @param x  a new array of b's shape
    Report run(AnyArray& x);

   protected:
    /// Starts or restarts the iteration; r is b - A x. Enqueues only, like all functions here.
    virtual void begin() = 0;
    virtual void iterate() = 0;
    /// Enqueues the iterations as one launch, which ends early on convergence. @returns false if it cannot
    virtual bool iterate_together(std::int64_t /*steps*/) { return false; }
    /// The number of iterations after which the enqueued commands repeat; 0: never.
    virtual std::int64_t period() const { return 1; }
    /// Computes x from the iterations so far.
    virtual void settle() {}

    /// out = op u, for each column.
    void multiply(const AnyOperator& op, const AnyArray& u, const AnyArray& out) const;
    /// Whether products with A also compute sums: A can, and there is no general preconditioner.
    bool sums_products() const;
    /// out = A u, and the sums of sparse::SolverSums for `with` and a diagonal (or an empty handle), in
    /// space_.joined(). Requires sums_products(). @returns the number of blocks per column that have left sums
    std::int64_t multiply_summing(const AnyArray& u, const AnyArray& out, const AnyArray& with,
                                  const AnyArray& diagonal) const;
    /// r = b - A x, with the residual and the target in the columns' states.
    void find_residual();

    const System& system_;
    Workspace space_;
    Preconditioning preconditioning_ = Preconditioning::none;
    AnyArray diagonal_;  ///< of the preconditioner, if it is diagonal
    AnyArray b_, x_, r_, product_;

   private:
    struct Seen {
        std::int64_t iterations = 0;  ///< the minimum of the unfinished columns; if all are done, the maximum
        double residual = 0, target = 0;
        bool all_done = true;
    };
    void set_up();
    void write_first_states();
    void look();
    /// Waits for the oldest check that has not been read.
    Seen see();
    void tell(const Seen& seen);
    void go_on_until_done(std::int64_t budget);
    /// Enqueues the iterations.
    void advance(std::int64_t steps);
    /// Examines the true residuals in the states. @returns whether the iteration should restart
    bool should_restart();
    Report report() const;
    void end_progress();
    AnyArray result();

    Stream stream_;
    bool has_double_;
    Sweep residual_;
    std::array<HostBuffer<std::byte>, 2> looks_;
    std::deque<std::pair<std::size_t, Event>> pending_;
    std::size_t next_look_ = 0;
    std::vector<ColumnState> states_;
    std::vector<double> last_true_;
    int stalled_ = 0;
    bool has_stalled_ = false, shows_progress_ = false;
    std::vector<solve::Look> history_;
    Graph lap_;  ///< of check_every iterations
};

std::unique_ptr<Solver> new_cg(const System& system);
std::unique_ptr<Solver> new_bicgstab(const System& system);
std::unique_ptr<Solver> new_minres(const System& system);
std::unique_ptr<Solver> new_gmres(const System& system);

/// The sweep for a kind of preconditioner: Text<none>, Text<diagonal> or Text<general>.
template <template <Preconditioning> class Text>
SweepText sweep_for(Preconditioning preconditioning) {
    switch (preconditioning) {
        case Preconditioning::none: return Text<Preconditioning::none>::request;
        case Preconditioning::diagonal: return Text<Preconditioning::diagonal>::request;
        case Preconditioning::general: break;
    }
    return Text<Preconditioning::general>::request;
}

inline constexpr const char* right_side_text =
    "the right-hand side has NaN or infinite elements, or its norm overflows";
/// The message of NotConverged.
std::string explanation(const char* who, const Report& report, const AnyOptions& options);
/// Why a column stopped; empty if it only reached max_iterations.
std::string reason(const ColumnState& state);

}  // namespace gemel::solving
