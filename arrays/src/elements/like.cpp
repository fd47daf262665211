/// New arrays like another one, of another type, order or shape.
#include <gemel/arrays/like.hpp>

#include "array/layout.hpp"

namespace gemel {
namespace {

Strides strides_for(const AnyArray& like, const Shape& shape, std::optional<Order> order) {
    if (order) return contiguous_strides(shape, *order);
    if (shape == like.shape()) return strides_like(shape, like.strides());
    // As in NumPy, an array of another shape keeps F order if it has as many axes.
    const bool is_fortran =
        shape.rank() == like.rank() && like.is_contiguous(Order::F) && !like.is_contiguous(Order::C);
    return contiguous_strides(shape, is_fortran ? Order::F : Order::C);
}

}  // namespace

AnyArray empty_like(const AnyArray& like, DType dtype, const LikeOptions& options) {
    if (dtype == DType()) dtype = like.dtype();
    const Shape shape = options.shape.value_or(like.shape());
    const AnyArray memory(options.context ? *options.context : like.context(), dtype, shape);
    return AnyArray(memory.buffer(), dtype, shape, strides_for(like, shape, options.order));
}

AnyArray zeros_like(const AnyArray& like, DType dtype, const LikeOptions& options) {
    AnyArray result = empty_like(like, dtype, options);
    if (result.size() != 0) result.buffer().fill(std::uint8_t{0});
    return result;
}

AnyArray full_like(const AnyArray& like, const AnyNumber& value, DType dtype, const LikeOptions& options) {
    AnyArray result = empty_like(like, dtype, options);
    result.fill(value);
    return result;
}

}  // namespace gemel
