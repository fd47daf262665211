#include <gemel/arrays/host_view.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "array/layout.hpp"

#include <algorithm>
#include <cstring>

namespace gemel {
namespace {

/// Calls `visit` with the offset of each element of a view, in elements, in C order of the indices.
template <class Visit>
void for_each_offset(const Shape& shape, const Strides& strides, std::size_t bytes, const Visit& visit) {
    if (shape.rank() != strides.size())
        throw ArgumentError(text("HostView: expected one stride per axis, got shape ", to_string(shape),
                                 " and strides ", to_string(strides)));
    Shape at = shape;
    for (auto& position : at) position = 0;
    const std::size_t count = shape.count();
    if (count == 0) return;
    const auto [lowest, highest] = element_bounds(shape, strides);
    constexpr __int128 most = INT64_MAX;
    if (-lowest > most / bytes || highest > most / bytes)
        throw ArgumentError(
            text("HostView: shape ", to_string(shape), " and strides ", to_string(strides), " exceed 64 bits"));
    std::int64_t offset = 0;
    for (std::size_t left = count; left > 0; --left) {
        visit(offset);
        for (std::size_t axis = shape.rank(); axis-- > 0;) {
            if (++at[axis] < shape[axis]) {
                offset += strides[axis];
                break;
            }
            offset -= strides[axis] * (shape[axis] - 1);
            at[axis] = 0;
        }
    }
}

}  // namespace

void scatter(void* to, const Shape& shape, const Strides& strides, const void* from, std::size_t bytes) {
    const char* next = static_cast<const char*>(from);
    for_each_offset(shape, strides, bytes, [&](std::int64_t offset) {
        std::memcpy(static_cast<char*>(to) + offset * static_cast<std::int64_t>(bytes), next, bytes);
        next += bytes;
    });
}

void gather(void* to, const void* from, const Shape& shape, const Strides& strides, std::size_t bytes) {
    char* next = static_cast<char*>(to);
    for_each_offset(shape, strides, bytes, [&](std::int64_t offset) {
        std::memcpy(next, static_cast<const char*>(from) + offset * static_cast<std::int64_t>(bytes), bytes);
        next += bytes;
    });
}

}  // namespace gemel
