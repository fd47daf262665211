#include <gemel/algorithms/order_statistics.hpp>

#include "array/layout.hpp"
#include "rearrange/moving.hpp"
#include "select/kernels.hpp"
#include "select/searching.hpp"
#include "select/selecting.hpp"

#include <gemel/algorithms/sort.hpp>
#include <gemel/arrays/reductions.hpp>
#include <gemel/arrays/take.hpp>
#include <gemel/codegen/promotion.hpp>

#include <cmath>

namespace gemel {
namespace {

using namespace selecting;

void require_order(const char* who, const AnyArray& x) {
    require_array(who, "the array", x);
    if (!is_number(x.dtype()))
        throw ArgumentError(text(who, ": elements of ", x.dtype().name(), " have no order of their own"));
}

/// A view of some places along an axis.
AnyArray along(const AnyArray& x, std::size_t axis, const Index& part) {
    std::vector<Index> indices(axis, Index(slice()));
    indices.push_back(part);
    return x.view(indices);
}

/// Parts of the array whose ends are compared first; a sort of so many is one launch.
constexpr std::int64_t group_count = 8192;

/// The numbers of the elements that may be among the k at the end: those at or beyond the k-th of the groups' ends.
/// That many groups have one at least.
AnyArray candidates(const AnyArray& x, std::int64_t k, bool largest) {
    const std::int64_t rows = static_cast<std::int64_t>(x.size()) / group_count;
    // Neighbours are in different groups, so that those of a sorted array share the ends.
    const AnyArray groups = x(slice(0, rows * group_count)).reshape({rows, group_count});
    const AnyArray ends = gemel::sort(AnyArray(largest ? gemel::max(groups, 0) : gemel::min(groups, 0)));
    const std::int64_t at = largest ? group_count - k : k - 1;
    const AnyArray bound = ends(slice(at, at + 1));
    static auto& kernels = *new KernelsByText<Scan>;
    const auto scan = kernels.find(text(x.dtype().name(), largest, is_long(x)), [&] {
        return places_scan(is_long(x), {VectorArg(x.dtype(), "x", true), VectorArg(x.dtype(), "bound", true)},
                           largest ? "!is_less(x[i], bound[0])" : "!is_less(bound[0], x[i])", order_text(x.dtype()));
    });
    const AnyArray places = room_for(x, dtype_of<std::int64_t>(), x.size());
    const GPUArray<std::int64_t> count(x.context(), Shape{});
    scan->run({}, std::array{CallArgument(x), CallArgument(bound), CallArgument(places), CallArgument(count)});
    return AnySelection{places, count}.array();
}

}  // namespace

AnyTopK detail::topk(const AnyArray& x, std::int64_t k, const TopKOptions& options) {
    require_order("topk", x);
    if (x.rank() == 0) throw ArgumentError("topk: a single value has no axes; reshape({1}) gives it one");
    const std::size_t axis = checked_axis(options.axis, x.rank(), "topk");
    if (k < 0 || k > x.shape()[axis])
        throw ArgumentError(text("topk: ", k, " elements were asked for; axis ", axis, " of shape ",
                                 to_string(x.shape()), " has ", x.shape()[axis]));
    const SortOptions sorting{.axis = static_cast<int>(axis), .descending = options.largest};
    const bool has_order_of_ends = x.dtype().kind() != DType::Kind::complex && x.dtype().kind() != DType::Kind::boolean;
    const auto least = static_cast<std::size_t>(options.filter_above > 0 ? options.filter_above : 1 << 18);
    if (x.rank() > 1 || x.size() < least || x.size() < group_count || k > group_count / 4 || k == 0 ||
        !has_order_of_ends) {
        const AnyArray order = along(gemel::argsort(x, sorting), axis, slice(0, k));
        AnyArray sorted = along(gemel::sort(x, sorting), axis, slice(0, k));
        return {sorted, GPUArray<std::int64_t>(order)};
    }
    const AnyArray places = candidates(without_gaps(x), k, options.largest);
    const AnyArray values = take(x, places, {}, OutOfBounds::wrap);
    const AnyArray order = gemel::argsort(values, {.descending = options.largest})(slice(0, k));
    return {take(values, order, {}, OutOfBounds::wrap),
            GPUArray<std::int64_t>(take(places, order, {}, OutOfBounds::wrap))};
}

AnyArray detail::kth(const AnyArray& x, std::int64_t k, int given_axis) {
    require_order("kth", x);
    if (x.rank() == 0) throw ArgumentError("kth: a single value has no axes; reshape({1}) gives it one");
    const std::size_t axis = checked_axis(given_axis, x.rank(), "kth");
    if (k < 0 || k >= x.shape()[axis])
        throw ArgumentError(text("kth: element ", k, " was asked for; axis ", axis, " of shape ", to_string(x.shape()),
                                 " has ", x.shape()[axis], ", counted from 0"));
    return along(gemel::sort(x, {.axis = static_cast<int>(axis)}), axis, Index(k)).copy();
}

namespace {

/// Where a quantile lies between neighbours of a sorted row, as NumPy's methods say.
struct Between {
    std::int64_t low = 0, high = 0;
    double part = 0;  ///< of the way from low to high
};

Between place_of(double q, std::int64_t n, QuantileMethod method) {
    const double at = q * static_cast<double>(n - 1), floor = std::floor(at);
    const auto low = static_cast<std::int64_t>(floor);
    const std::int64_t high = std::min(low + 1, n - 1);
    const double part = at - floor;
    switch (method) {
        case QuantileMethod::lower: return {low, low, 0};
        case QuantileMethod::higher: return part > 0 ? Between{high, high, 0} : Between{low, low, 0};
        case QuantileMethod::nearest: {
            const auto near = static_cast<std::int64_t>(std::nearbyint(at));
            return {near, near, 0};
        }
        case QuantileMethod::midpoint: return part > 0 ? Between{low, high, 0.5} : Between{low, low, 0};
        default: return {low, high, part};
    }
}

const ElementwiseKernel& between_kernel(bool is_double) {
    const auto make = [](const std::string& type, const std::string& half) {
        return ElementwiseKernel(
            "const T *low, const T *high, const T *last, " + type + " part, " + type + " *result",
            "const " + type +
                " a = low[i], b = high[i], c = last[i];\n"
                "// From the nearer end, so that a part of 1 gives b; equal ends, infinite ones too, give both.\n" +
                type + " r = a == b ? a : part < " + half +
                " ? a + (b - a) * part : b - (b - a) * (1 - part);\n"
                "if (part == 0) r = a;\nif (c != c) r = c;\nresult[i] = r",
            "quantile");
    };
    static const auto& of_doubles = *new ElementwiseKernel(make("double", "0.5"));
    static const auto& of_floats = *new ElementwiseKernel(make("float", "0.5f"));
    return is_double ? of_doubles : of_floats;
}

}  // namespace

AnyArray detail::quantile(const char* who, const AnyArray& given, double q, DType result,
                          const QuantileOptions& options) {
    require_order(who, given);
    if (given.dtype().kind() == DType::Kind::complex)
        throw ArgumentError(text(who, ": complex numbers have none; take real(), imag() or abs()"));
    if (!(q >= 0 && q <= 1))
        throw ArgumentError(text(who, ": ", q, " of the elements was asked for; expected a part from 0 to 1",
                                 std::string_view(who) == "percentile" ? ", 0 to 100 percent" : ""));
    const std::size_t axis = options.axis ? checked_axis(*options.axis, given.rank(), who) : 0;
    const AnyArray x = options.axis ? given : flat(given);
    const std::int64_t n = x.shape()[axis];
    Shape kept;
    for (std::size_t k = 0; k < given.rank(); ++k) {
        const bool is_reduced = !options.axis || k == axis;
        if (!is_reduced || options.keepdims) kept.push_back(is_reduced ? 1 : given.shape()[k]);
    }
    const AnyArray values(x.context(), result, kept);
    if (values.size() == 0) return values;
    if (n == 0) {
        values.fill(std::nan(""));
        return values;
    }
    const AnyArray sorted = gemel::sort(x, {.axis = static_cast<int>(axis)});
    const Between place = place_of(q, n, options.method);
    const auto end = [&](std::int64_t k) { return along(sorted, axis, Index(k)).reshape(kept); };
    const AnyArray low = end(place.low), high = end(place.high), last = end(n - 1);
    if (result == dtype_of<double>()) {
        between_kernel(true)(low, high, last, place.part, values);
    } else {
        between_kernel(false)(low, high, last, static_cast<float>(place.part), values);
    }
    return values;
}

}  // namespace gemel
