/// diff and gradient, as expressions of shifted views.
#include <gemel/arrays/differences.hpp>

#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/join.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "array/layout.hpp"

#include "array/require.hpp"

#include <cmath>

namespace gemel {
namespace {

/// A view of the elements `range` along one axis.
AnyArray along(const AnyArray& x, std::size_t axis, const Slice& range) {
    std::vector<Index> indices(x.rank(), Index(slice()));
    indices[axis] = range;
    return x.view(indices);
}

/// The value before or after x along an axis, as an array of x's shape except for that axis.
AnyArray edge_array(const DiffEdge& edge, const AnyArray& x, std::size_t axis) {
    Shape one = x.shape();
    one[axis] = 1;
    if (const auto* number = std::get_if<AnyNumber>(&edge.value())) {
        const AnyArray result(x.context(), x.dtype(), one);
        result.fill(*number);
        return result;
    }
    const AnyArray& given = std::get<AnyArray>(edge.value());
    return given.rank() == 0 ? given.broadcast_to(one) : given;
}

/// The positions of elements along an axis: a constant step, or the distances between neighbours, broadcast to x's
/// rank.
std::variant<double, AnyArray> steps_along(const Spacing& spacing, const AnyArray& x, std::size_t axis) {
    if (const auto* step = std::get_if<double>(&spacing.value())) return *step;
    AnyArray positions;
    if (const auto* host = std::get_if<std::vector<double>>(&spacing.value())) {
        bool is_even = host->size() > 1;
        for (std::size_t k = 2; k < host->size(); ++k)
            is_even &= (*host)[k] - (*host)[k - 1] == (*host)[1] - (*host)[0];
        if (is_even && host->size() == static_cast<std::size_t>(x.shape()[axis])) return (*host)[1] - (*host)[0];
        const bool is_double = x.dtype().is_integer() || x.dtype().size_bytes() >= 8;
        const AnyArray doubles = to_gpu(x.context(), *host);
        positions = is_double || x.context().device().info().has_double ? doubles : doubles.astype(dtype_of<float>());
    } else {
        positions = std::get<AnyArray>(spacing.value());
    }
    if (positions.rank() != 1 || positions.shape()[0] != x.shape()[axis])
        throw ArgumentError(text("gradient: expected ", x.shape()[axis], " coordinates for axis ", axis, ", got shape ",
                                 to_string(positions.shape()), "; give one for each element"));
    if (positions.dtype().is_integer()) positions = positions.astype(dtype_of<double>());
    Shape spread(std::vector<std::int64_t>(x.rank(), 1));
    spread[axis] = -1;
    return diff(positions, DiffOptions{}).reshape(spread);
}

/// The weights of three neighbours for a derivative, and the position of the result.
struct Weights {
    AnyExpr a, b, c;
};

/// Of the three elements from `first` on.
AnyExpr weighted(const AnyArray& x, std::size_t axis, const Weights& w, const Slice& one, const Slice& two,
                 const Slice& three) {
    return w.a * AnyExpr(along(x, axis, one)) + w.b * AnyExpr(along(x, axis, two)) +
           w.c * AnyExpr(along(x, axis, three));
}

/// The elements that are neither first nor last.
void write_inner(const AnyArray& to, const AnyArray& x, std::size_t axis, const std::variant<double, AnyArray>& steps) {
    const AnyArray inner = along(to, axis, slice(1, -1));
    if (const double* step = std::get_if<double>(&steps)) {
        inner.assign((AnyExpr(along(x, axis, slice(2, {}))) - AnyExpr(along(x, axis, slice(-2)))) / (2 * *step));
        return;
    }
    const AnyArray& all = std::get<AnyArray>(steps);
    const AnyExpr before = along(all, axis, slice(-1)), behind = along(all, axis, slice(1, {}));
    const Weights weights{-behind / (before * (before + behind)), (behind - before) / (before * behind),
                          before / (behind * (before + behind))};
    inner.assign(weighted(x, axis, weights, slice(-2), slice(1, -1), slice(2, {})));
}

/// The first or the last element, from two elements.
void write_plain_edge(const AnyArray& to, const AnyArray& x, std::size_t axis,
                      const std::variant<double, AnyArray>& steps, bool is_last) {
    const Slice at = is_last ? slice(-1, {}) : slice(1), low = is_last ? slice(-2, -1) : slice(1),
                high = is_last ? slice(-1, {}) : slice(1, 2);
    const AnyExpr rise = AnyExpr(along(x, axis, high)) - AnyExpr(along(x, axis, low));
    const auto* step = std::get_if<double>(&steps);
    along(to, axis, at).assign(step ? rise / *step : rise / AnyExpr(along(std::get<AnyArray>(steps), axis, at)));
}

/// The same, from three elements.
void write_exact_edge(const AnyArray& to, const AnyArray& x, std::size_t axis,
                      const std::variant<double, AnyArray>& steps, bool is_last) {
    const Slice at = is_last ? slice(-1, {}) : slice(1), one = is_last ? slice(-3, -2) : slice(1),
                two = is_last ? slice(-2, -1) : slice(1, 2), three = is_last ? slice(-1, {}) : slice(2, 3);
    if (const auto* step = std::get_if<double>(&steps)) {
        const double sign = is_last ? 1 : -1;
        const Weights weights{(is_last ? 0.5 : -1.5) / *step, -sign * 2 / *step, (is_last ? 1.5 : -0.5) / *step};
        along(to, axis, at).assign(weighted(x, axis, weights, one, two, three));
        return;
    }
    const AnyArray& all = std::get<AnyArray>(steps);
    const AnyExpr p = along(all, axis, is_last ? slice(-2, -1) : slice(1)),
                  q = along(all, axis, is_last ? slice(-1, {}) : slice(1, 2));
    const Weights first{-(2 * p + q) / (p * (p + q)), (p + q) / (p * q), -p / (q * (p + q))};
    const Weights last{q / (p * (p + q)), -(p + q) / (p * q), (2 * q + p) / (q * (p + q))};
    along(to, axis, at).assign(weighted(x, axis, is_last ? last : first, one, two, three));
}

}  // namespace

AnyArray diff(const AnyArray& given, const DiffOptions& options) {
    if (given.empty()) throw ArgumentError("diff: the array has no memory; give one that was made");
    if (options.n < 0) throw ArgumentError(text("diff: expected n of at least 0, got ", options.n));
    if (given.rank() == 0) throw ArgumentError("diff: expected an array of at least one axis, got a single value");
    const std::size_t axis = checked_axis(options.axis, given.rank(), "diff");
    if (options.n == 0) return given;
    AnyArray x = given;
    if (options.prepend || options.append) {
        std::vector<AnyArray> parts;
        if (options.prepend) parts.push_back(edge_array(*options.prepend, x, axis));
        parts.push_back(x);
        if (options.append) parts.push_back(edge_array(*options.append, x, axis));
        x = concatenate(std::span<const AnyArray>(parts), axis);
    }
    const bool is_bool = x.dtype().kind() == DType::Kind::boolean;
    for (std::int64_t k = 0; k < options.n && x.shape()[axis] > 0; ++k) {
        const AnyExpr behind = along(x, axis, slice(1, {})), before = along(x, axis, slice(-1));
        x = (is_bool ? behind != before : behind - before).eval();
    }
    return x;
}

AnyArray gradient_along(const AnyArray& given, Integer along_axis, const Spacing& spacing, Integer edge_order) {
    if (given.empty()) throw ArgumentError("gradient: the array has no memory; give one that was made");
    const std::size_t axis = checked_axis(along_axis, given.rank(), "gradient");
    if (edge_order != 1 && edge_order != 2)
        throw ArgumentError(text("gradient: expected an edge order of 1 or 2, got ", std::int64_t{edge_order}));
    if (given.shape()[axis] <= edge_order)
        throw ArgumentError(text("gradient: expected at least ", edge_order + 1, " elements along axis ", axis,
                                 ", got shape ", to_string(given.shape())));
    if (given.dtype().kind() == DType::Kind::boolean)
        throw ArgumentError("gradient: bools have no differences; astype<float>() converts");
    const AnyArray x = given.dtype().is_integer() ? given.astype(dtype_of<double>()) : given;
    const AnyArray result(x.context(), x.dtype(), x.shape());
    if (result.size() == 0) return result;
    const auto steps = steps_along(spacing, x, axis);
    if (x.shape()[axis] > 2) write_inner(result, x, axis, steps);
    for (const bool is_last : {false, true})
        edge_order == 1 ? write_plain_edge(result, x, axis, steps, is_last)
                        : write_exact_edge(result, x, axis, steps, is_last);
    return result;
}

std::vector<AnyArray> gradient(const AnyArray& x, const GradientOptions& options) {
    std::vector<std::int64_t> axes;
    if (options.axes) {
        axes.assign(options.axes->begin(), options.axes->end());
    } else {
        for (std::size_t k = 0; k < x.rank(); ++k) axes.push_back(static_cast<std::int64_t>(k));
    }
    const auto& spacing = options.spacing;
    const bool is_one_number = spacing.size() == 1 && std::holds_alternative<double>(spacing[0].value());
    if (!spacing.empty() && !is_one_number && spacing.size() != axes.size())
        throw ArgumentError(text("gradient: expected one number or ", axes.size(), " spacings, got ", spacing.size(),
                                 "; give one for each axis"));
    std::vector<bool> seen(x.rank());
    std::vector<AnyArray> all;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const std::size_t axis = checked_axis(axes[k], x.rank(), "gradient");
        if (seen[axis]) refuse_repeated_axis("gradient", axes[k]);
        seen[axis] = true;
        const Spacing step = spacing.empty() ? Spacing(1.0) : is_one_number ? spacing[0] : spacing[k];
        all.push_back(gradient_along(x, axes[k], step, options.edge_order));
    }
    return all;
}

}  // namespace gemel
