#include <gemel/arrays/reductions.hpp>

#include "expression/expression_kernel.hpp"

#include <gemel/arrays/reduction_kernel.hpp>
#include <gemel/codegen/struct_declaration.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <limits>

namespace gemel {
namespace {

/// A value and where it stands.
DType place_type(DType value) {
    const DType index = dtype_of<std::int64_t>();
    const std::size_t offset = std::max<std::size_t>(value.size_bytes(), 8);
    StructLayout layout{
        .name = "gemel_place_of_" + value.name(), .size_bytes = offset + 8, .alignment_bytes = 8, .fields = {}};
    layout.fields.push_back({.name = "value", .dtype = value, .offset_bytes = 0});
    layout.fields.push_back({.name = "index", .dtype = index, .offset_bytes = offset});
    return DType(&codegen::intern_layout(std::move(layout)), static_cast<std::uint32_t>(offset + 8));
}

/// The greatest (least) value of a real type, in C.
std::string extreme(DType dtype, bool greatest) {
    if (dtype.is_floating()) return greatest ? "INFINITY" : "-INFINITY";
    if (dtype.kind() == DType::Kind::boolean) return greatest ? "1" : "0";
    const int bits = static_cast<int>(dtype.size_bytes()) * 8;
    if (dtype.kind() == DType::Kind::unsigned_integer) return greatest ? text("(", dtype.name(), ")(-1)") : "0";
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
    return greatest ? text("(", dtype.name(), ")", most) : text("((", dtype.name(), ")(-", most, ") - 1)");
}

/// As NumPy, a single value has the axes 0 and -1 for functions that ask for one.
bool is_single_value(const Shape& shape, const ReducedOver& over) {
    return shape.empty() && over.is_one() && (over.axes()->front() == 0 || over.axes()->front() == -1);
}

void check_axes(const Shape& shape, const std::vector<int>& axes) {
    const auto rank = static_cast<int>(shape.rank());
    const auto number = [&](int axis) { return axis < 0 ? axis + rank : axis; };
    for (std::size_t k = 0; k < axes.size(); ++k) {
        if (axes[k] < -rank || axes[k] >= rank)
            throw ArgumentError(text("axis ", axes[k], " is out of range for shape ", to_string(shape), ", which has ",
                                     rank, rank == 1 ? " axis" : " axes"));
        for (std::size_t before = 0; before < k; ++before)
            if (number(axes[before]) == number(axes[k])) throw ArgumentError(text("axis ", axes[k], " is given twice"));
    }
}

Reduction make_reduction(ReductionKind kind, const ExpressionView& expression, const ExpressionOperands& operands,
                         DType result) {
    ExpressionParts parts = expression_parts(expression, operands);
    const DType own = expression.dtype;
    const bool is_complex = result.kind() == DType::Kind::complex;
    ReductionResult value;
    value.map_expr = parts.value;
    const std::string type = codegen::value_type(result);
    const auto constant = [&](const char* number) {
        return is_complex ? text(type, "_new(", number, ", 0)") : std::string(number);
    };
    switch (kind) {
        case ReductionKind::sum:
        case ReductionKind::product: {
            const bool is_sum = kind == ReductionKind::sum;
            value.neutral = constant(is_sum ? "0" : "1");
            value.reduce_expr = combined(result, is_sum);
            if (is_complex && !(own == result))
                throw ArgumentError("a sum of complex numbers in another type than theirs");
            if (!is_complex) value.map_expr = text("(", type, ")", parts.value);
            break;
        }
        case ReductionKind::minimum:
            value.neutral = extreme(result, true);
            value.reduce_expr = result.is_floating() ? "a < b || a != a ? a : b" : "a < b ? a : b";
            break;
        case ReductionKind::maximum:
            value.neutral = extreme(result, false);
            value.reduce_expr = result.is_floating() ? "a > b || a != a ? a : b" : "a > b ? a : b";
            break;
        case ReductionKind::any:
        case ReductionKind::all: {
            const bool is_any = kind == ReductionKind::any;
            value.neutral = is_any ? "0" : "1";
            value.reduce_expr = is_any ? "a || b" : "a && b";
            value.map_expr = own.kind() == DType::Kind::complex
                                 ? text("c_real(", parts.value, ") != 0 || c_imag(", parts.value, ") != 0")
                                 : text(parts.value, " != 0");
            break;
        }
        case ReductionKind::argmin:
        case ReductionKind::argmax: {
            const bool is_max = kind == ReductionKind::argmax;
            const std::string value_type = codegen::value_type(own);
            // 16-bit floats are compared as the floats that they are.
            const DType compared = own.is_floating() && own.size_bytes() == 2 ? dtype_of<float>()
                                   : own.kind() == DType::Kind::boolean       ? dtype_of<std::uint8_t>()
                                                                              : own;
            value.accumulator = place_type(compared);
            value.result_expr = "a.index";
            const std::string place = value.accumulator.name();
            parts.preamble +=
                text("WITHIN_KERNEL ", place, " place(", compared.name(), " value, int64_t index)\n{\n    ", place,
                     " p;\n    p.value = value;\n    p.index = index;\n    return p;\n}\n");
            parts.preamble += text("WITHIN_KERNEL ", place, " better(", place, " a, ", place, " b)\n{\n",
                                   "    // NaN beats everything, and of equals the first wins.\n",
                                   compared.is_floating()
                                       ? "    int a_is_nan = a.value != a.value, b_is_nan = b.value != b.value;\n"
                                         "    if (a_is_nan != b_is_nan) return a_is_nan ? a : b;\n"
                                         "    if (a_is_nan || a.value == b.value) return a.index < b.index ? a : b;\n"
                                       : "    if (a.value == b.value) return a.index < b.index ? a : b;\n",
                                   "    return a.value ", is_max ? ">" : "<", " b.value ? a : b;\n}\n");
            // Where nothing beats it all elements are equal to it, and the first of them is at 0.
            value.neutral = text("place(", extreme(compared, !is_max), ", 0)");
            value.map_expr = text("place(", parts.value, ", reduced_index)");
            value.reduce_expr = "better(a, b)";
            value.replace_if = compared.is_floating()
                                   ? text("!(b.value ", is_max ? "<=" : ">=", " a.value) && a.value == a.value")
                                   : text("b.value ", is_max ? ">" : "<", " a.value");
            break;
        }
    }
    return Reduction(std::move(parts.arguments), {value}, {result}, "reduction", std::move(parts.preamble), {});
}

AnyArray reduce_named(ReductionKind kind, const ExpressionView& whole, DType result, const ReducedOver& over,
                      bool keepdims) {
    static auto& kernels = *new Kernels<Reduction>;
    CollectedExpression collected(whole);
    const ExpressionView& expression = collected.view;
    ExpressionOperands& operands = collected.operands;
    CallKey key = expression_key(expression, operands);
    key.add(static_cast<std::uint64_t>(kind) | std::uint64_t{result.size_bytes()} << 8 |
            static_cast<std::uint64_t>(result.kind()) << 16);
    if (operands.array_count == 0) throw ArgumentError("an expression of numbers alone has no array to be reduced");
    BroadcastOperands broadcast;
    broadcast.broadcast(operands);
    static const std::optional<std::vector<int>> all;
    const auto& axes = is_single_value(broadcast.shape(), over) ? all : over.axes();
    if (axes) check_axes(broadcast.shape(), *axes);
    const auto reduction = kernels.find(key, [&] { return make_reduction(kind, expression, operands, result); });
    CallArguments arguments;
    for (std::size_t k = 0; k < operands.array_count; ++k) arguments.add(CallArgument(*operands.arrays[k]));
    for (std::size_t k = 0; k < operands.number_count; ++k) arguments.add(weak(operands.numbers[k]));
    AnyArray found;
    reduction->run({.axes = axes, .keepdims = keepdims}, arguments.span(), {&found, 1});
    return found;
}

}  // namespace

const char* name_of(ReductionKind kind) {
    static constexpr const char* names[] = {"sum", "prod", "min", "max", "any", "all", "argmin", "argmax"};
    return names[static_cast<std::size_t>(kind)];
}

AnyArray reduce(ReductionKind kind, const ExpressionView& whole, DType result, const ReducedOver& over, bool keepdims,
                const char* who) {
    return naming(who ? who : name_of(kind), [&] { return reduce_named(kind, whole, result, over, keepdims); });
}

std::pair<AnyArray, AnyArray> inner_operands(const AnyArray& a, const AnyArray& b) {
    if (a.shape().back() != b.shape().back())
        throw ArgumentError(text("inner: operands of the shapes ", to_string(a.shape()), " and ", to_string(b.shape()),
                                 " differ in their last extents"));
    std::vector<Index> spread(a.rank() - 1, Index(slice()));
    spread.resize(a.rank() - 1 + b.rank() - 1, Index(newaxis));
    return {a.view(spread), b};
}

Shape shape_of(const ExpressionView& expression) {
    ExpressionOperands operands;
    expression.collect(expression.expression, operands);
    if (operands.exceeds) return expression.any(expression.expression).shape();
    if (operands.array_count == 0) return {};
    BroadcastOperands broadcast;
    broadcast.broadcast(operands);
    return broadcast.shape();
}

namespace {

std::size_t count_over(const Shape& shape, const ReducedOver& over) {
    if (!over.axes()) return shape.count();
    std::size_t count = 1;
    const auto rank = static_cast<int>(shape.rank());
    for (const int axis : *over.axes()) {
        const int at = axis < 0 ? axis + rank : axis;
        if (at >= 0 && at < rank) count *= static_cast<std::size_t>(shape[static_cast<std::size_t>(at)]);
    }
    return count;
}

}  // namespace

std::size_t reduced_count(const char* who, const ExpressionView& expression, const ReducedOver& over) {
    const Shape shape = naming(who, [&] { return shape_of(expression); });
    const std::size_t count = count_over(shape, over);
    if (count == 0)
        throw ArgumentError(text(who, ": there are no elements to choose from in shape ", to_string(shape)));
    return count;
}

std::size_t averaged_count(const char* who, const ExpressionView& expression, const ReducedOver& over) {
    return naming(who, [&] {
        const Shape shape = shape_of(expression);
        if (over.axes()) check_axes(shape, *over.axes());
        return count_over(shape, over);
    });
}

}  // namespace gemel
