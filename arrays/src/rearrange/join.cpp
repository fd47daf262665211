#include <gemel/arrays/join.hpp>

#include "array/layout.hpp"
#include "rearrange/moving.hpp"

#include <gemel/arrays/expression_types.hpp>
#include <gemel/core/text.hpp>

namespace gemel {
namespace {

void require_joinable(std::string_view who, std::span<const AnyArray> arrays) {
    if (arrays.empty()) throw ArgumentError(text(who, ": expected at least one array, got an empty list"));
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        const std::string what = text("array ", a);
        require_array(who, what, arrays[a]);
        require_context(who, what, arrays[a], arrays[0]);
        if (codegen::promote(arrays[a].dtype(), arrays[0].dtype()).empty())
            require_dtype(who, what, arrays[a], arrays[0].dtype());
    }
}

/// The common type of the elements.
DType joined_type(std::span<const AnyArray> arrays) {
    std::vector<DType> types;
    for (const AnyArray& array : arrays) types.push_back(array.dtype());
    return codegen::promote(types);
}

[[noreturn]] void refuse_shape(std::string_view who, std::span<const AnyArray> arrays, std::size_t a,
                               const std::string& rule) {
    throw ArgumentError(text(who, ": array ", a, " has shape ", to_string(arrays[a].shape()), ", but array 0 ",
                             to_string(arrays[0].shape()), "; ", rule));
}

/// The part of an array between two indices along an axis.
AnyArray part(const AnyArray& array, std::size_t axis, std::int64_t start, std::int64_t stop) {
    std::vector<Index> indices(axis, Index(slice()));
    indices.emplace_back(slice(start, stop));
    return array.view(indices);
}

}  // namespace

AnyArray concatenate(std::span<const AnyArray> arrays, Integer axis) {
    require_joinable("concatenate", arrays);
    Shape shape = arrays[0].shape();
    if (shape.empty())
        throw ArgumentError("concatenate: arrays of rank 0 have no axis to join along; stack() makes one");
    const std::size_t along = checked_axis(axis, shape.rank(), "concatenate");
    for (std::size_t a = 1; a < arrays.size(); ++a) {
        Shape expected = arrays[a].shape();
        if (expected.rank() == shape.rank()) expected[along] = shape[along];
        if (!(expected == shape))
            refuse_shape("concatenate", arrays, a, text("shapes may differ along axis ", along, " only"));
        shape[along] = added_extents("concatenate", shape[along], arrays[a].shape()[along]);
    }
    const AnyArray result(arrays[0].context(), joined_type(arrays), shape);
    std::int64_t start = 0;
    for (const AnyArray& array : arrays) {
        const std::int64_t stop = start + array.shape()[along];
        if (array.size() > 0) part(result, along, start, stop).assign(array);
        start = stop;
    }
    return result;
}

AnyArray stack(std::span<const AnyArray> arrays, Integer axis) {
    require_joinable("stack", arrays);
    const std::size_t along = checked_axis(axis, arrays[0].rank() + 1, "stack");
    std::vector<AnyArray> layers;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        if (!(arrays[a].shape() == arrays[0].shape()))
            refuse_shape("stack", arrays, a, "stack() takes arrays of one shape");
        std::vector<Index> indices(along, Index(slice()));
        indices.emplace_back(newaxis);
        layers.push_back(arrays[a].view(indices));
    }
    return concatenate(layers, static_cast<std::int64_t>(along));
}

AnyArray hstack(std::span<const AnyArray> arrays) {
    require_joinable("hstack", arrays);
    std::vector<AnyArray> parts;
    for (const AnyArray& array : arrays) parts.push_back(array.rank() == 0 ? array.reshape({1}) : array);
    return concatenate(parts, parts[0].rank() == 1 ? 0 : 1);
}

AnyArray vstack(std::span<const AnyArray> arrays) {
    require_joinable("vstack", arrays);
    std::vector<AnyArray> rows;
    for (const AnyArray& array : arrays) rows.push_back(array.rank() < 2 ? array.reshape({1, array.size()}) : array);
    return concatenate(rows, 0);
}

}  // namespace gemel
