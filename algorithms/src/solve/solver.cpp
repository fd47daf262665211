#include "solve/solver.hpp"

#include "sparse/state.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include <unistd.h>

namespace gemel::solving {
namespace {

Stream stream_of(const Context& context) {
    const Stream current = current_stream();
    return !current.empty() && current.context() == context ? current : context.default_stream();
}

std::int64_t columns_of(const AnyArray& b) { return b.rank() == 2 ? b.shape()[1] : 1; }

/// NaN is larger than any number.
bool is_larger(double a, double b) { return std::isnan(a) || a > b; }

/// Maximum number of restarts that do not reduce the true residual by a tenth.
constexpr int max_stalls = 2;

}  // namespace

Solver::Solver(const System& system, bool is_viewed, std::int64_t max_sets)
    : system_(system),
      space_(system.b.context(), system.b.dtype(), system.b.shape()[0], columns_of(system.b),
             state_bytes(system.b.dtype(), KernelCache::of(system.b).info().has_double),
             is_viewed || columns_of(system.b) > 1, max_sets, system.options.tuning),
      stream_(stream_of(system.b.context())),
      has_double_(KernelCache::of(system.b).info().has_double),
      residual_(space_, residual_sweep) {
    const AnyOperator& m = system.options.preconditioner;
    if (!m.empty()) preconditioning_ = m.diagonal().empty() ? Preconditioning::general : Preconditioning::diagonal;
}

void Solver::set_up() {
    for (AnyArray* vectors : {&b_, &x_, &product_}) *vectors = space_.vectors();
    if (r_.empty()) r_ = space_.vectors();
    const auto bring = [&](const AnyArray& vectors, const AnyArray& from) {
        space_.matrix(vectors).assign(from.rank() == 2 ? from : from.reshape({space_.n(), 1}));
    };
    bring(b_, system_.b);
    if (preconditioning_ == Preconditioning::diagonal) {
        diagonal_ = space_.vector();
        diagonal_(slice(0, space_.n())).assign(system_.options.preconditioner.diagonal());
    }
    const std::size_t bytes = state_bytes(space_.dtype(), has_double_) * static_cast<std::size_t>(space_.columns());
    for (HostBuffer<std::byte>& slot : looks_) slot = HostBuffer<std::byte>(space_.context(), bytes);
    states_.resize(static_cast<std::size_t>(space_.columns()));
    last_true_.assign(states_.size(), std::numeric_limits<double>::infinity());
    write_first_states();
    if (!system_.options.x0.empty()) {
        bring(x_, system_.options.x0);
        multiply(system_.a, x_, product_);
    }
    residual_(space_, b_, product_, r_);
    shows_progress_ = system_.options.progress && isatty(STDERR_FILENO) == 1;
}

void Solver::write_first_states() {
    const std::size_t bytes = state_bytes(space_.dtype(), has_double_);
    const HostBuffer<std::byte>& first = looks_[0];  // the first look is enqueued after its upload
    std::fill(first.begin(), first.end(), std::byte{0});
    const auto limit = std::min<std::int64_t>(system_.options.max_iterations, std::numeric_limits<std::int32_t>::max());
    for (std::size_t c = 0; c < states_.size(); ++c)
        write_state(first.data() + c * bytes,
                    {.tolerance = system_.options.tolerance,
                     .absolute = system_.options.absolute_tolerance,
                     .limit = static_cast<std::int32_t>(limit)},
                    has_double_);
    stream_.copy(space_.states(), first);
}

void Solver::multiply(const AnyOperator& op, const AnyArray& u, const AnyArray& out) const {
    if (op.columns() == solve::Columns::together) return op.function()(space_.matrix(u), space_.matrix(out));
    for (std::int64_t c = 0; c < space_.columns(); ++c) op.function()(space_.column(u, c), space_.column(out, c));
}

bool Solver::sums_products() const {
    const AnyOperator& a = system_.a;
    return preconditioning_ != Preconditioning::general && a.matrix() && a.columns() != solve::Columns::together &&
           sparse::can_sum(*a.matrix());
}

std::int64_t Solver::multiply_summing(const AnyArray& u, const AnyArray& out, const AnyArray& with,
                                      const AnyArray& diagonal) const {
    std::int64_t groups = 0;
    for (std::int64_t c = 0; c < space_.columns(); ++c)
        // All columns have equally many blocks; the sums of a column follow those of the previous one.
        groups = sparse::multiply_summing(*system_.a.matrix(), space_.column(out, c), space_.column(u, c),
                                          {.with = space_.column(with, c),
                                           .diagonal = diagonal,
                                           .sums = space_.joined(),
                                           .sums_begin = c * groups * 3,
                                           .capacity = space_.joined_capacity(),
                                           .skip = space_.states(),
                                           .skip_at = done_at(c, space_.dtype(), has_double_)});
    return groups;
}

void Solver::find_residual() {
    multiply(system_.a, x_, product_);
    residual_(space_, b_, product_, r_);
}

void Solver::look() {
    stream_.copy(looks_[next_look_], space_.states());
    pending_.emplace_back(next_look_, stream_.record());
    stream_.flush();
    next_look_ = 1 - next_look_;
}

Solver::Seen Solver::see() {
    const auto [slot, event] = pending_.front();
    pending_.pop_front();
    event.wait();
    const std::size_t bytes = state_bytes(space_.dtype(), has_double_);
    Seen seen;
    bool is_first = true;
    for (std::size_t c = 0; c < states_.size(); ++c) {
        ColumnState& state = states_[c];
        state = read_state(looks_[slot].data() + c * bytes, has_double_);
        if (is_larger(state.residual, seen.residual)) seen.residual = state.residual, seen.target = state.target;
        if (state.done) continue;
        seen.all_done = false;
        seen.iterations = is_first ? state.iterations : std::min<std::int64_t>(seen.iterations, state.iterations);
        is_first = false;
    }
    if (seen.all_done)
        for (const ColumnState& state : states_)
            seen.iterations = std::max<std::int64_t>(seen.iterations, state.iterations);
    return seen;
}

void Solver::tell(const Seen& seen) {
    if (system_.options.history && (history_.empty() || history_.back().iteration != seen.iterations))
        history_.push_back({seen.iterations, seen.residual});
    if (system_.options.callback) system_.options.callback(seen.iterations, seen.residual);
    if (shows_progress_)
        std::fprintf(stderr, "\r%s: iteration %lld, residual %.3g, %.3g is asked for ", system_.who,
                     static_cast<long long>(seen.iterations), seen.residual, seen.target);
}

void Solver::end_progress() {
    if (shows_progress_) std::fputc('\n', stderr);
}

void Solver::go_on_until_done(std::int64_t budget) {
    pending_.clear();
    look();
    while (true) {
        // The next iterations are enqueued before the host waits for the previous check.
        const std::int64_t steps = std::min(system_.options.check_every, budget);
        advance(steps);
        budget -= steps;
        if (steps > 0) look();
        if (pending_.empty()) return;
        const Seen seen = see();
        tell(seen);
        if (seen.all_done) return;
    }
}

void Solver::advance(std::int64_t steps) {
    const auto iterations = [&] {
        for (std::int64_t k = 0; k < steps; ++k) iterate();
    };
    if (steps > 0 && iterate_together(steps)) return;
    const std::int64_t lap = system_.options.check_every;
    const bool is_recorded = system_.options.graph && steps == lap && period() != 0 && lap % period() == 0;
    if (!is_recorded) {
        lap_ = {};  // vectors may have moved
        return iterations();
    }
    if (lap_.empty()) lap_ = capture(stream_, iterations);
    lap_.launch();
}

bool Solver::should_restart() {
    bool any = false, falls = false;
    for (std::size_t c = 0; c < states_.size(); ++c) {
        const ColumnState& state = states_[c];
        if (!state.done) {
            any = true;
            falls = falls || state.residual < 0.9 * last_true_[c];
        }
        last_true_[c] = state.residual;
    }
    if (!any) return false;
    stalled_ = falls ? 0 : stalled_ + 1;
    has_stalled_ = stalled_ >= max_stalls;
    return !has_stalled_;
}

Report Solver::run(AnyArray& x) {
    set_up();
    std::int64_t budget = system_.options.max_iterations;
    while (true) {
        begin();
        go_on_until_done(budget);
        settle();
        find_residual();
        pending_.clear();
        look();
        const Seen seen = see();
        tell(seen);
        if (!should_restart()) break;
        budget = system_.options.max_iterations - seen.iterations;
    }
    end_progress();
    x = result();
    return report();
}

AnyArray Solver::result() {
    // The solution for b = 0 is 0 for any x0.
    for (std::size_t c = 0; c < states_.size(); ++c) {
        if (states_[c].b_norm != 0) continue;
        space_.column(x_, static_cast<std::int64_t>(c)).fill(0);
        states_[c].residual = 0;
    }
    const AnyArray x(space_.context(), space_.dtype(), system_.b.shape());
    x.assign(space_.matrix(x_).reshape(x.shape()));
    return x;
}

Report Solver::report() const {
    Report report;
    report.converged = true;
    report.history = history_;
    for (const ColumnState& state : states_) {
        solve::ColumnResult column{.iterations = state.iterations,
                                   .converged = std::isfinite(state.residual) && state.residual <= state.target,
                                   .residual_norm = state.residual,
                                   .target = state.target};
        if (!column.converged && (state.stop != 0 || (has_stalled_ && !state.done))) column.breakdown = reason(state);
        if (!column.converged && column.breakdown.empty() && has_stalled_ && !state.done)
            column.breakdown = text("the residual does not fall below ", state.residual,
                                    ", even after restarts; that is the limit of ", space_.dtype().name(), " elements");
        report.iterations = std::max(report.iterations, column.iterations);
        report.converged = report.converged && column.converged;
        if (is_larger(column.residual_norm, report.residual_norm)) report.residual_norm = column.residual_norm;
        if (report.breakdown.empty()) report.breakdown = column.breakdown;
        report.columns.push_back(std::move(column));
    }
    return report;
}

}  // namespace gemel::solving
