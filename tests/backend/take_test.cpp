/// take, put and their siblings for several arrays, against loops on the host.
#include "array_support.hpp"
#include "generator_support.hpp"

#include <gemel/core/text.hpp>

#include <limits>

using namespace gemel;
using namespace gemel::testing;

namespace science {
/// Three words: no power of two.
struct Place {
    float x, y;
    std::int32_t cell;
};
GEMEL_STRUCT(Place, x, y, cell)
}  // namespace science

namespace {

using Ints = std::vector<std::int32_t>;
using science::Place;

std::int64_t brought_inside(std::int64_t k, std::int64_t n, OutOfBounds mode) {
    if (mode == OutOfBounds::clip) return std::clamp<std::int64_t>(k, 0, n - 1);
    return (k % n + n) % n;
}

/// What take() gives along axes first ... first + count - 1, counted as one.
template <class E>
std::vector<E> expected_take(const std::vector<E>& x, const Shape& shape, std::size_t first, std::size_t count,
                             const std::vector<std::int64_t>& indices, OutOfBounds mode) {
    std::int64_t outer = 1, extent = 1, inner = 1;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
        (axis < first ? outer : axis < first + count ? extent : inner) *= shape[axis];
    std::vector<E> out;
    for (std::int64_t o = 0; o < outer; ++o)
        for (const std::int64_t k : indices)
            for (std::int64_t i = 0; i < inner; ++i)
                out.push_back(x[static_cast<std::size_t>((o * extent + brought_inside(k, extent, mode)) * inner + i)]);
    return out;
}

/// Indices in [-reach, reach), or in [0, reach) for unsigned types.
template <class I>
std::vector<I> random_indices(std::size_t count, std::int64_t reach, std::mt19937& random) {
    std::vector<I> indices(count);
    for (I& index : indices) {
        const auto k = static_cast<std::int64_t>(random() % static_cast<unsigned>(2 * reach)) - reach;
        index = static_cast<I>(std::is_signed_v<I> || k >= 0 ? k : k + reach);
    }
    return indices;
}

/// Two layouts that differ in all that a kernel sees; every layout is one variant more to compile.
const std::vector<Form> few_forms{Form::C, Form::strided}, all_forms(forms.begin(), forms.end());

template <class T, class I>
void check_take(const char* what, const std::vector<Form>& x_forms = few_forms) {
    static std::size_t turn = 0;  // another number for each pair of types
    std::size_t choice = turn++;
    std::mt19937 random(7);
    const Shape shape{4, 3, 5};
    for (const Form form : x_forms) {
        GPUArray<T> x;
        const auto values = fill_in<T>(form, shape, x, small_values<T>(60, 1));
        for (const OutOfBounds mode : {OutOfBounds::raise, OutOfBounds::wrap, OutOfBounds::clip}) {
            for (const int axis : {0, -2, 2}) {
                if (is_left_out(3, choice++)) continue;
                const std::size_t along = static_cast<std::size_t>(axis < 0 ? axis + 3 : axis);
                const std::int64_t extent = shape[along];
                const auto indices = random_indices<I>(6, mode == OutOfBounds::raise ? extent : 3 * extent, random);
                const Form index_form = x_forms.size() > 2 ? forms[random() % 5] : Form::C;
                GPUArray<I> on_device;
                fill_in<I>(index_form, {2, 3}, on_device, indices);
                const GPUArray<T> taken = take(x, on_device, axis, mode);
                Shape result = shape;
                result[along] = 2;
                result.insert(along + 1, 3);
                CHECK(taken.shape() == result);
                CHECK(taken.is_contiguous());
                CHECK_SAME(expected_take(values, shape, along, 1, {indices.begin(), indices.end()}, mode), taken.get(),
                           what, " ", name_of(form), " axis ", axis, " mode ", static_cast<int>(mode));
            }
            if (is_left_out(3, choice++)) continue;
            const auto indices = random_indices<I>(70, mode == OutOfBounds::raise ? 60 : 120, random);
            CHECK_SAME(expected_take(values, shape, 0, 3, {indices.begin(), indices.end()}, mode),
                       take(x, to_gpu(indices), mode).get(), what, " ", name_of(form), " all axes, mode ",
                       static_cast<int>(mode));
        }
    }
}

template <class T>
void check_put(const char* what, const std::vector<Form>& x_forms = few_forms) {
    std::mt19937 random(11);
    const Shape shape{4, 3, 5};
    for (const Form form : x_forms) {
        if (form == Form::broadcast) continue;
        for (const std::size_t given : {60, 75, 7, 1}) {
            // Every index once, so that there is one right answer.
            std::vector<std::int16_t> indices(60);
            std::iota(indices.begin(), indices.end(), std::int16_t{-20});
            std::shuffle(indices.begin(), indices.end(), random);
            indices.resize(41);
            GPUArray<T> x;
            auto expected = fill_in<T>(form, shape, x, small_values<T>(60, 1));
            const auto values = small_values<T>(given, 5);
            const GPUArray<T> on_device(current_context(), Shape{given});
            on_device.set(values);
            for (std::size_t k = 0; k < indices.size(); ++k)
                expected[static_cast<std::size_t>((indices[k] + 60) % 60)] = values[k % given];
            put(x, to_gpu(indices), on_device);
            CHECK_SAME(expected, x.get(), what, " ", name_of(form), " ", given, " values");
        }
    }
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("take gives what NumPy gives") {
    const auto x = to_gpu(Ints{10, 11, 12, 13, 14, 15}, {2, 3});
    CHECK(take(x, to_gpu(Ints{5, 0, -1})).get() == Ints{15, 10, 15});
    CHECK(take(x, to_gpu(Ints{2, 0}), 1).get() == Ints{12, 10, 15, 13});
    CHECK(take(x, to_gpu(Ints{1}), 0).shape() == Shape{1, 3});
    CHECK(take(x, to_gpu(Ints{1})(0), 0).shape() == Shape{3});
    CHECK(take(x, to_gpu(Ints{-1})(0), 0).get() == Ints{13, 14, 15});
    CHECK(take(x, to_gpu(Ints{0, 1, 2, 3}, {2, 2})).shape() == Shape{2, 2});
    CHECK(take(x, to_gpu(Ints{-7, 6, 100}), OutOfBounds::wrap).get() == Ints{15, 10, 14});
    CHECK(take(x, to_gpu(Ints{-7, 6, -1}), OutOfBounds::clip).get() == Ints{10, 15, 10});
    CHECK(take(2 * x, to_gpu(Ints{0, 1}) + 1, 1).get() == Ints{22, 24, 28, 30});
    CHECK(take(x(0, 0), to_gpu(Ints{0, -1, 0})).get() == Ints{10, 10, 10});
}

TEST_CASE("take moves every element type by every index type") {
    check_take<std::int8_t, std::int32_t>("int8", all_forms);
    check_take<std::uint16_t, std::int8_t>("uint16");
    check_take<bool, std::uint8_t>("bool");
    check_take<std::int32_t, std::uint32_t>("int32");
    check_take<std::int64_t, std::uint16_t>("int64");
    check_take<half, std::int64_t>("half");
    check_take<bfloat16, std::int16_t>("bfloat16");
    check_take<float, std::uint64_t>("float");
    check_take<cfloat, std::int32_t>("cfloat");
    if (lacks_double()) return;
    check_take<double, std::int32_t>("double");
    check_take<cdouble, std::int32_t>("cdouble");
}

TEST_CASE("structs and vectors are taken and put as they are") {
    std::vector<Place> places;
    std::vector<float4> vectors;
    for (int k = 0; k < 12; ++k) {
        const auto f = static_cast<float>(k);
        places.push_back({f, 2 * f, k});
        vectors.push_back(float4{f, f + 1, f + 2, f + 3});
    }
    const auto x = to_gpu(places, {3, 4});
    const std::vector<Place> column = take(x.transpose(), to_gpu(Ints{-1, 0}), 0).get();
    REQUIRE(column.size() == 6);
    CHECK(column[1].cell == 7);
    CHECK(column[5].y == 16);
    put(x, to_gpu(Ints{0, -1}), x(1, slice(2)));
    CHECK(x(0, 0).item().cell == 4);
    CHECK(x(2, 3).item().cell == 5);
    put(x, to_gpu(Ints{5}), Place{1, 2, 99});
    CHECK(x(1, 1).item().cell == 99);
    const auto v = take(to_gpu(vectors), to_gpu(Ints{11, 3})).get();
    CHECK(v[0].w == 14);
    CHECK(v[1].x == 3);
}

TEST_CASE("bits are moved and not values") {
    // Signalling NaNs, which a load as a float may quieten.
    const std::vector<std::uint32_t> bits{0x7f800001u, 0xff812345u, 0x80000000u, 1u};
    const std::vector<std::uint16_t> halves{0x7c01u, 0xfd55u, 0x8000u, 1u};
    const auto backwards = to_gpu(Ints{3, 2, 1, 0});
    CHECK(take(to_gpu(bits).view_as<float>(), backwards).view_as<std::uint32_t>().get() ==
          std::vector<std::uint32_t>(bits.rbegin(), bits.rend()));
    CHECK(take(to_gpu(halves).view_as<half>(), backwards).view_as<std::uint16_t>().get() ==
          std::vector<std::uint16_t>(halves.rbegin(), halves.rend()));
}

TEST_CASE("indices of 64 bits without a sign are never negative") {
    constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
    const auto x = counted({6});
    const auto indices = to_gpu(std::vector<std::uint64_t>{1, last});
    CHECK(take(x, indices, OutOfBounds::clip).get() == Ints{1, 5});
    CHECK(take(x, indices, OutOfBounds::wrap).get() == Ints{1, 3});  // 2^64 - 1 is 3 modulo 6
    CHECK_THROWS_MENTIONING(ArgumentError, take(x, indices), "18446744073709551615", "(1,)");
}

TEST_CASE("arrays of more than 32 bits can count are taken from") {
    // Broadcast: the memory is small.
    const std::int64_t columns = std::int64_t{1} << 30;
    const auto x = counted({4})(slice(), newaxis).broadcast_to({4, columns});
    const auto indices = to_gpu(std::vector<std::int64_t>{columns, 3 * columns + 5, -1, -4 * columns, 7});
    CHECK(take(x, indices).get() == Ints{1, 3, 3, 0, 0});
    CHECK(take(x, to_gpu(Ints{-1, 5})).get() == Ints{3, 0});
    CHECK(take(x, indices + 4 * columns, OutOfBounds::wrap).get() == Ints{1, 3, 3, 0, 0});
    CHECK(take(x, indices + 4 * columns, OutOfBounds::clip).get() == Ints{3, 3, 3, 0, 3});
    CHECK(take(x, to_gpu(std::vector<std::int64_t>{columns - 1}), 1).get() == Ints{0, 1, 2, 3});
    CHECK_THROWS_MENTIONING(ArgumentError, take(x, to_gpu(std::vector<std::int64_t>{4 * columns})), "4294967296");
}

TEST_CASE("an index that is not there is named with its place") {
    const auto x = counted({2, 5});
    const auto indices = to_gpu(Ints{0, 4, -5, 5, -6, 9}, {2, 3});
    CHECK_THROWS_MENTIONING(ArgumentError, take(x, indices, 1), "take", "index 5", "(1, 0)", "5 elements", "clip");
    CHECK_THROWS_MENTIONING(ArgumentError, take(x, to_gpu(Ints{-11})), "index -11", "10 elements");
    CHECK(take(x, to_gpu(Ints{-10, 9})).get() == Ints{0, 9});
    CHECK_THROWS_MENTIONING(ArgumentError, put(x, to_gpu(Ints{0, 1, 10}), 7), "put", "index 10", "(2,)");
    CHECK_MESSAGE(x.get() == counted({2, 5}).get(), "nothing is written if an index is not there");
    CHECK_THROWS_AS(take(x, to_gpu(Ints{0}), 2), ArgumentError);
    CHECK_THROWS_AS(take(x, to_gpu(Ints{0}), -3), ArgumentError);
    CHECK_THROWS_MENTIONING(ArgumentError, take(GPUArray<float>(), to_gpu(Ints{0})), "take", "empty handle");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            take(static_cast<const AnyArray&>(x), static_cast<const AnyArray&>(zeros<float>({3}))),
                            "float", "integers");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            take(static_cast<const AnyArray&>(x), static_cast<const AnyArray&>(zeros<bool>({3}))),
                            "bool", "compress");
    const Context other(x.context().device());
    CHECK_THROWS_MENTIONING(ArgumentError, take(x, to_gpu(other, Ints{0})), "context", "copy_to");
}

TEST_CASE("nothing is taken from arrays without elements and by no indices") {
    const auto none = zeros<std::int32_t>({0});
    CHECK(take(counted({2, 3}), none, 1).shape() == Shape{2, 0});
    CHECK(take(zeros<float>({0, 3}), to_gpu(Ints{2}), 1).shape() == Shape{0, 1});
    CHECK(take(zeros<float>({0}), none).shape() == Shape{0});
    CHECK_THROWS_MENTIONING(ArgumentError, take(zeros<float>({0, 3}), to_gpu(Ints{2}), 0), "without elements");
    CHECK_THROWS_AS(take(zeros<float>({0}), to_gpu(Ints{2}), OutOfBounds::clip), ArgumentError);
    const auto x = counted({3});
    put(x, none, 9);
    put(x, none, none);
    CHECK(x.get() == Ints{0, 1, 2});
    CHECK_THROWS_MENTIONING(ArgumentError, put(x, to_gpu(Ints{0}), none), "no values");
    CHECK_THROWS_AS(put(none, to_gpu(Ints{0}), 1), ArgumentError);
}

TEST_CASE("put writes arrays of every layout with values repeated as needed") {
    check_put<std::int8_t>("int8");
    check_put<bool>("bool");
    check_put<half>("half");
    check_put<float>("float", all_forms);
    check_put<cfloat>("cfloat");
    check_put<std::int64_t>("int64");
    if (!lacks_double()) check_put<cdouble>("cdouble");
}

TEST_CASE("put takes numbers and wraps or clips indices") {
    const auto x = counted({5});
    put(x, to_gpu(Ints{-6, 7}), 9, OutOfBounds::wrap);
    CHECK(x.get() == Ints{0, 1, 9, 3, 9});
    put(x, to_gpu(Ints{-6, 7}), to_gpu(Ints{5, 6}), OutOfBounds::clip);
    CHECK(x.get() == Ints{5, 1, 9, 3, 6});
    const auto c = zeros<cfloat>({3});
    put(c(slice({}, {}, 2)), to_gpu(Ints{1}), cfloat(1, 2));
    CHECK(c.get() == std::vector<cfloat>{{0, 0}, {0, 0}, {1, 2}});
    CHECK_THROWS_MENTIONING(ArgumentError, put(counted<std::int8_t>({3}), to_gpu(Ints{0}), 300), "300", "int8_t");
    CHECK_THROWS_MENTIONING(ArgumentError, put(x(0).broadcast_to({3}), to_gpu(Ints{0}), 1), "repeats");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            put(static_cast<const AnyArray&>(x), static_cast<const AnyArray&>(to_gpu(Ints{0})),
                                static_cast<const AnyArray&>(zeros<float>({1}))),
                            "float", "int32_t", "astype");
}

TEST_CASE("what put reads may lie in what it writes") {
    const auto x = counted({8});
    put(x, to_gpu(Ints{7, 6, 5, 4, 3, 2, 1, 0}), x);
    CHECK(x.get() == Ints{7, 6, 5, 4, 3, 2, 1, 0});
    put(x(slice(4)), x(slice(4, {})), x(slice(4)));  // the indices are 3, 2, 1, 0
    CHECK(x.get() == Ints{4, 5, 6, 7, 3, 2, 1, 0});
    put(x(slice(4)), x(slice(4, {})), x(slice({}, {}, 2)));
    CHECK(x.get() == Ints{1, 3, 6, 4, 3, 2, 1, 0});
    put(x, x % 8, 1);
    CHECK(x.get() == Ints{1, 1, 1, 1, 1, 2, 1, 0});
}

TEST_CASE("several arrays are moved by one array of indices") {
    for (const std::size_t count : {1, 3, 16, 17, 35}) {
        std::vector<GPUArray<float>> arrays, values;
        for (std::size_t a = 0; a < count; ++a) {
            const GPUArray<float> x = counted<float>({4, 5}) + static_cast<float>(100 * a);
            arrays.push_back(a % 3 == 2 ? x.copy(Order::F) : x);
            values.push_back(counted<float>({3}) - static_cast<float>(10 * a));
        }
        const auto taken = multi_take(arrays, to_gpu(Ints{-1, 0, 7}));
        REQUIRE(taken.size() == count);
        for (std::size_t a = 0; a < count; ++a) {
            const auto base = static_cast<float>(100 * a);
            CHECK_MESSAGE((taken[a].get() == std::vector<float>{base + 19, base, base + 7}), "array ", a, " of ",
                          count);
        }
        multi_put(arrays, to_gpu(Ints{-1, 0, 7}), values);
        for (std::size_t a = 0; a < count; ++a) {
            auto expected = (counted<float>({4, 5}) + static_cast<float>(100 * a)).get();
            const auto base = -static_cast<float>(10 * a);
            expected[19] = base, expected[0] = base + 1, expected[7] = base + 2;
            CHECK_MESSAGE(arrays[a].get() == expected, "array ", a, " of ", count);
        }
    }
}

TEST_CASE("several arrays may differ in type and must agree in shape") {
    const auto x = counted<float>({4}), y = counted<float>({4});
    const auto z = counted<std::int8_t>({4});
    const std::vector<AnyArray> mixed{x, z, counted<cfloat>({4})};
    const auto taken = multi_take(mixed, to_gpu(Ints{3, 1}));
    CHECK(GPUArray<float>(taken[0]).get() == std::vector<float>{3, 1});
    CHECK(GPUArray<std::int8_t>(taken[1]).get() == std::vector<std::int8_t>{3, 1});
    CHECK(GPUArray<cfloat>(taken[2]).get() == std::vector<cfloat>{3, 1});
    CHECK(multi_take({x, y}, to_gpu(Ints{2})).size() == 2);
    // Values that lie in other arrays of the list, and fewer values than indices.
    multi_put({x, y}, to_gpu(Ints{0, 1, 2, 3}), {y(slice({}, {}, -1)), x(slice(2))});
    CHECK(x.get() == std::vector<float>{3, 2, 1, 0});
    CHECK(y.get() == std::vector<float>{0, 1, 0, 1});
    CHECK_THROWS_MENTIONING(ArgumentError, multi_take({x, counted<float>({5})}, to_gpu(Ints{0})), "(4,)", "(5,)");
    CHECK_THROWS_MENTIONING(ArgumentError, multi_take(std::vector<GPUArray<float>>{}, to_gpu(Ints{0})), "empty");
    CHECK_THROWS_MENTIONING(ArgumentError, multi_put({x, y}, to_gpu(Ints{0}), {x}), "2 arrays", "1 of values");
    CHECK_THROWS_MENTIONING(ArgumentError, multi_take({x, y}, to_gpu(Ints{0, 4})), "multi_take", "index 4");
    CHECK(multi_take({x, y}, zeros<std::int32_t>({0}))[1].size() == 0);
}

TEST_CASE("put converts values within their kind") {
    const auto x = zeros<float>({4});
    const auto where = to_gpu(Ints{0, -1});
    put(x, where, counted<std::int16_t>({2}) + 5);
    CHECK(x.get() == std::vector<float>{5, 0, 0, 6});
    put(x, where, counted<std::int64_t>({1}));  // repeated
    CHECK(x.get() == std::vector<float>{0, 0, 0, 0});
    const auto n = zeros<std::int8_t>({4});
    put(n, where, to_gpu(std::vector<std::int64_t>{7, 8, 9}));
    CHECK(n.get() == std::vector<std::int8_t>{7, 0, 0, 8});
    put(n, where, AnyArray(to_gpu(std::vector<bool>{true, false})));
    CHECK(n.get() == std::vector<std::int8_t>{1, 0, 0, 0});
    CHECK_THROWS_MENTIONING(ArgumentError, put(n, where, AnyArray(x)), "put", "float", "int8_t", "astype");
    CHECK_THROWS_MENTIONING(ArgumentError, put(AnyArray(zeros<std::uint8_t>({4})), where, n), "int8_t", "uint8_t");
}

TEST_CASE("put takes numbers for arrays of unknown type") {
    const auto x = counted<half>({3});
    const AnyArray any = x;
    put(any, to_gpu(Ints{1}), 2.5);
    put(any, to_gpu(Ints{3}), 7, OutOfBounds::clip);
    CHECK(x.get() == std::vector<half>{half(0), half(2.5f), half(7)});
    const AnyArray where = to_gpu(Ints{0});
    put(x, where, 1.5);
    put(any, where, 4);
    CHECK(x.get() == std::vector<half>{half(4), half(2.5f), half(7)});
    const AnyArray small = zeros<std::int8_t>({3});
    CHECK_THROWS_MENTIONING(ArgumentError, put(small, to_gpu(Ints{1}), 300), "300", "int8_t");
    CHECK_THROWS_MENTIONING(ArgumentError, put(any, to_gpu(Ints{1}), cfloat(1, 1)), "put", "complex", "float16");
}

TEST_CASE("multi_put converts values within their kind") {
    const auto x = counted<float>({4}), y = counted<float>({4});
    const auto z = counted<std::int8_t>({4}, Order::F);
    const auto i = to_gpu(std::vector<std::int64_t>{7, 8});
    multi_put({x, y}, to_gpu(Ints{0, 1}), {i, i});
    CHECK(x.get() == std::vector<float>{7, 8, 2, 3});
    multi_put({x, z}, to_gpu(Ints{2, 3}), {y, i});
    CHECK(x.get() == std::vector<float>{7, 8, 7, 8});
    CHECK(z.get() == std::vector<std::int8_t>{0, 1, 7, 8});
    multi_put(std::vector{x, y}, to_gpu(Ints{3}), std::vector{i, i});
    CHECK(y.get() == std::vector<float>{7, 8, 2, 7});
    CHECK_THROWS_MENTIONING(ArgumentError, multi_put({x, z}, to_gpu(Ints{0}), {i, y}), "multi_put", "float", "int8_t");
}

TEST_CASE("elements of many axes are taken and put") {
    Shape shape;
    for (int axis = 0; axis < 20; ++axis) shape.push_back(2);
    const auto x = zeros<std::int8_t>(shape).transpose();  // axes that cannot be joined
    put(x, counted({3}), 1);
    put(x, to_gpu(Ints{4, -1}), to_gpu(std::vector<std::int8_t>{5, 6}));
    put(x, to_gpu(Ints{9, 10, 11}), to_gpu(std::vector<std::int8_t>{7, 8}));
    CHECK(take(x, to_gpu(Ints{0, 2, 3, 4, -1})).get() == std::vector<std::int8_t>{1, 1, 0, 5, 6});
    CHECK(take(x, to_gpu(Ints{9, 10, 11, 1 << 25}), OutOfBounds::clip).get() == std::vector<std::int8_t>{7, 8, 7, 6});
    CHECK_THROWS_MENTIONING(ArgumentError, take(x, to_gpu(Ints{1 << 20})), "take: index 1048576");
    CHECK_THROWS_MENTIONING(ArgumentError, put(x, to_gpu(Ints{1 << 20}), 1), "put: index 1048576");
    CHECK(sum(x).item() == 3 + 5 + 6 + 7 + 8 + 7);
}

TEST_CASE("single values and arrays without rows are taken from as in NumPy") {
    CHECK(take(zeros<std::int32_t>({0, 3}), to_gpu(Ints{7}), 1).shape() == Shape{0, 1});
    CHECK(take(zeros<std::int32_t>({0, 0}), to_gpu(Ints{7, 8}), 1).shape() == Shape{0, 2});
    CHECK(take(zeros<std::int32_t>({2, 0, 3}), to_gpu(Ints{9}), 2).shape() == Shape{2, 0, 1});
    CHECK_THROWS_MENTIONING(ArgumentError, take(zeros<std::int32_t>({3, 0}), to_gpu(Ints{7}), 0), "index 7");
    CHECK_THROWS_MENTIONING(ArgumentError, take(zeros<std::int32_t>({0}), to_gpu(Ints{0}), 0), "without elements");
    const auto five = full<std::int32_t>({}, 5);
    CHECK(take(five, to_gpu(Ints{0, -1}), 0).get() == Ints{5, 5});
    CHECK(take(five, to_gpu(Ints{0}), -1).get() == Ints{5});
    CHECK_THROWS_MENTIONING(ArgumentError, take(five, to_gpu(Ints{0}), 1), "axis 1");
}

TEST_SUITE_END();
