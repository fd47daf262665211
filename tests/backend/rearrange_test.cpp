/// tile, repeat, roll and flip, against loops on the host.
#include "array_support.hpp"
#include "generator_support.hpp"

#include <gemel/core/text.hpp>

using namespace gemel;
using namespace gemel::testing;

namespace science {
struct Knot {
    float at;
    std::array<std::int32_t, 2> order;
};
GEMEL_STRUCT(Knot, at, order)
}  // namespace science

namespace {

using Ints = std::vector<std::int32_t>;

std::int64_t modulo(std::int64_t k, std::int64_t n) { return (k % n + n) % n; }

/// For each index of a result in C order, which element of an array of `shape` stands there.
template <class From>
std::vector<std::size_t> sources(const Shape& result, const Shape& shape, const From& from) {
    std::vector<std::size_t> all;
    for (std::size_t flat = 0; flat < result.count(); ++flat) {
        auto rest = static_cast<std::int64_t>(flat);
        std::vector<std::int64_t> index(result.rank());
        for (std::size_t axis = result.rank(); axis-- > 0;) {
            index[axis] = rest % result[axis];
            rest /= result[axis];
        }
        std::int64_t at = 0;
        for (std::size_t axis = 0; axis < shape.rank(); ++axis) at = at * shape[axis] + from(index, axis);
        all.push_back(static_cast<std::size_t>(at));
    }
    return all;
}

template <class T, class From>
void check_moved(const std::vector<HostElement<T>>& values, const Shape& shape, const GPUArray<T>& result,
                 const Shape& result_shape, const From& from, const std::string& what) {
    std::vector<HostElement<T>> expected;
    for (const std::size_t source : sources(result_shape, shape, from)) expected.push_back(values[source]);
    CHECK_MESSAGE(result.shape() == result_shape, what);
    CHECK_SAME(expected, result.get(), what);
}

template <class T>
void check_all(const char* type, const std::vector<Form>& x_forms = {Form::C, Form::strided}) {
    const Shape shape{3, 2, 5};
    for (const Form form : x_forms) {
        GPUArray<T> x;
        const auto values = fill_in<T>(form, shape, x, small_values<T>(30, 3));
        const std::string what = text(type, " ", name_of(form));
        using Place = std::vector<std::int64_t>;
        check_moved<T>(
            values, shape, tile(x, {2, 1, 3}), Shape{6, 2, 15},
            [&](const Place& p, std::size_t axis) { return p[axis] % shape[axis]; }, "tile " + what);
        for (const std::int64_t axis : {0, 1, 2}) {
            const auto along = static_cast<std::size_t>(axis);
            Shape longer = shape;
            longer[along] *= 3;
            check_moved<T>(
                values, shape, repeat(x, 3, axis - 3), longer,
                [&](const Place& p, std::size_t k) { return k == along ? p[k] / 3 : p[k]; }, "repeat " + what);
            for (const std::int64_t shift : {0, 1, -2, 7, -13})
                check_moved<T>(
                    values, shape, roll(x, shift, axis), shape,
                    [&](const Place& p, std::size_t k) { return k == along ? modulo(p[k] - shift, shape[k]) : p[k]; },
                    text("roll by ", shift, " along ", axis, " ", what));
            check_moved<T>(
                values, shape, flip(x, {axis}), shape,
                [&](const Place& p, std::size_t k) { return k == along ? shape[k] - 1 - p[k] : p[k]; }, "flip " + what);
        }
        check_moved<T>(
            values, shape, roll(x, {1, -2}, {0, -1}), shape,
            [&](const Place& p, std::size_t k) {
                return modulo(p[k] - (k == 0 ? 1 : k == 2 ? -2 : 0), shape[k]);
            },
            "roll along two axes " + what);
        auto rolled = values;
        std::rotate(rolled.begin(), rolled.end() - 4, rolled.end());
        CHECK_SAME(rolled, roll(x, 4).get(), "roll of all ", what);
        CHECK_SAME(std::vector<HostElement<T>>(values.rbegin(), values.rend()), flip(x).get(), "flip of all ", what);
        std::vector<HostElement<T>> twice;
        for (const auto& value : values) twice.insert(twice.end(), 2, value);
        CHECK_SAME(twice, repeat(x, 2).get(), "repeat of all ", what);
    }
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("arrays of every type and layout are tiled and repeated and rolled and flipped") {
    check_all<std::int8_t>("int8");
    check_all<half>("half");
    check_all<float>("float", std::vector<Form>(forms.begin(), forms.end()));
    check_all<cfloat>("cfloat");
    if (!lacks_double()) check_all<double>("double");
}

TEST_CASE("tile counts axes from the last") {
    const auto x = counted({2});
    CHECK(tile(x, 3).get() == Ints{0, 1, 0, 1, 0, 1});
    CHECK(tile(x, {2, 2}).shape() == Shape{2, 4});
    CHECK(tile(counted({2, 2}), {2}).get() == Ints{0, 1, 0, 1, 2, 3, 2, 3});
    CHECK(tile(x(1), {2, 2}).get() == Ints(4, 1));
    CHECK(tile(x, {0, 1}).shape() == Shape{0, 2});
    CHECK(tile(x, Shape{}).get() == Ints{0, 1});
    CHECK(tile(x + 1, 2).get() == Ints{1, 2, 1, 2});
    CHECK(!tile(x, 1).is_view_of(x));
    CHECK_THROWS_MENTIONING(ArgumentError, tile(x, {2, -1}), "tile", "-1");
}

TEST_CASE("each element is repeated its own number of times") {
    const auto x = counted({2, 3});
    const auto value = full<int>({}, 7);
    CHECK(repeat(value, 3, 0).get() == repeat(value, 3).get());
    CHECK(repeat(value, to_gpu(Ints{2}), -1).size() == 2);
    CHECK_THROWS_AS(repeat(value, 3, 1), ArgumentError);
    CHECK(repeat(x, to_gpu(Ints{2, 0, 1}), 1).get() == Ints{0, 0, 2, 3, 3, 5});
    CHECK(repeat(x, to_gpu(Ints{1, 2}), 0).get() == Ints{0, 1, 2, 3, 4, 5, 3, 4, 5});
    CHECK(repeat(x, to_gpu(std::vector<std::uint8_t>{0, 0, 1, 0, 2, 1})).get() == Ints{2, 4, 4, 5});
    CHECK(repeat(x, to_gpu(Ints{2}), 0).shape() == Shape{4, 3});
    CHECK(repeat(x, to_gpu(Ints{0, 0}), 0).shape() == Shape{0, 3});
    CHECK(repeat(zeros<float>({0, 3}), zeros<std::int32_t>({0}), 0).shape() == Shape{0, 3});
    const std::size_t n = 3000;
    std::mt19937 random(5);
    Ints times(n), expected;
    for (std::size_t k = 0; k < n; ++k) {
        times[k] = static_cast<std::int32_t>(random() % 4);
        expected.insert(expected.end(), static_cast<std::size_t>(times[k]), static_cast<std::int32_t>(k));
    }
    CHECK_SAME(expected, repeat(counted({n}), to_gpu(times)).get(), "random numbers of times");
    CHECK_THROWS_MENTIONING(ArgumentError, repeat(x, to_gpu(Ints{1, -1, 1}), 1), "negative");
    CHECK_THROWS_MENTIONING(ArgumentError, repeat(x, to_gpu(Ints{1, 1}), 1), "(2,)", "3 elements");
    CHECK_THROWS_MENTIONING(ArgumentError, repeat(x, -2), "-2");
    CHECK_THROWS_AS(repeat(x, 2, 2), ArgumentError);
}

TEST_CASE("more elements than 64 bits can count are refused") {
    using Longs = std::vector<std::int64_t>;
    const auto x = counted({3});
    const std::int64_t half = std::int64_t{1} << 62;
    CHECK_THROWS_MENTIONING(ArgumentError, repeat(x, to_gpu(Longs{INT64_MAX, INT64_MAX, 3})), "repeat: ", "64 bits");
    CHECK_THROWS_MENTIONING(ArgumentError, repeat(x, to_gpu(Longs{half, half, 0})), "repeat: ", "64 bits");
    CHECK_THROWS_MENTIONING(ArgumentError, repeat(x, to_gpu(Longs{-5, 1, 1})), "negative");
    CHECK_THROWS_MENTIONING(ArgumentError, repeat(x, INT64_MAX), "repeat: 3 times 9223372036854775807", "64 bits");
    CHECK_THROWS_MENTIONING(ArgumentError, repeat(x, half, 0), "repeat: 3 times 4611686018427387904");
    CHECK_THROWS_MENTIONING(ArgumentError, tile(zeros<float>({0, 2}), {1, half}), "tile: ", "64 bits");
}

TEST_CASE("roll and flip at the edges of what they take") {
    const auto x = counted({2, 3});
    CHECK(roll(x, -1).get() == Ints{1, 2, 3, 4, 5, 0});
    CHECK(roll(x.transpose(), 1).get() == Ints{5, 0, 3, 1, 4, 2});
    CHECK(roll(x, {1, 1}, {1, 1}).get() == roll(x, 2, 1).get());
    CHECK(roll(x(0, 1), 3).item() == 1);
    CHECK(roll(zeros<float>({0, 2}), 1, 0).shape() == Shape{0, 2});
    CHECK(flip(x).is_view_of(x));
    CHECK(flip(x, {-1}).get() == Ints{2, 1, 0, 5, 4, 3});
    CHECK(flip(x(0, 1)).item() == 1);
    CHECK_THROWS_MENTIONING(ArgumentError, roll(x, {1, 2}, {0}), "2 shifts", "1 axis");
    CHECK_THROWS_AS(roll(x, 1, 2), ArgumentError);
    CHECK_THROWS_MENTIONING(ArgumentError, flip(x, {0, -2}), "twice");
    CHECK_THROWS_AS(flip(x, {2}), ArgumentError);
    CHECK_THROWS_MENTIONING(ArgumentError, flip(GPUArray<float>()), "flip", "empty handle");
}

TEST_CASE("structs are rearranged whole") {
    std::vector<science::Knot> knots;
    for (int k = 0; k < 4; ++k) knots.push_back({0.5f * static_cast<float>(k), {{k, -k}}});
    const auto x = to_gpu(knots, {2, 2});
    CHECK(tile(x, {2, 1}).get()[7].order[1] == -3);
    CHECK(repeat(x, 2, 1).get()[3].order[0] == 1);
    CHECK(repeat(x, to_gpu(Ints{0, 3}), 0).get()[5].order[1] == -3);
    CHECK(roll(x, 1).get()[0].at == 1.5f);
    CHECK(flip(x).get()[0].at == 1.5f);
}

TEST_SUITE_END();
