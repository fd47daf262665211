/// Running sums and products against plain host loops.
#include "array_support.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <type_traits>
#include <utility>

using namespace gemel;
using namespace gemel::testing;

namespace {

template <class T>
using Values = std::vector<T>;

/// Along the middle axis of (outer, length, inner).
template <class T, class U>
Values<T> running(const Values<U>& values, std::size_t outer, std::size_t length, std::size_t inner, bool sum) {
    Values<T> out(values.size());
    for (std::size_t o = 0; o < outer; ++o)
        for (std::size_t i = 0; i < inner; ++i) {
            T total = sum ? T(0) : T(1);
            for (std::size_t k = 0; k < length; ++k) {
                const std::size_t at = (o * length + k) * inner + i;
                const T value(values[at]);
                total = static_cast<T>(sum ? total + value : total * value);
                out[at] = total;
            }
        }
    return out;
}

/// Whole and small numbers: every sum is exact. Without `every_axis` along the last one alone.
template <class T>
void check_axes(const Shape& shape, bool every_axis = true) {
    using Sum = std::conditional_t<std::is_integral_v<T>,
                                   std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>, T>;
    std::mt19937 random(7);
    Values<T> values(shape.count());
    for (T& value : values) value = static_cast<T>(random() % 5);
    const GPUArray<T> x = to_gpu(values).reshape(shape);
    static_assert(std::is_same_v<typename decltype(cumsum(x))::value_type, Sum>);
    INFO(dtype_of<T>().name(), " ", to_string(shape));
    if (every_axis) CHECK(cumsum(x).get() == running<Sum>(values, 1, values.size(), 1, true));
    for (std::size_t axis = every_axis ? 0 : shape.rank() - 1; axis < shape.rank(); ++axis) {
        std::size_t outer = 1, inner = 1;
        for (std::size_t k = 0; k < shape.rank(); ++k)
            if (k != axis) (k < axis ? outer : inner) *= static_cast<std::size_t>(shape[k]);
        const auto expected = running<Sum>(values, outer, static_cast<std::size_t>(shape[axis]), inner, true);
        const auto found = cumsum(x, static_cast<int>(axis));
        CHECK(found.shape() == shape);
        CHECK(found.get() == expected);
        if (values.size() <= 10000)
            CHECK(cumsum(x, static_cast<int>(axis) - static_cast<int>(shape.rank())).get() == expected);
    }
}

/// Along the middle axis of (outer, length, inner): small whole numbers, whose sums are exact.
template <class T>
void check_columns(std::int64_t outer, std::int64_t length, std::int64_t inner) {
    INFO(dtype_of<T>().name(), " ", outer, " x ", length, " x ", inner);
    std::mt19937 random(3);
    Values<float> values(static_cast<std::size_t>(outer * length * inner));
    for (float& value : values) value = static_cast<float>(random() % 3);
    const auto x = to_gpu(values).reshape({outer, length, inner}).astype<T>();
    const auto expected = running<float>(values, static_cast<std::size_t>(outer), static_cast<std::size_t>(length),
                                         static_cast<std::size_t>(inner), true);
    CHECK(cumsum(x, 1).template astype<float>().get() == expected);
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("running sums of several types and shapes along every axis") {
    check_axes<std::int8_t>({1000});
    check_axes<std::uint16_t>({7, 5});
    check_axes<std::int32_t>({3, 4, 5});
    check_axes<std::int64_t>({1, 1});
    check_axes<float>({5, 1, 300});
    check_axes<float>({300, 40});
    check_axes<double>({2, 3, 4, 5});
    check_axes<std::int32_t>({3, 100003});
    check_axes<std::int32_t>({70001, 3});
    // Rows so narrow that each is one value of a scan, on GPUs.
    check_axes<float>({9000, 2});
    check_axes<float>({3, 2000, 8});
    check_axes<double>({20000, 4});
    check_axes<std::uint8_t>({2, 1500, 3, 1});
    check_axes<float>({3000, 1, 1});
}

TEST_CASE("running sums along rows from a lane's access to several tiles of a block") {
    for (const auto& [rows, length] : {std::pair{257, 4}, {33, 12}, {65, 64}, {9, 100}, {3, 516}, {2, 1028}, {2, 5000}})
        check_axes<float>({rows, length});
    // Tile after tile: rows are too many for several blocks each, with 528 or more for the check's stand-in.
    const std::int64_t rows = testing::is_check() ? 530 : 700;
    check_axes<float>({rows, 8200}, !testing::is_check());
    check_axes<double>({rows, 4098}, !testing::is_check());  // the last tile has one access
    check_axes<std::int8_t>({5, 1000});
    check_axes<std::int32_t>({40, 33});  // rows that are no whole number of accesses
}

TEST_CASE("running sums along rows that share accesses with their neighbours") {
    // The array ends with a whole access, or within one.
    for (const auto& [rows, length] :
         {std::pair{256, 17}, {259, 17}, {33, 19}, {64, 63}, {11, 101}, {5, 257}, {8, 519}, {3, 1031}})
        check_axes<float>({rows, length}, false);
    check_axes<double>({41, 9}, false);
    check_axes<double>({7, 1029}, false);
    check_axes<std::int8_t>({9, 77}, false);
    check_axes<std::uint16_t>({13, 301}, false);
    check_axes<float>({6, 5, 1021}, false);
    const std::int64_t rows = testing::is_check() ? 530 : 701;  // tile after tile
    check_axes<float>({rows, 8203}, false);
    check_axes<double>({rows, 4099}, false);
    const auto h = full<half>({700, 333}, 1.f);
    const auto sums = cumsum(h, 1).get();
    for (std::size_t k = 0; k < sums.size(); ++k) REQUIRE(float(sums[k]) == float(k % 333 + 1));
    const GPUArray<std::int32_t> x = counted<std::int32_t>({90, 43}) % 10;
    CHECK(cumsum(2 * x - 1, 1).get() == cumsum(GPUArray<std::int32_t>(2 * x - 1), 1).get());
    const auto highest = cumulative_max(x, 1).get(), given = x.get();
    for (std::size_t k = 0; k < given.size(); ++k)
        REQUIRE(highest[k] == (k % 43 == 0 ? given[k] : std::max(highest[k - 1], given[k])));
}

TEST_CASE("running products") {
    CHECK(cumprod(to_gpu(Values<std::int8_t>{2, 3, -4, 100})).get() == Values<std::int64_t>{2, 6, -24, -2400});
    CHECK(cumprod(counted<double>({2, 3}) + 1, 0).get() == Values<double>{1, 2, 3, 4, 10, 18});
    CHECK(cumprod<float>(to_gpu(Values<std::int32_t>{2, 3})).get() == Values<float>{2, 6});
}

TEST_CASE("running sums of bools and 16-bit floats and complex numbers") {
    CHECK(cumsum(to_gpu(std::vector<bool>{true, false, true})).get() == Values<std::int64_t>{1, 1, 2});
    const auto h = full<half>({3000}, 1.f);
    static_assert(std::is_same_v<decltype(cumsum(h))::value_type, half>);
    // 2049 is no half: only what is stored is rounded.
    CHECK(float(cumsum(h).get()[2999]) == 3000);
    CHECK(cumsum<float>(h).get()[2048] == 2049);
    CHECK(float(cumsum(full<bfloat16>({2, 2}, 0.5f), 1).get()[3]) == 1);
    const auto c = to_gpu(Values<cfloat>{{1, 2}, {0, 1}, {2, 0}});
    CHECK(cumsum(c).get() == Values<cfloat>{{1, 2}, {1, 3}, {3, 3}});
    CHECK(cumprod(c).get() == Values<cfloat>{{1, 2}, {-2, 1}, {-4, 2}});
    CHECK(cumsum<cdouble>(to_gpu(Values<float>{1, 2})).get() == Values<cdouble>{1, 3});
}

TEST_CASE("running results down long columns, which are cut into pieces") {
    const auto h = full<half>({3000, 2}, 1.f);
    CHECK(float(cumsum(h, 0).get()[5998]) == 3000);  // 2049 is no half: only what is stored is rounded
    CHECK(cumsum(full<bool>({2, 1000, 3}, true), 1).get() ==
          running<std::int64_t>(Values<std::int64_t>(6000, 1), 2, 1000, 3, true));
    const auto turns = cumprod(full<cfloat>({1001, 5}, cfloat(0, 1)), 0).get();
    for (const std::size_t row : {0u, 1u, 63u, 64u, 65u, 500u, 1000u}) {
        const cfloat powers[]{{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
        CHECK(turns[row * 5 + 4] == powers[row % 4]);
    }
    std::mt19937 random(3);
    Values<float> values(2 * 999 * 4);
    for (float& value : values) value = static_cast<float>(random() % 1000) / 7;
    const Values<double> exact = running<double>(values, 2, 999, 4, true);
    const auto found = cumsum(to_gpu(values).reshape({2, 999, 4}), 1).get();
    for (std::size_t k = 0; k < found.size(); ++k) REQUIRE(std::abs(found[k] / exact[k] - 1) < 1e-6);
}

TEST_CASE("running sums down columns that a thread each walks whole, 32 elements at a time") {
    // 35 000 columns in many planes, and in one, of as many bytes as keep a large GPU's memory busy.
    check_columns<float>(70, 150, 501);
    check_columns<float>(1, 190, 18001);
    check_columns<std::int32_t>(1, 160, 16640);
    check_columns<double>(3, 150, 11003);
    check_columns<half>(1, 147, 33001);
    // More threads, in rows shorter than a block that begin within sectors, and longer ones.
    check_columns<float>(300, 40, 401);
    check_columns<float>(8, 33, 13001);
}

TEST_CASE("running results of many columns whose rows begin within sectors of memory") {
    // Whole and in pieces, in one strip of a row and in several, to the last row of a group and past it.
    check_columns<float>(1600, 33, 33);
    check_columns<float>(200, 32, 257);
    check_columns<float>(1, 20000, 263);
    check_columns<double>(28, 41, 1021);
    check_columns<double>(8, 9000, 35);
    check_columns<half>(400, 35, 301);
    check_columns<bfloat16>(120, 33, 1001);
    check_columns<std::int64_t>(60, 34, 499);
    check_columns<std::uint16_t>(40, 1300, 41);
    check_columns<std::int8_t>(850, 33, 251);
    check_axes<std::int8_t>({120, 20, 251});
    // Few rows, which another kernel takes.
    check_columns<float>(3, 3, 30001);
    // A view that begins in the middle of its memory, complex numbers, and bools.
    const GPUArray<std::int32_t> x = counted<std::int32_t>({3, 40, 30001}) % 11;
    CHECK(cumsum(x(slice(1, 3)), 1).get() == cumsum(x(slice(1, 3)).copy(), 1).get());
    const auto turns = cumprod(full<cfloat>({600, 34, 45}, cfloat(0, 1)), 1).get();
    const cfloat powers[]{{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (std::size_t k = 0; k < turns.size(); ++k) REQUIRE(turns[k] == powers[(k / 45 % 34 + 1) % 4]);
    const auto highest = cumulative_max(full<bool>({6100, 33, 33}, true), 1);
    CHECK(highest.get() == Values<std::uint8_t>(6100 * 33 * 33, 1));
}

TEST_CASE("running maxima and minima, along every axis, with NaN as NumPy's maximum.accumulate") {
    const Values<float> values{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    const auto x = to_gpu(values).reshape({3, 4});
    static_assert(std::is_same_v<decltype(cumulative_max(x))::value_type, float>);
    CHECK(cumulative_max(x).get() == Values<float>{3, 3, 4, 4, 5, 9, 9, 9, 9, 9, 9, 9});
    CHECK(cumulative_max(x, 0).get() == Values<float>{3, 1, 4, 1, 5, 9, 4, 6, 5, 9, 5, 8});
    CHECK(cumulative_max(x, -1).get() == Values<float>{3, 3, 4, 4, 5, 9, 9, 9, 5, 5, 5, 8});
    CHECK(cumulative_min(x).get() == Values<float>{3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    CHECK(cumulative_min(-x, 1).get() == Values<float>{-3, -3, -4, -4, -5, -9, -9, -9, -5, -5, -5, -8});
    const float nan = NAN;
    const auto with_nan = cumulative_max(to_gpu(Values<float>{1, nan, 7})).get();
    CHECK(with_nan[0] == 1);
    CHECK(std::isnan(with_nan[1]));
    CHECK(std::isnan(with_nan[2]));
    const auto down = cumulative_min(to_gpu(Values<float>{-1, 5, nan, -7}).reshape({2, 2}), 0).get();
    CHECK(std::isnan(down[2]));
    CHECK(down[3] == -7);
    CHECK(std::isnan(cumulative_min(to_gpu(Values<float>{-1, 5, 0, nan}).reshape({2, 2}), 0).get()[3]));
    CHECK(cumulative_max(to_gpu(std::vector<bool>{false, true, false})).get() == Values<std::uint8_t>{0, 1, 1});
    CHECK(float(cumulative_min(full<half>({1000}, 0.5f)).get()[999]) == 0.5f);
    // Long columns and one long row: pieces and tiles.
    std::mt19937 random(11);
    Values<std::int32_t> many(70001 * 3);
    for (auto& value : many) value = static_cast<std::int32_t>(random());
    Values<std::int32_t> row = many, columns = many;
    for (std::size_t k = 1; k < row.size(); ++k) row[k] = std::max(row[k], row[k - 1]);
    for (std::size_t k = 3; k < columns.size(); ++k) columns[k] = std::max(columns[k], columns[k - 3]);
    CHECK(cumulative_max(to_gpu(many)).get() == row);
    CHECK(cumulative_max(to_gpu(many).reshape({70001, 3}), 0).get() == columns);
    const AnyArray untyped = to_gpu(Values<cfloat>{{1, 2}});
    CHECK_THROWS_MENTIONING(ArgumentError, cumulative_max(untyped), "cumulative_max", "no order");
}

TEST_CASE("running sums in a type of one's choice") {
    const auto x = to_gpu(Values<std::int8_t>{100, 100});
    CHECK(cumsum<std::int8_t>(x).get() == Values<std::int8_t>{100, -56});
    CHECK(cumsum<double>(x).get() == Values<double>{100, 200});
    CHECK(cumsum<std::int32_t>(to_gpu(Values<float>{1.75f, 1.75f})).get() == Values<std::int32_t>{1, 2});
}

TEST_CASE("running sums of expressions and of views of any strides") {
    const Context context = current_context();
    const auto x = counted<std::int32_t>({4, 6});
    cumsum(2 * x + 1, 0);
    const Statistics before = context.statistics();
    const auto found = cumsum(2 * x + 1, 0);
    const Statistics after = context.statistics();
    CHECK(after.compilations == before.compilations);
    CHECK(after.launches - before.launches <= 3);
    CHECK(found(3).get() == Values<std::int64_t>{76, 84, 92, 100, 108, 116});
    CHECK(cumsum(x.transpose(), 0).transpose().get() == cumsum(x, 1).get());
    CHECK(cumsum(x.transpose()).get()[4] == 0 + 6 + 12 + 18 + 1);
    CHECK(cumsum(x(slice({}, {}, -1), slice({}, {}, 2)), 0)(3).get() == Values<std::int64_t>{36, 44, 52});
    CHECK(cumsum(x(0, 3)).get() == Values<std::int64_t>{3});
    // Shapes are broadcast within.
    CHECK(cumsum(counted<std::int32_t>({2, 1}) + counted<std::int32_t>({3}), 1).get() ==
          Values<std::int64_t>{0, 1, 3, 1, 3, 6});
    CHECK(cumsum(x.broadcast_to({2, 4, 6}), 0)(1).get() == (astype<std::int64_t>(x) * 2).get());
}

TEST_CASE("running sums of nothing and along axes that are not there") {
    CHECK(cumsum(empty<float>({0})).shape() == Shape{0});
    CHECK(cumsum(empty<float>({3, 0})).shape() == Shape{0});
    CHECK(cumsum(empty<float>({3, 0}), 0).shape() == Shape{3, 0});
    CHECK_THROWS_MENTIONING(ArgumentError, cumsum(counted<float>({2, 3}), 2), "axis 2", "2 axes");
    CHECK_THROWS_MENTIONING(ArgumentError, cumprod(counted<float>({2, 3}), -3), "axis -3");
    CHECK(cumsum(full<float>({}, 3), 0).get() == Values<float>{3});  // as NumPy
    CHECK(cumsum(full<float>({}, 3), -1).shape() == Shape{1});
    CHECK_THROWS_AS(cumsum(full<float>({}, 3), 1), ArgumentError);
    CHECK_THROWS_AS(cumsum(GPUArray<float>()), ArgumentError);
}

TEST_SUITE_END();
