#include <gemel/algorithms/order_statistics.hpp>

#include "array/layout.hpp"
#include "rearrange/moving.hpp"
#include "select/kernels.hpp"
#include "select/searching.hpp"
#include "select/selecting.hpp"
#include "select_kernels.hpp"
#include "sort/radix_sort.hpp"
#include "sort/sort_checks.hpp"

#include <gemel/algorithms/sort.hpp>
#include <gemel/arrays/reduction_kernel.hpp>
#include <gemel/arrays/reductions.hpp>
#include <gemel/arrays/take.hpp>
#include <gemel/codegen/promotion.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cmath>

namespace gemel {
namespace {

using namespace selecting;

void require_order(const char* who, const AnyArray& x) {
    require_array(who, "the array", x);
    if (!codegen::is_number(x.dtype()))
        throw ArgumentError(text(who, ": elements of ", x.dtype().name(), " have no order; expected numbers"));
}

/// A view of a range along an axis.
AnyArray along(const AnyArray& x, std::size_t axis, const Index& part) {
    std::vector<Index> indices(axis, Index(slice()));
    indices.push_back(part);
    return x.view(indices);
}

/// The number of parts of a long array, whose maxima (or minima) are sorted first by one launch.
constexpr std::int64_t part_count = 8192;

/// The maximum or minimum of each row; NaN if all are NaN, or if NaN counts as the maximum.
AnyArray ends_of(const AnyArray& rows, bool largest) {
    if (largest) return gemel::max(rows, 1);
    if (!rows.dtype().is_floating()) return gemel::min(rows, 1);
    static auto& kernels = *new KernelsByText<Reduction>;
    const auto least = kernels.find(rows.dtype().name(), [&] {
        return Reduction({VectorArg(rows.dtype(), "x", true)}, {{"NAN", "x[i]", "fmin(a, b)"}}, {rows.dtype()},
                         "least_of_part", {}, {});
    });
    AnyArray result;
    least->run({.axes = std::vector{1}}, std::array{CallArgument(rows)}, {&result, 1});
    return result;
}

AnyTopK topk_of(const char* who, const AnyArray& x, std::int64_t k, const TopKOptions& options);

/// Each of the k largest elements is in one of the k parts with the largest maxima (of equal maxima the first parts):
/// otherwise at least k elements would precede it. So one pass finds the parts, and a sort of k of part_count parts
/// finds the elements.
AnyTopK ends_of_parts(const AnyArray& x, std::int64_t k, const TopKOptions& options) {
    const auto count = static_cast<std::int64_t>(x.size());
    const std::int64_t length = count / part_count, behind = part_count * length;
    const AnyArray ends = ends_of(x(slice(0, behind)).reshape({part_count, length}), options.largest);
    // The parts in ascending order, so that equal elements keep their order.
    const AnyArray parts = gemel::sort(gemel::argsort(ends, {.descending = options.largest})(slice(0, k)));
    static auto& gathers = *new KernelsByText<ElementwiseKernel>;
    static auto& locate = *new ElementwiseKernel(part_indices_kernel());
    const AnyArray found = room_for(x, x.dtype(), static_cast<std::size_t>(k * length + count - behind));
    const std::array partition{CallArgument(parts), CallArgument(k), CallArgument(length), CallArgument(part_count)};
    gathers.find(x.dtype().name(), [&] { return part_elements_kernel(x.dtype()); })
        ->run({},
              std::array{CallArgument(x), CallArgument(found), partition[0], partition[1], partition[2], partition[3]});
    const AnyTopK among = topk_of("topk", found, k, options);
    const GPUArray<std::int64_t> indices(x.context(), Shape{k});
    locate.run({}, std::array{CallArgument(among.indices), CallArgument(indices), partition[0], partition[1],
                              partition[2], partition[3]});
    return {among.values, indices};
}

}  // namespace

namespace selecting {

ElementwiseKernel row_ends_kernel(DType dtype, bool largest) {
    std::vector<Parameter> arguments{VectorArg(dtype, "x", true), VectorArg(dtype, "values")};
    for (Parameter& p : parse_declarations("int64_t *indices, int64_t *done, int64_t length, int64_t kept"))
        arguments.push_back(std::move(p));
    return ElementwiseKernel(
        std::move(arguments),
        select_kernels::row_ends().render({{"type", codegen::value_type(dtype)}, {"largest", largest}}), "row_ends",
        {.preamble = order_text(dtype)});
}

namespace {

/// The index in the array of an element of the selected parts. The remainder of the array follows the parts.
std::string part_index(const char* element) {
    return text("(", element, " < kept * length ? parts[", element, " / length] * length + ", element,
                " % length : ", element, " + (count - kept) * length)");
}
constexpr const char* partition_arguments = "const int64_t *parts, int64_t kept, int64_t length, int64_t count";

}  // namespace

ElementwiseKernel part_elements_kernel(DType dtype) {
    std::vector<Parameter> arguments{VectorArg(dtype, "x", true), VectorArg(dtype, "found")};
    for (Parameter& p : parse_declarations(partition_arguments)) arguments.push_back(std::move(p));
    return ElementwiseKernel(std::move(arguments),
                             text("const int64_t element = i;\nfound[i] = x[", part_index("element"), "]"),
                             "part_elements");
}

ElementwiseKernel part_indices_kernel() {
    return ElementwiseKernel(text("const int64_t *chosen, int64_t *indices, ", partition_arguments),
                             text("const int64_t element = chosen[i];\nindices[i] = ", part_index("element")),
                             "part_indices");
}

}  // namespace selecting

namespace {

/// On CPU devices one thread per row finds up to this many elements in one pass, keeping them sorted.
constexpr std::int64_t max_kept = 16;

AnyTopK ends_of_rows(const AnyArray& x, std::int64_t k, const TopKOptions& options, const char* who) {
    const sorting::SortAxis axis = sorting::sort_axis(who, x, options.axis);
    const AnyArray keys = sorting::in_rows(x, axis);
    const Device device = x.context().device();
    Shape kept;
    for (std::size_t d = 0; d + 1 < keys.rank(); ++d) kept.push_back(keys.shape()[d]);
    kept.push_back(k);
    const AnyArray values(x.context(), x.dtype(), kept), indices(x.context(), dtype_of<std::int64_t>(), kept);
    const auto back = [&](const AnyArray& rows) { return axis.is_last ? rows : rows.permute(axis.back); };
    if (values.size() == 0) return {back(values), GPUArray<std::int64_t>(back(indices))};
    if (device.info().type == DeviceInfo::Type::cpu && k <= max_kept && k < axis.row_length) {
        static auto& kernels = *new KernelsByText<ElementwiseKernel>;
        const AnyArray done(x.context(), dtype_of<std::int64_t>(), Shape{axis.rows});
        kernels
            .find(text(x.dtype().name(), options.largest), [&] { return row_ends_kernel(x.dtype(), options.largest); })
            ->run({.tuning = {.block = 1}},
                  std::array{CallArgument(keys), CallArgument(values), CallArgument(indices), CallArgument(done),
                             CallArgument(axis.row_length), CallArgument(k)});
        return {back(values), GPUArray<std::int64_t>(back(indices))};
    }
    const AnyArray sorted = sorting::new_rows(x, axis, x.dtype());
    const AnyArray index = sorting::new_rows(x, axis, dtype_of<std::int64_t>());
    sorting::radix_sort(sorting::plain_sorter(x.dtype()), {.keys = keys,
                                                           .sorted_keys = sorted,
                                                           .index = index,
                                                           .rows = axis.rows,
                                                           .row_length = axis.row_length,
                                                           .descending = options.largest});
    // A view of all elements would keep their memory.
    const auto ends = [&](const AnyArray& rows) {
        const AnyArray view = along(rows, x.rank() - 1, slice(0, k));
        return back(2 * k > axis.row_length ? view : view.copy());
    };
    return {ends(sorted), GPUArray<std::int64_t>(ends(index))};
}

AnyTopK topk_of(const char* who, const AnyArray& x, std::int64_t k, const TopKOptions& options) {
    require_order(who, x);
    if (x.rank() == 0) throw ArgumentError(text(who, ": a single value has no axes; reshape({1}) gives it one"));
    const std::size_t axis = checked_axis(options.axis, x.rank(), who);
    if (k < 0 || k > x.shape()[axis])
        throw ArgumentError(text(who, ": expected k from 0 to ", x.shape()[axis], ", the extent of axis ", axis,
                                 " of shape ", to_string(x.shape()), ", got ", k));
    if (options.filter_above < 0)
        throw ArgumentError(
            text(who, ": expected .filter_above of at least 1, or 0 for gemel's own, got ", options.filter_above));
    const bool has_order_of_ends = x.dtype().kind() != DType::Kind::complex && x.dtype().kind() != DType::Kind::boolean;
    const auto least = static_cast<std::size_t>(options.filter_above > 0 ? options.filter_above : 1 << 18);
    if (x.rank() > 1 || x.size() < least || x.size() < part_count || k > part_count / 4 || k == 0 || !has_order_of_ends)
        return ends_of_rows(x, k, options, who);
    return ends_of_parts(without_gaps(x), k, options);
}

}  // namespace

AnyTopK detail::topk(const AnyArray& x, std::int64_t k, const TopKOptions& options) {
    return topk_of("topk", x, k, options);
}

AnyTopK detail::extremes(const char* who, const AnyArray& x, std::int64_t k, bool largest,
                         const ExtremesOptions& options) {
    require_order(who, x);
    if (options.axis) return topk_of(who, x, k, {.axis = *options.axis, .largest = largest});
    return topk_of(who, flat(x), k, {.axis = 0, .largest = largest});
}

AnyArray detail::kth(const AnyArray& x, std::int64_t k, int given_axis) {
    require_order("kth", x);
    if (x.rank() == 0) throw ArgumentError("kth: a single value has no axes; reshape({1}) gives it one");
    const std::size_t axis = checked_axis(given_axis, x.rank(), "kth");
    if (x.shape()[axis] == 0)
        throw ArgumentError(
            text("kth: axis ", axis, " of shape ", to_string(x.shape()), " has no elements; kth needs one at least"));
    if (k < 0 || k >= x.shape()[axis])
        throw ArgumentError(text("kth: expected k from 0 to ", x.shape()[axis] - 1, ", as axis ", axis, " of shape ",
                                 to_string(x.shape()), " has, got ", k, "; k counts from the smallest, 0"));
    return along(gemel::sort(x, {.axis = static_cast<int>(axis)}), axis, Index(k)).copy();
}

namespace {

/// The position of a quantile between two elements of a sorted row, by NumPy's methods.
struct Between {
    std::int64_t low = 0, high = 0;
    double part = 0;  ///< position between low and high, from 0 to 1
};

/// At a fractional index, limited to the row.
Between between(double at, std::int64_t n) {
    if (!(at > 0)) return {0, 0, 0};
    if (at >= static_cast<double>(n - 1)) return {n - 1, n - 1, 0};
    const double floor = std::floor(at);
    const auto low = static_cast<std::int64_t>(floor);
    return {low, low + 1, at - floor};
}

/// At an integer index.
Between exactly(double at, std::int64_t n) {
    const std::int64_t index = std::clamp<std::int64_t>(static_cast<std::int64_t>(at), 0, n - 1);
    return {index, index, 0};
}

/// @source Hyndman and Fan, "Sample Quantiles in Statistical Packages"
Between elements_around(double q, std::int64_t n, QuantileMethod method) {
    const auto count = static_cast<double>(n);
    const double at = q * (count - 1), through = q * count - 1;
    const auto of = [&](double alpha, double beta) {
        return between(q * count + (alpha + q * (1 - alpha - beta)) - 1, n);
    };
    switch (method) {
        case QuantileMethod::lower: return exactly(std::floor(at), n);
        case QuantileMethod::higher: return exactly(std::ceil(at), n);
        case QuantileMethod::nearest: return exactly(std::nearbyint(at), n);
        case QuantileMethod::midpoint: return between((std::floor(at) + std::ceil(at)) / 2, n);
        case QuantileMethod::inverted_cdf: return exactly(std::ceil(through), n);
        case QuantileMethod::averaged_inverted_cdf:
            return std::ceil(through) == through ? between(through + 0.5, n) : exactly(std::ceil(through), n);
        case QuantileMethod::closest_observation: {
            // Of two equally near elements, the one with the even index, counted from 1.
            const double near = std::floor(through - 0.5);
            const bool is_tie = near == through - 0.5, is_odd = std::fmod(near, 2) != 0;
            return exactly(is_tie && is_odd ? near : near + 1, n);
        }
        case QuantileMethod::interpolated_inverted_cdf: return of(0, 1);
        case QuantileMethod::hazen: return of(0.5, 0.5);
        case QuantileMethod::weibull: return of(0, 0);
        case QuantileMethod::median_unbiased: return of(1.0 / 3, 1.0 / 3);
        case QuantileMethod::normal_unbiased: return of(3.0 / 8, 3.0 / 8);
        case QuantileMethod::linear: return between(at, n);
    }
    throw ArgumentError(text("quantile: expected a method of QuantileMethod, got ", static_cast<int>(method)));
}

/// @param is_mean  the mean of two elements, as NumPy's median, instead of a value between them
const ElementwiseKernel& between_kernel(bool is_mean, bool is_double) {
    const auto make = [](bool mean, const std::string& type, const std::string& half) {
        return ElementwiseKernel("const T *low, const T *high, const T *last, " + type + " part, " + type + " *result",
                                 select_kernels::between().render({{"is_mean", mean}, {"type", type}, {"half", half}}),
                                 mean ? "median" : "quantile");
    };
    static const auto& kernels = *new std::array{make(false, "float", "0.5f"), make(false, "double", "0.5"),
                                                 make(true, "float", "0.5f"), make(true, "double", "0.5")};
    return kernels[2 * std::size_t{is_mean} + std::size_t{is_double}];
}

AnyArray quantiles_of(bool is_mean, const char* who, const AnyArray& given, std::span<const double> parts, double whole,
                      DType result, const QuantileOptions& options) {
    require_order(who, given);
    if (given.dtype().kind() == DType::Kind::complex)
        throw ArgumentError(text(who, ": complex numbers have no order; take real(), imag() or abs()"));
    for (const double q : parts)
        if (!(q >= 0 && q <= whole))
            throw ArgumentError(text(who, ": expected a number from 0 to ", whole, ", got ", q));
    const std::size_t axis = options.axis ? checked_axis(*options.axis, given.rank(), who) : 0;
    const AnyArray x = options.axis ? given : flat(given);
    const std::int64_t n = x.shape()[axis];
    Shape kept, all{static_cast<std::int64_t>(parts.size())};
    for (std::size_t k = 0; k < given.rank(); ++k) {
        const bool is_reduced = !options.axis || k == axis;
        if (!is_reduced || options.keepdims) kept.push_back(is_reduced ? 1 : given.shape()[k]);
    }
    for (const std::int64_t extent : kept) all.push_back(extent);
    const AnyArray values(x.context(), result, all);
    if (values.size() == 0) return values;
    if (n == 0) {
        values.fill(std::nan(""));
        return values;
    }
    const AnyArray sorted = gemel::sort(x, {.axis = static_cast<int>(axis)});
    const auto end = [&](std::int64_t k) { return along(sorted, axis, Index(k)).reshape(kept); };
    const AnyArray last = end(n - 1);
    const ElementwiseKernel& kernel = between_kernel(is_mean, result == dtype_of<double>());
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const Between around = elements_around(parts[k] / whole, n, options.method);
        const AnyArray low = end(around.low), high = end(around.high), to = along(values, 0, Index(k));
        if (result == dtype_of<double>()) {
            kernel(low, high, last, around.part, to);
        } else {
            kernel(low, high, last, static_cast<float>(around.part), to);
        }
    }
    return values;
}

AnyArray first_quantile(const AnyArray& quantiles) { return quantiles.view(std::array<Index, 1>{Index(0)}); }

}  // namespace

AnyArray detail::quantiles(const char* who, const AnyArray& x, std::span<const double> parts, double whole,
                           DType result, const QuantileOptions& options) {
    return quantiles_of(false, who, x, parts, whole, result, options);
}

AnyArray detail::quantile(const char* who, const AnyArray& x, double q, double whole, DType result,
                          const QuantileOptions& options) {
    return first_quantile(quantiles(who, x, std::array{q}, whole, result, options));
}

AnyArray detail::median(const AnyArray& x, DType result, const QuantileOptions& options) {
    const bool is_mean = options.method == QuantileMethod::linear;
    return first_quantile(quantiles_of(is_mean, "median", x, std::array{0.5}, 1, result, options));
}

}  // namespace gemel
