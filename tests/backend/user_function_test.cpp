/// Functions of the user's in expressions; bounds of clip(), `!` and axes known at run time.
#include "array_support.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace gemel;
using namespace gemel::testing;

TEST_SUITE_BEGIN("arrays");

TEST_CASE("a user's function is part of an expression") {
    const Function<float(float, float)> smooth("smooth", "a, b", "return a * a / (b + 1);");
    const auto x = to_gpu(std::vector<float>{1, 2, 4}), y = to_gpu(std::vector<float>{0, 1, 2});
    GPUArray<float> z = smooth(x, y + 1) * 2;
    CHECK(z.get() == std::vector<float>{1, 8.f / 3, 8});  // the same operations in float
    CHECK(sum(smooth(x, 1)).item() == 10.5f);
    CHECK(smooth(AnyArray(x), y).get<float>() == smooth(x, y).get());
    CHECK(expression("smooth(x, y) + 1", {{"x", x}, {"y", y}}, {smooth}).get<float>() == (smooth(x, y) + 1).get());
    CHECK(source(smooth(x, y), Dialect::cuda()).find("a * a / (b + 1)") != std::string::npos);
}

TEST_CASE("functions of one name and different bodies do not meet") {
    const Function<float(float)> one("f", "a", "return a + c;", "#define c 1"), two("f", "a", "return a * 7;");
    const auto x = to_gpu(std::vector<float>{1, 2});
    for (int k = 0; k < 2; ++k) {
        CHECK((one(x) + 0).get() == std::vector<float>{2, 3});
        CHECK((two(x) + 0).get() == std::vector<float>{7, 14});
    }
    CHECK((one(x) + two(x)).get() == std::vector<float>{9, 17});
    CHECK((two(x) - one(two(x))).get() == std::vector<float>{-1, -1});
}

TEST_CASE("operands become the types of the parameters") {
    const Function<std::int64_t(int, bool)> f("pick", "a, b", "return b ? a : -a;");
    const auto x = to_gpu(std::vector<float>{1.75f, 2.5f});
    CHECK(f(x, x > 2).get() == std::vector<std::int64_t>{-1, 2});
}

TEST_CASE("a function that cannot be is refused") {
    using F = Function<float(float, float)>;
    CHECK_THROWS_AS(F("2f", "a, b", "return a;"), ArgumentError);
    CHECK_THROWS_AS(F("sin", "a, b", "return a;"), ArgumentError);
    CHECK_THROWS_AS(F("GLOBAL_MEM", "a, b", "return a;"), ArgumentError);
    CHECK_THROWS_AS(F("g", "a", "return a;"), ArgumentError);
    CHECK_THROWS_AS(F("g", "a, a", "return a;"), ArgumentError);
    const auto x = to_gpu(std::vector<float>{1});
    std::string shown;
    try {
        (void)F("wrong", "a, b", "return a +* misspelt;")(x, x).eval();
    } catch (const CompileError& error) {
        shown = error.source();
    }
    CHECK(shown.find("misspelt") != std::string::npos);
}

TEST_CASE("clip takes arrays and bounds beyond the type") {
    const auto x = to_gpu(std::vector<std::uint8_t>{0, 50, 200});
    CHECK(clip(x, -1, 100).get() == std::vector<std::uint8_t>{0, 50, 100});
    CHECK(clip(AnyArray(x), -1, 300).get<std::uint8_t>() == std::vector<std::uint8_t>{0, 50, 200});
    const auto y = to_gpu(std::vector<float>{1, 5, 9}), low = to_gpu(std::vector<float>{2, 2, 2});
    CHECK(clip(y, low, low + 4).get() == std::vector<float>{2, 5, 6});
    CHECK((!(y > 4)).get() == to_gpu(std::vector<bool>{true, false, false}).get());
}

TEST_CASE("axes may be known at run time only") {
    const auto x = ones<float>({2, 3});
    CHECK(sum(x, std::vector<int>{0, 1}).item() == 6);
}

TEST_CASE("joined arrays promote and assignment drops leading axes of extent 1") {
    const std::vector<AnyArray> parts{to_gpu(std::vector<std::int32_t>{1}), to_gpu(std::vector<float>{2.5f})};
    CHECK(GPUArray<double>(concatenate(std::span<const AnyArray>(parts))).get() == std::vector<double>{1, 2.5});
    const auto z = zeros<float>({3});
    z.assign(ones<float>({1, 3}));
    CHECK(z.get() == std::vector<float>{1, 1, 1});
}

TEST_CASE("texts with a name twice or a chain of comparisons are refused") {
    const auto x = to_gpu(std::vector<float>{1});
    CHECK_THROWS_AS(expression("x", {{"x", x}, {"x", x}}), ArgumentError);
    CHECK_THROWS_AS(expression("1 < x < 4", {{"x", x}}), ArgumentError);
    CHECK(expression("1 < x && x < 4", {{"x", x}}).dtype() == dtype_of<bool>());
    CHECK(expression("(1 < x) == (x < 4)", {{"x", x}}).dtype() == dtype_of<bool>());
}

TEST_SUITE_END();
