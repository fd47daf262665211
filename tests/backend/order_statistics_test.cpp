/// The largest elements, medians and quantiles beside sorted host arrays.
#include "array_support.hpp"
#include "generator_support.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace gemel;
using namespace gemel::testing;

namespace {

using Longs = std::vector<std::int64_t>;

/// The first k places of a row in order; equal elements by their places.
template <class V>
Longs first_places(const std::vector<V>& row, std::size_t k, bool largest) {
    Longs places(row.size());
    std::iota(places.begin(), places.end(), 0);
    const auto is_less = [](V a, V b) { return a < b || (b != b && a == a); };
    std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
        const V x = row[static_cast<std::size_t>(a)], y = row[static_cast<std::size_t>(b)];
        return largest ? is_less(y, x) : is_less(x, y);
    });
    places.resize(k);
    return places;
}

template <class T>
void check_topk(const std::vector<T>& values, std::int64_t k, const char* what) {
    for (const bool largest : {true, false})
        for (const std::int64_t filter_above : {0, 1}) {
            const TopK<T> top = topk(placed<T>(values, 0), k, {.largest = largest, .filter_above = filter_above});
            const Longs places = first_places(values, static_cast<std::size_t>(k), largest);
            CHECK_SAME(places, top.indices.get(), "topk ", what, " ", values.size(), " ", k);
            std::vector<T> expected;
            for (const std::int64_t place : places) expected.push_back(values[static_cast<std::size_t>(place)]);
            CHECK_SAME(expected, top.values.get(), "values ", what, " ", values.size(), " ", k);
        }
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("topk finds the ends in order with the lower index first") {
    check_topk(drawn<float>(20001, 1, 0, 1000000), 10, "random");
    check_topk(drawn<float>(20001, 2, 0, 50), 100, "with equals");
    check_topk(std::vector<float>(9000, 2.0f), 7, "all the same");
    check_topk(drawn<float>(50, 3, 0, 9), 50, "all of them");
    check_topk(drawn<float>(50, 3, 0, 9), 0, "none");
    std::vector<float> rising(30000);
    std::iota(rising.begin(), rising.end(), 0.0f);
    check_topk(rising, 1000, "rising");
    std::vector<float> mostly_nan(20001, std::nanf(""));
    for (const std::size_t place : {19u, 5000u, 5001u, 12345u, 20000u}) mostly_nan[place] = INFINITY;
    check_topk(mostly_nan, 9, "mostly NaN");
    check_topk(drawn<std::int32_t>(16400, 5, -1000000, 1000000), 33, "int32");
    auto with_nan = drawn<float>(10000, 6, 0, 1000);
    with_nan[77] = with_nan[8500] = std::nanf("");
    const TopK<float> top = topk(placed<float>(with_nan, 0), 3, {.filter_above = 1});
    CHECK_SAME((Longs{77, 8500}), top.indices(slice(0, 2)).get(), "NaN first");
}

TEST_CASE("the ends of sorted rows do not keep the memory of all") {
    const GPUArray<float> table = placed<float>(drawn<float>(300, 8, 0, 99), 0).reshape({3, 100});
    const TopK<float> few = topk(table, 30, {.axis = 1}), many = topk(table, 80, {.axis = 1});
    CHECK(few.values.buffer().size_bytes() == 3 * 30 * 4);
    CHECK(few.indices.buffer().size_bytes() == 3 * 30 * 8);
    CHECK(many.values(slice(), slice(0, 30)).get() == few.values.get());
}

TEST_CASE("topk and kth go along an axis") {
    const GPUArray<std::int32_t> x = placed<std::int32_t>(drawn<std::int32_t>(600, 7, 0, 99), 0).reshape({20, 30});
    const auto host = x.get();
    for (const int axis : {0, 1}) {
        const TopK<std::int32_t> top = topk(x, 4, {.axis = axis});
        CHECK(top.values.shape() == (axis ? Shape{20, 4} : Shape{4, 30}));
        const GPUArray<std::int32_t> third = kth(x, 2, axis);
        for (int line = 0; line < (axis ? 20 : 30); ++line) {
            std::vector<std::int32_t> row;
            for (int k = 0; k < (axis ? 30 : 20); ++k)
                row.push_back(host[static_cast<std::size_t>(axis ? 30 * line + k : 30 * k + line)]);
            const GPUArray<std::int64_t> places = axis ? top.indices(line) : top.indices(slice(), line);
            CHECK_SAME(first_places(row, 4, true), places.get(), "axis ", axis, " line ", line);
            std::sort(row.begin(), row.end());
            CHECK(third(line).item() == row[2]);
        }
    }
}

TEST_CASE("quantiles lie between elements as NumPy's methods say") {
    // numpy.quantile([3, 1, 7, 2], q, method=...)
    const GPUArray<float> x = to_gpu(std::vector<float>{3, 1, 7, 2});
    CHECK(median(x).item() == 2.5f);
    CHECK(quantile(x, 0.0).item() == 1.0f);
    CHECK(quantile(x, 1.0).item() == 7.0f);
    CHECK(std::abs(quantile(x, 0.9).item() - 5.8f) < 1e-6f);
    CHECK(quantile(x, 0.9, {.method = QuantileMethod::lower}).item() == 3.0f);
    CHECK(quantile(x, 0.9, {.method = QuantileMethod::higher}).item() == 7.0f);
    CHECK(quantile(x, 0.9, {.method = QuantileMethod::midpoint}).item() == 5.0f);
    CHECK(quantile(x, 0.9, {.method = QuantileMethod::nearest}).item() == 7.0f);
    CHECK(quantile(x, 0.5, {.method = QuantileMethod::nearest}).item() == 3.0f);
    CHECK(percentile(x, 50).item() == 2.5f);
    CHECK(std::isnan(median(to_gpu(std::vector<float>{1, std::nanf(""), 2})).item()));
    CHECK(std::isnan(median(zeros<float>({0})).item()));
    CHECK(median(to_gpu(std::vector<float>{INFINITY, INFINITY})).item() == INFINITY);
    CHECK(median(to_gpu(std::vector<float>{1, INFINITY})).item() == INFINITY);
    CHECK(median(to_gpu(std::vector<float>{-3e38f, 3e38f})).item() == 0);
    CHECK(median(to_gpu(std::vector<float>{-6.6519465f, 1.3664634f})).item() == -2.6427417f);
    CHECK(median(x, {.method = QuantileMethod::lower}).item() == 2);
    if (!lacks_double()) CHECK(median(to_gpu(Longs{1, 2})).item() == 1.5);
    const GPUArray<float> table = placed<float>(drawn<float>(60, 8, 0, 9), 0).reshape({5, 12});
    CHECK(median(table, {.axis = 1}).shape() == Shape{5});
    CHECK(median(table, {.axis = 0, .keepdims = true}).shape() == Shape{1, 12});
    CHECK(median(table, {.axis = 1})(2).item() == median(table(2)).item());
    CHECK(median(table, {.axis = 0})(3).item() == median(table(slice(), 3)).item());
}

TEST_CASE("several quantiles come first in the result, by every method of NumPy's") {
    // numpy.quantile([3, 1, 7, 2, 9], [0, 0.25, 0.3, 0.5, 0.7, 1], method=...)
    const GPUArray<float> x = to_gpu(std::vector<float>{3, 1, 7, 2, 9});
    const std::vector<double> parts{0, 0.25, 0.3, 0.5, 0.7, 1};
    using Method = QuantileMethod;
    const std::pair<Method, std::vector<float>> methods[] = {
        {Method::inverted_cdf, {1, 2, 2, 3, 7, 9}},
        {Method::averaged_inverted_cdf, {1, 2, 2, 3, 7, 9}},
        {Method::closest_observation, {1, 1, 2, 2, 7, 9}},
        {Method::interpolated_inverted_cdf, {1, 1.25f, 1.5f, 2.5f, 5, 9}},
        {Method::hazen, {1, 1.75f, 2, 3, 7, 9}},
        {Method::weibull, {1, 1.5f, 1.8f, 3, 7.4f, 9}},
        {Method::median_unbiased, {1, 1.6666667f, 1.9333333f, 3, 7.1333333f, 9}},
        {Method::normal_unbiased, {1, 1.6875f, 1.95f, 3, 7.1f, 9}},
        {Method::linear, {1, 2, 2.2f, 3, 6.2f, 9}},
        {Method::lower, {1, 2, 2, 3, 3, 9}},
        {Method::higher, {1, 2, 3, 3, 7, 9}},
        {Method::nearest, {1, 2, 2, 3, 7, 9}},
        {Method::midpoint, {1, 2, 2.5f, 3, 5, 9}},
    };
    for (const auto& one : methods) {
        const Method method = one.first;
        const std::vector<float>& expected = one.second;
        const std::vector<float> found = quantile(x, parts, {.method = method}).get();
        REQUIRE(found.size() == expected.size());
        for (std::size_t k = 0; k < found.size(); ++k)
            CHECK_MESSAGE(std::abs(found[k] - expected[k]) < 2e-6f, "method ", static_cast<int>(method), " part ", k);
    }
    const GPUArray<float> table = placed<float>(drawn<float>(60, 8, 0, 9), 0).reshape({5, 12});
    const GPUArray<float> two = quantile(table, {0.25, 0.5}, {.axis = 1});
    CHECK(two.shape() == Shape{2, 5});
    CHECK_SAME(quantile(table, 0.25, {.axis = 1}).get(), two(0).get(), "first");
    CHECK_SAME(percentile(table, {50}, {.axis = 1})(0).get(), two(1).get(), "percentile");
    CHECK(percentile(table, {50}, {.axis = 0, .keepdims = true}).shape() == Shape{1, 1, 12});
    CHECK(quantile(table, std::span<const double>()).shape() == Shape{0});
    CHECK(std::isnan(quantile(zeros<float>({0}), {0.5, 1.0})(1).item()));
}

TEST_CASE("min_k and max_k find the ends of all elements or along an axis") {
    const auto host = drawn<float>(3000, 9, 0, 700);
    const GPUArray<float> x = placed<float>(host, 0).reshape({30, 100});
    for (const std::int64_t k : {0, 1, 5, 16, 17, 100}) {
        for (const bool largest : {false, true}) {
            const TopK<float> all = largest ? max_k(x, k) : min_k(x, k);
            CHECK_SAME(first_places(host, static_cast<std::size_t>(k), largest), all.indices.get(), "all ", k);
            CHECK_SAME(take(x, all.indices).get(), all.values.get(), "values ", k);
            const TopK<float> rows = largest ? max_k(x, k, {.axis = -1}) : min_k(x, k, {.axis = -1});
            REQUIRE(rows.indices.shape() == Shape{30, k});
            if (k == 0) continue;
            for (const std::int64_t row : {0, 17, 29}) {
                const std::vector<float> of(host.begin() + 100 * row, host.begin() + 100 * (row + 1));
                CHECK_SAME(first_places(of, static_cast<std::size_t>(k), largest), rows.indices(row).get(), "row ", k);
                CHECK_SAME(take(x(row), rows.indices(row)).get(), rows.values(row).get(), "values of a row ", k);
            }
        }
    }
    const GPUArray<float> columns = x.transpose();
    CHECK_SAME(max_k(x, 3, {.axis = 1}).indices.transpose().copy().get(), max_k(columns, 3, {.axis = 0}).indices.get(),
               "transposed");
    CHECK_SAME((Longs{2, 0}), max_k(to_gpu(std::vector<float>{3, 1, std::nanf(""), 3}), 2).indices.get(), "NaN");
    CHECK_SAME((Longs{1, 3}), min_k(to_gpu(std::vector<cfloat>{{1, 2}, {0, 5}, {1, 1}, {0, 5}}), 2).indices.get(),
               "complex");
    CHECK_SAME((Longs{0, 2}), max_k(to_gpu(std::vector<half>{half(2), half(1), half(2)}), 2).indices.get(), "half");
    CHECK_THROWS_MENTIONING(ArgumentError, max_k(x, 3001), "max_k", "from 0 to 3000", "got 3001");
    CHECK_THROWS_MENTIONING(ArgumentError, min_k(x, 101, {.axis = 1}), "min_k", "got 101", "(30, 100)");
}

TEST_CASE("order statistics refuse what is not there") {
    const GPUArray<float> x = arange<float>(6);
    CHECK_THROWS_MENTIONING(ArgumentError, topk(x, 7), "topk", "from 0 to 6", "got 7");
    CHECK_THROWS_MENTIONING(ArgumentError, topk(x, -1), "topk", "-1");
    CHECK_THROWS_MENTIONING(ArgumentError, topk(x, 1, {.axis = 1}), "topk", "axis 1");
    CHECK_THROWS_MENTIONING(ArgumentError, topk(x, 1, {.filter_above = -3}), "topk", "filter_above", "-3");
    CHECK_THROWS_MENTIONING(ArgumentError, quantile(x, 0.5, {.method = static_cast<QuantileMethod>(99)}), "method",
                            "99");
    CHECK_THROWS_MENTIONING(ArgumentError, kth(x, 6), "kth", "from 0 to 5", "got 6");
    CHECK_THROWS_MENTIONING(ArgumentError, kth(x, -1), "kth", "from 0 to 5", "got -1");
    CHECK_THROWS_MENTIONING(ArgumentError, kth(zeros<float>({0, 3}), 0, 0), "kth", "(0, 3)", "no elements");
    CHECK_THROWS_MENTIONING(ArgumentError, quantile(x, 1.5), "quantile", "1.5", "from 0 to 1");
    CHECK_THROWS_MENTIONING(ArgumentError, percentile(x, 101), "percentile", "from 0 to 100", "got 101");
    CHECK_THROWS_MENTIONING(ArgumentError, median(x, {.axis = 3}), "median", "axis 3");
    CHECK(median(x).item() == 2.5f);
}

TEST_SUITE_END();
