/// Grouping beside host loops: keys, segments, bins, in every strategy that the device has.
#include "array_support.hpp"
#include "generator_support.hpp"

#include <algorithm>
#include <numeric>

using namespace gemel;
using namespace gemel::testing;

namespace {

using codegen::ScanTuning;
using Strategy = codegen::ScanStrategy;
using Longs = std::vector<std::int64_t>;

const ScanTuning tunings[] = {
    {},
    {.block = 64, .items_per_thread = 4, .strategy = Strategy::three_passes},
    {.block = 64, .access_bytes = 16, .items_per_thread = 4, .strategy = Strategy::look_back},
};
const BinStrategy strategies[] = {BinStrategy::automatic, BinStrategy::shared, BinStrategy::global,
                                  BinStrategy::chunks};

/// Ascending, each some times.
std::vector<std::int32_t> random_keys(std::size_t n, unsigned seed, unsigned one_in) {
    std::mt19937 random(seed);
    std::vector<std::int32_t> keys(n);
    std::int32_t key = -5;
    for (auto& k : keys) k = key += random() % one_in == 0;
    return keys;
}

template <class T>
std::vector<std::int64_t> counted_into(const std::vector<T>& x, const std::vector<T>& edges) {
    std::vector<std::int64_t> counts(edges.size() - 1);
    for (const T v : x) {
        if (!(v >= edges.front() && v <= edges.back())) continue;
        const auto above = std::upper_bound(edges.begin(), edges.end() - 1, v) - edges.begin();
        ++counts[static_cast<std::size_t>(above - 1)];
    }
    return counts;
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("values of equal keys are combined in their order") {
    for (const ScanTuning& tuning : tunings)
        for (const std::size_t n : {0, 1, 2, 256, 257, 5003})
            for (const unsigned one_in : {1u, 4u, 900u}) {
                const auto keys = random_keys(n, 1, one_in), values = drawn<std::int32_t>(n, 2, 0, 1000);
                std::vector<std::int32_t> group_keys, largest, last;
                for (std::size_t i = 0; i < n; ++i) {
                    if (i == 0 || keys[i] != keys[i - 1]) {
                        group_keys.push_back(keys[i]), largest.push_back(values[i]), last.push_back(values[i]);
                    } else {
                        largest.back() = std::max(largest.back(), values[i]), last.back() = values[i];
                    }
                }
                const GPUArray<std::int32_t> k = placed<std::int32_t>(keys, 0), v = placed<std::int32_t>(values, 0);
                const auto maxima =
                    reduce_by_key(k, v, {.reduce_expr = "max(a, b)", .neutral = "-1", .tuning = tuning});
                CHECK(maxima.count.item() == static_cast<std::int64_t>(group_keys.size()));
                CHECK_SAME(group_keys, maxima.keys().get(), "keys ", n, " ", one_in);
                CHECK_SAME(largest, maxima.values().get(), "largest ", n, " ", one_in);
                const auto lasts = reduce_by_key(k, v, {.reduce_expr = "b", .tuning = tuning});
                CHECK_SAME(last, lasts.values().get(), "last, which does not commute ", n, " ", one_in);
            }
}

namespace {

/// Arrays so long that GPUs take the tiles measured for elements of these sizes.
template <class K, class V>
void check_long_runs(std::size_t n) {
    const auto numbers = random_keys(n, 8, 30);
    const std::vector<K> keys(numbers.begin(), numbers.end());
    const auto values = drawn<V>(n, 9, 0, 100);
    std::vector<K> groups;
    std::vector<V> sums;
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < n; ++i) {
        if (i == 0 || keys[i] != keys[i - 1]) groups.push_back(keys[i]), sums.push_back(0), lengths.push_back(0);
        sums.back() += values[i], ++lengths.back();
    }
    const GPUArray<K> k = to_gpu(keys);
    const auto runs = run_lengths(k);
    CHECK(runs.lengths().get() == lengths);
    CHECK(runs.values().get() == groups);
    const auto by_key = reduce_by_key(k, to_gpu(values));
    CHECK(by_key.keys().get() == groups);
    CHECK(by_key.values().get() == sums);
}

}  // namespace

TEST_CASE("runs of long arrays") {
    constexpr std::size_t n = std::size_t{1} << 22;
    check_long_runs<std::int32_t, std::int32_t>(n + 77);
    if (is_check()) return;
    for (const std::size_t more : {0u, 1u, 14335u}) check_long_runs<std::int32_t, std::int32_t>(n + more);
    check_long_runs<std::int32_t, std::int64_t>(n + 12799);
    check_long_runs<std::int64_t, std::int32_t>(n + 7680);
    check_long_runs<std::int64_t, std::int64_t>(n + 6145);
}

TEST_CASE("a run has its first element, of short and of long arrays") {
    const EqualOptions tens{.equal_expr = "a / 10 == b / 10"};
    const auto x = to_gpu(std::vector<std::int32_t>{11, 12, 13, 25, 21, 30});
    CHECK_SAME((std::vector<std::int32_t>{11, 25, 30}), run_lengths(x, tens).values().get(), "values");
    CHECK_SAME((Longs{3, 2, 1}), run_lengths(x, tens).lengths().get(), "lengths");
    CHECK_SAME((std::vector<std::int32_t>{11, 25, 30}), unique_consecutive(x, tens).array().get(), "unique");
    const std::int64_t n = is_check() ? 100003 : (1 << 22) + 5;
    const auto runs = run_lengths(arange<std::int32_t>(n), tens);
    CHECK(all(runs.values() == 10 * arange<std::int32_t>((n + 9) / 10)).get()[0] != 0);
}

TEST_CASE("sums by key of other types and with an equality of their own") {
    const auto keys = random_keys(3000, 4, 5);
    const GPUArray<std::int32_t> k = placed<std::int32_t>(keys, 0);
    const auto ones = reduce_by_key(k, ones_like(k).astype<cfloat>());
    CHECK(sum(ones.values()).item() == cfloat(3000, 0));
    const auto halves = reduce_by_key(k, ones_like(k).astype<half>());
    CHECK(static_cast<float>(sum(halves.values()).item()) == 3000);
    const auto tens =
        reduce_by_key(k, ones_like(k), {.equal_expr = "(a + 5) / 10 == (b + 5) / 10", .deterministic = true});
    CHECK(tens.values().size() == static_cast<std::size_t>((keys.back() + 5) / 10 + 1));
    CHECK(sum(tens.values()).item() == 3000);
}

TEST_CASE("running results begin anew at each key") {
    for (const ScanTuning& tuning : tunings)
        for (const bool exclusive : {false, true})
            for (const std::size_t n : {0, 1, 257, 5003}) {
                const auto keys = random_keys(n, 3, 20), values = drawn<std::int32_t>(n, 4, -9, 9);
                std::vector<std::int32_t> expected(n);
                std::int32_t running = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    if (i == 0 || keys[i] != keys[i - 1]) running = 0;
                    expected[i] = exclusive ? running : running + values[i];
                    running += values[i];
                }
                const auto sums = scan_by_key(placed<std::int32_t>(keys, 0), placed<std::int32_t>(values, 0),
                                              {.exclusive = exclusive, .tuning = tuning});
                CHECK_SAME(expected, sums.get(), "scan_by_key ", n, exclusive ? " exclusive" : "");
            }
}

TEST_CASE("segments are reduced with those that are empty") {
    std::mt19937 random(7);
    for (const ScanTuning& tuning : tunings)
        for (const std::int32_t n : {0, 1, 300, 4001}) {
            const auto values = drawn<float>(static_cast<std::size_t>(n), 5, -20, 20);
            std::vector<std::int32_t> starts{std::min(n, 3)};
            while (starts.back() + 5 < n)
                starts.push_back(std::min<std::int32_t>(
                    n - 2, starts.back() + static_cast<std::int32_t>(random() % 3 ? random() % 3 : random() % 500)));
            for (int k = 0; k < 3; ++k) starts.push_back(starts.back());
            std::vector<float> sums, maxima;
            for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
                sums.push_back(0), maxima.push_back(-100);
                for (std::int32_t i = starts[s]; i < starts[s + 1]; ++i) {
                    const float v = values[static_cast<std::size_t>(i)];
                    sums.back() += v, maxima.back() = std::max(maxima.back(), v);
                }
            }
            const GPUArray<float> x = placed<float>(values, 0);
            const GPUArray<std::int32_t> s = to_gpu(starts);
            CHECK_SAME(sums, segment_reduce(x, s, {.tuning = tuning}).get(), "sums ", n);
            CHECK(segment_reduce(2 * x, s + 0).get() == segment_reduce((2 * x).eval(), s).get());
            CHECK_SAME(maxima,
                       segment_reduce(x, s.astype<std::int64_t>(),
                                      {.reduce_expr = "fmax(a, b)", .neutral = "-100", .tuning = tuning})
                           .get(),
                       "maxima ", n);
        }
}

TEST_CASE("segments that reach beyond the values end with them") {
    const auto x = full<float>({1000}, 1);
    const std::int64_t far = std::int64_t{1} << 40;
    for (const ScanTuning& tuning : tunings) {
        const auto sums =
            segment_reduce(x, to_gpu(std::vector<std::int64_t>{0, 400, 1000, far, 2 * far}), {.tuning = tuning});
        CHECK_SAME((std::vector<float>{400, 600, 0, 0}), sums.get(), "starts behind the end");
        CHECK(segment_reduce(x, to_gpu(std::vector<std::int64_t>{-far, 3, far}), {.tuning = tuning}).get()[1] == 997);
    }
    CHECK(sum(x).item() == 1000);
}

TEST_CASE("bincount counts and sums weights in double") {
    for (const BinStrategy strategy : strategies)
        for (const std::size_t n : {0, 1, 1000, 70001})
            for (const int high : {0, 96, 30000}) {
                const auto numbers = drawn<std::int32_t>(n, 9, 0, high), weights = drawn<std::int32_t>(n, 10, -4, 4);
                const auto length = static_cast<std::size_t>(high) + 1;
                if (strategy == BinStrategy::shared && high == 30000) continue;  // as many do not fit
                Longs counts(length);
                std::vector<double> sums(length);
                for (std::size_t i = 0; i < n; ++i) {
                    ++counts[static_cast<std::size_t>(numbers[i])];
                    sums[static_cast<std::size_t>(numbers[i])] += 0.5 * weights[i];
                }
                const GPUArray<std::int32_t> x = placed<std::int32_t>(numbers, 0);
                const auto minlength = static_cast<std::int64_t>(length);
                CHECK_SAME(counts, bincount(x, {.minlength = minlength, .strategy = strategy}).get(), "counts ", n, " ",
                           high);
                if (!current_context().device().info().has_double) continue;
                const GPUArray<float> w = 0.5f * placed<std::int32_t>(weights, 0).astype<float>();
                CHECK_SAME(sums, bincount(x, w, {.minlength = minlength, .strategy = strategy}).get(), "sums ", n, " ",
                           high);
            }
}

TEST_CASE("sums of weights have the same bits every time if asked for") {
    if (lacks_double()) return;
    const GPUArray<std::int32_t> x = placed<std::int32_t>(drawn<std::int32_t>(9000, 21, -3, 40), 0);
    const GPUArray<float> w = placed<float>(drawn<float>(9000, 22, -1000, 1000, 7), 0);
    const BincountOptions options{.length = 39, .deterministic = true, .strategy = BinStrategy::shared};
    const std::vector<double> sums = bincount(x, w, options).get();
    std::vector<double> expected(39);
    const auto numbers = x.get();
    const auto weights = w.get();
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] >= 0 && numbers[i] < 39) expected[static_cast<std::size_t>(numbers[i])] += weights[i];
    for (std::size_t k = 0; k < sums.size(); ++k) CHECK(std::abs(sums[k] - expected[k]) < 1e-8);
    CHECK_SAME(sums, bincount(x, w, options).get(), "again");
}

TEST_CASE("bincount has as many bins as NumPy's") {
    CHECK(bincount(to_gpu(Longs{3, 0, 3})).size() == 4);
    CHECK(bincount(zeros<std::int32_t>({0})).size() == 0);
    CHECK_SAME((Longs{1, 0, 0, 2}), bincount(to_gpu(Longs{3, 0, 3})).get(), "int64");
    CHECK_SAME((Longs{2, 1}), bincount(to_gpu(std::vector<std::uint8_t>{1, 0, 0}) != 0).get(), "bool");
    CHECK_SAME((Longs{1, 1}), bincount(to_gpu(std::vector<std::int8_t>{-3, 1, 0, 7}), {.length = 2}).get(), "length");
    CHECK_THROWS_MENTIONING(ArgumentError, bincount(to_gpu(Longs{3, -2})), "bincount", "-2", ".length");
    CHECK_THROWS_MENTIONING(ArgumentError, bincount(to_gpu(Longs{3, std::int64_t{1} << 40})), "bincount",
                            "1099511627776");
    CHECK_THROWS_MENTIONING(ArgumentError, bincount(AnyArray(to_gpu(Longs{3})), AnyArray(zeros<cfloat>({1}))),
                            "weights of real numbers", "cfloat");
    CHECK_THROWS_MENTIONING(ArgumentError, bincount(zeros<std::int32_t>({2, 2})), "bincount", "(2, 2)", "one axis");
    CHECK_THROWS_MENTIONING(ArgumentError, bincount(to_gpu(Longs{3, 2}), zeros<float>({3})), "bincount", "2 weights",
                            "got 3");
    CHECK_THROWS_MENTIONING(ArgumentError, bincount(to_gpu(Longs{3}), {.minlength = -1}), "bincount", "minlength",
                            "-1");
    CHECK_THROWS_MENTIONING(ArgumentError, bincount(to_gpu(Longs{3}), {.minlength = 10, .length = 3}), "bincount",
                            ".length = 3", ".minlength = 10");
}

TEST_CASE("histograms count what lies between their edges") {
    for (const BinStrategy strategy : strategies)
        for (const std::int64_t bins : {1, 7, 64, 300, 20000}) {
            if (strategy == BinStrategy::shared && bins == 20000) continue;
            auto values = drawn<float>(20011, 12, -300, 300, 7);
            values[5] = std::nanf(""), values[6] = INFINITY, values[7] = -INFINITY, values[8] = 30, values[9] = -20;
            const GPUArray<float> x = placed<float>(values, 0);
            const Histogram<float> even = histogram(x, bins, -20.0, 30.0, {.strategy = strategy});
            const std::vector<float> edges = even.edges.get();
            CHECK(edges.size() == static_cast<std::size_t>(bins) + 1);
            CHECK(edges.front() == -20.0f);
            CHECK(edges.back() == 30.0f);
            CHECK_SAME(counted_into(values, edges), even.counts.get(), "even ", bins);
            const Histogram<float> given = histogram(x, even.edges, {.strategy = strategy});
            CHECK_SAME(even.counts.get(), given.counts.get(), "given edges ", bins);
        }
}

TEST_CASE("values at edges are counted where the edges say") {
    // Each value is an edge or one step of rounding beside it.
    for (const std::int64_t bins : {10, 49, 1000, 4096}) {
        const std::vector<float> edges = histogram(zeros<float>({0}), bins, 0.1, 0.7).edges.get();
        std::vector<float> values;
        for (const float e : edges)
            for (const float v : {e, std::nextafter(e, 1.0f), std::nextafter(e, 0.0f)}) values.push_back(v);
        const Histogram<float> h = histogram(to_gpu(values), bins, 0.1, 0.7);
        CHECK_SAME(counted_into(values, edges), h.counts.get(), bins);
        const Histogram<float> far = histogram(to_gpu(values) + 1000.0f, bins, 1000.1, 1000.7);
        CHECK_SAME(counted_into(GPUArray<float>(to_gpu(values) + 1000.0f).get(), far.edges.get()), far.counts.get(),
                   "far ", bins);
    }
}

TEST_CASE("floats are counted between edges of doubles") {
    if (lacks_double()) return;
    // No float equals 0.7; the nearest one is above in the first case, below in the second.
    for (const double edge : {0.7, 0.1}) {
        const auto nearest = static_cast<float>(edge);
        const GPUArray<float> x = to_gpu(std::vector<float>{nearest});
        const bool is_above = static_cast<double>(nearest) >= edge;
        CHECK_SAME((Longs{!is_above, is_above}), histogram(x, to_gpu(std::vector<double>{0, edge, 1})).counts.get(),
                   edge);
        CHECK_SAME((Longs{!is_above}), histogram(x, to_gpu(std::vector<double>{0, edge})).counts.get(), "last ", edge);
    }
}

TEST_CASE("edges of bins are NumPy's") {
    if (lacks_double()) return;
    // numpy.histogram(x, 12, (-7, 5)), where a step is a whole number, and (x, 10, (0, 1))
    const Histogram<double> whole = histogram(to_gpu(std::vector<std::int32_t>{-7, -6, 0, 1, 4, 5}), 12, -7.0, 5.0);
    for (std::int64_t k = 0; k <= 12; ++k) CHECK(whole.edges(k).item() == static_cast<double>(k - 7));
    CHECK_SAME((Longs{1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 2}), whole.counts.get(), "whole numbers");
    CHECK(histogram(zeros<double>({0}), 10, 0.0, 1.0).edges(3).item() == 0.30000000000000004);
    CHECK(histogram(to_gpu(std::vector<double>{-10, 5}), 300).edges(155).item() == -2.25);
    const auto thirds = histogram(to_gpu(std::vector<std::int64_t>{-10, 290}), 300).edges.get();
    for (std::size_t k = 0; k < thirds.size(); ++k) CHECK(thirds[k] == static_cast<double>(k) - 10);
}

TEST_CASE("histograms of other types and between the least and the greatest") {
    const GPUArray<std::uint8_t> image = placed<std::uint8_t>(drawn<std::uint8_t>(5000, 13, 0, 255), 0);
    if (!lacks_double()) {
        const Histogram<double> h = histogram(image, 256, 0, 256);
        CHECK_SAME(bincount(image, {.minlength = 256}).get(), h.counts.get(), "uint8");
    }
    const GPUArray<half> x = placed<half>(drawn<half>(999, 14, -8, 8, 2), 0);
    const Histogram<float> whole = histogram(x, 8);
    CHECK(sum(whole.counts).item() == 999);
    CHECK(whole.edges(0).item() == static_cast<float>(min(x).item()));
    CHECK(whole.edges(-1).item() == static_cast<float>(max(x).item()));
    const Histogram<float> same = histogram(full<float>({50}, 3.0f), 4);
    CHECK_SAME((Longs{0, 0, 50, 0}), same.counts.get(), "all the same");
    CHECK(histogram(zeros<float>({0}), 3).edges(-1).item() == 1.0f);
    const GPUArray<float> table = placed<float>(drawn<float>(600, 15, 0, 99), 0).reshape({20, 30});
    CHECK_SAME(histogram(table, 10, 0, 99).counts.get(), histogram(table.transpose(), 10, 0, 99).counts.get(),
               "transposed");
}

TEST_CASE("all elements in one bin of many") {
    for (const BinStrategy strategy : strategies)
        for (const std::int64_t bins : {100, 100000}) {
            if (strategy == BinStrategy::shared && bins > 100) continue;
            const GPUArray<float> x = full<float>({30000}, 0.5f);
            const GPUArray<std::int64_t> counts = histogram(x, bins, 0, 1, {.strategy = strategy}).counts;
            CHECK(counts(bins / 2).item() == 30000);
            CHECK(sum(counts).item() == 30000);
        }
}

TEST_CASE("pairs are counted into a table") {
    const auto a = drawn<float>(5001, 16, 0, 100), b = drawn<float>(5001, 17, -50, 50);
    const GPUArray<float> x = placed<float>(a, 0), y = placed<float>(b, 0);
    for (const BinStrategy strategy : {BinStrategy::automatic, BinStrategy::shared}) {
        const Histogram2d<float> h = histogram2d(x, y, {9, 13}, {10.0, 90.0}, {-40.0, 50.0}, {.strategy = strategy});
        REQUIRE(h.counts.shape() == Shape{9, 13});
        Longs expected(9 * 13);
        const auto ex = h.x_edges.get(), ey = h.y_edges.get();
        for (std::size_t i = 0; i < a.size(); ++i) {
            const Longs row = counted_into(std::vector<float>{a[i]}, ex),
                        column = counted_into(std::vector<float>{b[i]}, ey);
            for (std::size_t r = 0; r < 9; ++r)
                for (std::size_t c = 0; c < 13; ++c) expected[13 * r + c] += row[r] * column[c];
        }
        CHECK_SAME(expected, h.counts.get(), "histogram2d");
        CHECK_SAME(expected, histogram2d(x, y, h.x_edges, h.y_edges, {.strategy = strategy}).counts.get(),
                   "given edges");
    }
}

TEST_CASE("groups refuse what cannot be meant") {
    const GPUArray<float> x = arange<float>(10);
    const GPUArray<std::int32_t> k = zeros<std::int32_t>({7});
    CHECK_THROWS_MENTIONING(ArgumentError, reduce_by_key(k, x), "reduce_by_key", "(7,)", "(10,)");
    CHECK_THROWS_MENTIONING(ArgumentError, scan_by_key(k, x), "scan_by_key", "(7,)", "(10,)");
    CHECK_THROWS_MENTIONING(ArgumentError, segment_reduce(x, k, {.reduce_expr = "a * b"}), "segment_reduce", "neutral",
                            "\"1\" for a product");
    CHECK_THROWS_MENTIONING(ArgumentError, segment_reduce(AnyArray(x), AnyArray(arange<float>(3))), "segment_reduce",
                            "starts of integers", "float");
    CHECK_THROWS_MENTIONING(ArgumentError, segment_reduce(x, zeros<std::int32_t>({0})), "segment_reduce", "(0,)");
    CHECK_THROWS_MENTIONING(ArgumentError, histogram(x, 0, 0, 1), "histogram", "bins, got 0");
    CHECK_THROWS_MENTIONING(ArgumentError, histogram(x, 4, 2, 1), "histogram", "got 2 to 1");
    CHECK_THROWS_MENTIONING(ArgumentError, histogram(x, 4, 0, std::nan("")), "histogram", "nan");
    CHECK_THROWS_MENTIONING(ArgumentError, histogram(x, to_gpu(std::vector<float>{0, std::nanf(""), 2})), "histogram",
                            "edge 1 is NaN");
    CHECK_THROWS_MENTIONING(ArgumentError, histogram(x, to_gpu(std::vector<float>{0, 3, 2})), "histogram",
                            "ascending order", "at index 2");
    CHECK_THROWS_MENTIONING(ArgumentError, histogram(x, to_gpu(std::vector<float>{0})), "histogram", "two edges");
    CHECK_THROWS_MENTIONING(ArgumentError, histogram2d(x, k, {2, 2}), "histogram2d", "(10,)", "(7,)");
    CHECK_THROWS_MENTIONING(ArgumentError, histogram(x, 1000000, 0, 1, {.strategy = BinStrategy::shared}), "histogram",
                            "expected at most", "shared memory", "got 1000000");
    CHECK(histogram(x, 5, 0, 10).counts.size() == 5);
}

TEST_SUITE_END();
