/// Weights, densities and points of several coordinates beside host loops, in every strategy that the device has.
#include "array_support.hpp"
#include "generator_support.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace gemel;
using namespace gemel::testing;

namespace {

using Longs = std::vector<std::int64_t>;
using Doubles = std::vector<double>;

/// The bin of a value between edges, or -1.
template <class T>
std::int64_t bin_of(T v, const std::vector<T>& edges) {
    if (!(v >= edges.front() && v <= edges.back())) return -1;
    return std::upper_bound(edges.begin(), edges.end() - 1, v) - edges.begin() - 1;
}

/// Numbers whose sums are exact in double.
std::vector<float> weights_of(std::size_t n) { return drawn<float>(n, 31, -64, 64, 8); }

void check_near(const Doubles& expected, const Doubles& found, const std::string& what) {
    REQUIRE(expected.size() == found.size());
    for (std::size_t k = 0; k < expected.size(); ++k)
        CHECK_MESSAGE(std::abs(expected[k] - found[k]) <= 1e-12 * std::abs(expected[k]), what, " bin ", k);
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("histograms add up weights") {
    if (lacks_double()) return;
    for (const BinStrategy strategy :
         {BinStrategy::automatic, BinStrategy::shared, BinStrategy::global, BinStrategy::chunks})
        for (const std::size_t n : {0, 1, 6001}) {
            const auto values = drawn<float>(n, 30, -300, 300, 7), weights = weights_of(n);
            const GPUArray<float> x = placed<float>(values, 0), w = placed<float>(weights, 0);
            for (const bool deterministic : {false, true}) {
                const WeightedHistogram<float> h =
                    histogram(x, 40, -20.0, 30.0,
                              {.weights = w, .deterministic = deterministic, .binning = {.strategy = strategy}});
                const std::vector<float> edges = h.edges.get();
                Doubles sums(40);
                for (std::size_t i = 0; i < n; ++i)
                    if (const std::int64_t bin = bin_of(values[i], edges); bin >= 0)
                        sums[static_cast<std::size_t>(bin)] += static_cast<double>(weights[i]);
                CHECK_SAME(sums, h.sums.get(), "sums ", n, " ", deterministic);
                const auto given = histogram(x, h.edges, {.weights = w, .binning = {.strategy = strategy}});
                CHECK_SAME(sums, given.sums.get(), "given edges ", n);
            }
        }
}

TEST_CASE("a density's integral is 1") {
    if (lacks_double()) return;
    const auto values = drawn<float>(5000, 32, 0, 1000, 10);
    const GPUArray<float> x = placed<float>(values, 0);
    const GPUArray<float> edges = to_gpu(std::vector<float>{0, 1, 10, 11.5f, 80, 100});
    const WeightedHistogram<float> p = histogram(x, edges, {.density = true});
    const Longs counts = histogram(x, edges).counts.get();
    const auto borders = edges.get();
    Doubles expected;
    for (std::size_t k = 0; k < counts.size(); ++k)
        expected.push_back(static_cast<double>(counts[k]) / static_cast<double>(borders[k + 1] - borders[k]) / 5000);
    check_near(expected, p.sums.get(), "density");
    const auto found = histogram(x, 8, {.weights = abs(x).eval(), .density = true});
    const GPUArray<double> widths = (found.edges(slice(1, {})) - found.edges(slice(0, -1))).eval().astype<double>();
    CHECK(std::abs(sum(found.sums * widths).item() - 1) < 1e-12);
    CHECK(std::isnan(histogram(zeros<float>({0}), 3, {.density = true}).sums(0).item()));
}

TEST_CASE("float weights have the same bits every time if asked for") {
    if (lacks_double()) return;
    const GPUArray<float> x = placed<float>(drawn<float>(20000, 33, 0, 999, 10), 0);
    const GPUArray<double> w = 1.0 / placed<float>(drawn<float>(20000, 34, 1, 1000), 0).astype<double>();
    for (const BinStrategy strategy : {BinStrategy::automatic, BinStrategy::shared}) {
        const Weighting weighting{.weights = w, .deterministic = true, .binning = {.strategy = strategy}};
        const Doubles once = histogram(x, 16, 0.0, 100.0, weighting).sums.get();
        for (int k = 0; k < 3; ++k) {
            const Doubles again = histogram(x, 16, 0.0, 100.0, weighting).sums.get();
            CHECK(std::memcmp(once.data(), again.data(), once.size() * sizeof(double)) == 0);
        }
    }
}

TEST_CASE("pairs and points are weighed and counted in tables") {
    if (lacks_double()) return;
    const std::size_t n = 3001;
    const auto a = drawn<float>(n, 35, 0, 100), b = drawn<float>(n, 36, -50, 50), c = drawn<float>(n, 37, 0, 7),
               weights = weights_of(n);
    const GPUArray<float> x = placed<float>(a, 0), y = placed<float>(b, 0), z = placed<float>(c, 0),
                          w = placed<float>(weights, 0);
    const auto h = histogram2d(x, y, {4, 5}, {0.0, 80.0}, {-40.0, 50.0}, {.weights = w});
    const auto ex = h.x_edges.get(), ey = h.y_edges.get();
    const GPUArray<float> points = stack({x, y, z}, 1), ez = to_gpu(std::vector<float>{0, 2, 3, 7});
    const std::vector<BinAxis> axes{
        {.count = 4, .range = {{0.0, 80.0}}}, {.count = 5, .range = {{-40.0, 50.0}}}, {.edges = ez}};
    Doubles pairs(20), triples(60);
    Longs counts(60);
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t r = bin_of(a[i], ex), s = bin_of(b[i], ey), t = bin_of(c[i], ez.get());
        if (r < 0 || s < 0) continue;
        pairs[static_cast<std::size_t>(5 * r + s)] += static_cast<double>(weights[i]);
        if (t < 0) continue;
        triples[static_cast<std::size_t>(15 * r + 3 * s + t)] += static_cast<double>(weights[i]);
        ++counts[static_cast<std::size_t>(15 * r + 3 * s + t)];
    }
    CHECK(h.sums.shape() == Shape{4, 5});
    CHECK_SAME(pairs, h.sums.get(), "pairs");
    const HistogramDd<float> counted = histogramdd(points, axes);
    CHECK(counted.counts.shape() == Shape{4, 5, 3});
    CHECK(counted.edges.size() == 3);
    CHECK_SAME(counts, counted.counts.get(), "points");
    for (const bool deterministic : {false, true})
        CHECK_SAME(
            triples,
            histogramdd(points, axes,
                        {.weights = w, .deterministic = deterministic, .binning = {.strategy = BinStrategy::shared}})
                .sums.get(),
            "weighed points");
    Doubles density = pairs;
    double total = 0;
    for (const double v : pairs) total += v;
    for (std::size_t k = 0; k < density.size(); ++k)
        density[k] = pairs[k] / static_cast<double>(ex[k / 5 + 1] - ex[k / 5]) /
                     static_cast<double>(ey[k % 5 + 1] - ey[k % 5]) / total;
    check_near(density, histogram2d(x, y, h.x_edges, h.y_edges, {.weights = w, .density = true}).sums.get(), "density");
}

TEST_CASE("weights that do not fit are refused") {
    if (lacks_double()) return;
    const GPUArray<float> x = arange<float>(10);
    CHECK_THROWS_MENTIONING(ArgumentError, histogram(x, 4, 0.0, 1.0, {.weights = zeros<float>({7})}), "histogram",
                            "(10,)", "(7,)");
    CHECK_THROWS_MENTIONING(ArgumentError, histogram(x, 4, {.weights = zeros<cfloat>({10})}), "histogram", "cfloat",
                            "real numbers");
    CHECK_THROWS_MENTIONING(ArgumentError, histogramdd(x, {{}}), "histogramdd", "(10,)", "(points, coordinates)");
    CHECK_THROWS_MENTIONING(ArgumentError, histogramdd(x.reshape({5, 2}), {{}}), "histogramdd", "2 coordinates", "1");
    CHECK_THROWS_MENTIONING(ArgumentError, histogramdd(x.reshape({5, 2}), {{.count = 1 << 20}, {.count = 1 << 20}}),
                            "histogramdd", "2^31 - 1 bins");
    CHECK(histogram(x, 5, 0.0, 10.0, {.weights = x}).sums(4).item() == 17);
}

TEST_SUITE_END();
