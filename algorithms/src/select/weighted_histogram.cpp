/// Histograms of points in several dimensions, as counts, sums of weights or densities.
#include <gemel/algorithms/weighted_histogram.hpp>

#include "rearrange/moving.hpp"
#include "select/binning.hpp"
#include "select/selecting.hpp"

#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/reductions.hpp>

namespace gemel {
namespace selecting {

namespace {

/// Coordinates of one point: kernels have two arrays for each of them.
constexpr std::size_t max_dimensions = 8;

const char* type_of(const AnyArray& edges) { return edges.dtype() == dtype_of<double>() ? "double" : "float"; }

std::int32_t bin_count(const AnyArray& edges) { return static_cast<std::int32_t>(edges.size()) - 1; }

void add_axis(Binning& b, const detail::BinnedAxis& axis) {
    b.elements.push_back(flat(axis.elements));
    b.more.push_back(axis.edges);
    b.sizes.push_back(bin_count(axis.edges));
    b.key += !axis.even ? 'g' : counts_by_bits(type_of(axis.edges), bin_count(axis.edges)) ? 'b' : 'e';
}

/// For kernels of this many coordinates.
BinText text_of(const std::vector<detail::BinnedAxis>& axes) {
    BinText all;
    std::string is_inside = "bin_0 >= 0", bin = "bin_0";
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        const detail::BinnedAxis& of = axes[axis];
        const std::string k = std::to_string(axis), type = type_of(of.edges);
        if (of.even) all.prepare += prepare_even(k, type);
        all.find += of.even ? find_even(k, type, bin_count(of.edges)) : find_between(k, type);
        if (axis == 0) continue;
        is_inside += text(" && bin_", k, " >= 0");
        bin = text("(", bin, ") * bins_", k, " + bin_", k);
    }
    all.find += text("if (", is_inside, ") bin = ", bin, ";");
    return all;
}

/// Refers to `axes`.
/// @param shape  receives the bins of each axis
Binning binning_of(const char* who, const std::vector<detail::BinnedAxis>& axes, Shape& shape) {
    Binning b{.who = who, .elements = {}, .text = [&axes] { return text_of(axes); }, .bins = 1};
    for (std::size_t k = 0; k < axes.size(); ++k) {
        if (k > 0) require_context(who, text("coordinate ", k + 1), axes[k].elements, axes[0].elements);
        if (!(axes[k].elements.shape() == axes[0].elements.shape()))
            throw ArgumentError(text(who, ": the arrays have shapes ", to_string(axes[0].elements.shape()), " and ",
                                     to_string(axes[k].elements.shape()), "; expected equal shapes"));
        add_axis(b, axes[k]);
        shape.push_back(bin_count(axes[k].edges));
        if (shape.back() > INT32_MAX / b.bins)
            throw ArgumentError(text(who, ": expected at most 2^31 - 1 bins over all axes, got ", b.bins, " x ",
                                     shape.back(), " in the first ", k + 1, "; take fewer"));
        b.bins *= shape.back();
    }
    return b;
}

}  // namespace

ElementwiseKernel density_kernel(const std::vector<DType>& edges) {
    std::vector<Parameter> arguments = parse_declarations("const double *sums, const double *total, double *density");
    std::string widths, quotient = "sums[i]";
    for (std::size_t k = 0; k < edges.size(); ++k) {
        arguments.push_back(VectorArg(edges[k], text("y", k), true));
        arguments.push_back(ScalarArg(dtype_of<std::int32_t>(), text("bins_", k)));
    }
    for (std::size_t k = edges.size(); k-- > 0;) {
        widths += text("const int64_t b", k, " = left % bins_", k, ";\nleft /= bins_", k, ";\n");
        quotient += text(" / (double)(y", k, "[b", k, " + 1] - y", k, "[b", k, "])");
    }
    return ElementwiseKernel(std::move(arguments),
                             text("int64_t left = i;\n", widths, "density[i] = ", quotient, " / total[0]"), "density");
}

}  // namespace selecting

using namespace selecting;

namespace {

/// Divides sums, in C order, by their total and by each bin's volume.
GPUArray<double> density_of(const GPUArray<double>& sums, const std::vector<detail::BinnedAxis>& axes) {
    static auto& kernels = *new KernelsByText<ElementwiseKernel>;
    if (sums.size() == 0) return sums;
    std::string key;
    std::vector<DType> types;
    std::vector<std::int32_t> sizes;
    for (const detail::BinnedAxis& axis : axes) {
        types.push_back(axis.edges.dtype());
        sizes.push_back(bin_count(axis.edges));
        key += axis.edges.dtype().name() + ' ';
    }
    const GPUArray<double> total = sum(sums), density(sums.context(), sums.shape());
    std::vector<CallArgument> arguments{CallArgument(sums), CallArgument(total), CallArgument(density)};
    for (std::size_t k = 0; k < axes.size(); ++k) {
        arguments.emplace_back(axes[k].edges);
        arguments.emplace_back(sizes[k]);
    }
    kernels.find(key, [&] { return density_kernel(types); })->run({}, arguments);
    return density;
}

void check_weights(const char* who, const AnyArray& weights, const AnyArray& elements) {
    require_context(who, "the array of weights", weights, elements);
    if (!is_number(weights.dtype()) || weights.dtype().kind() == DType::Kind::complex)
        throw ArgumentError(text(who, ": expected weights that are real numbers, got ", weights.dtype().name()));
    if (!(weights.shape() == elements.shape()))
        throw ArgumentError(text(who, ": the elements have shape ", to_string(elements.shape()), ", the weights ",
                                 to_string(weights.shape()), "; expected one weight per element"));
}

/// Sums of weights for each bin, as one axis.
AnyArray summed(Binning& b, const Weighting& weighting) {
    const Device device = b.elements[0].context().device();
    const HistogramOptions& options = weighting.binning;
    const AnyArray weights = flat(weighting.weights);
    // On CPU devices each thread adds in the order of its elements, which is deterministic.
    const bool keeps_order = device.info().type == DeviceInfo::Type::cpu && options.strategy == BinStrategy::automatic;
    if (weighting.deterministic && !keeps_order) return summed_in_order(bins_of(b), weights, b.bins, options.stream);
    b.elements.push_back(weights);
    b.weighted = true;
    return count_bins(b, options.strategy, options.stream);
}

}  // namespace

GPUArray<std::int64_t> detail::count_points(const char* who, const std::vector<BinnedAxis>& axes,
                                            const HistogramOptions& options, const AnyArray& zeros) {
    Shape shape;
    Binning b = binning_of(who, axes, shape);
    b.zeros = zeros;
    return GPUArray<std::int64_t>(count_bins(b, options.strategy, options.stream).reshape(shape));
}

GPUArray<double> detail::weigh_points(const char* who, const std::vector<BinnedAxis>& axes,
                                      const Weighting& weighting) {
    const OnStream scope(weighting.binning.stream);
    require_double(who, axes[0].elements);
    Shape shape;
    Binning b = binning_of(who, axes, shape);
    AnyArray sums;
    if (weighting.weights.empty()) {
        sums = count_bins(b, weighting.binning.strategy, {}).astype(dtype_of<double>());
    } else {
        check_weights(who, weighting.weights, axes[0].elements);
        sums = summed(b, weighting);
    }
    const GPUArray<double> result(sums.reshape(shape));
    return weighting.density ? density_of(result, axes) : result;
}

std::vector<detail::BinnedAxis> detail::binned_columns(const AnyArray& points, DType dtype,
                                                       const std::vector<BinAxis>& bins, const Stream& stream) {
    const char* who = "histogramdd";
    require_array(who, "the array of points", points);
    if (points.rank() != 2 || points.shape()[1] < 1 || points.shape()[1] > std::int64_t{max_dimensions})
        throw ArgumentError(text(who, ": the points have shape ", to_string(points.shape()),
                                 ", expected (points, coordinates) with 1 to ", max_dimensions, " coordinates"));
    const auto columns = static_cast<std::size_t>(points.shape()[1]);
    if (bins.size() != columns)
        throw ArgumentError(
            text(who, ": points have ", counted(columns, "coordinate"), ", expected as many bins, got ", bins.size()));
    std::vector<BinnedAxis> axes;
    for (std::size_t k = 0; k < columns; ++k) {
        const AnyArray column = points(slice(), static_cast<std::int64_t>(k));
        axes.push_back(binned_axis(who, column, dtype, {bins[k].count, bins[k].range, bins[k].edges}, stream));
    }
    return axes;
}

}  // namespace gemel
