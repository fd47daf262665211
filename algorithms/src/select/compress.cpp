#include <gemel/algorithms/compress.hpp>
#include <gemel/core/text.hpp>

#include "array/layout.hpp"
#include "expression/derived_expression.hpp"
#include "expression/expression_kernel.hpp"
#include "rearrange/mask_kernels.hpp"
#include "rearrange/moving.hpp"
#include "rearrange/take_axes.hpp"
#include "select/kernels.hpp"
#include "select/selecting.hpp"

#include <array>
#include <memory>

namespace gemel {
namespace {

using namespace selecting;

/// An expression with its operands broadcast to one shape.
struct Elements {
    Elements(const char* who, const detail::ExpressionView& whole)
        : collected(with_error_prefix(who, [&] { return std::make_unique<CollectedExpression>(whole); })) {
        if (collected->operands.array_count == 0)
            throw ArgumentError(
                text(who, ": the expression has no array operand; at least one operand must be an array"));
        with_error_prefix(who, [&] { broadcast.broadcast(collected->operands); });
    }
    const AnyArray& first() const { return *collected->operands.arrays[0]; }
    const Shape& shape() const { return broadcast.shape(); }

    const std::unique_ptr<CollectedExpression> collected;
    BroadcastOperands broadcast;
};

/// The indices of the elements where the mask is true.
AnyArray indices(const Elements& mask) {
    static auto& kernels = *new Kernels<Scan>;
    const detail::ExpressionOperands& operands = mask.collected->operands;
    const std::size_t size = mask.shape().count();
    const bool wide = size > std::size_t{INT32_MAX};
    CallKey key = expression_key(mask.collected->view, operands);
    key.add(wide);
    const auto scan = kernels.find(key, [&] {
        ExpressionParts parts = expression_parts(mask.collected->view, operands);
        return indices_scan(wide, std::move(parts.arguments), parts.value, std::move(parts.preamble));
    });
    const AnyArray found = room_for(mask.first(), dtype_of<std::int64_t>(), size);
    if (size == 0) return found;
    const GPUArray<std::int64_t> count(mask.first().context(), Shape{});
    CallArguments arguments;
    for (std::size_t k = 0; k < operands.array_count; ++k) arguments.add(CallArgument(*operands.arrays[k]));
    for (std::size_t k = 0; k < operands.number_count; ++k) arguments.add(weak(operands.numbers[k]));
    arguments.add(CallArgument(found));
    arguments.add(CallArgument(count));
    scan->run({}, arguments.span());
    return AnySelection{found, count}.array();
}

/// Converts flat indices to one index per axis.
void unravel(const AnyArray& flat, std::span<const std::int64_t> extents, std::span<const AnyArray> found, bool wide) {
    const std::size_t rank = extents.size(), half = rank / 2;
    if (2 * rank > max_call_arguments) {
        // More axes than a kernel has arguments for: divide the index into two, one for each half of the axes.
        std::vector<AnyArray> halves;
        std::array<std::int64_t, 2> counts{};
        for (std::size_t k = 0; k < 2; ++k) {
            halves.emplace_back(flat.context(), flat.dtype(), flat.shape());
            counts[k] = static_cast<std::int64_t>(Shape(k ? extents.subspan(half) : extents.first(half)).count());
        }
        unravel(flat, counts, halves, wide);
        unravel(halves[0], extents.first(half), found.first(half), wide);
        return unravel(halves[1], extents.subspan(half), found.subspan(half), wide);
    }
    std::vector<CallArgument> arguments{CallArgument(flat)};
    for (std::size_t axis = 1; axis < rank; ++axis) arguments.emplace_back(as_argument(extents[axis]));
    for (const AnyArray& axis : found) arguments.emplace_back(axis);
    unravel_kernel(rank, wide).run({}, arguments);
}

void require_mask(const Elements& mask, const AnyArray& x) {
    require_context("compress", "the mask", mask.first(), x);
    if (mask.collected->view.dtype.kind() != DType::Kind::boolean)
        throw ArgumentError(text("compress: the mask has elements of ", mask.collected->view.dtype.name(),
                                 ", expected bool; `mask != 0` is such a mask"));
}

/// The flat indices of the nonzero elements, and the shape that they refer to.
AnyArray flat_indices(const char* who, const detail::ExpressionView& x, Shape& shape) {
    if (x.dtype.empty()) throw ArgumentError(text(who, ": the array is an empty handle; assign an array to it first"));
    if (!codegen::is_number(x.dtype))
        throw ArgumentError(text(who, ": elements of ", x.dtype.name(), ", expected numbers"));
    DerivedExpression truth(x);
    if (x.dtype.kind() != DType::Kind::boolean) truth.cast(dtype_of<bool>());
    const Elements elements(who, truth.view());
    shape = elements.shape();
    return indices(elements);
}

}  // namespace

Scan selecting::indices_scan(bool wide, std::vector<Parameter> arguments, const std::string& holds,
                             std::string preamble) {
    for (Parameter& p : parse_declarations("int64_t *selected_out, int64_t *selected_count"))
        arguments.push_back(std::move(p));
    return Scan(std::move(arguments), number_type(wide),
                {.input_expr = text("(", holds, ") != 0"),
                 .counts = true,
                 .scan_expr = "a + b",
                 .neutral = "0",
                 .output_statement = "if (item != prev_item) selected_out[item - 1] = i;\n"
                                     "if (i == n - 1) selected_count[0] = item",
                 .name = "indices",
                 .preamble = std::move(preamble)});
}

AnyArray detail::compress(const AnyArray& x, const detail::ExpressionView& view) {
    require_array("compress", "the array", x);
    const Elements mask("compress", view);
    require_mask(mask, x);
    const Shape& shape = mask.shape();
    bool fits = shape.rank() <= x.rank();
    for (std::size_t axis = 0; fits && axis < shape.rank(); ++axis) fits = shape[axis] == x.shape()[axis];
    if (!fits)
        throw ArgumentError(text("compress: the mask has shape ", to_string(shape), ", the array ",
                                 to_string(x.shape()), "; a mask has the shape of the array or of its first axes"));
    if (shape.rank() < x.rank()) return take_axes("compress", x, 0, shape.rank(), indices(mask), OutOfBounds::wrap);
    return select(true, x, view, {}).array();
}

AnyArray detail::compress(const AnyArray& x, const detail::ExpressionView& view, Integer axis) {
    require_array("compress", "the array", x);
    const Elements mask("compress", view);
    require_mask(mask, x);
    const Shape& shape = mask.shape();
    const std::size_t along = checked_axis(axis, x.rank(), "compress");
    if (shape.rank() != 1 || shape[0] > x.shape()[along])
        throw ArgumentError(text("compress: a mask of shape ", to_string(shape), " along axis ", along,
                                 " of an array of shape ", to_string(x.shape()),
                                 "; expected one axis, at most as long"));
    return take_axes("compress", x, along, 1, indices(mask), OutOfBounds::wrap);
}

AnyArray detail::flatnonzero(const detail::ExpressionView& x) {
    Shape shape;
    return flat_indices("flatnonzero", x, shape);
}

std::vector<AnyArray> detail::nonzero(const detail::ExpressionView& x) {
    Shape shape;
    const AnyArray flat = flat_indices("nonzero", x, shape);
    if (shape.rank() == 0)
        throw ArgumentError("nonzero: expected at least one axis, got an array of rank 0; item() reads its value");
    std::vector<AnyArray> found{flat};
    if (shape.rank() == 1) return found;
    found.clear();
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
        found.emplace_back(flat.context(), flat.dtype(), flat.shape());
    if (flat.size() == 0) return found;
    unravel(flat, shape.span(), found, shape.count() > std::size_t{INT32_MAX});
    return found;
}

}  // namespace gemel
