#include <gemel/arrays/host_view.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <cstring>

namespace gemel {
namespace {

/// Calls `visit` with the place of each element of a view, in elements, in C order of the indices.
template <class Visit>
void for_each_place(const Shape& shape, const Strides& strides, const Visit& visit) {
    if (shape.rank() != strides.size())
        throw ArgumentError(text("a host view of shape ", to_string(shape), " has strides ", to_string(strides)));
    Shape at = shape;
    for (auto& position : at) position = 0;
    std::int64_t place = 0;
    for (std::size_t left = shape.count(); left > 0; --left) {
        visit(place);
        for (std::size_t axis = shape.rank(); axis-- > 0;) {
            place += strides[axis];
            if (++at[axis] < shape[axis]) break;
            place -= strides[axis] * shape[axis];
            at[axis] = 0;
        }
    }
}

}  // namespace

void scatter(void* to, const Shape& shape, const Strides& strides, const void* from, std::size_t bytes) {
    const char* next = static_cast<const char*>(from);
    for_each_place(shape, strides, [&](std::int64_t place) {
        std::memcpy(static_cast<char*>(to) + place * static_cast<std::int64_t>(bytes), next, bytes);
        next += bytes;
    });
}

void gather(void* to, const void* from, const Shape& shape, const Strides& strides, std::size_t bytes) {
    char* next = static_cast<char*>(to);
    for_each_place(shape, strides, [&](std::int64_t place) {
        std::memcpy(next, static_cast<const char*>(from) + place * static_cast<std::int64_t>(bytes), bytes);
        next += bytes;
    });
}

}  // namespace gemel
