/// Where an array's elements lie.
#pragma once

#include <gemel/arrays/any_array.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace gemel {

/// The bytes that an array's elements lie between, from the start of the allocation.
inline std::pair<std::int64_t, std::int64_t> reach(const AnyArray& array, std::size_t offset_bytes) {
    std::int64_t low = 0, high = 0;
    for (std::size_t axis = 0; axis < array.rank(); ++axis) {
        const std::int64_t step = array.strides()[axis] * (array.shape()[axis] - 1);
        (step < 0 ? low : high) += step;
    }
    const auto item = static_cast<std::int64_t>(array.dtype().size_bytes()),
               first = static_cast<std::int64_t>(offset_bytes);
    return {first + low * item, first + (high + 1) * item};
}

}  // namespace gemel
