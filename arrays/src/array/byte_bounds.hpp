/// Where an array's elements begin, and the range of bytes that contains them.
#pragma once

#include "array/layout.hpp"

#include <gemel/arrays/any_array.hpp>

#include <cstddef>
#include <cstdint>

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

/// The number of elements from the beginning of the array's memory to its first one. @pre begins_at_element()
inline std::int64_t begin_of(const AnyArray& array) {
    return static_cast<std::int64_t>((array.buffer().offset_bytes() + array.offset_bytes()) /
                                     array.dtype().size_bytes());
}
/// The first element's address as far as its alignment is concerned: where handles are not addresses, its position in
/// memory that the driver has aligned.
inline std::uint64_t begin_address(const AnyArray& array) {
    const std::uint64_t memory = array.context().addresses_are_linear() ? array.buffer().native_handle() : 0;
    return memory + array.buffer().offset_bytes() + array.offset_bytes();
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
