/// The range of bytes that contains an array's elements.
#pragma once

#include "array/layout.hpp"

#include <gemel/arrays/any_array.hpp>

#include <cstddef>

namespace gemel {

struct ByteBounds {
    __int128 begin = 0, end = 0;
    friend bool overlap(const ByteBounds& a, const ByteBounds& b) { return a.begin < b.end && b.begin < a.end; }
};

/// @param first_byte  the position of the element at index (0, ..., 0)
inline ByteBounds byte_bounds(const AnyArray& array, std::size_t first_byte) {
    const auto [lowest, highest] = element_bounds(array.shape(), array.strides());
    const __int128 item = array.dtype().size_bytes(), first = static_cast<__int128>(first_byte);
    return {first + lowest * item, first + (highest + 1) * item};
}

/// Whether the array begins a whole number of elements from the beginning of its memory. Complex arrays may begin half
/// an element later.
inline bool begins_at_element(const AnyArray& array) {
    return (array.buffer().offset_bytes() + array.offset_bytes()) % array.dtype().size_bytes() == 0;
}

/// Whether the distance between two elements, in elements, may exceed 32 bits.
inline bool needs_64_bit_offsets(const AnyArray& array) {
    const auto [lowest, highest] = element_bounds(array.shape(), array.strides());
    return highest - lowest > INT32_MAX;
}

}  // namespace gemel
