/// Lazy expressions: promotion, shapes, assignment, what is launched and what is refused.
#include "array_support.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

using namespace gemel;
using namespace gemel::testing;

namespace {

template <class T>
using Values = std::vector<T>;

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("16-bit floats compute in float and round once at the end") {
    Values<half> a;
    Values<bfloat16> b;
    for (const float v : {0.1f, -2.5f, 60000.f}) a.push_back(half(v)), b.push_back(bfloat16(v));
    const auto x = to_gpu(a);
    const auto y = to_gpu(b);
    static_assert(std::is_same_v<decltype(x * 2.5)::value_type, half>);
    static_assert(std::is_same_v<decltype(x + y)::value_type, float>);
    CHECK((x * x + 1).get() == mapped(a, [](half v) { return half(float(v) * float(v) + 1); }));
    CHECK((y * 2.5 - y).get() == mapped(b, [](bfloat16 v) { return bfloat16(float(v) * 2.5f - float(v)); }));
    CHECK((x + y).get() == mapped(a, b, [](half p, bfloat16 q) { return float(p) + float(q); }));
    CHECK((x < 0).get() == Values<std::uint8_t>{0, 1, 0});
    CHECK((x * half(2)).get()[1] == half(-5));
    CHECK(maximum(x, y(slice(0, 1))).get()[1] == float(bfloat16(0.1f)));
}

TEST_CASE("numbers are weak on either side") {
    const auto x = to_gpu(Values<float>{1, 2});
    const auto n = to_gpu(Values<std::int8_t>{1, 2});
    static_assert(std::is_same_v<decltype(x * 2.0)::value_type, float>);
    static_assert(std::is_same_v<decltype(2.0 - x)::value_type, float>);
    static_assert(std::is_same_v<decltype(n + 1l)::value_type, std::int8_t>);
    static_assert(std::is_same_v<decltype(n + 1.0f)::value_type, double>);
    CHECK((2.0 - x).get() == Values<float>{1, 0});
    CHECK((1 - n).get() == Values<std::int8_t>{0, -1});
    CHECK((n + 1.5f).get() == Values<double>{2.5, 3.5});
    CHECK((3 > x).get() == Values<std::uint8_t>{1, 1});
    CHECK((5 * x + 2).get() == Values<float>{7, 12});
    CHECK_THROWS_AS((n + 300).eval(), ArgumentError);
}

TEST_CASE("operands of different types are promoted") {
    const auto i = to_gpu(Values<std::int32_t>{1, -2});
    const auto f = to_gpu(Values<float>{0.5f, 0.25f});
    const auto u = to_gpu(Values<std::uint32_t>{4000000000u, 1});
    static_assert(std::is_same_v<decltype(i + f)::value_type, double>);
    static_assert(std::is_same_v<decltype(i + u)::value_type, std::int64_t>);
    CHECK((i + f).get() == Values<double>{1.5, -1.75});
    CHECK((i + u).get() == Values<std::int64_t>{4000000001ll, -1});
    CHECK((i < u).get() == Values<std::uint8_t>{1, 1});
}

TEST_CASE("shapes are broadcast") {
    const auto a = counted<std::int32_t>({3, 4});
    const auto row = counted<std::int32_t>({4}), column = counted<std::int32_t>({3, 1});
    const auto r = (a + row).get(), c = (column * 10 + a).get(), outer = (column * 10 + row).get();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) {
            CHECK(r[4 * i + j] == 4 * i + 2 * j);
            CHECK(c[4 * i + j] == 14 * i + j);
            CHECK(outer[4 * i + j] == 10 * i + j);
        }
    CHECK((column + row).eval().shape() == Shape{3, 4});
    const auto point = a(2, 3);
    CHECK((point + row).get() == Values<std::int32_t>{11, 12, 13, 14});
    CHECK((point * 2).eval().rank() == 0);
    CHECK((point * 2).item() == 22);
    CHECK((a(slice(0, 0)) + row).eval().shape() == Shape{0, 4});
    CHECK((empty<float>({0}) * 2 + 1).get().empty());
}

TEST_CASE("strided and transposed and reversed operands") {
    const auto a = counted<std::int32_t>({4, 4});
    const auto t = (a + a.transpose()).get(), r = (a - a(slice({}, {}, -1))).get();
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            CHECK(t[4 * i + j] == 5 * (i + j));
            CHECK(r[4 * i + j] == 8 * i - 12);
        }
    const auto x = counted<double>({10});
    CHECK((x(slice({}, {}, 2)) + x(slice(1, {}, 2))).get() == Values<double>{1, 5, 9, 13, 17});
}

TEST_CASE("where takes arrays and weak numbers") {
    const auto x = to_gpu(Values<float>{-1, 2, 0});
    static_assert(std::is_same_v<decltype(where(x > 0, x, 0.5))::value_type, float>);
    CHECK(where(x > 0, x, 0.5).get() == Values<float>{0.5f, 2, 0.5f});
    CHECK(where(x, 1, 2).get() == Values<std::int64_t>{1, 1, 2});
    // Numbers alone are what they are in C++, whole ones int64.
    static_assert(std::is_same_v<decltype(where(x > 0, 1.0f, 0.0f))::value_type, float>);
    static_assert(std::is_same_v<decltype(where(x > 0, 1.0f, 0.0))::value_type, double>);
    static_assert(std::is_same_v<decltype(where(x > 0, 1.0f, 0))::value_type, float>);
    static_assert(std::is_same_v<decltype(where(x > 0, std::uint8_t{1}, true))::value_type, std::int64_t>);
    static_assert(std::is_same_v<decltype(where(x > 0, half(1), half(0)))::value_type, half>);
    static_assert(std::is_same_v<decltype(where(x > 0, cfloat(1), 0.0f))::value_type, cfloat>);
    static_assert(std::is_same_v<decltype(where(x > 0, cfloat(1), 0.0))::value_type, cdouble>);
    static_assert(std::is_same_v<decltype(where(x > 0, true, false))::value_type, bool>);
    CHECK(where(x > 0, 1.5f, -1.0f).get() == Values<float>{-1, 1.5f, -1});
    CHECK(where(x > 0, half(1.5f), half(-1)).get() == Values<half>{half(-1), half(1.5f), half(-1)});
    const AnyArray untyped = x;
    CHECK(where(untyped > 0, 1.5f, -1.0f).get<float>() == Values<float>{-1, 1.5f, -1});
    CHECK(where(untyped > 0, 1.5f, -1).get<float>() == Values<float>{-1, 1.5f, -1});
    CHECK(where(untyped > 0, 1.5f, -1.0).get<double>() == Values<double>{-1, 1.5, -1});
    CHECK(where(untyped > 0, 1, 2).get<std::int64_t>() == Values<std::int64_t>{2, 1, 2});
    // A number in any place, one at least an array.
    CHECK(where(true, x, 0).get() == x.get());
    CHECK(where(0, x, x + 1).get() == (x + 1).get());
    CHECK(where(0.5, 7, x).get() == Values<float>{7, 7, 7});
    CHECK(where(cfloat(0, 1), x, 7).get() == x.get());
    CHECK(where(3, untyped, 0).get<float>() == x.get());
    CHECK(where(0, untyped, 0.0).get<float>() == Values<float>{0, 0, 0});
    CHECK(if_positive(-1, x, 7).get() == Values<float>{7, 7, 7});
    CHECK(if_positive(1, untyped, 7).get<float>() == x.get());
    CHECK(clip(1, x, 5).get() == Values<float>{1, 2, 1});
    CHECK(clip(1, -3, x).get() == Values<float>{-1, 1, 0});
    CHECK(clip(0.5, x, x + 1).get() == Values<float>{0, 2, 0.5f});
    CHECK(where(x > 0, to_gpu(Values<std::int32_t>{7, 8, 9}), x).get() == Values<double>{-1, 8, 0});
    CHECK(where(x > 0, true, x < 0).get() == Values<std::uint8_t>{1, 1, 0});
    CHECK((2 * where(x > 0, x, 0) + 1).get() == Values<float>{1, 5, 1});
}

TEST_CASE("if_positive chooses where a condition is above zero") {
    const auto x = to_gpu(Values<float>{-1, 2, 0, NAN});
    CHECK(if_positive(x, 1.f, x).get()[1] == 1);
    CHECK(if_positive(x, 3, 4).get() == Values<std::int64_t>{4, 3, 4, 4});
    CHECK(if_positive(to_gpu(Values<std::uint8_t>{0, 200}), x(slice(2)), -1).get() == Values<float>{-1, 2});
}

TEST_CASE("casts within an expression") {
    const auto x = to_gpu(Values<float>{1.75f, -2.5f});
    CHECK(astype<std::int32_t>(x * 2).get() == Values<std::int32_t>{3, -5});
    CHECK((astype<double>(x) / 2).get() == Values<double>{0.875, -1.25});
    CHECK(astype<bool>(x - 1.75).get() == Values<std::uint8_t>{0, 1});
    CHECK((astype<std::int8_t>(to_gpu(Values<std::int32_t>{300})) + 0).item() == 44);
}

TEST_CASE("in-place operators write into the memory of the array") {
    const auto x = to_gpu(Values<std::int32_t>{1, 2, 3});
    const auto also_x = x;
    x += 1;
    x *= x;
    x -= to_gpu(Values<std::int8_t>{1, 1, 1});
    CHECK(also_x.get() == Values<std::int32_t>{3, 8, 15});
    x %= 4;
    x <<= 2;
    x >>= 1;
    x |= 1;
    x ^= 3;
    x &= 6;
    CHECK(also_x.get() == Values<std::int32_t>{((3 * 2 | 1) ^ 3) & 6, 2, 4});
    const auto f = to_gpu(Values<float>{1, 2});
    f /= to_gpu(Values<double>{4, 4});
    f += 0.5;
    CHECK(f.get() == Values<float>{0.75f, 1});
    const auto h = to_gpu(Values<half>{half(2)});
    h += to_gpu(Values<float>{0.5f});
    CHECK(float(h.item()) == 2.5f);
    CHECK_THROWS_AS(to_gpu(Values<float>{1}) += f, ArgumentError);
}

TEST_CASE("in place on views that overlap gives what separate memory would") {
    const auto x = counted<std::int32_t>({6});
    x(slice(1, 6)) += x(slice(0, 5));
    CHECK(x.get() == Values<std::int32_t>{0, 1, 3, 5, 7, 9});
    const auto m = counted<std::int32_t>({3, 3});
    m += m.transpose();
    CHECK(m.get() == Values<std::int32_t>{0, 4, 8, 4, 8, 12, 8, 12, 16});
    const auto r = counted<std::int32_t>({5});
    r.assign(r(slice({}, {}, -1)) * 2);
    CHECK(r.get() == Values<std::int32_t>{8, 6, 4, 2, 0});
}

TEST_CASE("an expression keeps its operands alive and sees what is written later") {
    auto x = full<float>({3}, 1), y = full<float>({3}, 2);
    auto e = x + y;
    auto f = full<float>({3}, 7) * 2;
    x.fill(5);
    x = GPUArray<float>();
    y.fill(1);
    CHECK(e.get() == Values<float>{6, 6, 6});
    CHECK(f.get() == Values<float>{14, 14, 14});
    auto twice = e + e;
    CHECK(twice.get() == Values<float>{12, 12, 12});
}

TEST_CASE("an operand used twice is another kernel than two operands") {
    const auto x = full<float>({3}, 3), y = full<float>({3}, 4);
    CHECK((x * x).get()[0] == 9);
    CHECK((x * y).get()[0] == 12);
    CHECK((y * y).get()[0] == 16);
    CHECK((x * x + y).get()[0] == 13);
    CHECK((x * y + y).get()[0] == 16);
    CHECK((x * y + x).get()[0] == 15);
    CHECK(source(x * x, Dialect::opencl()).find("x1") == std::string::npos);
    CHECK(source(x * y, Dialect::opencl()).find("x1") != std::string::npos);
}

TEST_CASE("one launch for an expression and no compilation for another number") {
    const Context context = current_context();
    const auto x = linspace<float>(0.f, 1.f, 1000), y = linspace<float>(1.f, 2.f, 1000);
    (sqrt(x * x + y * y) - 0.25f * sin(x) * 2 + 0.125).eval();
    const Statistics before = context.statistics();
    for (int k = 0; k < 5; ++k) (sqrt(x * x + y * y) - 0.25f * sin(x) * k + 0.5 * k).eval();
    const Statistics after = context.statistics();
    CHECK(after.launches - before.launches == 5);
    CHECK(after.compilations == before.compilations);
    CHECK(after.disk_hits == before.disk_hits);
    CHECK(after.downloaded_bytes == before.downloaded_bytes);
}

TEST_CASE("the text of an expression in both dialects") {
    const auto x = full<float>({3}, 3), y = full<float>({3}, 4);
    const auto e = 5 * x + sin(y);
    const std::string cl = source(e, Dialect::opencl()), cu = source(e, Dialect::cuda());
    CHECK(mentions(cl, {"__kernel", "x0", "x1", "s0", "sin"}));
    CHECK(mentions(cu, {"__global__", "x0", "x1", "s0", "sin"}));
}

TEST_CASE("messages about operands that do not fit") {
    const auto x = counted<float>({3}), y = counted<float>({4});
    CHECK_THROWS_MENTIONING(ArgumentError, (x + y).eval(), "(3,)", "(4,)");
    CHECK_THROWS_MENTIONING(ArgumentError, x += y, "(3,)", "(4,)");
    CHECK_THROWS_MENTIONING(ArgumentError, (x + GPUArray<float>()).eval(), "empty handle");
    CHECK_THROWS_AS(x(0) += x, ArgumentError);
}

TEST_CASE("arrays of two contexts are refused with what to do") {
    const auto x = counted<float>({3});
    const Context other(x.context().device());
    const auto y = ones<float>(other, {3});
    CHECK_THROWS_MENTIONING(ArgumentError, (x + y).eval(), "two contexts", x.context().device().id(),
                            "copy_to(context)");
    CHECK_THROWS_MENTIONING(ArgumentError, (AnyArray(x) + y).eval(), "two contexts", "copy_to(context)");
    CHECK_THROWS_MENTIONING(ArgumentError, x += y, "copy_to(context)");
    CHECK_THROWS_MENTIONING(ArgumentError, x.assign(y * 2), "another context", "copy_to(context)");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x * y), "sum", "copy_to(context)");
    CHECK_THROWS_MENTIONING(ArgumentError, cumsum(x * y), "cumsum", "copy_to(context)");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(x, y), "matmul", "copy_to(context)");
    const ElementwiseKernel copy("float *x, const float *y", "x[i] = y[i]", "copy_values");
    CHECK_THROWS_MENTIONING(ArgumentError, copy(x, y), "copy_values", "argument 2 (y)", "copy_to(context)");
    CHECK((x + y.copy_to(x.context())).get() == Values<float>{1, 2, 3});
}

TEST_CASE("an assigned expression loses leading axes of extent 1 as NumPy's do") {
    const auto y = zeros<float>({2, 3});
    const auto longer = counted<float>({1, 1, 2, 3});
    y.assign(longer + 1);
    CHECK(y.get() == Values<float>{1, 2, 3, 4, 5, 6});
    y.assign(y(newaxis) * 2 + counted<float>({3}));  // reads itself
    CHECK(y.get() == Values<float>{2, 5, 8, 8, 11, 14});
    y.assign(longer(0, 0, slice({}, {}, -1))(newaxis) + y(slice({}, {}, -1)));  // overlaps itself
    CHECK(y.get() == Values<float>{11, 15, 19, 2, 6, 10});
    y.assign(AnyExpr(longer(0)) - counted<float>({1, 1, 1, 1}));
    CHECK(y.get() == Values<float>{0, 1, 2, 3, 4, 5});
    AnyArray(y).assign(AnyExpr(longer) + 3);
    CHECK(y.get() == Values<float>{3, 4, 5, 6, 7, 8});
    CHECK_THROWS_MENTIONING(ArgumentError, y.assign(counted<float>({2, 2, 3}) + 1), "(2, 2, 3)", "(2, 3)");
    CHECK_THROWS_MENTIONING(ArgumentError, y += longer, "(1, 1, 2, 3)", "(2, 3)");
    CHECK_THROWS_MENTIONING(ArgumentError, AnyArray(y) += AnyArray(longer), "(1, 1, 2, 3)", "(2, 3)");
    CHECK(y.get() == Values<float>{3, 4, 5, 6, 7, 8});
}

TEST_CASE("expressions with more operands than a kernel takes are split") {
    const Context context = current_context();
    const auto x = counted<float>({3});
    const auto four = [&] { return x + 1 + x + 2 + x + 3 + x + 4; };
    const auto launches = [&](const auto& expression) {
        expression.eval();
        const Statistics before = context.statistics();
        expression.eval();
        return context.statistics().launches - before.launches;
    };
    CHECK((four() + four() + four() + four()).get()[1] == 16 + 40);
    CHECK(launches(four() + four() + four() + four()) == 1);
    const auto numbers = four() + four() + four() + four() + 1;
    CHECK(numbers.get()[1] == 16 + 41);
    CHECK(launches(numbers) == 2);
    const auto right = x * 2 - (four() + four() + (four() + four()));
    CHECK(right.get() == Values<float>{-40, -54, -68});
    CHECK(launches(right) == 2);
    CHECK(sum(numbers * 2).item() == 2 * (3 * 41 + 16 * 3));
    CHECK(mean(numbers).item() == 41 + 16);
    const auto eight = [](const auto& a) { return a(0) + a(1) + a(2) + a(3) + a(4) + a(5) + a(6) + a(7); };
    const auto m = counted<float>({8, 2}), n = counted<float>({8, 2}), o = counted<float>({8, 2}),
               p = counted<float>({8, 2});
    CHECK(launches(eight(m) + eight(n) + eight(o)) == 1);
    const auto arrays = eight(m) + eight(n) + eight(o) + eight(p);
    CHECK(arrays.get() == Values<float>{4 * 56, 4 * 64});
    CHECK(launches(arrays) == 2);
    CHECK(max(arrays).item() == 4 * 64);
    CHECK(cumsum(arrays).get() == Values<float>{4 * 56, 4 * 56 + 4 * 64});
    CHECK(source(arrays, Dialect::cuda()).find("__global__") != std::string::npos);
    x.assign(numbers);
    CHECK(x.get() == Values<float>{41, 57, 73});
    CHECK_THROWS_MENTIONING(ArgumentError, (numbers + counted<float>({4})).eval(), "(3,)", "(4,)");
}

TEST_CASE("whole numbers beyond an array's type compare as they are") {
    const Values<std::uint8_t> no{0, 0}, yes{1, 1};
    const auto check = [&](const auto& x, auto above, auto below) {
        CHECK((x < above).get() == yes);
        CHECK((x <= above).get() == yes);
        CHECK((x > above).get() == no);
        CHECK((x >= above).get() == no);
        CHECK((x == above).get() == no);
        CHECK((x != above).get() == yes);
        CHECK((above > x).get() == yes);
        CHECK((above == x).get() == no);
        CHECK((x < below).get() == no);
        CHECK((x <= below).get() == no);
        CHECK((x > below).get() == yes);
        CHECK((x >= below).get() == yes);
        CHECK((x == below).get() == no);
        CHECK((x != below).get() == yes);
        CHECK((below < x).get() == yes);
        CHECK(count_nonzero(below < x).item() == 2);
        CHECK(where(x < above, 1, 2).get() == Values<std::int64_t>{1, 1});
    };
    check(to_gpu(Values<std::int8_t>{-128, 127}), 300, -300);
    check(to_gpu(Values<std::uint8_t>{0, 255}), 256u, -1);
    check(to_gpu(Values<std::int32_t>{INT32_MIN, INT32_MAX}), 1l << 31, -(1l << 31) - 1);
    check(to_gpu(Values<std::int64_t>{1, INT64_MAX}), ~std::uint64_t{0}, INT64_MIN);
    CHECK((to_gpu(Values<std::uint64_t>{0, ~std::uint64_t{0}}) > -1).get() == yes);
    CHECK((to_gpu(Values<std::uint64_t>{0, ~std::uint64_t{0}}) == -1).get() == no);
    CHECK_THROWS_AS((to_gpu(Values<std::int8_t>{1}) + 300).eval(), ArgumentError);
}

TEST_CASE("a cast to 16 bits within an expression rounds") {
    const auto x = to_gpu(Values<float>{0.1f, 2049, 1e6f});
    CHECK((astype<float>(astype<half>(x)) * 2).get() == mapped(x.get(), [](float v) { return 2 * float(half(v)); }));
    CHECK((astype<float>(astype<bfloat16>(x)) - x).get() ==
          mapped(x.get(), [](float v) { return float(bfloat16(v)) - v; }));
    CHECK((astype<half>(x) == x).get() == Values<std::uint8_t>{0, 0, 0});
    CHECK(astype<half>(x).get()[1] == half(2049.f));
}

TEST_CASE("expressions print as their values") {
    std::ostringstream out;
    out << to_gpu(Values<std::int32_t>{1, 2}) + 1;
    CHECK(out.str() == "[2 3]");
}

TEST_CASE("what an expression has twice is computed once") {
    const auto count = [](const std::string& text, const std::string& word) {
        int found = 0;
        for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++found;
        return found;
    };
    const Dialect& dialect = Dialect::opencl();
    const auto x = to_gpu(Values<float>{0.5f, 1, -2}), y = to_gpu(Values<float>{1, 2, 3});
    const auto wave = sin(x + y);
    CHECK(count(source(wave, dialect), "sin(") == 2);  // in the loop and at the ends
    CHECK(count(source(wave * wave + wave, dialect), "sin(") == 1);
    CHECK(count(source(AnyExpr(wave) * wave, dialect), "sin(") == 1);
    const Values<float> s = wave.get();
    const auto near = [](const Values<float>& a, const Values<float>& b) {
        for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]));
    };
    near((wave * wave + wave).get(), mapped(s, [](float v) { return v * v + v; }));
    near((wave * 2 + exp(wave * 2) * y).get(),
         {2 * s[0] + std::exp(2 * s[0]), 2 * s[1] + 2 * std::exp(2 * s[1]), 2 * s[2] + 3 * std::exp(2 * s[2])});
    CHECK(sum(wave * wave).item() == doctest::Approx(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]));
    near(cumsum(wave * wave).get(), {s[0] * s[0], s[0] * s[0] + s[1] * s[1], s[0] * s[0] + s[1] * s[1] + s[2] * s[2]});
    CHECK(argmax(wave * wave).item() == 0);
    // Bools, 16 bits and complex numbers have names of their own types.
    const auto positive = x > 0;
    CHECK((positive == logical_and(positive, y > 1)).get() == Values<std::uint8_t>{0, 1, 1});
    const auto h = (astype<half>(x) + astype<half>(y));
    CHECK((h * h).get() == Values<half>{half(2.25f), half(9.0f), half(1.0f)});
    const auto c = to_gpu(Values<cfloat>{{1, 2}, {3, 4}, {0, 1}});
    const auto square_of = c * c;
    CHECK((square_of == square_of + 0.0f).get() == Values<std::uint8_t>{1, 1, 1});
    // Layouts other than the plain one.
    const auto m = to_gpu(Values<float>{1, 2, 3, 4, 5, 6}).reshape(Shape{2, 3});
    const auto t = m.transpose() + y.reshape(Shape{3, 1});
    near((t * t).get(), {4, 25, 16, 49, 36, 81});
}

TEST_CASE("numbers beside floating arrays round and overflow as in NumPy") {
    const float inf = std::numeric_limits<float>::infinity();
    const auto x = to_gpu(Values<float>{1, -2, 16777216});
    for (int again = 0; again < 3; ++again) {
        CHECK((x == 16777217).get() == Values<std::uint8_t>{0, 0, 1});
        CHECK((x / std::uint64_t{16777217}).get()[2] == 1);
        CHECK((x < std::numeric_limits<std::int64_t>::max()).get() == Values<std::uint8_t>{1, 1, 1});
        CHECK((x < 1e300).get() == Values<std::uint8_t>{1, 1, 1});
        CHECK((x + 1e300).get() == Values<float>{inf, inf, inf});
        CHECK(minimum(x, std::numeric_limits<double>::max()).get() == x.get());
        CHECK(clip(x, -1e300, 1.0).get() == Values<float>{1, -2, 1});
        CHECK(where(x > 0, x, -1e300).get() == Values<float>{1, -inf, 16777216});
        CHECK((astype<half>(x) * 70000).get()[0] == half(inf));
        CHECK(std::isnan(sum(x * 1e300).item()));  // inf - inf
        CHECK(expression("x + 1e300", {{"x", x}}).get<float>()[0] == inf);
        const auto c = to_gpu(Values<cfloat>{{1, 2}});
        CHECK((c * 1e300).get()[0].real() == inf);
    }
    const auto y = to_gpu(Values<float>{1, 2});
    auto z = y.copy();
    z += 1e300;
    CHECK(z.get() == Values<float>{inf, inf});
    const auto k = to_gpu(Values<std::int8_t>{1});
    CHECK_THROWS_MENTIONING(ArgumentError, (k + 300).eval(), "300", "int8_t", "astype()");
}

TEST_SUITE_END();
