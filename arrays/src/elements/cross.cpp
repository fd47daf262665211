/// Cross products of vectors of two or three numbers along an axis.
#include <gemel/arrays/differences.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "array/layout.hpp"

#include "array/require.hpp"

namespace gemel {
namespace {

/// The array with an axis moved to the end.
AnyArray with_last(const AnyArray& x, std::size_t axis) {
    std::vector<std::int64_t> order;
    for (std::size_t k = 0; k < x.rank(); ++k)
        if (k != axis) order.push_back(static_cast<std::int64_t>(k));
    order.push_back(static_cast<std::int64_t>(axis));
    return x.permute(Axes(order));
}
/// The last axis moved back to its position.
AnyArray from_last(const AnyArray& x, std::size_t axis) {
    std::vector<std::int64_t> order;
    for (std::size_t k = 0; k + 1 < x.rank(); ++k) order.push_back(static_cast<std::int64_t>(k));
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(axis), static_cast<std::int64_t>(x.rank()) - 1);
    return x.permute(Axes(order));
}

AnyArray checked_vectors(const char* which, const AnyArray& x, std::int64_t axis) {
    if (x.empty()) refuse_empty("cross", text("array ", which));
    if (x.rank() == 0) throw ArgumentError(text("cross: ", which, " is a single value, expected vectors"));
    const AnyArray vectors = with_last(x, checked_axis(axis, x.rank(), "cross"));
    const std::int64_t extent = vectors.shape()[x.rank() - 1];
    if (extent != 2 && extent != 3)
        throw ArgumentError(text("cross: expected vectors of 2 or 3 numbers, got ", which, " of shape ",
                                 to_string(x.shape()), " with ", extent, " along its axis; name another"));
    return vectors;
}

}  // namespace

AnyArray cross(const AnyArray& given_a, const AnyArray& given_b, const CrossOptions& options) {
    const AnyArray a = checked_vectors("a", given_a, options.axis_a), b = checked_vectors("b", given_b, options.axis_b);
    const bool has_a2 = a.shape()[a.rank() - 1] == 3, has_b2 = b.shape()[b.rank() - 1] == 3;
    const auto part = [](const AnyArray& x, int k) { return AnyExpr(x(ellipsis, k)); };
    const AnyExpr z = part(a, 0) * part(b, 1) - part(a, 1) * part(b, 0);
    if (!has_a2 && !has_b2) return z.eval();

    Shape shape = z.shape();
    shape.push_back(3);
    const std::size_t to = checked_axis(options.axis_c, shape.rank(), "cross");
    const AnyArray result(a.context(), z.dtype(), shape);
    const auto write = [&](int k, const AnyExpr& value) { result(ellipsis, k).assign(value); };
    if (has_a2 && has_b2) {
        write(0, part(a, 1) * part(b, 2) - part(a, 2) * part(b, 1));
        write(1, part(a, 2) * part(b, 0) - part(a, 0) * part(b, 2));
    } else if (has_b2) {
        write(0, part(a, 1) * part(b, 2));
        write(1, -(part(a, 0) * part(b, 2)));
    } else {
        write(0, -(part(a, 2) * part(b, 1)));
        write(1, part(a, 2) * part(b, 0));
    }
    write(2, z);
    return from_last(result, to);
}

}  // namespace gemel
