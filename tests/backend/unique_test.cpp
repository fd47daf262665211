/// Sets beside the standard library's.
#include "array_support.hpp"
#include "generator_support.hpp"

#include <algorithm>
#include <map>

using namespace gemel;
using namespace gemel::testing;

namespace {

using Longs = std::vector<std::int64_t>;

template <class T>
std::vector<HostElement<T>> distinct(std::vector<HostElement<T>> values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

template <class T>
void check_unique(const char* what, int high) {
    for (const std::size_t n : {0, 1, 2, 1000, 30011}) {
        const auto values = drawn<T>(n, 3, 0, high);
        const GPUArray<T> x = placed<T>(values, 0);
        const Unique<T> u = unique(x, {.index = true, .inverse = true, .counts = true});
        const auto expected = distinct<T>(values);
        CHECK_SAME(expected, u.values.get(), what, " ", n);
        CHECK_SAME(expected, unique(x).values.get(), what, " alone ", n);
        CHECK_SAME(expected, unique_values(x).array().get(), what, " on the device ", n);
        Longs index(expected.size(), -1), inverse, counts(expected.size());
        for (std::size_t i = 0; i < n; ++i) {
            const auto k = std::lower_bound(expected.begin(), expected.end(), values[i]) - expected.begin();
            inverse.push_back(k);
            ++counts[static_cast<std::size_t>(k)];
            if (index[static_cast<std::size_t>(k)] < 0)
                index[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(i);
        }
        CHECK_SAME(index, u.index.get(), what, " index ", n);
        CHECK_SAME(inverse, u.inverse.get(), what, " inverse ", n);
        CHECK_SAME(counts, u.counts.get(), what, " counts ", n);
    }
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("unique finds values with their places and counts") {
    check_unique<std::int32_t>("int32", 97);
    check_unique<std::uint8_t>("uint8", 255);
    check_unique<float>("float", 1000000);
    check_unique<bool>("bool", 1);
}

TEST_CASE("unique counts every NaN as one and keeps the shape of the inverse") {
    const float nan = std::nanf("");
    const GPUArray<float> x = to_gpu(std::vector<float>{nan, 1, nan, 0, 1, nan}).reshape({2, 3});
    const Unique<float> u = unique(x, {.inverse = true, .counts = true});
    CHECK(u.values.size() == 3);
    CHECK(u.values(2).item() != u.values(2).item());
    CHECK(u.inverse.shape() == Shape{2, 3});
    CHECK_SAME((Longs{2, 1, 2, 0, 1, 2}), u.inverse.get(), "inverse");
    CHECK_SAME((Longs{1, 2, 3}), u.counts.get(), "counts");
    CHECK(unique(x, {.counts = true}).index.empty());
    CHECK(unique(AnyArray(x)).values.dtype() == dtype_of<float>());
}

TEST_CASE("unique counts complex numbers with a NaN in either part as one") {
    const float nan = std::nanf("");
    const std::vector<cfloat> values{{nan, 1}, {2, 0}, {1, nan}, {nan, nan}, {2, 0}, {nan, 2}, {2, -1}};
    const Unique<cfloat> u = unique(to_gpu(values), {.index = true, .inverse = true, .counts = true});
    const std::vector<cfloat> distinct_values = u.values.get();
    REQUIRE(distinct_values.size() == 3);
    CHECK(distinct_values[0] == cfloat(2, -1));
    CHECK(distinct_values[1] == cfloat(2, 0));
    CHECK_SAME((Longs{6, 1, 2}), u.index.get(), "index");
    CHECK_SAME((Longs{2, 1, 2, 2, 1, 2, 0}), u.inverse.get(), "inverse");
    CHECK_SAME((Longs{1, 2, 4}), u.counts.get(), "counts");
    CHECK(union1d(to_gpu(values), to_gpu(values)).array().size() == 3);
    CHECK(setdiff1d(to_gpu(values), to_gpu(std::vector<cfloat>{{2, 0}})).array().size() == 2);
}

TEST_CASE("sets are joined and cut as the standard library does") {
    for (const std::size_t n : {0, 1, 500, 9000})
        for (const std::size_t m : {0, 3, 700}) {
            const auto a = drawn<std::int32_t>(n, 4, 0, 3000), b = drawn<std::int32_t>(m, 5, 1000, 2500);
            const GPUArray<std::int32_t> x = placed<std::int32_t>(a, 0), y = placed<std::int32_t>(b, 0);
            const auto u = distinct<std::int32_t>(a), v = distinct<std::int32_t>(b);
            std::vector<std::int32_t> all, common, rest;
            std::set_union(u.begin(), u.end(), v.begin(), v.end(), std::back_inserter(all));
            std::set_intersection(u.begin(), u.end(), v.begin(), v.end(), std::back_inserter(common));
            std::set_difference(u.begin(), u.end(), v.begin(), v.end(), std::back_inserter(rest));
            CHECK_SAME(all, union1d(x, y).array().get(), "union1d ", n, " ", m);
            CHECK_SAME(common, intersect1d(x, y).array().get(), "intersect1d ", n, " ", m);
            CHECK_SAME(rest, setdiff1d(x, y).array().get(), "setdiff1d ", n, " ", m);
            std::vector<std::uint8_t> found, missing;
            for (const std::int32_t k : a) {
                found.push_back(std::binary_search(v.begin(), v.end(), k));
                missing.push_back(!found.back());
            }
            CHECK_SAME(found, isin(x, y).get(), "isin ", n, " ", m);
            CHECK_SAME(missing, isin(x, y, true).get(), "not in ", n, " ", m);
        }
}

TEST_CASE("sets of other types and shapes") {
    const float nan = std::nanf("");
    const GPUArray<float> x = to_gpu(std::vector<float>{nan, 1, 2, 0});
    CHECK_SAME((std::vector<std::uint8_t>{0, 1, 0, 0}), isin(x, to_gpu(std::vector<float>{nan, 1, 7})).get(), "NaN");
    CHECK(isin(x.reshape({2, 2}), x).shape() == Shape{2, 2});
    CHECK_SAME((std::vector<std::int64_t>{1, 2}),
               intersect1d(to_gpu(Longs{2, 1, 5, 1}), to_gpu(std::vector<std::int8_t>{1, 2, 3})).array().get(),
               "types");
    // What is left of an array has its type, as in NumPy.
    const GPUArray<std::int8_t> rest =
        setdiff1d(to_gpu(std::vector<std::int8_t>{3, 1, 2, 3}), to_gpu(std::vector<float>{2.5f, 2})).array();
    CHECK_SAME((std::vector<std::int8_t>{1, 3}), rest.get(), "setdiff1d of two types");
    // int64 and uint64 have no common type of integers: 2^53 + 1 is not 2^53, and -1 is not 2^64 - 1.
    const std::int64_t large = (std::int64_t{1} << 53) + 1;
    const std::uint64_t near = std::uint64_t{1} << 53, all = ~std::uint64_t{0};
    const auto negative = to_gpu(Longs{large, -1, 7}), positive = to_gpu(Longs{large - 1, -1, 7});
    const auto natural = to_gpu(std::vector<std::uint64_t>{near, all, 7});
    CHECK_SAME((std::vector<std::uint8_t>{0, 0, 1}), isin(negative, natural).get(), "int64 in uint64");
    CHECK_SAME((std::vector<std::uint8_t>{1, 0, 1}), isin(natural, positive).get(), "uint64 in int64");
    CHECK_SAME((std::vector<std::uint8_t>{0, 1, 0}), isin(natural, positive, true).get(), "uint64 not in int64");
    const GPUArray<cfloat> z = to_gpu(std::vector<cfloat>{{1, 2}, {0, 5}, {1, 2}});
    CHECK(unique(z).values.size() == 2);
    CHECK_SAME((std::vector<std::uint8_t>{0, 1, 0}), isin(z, to_gpu(std::vector<cfloat>{{0, 5}, {1, 0}})).get(),
               "complex");
    CHECK_THROWS_MENTIONING(ArgumentError, unique(GPUArray<float>()), "unique", "empty handle");
}

TEST_SUITE_END();
