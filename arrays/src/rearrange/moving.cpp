#include "rearrange/moving.hpp"

#include "array/byte_bounds.hpp"
#include "array/merge_axes.hpp"

#include <gemel/core/text.hpp>

#include <boost/container/small_vector.hpp>

#include <cstdlib>
#include <cstring>
#include <numeric>

namespace gemel {

void require_writable(std::string_view who, const AnyArray& array) {
    require_array(who, "the array", array);
    if (array.repeats())
        throw ArgumentError(text(who, ": an array of shape ", to_string(array.shape()), " and strides ",
                                 to_string(array.strides()),
                                 " repeats its elements and can only be read; copy() gives each its own"));
}

void require_dtype(std::string_view who, std::string_view what, const AnyArray& array, DType dtype) {
    if (!(array.dtype() == dtype))
        throw ArgumentError(text(who, ": ", what, " has elements of ", array.dtype().name(), ", expected ",
                                 dtype.name(), "; astype() converts"));
}

AnyArray converted_values(std::string_view who, std::string_view what, const AnyArray& values, DType dtype) {
    if (values.dtype() == dtype) return values;
    if (!codegen::is_same_kind(values.dtype(), dtype))
        throw ArgumentError(text(who, ": ", what, " has elements of ", values.dtype().name(),
                                 ", a different kind than ", dtype.name(), "; astype() converts"));
    return values.astype(dtype);
}

std::int64_t added_extents(std::string_view who, std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum))
        throw ArgumentError(text(who, ": ", a, " and ", b, " elements along an axis are more than 64 bits can count"));
    return sum;
}

std::int64_t multiplied_extents(std::string_view who, std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product))
        throw ArgumentError(text(who, ": ", a, " times ", b, " elements are more than 64 bits can count"));
    return product;
}

DType moved_type(DType dtype) {
    const bool is_word = !dtype.layout() && dtype.lanes() == 1 && dtype.kind() != DType::Kind::complex;
    return is_word ? DType(DType::Kind::unsigned_integer, dtype.size_bytes()) : dtype;
}

AnyArray as_moved(const AnyArray& array) {
    return AnyArray(array.buffer(), moved_type(array.dtype()), array.shape(), array.strides(), array.offset_bytes());
}

Argument moved_value(DType dtype, const void* element) {
    Argument argument;
    argument.dtype = moved_type(dtype);
    argument.data = element;
    argument.bytes = dtype.size_bytes();
    if (argument.dtype == dtype && !dtype.is_integer()) {
        argument.kind = Argument::Kind::structure;
    } else {
        std::memcpy(argument.value, element, dtype.size_bytes());
    }
    return argument;
}

AnyArray first_element(const AnyArray& array) { return relaid(array, Shape{1}, Strides{1}); }

AnyArray whole_run(const AnyArray& array) { return relaid(array, Shape{array.size()}, Strides{1}); }

AnyArray relaid(const AnyArray& array, const Shape& shape, const Strides& strides) {
    return AnyArray(array.buffer(), array.dtype(), shape, strides, array.offset_bytes());
}

bool is_far(const AnyArray& array) {
    return needs_64_bit_offsets(array) || array.size() > static_cast<std::size_t>(max_in_32_bits);
}

CountedAxes counted_axes(const AnyArray& array, std::size_t first, std::size_t count) {
    boost::container::small_vector<std::size_t, 8> order(count);
    std::iota(order.begin(), order.end(), first);
    const Strides& strides = array.strides();
    CountedAxes axes;
    for (const MergedAxis& axis :
         merge_axes(array.shape(), order, [&](std::size_t slow, std::size_t fast, std::int64_t extent) {
             return strides[slow] == strides[fast] * extent;
         })) {
        axes.extents.push_back(axis.extent);
        axes.steps.push_back(strides[axis.axis]);
    }
    return axes;
}

AnyArray without_gaps(const AnyArray& array) { return array.is_contiguous() ? array : array.copy(Order::C); }

AnyArray apart_from(const AnyArray& written, const AnyArray& array) {
    return written.may_overlap(array) ? array.copy() : array;
}

}  // namespace gemel
