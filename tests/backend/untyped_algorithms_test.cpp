/// Algorithms on arrays whose types are known at run time only give what the typed ones give.
#include <gemel/testing_doctest.hpp>

#include "array_support.hpp"
#include "generator_support.hpp"

using namespace gemel;
using namespace gemel::testing;

namespace {

const std::vector<float> numbers{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
const std::vector<float> ascending{1, 2, 4, 5, 5, 8};

template <class T>
void check_same(const AnyArray& found, const GPUArray<T>& expected) {
    REQUIRE(found.dtype() == dtype_of<T>());
    CHECK(GPUArray<T>(found).get() == expected.get());
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("untyped arrays and expressions are searched and merged") {
    const auto sorted = to_gpu(ascending), values = to_gpu(numbers);
    const AnyArray any_sorted = sorted, any_values = values;
    const auto expected = searchsorted(sorted, values, Side::right);
    check_same(searchsorted(any_sorted, any_values, Side::right), expected);
    check_same(searchsorted(sorted, any_values, Side::right), expected);
    check_same(searchsorted(AnyExpr(any_sorted) * 1.0f, values, Side::right), expected);
    check_same(merge(any_sorted, sorted), merge(sorted, sorted));
    CHECK_THROWS_MENTIONING(ArgumentError, merge(any_sorted, AnyArray(sorted.astype<int>())), "merge", "float", "int32",
                            "astype()");
    CHECK_THROWS_MENTIONING(ArgumentError, searchsorted(AnyArray(sorted.reshape({2, 3})), any_values), "one axis");
}

TEST_CASE("order statistics of untyped arrays have the types of the typed ones") {
    const auto x = to_gpu(numbers).reshape({3, 4});
    const auto whole = x.astype<int>();
    const AnyArray any = x, any_whole = whole, any_half = x.astype<half>();
    const auto top = topk(x, 2);
    check_same(topk(any, 2).values, top.values);
    check_same(topk(AnyExpr(any), 2).indices, top.indices);
    check_same(max_k(any, 3).values, max_k(x, 3).values);
    check_same(min_k(any_whole, 3).values, min_k(whole, 3).values);
    check_same(kth(any, 1, 0), kth(x, 1, 0));
    check_same(median(any, {.axis = 1}), median(x, {.axis = 1}));
    check_same(median(any_whole), median(whole));
    check_same(quantile(any, 0.25), quantile(x, 0.25));
    check_same(quantile(any_half, {0.1, 0.9}), quantile(x.astype<half>(), {0.1, 0.9}));
    check_same(percentile(any, 30), percentile(x, 30));
    check_same(percentile(any_whole, {10.0, 20.0}, {.axis = 0}), percentile(whole, {10.0, 20.0}, {.axis = 0}));
    CHECK_THROWS_MENTIONING(ArgumentError, median(AnyArray(x.astype<cfloat>())), "complex");
}

TEST_CASE("untyped arrays are grouped and counted") {
    const auto keys = to_gpu(std::vector<int>{0, 0, 1, 1, 1, 2, 2, 4, 4, 4, 4, 5});
    const auto values = to_gpu(numbers);
    const AnyArray any_keys = keys, any_values = values;
    const auto sums = reduce_by_key(keys, values);
    const AnyByKey any_sums = reduce_by_key(any_keys, values);
    check_same(any_sums.keys(), sums.keys());
    check_same(any_sums.values(), sums.values());
    check_same(scan_by_key(any_keys, any_values), scan_by_key(keys, values));
    const auto starts = to_gpu(std::vector<std::int64_t>{0, 2, 2, 12});
    check_same(segment_reduce(any_values, starts), segment_reduce(values, starts));
    check_same(bincount(any_keys), bincount(keys));
    check_same(bincount(any_keys, any_values, {.length = 6}), bincount(keys, values, {.length = 6}));
    CHECK_THROWS_MENTIONING(ArgumentError, bincount(any_values), "bincount", "integers");
}

TEST_CASE("histograms of untyped arrays have edges of the typed ones' type") {
    const auto values = to_gpu(numbers), edges = to_gpu(ascending);
    const auto whole = values.astype<int>();
    const AnyArray any = values, any_whole = whole, any_edges = edges;
    const auto check_histogram = [](const AnyHistogram& found, const auto& expected) {
        check_same(found.counts, expected.counts);
        check_same(found.edges, expected.edges);
    };
    check_histogram(histogram(any, 4, 0.0, 8.0), histogram(values, 4, 0.0, 8.0));
    check_histogram(histogram(any_whole, 5), histogram(whole, 5));
    check_histogram(histogram(AnyExpr(any)), histogram(values));
    check_histogram(histogram(any_whole, any_edges), histogram(whole, edges));
    check_same(digitize(any, edges), digitize(values, edges));
    CHECK_THROWS_MENTIONING(ArgumentError, histogram(AnyArray(values.astype<cfloat>())), "histogram", "real numbers");
}

TEST_CASE("histograms of several untyped coordinates") {
    const auto x = to_gpu(numbers), edges = to_gpu(std::vector<float>{0, 2, 5, 9});
    const GPUArray<float> y = 9 - x;
    const auto whole = y.astype<int>();
    const AnyArray any_x = x, any_whole = whole, any_edges = edges;
    const std::array<std::int64_t, 2> bins{3, 4};
    const auto check_grid = [](const AnyHistogram2d& found, const auto& expected) {
        check_same(found.counts, expected.counts);
        check_same(found.x_edges, expected.x_edges);
        check_same(found.y_edges, expected.y_edges);
    };
    check_grid(histogram2d(any_x, any_whole, bins), histogram2d(x, whole, bins));
    check_grid(histogram2d(x, any_whole, bins), histogram2d(x, whole, bins));
    check_grid(histogram2d(any_x, y, bins, {0.0, 4.0}, {-1.0, 8.0}), histogram2d(x, y, bins, {0.0, 4.0}, {-1.0, 8.0}));
    check_grid(histogram2d(any_x, y, any_edges, edges), histogram2d(x, y, edges, edges));
    const auto points = x.reshape({6, 2});
    const AnyArray any_points = points;
    const std::vector<BinAxis> axes{{.count = 3}, {.count = 2, .range = {{0.0, 5.0}}}};
    const AnyHistogramDd found = histogramdd(any_points, axes);
    const auto expected = histogramdd(points, axes);
    check_same(found.counts, expected.counts);
    REQUIRE(found.edges.size() == 2);
    for (std::size_t k = 0; k < 2; ++k) check_same(found.edges[k], expected.edges[k]);
    CHECK_THROWS_MENTIONING(ArgumentError, histogram2d(any_x, any_points, bins), "histogram2d", "(12,)", "(6, 2)");
}

TEST_CASE("weighted histograms of untyped arrays") {
    if (lacks_double()) return;
    const auto x = to_gpu(numbers), edges = to_gpu(ascending);
    const GPUArray<float> w = x / 2;
    const AnyArray any = x, any_edges = edges;
    const std::array<std::int64_t, 2> bins{3, 4};
    const Weighting by{.weights = w};
    const auto check_sums = [](const auto& found, const auto& expected) { check_same(found.sums, expected.sums); };
    const AnyWeightedHistogram sums = histogram(any, 4, 0.0, 8.0, by);
    check_sums(sums, histogram(x, 4, 0.0, 8.0, by));
    check_same(sums.edges, histogram(x, 4, 0.0, 8.0, by).edges);
    check_sums(histogram(any, 5, by), histogram(x, 5, by));
    check_sums(histogram(AnyExpr(any), any_edges, by), histogram(x, edges, by));
    check_sums(histogram2d(any, w, bins, by), histogram2d(x, w, bins, by));
    check_sums(histogram2d(any, w, bins, {0.0, 4.0}, {0.0, 8.0}, by),
               histogram2d(x, w, bins, {0.0, 4.0}, {0.0, 8.0}, by));
    check_sums(histogram2d(x, any, edges, any_edges, by), histogram2d(x, x, edges, edges, by));
    const auto points = x.reshape({6, 2});
    const std::vector<BinAxis> axes{{.count = 3}, {.count = 2}};
    const Weighting of_points{.density = true};
    const AnyWeightedHistogramDd found = histogramdd(AnyArray(points), axes, of_points);
    check_sums(found, histogramdd(points, axes, of_points));
    CHECK(found.edges.size() == 2);
}

TEST_CASE("untyped arrays are sets as well") {
    const auto x = to_gpu(numbers), y = to_gpu(ascending);
    const AnyArray any_x = x, any_y = y;
    check_same(unique_values(any_x).array(), unique_values(x).array());
    check_same(isin(any_x, y), isin(x, y));
    check_same(union1d(any_x, any_y).array(), union1d(x, y).array());
    check_same(intersect1d(x, any_y).array(), intersect1d(x, y).array());
    check_same(setdiff1d(AnyExpr(any_x), y).array(), setdiff1d(x, y).array());
}

TEST_SUITE_END();
