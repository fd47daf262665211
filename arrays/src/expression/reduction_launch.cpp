#include "expression/reduction_launch.hpp"

#include "array/layout.hpp"
#include "array/require.hpp"
#include "expression/expression_kernel.hpp"
#include "expression/reduction_texts.hpp"

#include <gemel/arrays/reduction_kernel.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>
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

/// One launch of the kernel that `make` creates for the expression. @param words  identify such kernels
template <class Make>
void launch_into(std::array<std::uint64_t, 2> words, const detail::ExpressionView& whole, const Target& target,
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
    key.add(words[0] | (compares_in_32_bits(operands) ? std::uint64_t{1} << 32 : 0));
    key.add(words[1]);
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

/// The same with one result, into the destination if it has the result's type and is contiguous.
template <class Make>
AnyArray launch_one(std::array<std::uint64_t, 2> words, const detail::ExpressionView& whole, DType result,
                    const Target& target, const Make& make) {
    const bool is_direct = target.out && target.out->dtype() == result && target.out->is_contiguous();
    AnyArray found;
    launch_into(words, whole, {target.axis, target.keepdims, is_direct ? target.out : nullptr}, {&found, 1}, make);
    return found;
}

std::uint64_t word_of(DType dtype) {
    return std::uint64_t{dtype.size_bytes()} | static_cast<std::uint64_t>(dtype.kind()) << 8;
}
std::array<std::uint64_t, 2> words_of(const FromSum& from, DType computed) {
    return {std::uint64_t{from.average} | std::uint64_t{from.root} << 1 | word_of(from.result) << 8 |
                word_of(computed) << 40,
            std::bit_cast<std::uint64_t>(from.ddof)};
}

}  // namespace

AnyArray launch(ReductionKind kind, const detail::ExpressionView& whole, DType result, const Target& target) {
    return launch_one({static_cast<std::uint64_t>(kind) | word_of(result) << 8, 0}, whole, result, target,
                      [&](const detail::ExpressionView& expression, const detail::ExpressionOperands& operands) {
                          return make_reduction(kind, expression, operands, result);
                      });
}

AnyArray launch_from_sum(const FromSum& from, const detail::ExpressionView& whole, DType computed,
                         const Target& target) {
    return launch_one(words_of(from, computed), whole, from.result, target,
                      [&](const detail::ExpressionView& expression, const detail::ExpressionOperands& operands) {
                          return make_from_sum(from, expression, operands, computed);
                      });
}

AnyArray launch_from_squared_distances(const FromSum& from, const detail::ExpressionView& whole, const Target& target) {
    return launch_one(words_of(from, {}), whole, from.result, target,
                      [&](const detail::ExpressionView& expression, const detail::ExpressionOperands& operands) {
                          return make_squared_distances(from, expression, operands);
                      });
}

std::array<AnyArray, 2> launch_moments(const detail::ExpressionView& whole, const Target& target) {
    std::array<AnyArray, 2> found;
    launch_into({0, 0}, whole, {target.axis, target.keepdims}, found, make_moments);
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
