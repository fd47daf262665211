/// Arrays of vectors as arrays of their numbers, and back.
#include <gemel/arrays/vectors.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel {
namespace {

/// Are the numbers of each vector contiguous, and aligned as a vector?
bool lie_as_vectors(const AnyArray& lanes, std::int64_t count, std::size_t vector_bytes) {
    const std::size_t last = lanes.rank() - 1;
    const std::size_t begin = lanes.buffer().offset_bytes() + lanes.offset_bytes();
    if (lanes.strides()[last] != 1 || begin % vector_bytes != 0) return false;
    return std::all_of(lanes.strides().begin(), lanes.strides().begin() + static_cast<std::ptrdiff_t>(last),
                       [&](std::int64_t stride) { return stride % count == 0; });
}

}  // namespace

AnyArray detail::lanes_of(const AnyArray& x) {
    if (x.dtype().lanes() < 2)
        throw ArgumentError(text("lanes: expected elements that are vectors, got ", x.dtype().name()));
    const auto count = static_cast<std::int64_t>(x.dtype().lanes());
    Shape shape = x.shape();
    shape.push_back(count);
    Strides strides;
    for (const std::int64_t stride : x.strides()) strides.push_back(stride * x.dtype().lane_places());
    strides.push_back(1);
    return AnyArray(x.buffer(), x.dtype().lane(), shape, strides, x.offset_bytes());
}

AnyArray detail::vectors_of(const AnyArray& given, DType vector) {
    const auto count = static_cast<std::int64_t>(vector.lanes());
    if (given.rank() == 0 || given.shape()[given.rank() - 1] != count || given.dtype() != vector.lane())
        throw ArgumentError(text("from_lanes: expected ", vector.lane().name(), " of shape (..., ", count, ") for ",
                                 vector.name(), ", got ", given.dtype().name(), " of shape ",
                                 to_string(given.shape())));
    const std::int64_t slots = vector.lane_places();
    Shape shape;
    Strides strides;
    for (std::size_t k = 0; k + 1 < given.rank(); ++k) {
        shape.push_back(given.shape()[k]);
        strides.push_back(given.strides()[k] / slots);
    }
    if (lie_as_vectors(given, slots, vector.size_bytes()))
        return AnyArray(given.buffer(), vector, shape, strides, given.offset_bytes());
    const AnyArray made(given.context(), vector, shape);
    detail::lanes_of(made).assign(given);
    return made;
}

}  // namespace gemel
