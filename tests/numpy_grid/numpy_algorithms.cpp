/// Makes the calls of numpy_algorithms.py and compares each result with what NumPy found: element type, shape, values.
#include <gemel/gemel.hpp>

#include "exit_code.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using gemel::AnyArray;
using Arrays = std::vector<AnyArray>;

std::vector<std::string> split(const std::string& text, char by) {
    std::istringstream stream(text);
    std::vector<std::string> parts;
    for (std::string part; std::getline(stream, part, by);) parts.push_back(part);
    return parts;
}

struct Case {
    std::string number, function, operand_text, option_text;
    std::map<std::string, std::string> options;
    Arrays operands;
    std::size_t results = 0;
    double distance = 0;

    bool has(const std::string& name) const { return options.contains(name); }
    std::int64_t number_of(const std::string& name, std::int64_t otherwise = 0) const {
        return has(name) ? std::stoll(options.at(name)) : otherwise;
    }
    bool is(const std::string& name) const { return number_of(name) != 0; }
    std::vector<double> numbers(const std::string& name) const {
        std::vector<double> all;
        for (const std::string& part : split(options.at(name), ':')) all.push_back(std::stod(part));
        return all;
    }
    int axis() const { return static_cast<int>(number_of("axis", -1)); }
    gemel::SortOptions sorting() const {
        return {.axis = axis(),
                .descending = is("descending"),
                .tuning = {.strategy = has("strategy") ? gemel::codegen::SortStrategy::three_passes
                                                       : gemel::codegen::SortStrategy::automatic}};
    }
    gemel::codegen::ScanTuning scanning() const {
        if (!has("strategy")) return {};
        return {.block = 64, .items_per_thread = 4, .strategy = gemel::codegen::ScanStrategy::three_passes};
    }
};

Case parse(const std::string& line) {
    const std::vector<std::string> words = split(line, '\t');
    Case one;
    one.number = words.at(0), one.function = words.at(1), one.operand_text = words.at(2), one.option_text = words.at(3);
    for (const std::string& option : split(words[3], ' '))
        one.options[option.substr(0, option.find('='))] = option.substr(option.find('=') + 1);
    one.results = std::stoul(words.at(4));
    one.distance = std::stod(words.at(5));
    return one;
}

/// An array, and the steps of the view of it that is meant.
AnyArray operand(const gemel::NpzFile& file, const std::string& text) {
    const std::vector<std::string> steps = split(text, '/');
    AnyArray x = file.load(gemel::current_context(), steps[0]);
    for (std::size_t k = 1; k < steps.size(); ++k) {
        const std::vector<std::string> parts = split(steps[k].substr(1), ':');
        if (steps[k][0] == 't') {
            x = x.transpose();
        } else if (steps[k][0] == 'b') {
            gemel::Shape shape{std::stoll(parts[0])};
            for (std::size_t d = 0; d < x.rank(); ++d) shape.push_back(x.shape()[d]);
            x = x.broadcast_to(shape);
        } else {
            const std::int64_t step = std::stoll(parts.at(2));
            std::vector<gemel::Index> indices(std::stoul(parts[0]), gemel::Index(gemel::slice()));
            indices.push_back(step < 0 ? gemel::Index(gemel::slice({}, {}, step))
                                       : gemel::Index(gemel::slice(std::stoll(parts.at(1)), {}, step)));
            x = x.view(indices);
        }
    }
    return x;
}

Arrays histogram(const Case& one, bool weighs) {
    using namespace gemel;
    const AnyArray& x = one.operands[0];
    const DType type = x.dtype() == dtype_of<double>() ? dtype_of<double>()
                       : x.dtype().is_floating()       ? dtype_of<float>()
                                                       : dtype_of<double>();
    detail::Bins bins{.count = one.number_of("bins")};
    if (one.has("low")) bins.range = std::array{one.numbers("low")[0], one.numbers("high")[0]};
    if (!one.has("bins")) bins.edges = one.operands[1];
    const detail::BinnedAxis axis = detail::binned_axis("histogram", x, type, bins, {});
    if (!weighs) return {detail::count_points("histogram", {axis}, {}), axis.edges};
    const Weighting weighting{.weights = one.is("weights") ? one.operands.back() : AnyArray(),
                              .density = one.is("density"),
                              .deterministic = one.is("deterministic")};
    return {detail::weigh_points("histogram", {axis}, weighting), axis.edges};
}

Arrays histogramdd(const Case& one) {
    using namespace gemel;
    const AnyArray& x = one.operands[0];
    const std::vector<double> counts = one.numbers("bins"), ranges = one.numbers("ranges");
    std::vector<BinAxis> bins;
    for (std::size_t k = 0; k < counts.size(); ++k)
        bins.push_back({.count = static_cast<std::int64_t>(counts[k]), .range = {{ranges[2 * k], ranges[2 * k + 1]}}});
    const DType type = x.dtype() == dtype_of<float>() ? dtype_of<float>() : dtype_of<double>();
    const auto axes = detail::binned_columns(x, type, bins, {});
    Arrays results{detail::count_points("histogramdd", axes, {})};
    for (const detail::BinnedAxis& axis : axes) results.push_back(axis.edges);
    return results;
}

Arrays quantile(const Case& one) {
    using namespace gemel;
    const AnyArray& x = one.operands[0];
    QuantileOptions options{.method = static_cast<QuantileMethod>(one.number_of("method")),
                            .keepdims = one.is("keepdims")};
    if (one.has("axis")) options.axis = one.axis();
    const bool is_float = x.dtype().is_floating() && !(x.dtype() == dtype_of<double>());
    const DType type = is_float ? dtype_of<float>() : dtype_of<double>();
    const std::vector<double> parts = one.numbers("parts");
    if (one.is("scalar")) return {detail::quantile("quantile", x, parts[0], 1, type, options)};
    return {detail::quantiles("quantile", x, parts, 1, type, options)};
}

Arrays median(const Case& one) {
    using namespace gemel;
    const AnyArray& x = one.operands[0];
    QuantileOptions options{.keepdims = one.is("keepdims")};
    if (one.has("axis")) options.axis = one.axis();
    const bool is_float = x.dtype().is_floating() && !(x.dtype() == dtype_of<double>());
    return {detail::median(x, is_float ? dtype_of<float>() : dtype_of<double>(), options)};
}

Arrays unique(const Case& one) {
    const gemel::AnyUnique u = gemel::detail::unique(one.operands[0], {.index = true, .inverse = true, .counts = true});
    return {u.values, u.index, u.inverse, u.counts};
}

Arrays ends(const Case& one) {
    using namespace gemel;
    const AnyArray& x = one.operands[0];
    const std::int64_t k = one.number_of("k");
    if (one.function == "kth") return {detail::kth(x, k, one.axis())};
    ExtremesOptions options;
    if (one.has("axis")) options.axis = one.axis();
    const AnyTopK found = one.function == "topk"
                              ? detail::topk(x, k, {.axis = one.axis(), .largest = one.is("largest")})
                              : detail::extremes("extremes", x, k, one.is("largest"), options);
    return {found.values, found.indices};
}

Arrays segmented(const Case& one) {
    using namespace gemel;
    const AnyArray& a = one.operands[0];
    const AnyArray& b = one.operands[1];
    if (one.function == "reduce_by_key") {
        const bool is_max = one.options.at("operation") == "max";
        const AnyByKey groups = detail::reduce_by_key(a, b, {.reduce_expr = is_max ? "a > b ? a : b" : ""});
        return {groups.keys(), groups.values()};
    }
    if (one.function == "scan_by_key") return {detail::scan_by_key(a, b, {.exclusive = one.is("exclusive")})};
    return {detail::segment_reduce(a, b, {})};
}

Arrays bincount(const Case& one) {
    using namespace gemel;
    const BincountOptions options{.minlength = one.number_of("minlength"), .deterministic = one.is("deterministic")};
    if (one.function == "bincount") return {detail::bincount(one.operands[0], options)};
    return {detail::bincount(one.operands[0], one.operands[1], options)};
}

using Function = std::function<Arrays(const Case&)>;

std::map<std::string, Function> sorts() {
    using namespace gemel;
    return {
        {"sort", [](const Case& c) { return Arrays{sort(c.operands[0], c.sorting())}; }},
        {"argsort", [](const Case& c) { return Arrays{argsort(c.operands[0], c.sorting())}; }},
        {"sort_by_key",
         [](const Case& c) { return sort_by_key(c.operands[0], std::span(c.operands).subspan(1), c.sorting()); }},
        {"lexsort", [](const Case& c) { return Arrays{lexsort(std::span<const AnyArray>(c.operands), c.axis())}; }},
        {"sort_segments", [](const Case& c) { return Arrays{sort_segments(c.operands[0], c.operands[1])}; }},
    };
}

std::map<std::string, Function> selections() {
    using namespace gemel;
    return {
        {"copy_if",
         [](const Case& c) { return Arrays{copy_if(c.operands[0], c.operands[1], {.tuning = c.scanning()}).array()}; }},
        {"remove_if",
         [](const Case& c) {
             return Arrays{remove_if(c.operands[0], c.operands[1], {.tuning = c.scanning()}).array()};
         }},
        {"partition",
         [](const Case& c) {
             const AnyPartition p = partition(c.operands[0], c.operands[1], {.tuning = c.scanning()});
             return Arrays{p.first(), p.second()};
         }},
        {"compress", [](const Case& c) { return Arrays{compress(c.operands[0], c.operands[1], Integer(c.axis()))}; }},
        {"flatnonzero", [](const Case& c) { return Arrays{flatnonzero(c.operands[0])}; }},
        {"nonzero", [](const Case& c) { return nonzero(c.operands[0]); }},
        {"unique_consecutive",
         [](const Case& c) { return Arrays{unique_consecutive(c.operands[0], {.tuning = c.scanning()}).array()}; }},
        {"run_lengths",
         [](const Case& c) {
             const AnyRuns runs = run_lengths(c.operands[0], {.tuning = c.scanning()});
             return Arrays{runs.values(), runs.lengths()};
         }},
    };
}

std::map<std::string, Function> sets() {
    using namespace gemel;
    return {
        {"unique", unique},
        {"union1d", [](const Case& c) { return Arrays{detail::union1d(c.operands[0], c.operands[1]).array()}; }},
        {"intersect1d",
         [](const Case& c) {
             return Arrays{detail::common_or_not("intersect1d", c.operands[0], c.operands[1], true).array()};
         }},
        {"setdiff1d",
         [](const Case& c) {
             return Arrays{detail::common_or_not("setdiff1d", c.operands[0], c.operands[1], false).array()};
         }},
        {"isin", [](const Case& c) { return Arrays{detail::isin(c.operands[0], c.operands[1], c.is("invert"))}; }},
        {"searchsorted",
         [](const Case& c) {
             return Arrays{detail::searchsorted("searchsorted", c.operands[0], c.operands[1],
                                                c.is("right") ? Side::right : Side::left, {})};
         }},
        {"merge", [](const Case& c) { return Arrays{detail::merge(c.operands[0], c.operands[1], {})}; }},
        {"digitize",
         [](const Case& c) { return Arrays{detail::digitize(c.operands[0], c.operands[1], c.is("right"))}; }},
    };
}

std::map<std::string, Function> functions() {
    std::map<std::string, Function> all{
        {"reduce_by_key", segmented},
        {"scan_by_key", segmented},
        {"segment_reduce", segmented},
        {"bincount", bincount},
        {"bincount_weights", bincount},
        {"histogram", [](const Case& c) { return histogram(c, false); }},
        {"histogram_weights", [](const Case& c) { return histogram(c, true); }},
        {"histogramdd", histogramdd},
        {"topk", ends},
        {"extremes", ends},
        {"kth", ends},
        {"quantile", quantile},
        {"median", median},
    };
    all.merge(sorts());
    all.merge(selections());
    all.merge(sets());
    return all;
}

/// Elements of a type that holds all of them.
template <class T>
std::vector<T> values_of(const AnyArray& x) {
    return gemel::GPUArray<T>(x.astype(gemel::dtype_of<T>())).get();
}

std::string difference_of_numbers(const std::vector<double>& a, const std::vector<double>& b, double distance) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) || std::abs(a[i] - b[i]) <= distance) continue;
        std::ostringstream what;
        what.precision(17);
        what << "element " << i << " is " << a[i] << ", NumPy's " << b[i];
        return what.str();
    }
    return {};
}

/// What is wrong with a result, or nothing.
std::string difference(const AnyArray& found, const AnyArray& expected, double distance) {
    using namespace gemel;
    if (!(found.dtype() == expected.dtype()))
        return "is of " + found.dtype().name() + ", not " + expected.dtype().name();
    if (!(found.shape() == expected.shape()))
        return "has the shape " + to_string(found.shape()) + ", not " + to_string(expected.shape());
    if (found.dtype().kind() == DType::Kind::complex) {
        const std::string what =
            difference_of_numbers(values_of<double>(real(found)), values_of<double>(real(expected)), distance);
        if (!what.empty()) return what;
        return difference_of_numbers(values_of<double>(imag(found)), values_of<double>(imag(expected)), distance);
    }
    if (found.dtype().is_floating())
        return difference_of_numbers(values_of<double>(found), values_of<double>(expected), distance);
    const auto a = values_of<std::int64_t>(found), b = values_of<std::int64_t>(expected);
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i])
            return "element " + std::to_string(i) + " is " + std::to_string(a[i]) + ", NumPy's " + std::to_string(b[i]);
    return {};
}

std::string wrong_with(const Case& one, const Function& function, const gemel::NpzFile& expected) {
    try {
        const Arrays results = function(one);
        if (results.size() != one.results) return "gives " + std::to_string(results.size()) + " results";
        for (std::size_t k = 0; k < results.size(); ++k) {
            const AnyArray right = expected.load(gemel::current_context(), "e" + one.number + "_" + std::to_string(k));
            // Edges, which come behind the counts, are exact.
            const std::string what = difference(results[k], right, k == 0 ? one.distance : 0);
            if (!what.empty()) return "result " + std::to_string(k) + ": " + what;
        }
    } catch (const gemel::Error& error) {
        return std::string("throws: ") + error.what();
    }
    return {};
}

}  // namespace

int main(int, char** argv) try {
    const std::string folder = argv[1];
    std::printf("on %s\n", gemel::default_context().device().name().c_str());
    const gemel::NpzFile arrays(folder + "/arrays.npz"), expected(folder + "/expected.npz");
    const std::map<std::string, Function> known = functions();
    std::ifstream file(folder + "/cases.txt");
    std::size_t cases = 0, wrong = 0;
    for (std::string line; std::getline(file, line); ++cases) {
        Case one = parse(line);
        std::string shapes;
        for (const std::string& text : split(one.operand_text, ',')) {
            one.operands.push_back(operand(arrays, text));
            shapes += ' ' + one.operands.back().dtype().name() + gemel::to_string(one.operands.back().shape());
        }
        const std::string what = wrong_with(one, known.at(one.function), expected);
        if (what.empty()) continue;
        ++wrong;
        std::printf("case %s: %s(%s) %s of%s: %s\n", one.number.c_str(), one.function.c_str(), one.operand_text.c_str(),
                    one.option_text.c_str(), shapes.c_str(), what.c_str());
    }
    std::printf("%zu cases, %zu wrong\n", cases, wrong);
    return cases == 0 || wrong > 0 ? 1 : 0;
} catch (...) {
    return gemel::grid::exit_code();
}
