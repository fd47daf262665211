/// Reductions of arrays and expressions: one implementation for types known in C++ and types known at run time.
#include <gemel/arrays/reductions.hpp>

#include "array/require.hpp"
#include "expression/any_number.hpp"
#include "expression/derived_expression.hpp"
#include "expression/expression_kernel.hpp"
#include "expression/expression_node.hpp"
#include "expression/reduce_in_rows.hpp"
#include "expression/reduction_launch.hpp"
#include "expression/variance.hpp"

#include <gemel/arrays/reduction_kernel.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace gemel {
namespace {

using detail::ReduceCall;
using detail::Reducing;

/// The name of a function, and its options besides axis, keepdims and out.
struct FunctionRow {
    Reducing function;
    const char* name;
    bool takes_dtype = false, takes_initial = false, takes_ddof = false;
    bool takes_one_axis_of_none = true;  ///< accepts axis 0 or -1 for a single value, as NumPy does
    bool has_order = false;              ///< selects one of the elements, so there must be at least one
    ReductionKind kind = ReductionKind::sum;
};
constexpr FunctionRow functions[] = {
    {.function = Reducing::sum, .name = "sum", .takes_dtype = true, .takes_initial = true},
    {.function = Reducing::prod,
     .name = "prod",
     .takes_dtype = true,
     .takes_initial = true,
     .kind = ReductionKind::product},
    {.function = Reducing::min,
     .name = "min",
     .takes_initial = true,
     .has_order = true,
     .kind = ReductionKind::minimum},
    {.function = Reducing::max,
     .name = "max",
     .takes_initial = true,
     .has_order = true,
     .kind = ReductionKind::maximum},
    {.function = Reducing::any, .name = "any", .kind = ReductionKind::any},
    {.function = Reducing::all, .name = "all", .kind = ReductionKind::all},
    {.function = Reducing::argmin, .name = "argmin", .has_order = true, .kind = ReductionKind::argmin},
    {.function = Reducing::argmax, .name = "argmax", .has_order = true, .kind = ReductionKind::argmax},
    {.function = Reducing::count_nonzero, .name = "count_nonzero"},
    {.function = Reducing::mean, .name = "mean", .takes_dtype = true, .takes_one_axis_of_none = false},
    {.function = Reducing::var,
     .name = "var",
     .takes_dtype = true,
     .takes_ddof = true,
     .takes_one_axis_of_none = false},
    {.function = Reducing::stddev,
     .name = "stddev",
     .takes_dtype = true,
     .takes_ddof = true,
     .takes_one_axis_of_none = false},
    {.function = Reducing::norm, .name = "norm", .takes_dtype = true, .takes_one_axis_of_none = false},
};
constexpr bool rows_are_in_order() {
    for (std::size_t k = 0; k < std::size(functions); ++k)
        if (functions[k].function != static_cast<Reducing>(k)) return false;
    return true;
}
static_assert(rows_are_in_order());

// Axes and shapes.

Shape shape_of(const detail::ExpressionView& expression) {
    detail::ExpressionOperands operands;
    expression.collect(expression.expression, operands);
    if (!operands.fits_elements()) return expression.any(expression.expression).shape();
    if (operands.array_count == 0) return {};
    BroadcastOperands broadcast;
    broadcast.broadcast(operands);
    return broadcast.shape();
}

/// The number of elements per result. Axes out of range, which are refused elsewhere, are ignored.
std::size_t count_over(const Shape& shape, const ReductionAxes& over) {
    if (!over.axes()) return shape.count();
    std::size_t count = 1;
    for (const int axis : *over.axes())
        if (const int at = axis_number(shape, axis); at >= 0 && at < static_cast<int>(shape.rank()))
            count *= static_cast<std::size_t>(shape[static_cast<std::size_t>(at)]);
    return count;
}

Shape shape_without(const Shape& shape, const ReductionAxes& over, bool keepdims) {
    Shape kept;
    for (std::size_t k = 0; k < shape.rank(); ++k) {
        bool is_reduced = !over.axes();
        if (over.axes())
            for (const int axis : *over.axes()) is_reduced |= axis_number(shape, axis) == static_cast<int>(k);
        if (!is_reduced) {
            kept.push_back(shape[k]);
        } else if (keepdims) {
            kept.push_back(1);
        }
    }
    return kept;
}

// A prepared call: its elements and the type of its result.

struct Prepared {
    const FunctionRow& row;
    const ReduceCall& call;
    DerivedExpression elements;
    DType result;
    std::size_t count = 0;  ///< elements per result; not computed if it is not needed
    const AnyArray* out = nullptr;
};

void refuse_option(bool is_given, bool is_taken, const char* option) {
    if (!is_given || is_taken) return;
    std::string others;
    for (const FunctionRow& other : functions) {
        const std::string_view given(option);
        if (given == ".dtype" ? other.takes_dtype : given == ".ddof" ? other.takes_ddof : other.takes_initial)
            others += (others.empty() ? "" : " ") + std::string(other.name);
    }
    throw ArgumentError(
        text("it does not take the option ", option, "; leave it out (it is an option of ", others, ")"));
}

void check_numbers(DType dtype) {
    if (dtype.empty()) refuse_empty("expression", "the operand");
    if (!codegen::is_number(dtype))
        throw ArgumentError(
            text("expression: expected numbers, got an array of ", dtype.name(), "; copy its numbers out first"));
}

void check_options(const FunctionRow& row, const detail::ExpressionView& x, const ReduceCall& call) {
    refuse_option(!call.dtype.empty(), row.takes_dtype, ".dtype");
    refuse_option(call.initial && call.initial->number(), row.takes_initial, ".initial");
    refuse_option(call.ddof.has_value(), row.takes_ddof, ".ddof");
    if (call.ddof && !std::isfinite(*call.ddof))
        throw ArgumentError(text(".ddof is ", *call.ddof, "; give a finite number, such as 1"));
    check_numbers(x.dtype);
    if (!call.dtype.empty() && !codegen::is_number(call.dtype))
        throw ArgumentError(text("the result of elements of ", x.dtype.name(), " cannot be of ", call.dtype.name(),
                                 ", expected a number type"));
    if (row.has_order && x.dtype.kind() == DType::Kind::complex)
        throw ArgumentError("complex numbers have no order: take real(), imag() or abs()");
}

DType result_of(const FunctionRow& row, const detail::ExpressionView& x, const ReduceCall& call) {
    const DType result = call.dtype.empty() ? detail::reduced_type(row.function, x.dtype)
                                            : detail::reduced_type_in(row.function, call.dtype);
    if (!call.result.empty() && !(result == call.result))
        throw ArgumentError(text("with .dtype = ", call.dtype.name(), " the result is of ", result.name(),
                                 ", but its type in C++ is ", call.result.name(), "; write ", row.name, "<T>(x, ...)"));
    return result;
}

void check_out(const Prepared& call, const Shape& shape) {
    const AnyArray& out = *call.out;
    const Shape expected = shape_without(shape, call.call.axis, call.call.keepdims);
    if (!(out.shape() == expected))
        throw ArgumentError(text(".out has the shape ", to_string(out.shape()), ", the result ", to_string(expected),
                                 "; give an array of that shape"));
    if (!call.call.result.empty() && !(out.dtype() == call.result))
        throw ArgumentError(text(".out is an array of ", out.dtype().name(), ", the result is of ", call.result.name(),
                                 "; give an array of that type, or write ", call.row.name, "<T>(x, ...)"));
    if (!codegen::is_same_kind(call.result, out.dtype()))
        throw ArgumentError(text(".out is an array of ", out.dtype().name(), ", which does not take a result of ",
                                 call.result.name(), "; give an array of that kind"));
}

Prepared prepare(const FunctionRow& row, const detail::ExpressionView& x, const ReduceCall& call) {
    check_options(row, x, call);
    Prepared prepared{.row = row, .call = call, .elements = DerivedExpression(x), .result = result_of(row, x, call)};
    if (!call.dtype.empty()) prepared.elements.cast(call.dtype);
    if (call.out && !call.out->empty()) prepared.out = call.out;
    const bool has_initial = call.initial && call.initial->number();
    if (row.takes_one_axis_of_none && !(row.has_order && !has_initial) && !prepared.out) return prepared;
    const Shape shape = shape_of(x);
    prepared.count = count_over(shape, call.axis);
    if (call.axis.axes() && !(row.takes_one_axis_of_none && is_single_value(shape, call.axis)))
        check_axes(shape, *call.axis.axes());
    if (row.has_order && !has_initial && prepared.count == 0)
        throw ArgumentError(text("expected at least one element, got shape ", to_string(shape)));
    if (prepared.out) check_out(prepared, shape);
    return prepared;
}

/// Each kind of reduction, with an initial number if there is one.
AnyArray found(Prepared& call, const std::optional<AnyNumber>& first) {
    const bool is_argument = call.row.kind == ReductionKind::argmin || call.row.kind == ReductionKind::argmax;
    if (is_argument && are_few_columns(call.elements.view(), call.call.axis, call.count))
        return in_rows({.function = call.row.function, .count = call.count, .result = call.result},
                       call.elements.view(), {call.call.axis, call.call.keepdims, call.out});
    if (call.row.function == Reducing::count_nonzero) call.elements.then(Step::not_equal, AnyNumber(std::int64_t{0}));
    const AnyArray found =
        launch(call.row.kind, call.elements.view(), call.result, {call.call.axis, call.call.keepdims, call.out});
    if (!first) return store(found, call.out);
    const Step combine = call.row.kind == ReductionKind::sum       ? Step::add
                         : call.row.kind == ReductionKind::product ? Step::multiply
                         : call.row.kind == ReductionKind::minimum ? Step::minimum
                                                                   : Step::maximum;
    DerivedExpression value(detail::view_of(found));
    value.then(combine, *first);
    return store(value, call.out ? call.out : &found);
}

AnyArray variance(Prepared& call) {
    const Target target{call.call.axis, call.call.keepdims, call.out};
    return variance_of(call.elements, target, call.count,
                       {call.call.ddof.value_or(0), call.row.function == Reducing::stddev, call.result});
}

AnyArray norm_of(Prepared& call) {
    DerivedExpression& terms = call.elements;
    const Target target{call.call.axis, call.call.keepdims, call.out};
    if (are_few_for_rows(terms.view(), target.axis, call.count))
        return in_rows({.function = Reducing::norm, .count = call.count, .result = call.result}, terms.view(), target);
    if (terms.dtype().is_16_bit_float()) terms.cast(dtype_of<float>());
    if (codegen::is_bool_or_integer(terms.dtype())) terms.cast(dtype_of<double>());
    terms.then(Step::abs).then(Step::square);
    return store(launch_from_sum({.root = true, .result = call.result}, terms.view(), terms.dtype(), target), call.out);
}

AnyArray run(Prepared& call, const std::optional<AnyNumber>& first) {
    switch (call.row.function) {
        case Reducing::mean:
            return mean_of(call.elements.view(), {call.call.axis, call.call.keepdims, call.out}, call.count,
                           call.result);
        case Reducing::var:
        case Reducing::stddev: return variance(call);
        case Reducing::norm: return norm_of(call);
        default: return found(call, first);
    }
}

}  // namespace

AnyArray reduce(ReductionKind kind, const detail::ExpressionView& expression, DType result, const ReductionAxes& over,
                bool keepdims, const char* who) {
    return with_error_prefix(who, [&] { return launch(kind, expression, result, {over, keepdims}); });
}

AnyArray detail::reduce(const detail::ExpressionView& x, const ReduceCall& call) {
    const FunctionRow& row = functions[static_cast<std::size_t>(call.function)];
    Prepared prepared = with_error_prefix(row.name, [&] { return prepare(row, x, call); });
    std::optional<AnyNumber> first;
    if (call.initial && call.initial->number()) {
        const auto element = detail::element_bytes(row.name, prepared.result, *call.initial->number());
        first = number_at(row.name, prepared.result, element.data());
    }
    return with_error_prefix(row.name, [&] { return run(prepared, first); });
}

AnyArray detail::inner(const AnyArray& a, const AnyArray& b) {
    return with_error_prefix("inner", [&] {
        check_numbers(a.dtype());
        check_numbers(b.dtype());
        DerivedExpression product(view_of(a));
        if (a.rank() == 0 || b.rank() == 0) return evaluate(product.then(Step::multiply, b).view());
        if (a.shape().back() != b.shape().back())
            throw ArgumentError(text("operands of the shapes ", to_string(a.shape()), " and ", to_string(b.shape()),
                                     " differ in their last extents"));
        std::vector<Index> spread(a.rank() - 1, Index(slice()));
        spread.resize(a.rank() - 1 + b.rank() - 1, Index(newaxis));
        const AnyArray turned = a.view(spread);
        const DType result = codegen::promote(a.dtype(), b.dtype());
        DerivedExpression terms(view_of(turned));
        terms.then(Step::multiply, b).cast(result);
        return launch(ReductionKind::sum, terms.view(), result, {-1, false});
    });
}

AnyArray detail::array_of(const AnyExpr& expression) {
    const detail::ExpressionNode& node = expression.node();
    return node.structure->kind == ExpressionStructure::Kind::array ? node.array : expression.eval();
}

}  // namespace gemel
