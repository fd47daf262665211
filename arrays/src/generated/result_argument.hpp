/// Results of a generated kernel as its arguments.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/core/argument.hpp>

#include <algorithm>
#include <span>

namespace gemel {

/// Whether the offset of a result in its buffer is a kernel argument.
inline bool needs_offsets(std::span<const AnyArray> results, bool linear) {
    return !linear && std::any_of(results.begin(), results.end(), [](const AnyArray& result) {
        return result.buffer().offset_bytes() + result.offset_bytes() != 0;
    });
}

inline Argument result_argument(const AnyArray& result) {
    Argument argument = as_argument(result.buffer());
    argument.offset_bytes += result.offset_bytes();
    return argument;
}

}  // namespace gemel
