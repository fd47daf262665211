/// Options of reductions by name, of arrays and expressions whose types are known and of those known at run time only.
#include "array_support.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

using namespace gemel;
using namespace gemel::testing;

namespace {

template <class T>
using Values = std::vector<T>;

template <class X, class Option>
concept TakesByName = requires(const X& x, const Option& option) { sum(x, option); };

template <class T>
void check_values(const AnyArray& found, const Shape& shape, const Values<HostElement<T>>& expected) {
    REQUIRE(found.dtype() == dtype_of<T>());
    CHECK(found.shape() == shape);
    CHECK(found.get<T>() == expected);
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("braces without names list axes as before there were options") {
    const auto x = counted<std::int32_t>({2, 3, 4});
    const AnyArray a = x;
    CHECK(sum(x, {}).shape() == Shape{});
    CHECK(sum(x, {0, 1}).shape() == Shape{4});
    CHECK(sum(x, {1}).shape() == Shape{2, 4});
    CHECK(sum(x, {0, 1}, true).shape() == Shape{1, 1, 4});
    CHECK(sum(x, {}, true).shape() == Shape{1, 1, 1});
    CHECK(sum<double>(x, {}).shape() == Shape{});
    CHECK(sum<double>(x, {0, 1}).shape() == Shape{4});
    CHECK(sum(a, {}).shape() == Shape{});
    CHECK(sum(a, {0, 1}).shape() == Shape{4});
    CHECK(max(a + 1, {0, 1}).shape() == Shape{4});
    CHECK(var(x, {0, 1}).shape() == Shape{4});
    CHECK(mean<double>(x + 1, {0, 2}).shape() == Shape{3});
    CHECK(argmin(x * 2, {}).shape() == Shape{});
    CHECK(count_nonzero(x, {2, 0}).shape() == Shape{3});
    static_assert(TakesByName<GPUArray<float>, ReduceOptions> && TakesByName<AnyExpr, ReduceOptions>);
    static_assert(!TakesByName<GPUArray<float>, float> && !TakesByName<AnyArray, double>);
}

TEST_CASE("options by name are those in order") {
    const auto x = counted<std::int32_t>({2, 3});
    const AnyArray a = x;
    static_assert(std::is_same_v<decltype(sum(x, {.axis = 1})), GPUArray<std::int64_t>>);
    static_assert(std::is_same_v<decltype(sum<float>(x * 2, {.axis = 1})), GPUArray<float>>);
    static_assert(std::is_same_v<decltype(sum(a, {.axis = 1})), AnyArray>);
    check_values<std::int64_t>(sum(x, {.axis = 1}), {2}, {3, 12});
    check_values<std::int64_t>(sum(x, {.axis = 1, .keepdims = true}), {2, 1}, {3, 12});
    check_values<std::int64_t>(sum(x, {.axis = {0, 1}, .keepdims = true}), {1, 1}, {15});
    check_values<std::int64_t>(sum(x, {.axis = {}}), Shape{}, {15});
    check_values<std::int64_t>(sum(x, {.keepdims = true}), {1, 1}, {15});
    check_values<std::int64_t>(sum(x, {.axis = Axes{-1}}), {2}, {3, 12});
    check_values<std::int64_t>(sum(x, {.axis = std::vector<int>{-2}, .initial = 10}), {3}, {13, 15, 17});
    check_values<std::int64_t>(sum(a, {.axis = 1, .keepdims = true}), {2, 1}, {3, 12});
    check_values<std::int64_t>(sum(a * 2, {.axis = 0, .initial = 1}), {3}, {7, 11, 15});
    check_values<float>(sum<float>(x, {.axis = 1, .initial = 0.5}), {2}, {3.5f, 12.5f});
    check_values<std::int64_t>(prod(x + 1, {.axis = 1}), {2}, {6, 120});
    check_values<std::int32_t>(min(x, {.axis = 0, .initial = 2}), {3}, {0, 1, 2});
    check_values<std::int32_t>(max(a, {.keepdims = true, .initial = 70}), {1, 1}, {70});
    check_values<bool>(any(x == 5, {.axis = 1}), {2}, {0, 1});
    check_values<bool>(all(a + 1, {.axis = 0, .keepdims = true}), {1, 3}, {1, 1, 1});
    check_values<std::int64_t>(argmin(-x, {.axis = 1}), {2}, {2, 2});
    check_values<std::int64_t>(argmax(a, {.axis = 0, .keepdims = true}), {1, 3}, {1, 1, 1});
    check_values<std::int64_t>(count_nonzero(x, {.axis = 1}), {2}, {2, 3});
    check_values<double>(mean(x, {.axis = 1}), {2}, {1, 4});
    check_values<double>(mean(a, {.axis = {0, 1}}), Shape{}, {2.5});
    check_values<double>(var(x, {.axis = 1, .ddof = 1}), {2}, {1, 1});
    check_values<double>(var(a, {.axis = 1, .keepdims = true, .ddof = 1}), {2, 1}, {1, 1});
    check_values<double>(stddev(x, {.axis = 1, .ddof = 1}), {2}, {1, 1});
    check_values<double>(norm(x(1), {.keepdims = true}), {1}, {std::sqrt(50.0)});
    check_values<std::int64_t>(sum(x, ReduceOptions{.axis = 1}), {2}, {3, 12});
}

TEST_CASE("a dtype by name is that of the elements") {
    const auto h = full<half>({1000}, 100);
    const AnyArray a = h;
    CHECK(GPUArray<float>(sum(a, {.dtype = dtype_of<float>()})).item() == 100000);
    // NVIDIA's OpenCL rounds divisions of floats in the last digit.
    CHECK(GPUArray<float>(mean(a, {.dtype = dtype_of<float>()})).item() == doctest::Approx(100));
    CHECK(GPUArray<float>(var(a, {.dtype = dtype_of<float>()})).item() < 1e-9f);
    CHECK(GPUArray<float>(stddev(a, {.dtype = dtype_of<float>()})).item() < 1e-4f);
    CHECK(GPUArray<float>(norm(a(slice(0, 4)), {.dtype = dtype_of<float>()})).item() == 200);
    CHECK(sum(a, {.dtype = dtype_of<std::int8_t>()}).dtype() == dtype_of<std::int8_t>());
    CHECK(mean(a, {.dtype = dtype_of<std::int8_t>()}).dtype() == dtype_of<double>());
    // Types that C++ knows are chosen in C++; the option may say the same.
    const auto x = counted<std::int32_t>({3});
    CHECK(sum(x, {.dtype = dtype_of<std::int64_t>()}).item() == 3);
    CHECK(sum<float>(x, {.dtype = dtype_of<float>()}).item() == 3);
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x, {.dtype = dtype_of<float>()}), "sum: ", ".dtype", "float", "sum<T>");
    CHECK_THROWS_MENTIONING(ArgumentError, mean<float>(x, {.dtype = dtype_of<double>()}), "mean: ", "double");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(a, {.dtype = dtype_of<float4>()}), "sum: ", "float4");
    CHECK_THROWS_MENTIONING(ArgumentError, norm(AnyArray(zeros<cfloat>({2})), {.dtype = dtype_of<float>()}),
                            "norm: ", "cfloat", "float");
}

TEST_CASE("options that a function does not take are refused by their names") {
    const auto x = counted<float>({2, 3});
    const AnyArray a = x;
    const DType real = dtype_of<float>();
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x, {.ddof = 1}), "sum: it does not take", ".ddof", "var", "stddev");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(a, {.ddof = 0}), "sum: ", ".ddof");
    CHECK_THROWS_MENTIONING(ArgumentError, max(x, {.dtype = real}), "max: ", ".dtype");
    CHECK_THROWS_MENTIONING(ArgumentError, min(a, {.dtype = real}), "min: ", ".dtype");
    CHECK_THROWS_MENTIONING(ArgumentError, mean(x, {.initial = 1}), "mean: ", ".initial", "sum", "max");
    CHECK_THROWS_MENTIONING(ArgumentError, var(x, {.initial = 1}), "var: ", ".initial");
    CHECK_THROWS_MENTIONING(ArgumentError, norm(a, {.ddof = 1}), "norm: ", ".ddof");
    CHECK_THROWS_MENTIONING(ArgumentError, argmax(x, {.initial = 0}), "argmax: ", ".initial");
    CHECK_THROWS_MENTIONING(ArgumentError, argmin(a, {.dtype = real}), "argmin: ", ".dtype");
    CHECK_THROWS_MENTIONING(ArgumentError, any(x, {.initial = true}), "any: ", ".initial");
    CHECK_THROWS_MENTIONING(ArgumentError, all(x, {.ddof = 1}), "all: ", ".ddof");
    CHECK_THROWS_MENTIONING(ArgumentError, count_nonzero(x, {.dtype = real}), "count_nonzero: ", ".dtype");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x, {.axis = 2}), "sum: ", "axis 2");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(counted<std::int8_t>({2}), {.initial = 0.5}), "sum: ", "0.5", "int64_t");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x, {.initial = cfloat(0, 1)}), "sum: ", "complex");
    CHECK(sum(x).item() == 15);  // and the context is well
}

TEST_CASE("results go to the array that is given") {
    const auto x = counted<float>({2, 3});
    const AnyArray a = x;
    const auto row = full<float>({3}, -1);
    const auto found = sum(x, {.axis = 0, .out = row});
    CHECK(found.buffer().block() == row.buffer().block());
    CHECK(row.get() == Values<float>{3, 5, 7});
    max(a, {.axis = 0, .initial = 4, .out = row});
    CHECK(row.get() == Values<float>{4, 4, 5});
    mean(x, {.axis = 0, .out = row});
    CHECK(row.get() == Values<float>{1.5f, 2.5f, 3.5f});
    var(a, {.axis = 0, .out = row});
    CHECK(row.get() == Values<float>{2.25f, 2.25f, 2.25f});
    stddev(x, {.axis = 0, .out = row});
    CHECK(row.get() == Values<float>{1.5f, 1.5f, 1.5f});
    norm(x, {.axis = 0, .out = row});
    CHECK(row.get()[0] == 3);
    const auto places = full<std::int64_t>({2}, -1);
    argmax(x, {.axis = 1, .out = places});
    CHECK(places.get() == Values<std::int64_t>{2, 2});
    count_nonzero(a, {.axis = 1, .out = places});
    CHECK(places.get() == Values<std::int64_t>{2, 3});
    const auto truth = full<bool>({2, 1}, false);
    all(x + 1, {.axis = 1, .keepdims = true, .out = truth});
    CHECK(truth.get() == Values<std::uint8_t>{1, 1});
    // Any strides, a wider type, and the operand's own memory.
    const auto spread = full<float>({5}, -1);
    sum(x, {.axis = 0, .out = spread(slice({}, {}, 2))});
    CHECK(spread.get() == Values<float>{3, -1, 5, -1, 7});
    const auto whole = full<std::int32_t>({}, 0);
    sum(AnyArray(counted<std::int8_t>({4})), {.out = whole});
    CHECK(whole.item() == 6);
    const auto own = counted<float>({2, 3});
    sum(own, {.axis = 0, .out = own(0)});
    CHECK(own.get() == Values<float>{3, 5, 7, 3, 4, 5});
    var(own, {.axis = 0, .out = own(1)});
    CHECK(own.get() == Values<float>{3, 5, 7, 0, 0.25f, 1});
}

TEST_CASE("arrays that cannot take the result are refused") {
    const auto x = counted<float>({2, 3});
    const AnyArray a = x;
    const auto row = full<float>({3}, -1);
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x, {.axis = 1, .out = row}), "sum: ", ".out", "(3,)", "(2,)");
    CHECK_THROWS_MENTIONING(ArgumentError, mean(a, {.axis = 0, .keepdims = true, .out = row}), "mean: ", "(1, 3)");
    CHECK_THROWS_MENTIONING(ArgumentError, sum<double>(x, {.axis = 0, .out = row}), "sum: ", ".out", "double");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(a, {.axis = 0, .out = full<std::int32_t>({3}, 0)}), "sum: ", "int32_t",
                            "float");
    CHECK_THROWS_MENTIONING(ArgumentError, argmin(a, {.axis = 0, .out = full<std::uint64_t>({3}, 0)}), "argmin: ");
    CHECK_THROWS_AS(sum(x, {.axis = 0, .out = full<float>({1}, 0).broadcast_to({3})}), ArgumentError);
    CHECK(row.get() == Values<float>{-1, -1, -1});
}

TEST_SUITE_END();
