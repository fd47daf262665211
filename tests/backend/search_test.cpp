/// Searching and merging beside the standard library.
#include "array_support.hpp"
#include "generator_support.hpp"

#include <algorithm>
#include <limits>

using namespace gemel;
using namespace gemel::testing;

namespace {

using Longs = std::vector<std::int64_t>;

template <class T>
bool is_less(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>) return a < b || (b != b && a == a);
    return a < b;
}

template <class T>
void check_search(const char* what, std::vector<T> sorted, const std::vector<T>& values) {
    std::sort(sorted.begin(), sorted.end(), is_less<T>);
    const GPUArray<T> a = placed<T>(sorted, 0), v = placed<T>(values, 0);
    for (const Side side : {Side::left, Side::right})
        for (const SearchOptions& options :
             {SearchOptions{}, SearchOptions{.pivots = 16}, SearchOptions{.tree = SearchTreeUse::always}}) {
            Longs expected;
            for (const T& value : values)
                expected.push_back((side == Side::left
                                        ? std::lower_bound(sorted.begin(), sorted.end(), value, is_less<T>)
                                        : std::upper_bound(sorted.begin(), sorted.end(), value, is_less<T>)) -
                                   sorted.begin());
            CHECK_SAME(expected, searchsorted(a, v, side, options).get(), "searchsorted ", what, " ", sorted.size(),
                       options.pivots                          ? " by pivots"
                       : options.tree == SearchTreeUse::always ? " by a tree"
                                                               : "");
        }
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("searchsorted finds both sides of what is there and of what is not") {
    for (const std::size_t n : {0, 1, 2, 15, 16, 17, 31, 1000, 4099})
        check_search<std::int32_t>("int32", drawn<std::int32_t>(n, 1, 0, static_cast<int>(n)),
                                   drawn<std::int32_t>(1500, 2, -2, static_cast<int>(n) + 2));
    check_search<std::uint64_t>("uint64", {0, 5, ~std::uint64_t{0}}, {0, 1, 5, 6, ~std::uint64_t{0}});
    check_search<std::int8_t>("int8", drawn<std::int8_t>(300, 3, -100, 100), drawn<std::int8_t>(300, 4, -128, 127));
}

TEST_CASE("searchsorted goes down trees of one level and more") {
    // 1024 entries are on the top level: 8 elements to each of them, 64, and 512.
    for (const std::size_t n : {8191, 8192, 8193, 65537, 600000}) {
        check_search<float>("float", drawn<float>(n, 5, -100, 100), drawn<float>(4000, 6, -101, 101));
        check_search<std::uint32_t>("uint32", drawn<std::uint32_t>(n, 7, 10, static_cast<std::uint32_t>(n)),
                                    drawn<std::uint32_t>(4000, 8, 0, static_cast<std::uint32_t>(n) + 20));
    }
    for (const std::size_t n : {4097, 16385, 70001})
        check_search<std::int64_t>("int64", drawn<std::int64_t>(n, 9, -1000, 1000),
                                   drawn<std::int64_t>(4000, 10, -1001, 1001));
    if (!lacks_double()) check_search<double>("double", drawn<double>(20000, 9, -1, 1), drawn<double>(4000, 10, -1, 1));
    // A view that begins inside a sector has none, and is searched all the same.
    const GPUArray<float> all = arange<float>(5000);
    const GPUArray<float> part = all(slice(3, {}));
    CHECK(searchsorted(part, full<float>({1}, 4000.5f), Side::left, {.tree = SearchTreeUse::always}).item() == 3998);
}

TEST_CASE("searchsorted puts NaN behind all else") {
    const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
    check_search<float>("float", {1, nan, 2, nan, inf, -inf, 0.0f, -0.0f}, {nan, 1, 0.0f, -0.0f, inf, -inf, 3, 1.5f});
    check_search<float>("no NaN", {1, 2, 3}, {nan, 1});
}

TEST_CASE("searchsorted takes other types, shapes and expressions") {
    const GPUArray<float> edges = to_gpu(std::vector<float>{0, 10, 20});
    const GPUArray<std::int32_t> x = arange<std::int32_t>(24).reshape({4, 6});
    const GPUArray<std::int64_t> places = searchsorted(edges, x.transpose(), Side::right);
    CHECK(places.shape() == Shape{6, 4});
    CHECK(places(0, 0).item() == 1);
    CHECK(places(5, 3).item() == 3);
    CHECK_SAME((Longs{0, 1, 2, 3}), searchsorted(2.0f * edges, to_gpu(std::vector<float>{-1, 20, 21, 50})).get(),
               "expressions");
    const GPUArray<float> descending = to_gpu(std::vector<float>{20, 10, 0});
    CHECK_SAME((Longs{1}), searchsorted(descending(slice({}, {}, -1)), full<float>({1}, 5.0f)).get(), "reversed");
    CHECK(searchsorted(edges, full<float>({}, 15.0f)).item() == 2);
    CHECK(searchsorted(edges, zeros<float>({0})).size() == 0);
    if (!lacks_double()) CHECK(searchsorted(edges, full<double>({1}, 10.0 + 1e-12)).item() == 2);
    const GPUArray<cfloat> z = to_gpu(std::vector<cfloat>{{0, 1}, {1, -1}, {1, 2}});
    CHECK_SAME((Longs{0, 2, 3}), searchsorted(z, to_gpu(std::vector<cfloat>{{0, 0}, {1, 0}, {2, 0}})).get(), "complex");
    const GPUArray<half> h = edges.astype<half>();
    CHECK_SAME((Longs{0, 2}), searchsorted(h, to_gpu(std::vector<half>{half(-1.0f), half(11.0f)})).get(), "half");
}

TEST_CASE("digitize numbers the bins of ascending and descending edges") {
    const auto values = drawn<float>(500, 5, -2, 12);
    const GPUArray<float> x = placed<float>(values, 0);
    const std::vector<float> up{0, 2, 2, 5, 10}, down{10, 5, 2, 2, 0};
    for (const bool right : {false, true}) {
        Longs rising, falling;
        for (const float v : values) {
            const auto passes = [&](float e) { return right ? e < v : e <= v; };
            const auto stays = [&](float e) { return right ? e >= v : e > v; };
            rising.push_back(std::count_if(up.begin(), up.end(), passes));
            falling.push_back(std::count_if(down.begin(), down.end(), stays));
        }
        CHECK_SAME(rising, digitize(x, to_gpu(up), right).get(), "ascending");
        CHECK_SAME(falling, digitize(x, to_gpu(down), right).get(), "descending");
    }
}

TEST_CASE("merge keeps the order of equal elements") {
    // Keys with a mark of whose they are: the mark has no part in the order of these types, but tells them apart.
    for (const std::size_t n : {0, 1, 100, 4099})
        for (const std::size_t m : {0, 1, 77, 5000}) {
            auto a = drawn<float>(n, 6, 0, 50), b = drawn<float>(m, 7, 0, 50);
            for (float& v : b) v = v == 0 ? -0.0f : v;  // equal to a's zeros, and behind them
            std::sort(a.begin(), a.end());
            std::sort(b.begin(), b.end());
            std::vector<float> expected(n + m);
            std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
            const std::vector<float> merged = merge(placed<float>(a, 0), placed<float>(b, 0)).get();
            REQUIRE(merged.size() == expected.size());
            CHECK(std::memcmp(merged.data(), expected.data(), 4 * merged.size()) == 0);
        }
}

TEST_CASE("searches refuse what cannot be meant") {
    const GPUArray<float> x = arange<float>(6);
    CHECK_THROWS_MENTIONING(ArgumentError, searchsorted(x.reshape({2, 3}), x), "searchsorted", "(2, 3)", "one axis");
    CHECK_THROWS_MENTIONING(ArgumentError, searchsorted(x, GPUArray<float>()), "searchsorted", "empty handle");
    CHECK_THROWS_MENTIONING(ArgumentError, digitize(x, x.reshape({2, 3})), "digitize", "(2, 3)");
    CHECK_THROWS_MENTIONING(ArgumentError, merge(x, x.reshape({2, 3})), "merge", "(2, 3)");
    CHECK_THROWS_MENTIONING(ArgumentError, searchsorted(x, x, Side::left, {.pivots = 1 << 30}), "searchsorted",
                            "pivots");
    CHECK(searchsorted(x, x).size() == 6);
}

TEST_SUITE_END();
