/// Arrays of vectors as arrays of their numbers, and back.
#include <gemel/arrays/vectors.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel {
namespace {

DType lane_type(DType vector) { return DType(vector.kind(), vector.size_bytes() / vector.lanes()); }

/// Do the numbers of each vector lie side by side, where a vector may lie?
bool lie_as_vectors(const AnyArray& lanes, std::int64_t count, std::size_t vector_bytes) {
    const std::size_t last = lanes.rank() - 1;
    if (lanes.strides()[last] != 1 || lanes.offset_bytes() % vector_bytes != 0) return false;
    return std::all_of(lanes.strides().begin(), lanes.strides().begin() + static_cast<std::ptrdiff_t>(last),
                       [&](std::int64_t stride) { return stride % count == 0; });
}

}  // namespace

AnyArray lanes_of(const AnyArray& x) {
    if (x.dtype().lanes() < 2)
        throw ArgumentError(text("lanes: expected elements that are vectors, got ", x.dtype().name()));
    const auto count = static_cast<std::int64_t>(x.dtype().lanes());
    Shape shape = x.shape();
    shape.push_back(count);
    Strides strides;
    for (const std::int64_t stride : x.strides()) strides.push_back(stride * count);
    strides.push_back(1);
    return AnyArray(x.buffer(), lane_type(x.dtype()), shape, strides, x.offset_bytes());
}

AnyArray vectors_of(const AnyArray& given, DType vector) {
    const auto count = static_cast<std::int64_t>(vector.lanes());
    if (given.rank() == 0 || given.shape()[given.rank() - 1] != count || given.dtype() != lane_type(vector))
        throw ArgumentError(text("from_lanes: expected ", lane_type(vector).name(), " of shape (..., ", count, ") for ",
                                 vector.name(), ", got ", given.dtype().name(), " of shape ",
                                 to_string(given.shape())));
    const AnyArray lanes = lie_as_vectors(given, count, vector.size_bytes()) ? given : given.copy(Order::C);
    Shape shape;
    Strides strides;
    for (std::size_t k = 0; k + 1 < lanes.rank(); ++k) {
        shape.push_back(lanes.shape()[k]);
        strides.push_back(lanes.strides()[k] / count);
    }
    return AnyArray(lanes.buffer(), vector, shape, strides, lanes.offset_bytes());
}

}  // namespace gemel
