#include "sort/sort_checks.hpp"

#include "array/byte_bounds.hpp"
#include "array/layout.hpp"
#include "array/require.hpp"

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>

namespace gemel::sorting {

void check_order(std::string_view who, DType dtype) {
    if (dtype.layout() || dtype.lanes() != 1)
        throw ArgumentError(text(who, ": elements of type ", dtype.name(),
                                 " have no order; SortKernel sorts them by a key or a comparison"));
}

void check_beside(std::string_view who, std::string_view what, const AnyArray& array, const AnyArray& keys) {
    require_context(who, what, array, keys.context(), "the keys");
    if (!(array.shape() == keys.shape()))
        throw ArgumentError(text(who, ": ", what, " has the shape ", to_string(array.shape()), ", the keys have ",
                                 to_string(keys.shape()), "; expected one value per key"));
}

namespace {

/// @param what  ".out", ".outs[1]"
void check_target(std::string_view who, std::string_view what, const AnyArray& out, const AnyArray& like, DType dtype) {
    if (!(out.shape() == like.shape()))
        throw ArgumentError(text(who, ": ", what, " has the shape ", to_string(out.shape()), ", the result ",
                                 to_string(like.shape()), "; give an array of that shape"));
    if (!(out.dtype() == dtype))
        throw ArgumentError(text(who, ": ", what, " has elements of ", out.dtype().name(), ", the result of ",
                                 dtype.name(), "; give an array of that type"));
    if (!(out.context() == like.context()))
        throw ArgumentError(
            text(who, ": ", what, " is of another context than the array; allocate it in that context"));
    if (out.repeats())
        throw ArgumentError(
            text(who, ": ", what, " repeats its elements and can only be read; copy() gives each its own"));
}

/// The bytes that an array takes from each period of `period` bytes, from its first element on, if axes whose strides
/// are multiples of the period are left out.
struct Window {
    std::int64_t begin, bytes;
    Window(const AnyArray& array, std::int64_t period)
        : begin(static_cast<std::int64_t>(array.buffer().offset_bytes() + array.offset_bytes())),
          bytes(static_cast<std::int64_t>(array.dtype().size_bytes())) {
        for (std::size_t axis = 0; axis < array.rank(); ++axis) {
            const std::int64_t stride = array.strides()[axis] * static_cast<std::int64_t>(array.dtype().size_bytes());
            const std::int64_t span = stride * (array.shape()[axis] - 1);
            if (stride % period == 0) continue;
            begin += std::min<std::int64_t>(span, 0);
            bytes += std::abs(span);
        }
    }
};

/// Whether two views of one memory may share an element. Interleaved ones and windows side by side do not.
bool may_share_elements(const AnyArray& one, const AnyArray& other) {
    if (!one.may_overlap(other)) return false;
    for (const AnyArray* array : {&one, &other})
        for (const std::int64_t stride : array->strides()) {
            const std::int64_t period = std::abs(stride) * static_cast<std::int64_t>(array->dtype().size_bytes());
            if (period == 0) continue;
            const Window a(one, period), b(other, period);
            const std::int64_t distance = ((b.begin - a.begin) % period + period) % period;
            if (distance >= a.bytes && distance + b.bytes <= period) return false;
        }
    return true;
}

}  // namespace

void check_out(std::string_view who, const SortOptions& options, const AnyArray& like, DType dtype) {
    if (!options.outs.empty())
        throw ArgumentError(text(who, ": .outs is for sort_by_key, which has several results; give .out"));
    if (!options.out.empty()) check_target(who, ".out", options.out, like, dtype);
}

void check_outs(std::string_view who, const SortOptions& options, const AnyArray& keys,
                std::span<const AnyArray> values) {
    if (!options.out.empty())
        throw ArgumentError(text(who, ": .out takes one array, but there are ", values.size() + 1,
                                 " results; give .outs, the keys' array first"));
    if (options.outs.empty()) return;
    if (options.outs.size() != values.size() + 1)
        throw ArgumentError(text(who, ": .outs has ", counted(options.outs.size(), "array"), ", expected ",
                                 values.size() + 1, ": one for the keys, then one for each array of values"));
    for (std::size_t k = 0; k < options.outs.size(); ++k) {
        const std::string what = text(".outs[", k, "]");
        require_array(who, what, options.outs[k]);
        const AnyArray& like = k == 0 ? keys : values[k - 1];
        check_target(who, what, options.outs[k], like, like.dtype());
        for (std::size_t other = 0; other < k; ++other)
            if (may_share_elements(options.outs[other], options.outs[k]))
                throw ArgumentError(text(who, ": ", what, " shares memory with .outs[", other,
                                         "]; each result needs memory of its own"));
    }
}

SortAxis sort_axis(std::string_view who, const AnyArray& array, int axis) {
    const std::size_t along = checked_axis(axis, array.rank(), who);
    SortAxis result;
    result.is_last = along + 1 == array.rank();
    result.row_length = array.shape()[along];
    for (std::size_t k = 0; k < array.rank(); ++k) {
        if (k == along) continue;
        result.to_end.push_back(static_cast<std::int64_t>(k));
        result.rows *= array.shape()[k];
    }
    result.to_end.push_back(static_cast<std::int64_t>(along));
    for (std::size_t k = 0; k < array.rank(); ++k)
        result.back.push_back(static_cast<std::int64_t>(k < along ? k : k == along ? array.rank() - 1 : k - 1));
    return result;
}

bool is_aligned(const AnyArray& array) {
    const Context context = array.context();
    const Device device = context.device();
    // Numbers are read 16 bytes at a time, others by words; where kernels are handed sub-buffers, what these begin at.
    const std::size_t bytes = array.dtype().size_bytes();
    std::size_t alignment = 16 % bytes == 0 ? 16 : std::size_t{1} << std::countr_zero(bytes | 8u);
    if (!context.addresses_are_linear()) alignment = std::max(alignment, device.info().base_alignment_bytes);
    return begin_address(array) % alignment == 0;
}

AnyArray in_rows(const AnyArray& array, const SortAxis& axis) {
    const AnyArray rows = axis.is_last ? array : array.permute(axis.to_end);
    return rows.is_contiguous() && is_aligned(rows) ? rows : rows.copy(Order::C);
}

AnyArray new_rows(const AnyArray& like, const SortAxis& axis, DType dtype) {
    Shape shape;
    for (const std::int64_t from : axis.to_end) shape.push_back(like.shape()[static_cast<std::size_t>(from)]);
    return AnyArray(like.context(), dtype, shape);
}

AnyArray from_rows(const AnyArray& rows, const SortAxis& axis, const AnyArray& out) {
    const AnyArray result = axis.is_last ? rows : rows.permute(axis.back);
    if (out.empty()) return axis.is_last ? result : result.copy(Order::C);
    out.assign(result);
    return out;
}

void gather(const AnyArray& rows, const AnyArray& indices, const AnyArray& to) {
    static const auto& kernel =
        *new ElementwiseKernel("const T *x, const int64_t *indices, T *result, int64_t length",
                               "result[i] = x[(int64_t)i / length * length + indices[i]]", "gather_rows");
    if (to.size() > 0) kernel(rows, indices, to, rows.shape()[rows.rank() - 1]);
}

}  // namespace gemel::sorting
