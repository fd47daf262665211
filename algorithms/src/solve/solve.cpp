#include "solve/solver.hpp"
#include "sparse/state.hpp"

#include <gemel/arrays/any_expr.hpp>
#include <gemel/arrays/reductions.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/graph.hpp>
#include <gemel/core/text.hpp>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace gemel::solve {

NotConverged::NotConverged(const std::string& message, Report report) : Error(message), report_(std::move(report)) {}
NotConverged::~NotConverged() = default;
BreakDown::BreakDown(const std::string& message, Report report) : NotConverged(message, std::move(report)) {}
BreakDown::~BreakDown() = default;

namespace detail {
namespace {

constexpr std::array method_names{"solve::cg", "solve::bicgstab", "solve::minres", "solve::gmres"};

const char* name_of(Method method) { return method_names[static_cast<std::size_t>(method)]; }

void check_operator(const char* who, const char* what, const AnyOperator& op, const AnyArray& b) {
    const std::int64_t n = b.shape()[0];
    if (op.shape() != Shape{n, n})
        throw ArgumentError(text(who, ": ", what, " has the shape ", to_string(op.shape()), ", expected (", n, ", ", n,
                                 ") for a right-hand side of shape ", to_string(b.shape())));
    const AnyArray& d = op.diagonal();
    const bool is_foreign =
        op.matrix() ? !(op.matrix()->entries.context == b.context()) : !d.empty() && !(d.context() == b.context());
    if (is_foreign)
        throw ArgumentError(
            text(who, ": ", what,
                 " belongs to another context than the right-hand side; copy_to(context) copies the right-hand side"));
}

void check_numbers(const char* who, const AnyOptions& o) {
    const auto refuse = [&](const char* option, const auto& value, const char* expected) {
        throw ArgumentError(text(who, ": .", option, " is ", value, ", expected ", expected));
    };
    if (!(o.tolerance >= 0)) refuse("tolerance", o.tolerance, "at least 0");
    if (!(o.absolute_tolerance >= 0)) refuse("absolute_tolerance", o.absolute_tolerance, "at least 0");
    if (o.max_iterations < 0) refuse("max_iterations", o.max_iterations, "at least 1, or 0 for ten times the unknowns");
    if (o.check_every < 1) refuse("check_every", o.check_every, "at least 1");
    if (o.restart < 1) refuse("restart", o.restart, "at least 1");
}

void check_system(const char* who, const AnyOperator& a, const AnyArray& b, const AnyOptions& options) {
    if (b.empty())
        throw ArgumentError(text(who, ": the right-hand side is an empty handle, expected an array; make one first"));
    if (b.rank() < 1 || b.rank() > 2)
        throw ArgumentError(text(who, ": the right-hand side has the shape ", to_string(b.shape()),
                                 ", expected (n,) for one system or (n, k) for k systems"));
    if (a.empty()) throw ArgumentError(text(who, ": the operator is empty; give a matrix or a function"));
    check_operator(who, "the operator", a, b);
    if (!options.preconditioner.empty()) check_operator(who, "the preconditioner", options.preconditioner, b);
    check_numbers(who, options);
    if (!options.stream.empty() && !(options.stream.context() == b.context()))
        throw ArgumentError(text(who, ": .stream belongs to another context than b; pass a stream of b.context()"));
    const AnyArray& x0 = options.x0;
    if (x0.empty()) return;
    if (x0.shape() != b.shape())
        throw ArgumentError(
            text(who, ": x0 has the shape ", to_string(x0.shape()), ", expected that of b, ", to_string(b.shape())));
    if (!(x0.context() == b.context()))
        throw ArgumentError(text(who, ": x0 belongs to another context than b; copy it by copy_to(b.context())"));
}

std::unique_ptr<solving::Solver> new_solver(Method method, const solving::System& system) {
    switch (method) {
        case Method::cg: return solving::new_cg(system);
        case Method::bicgstab: return solving::new_bicgstab(system);
        case Method::minres: return solving::new_minres(system);
        case Method::gmres: break;
    }
    return solving::new_gmres(system);
}

void refuse_right_side(const char* who, const Report& report) {
    for (std::size_t c = 0; c < report.columns.size(); ++c)
        if (report.columns[c].breakdown == solving::right_side_text)
            throw ArgumentError(text(who, ": ", solving::right_side_text,
                                     report.columns.size() > 1 ? text(" in column ", c) : std::string()));
}

/// A right-hand side of tiny numbers looks like zero, which x = 0 solves.
void refuse_underflow(const char* who, const Report& report, const AnyArray& b, const AnyArray& x) {
    for (std::size_t c = 0; c < report.columns.size(); ++c) {
        const ColumnResult& result = report.columns[c];
        if (!result.converged || result.residual_norm != 0) continue;
        const auto is_zero = [&](const AnyArray& all) {
            const AnyArray column = all.rank() == 2 ? all.transpose()(static_cast<std::int64_t>(c)) : all;
            return !AnyArray(any(AnyExpr(column) != 0)).item<bool>();
        };
        if (is_zero(x) && !is_zero(b))
            throw ArgumentError(text(who, ": the squares of the right-hand side's elements underflow",
                                     report.columns.size() > 1 ? text(" in column ", c) : std::string(),
                                     "; multiply b by a large number, and divide x by it"));
    }
}

}  // namespace

Report solve(Method method, const AnyOperator& a, const AnyArray& b, const AnyOptions& given, AnyArray& x) {
    const char* const who = name_of(method);
    if (!recorded_stream().empty())
        throw Error(text(who,
                         ": cannot be recorded into a graph, because it looks at residuals as it goes; call it before "
                         "or after capture(), or record the steps of an iteration as products and sums of arrays"));
    check_system(who, a, b, given);
    std::optional<StreamScope> scope;
    if (!given.stream.empty()) scope.emplace(given.stream);
    AnyOptions options = given;
    if (options.max_iterations == 0) options.max_iterations = std::max<std::int64_t>(61, 10 * b.shape()[0]);
    if (b.size() == 0) {
        x = AnyArray(b.context(), b.dtype(), b.shape());
        Report report;
        report.converged = true;
        report.columns.resize(b.rank() == 2 ? static_cast<std::size_t>(b.shape()[1]) : 1, {.converged = true});
        return report;
    }
    const solving::System system{who, a, b, options};
    Report report = new_solver(method, system)->run(x);
    refuse_underflow(who, report, b, x);
    if (report.converged) return report;
    refuse_right_side(who, report);
    if (!options.throw_if_not_converged) return report;
    const std::string message = solving::explanation(who, report, options);
    if (!report.breakdown.empty()) throw BreakDown(message, std::move(report));
    throw NotConverged(message, std::move(report));
}

}  // namespace detail
}  // namespace gemel::solve

namespace gemel::solving {

std::string reason(const ColumnState& state) {
    switch (static_cast<Stop>(state.stop != 0 ? state.stop : state.last_stop)) {
        case Stop::none: return {};
        case Stop::right_side: return right_side_text;
        case Stop::not_finite:
            return text("a number became ", state.figure,
                        "; the operator, the preconditioner or x0 has given NaN or infinity, or numbers overflow");
        case Stop::diverged:
            return text("the residual grew to ", state.figure, ", 1e12 times the first one of ", state.start,
                        "; another method or a preconditioner may do");
        case Stop::indefinite:
            return text("p* A p is ", state.figure,
                        ", so A is not positive definite; minres() takes Hermitian matrices, gmres() any");
        case Stop::preconditioner:
            return text("r* M r is ", state.figure, ", so the preconditioner is not positive definite");
        case Stop::singular:
            return text("a new direction has the length ", state.figure, ", so A is singular to working precision");
        case Stop::shadow:
            return text("the residual's product with its shadow is ", state.figure,
                        ", and starting again did not help; gmres() does not need it");
        case Stop::stabiliser:
            return text("the step along A r is ", state.figure,
                        ", and starting again did not help; gmres() does not need it");
    }
    return {};
}

std::string explanation(const char* who, const Report& report, const AnyOptions& options) {
    std::size_t unsolved = 0, worst = 0;
    for (std::size_t c = 0; c < report.columns.size(); ++c) {
        if (report.columns[c].converged) continue;
        if (unsolved++ == 0 || !report.columns[c].breakdown.empty()) worst = c;
    }
    const solve::ColumnResult& column = report.columns[worst];
    const std::string which = report.columns.size() == 1 ? std::string()
                                                         : text(unsolved, " of ", report.columns.size(),
                                                                " columns are not solved; column ", worst, ": ");
    const std::string residual = text("the residual is ", column.residual_norm, ", and ", column.target,
                                      " was asked for (tolerance ", options.tolerance, ")");
    if (!column.breakdown.empty())
        return text(who, ": ", which, "broke down after ", counted(column.iterations, "iteration"), ": ",
                    column.breakdown, "; ", residual);
    return text(who, ": ", which, "not converged after ", counted(column.iterations, "iteration"), ": ", residual,
                "; allow more by .max_iterations, or give a .preconditioner");
}

}  // namespace gemel::solving
