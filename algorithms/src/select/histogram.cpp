/// bincount, and the edges of histograms with their checks.
#include "rearrange/moving.hpp"
#include "select/binning.hpp"
#include "select/selecting.hpp"

#include <gemel/algorithms/sort.hpp>
#include <gemel/algorithms/weighted_histogram.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/reductions.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gemel {
namespace {

using namespace selecting;
using detail::Bins;

bool is_signed_integer(DType dtype) { return dtype.kind() == DType::Kind::signed_integer; }

/// The number of bins of numpy.bincount().
std::int64_t bincount_length(const AnyArray& x, const BincountOptions& options) {
    if (options.minlength < 0)
        throw ArgumentError(text("bincount: expected a minlength of at least 0, got ", options.minlength));
    if (options.length) {
        if (*options.length < 0)
            throw ArgumentError(text("bincount: expected a length of at least 0, got ", *options.length));
        if (options.minlength > 0)
            throw ArgumentError(text("bincount: got .length = ", *options.length, " and .minlength = ",
                                     options.minlength, "; give .length alone, which is the number of bins"));
        return *options.length;
    }
    if (x.size() == 0) return options.minlength;
    const OnStream scope(options.stream);
    // One reduction finds both errors: a negative number is a very large unsigned one.
    const AnyExpr numbers = is_signed_integer(x.dtype())
                                ? astype(astype(x, dtype_of<std::int64_t>()), dtype_of<std::uint64_t>())
                                : astype(x, dtype_of<std::uint64_t>());
    const auto largest = AnyArray(max(numbers)).item<std::uint64_t>();
    if (largest >= std::uint64_t{1} << 63 && is_signed_integer(x.dtype()))
        throw ArgumentError(text("bincount: expected numbers from 0, got ", static_cast<std::int64_t>(largest),
                                 "; .length = n ignores numbers outside 0 to n - 1"));
    if (largest >= std::uint64_t{INT32_MAX})
        throw ArgumentError(text("bincount: expected numbers below 2^31 - 1, got ", largest,
                                 "; .length = n ignores numbers outside 0 to n - 1"));
    return std::max(static_cast<std::int64_t>(largest) + 1, options.minlength);
}

Binning numbers_binning(const AnyArray& x, std::int64_t bins) {
    const bool is_small = is_signed_integer(x.dtype()) || x.dtype().size_bytes() < 8;
    const char* const find = is_small
                                 ? "const int64_t number = x0[@];\nif (number >= 0 && number < bins) bin = (int)number;"
                                 : "if (x0[@] < (uint64_t)bins) bin = (int)x0[@];";
    return {.who = "bincount", .elements = {x}, .text = [=] { return BinText{.find = find}; }, .bins = bins};
}

void check_numbers(const AnyArray& x) {
    require_array("bincount", "the array", x);
    if (x.rank() != 1)
        throw ArgumentError(
            text("bincount: the array has shape ", to_string(x.shape()), ", expected one axis; ravel() gives one"));
    if (!x.dtype().is_integer() && x.dtype().kind() != DType::Kind::boolean)
        throw ArgumentError(
            text("bincount: expected integers or bools, got ", x.dtype().name(), "; astype() converts"));
}

void check_element_numbers(const char* who, const AnyArray& x) {
    if (!codegen::is_number(x.dtype()) || x.dtype().kind() == DType::Kind::complex)
        throw ArgumentError(text(who, ": elements of ", x.dtype().name(), " have no order; bins need real numbers"));
}

}  // namespace

GPUArray<double> selecting::summed_in_order(const AnyArray& x, const AnyArray& weights, std::int64_t bins,
                                            const Stream& stream) {
    static const auto& store = *new ElementwiseKernel(
        "const int64_t *keys, const double *values, const int64_t *count, double *result, int64_t bins",
        "if (i < count[0] && keys[i] >= 0 && keys[i] < bins) result[keys[i]] = values[i]", "store_sums");
    const OnStream scope(stream);
    const GPUArray<double> result(x.context(), Shape{bins});
    result.fill(0);
    if (x.size() == 0 || bins == 0) return result;
    const std::array<AnyArray, 1> values{weights.astype(dtype_of<double>())};
    const std::vector<AnyArray> sorted = gemel::sort_by_key(x, std::span<const AnyArray>(values));
    const AnyByKey sums = detail::reduce_by_key(sorted[0], sorted[1], {.deterministic = true});
    store(sums.all_keys.astype(dtype_of<std::int64_t>()), sums.all_values, sums.count, result, bins);
    return result;
}

GPUArray<std::int64_t> detail::bincount(const AnyArray& x, const BincountOptions& options) {
    check_numbers(x);
    return GPUArray<std::int64_t>(
        count_bins(numbers_binning(x, bincount_length(x, options)), options.strategy, options.stream));
}

GPUArray<double> detail::bincount(const AnyArray& x, const AnyArray& weights, const BincountOptions& options) {
    check_numbers(x);
    require_context("bincount", "the array of weights", weights, x);
    const bool is_complex = weights.dtype().kind() == DType::Kind::complex;
    if (!codegen::is_number(weights.dtype()) || is_complex)
        throw ArgumentError(text("bincount: expected weights of real numbers, got ", weights.dtype().name(),
                                 is_complex ? "; count with real(weights) and imag(weights)"
                                            : "; an ElementwiseKernel makes numbers of them"));
    if (!(x.shape() == weights.shape()))
        throw ArgumentError(
            text("bincount: expected ", counted(x.size(), "weight"), ", one per element, got ", weights.size()));
    require_double("bincount", x);
    Binning binning = numbers_binning(x, bincount_length(x, options));
    binning.elements.push_back(weights);
    binning.weighted = true;
    const bool is_cpu = x.context().device().info().type == DeviceInfo::Type::cpu;
    if (options.deterministic && !(is_cpu && options.strategy == BinStrategy::automatic))
        return summed_in_order(x, weights, binning.bins, options.stream);
    return GPUArray<double>(count_bins(binning, options.strategy, options.stream));
}

namespace {

/// Edges for floats, of edges of a wider type: a float is at or above such an edge if it is at or above the next float
/// from it on, and not above the last edge if it is not above the next float below.
GPUArray<float> edges_in_floats(const Context& context, const std::vector<double>& edges) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> rounded;
    for (const double edge : edges) {
        const auto nearest = static_cast<float>(edge);
        const bool is_last = rounded.size() + 1 == edges.size();
        const bool is_on_this_side = is_last ? nearest <= edge : nearest >= edge;
        rounded.push_back(is_on_this_side ? nearest : std::nextafter(nearest, is_last ? -infinity : infinity));
    }
    return to_gpu(context, rounded);
}

/// Checks the user's edges.
AnyArray checked_edges(const char* who, const AnyArray& x, const AnyArray& edges, DType dtype) {
    require_context(who, "the array of edges", edges, x);
    check_element_numbers(who, edges);
    if (edges.rank() != 1 || edges.size() < 2)
        throw ArgumentError(text(who, ": the edges have shape ", to_string(edges.shape()),
                                 ", expected one axis with at least two edges"));
    const std::vector<double> values = GPUArray<double>(edges.astype(dtype_of<double>())).get();
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (std::isnan(values[k]))
            throw ArgumentError(text(who, ": edge ", k, " is NaN; expected numbers in ascending order"));
        if (k > 0 && values[k] < values[k - 1])
            throw ArgumentError(text(who, ": expected edges in ascending order, got ", values[k - 1], " and then ",
                                     values[k], " at index ", k));
    }
    if (edges.dtype() == dtype) return without_gaps(edges);
    return dtype == dtype_of<float>() ? AnyArray(edges_in_floats(x.context(), values)) : edges.astype(dtype);
}

/// Edges equal NumPy's bit for bit (each is the first plus a rounded multiple of the width), so that a value equal to
/// an edge is in the same bin. The kernel sets the counts of the bins to 0 where it has them.
ElementwiseKernel edges_kernel(const std::string& arguments, const std::string& low_high, const std::string& type,
                               bool has_counts) {
    return ElementwiseKernel(text(arguments, ", int64_t bins, T *edges", has_counts ? ", int64_t *counts" : ""),
                             text(low_high, "const ", type, " step = (high - low) / (", type, ")bins;\n",
                                  "edges[i] = i == bins ? (T)high : (T)((", type, ")i * step + low)",
                                  has_counts ? ";\nconst int64_t bin = i;\nif (bin < bins) counts[bin] = 0" : ""),
                             "histogram_edges", {.compile = {.fp_contract = false}});
}

/// The edges, and zeros for the counts of the bins where they are asked for.
struct NewEdges {
    NewEdges(const AnyArray& x, DType dtype, std::int64_t count, AnyArray* zeros)
        : edges(x.context(), dtype, Shape{count + 1}), count(count), zeros(zeros) {
        if (zeros) *zeros = AnyArray(x.context(), dtype_of<std::int64_t>(), Shape{count});
    }
    /// @param kernels  without and with counts
    template <class Number>
    void fill(const std::array<ElementwiseKernel, 2>& kernels, const Number& low, const Number& high) const {
        if (zeros)
            kernels[1](low, high, count, edges, *zeros);
        else
            kernels[0](low, high, count, edges);
    }
    AnyArray edges;
    std::int64_t count;
    AnyArray* zeros;
};

/// Evenly spaced edges, computed on the device, in double if it has it: an upload would wait for enqueued work.
AnyArray even_edges(const AnyArray& x, DType dtype, std::int64_t count, std::array<double, 2> range, AnyArray* zeros) {
    const auto make = [](const std::string& type) {
        const std::string arguments = text(type, " low, ", type, " high");
        return std::array{edges_kernel(arguments, "", type, false), edges_kernel(arguments, "", type, true)};
    };
    static const auto& in_doubles = *new std::array<ElementwiseKernel, 2>(make("double"));
    static const auto& in_floats = *new std::array<ElementwiseKernel, 2>(make("float"));
    const NewEdges made(x, dtype, count, zeros);
    const Device device = x.context().device();
    const auto [low, high] = range;
    if (device.info().has_double) {
        made.fill(in_doubles, low, high);
    } else {
        made.fill(in_floats, static_cast<float>(low), static_cast<float>(high));
    }
    return made.edges;
}

/// Evenly spaced edges from minimum to maximum, which stay on the device.
AnyArray found_edges(const AnyArray& x, DType dtype, std::int64_t count, AnyArray* zeros) {
    const auto make = [](const std::string& type) {
        const std::string half = type == "double" ? "0.5" : "0.5f";
        const std::string arguments = text("const ", type, " *least, const ", type, " *greatest");
        const std::string found = text(type, " low = least[0], high = greatest[0];\nif (low == high) low -= ", half,
                                       ", high += ", half, ";\n");
        return std::array{edges_kernel(arguments, found, type, false), edges_kernel(arguments, found, type, true)};
    };
    static const auto& of_floats = *new std::array<ElementwiseKernel, 2>(make("float"));
    static const auto& of_doubles = *new std::array<ElementwiseKernel, 2>(make("double"));
    const AnyArray low = AnyArray(min(x)).astype(dtype), high = AnyArray(max(x)).astype(dtype);
    const NewEdges made(x, dtype, count, zeros);
    made.fill(dtype == dtype_of<double>() ? of_doubles : of_floats, low, high);
    return made.edges;
}

/// @param zeros  receives int64 zeros, one per bin, if the edges are computed; null to leave them out
AnyArray make_edges(const char* who, const AnyArray& x, DType dtype, const Bins& bins, const Stream& stream,
                    AnyArray* zeros) {
    require_array(who, "the array", x);
    check_element_numbers(who, x);
    const OnStream scope(stream);
    if (!bins.edges.empty()) return checked_edges(who, x, bins.edges, dtype);
    if (bins.count < 1 || bins.count >= INT32_MAX)
        throw ArgumentError(text(who, ": expected 1 to 2^31 - 2 bins, got ", bins.count));
    if (!bins.range && x.size() > 0) return found_edges(x, dtype, bins.count, zeros);
    auto [low, high] = bins.range.value_or(std::array{0.0, 1.0});
    if (!std::isfinite(low) || !std::isfinite(high) || low > high)
        throw ArgumentError(text(who, ": expected a finite range with low <= high, got ", low, " to ", high));
    if (low == high) low -= 0.5, high += 0.5;
    return even_edges(x, dtype, bins.count, {low, high}, zeros);
}

}  // namespace

DType detail::edge_type(DType element) {
    if (!element.is_floating()) return dtype_of<double>();
    return element.size_bytes() == 2 ? dtype_of<float>() : element;
}

AnyArray detail::bin_edges(const char* who, const AnyArray& x, DType dtype, const Bins& bins, const Stream& stream) {
    return make_edges(who, x, dtype, bins, stream, nullptr);
}

AnyHistogram detail::histogram(const AnyArray& x, DType dtype, const Bins& bins, const HistogramOptions& options) {
    require_array("histogram", "the array", x);
    const Device device = x.context().device();
    // Chunks, which CPU devices count in, need no zeros.
    const bool in_chunks = options.strategy == BinStrategy::chunks ||
                           (options.strategy == BinStrategy::automatic && device.info().type == DeviceInfo::Type::cpu);
    AnyArray zeros;
    const AnyArray edges = make_edges("histogram", x, dtype, bins, options.stream, in_chunks ? nullptr : &zeros);
    return {count_points("histogram", {{x, edges, bins.edges.empty()}}, options, zeros), edges};
}

GPUArray<std::int64_t> detail::histogram2d(const AnyArray& x, const AnyArray& y, const AnyArray& x_edges,
                                           const AnyArray& y_edges, std::array<bool, 2> even,
                                           const HistogramOptions& options) {
    return count_points("histogram2d", {{x, x_edges, even[0]}, {y, y_edges, even[1]}}, options);
}

detail::BinnedAxis detail::binned_axis(const char* who, const AnyArray& x, DType dtype, const Bins& bins,
                                       const Stream& stream) {
    return {x, bin_edges(who, x, dtype, bins, stream), bins.edges.empty()};
}

}  // namespace gemel
