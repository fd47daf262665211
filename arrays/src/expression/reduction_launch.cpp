#include "expression/reduction_launch.hpp"

#include "array/layout.hpp"
#include "array/require.hpp"
#include "expression/expression_kernel.hpp"
#include "expression/reduction_texts.hpp"

#include <gemel/arrays/reduction_kernel.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <span>

namespace gemel {

bool is_single_value(const Shape& shape, const ReductionAxes& over) {
    return shape.empty() && over.is_one() && (over.axes()->front() == 0 || over.axes()->front() == -1);
}

void check_axes(const Shape& shape, const std::vector<int>& axes, std::string_view who) {
    std::vector<bool> seen(shape.rank());
    for (const int given : axes) {
        const std::size_t axis = checked_axis(given, shape.rank(), who);
        if (seen[axis]) refuse_repeated_axis(who, given);
        seen[axis] = true;
    }
}

namespace {

bool is_apart(const AnyArray& out, const detail::ExpressionOperands& operands) {
    return std::none_of(operands.arrays.begin(),
                        operands.arrays.begin() + static_cast<std::ptrdiff_t>(operands.array_count),
                        [&](const AnyArray* array) { return out.may_overlap(*array); });
}

/// One launch of the kernel that `make` creates for the expression. @param kind  identifies such kernels
template <class Make>
void launch_into(std::uint64_t kind, const detail::ExpressionView& whole, const Target& target,
                 std::span<AnyArray> found, const Make& make) {
    static auto& kernels = *new Kernels<Reduction>;
    CollectedExpression collected(whole);
    const detail::ExpressionView& expression = collected.view;
    detail::ExpressionOperands& operands = collected.operands;
    CallKey key = expression_key(expression, operands);
    if (operands.array_count == 0)
        throw ArgumentError("an expression has no array operand; expected at least one array");
    BroadcastOperands broadcast;
    broadcast.broadcast(operands);
    key.add(kind | (compares_in_32_bits(operands) ? std::uint64_t{1} << 32 : 0));
    static const std::optional<std::vector<int>> all;
    const auto& axes = is_single_value(broadcast.shape(), target.axis) ? all : target.axis.axes();
    if (axes) check_axes(broadcast.shape(), *axes);
    const AnyArray* out = target.out && is_apart(*target.out, operands) ? target.out : nullptr;
    const auto reduction = kernels.find(key, [&] { return make(expression, operands); });
    CallArguments arguments;
    for (std::size_t k = 0; k < operands.array_count; ++k) arguments.add(CallArgument(*operands.arrays[k]));
    for (std::size_t k = 0; k < operands.number_count; ++k) arguments.add(weak(operands.numbers[k]));
    reduction->run({.axes = axes, .keepdims = target.keepdims, .out = out}, arguments.span(), found);
}

}  // namespace

AnyArray launch(ReductionKind kind, const detail::ExpressionView& whole, DType result, const Target& target) {
    const std::uint64_t word = static_cast<std::uint64_t>(kind) | std::uint64_t{result.size_bytes()} << 8 |
                               static_cast<std::uint64_t>(result.kind()) << 16;
    const bool is_direct = target.out && target.out->dtype() == result && target.out->is_contiguous();
    AnyArray found;
    launch_into(word, whole, {target.axis, target.keepdims, is_direct ? target.out : nullptr}, {&found, 1},
                [&](const detail::ExpressionView& expression, const detail::ExpressionOperands& operands) {
                    return make_reduction(kind, expression, operands, result);
                });
    return found;
}

std::array<AnyArray, 2> launch_moments(const detail::ExpressionView& whole, const Target& target) {
    std::array<AnyArray, 2> found;
    launch_into(0xFF, whole, {target.axis, target.keepdims}, found, make_moments);
    return found;
}

AnyArray launch_squared_distances(const detail::ExpressionView& whole, const Target& target) {
    AnyArray found;
    launch_into(0xFE, whole, {target.axis, target.keepdims}, {&found, 1}, make_squared_distances);
    return found;
}

AnyArray store(DerivedExpression& value, const AnyArray* out) {
    if (!out) return evaluate(value.view());
    if (!(value.dtype() == out->dtype())) value.cast(out->dtype());
    return evaluate(value.view(), out);
}
AnyArray store(const AnyArray& found, const AnyArray* out) {
    if (!out ||
        (found.buffer().block() == out->buffer().block() && found.dtype() == out->dtype() &&
         found.offset_bytes() == out->offset_bytes() && found.buffer().offset_bytes() == out->buffer().offset_bytes()))
        return out ? *out : found;
    DerivedExpression value(detail::view_of(found));
    return store(value, out);
}

}  // namespace gemel
