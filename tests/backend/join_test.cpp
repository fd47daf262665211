/// concatenate and stack, against loops on the host.
#include "array_support.hpp"
#include "generator_support.hpp"

#include <gemel/core/text.hpp>

#include <tuple>
#include <type_traits>

using namespace gemel;
using namespace gemel::testing;

namespace science {
struct Pixel {
    std::int16_t row, column;
    double value;
};
GEMEL_STRUCT(Pixel, row, column, value)
}  // namespace science

namespace {

using Ints = std::vector<std::int32_t>;

/// Arrays of shapes that differ along one axis, in all forms, joined there.
template <class T>
void check_concatenate(const char* what) {
    for (const std::size_t along : {0, 1, 2}) {
        const std::int64_t extents[] = {2, 0, 1, 3, 4, 1};
        std::vector<GPUArray<T>> arrays;
        std::vector<std::vector<HostElement<T>>> values;
        std::vector<Shape> shapes;
        std::int64_t total = 0;
        for (std::size_t a = 0; a < std::size(extents); ++a) {
            Shape shape{3, 2, 4};
            shape[along] = extents[a];
            total += extents[a];
            GPUArray<T> x;
            values.push_back(fill_in<T>(forms[a], shape, x, small_values<T>(shape.count(), static_cast<unsigned>(a))));
            arrays.push_back(x);
            shapes.push_back(shape);
        }
        std::int64_t outer = 1;
        Shape result{3, 2, 4};
        result[along] = total;
        for (std::size_t axis = 0; axis < along; ++axis) outer *= result[axis];
        std::vector<HostElement<T>> expected;
        for (std::int64_t o = 0; o < outer; ++o)
            for (std::size_t a = 0; a < arrays.size(); ++a) {
                const auto run = static_cast<std::ptrdiff_t>(values[a].size()) / outer;
                expected.insert(expected.end(), values[a].begin() + o * run, values[a].begin() + (o + 1) * run);
            }
        const GPUArray<T> joined = concatenate(arrays, static_cast<std::int64_t>(along) - (along == 2 ? 3 : 0));
        CHECK(joined.shape() == result);
        CHECK(joined.is_contiguous());
        CHECK_SAME(expected, joined.get(), what, " along ", along);
    }
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("arrays of every type and layout are joined along every axis") {
    check_concatenate<std::int8_t>("int8");
    check_concatenate<bool>("bool");
    check_concatenate<half>("half");
    check_concatenate<float>("float");
    check_concatenate<cfloat>("cfloat");
    check_concatenate<std::int64_t>("int64");
    if (!lacks_double()) check_concatenate<cdouble>("cdouble");
}

TEST_CASE("lists and ranges and arrays of unknown type are joined") {
    const auto a = counted({2}), b = counted({3});
    CHECK(concatenate({a, b, a}).get() == Ints{0, 1, 0, 1, 2, 0, 1});
    CHECK(concatenate(std::array{a, b}).get() == Ints{0, 1, 0, 1, 2});
    CHECK(concatenate({a}).get() == Ints{0, 1});
    CHECK(!concatenate({a}).is_view_of(a));
    const std::vector<AnyArray> unknown{a, b};
    CHECK(GPUArray<std::int32_t>(concatenate(unknown)).size() == 5);
    const auto p = to_gpu(std::vector<science::Pixel>{{1, 2, 3.5}, {4, 5, 6.5}});
    CHECK(concatenate({p, p(slice({}, {}, -1))}).get()[2].value == 6.5);
}

TEST_CASE("stack makes a new axis anywhere") {
    const auto a = counted({2, 3}), b = (a + 10).eval();
    CHECK(stack({a, b}).shape() == Shape{2, 2, 3});
    CHECK(stack({a, b}).get() == Ints{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15});
    CHECK(stack({a, b}, 1).get() == Ints{0, 1, 2, 10, 11, 12, 3, 4, 5, 13, 14, 15});
    CHECK(stack({a, b}, -1).shape() == Shape{2, 3, 2});
    CHECK(stack({a, b}, 2).get() == Ints{0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15});
    CHECK(stack({a.transpose(), b.transpose()}, -3)(1, 2, 0).item() == 12);
    CHECK(stack({a(0, 1), a(1, 1), b(1, 2)}).get() == Ints{1, 4, 15});
    CHECK(stack(std::vector{zeros<float>({0, 2}), zeros<float>({0, 2})}, 1).shape() == Shape{0, 2, 2});
}

TEST_CASE("arrays are joined side by side and one below the other") {
    const auto a = counted({2, 2}), b = counted({2, 1}), row = counted({2});
    CHECK(hstack({a, b}).get() == Ints{0, 1, 0, 2, 3, 1});
    CHECK(hstack({row, row}).get() == Ints{0, 1, 0, 1});
    CHECK(hstack({row(0), row(1)}).get() == Ints{0, 1});
    CHECK(vstack({a, row.reshape({1, 2})}).get() == Ints{0, 1, 2, 3, 0, 1});
    CHECK(vstack({row, row}).shape() == Shape{2, 2});
    CHECK(vstack(std::vector{row(0), row(1)}).shape() == Shape{2, 1});
    CHECK_THROWS_MENTIONING(ArgumentError, vstack({a, counted({3})}), "(1, 3)", "(2, 2)");
    CHECK_THROWS_MENTIONING(ArgumentError, hstack(std::vector<GPUArray<float>>{}), "hstack", "empty");
}

TEST_CASE("contiguous arrays are joined by copies alone") {
    const auto a = counted({100}), b = counted({50});
    concatenate({a, b});
    const auto before = current_context().statistics();
    concatenate({a, b});
    CHECK(current_context().statistics().launches == before.launches);
}

TEST_CASE("arrays of several types are joined in the type that holds both") {
    const std::vector<AnyArray> mixed{counted<std::int16_t>({2, 3}), zeros<float>({2, 3})};
    const AnyArray joined = concatenate(mixed);
    CHECK(joined.dtype() == dtype_of<float>());
    CHECK(GPUArray<float>(joined).get() == std::vector<float>{0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0});
    CHECK(stack(mixed).shape() == Shape{2, 2, 3});
}

TEST_CASE("a tuple of typed arrays is joined in their common type") {
    const auto i = counted<std::int16_t>({2}), j = counted<std::int16_t>({2}, Order::F);
    const auto u = to_gpu(std::vector<std::uint16_t>{5, 6});
    const auto f = to_gpu(std::vector<float>{0.5, 1.5});
    const GPUArray<float> joined = concatenate(std::tuple{i, f});
    CHECK(joined.get() == std::vector<float>{0, 1, 0.5, 1.5});
    static_assert(std::is_same_v<decltype(concatenate(std::tuple{i, u})), GPUArray<std::int32_t>>);
    CHECK(concatenate(std::tuple{i, u}).get() == Ints{0, 1, 5, 6});
    // In any order, as NumPy; two by two the integers would have become int32, and that and float double.
    static_assert(std::is_same_v<decltype(concatenate(std::tuple{i, u, f})), GPUArray<float>>);
    CHECK(concatenate({i, u, f}).dtype() == dtype_of<float>());
    CHECK(stack(std::tie(i, f), 1).get() == std::vector<float>{0, 0.5, 1, 1.5});
    CHECK(hstack(std::tuple{i + 1, f}).get() == std::vector<float>{1, 2, 0.5, 1.5});
    CHECK(vstack(std::tuple{f, i}).shape() == Shape{2, 2});
    static_assert(std::is_same_v<decltype(concatenate(std::tuple{i, j})), GPUArray<std::int16_t>>);
    // With an array among them whose type is known at run time, so is the result's.
    const AnyArray any = f;
    static_assert(std::is_same_v<decltype(concatenate(std::tuple{i, any})), AnyArray>);
    CHECK(concatenate(std::tuple{i + 1, any}).get<float>() == std::vector<float>{1, 2, 0.5, 1.5});
    CHECK(stack(std::tie(any, i), 1).get<float>() == std::vector<float>{0.5, 0, 1.5, 1});
}

TEST_CASE("a list of arrays of several types gives one whose type is known at run time") {
    const auto i = counted<std::int16_t>({2});
    const auto f = to_gpu(std::vector<float>{0.5, 1.5});
    CHECK(concatenate({i, f}).get<float>() == std::vector<float>{0, 1, 0.5, 1.5});
    CHECK(stack({f, i}, 1).get<float>() == std::vector<float>{0.5, 0, 1.5, 1});
    CHECK(hstack({i, f}).get<float>() == std::vector<float>{0, 1, 0.5, 1.5});
    CHECK(vstack({AnyArray(i), AnyArray(f)}).shape() == Shape{2, 2});
    static_assert(std::is_same_v<decltype(concatenate({i, i})), GPUArray<std::int16_t>>);
    CHECK_THROWS_MENTIONING(ArgumentError, concatenate({i, zeros<science::Pixel>({2})}), "array 1", "Pixel", "int16_t");
}

TEST_CASE("what cannot be joined is refused") {
    const auto a = counted({2, 3});
    CHECK_THROWS_MENTIONING(ArgumentError, concatenate(std::vector<GPUArray<float>>{}), "concatenate", "empty");
    CHECK_THROWS_MENTIONING(ArgumentError, stack(std::vector<GPUArray<float>>{}), "stack", "empty");
    CHECK_THROWS_MENTIONING(ArgumentError, concatenate({a, counted({2, 4})}), "array 1", "(2, 4)", "(2, 3)", "axis 0");
    CHECK_THROWS_MENTIONING(ArgumentError, concatenate({a, counted({3})}), "(3,)");
    CHECK_THROWS_MENTIONING(ArgumentError, concatenate({a(0, 0), a(0, 1)}), "stack()");
    CHECK_THROWS_MENTIONING(ArgumentError, concatenate({a, a}, 2), "axis 2");
    CHECK_THROWS_AS(concatenate({a, a}, -3), ArgumentError);
    CHECK_THROWS_AS(stack({a, a}, 3), ArgumentError);
    CHECK_THROWS_MENTIONING(ArgumentError, stack({a, a.transpose()}), "(3, 2)", "one shape");
    CHECK_THROWS_MENTIONING(ArgumentError, concatenate({a, GPUArray<std::int32_t>()}), "array 1", "empty handle");
    const auto long_one = a(0, 0).broadcast_to({std::int64_t{1} << 62});
    CHECK_THROWS_MENTIONING(ArgumentError, concatenate({long_one, long_one}), "concatenate: ", "64 bits");
    const Context other(a.context().device());
    CHECK_THROWS_MENTIONING(ArgumentError, concatenate({a, zeros<std::int32_t>(other, {2, 3})}), "context", "copy_to");
}

TEST_SUITE_END();
