/// Reductions in expressions, and the operations of which each consists.
#include <gemel/arrays/lazy.hpp>

#include "expression/program.hpp"
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

/// A bit per axis, the lowest for the last axis.
std::uint64_t all_axes(std::size_t rank) { return rank == 0 ? 0 : ~std::uint64_t{0} >> (64 - rank); }
std::uint64_t axes_of(const char* who, const Shape& shape, const ReductionAxes& over) {
    if (!over.axes() || is_single_value(shape, over)) return all_axes(shape.rank());
    check_axes(shape, *over.axes(), text("lazy::", who));
    std::uint64_t bits = 0;
    for (const int axis : *over.axes())
        bits |= std::uint64_t{1} << (shape.rank() - 1 - static_cast<std::size_t>(axis_number(shape, axis)));
    return bits;
}

/// Without axes of extent 1, along which nothing is reduced.
std::uint64_t longer_axes(const Shape& shape, std::uint64_t axes) {
    const std::size_t rank = shape.rank();
    for (std::size_t axis = 0; axis < rank; ++axis)
        if (shape[axis] == 1) axes &= ~(std::uint64_t{1} << (rank - 1 - axis));
    return axes;
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
    return lazy_of(function, x, axes_of(name_of(function), x.shape(), axis), ddof);
}

std::uint64_t lazy_axes(Reducing function, const ExpressionView& x, std::size_t rank, const ReductionAxes& axis) {
    if (!axis.axes()) return all_axes(rank);
    return axes_of(name_of(function), x.any(x.expression).shape(), axis);
}

AnyExpr lazy_of(Reducing function, const AnyExpr& x, std::uint64_t reduced, double ddof) {
    const char* const who = name_of(function);
    if (x.node().is_number())
        throw ArgumentError(text("lazy::", who, ": a number cannot be reduced; give an array or an expression"));
    const DType own = x.dtype();
    const std::uint64_t axes = longer_axes(x.shape(), reduced);
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
