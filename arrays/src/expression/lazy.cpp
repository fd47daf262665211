/// Reductions in expressions, and the operations of which each consists.
#include <gemel/arrays/lazy.hpp>

#include "expression/program.hpp"
#include "expression/program_run.hpp"
#include "expression/reduction_launch.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::detail {
namespace {

const char* name_of(Reducing function) {
    static constexpr const char* names[] = {"sum",    "prod",          "min",  "max", "any",    "all", "argmin",
                                            "argmax", "count_nonzero", "mean", "var", "stddev", "norm"};
    return names[static_cast<std::size_t>(function)];
}

/// A bit per axis, the lowest for the last axis. Axes of extent 1 are omitted, since nothing is reduced along them.
std::uint64_t axes_of(const char* who, const Shape& shape, const ReductionAxes& over) {
    const std::size_t rank = shape.rank();
    std::vector<int> axes;
    if (over.axes() && !is_single_value(shape, over)) {
        check_axes(shape, *over.axes(), text("lazy::", who));
        axes = *over.axes();
    } else {
        for (std::size_t axis = 0; axis < rank; ++axis) axes.push_back(static_cast<int>(axis));
    }
    std::uint64_t bits = 0;
    for (const int axis : axes) {
        const auto at = static_cast<std::size_t>(axis_number(shape, axis));
        if (shape[at] != 1) bits |= std::uint64_t{1} << (rank - 1 - at);
    }
    return bits;
}

AnyExpr as(const AnyExpr& x, DType dtype) { return x.dtype() == dtype ? x : astype(x, dtype); }

/// The reduction of one element, if there is nothing to reduce along.
AnyExpr single(ReductionKind kind, const AnyExpr& x, DType result) {
    switch (kind) {
        case ReductionKind::any:
        case ReductionKind::all: return x != 0;
        case ReductionKind::argmin:
        case ReductionKind::argmax: return astype(isnan(x), result) * 0;
        default: return as(x, result);
    }
}

AnyExpr kept(ReductionKind kind, const AnyExpr& x, DType result, std::uint64_t axes) {
    return axes == 0 ? single(kind, x, result) : reduction_of(kind, x, result, axes);
}

AnyExpr sum(const AnyExpr& x, std::uint64_t axes) {
    return kept(ReductionKind::sum, x, codegen::result_type(codegen::TypeRule::sum, x.dtype()), axes);
}

/// The sum divided by the number of elements minus `less`, or by 0 if that is negative.
AnyExpr mean(const AnyExpr& x, std::uint64_t axes, double less = 0) {
    const auto count = static_cast<double>(count_along(x.shape(), axes));
    return as(sum(x, axes) / exact_number(std::max(count - less, 0.0)), x.dtype());
}

AnyExpr squares(const AnyExpr& x) { return square(x.dtype().kind() == DType::Kind::complex ? abs(x) : x); }

}  // namespace

AnyExpr lazy_of(Reducing function, const AnyExpr& x, const ReductionAxes& axis, double ddof) {
    const char* const who = name_of(function);
    if (x.node().is_number())
        throw ArgumentError(text("lazy::", who, ": a number cannot be reduced; give an array or an expression"));
    const DType own = x.dtype();
    const std::uint64_t axes = axes_of(who, x.shape(), axis);
    const auto ordered = [&](ReductionKind kind, DType result) {
        if (own.kind() == DType::Kind::complex)
            throw ArgumentError(text("lazy::", who, ": complex numbers have no order: take real(), imag() or abs()"));
        return kept(kind, x, result, axes);
    };
    const auto floating = [&] { return as(x, codegen::result_type(codegen::TypeRule::mean, own)); };
    const auto variance = [&] {
        const AnyExpr elements = floating();
        return mean(squares(elements - mean(elements, axes)), axes, ddof);
    };
    switch (function) {
        case Reducing::sum: return sum(x, axes);
        case Reducing::prod:
            return kept(ReductionKind::product, as(x, codegen::result_type(codegen::TypeRule::sum, own)),
                        codegen::result_type(codegen::TypeRule::sum, own), axes);
        case Reducing::min: return ordered(ReductionKind::minimum, own);
        case Reducing::max: return ordered(ReductionKind::maximum, own);
        case Reducing::any: return kept(ReductionKind::any, x, dtype_of<bool>(), axes);
        case Reducing::all: return kept(ReductionKind::all, x, dtype_of<bool>(), axes);
        case Reducing::argmin: return ordered(ReductionKind::argmin, dtype_of<std::int64_t>());
        case Reducing::argmax: return ordered(ReductionKind::argmax, dtype_of<std::int64_t>());
        case Reducing::count_nonzero: return sum(astype(x != 0, dtype_of<std::int64_t>()), axes);
        case Reducing::mean: return mean(floating(), axes);
        case Reducing::var: return variance();
        case Reducing::stddev: return sqrt(variance());
        case Reducing::norm: return sqrt(sum(squares(floating()), axes));
    }
    return x;
}

std::vector<AnyArray> evaluate_all(std::span<const AnyExpr> expressions, std::span<const AnyArray* const> out) {
    std::vector<AnyExpr> converted(expressions.begin(), expressions.end());
    for (std::size_t k = 0; k < out.size(); ++k) {
        if (!out[k]) continue;
        const DType own = converted[k].dtype(), wanted = out[k]->dtype();
        if (!codegen::is_same_kind(own, wanted))
            throw ArgumentError(text("evaluate_into: expression ", k + 1, " is of ", own.name(),
                                     ", another kind than its array's ", wanted.name(), "; astype() converts"));
        converted[k] = as(converted[k], wanted);
    }
    return evaluate_together(converted, out);
}

AnyArray without_reduced(const AnyArray& array, const ReductionAxes& axis, bool keepdims) {
    if (keepdims) return array;
    Shape shape;
    for (std::size_t k = 0; k < array.rank(); ++k) {
        bool is_reduced = !axis.axes();
        if (axis.axes())
            for (const int one : *axis.axes()) is_reduced |= axis_number(array.shape(), one) == static_cast<int>(k);
        if (!is_reduced) shape.push_back(array.shape()[k]);
    }
    return array.reshape(shape);
}

}  // namespace gemel::detail
