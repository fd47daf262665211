/// Expressions whose types are known only at run time, and expressions from text.
#include "array_support.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>

using namespace gemel;
using namespace gemel::testing;

namespace {

template <class T>
using Values = std::vector<T>;

template <class T>
AnyArray array_of(std::initializer_list<T> values) {
    return to_gpu(std::vector<T>(values));
}

AnyExpr parsed(const std::string& text) {
    const auto x = to_gpu(Values<float>{1, 2, 3});
    return expression(text, {{"x", x}, {"n", to_gpu(Values<std::int32_t>{4, 5, 6})}, {"a", 2}, {"half", 0.5}});
}

std::string refusal(const std::string& text) {
    try {
        parsed(text).eval();
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return "";
}

/// Every operation on arrays of two types, typed and untyped.
template <class T, class U>
void check_like_typed(const GPUArray<T>& x, const GPUArray<U>& y) {
    const AnyArray a = x, b = y;
    INFO(x.dtype().name(), " and ", y.dtype().name());
    const auto check = [](const auto& typed, const AnyExpr& untyped) {
        using R = typename std::decay_t<decltype(typed)>::value_type;
        REQUIRE(untyped.dtype() == dtype_of<R>());
        CHECK(untyped.get<R>() == typed.get());
    };
    check(x + y, a + b);
    check(x * y, a * y);
    check(x / y, x / b);
    check(x == y, a == b);
    check(x < 3, a < 3);
    check(2 * x + 1.5f, 2 * a + 1.5f);
    check(where(x, y, 1), where(a, b, 1));
    check(square(x), square(a));
    check(maximum(x, 2), maximum(a, 2));
    check(sqrt(abs(x)), sqrt(abs(a)));
    check(logical_or(x, y), logical_or(a, b));
    check(astype<double>(x), astype(a, dtype_of<double>()));
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("operators on arrays of unknown type give what typed ones give") {
    const auto i8 = to_gpu(Values<std::int8_t>{100, -7, 1}), other = to_gpu(Values<std::int8_t>{100, 3, 4});
    const auto u16 = to_gpu(Values<std::uint16_t>{60000, 3, 1});
    const auto i64 = to_gpu(Values<std::int64_t>{1ll << 40, -5, 7});
    const auto f = to_gpu(Values<float>{0.5f, -7.25f, 3});
    const auto d = to_gpu(Values<double>{2, 3.5, -4});
    const auto h = to_gpu(Values<half>{half(2.f), half(0.1f), half(-4.f)});
    const auto truth = to_gpu(std::vector<bool>{true, false, true});
    check_like_typed(i8, other);
    check_like_typed(i8, u16);
    check_like_typed(u16, f);
    check_like_typed(f, d);
    check_like_typed(i64, i8);
    check_like_typed(h, i8);
    check_like_typed(truth, i64);
    const AnyArray c = to_gpu(Values<cfloat>{{1, 2}, {0, 1}});
    CHECK((c * c + 1).get<cfloat>() == Values<cfloat>{{-2, 4}, {0, 0}});
    CHECK(abs(c).dtype() == dtype_of<float>());
    CHECK((c == c).get<bool>() == Values<std::uint8_t>{1, 1});
    CHECK((~array_of<std::int8_t>({5}) % 4 << 1).item<std::int8_t>() == 4);
    CHECK((astype(array_of<float>({0.1f}), dtype_of<half>()) * 2.f).item<half>() == half(2 * float(half(0.1f))));
}

TEST_CASE("an untyped expression is one kernel and builds no text when it is warm") {
    const Context context = current_context();
    const AnyArray x = counted<float>({1000}), y = counted<double>({1000});
    const auto make = [&](double number) { return sqrt(x * x + y) - number * sin(x) + x; };
    make(1).eval();
    const Statistics before = context.statistics();
    for (int k = 0; k < 5; ++k) make(k).eval();
    const Statistics after = context.statistics();
    CHECK(after.launches - before.launches == 5);
    CHECK(after.compilations == before.compilations);
    CHECK(after.disk_hits == before.disk_hits);
    // Which operands are the same array is part of what a kernel is.
    CHECK((x * x).get<float>()[3] == 9);
    CHECK((x * y).get<double>()[3] == 9);
}

TEST_CASE("untyped operands mix with typed ones") {
    const auto x = to_gpu(Values<float>{1, 2});
    const AnyArray n = array_of<std::int32_t>({3, 4});
    const AnyExpr e = (2 * x + 1) * n;
    CHECK(e.dtype() == dtype_of<double>());
    CHECK(e.get<double>() == Values<double>{9, 20});
    CHECK(where(x > 1, n, 0).get<std::int32_t>() == Values<std::int32_t>{0, 4});
    const AnyArray result = e - 1;
    CHECK(GPUArray<double>(result).get() == Values<double>{8, 19});
    std::ostringstream out;
    out << n + 1;
    CHECK(out.str() == "[4 5]");
}

TEST_CASE("untyped expressions are assigned and reduced") {
    const AnyArray x = counted<std::int32_t>({2, 3}), f = counted<float>({2, 3});
    f.assign(x * 2 + 1);
    CHECK(GPUArray<float>(f).get() == Values<float>{1, 3, 5, 7, 9, 11});
    f(slice(), slice(1, {})).assign(f(slice(), slice(2)) + 0);
    CHECK(GPUArray<float>(f).get() == Values<float>{1, 1, 3, 7, 7, 9});
    const GPUArray<float> typed(f);
    typed.assign(AnyExpr(x) + 1);
    typed += x;
    f -= 1;
    CHECK(typed.get() == Values<float>{0, 2, 4, 6, 8, 10});
    CHECK_THROWS_MENTIONING(ArgumentError, x.assign(f + 1), "float", "int32_t", "astype");
    CHECK_THROWS_AS(x += f, ArgumentError);
    CHECK(GPUArray<std::int64_t>(sum(x)).item() == 15);
    CHECK(GPUArray<double>(sum(x * 2, 1, false, dtype_of<double>())).get() == Values<double>{6, 24});
    CHECK(GPUArray<std::int32_t>(max(x, 0)).get() == Values<std::int32_t>{3, 4, 5});
    CHECK(GPUArray<std::int64_t>(argmin(x - 4)).item() == 0);
    CHECK(GPUArray<bool>(all(x >= 0)).item());
    CHECK(GPUArray<std::int64_t>(cumsum(x + 1, 1)).get() == Values<std::int64_t>{1, 3, 6, 4, 9, 15});
    CHECK(GPUArray<double>(mean(x, 1)).get() == Values<double>{1, 4});
    CHECK(float(GPUArray<half>(mean(AnyArray(full<half>({1000}, 100.f)))).item()) == 100);
    CHECK(GPUArray<cfloat>(mean(array_of<cfloat>({{1, 2}, {3, 4}}))).item() == cfloat(2, 3));
    CHECK(GPUArray<std::int64_t>(count_nonzero(x)).item() == 5);
    CHECK(clip(x, 1, 3).get<std::int32_t>() == Values<std::int32_t>{1, 1, 2, 3, 3, 3});
    CHECK(if_positive(x - 3, x, 0).get<std::int32_t>() == Values<std::int32_t>{0, 0, 0, 0, 4, 5});
    CHECK_THROWS_AS(min(array_of<cfloat>({1})), ArgumentError);
    CHECK_THROWS_AS(min(AnyArray(counted<float>({0}))), ArgumentError);
}

TEST_CASE("shapes of untyped expressions are broadcast") {
    const AnyArray row = counted<float>({4}), column = counted<float>({3, 1});
    CHECK((row + column).shape() == Shape{3, 4});
    CHECK((row + column).eval().shape() == Shape{3, 4});
    CHECK((AnyArray(counted<float>({0})) + 1).get<float>().empty());
    CHECK((AnyArray(counted<float>({2})(1)) + 1).item<float>() == 2);
    CHECK_THROWS_MENTIONING(ArgumentError, row + AnyArray(counted<float>({3})), "(4,)", "(3,)", "operator+");
}

TEST_CASE("what has no meaning for the types is refused when the expression is made") {
    const AnyArray f = counted<float>({3}), b = to_gpu(std::vector<bool>{true}), c = array_of<cfloat>({1});
    CHECK_THROWS_MENTIONING(ArgumentError, f << 1, "operator<<", "float");
    CHECK_THROWS_MENTIONING(ArgumentError, b - b, "operator-", "bool");
    CHECK_THROWS_MENTIONING(ArgumentError, c < c, "operator<", "cfloat", "real()");
    CHECK_THROWS_MENTIONING(ArgumentError, erf(c), "erf", "cfloat");
    CHECK_THROWS_MENTIONING(ArgumentError, astype(c, dtype_of<float>()), "imaginary");
    CHECK_THROWS_MENTIONING(ArgumentError, AnyArray() + 1, "empty handle");
    CHECK_THROWS_MENTIONING(ArgumentError, AnyExpr(AnyArray(empty<float4>({2}))), "float4");
    CHECK_THROWS_AS((AnyArray(f) + 1).get<double>(), ArgumentError);
    CHECK_THROWS_AS((array_of<std::int8_t>({1}) + 300).eval(), ArgumentError);
    CHECK((array_of<std::int8_t>({1}) < 300).item<bool>());
    CHECK((array_of<std::uint64_t>({0}) > -1).item<bool>());
    CHECK_THROWS_AS(AnyExpr(3).eval(), ArgumentError);
}

TEST_CASE("untyped expressions of any size are split") {
    AnyExpr total = AnyArray(full<double>({3}, 1));
    for (int k = 0; k < 200; ++k) total = total + AnyArray(full<double>({3}, 1)) * 2;
    CHECK(total.get<double>() == Values<double>{401, 401, 401});
    AnyExpr doubled = AnyArray(full<double>({2}, 1));
    for (int k = 0; k < 50; ++k) doubled = doubled + doubled;
    CHECK(doubled.get<double>()[1] == std::ldexp(1.0, 50));
    AnyExpr deep = AnyArray(full<double>({1}, 1));
    for (int k = 0; k < 300; ++k) deep = -deep;
    CHECK(deep.item<double>() == 1);
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        [&] {
            for (int k = 0; k < 2000; ++k) deep = -deep;
        }(),
        "1000", ".eval()");
}

TEST_CASE("expressions from text") {
    CHECK(parsed("sin(x)*n + 0.5f").get<double>()[2] == doctest::Approx(6 * std::sin(3.0) + 0.5));
    CHECK(parsed("x").get<float>() == Values<float>{1, 2, 3});
    CHECK(parsed("a*x + half").get<float>() == Values<float>{2.5f, 4.5f, 6.5f});
    CHECK(parsed("1 + 2 * x - 3").get<float>() == Values<float>{0, 2, 4});
    CHECK(parsed("(1 + 2) * x").get<float>() == Values<float>{3, 6, 9});
    CHECK(parsed("x - 1 - 1").get<float>() == Values<float>{-1, 0, 1});
    CHECK(parsed("-x**2").get<float>() == Values<float>{-1, -4, -9});
    CHECK(parsed("2**n**a % 1000").get<std::int32_t>()[0] == 65536 % 1000);
    CHECK(parsed("n ** -1 * 1.0").dtype() == dtype_of<double>());
    CHECK(parsed("x > 1 ? n : -n").get<std::int32_t>() == Values<std::int32_t>{-4, 5, 6});
    CHECK(parsed("x > 1 ? x > 2 ? 3 : 2 : 1").get<std::int64_t>() == Values<std::int64_t>{1, 2, 3});
    CHECK(parsed("x == 1 || x >= 3").get<bool>() == Values<std::uint8_t>{1, 0, 1});
    // As in Python `not` is looser than comparisons; C's `!` is not.
    CHECK(parsed("x > 1 and not n == 5").get<bool>() == Values<std::uint8_t>{0, 0, 1});
    CHECK(parsed("not x > 2").get<bool>() == Values<std::uint8_t>{1, 1, 0});
    CHECK(parsed("!x > 2").get<bool>() == Values<std::uint8_t>{0, 0, 0});
    CHECK(parsed("not not x > 2 or x < 2").get<bool>() == Values<std::uint8_t>{1, 0, 1});
    CHECK(parsed("not x - 1 == 0 ? n : 0").get<std::int32_t>() == Values<std::int32_t>{0, 5, 6});
    CHECK(parsed("x > 1 and not (n == 5)").get<bool>() == Values<std::uint8_t>{0, 0, 1});
    CHECK(parsed("n & 4 | 1 ^ 3").get<std::int32_t>() == Values<std::int32_t>{6, 6, 6});
    CHECK(parsed("n << 1 >> 2").get<std::int32_t>() == Values<std::int32_t>{2, 2, 3});
    CHECK(parsed("~n + !n").dtype() == dtype_of<std::int32_t>());
    CHECK(parsed("n % 4 / 2").get<double>() == Values<double>{0, 0.5, 1});
    CHECK(parsed("where(x > 2, x, 0) + clip(n, 5, 5) + if_positive(x - 2, 1, 0)").get<double>() ==
          Values<double>{5, 5, 9});
    CHECK(parsed("maximum(x, 2)").get<float>() == Values<float>{2, 2, 3});
    CHECK(parsed("int32_t(x * 1.5)").get<std::int32_t>() == Values<std::int32_t>{1, 3, 4});
    CHECK(parsed("double(x) + pi").get<double>()[0] == doctest::Approx(4.14159265358979));
    CHECK(parsed("x * 2j").get<cfloat>()[1] == cfloat(0, 4));
    CHECK(parsed("x + 0x10 + 1e1 + .5").get<float>()[0] == 27.5f);
    CHECK(parsed("x * (2 + 3 * 4 - 10 / 4)").get<float>()[0] == 11.5f);
    CHECK(parsed("x * (7 - 3 | 8)").get<float>()[0] == 12);
    CHECK(parsed("x * sqrt(16) * 2 ** 3 ** 2").get<float>()[0] == 4 * 512);
    CHECK(parsed("(x < inf) & true").get<bool>() == Values<std::uint8_t>{1, 1, 1});
    CHECK(parsed("isnan(x / x * nan)").get<bool>() == Values<std::uint8_t>{1, 1, 1});
    CHECK(parsed(" /* in words */ x\n + 1").get<float>()[0] == 2);
    // Operands may be expressions, and hide the names that are known.
    const auto x = to_gpu(Values<float>{1, 2});
    CHECK(expression("y*y + pi", {{"y", x + 1}, {"pi", x}}).get<float>() == Values<float>{5, 11});
    CHECK(source(expression("x + sin(y)", {{"x", x}, {"y", x * 2}}), Dialect::opencl()).find("sin") !=
          std::string::npos);
}

TEST_CASE("a single value has axis 0 in texts, too") {
    const GPUArray<float> s = full<float>({}, 2.0f);
    for (const char* text : {"sum(x, 0)", "sum(x, -1)", "max(x, 0)", "mean(x, -1)"})
        CHECK(AnyArray(expression(text, {{"x", s}})).item<float>() == 2);
    CHECK(AnyArray(expression("argmax(x, 0)", {{"x", s}})).item<std::int64_t>() == 0);
    CHECK_THROWS_AS(AnyArray(expression("sum(x, 1)", {{"x", s}})), ArgumentError);
}

TEST_CASE("two slashes divide and round down as in Python") {
    const auto n = to_gpu(Values<std::int32_t>{7, -7, 6});
    const auto f = to_gpu(Values<double>{7.5, -7.5, -0.0});
    const auto check = [&]<class T>(const std::string& text, const Values<T>& expected) {
        INFO(text);
        const AnyExpr found = expression(text, {{"n", n}, {"f", f}});
        REQUIRE(found.dtype() == dtype_of<T>());
        CHECK(found.get<T>() == expected);
    };
    check("n // 2", Values<std::int32_t>{3, -4, 3});
    check("n//-2", Values<std::int32_t>{-4, 3, -3});
    check("f // 2", Values<double>{3, -4, 0});
    check("n // 2 * 2 + n % 2", Values<std::int32_t>{7, -7, 6});  // from the left, like / and %
    check("60 // n // 2", Values<std::int32_t>{4, -5, 5});
    check("2 ** 3 // n", Values<std::int32_t>{1, -2, 1});
    check("-n // 2", Values<std::int32_t>{-4, 3, -3});
    check("n /* not // here */ // 4 + 1", Values<std::int32_t>{2, -1, 2});
    check("n // 4\n+ 1", Values<std::int32_t>{2, -1, 2});
    // Of numbers alone, on the host.
    check("n * (-7 // 2)", Values<std::int32_t>{-28, 28, -24});
    check("n * (-7 % 4)", Values<std::int32_t>{7, -7, 6});
    check("n * 0 + (-9223372036854775807 - 1) // 4294967296", Values<std::int32_t>(3, INT32_MIN));
    check("f * 0 + 1 // 0.1", Values<double>{9, 9, 9});
    check("f * 0 + -7.5 % 2", Values<double>{0.5, 0.5, 0.5});
    check("f * 0 + 1.5 // -1", Values<double>{-2, -2, -2});
    CHECK(std::isinf(expression("f * 0 + 1.5 // 0.0", {{"f", f}}).get<double>()[0]));
    CHECK(std::isnan(expression("f * 0 + 1.5 % 0.0", {{"f", f}}).get<double>()[0]));
    // 2^53 is where doubles stop to hold every whole number.
    check("n * 0 + 9007199254740993 // 9007199254740993", Values<std::int32_t>{1, 1, 1});
}

TEST_CASE("what a text says of numbers alone is what Python says") {
    const auto n = to_gpu(Values<std::int32_t>{1, 2});
    const auto f = to_gpu(Values<double>{1, 2});
    const auto check = [&]<class T>(const std::string& text, const Values<T>& expected) {
        INFO(text);
        const AnyExpr found = expression(text, {{"n", n}, {"f", f}});
        REQUIRE(found.dtype() == dtype_of<T>());
        CHECK(found.get<T>() == expected);
    };
    using Whole = Values<std::int32_t>;
    check("n * 1**100 + (-1)**65", Whole{0, 1});
    check("n * 0**7 + 0**0", Whole{1, 1});
    check("n * (1 << 3) + (-5 >> 1)", Whole{5, 13});
    check("(~1 & 7) * n", Whole{6, 12});
    check("abs(-3) * n + minimum(4, 5) + maximum(4, 5)", Whole{12, 15});
    check("1 < 2 ? n : 7", Whole{1, 2});
    check("(2.5 >= 3 or not 1) ? n : 7", Whole{7, 7});
    check("n + true", Whole{2, 3});
    check("floor(2.5) * n + hypot(3, 4)", Values<double>{7, 9});
    check("abs(3 + 4j) * n + imag(2j) - real(1j)", Values<double>{7, 12});
    check("f * 1e400", Values<double>(2, HUGE_VAL));
    check("f * 1e-400", Values<double>{0, 0});
    const auto refused = [&](const std::string& text) { return expression(text, {{"n", n}}); };
    CHECK_THROWS_MENTIONING(ArgumentError, refused("n + 2**64"), "64 bits");
    CHECK_THROWS_MENTIONING(ArgumentError, refused("n + (1 << 70)"), "64 bits");
    CHECK_THROWS_MENTIONING(ArgumentError, refused("n + (1 << -1)"), "negative");
    CHECK_THROWS_MENTIONING(ArgumentError, refused("n + int8_t(3)"), "all operands are numbers");
    CHECK_THROWS_MENTIONING(ArgumentError, refused("max(n, 0.5)"), "maximum(x, y)");
}

TEST_CASE("a text and the operators give one kernel") {
    const Context context = current_context();
    const auto x = counted<float>({10}), y = counted<float>({10});
    const AnyArray a = x, b = y;
    (a * 3 + sin(b)).eval();
    const Statistics before = context.statistics();
    expression("x*2 + sin(y)", {{"x", x}, {"y", y}}).eval();
    CHECK(context.statistics().compilations == before.compilations);
    CHECK(context.statistics().launches == before.launches + 1);
}

TEST_CASE("an expression that has itself twice sixty times over is still a few kernels") {
    const auto x = to_gpu(Values<std::int64_t>{1, -1, 3});
    AnyExpr doubled = AnyExpr(AnyArray(x));
    for (int k = 0; k < 60; ++k) doubled = doubled + doubled;
    const std::int64_t most = std::int64_t{1} << 60;
    CHECK(doubled.get<std::int64_t>() == Values<std::int64_t>{most, -most, 3 * most});
    CHECK(source(doubled, Dialect::cuda()).size() < 4000);
}

TEST_CASE("messages about texts show the place") {
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x + z1"), "z1", "column 5", "x + z1\n        ^", "x, n, a, half");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x + hallf"), "Did you mean half?");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("sqr(x)"), "\"sqr\"", "Did you mean sqrt?");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("sin(x, x)"), "sin expects 1 operand", "got 2");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("(x + 1"), "\")\"", "column 7");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x +"), "got the end of the text", "column 4");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x x"), "operator", "column 3");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x // 2j"), "floor_divide", "cdouble", "column 3");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x //"), "got the end of the text", "column 5");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x / / 2"), "expected an operand", "column 5");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x + 1 // 0"), "a divisor other than 0", "column 7");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x ? 1"), "\":\"");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x << 1"), "operator<<", "float", "column 3");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x\n + n\n + (x <\n 2j)"), "column 7", " + (x <", "real()");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("1 + 2"), "array");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x + 1.2.3"), "1.2.3");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x + 99999999999999999999999999999 * 9223372036854775807 ** 2"),
                            "64 bits");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x + 18446744073709551616"), "18446744073709551616", "64 bits",
                            "column 5");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x * -99999999999999999999u"), "64 bits", "column 6");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("n + 0x10000000000000000"), "64 bits", "column 5");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("n + 0x"), "0x", "not a valid number");
    CHECK(parsed("x * 0 + 99999999999999999999.0").get<float>()[0] == 1e20f);
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x /*"), "comment", "column 3");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x /* + n */ + /*/ 1"), "comment", "column 15");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("x + not n"), "\"not\"", "parentheses", "column 5");
    CHECK_THROWS_AS(parsed(""), ArgumentError);
    CHECK_THROWS_MENTIONING(ArgumentError, parsed(std::string(100000, '(')), "nested");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed(std::string(100000, '-') + "x"), "nested");
    std::string sum = "x";
    for (int k = 0; k < 5000; ++k) sum += "+x";
    CHECK_THROWS_MENTIONING(ArgumentError, parsed(sum), "1000");
    CHECK(refusal("x + int8_t(n) + 1") == "");
}

TEST_CASE("no text does any harm") {
    std::mt19937 random(26);
    const std::vector<std::string> pieces{"x",   "n",  "a",  "sin(",   "(",      ")",    "+",     "-",  "*",  "**",
                                          "/",   "%",  "<<", "<",      "==",     "?",    ":",     ",",  "!",  "not",
                                          "and", "1",  "2j", ".5",     "0x",     "~",    "|",     "&&", "\"", "'",
                                          "#",   "\\", "\n", "where(", "float(", "\xff", "1e999", "[",  "]",  " "};
    int understood = 0;
    for (int k = 0; k < 3000; ++k) {
        std::string text;
        for (std::size_t length = random() % 12; length > 0; --length) text += pieces[random() % pieces.size()];
        try {
            parsed(text);
            ++understood;
        } catch (const ArgumentError&) {}
    }
    CHECK(understood > 3);
    CHECK(understood < 1500);
}

TEST_CASE("random texts give what the host gives") {
    // Whole numbers in double: every operation is exact.
    std::mt19937 random(2026);
    const Values<double> xs{1, -2, 3}, ys{4, 5, -6};
    const auto x = to_gpu(xs), y = to_gpu(ys);
    struct Made {
        std::string text;
        Values<double> values;
    };
    const auto make = [&](auto& self, int depth) -> Made {
        if (depth == 0) {
            const auto number = static_cast<double>(random() % 5);
            switch (random() % 3) {
                case 0: return {"x", xs};
                case 1: return {"y", ys};
                default: return {std::to_string(static_cast<int>(number)), Values<double>(3, number)};
            }
        }
        Made a = self(self, depth - 1);
        const Made b = self(self, depth - 1);
        const unsigned which = random() % 4;
        for (std::size_t i = 0; i < 3; ++i) {
            double& v = a.values[i];
            const double w = b.values[i];
            v = which == 0 ? v + w : which == 1 ? v - w : which == 2 ? std::min(v, w) : -v + w;
        }
        a.text = which == 0   ? "(" + a.text + " + " + b.text + ")"
                 : which == 1 ? "(" + a.text + " - " + b.text + ")"
                 : which == 2 ? "minimum(x*0 + " + a.text + ", " + b.text + ")"
                              : "(-" + a.text + "+" + b.text + ")";
        return a;
    };
    for (int k = 0; k < 12; ++k) {
        const Made made = make(make, 1 + k % 3);
        INFO(made.text);
        CHECK(expression(made.text + " + x*0", {{"x", x}, {"y", y}}).get<double>() == made.values);
    }
}

TEST_SUITE_END();
