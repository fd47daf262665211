/// Operators and functions of expressions, type by type, against plain host loops.
#include "array_support.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

using namespace gemel;
using namespace gemel::testing;

namespace {

template <class T>
using Values = std::vector<T>;
const double nan_ = std::numeric_limits<double>::quiet_NaN();
const double inf = std::numeric_limits<double>::infinity();

/// Relative or absolute, whichever is larger; NaN equals NaN.
template <class T, class U>
void check_near(const Values<T>& found, const Values<U>& expected, double tolerance) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto a = static_cast<double>(found[i]), b = static_cast<double>(expected[i]);
        INFO("element ", i, ": ", a, ", expected ", b);
        CHECK(
            ((std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b))));
    }
}

template <class T>
void check_arithmetic(const Values<T>& a, const Values<T>& b) {
    const auto x = to_gpu(a), y = to_gpu(b);
    CHECK((x + y).get() == mapped(a, b, [](T p, T q) { return static_cast<T>(p + q); }));
    CHECK((x - y).get() == mapped(a, b, [](T p, T q) { return static_cast<T>(p - q); }));
    CHECK((x * y).get() == mapped(a, b, [](T p, T q) { return static_cast<T>(p * q); }));
    CHECK((-x).get() == mapped(a, [](T p) { return static_cast<T>(-p); }));
    CHECK((+x).get() == a);
    CHECK(minimum(x, y).get() == mapped(a, b, [](T p, T q) { return std::min(p, q); }));
    CHECK(maximum(x, y).get() == mapped(a, b, [](T p, T q) { return std::max(p, q); }));
    CHECK(square(x).get() == mapped(a, [](T p) { return static_cast<T>(p * p); }));
    CHECK(clip(x, 1, 3).get() == mapped(a, [](T p) { return std::clamp<T>(p, 1, 3); }));
    CHECK(where(x > y, x, y).get() == mapped(a, b, [](T p, T q) { return p > q ? p : q; }));
}

template <class T>
void check_comparisons(const Values<T>& a, const Values<T>& b) {
    using Byte = std::uint8_t;
    const auto x = to_gpu(a), y = to_gpu(b);
    static_assert(std::is_same_v<typename decltype(x < y)::value_type, bool>);
    CHECK((x == y).get() == mapped(a, b, [](T p, T q) -> Byte { return p == q; }));
    CHECK((x != y).get() == mapped(a, b, [](T p, T q) -> Byte { return p != q; }));
    CHECK((x < y).get() == mapped(a, b, [](T p, T q) -> Byte { return p < q; }));
    CHECK((x > y).get() == mapped(a, b, [](T p, T q) -> Byte { return p > q; }));
    CHECK((x <= y).get() == mapped(a, b, [](T p, T q) -> Byte { return p <= q; }));
    CHECK((x >= y).get() == mapped(a, b, [](T p, T q) -> Byte { return p >= q; }));
    CHECK(logical_and(x, y).get() == mapped(a, b, [](T p, T q) -> Byte { return p && q; }));
    CHECK(logical_or(x, y).get() == mapped(a, b, [](T p, T q) -> Byte { return p || q; }));
    CHECK(logical_not(x).get() == mapped(a, [](T p) -> Byte { return !p; }));
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("arithmetic gives what a loop on the host gives") {
    check_arithmetic<std::int32_t>({5, -7, 0, 4, 40000}, {2, 3, -4, 4, -9});
    check_arithmetic<std::int64_t>({5, -7, 0, 1ll << 31}, {2, 3, -4, 5});
    check_arithmetic<float>({0.5f, -7.25f, 0, 3}, {2, 3.5f, -4, 3});
    check_arithmetic<double>({0.5, -7.25, 0, 3}, {2, 3.5, -4, 3});
}

TEST_CASE("comparisons and logic give bools") {
    check_comparisons<std::int32_t>({5, -7, 0, 4}, {2, 3, 0, 4});
    check_comparisons<float>({0.5f, -7.25f, 0, 3, NAN, 1}, {2, 3.5f, 0, 3, 1, NAN});
    check_comparisons<std::uint8_t>({5, 255, 0, 4}, {2, 3, 0, 4});
}

TEST_CASE("small integers wrap around as in NumPy") {
    check_arithmetic<std::int8_t>({100, -128, 0, 4, 127}, {100, 3, -4, 4, 127});
    check_arithmetic<std::uint8_t>({200, 255, 0, 4}, {100, 3, 250, 4});
    check_arithmetic<std::int16_t>({30000, -32768, 0}, {30000, 3, -4});
    check_arithmetic<std::uint16_t>({60000, 65535, 0}, {60000, 3, 5});
    // Within one expression too, where C would go on in int.
    const auto x = to_gpu(Values<std::uint8_t>{200, 7});
    CHECK(floor_divide(x + x, 2).get() == Values<std::uint8_t>{72, 7});
}

TEST_CASE("bits and shifts") {
    const Values<std::int32_t> a{5, -7, 0, 0x7f00}, b{2, 3, 1, 4};
    const auto x = to_gpu(a), y = to_gpu(b);
    CHECK((x & y).get() == mapped(a, b, [](int p, int q) { return p & q; }));
    CHECK((x | y).get() == mapped(a, b, [](int p, int q) { return p | q; }));
    CHECK((x ^ y).get() == mapped(a, b, [](int p, int q) { return p ^ q; }));
    CHECK((x << y).get() == mapped(a, b, [](int p, int q) { return p << q; }));
    CHECK((x >> y).get() == mapped(a, b, [](int p, int q) { return p >> q; }));
    CHECK((~x).get() == mapped(a, [](int p) { return ~p; }));
    const auto t = to_gpu(std::vector<bool>{true, false});
    CHECK((~t).get() == Values<std::uint8_t>{0, 1});
    CHECK((t & true).get() == Values<std::uint8_t>{1, 0});
    CHECK((t ^ true).get() == Values<std::uint8_t>{0, 1});
}

TEST_CASE("the sum of bools is their or and the product their and") {
    const auto p = to_gpu(std::vector<bool>{true, true, false, false}),
               q = to_gpu(std::vector<bool>{true, false, true, false});
    static_assert(std::is_same_v<decltype(p + q)::value_type, bool>);
    CHECK((p + q).get() == Values<std::uint8_t>{1, 1, 1, 0});
    CHECK((p * q).get() == Values<std::uint8_t>{1, 0, 0, 0});
    CHECK((p + 1).get() == Values<std::int64_t>{2, 2, 1, 1});
}

TEST_CASE("division of integers gives double") {
    const auto x = to_gpu(Values<std::int32_t>{7, -7, 1}), y = to_gpu(Values<std::int32_t>{2, 2, 3});
    static_assert(std::is_same_v<decltype(x / y)::value_type, double>);
    CHECK((x / y).get() == Values<double>{3.5, -3.5, 1.0 / 3});
    static_assert(std::is_same_v<decltype(to_gpu(Values<std::int8_t>{1}) / 2)::value_type, double>);
    static_assert(std::is_same_v<decltype(to_gpu(Values<float>{1}) / 2.0)::value_type, float>);
}

TEST_CASE("floor division and remainder follow the signs of Python") {
    const auto x = to_gpu(Values<std::int32_t>{7, -7, 7, -7, 6}), y = to_gpu(Values<std::int32_t>{2, 2, -2, -2, 3});
    CHECK(floor_divide(x, y).get() == Values<std::int32_t>{3, -4, -4, 3, 2});
    CHECK(remainder(x, y).get() == Values<std::int32_t>{1, 1, -1, -1, 0});
    CHECK((x % y).get() == Values<std::int32_t>{1, 1, -1, -1, 0});
    const auto f = to_gpu(Values<double>{7, -7, 7.5, -7.5, 1, inf, 1, -1}),
               g = to_gpu(Values<double>{2, 2, -2, -2, 0.1, 1, 0, inf});
    // As numpy.floor_divide and numpy.remainder 2.x give them.
    check_near(floor_divide(f, g).get(), Values<double>{3, -4, -4, 3, 9, nan_, inf, -1}, 0);
    check_near((f % g).get(), Values<double>{1, 1, -0.5, -1.5, std::fmod(1, 0.1), nan_, nan_, inf}, 0);
    CHECK(std::signbit((to_gpu(Values<float>{4}) % -2).item()));
    const auto u = to_gpu(Values<std::uint8_t>{250, 7});
    CHECK((u % 16).get() == Values<std::uint8_t>{10, 7});
}

TEST_CASE_TEMPLATE("the least integer divided by -1 is itself without a rest", T, std::int8_t, std::int32_t,
                   std::int64_t) {
    constexpr T least = std::numeric_limits<T>::min();
    const auto x = to_gpu(Values<T>{least, 5, least}), y = to_gpu(Values<T>{-1, -1, 2});
    CHECK((x % y).get() == Values<T>{0, 0, 0});
    CHECK(remainder(x, -1).get() == Values<T>{0, 0, 0});
    CHECK(fmod(x, y).get() == Values<T>{0, 0, 0});
    CHECK(floor_divide(x, y).get() == Values<T>{least, -5, least / 2});
    CHECK(floor_divide(x, -1).get() == Values<T>{least, -5, least});
    const auto u = to_gpu(Values<std::uint32_t>{7, UINT32_MAX}), w = full<std::uint32_t>({2}, UINT32_MAX);
    CHECK((u % w).get() == Values<std::uint32_t>{7, 0});
    CHECK(fmod(u, w).get() == Values<std::uint32_t>{7, 0});
    CHECK(floor_divide(u, w).get() == Values<std::uint32_t>{0, 1});
}

TEST_CASE("powers of integers wrap and of reals follow pow") {
    const auto x = to_gpu(Values<std::int32_t>{3, -2, 1, -1, 5}), y = to_gpu(Values<std::int32_t>{4, 3, -2, -3, -1});
    CHECK(pow(x, y).get() == Values<std::int32_t>{81, -8, 1, -1, 0});
    CHECK(pow(to_gpu(Values<std::uint8_t>{2, 3}), 8).get() == Values<std::uint8_t>{0, 161});
    check_near(pow(to_gpu(Values<double>{2, -2, 9, 0}), to_gpu(Values<double>{0.5, 3, -0.5, 0})).get(),
               Values<double>{std::sqrt(2.0), -8, 1.0 / 3, 1}, 1e-14);
}

TEST_CASE("minimum and maximum hand NaN on") {
    const auto x = to_gpu(Values<float>{1, NAN, 2}), y = to_gpu(Values<float>{NAN, 1, 1});
    check_near(minimum(x, y).get(), Values<float>{NAN, NAN, 1}, 0);
    check_near(maximum(x, y).get(), Values<float>{NAN, NAN, 2}, 0);
    CHECK(isnan(x).get() == Values<std::uint8_t>{0, 1, 0});
}

TEST_CASE("elementary functions follow the host's") {
    const Values<double> a{0.25, 0.5, 0.75, 0.9};
    const auto x = to_gpu(a);
    // The accuracy of each function has tests of its own: this is about which one is called.
#define GEMEL_CHECK_FUNCTION(name) check_near(name(x).get(), mapped(a, [](double v) { return std::name(v); }), 1e-13)
    GEMEL_CHECK_FUNCTION(sin);
    GEMEL_CHECK_FUNCTION(cos);
    GEMEL_CHECK_FUNCTION(tan);
    GEMEL_CHECK_FUNCTION(sinh);
    GEMEL_CHECK_FUNCTION(cosh);
    GEMEL_CHECK_FUNCTION(tanh);
    GEMEL_CHECK_FUNCTION(exp);
    GEMEL_CHECK_FUNCTION(log);
    GEMEL_CHECK_FUNCTION(sqrt);
    GEMEL_CHECK_FUNCTION(asin);
    GEMEL_CHECK_FUNCTION(acos);
    GEMEL_CHECK_FUNCTION(atan);
    GEMEL_CHECK_FUNCTION(asinh);
    GEMEL_CHECK_FUNCTION(atanh);
    GEMEL_CHECK_FUNCTION(exp2);
    GEMEL_CHECK_FUNCTION(expm1);
    GEMEL_CHECK_FUNCTION(log2);
    GEMEL_CHECK_FUNCTION(log10);
    GEMEL_CHECK_FUNCTION(log1p);
    GEMEL_CHECK_FUNCTION(cbrt);
    GEMEL_CHECK_FUNCTION(erf);
    GEMEL_CHECK_FUNCTION(erfc);
    GEMEL_CHECK_FUNCTION(tgamma);
    GEMEL_CHECK_FUNCTION(lgamma);
#undef GEMEL_CHECK_FUNCTION
    check_near(acosh(x + 1).get(), mapped(a, [](double v) { return std::acosh(v + 1); }), 1e-13);
    check_near(rsqrt(x).get(), mapped(a, [](double v) { return 1 / std::sqrt(v); }), 1e-13);
    check_near(atan2(x, -1).get(), mapped(a, [](double v) { return std::atan2(v, -1); }), 1e-13);
    CHECK(sinpi(to_gpu(Values<double>{1, 0.5, -1.5})).get() == Values<double>{0, 1, 1});
    CHECK(cospi(to_gpu(Values<float>{1, 0.5f, 2})).get() == Values<float>{-1, 0, 1});
    CHECK(copysign(x, -1).get() == mapped(a, [](double v) { return -v; }));
    check_near(hypot(x, 2.0).get(), mapped(a, [](double v) { return std::hypot(v, 2); }), 1e-13);
    static_assert(std::is_same_v<decltype(sin(to_gpu(Values<std::int16_t>{1})))::value_type, float>);
    check_near(sqrt(to_gpu(Values<std::int32_t>{4, 2})).get(), Values<double>{2, std::sqrt(2.0)}, 1e-15);
}

TEST_CASE("signs, remainders and what is not finite") {
    const auto x = to_gpu(Values<float>{-7.5f, 7.5f, 0, INFINITY, NAN});
    check_near(sign(x).get(), Values<float>{-1, 1, 0, 1, NAN}, 0);
    CHECK(sign(to_gpu(Values<std::int8_t>{-3, 0, 4})).get() == Values<std::int8_t>{-1, 0, 1});
    CHECK(sign(to_gpu(Values<std::uint32_t>{3, 0})).get() == Values<std::uint32_t>{1, 0});
    check_near(fmod(x, 2).get(), Values<float>{-1.5f, 1.5f, 0, NAN, NAN}, 0);
    CHECK(fmod(to_gpu(Values<std::int32_t>{-7, 7}), 4).get() == Values<std::int32_t>{-3, 3});
    CHECK(isinf(x).get() == Values<std::uint8_t>{0, 0, 0, 1, 0});
    CHECK(isfinite(x).get() == Values<std::uint8_t>{1, 1, 1, 0, 0});
    CHECK(isfinite(to_gpu(Values<std::int16_t>{1})).get() == Values<std::uint8_t>{1});
    const auto z = to_gpu(Values<cdouble>{{1, INFINITY}, {NAN, 1}, {0, -2}, {-3, 0}});
    CHECK(isinf(z).get() == Values<std::uint8_t>{1, 0, 0, 0});
    CHECK(isfinite(z).get() == Values<std::uint8_t>{0, 0, 1, 1});
    const double half_pi = std::acos(0.0);
    check_near(arg(z(slice(2, {}))).get(), Values<double>{-half_pi, 2 * half_pi}, 1e-15);
    check_near(arg(to_gpu(Values<double>{2, -2})).get(), Values<double>{0, 2 * half_pi}, 1e-15);
    check_near(expression("arg(z) + sign(z * 0 == 0)", {{"z", z(slice(2, {}))}}).get<double>(),
               Values<double>{1 - half_pi, 1 + 2 * half_pi}, 1e-15);
}

TEST_CASE("rounding and magnitudes") {
    const auto x = to_gpu(Values<float>{-1.5f, 2.5f, -0.25f});
    CHECK(floor(x).get() == Values<float>{-2, 2, -1});
    CHECK(ceil(x).get() == Values<float>{-1, 3, 0});
    CHECK(trunc(x).get() == Values<float>{-1, 2, 0});
    CHECK(rint(x).get() == Values<float>{-2, 2, 0});
    CHECK(abs(x).get() == Values<float>{1.5f, 2.5f, 0.25f});
    CHECK(floor(to_gpu(Values<std::int8_t>{-3})).item() == -3);
    CHECK(abs(to_gpu(Values<std::int64_t>{-3, 4})).get() == Values<std::int64_t>{3, 4});
    CHECK(real(x).get() == x.get());
    CHECK(imag(x).get() == Values<float>{0, 0, 0});
}

TEST_CASE("complex numbers") {
    const Values<cfloat> a{{1, 2}, {-3, 0.5f}, {0, 0}}, b{{2, -1}, {0, 4}, {1, 1}};
    const auto x = to_gpu(a), y = to_gpu(b);
    CHECK((x + y).get() == mapped(a, b, [](cfloat p, cfloat q) { return p + q; }));
    CHECK((x - y).get() == mapped(a, b, [](cfloat p, cfloat q) { return p - q; }));
    CHECK((x * y).get() == mapped(a, b, [](cfloat p, cfloat q) { return p * q; }));
    CHECK((-x).get() == mapped(a, [](cfloat p) { return -p; }));
    CHECK(conj(x).get() == mapped(a, [](cfloat p) { return std::conj(p); }));
    CHECK(square(x).get() == mapped(a, [](cfloat p) { return p * p; }));
    CHECK(real(x).get() == Values<float>{1, -3, 0});
    CHECK(imag(x).get() == Values<float>{2, 0.5f, 0});
    check_near(abs(x).get(), mapped(a, [](cfloat p) { return std::abs(p); }), 1e-6);
    const auto quotient = (x / y).get();
    const auto root = sqrt(x).get();
    for (std::size_t i = 0; i < a.size(); ++i) {
        CHECK(std::abs(quotient[i] - a[i] / b[i]) <= 1e-6f);  // a few rounding errors of numbers near 1
        CHECK(std::abs(root[i] - std::sqrt(a[i])) <= 1e-6f);
    }
    CHECK((x == x).get() == Values<std::uint8_t>{1, 1, 1});
    CHECK((x != y).get() == Values<std::uint8_t>{1, 1, 1});
    CHECK(logical_not(x).get() == Values<std::uint8_t>{0, 0, 1});
    CHECK(logical_and(x, y).get() == Values<std::uint8_t>{1, 1, 0});
    CHECK(logical_or(x, 0).get() == Values<std::uint8_t>{1, 1, 0});
    CHECK(isnan(x).get() == Values<std::uint8_t>{0, 0, 0});
    CHECK(where(x, y, 0).get() == Values<cfloat>{b[0], b[1], 0});
    static_assert(std::is_same_v<decltype(to_gpu(Values<float>{1}) * cdouble(0, 1))::value_type, cfloat>);
    CHECK((to_gpu(Values<float>{2}) * cdouble(0, 1)).item() == cfloat(0, 2));
    CHECK((x + 1).get()[0] == cfloat(2, 2));
    CHECK(astype<bool>(x).get() == Values<std::uint8_t>{1, 1, 0});
    CHECK(astype<cdouble>(to_gpu(Values<std::int32_t>{3})).item() == cdouble(3, 0));
}

TEST_CASE("inverse and shifted functions of complex numbers") {
    const Values<cdouble> a{{0.3, 0.4}, {-0.7, 2.5}, {1e-3, -1e-4}, {-3, -4},  {0.5, 0},
                            {-0.25, 0}, {0, 1.5},    {1e3, 2e3},    {2, 1e-9}, {-2, -1e-9}};
    const auto x = to_gpu(a);
    Values<cfloat> narrow;
    for (const cdouble z : a) narrow.push_back(cfloat(z));
    const auto y = to_gpu(narrow);
    const auto check = [&](const auto& wide, const auto& single, const auto& reference, double loss = 1) {
        const auto found = wide.get();
        const auto in_float = single.get();
        for (std::size_t i = 0; i < a.size(); ++i) {
            const cdouble expected = reference(a[i]), expected_float = reference(cdouble(narrow[i]));
            INFO("of ", a[i].real(), " + ", a[i].imag(), "i");
            // Errors of several steps, each of one or two units, relative to the magnitude.
            CHECK(std::abs(found[i] - expected) <= loss * 4e-15 * std::abs(expected));
            CHECK(std::abs(cdouble(in_float[i]) - expected_float) <= loss * 2e-6 * std::abs(expected_float));
        }
    };
    check(asin(x), asin(y), [](cdouble z) { return std::asin(z); });
    check(acos(x), acos(y), [](cdouble z) { return std::acos(z); });
    check(atan(x), atan(y), [](cdouble z) { return std::atan(z); });
    check(asinh(x), asinh(y), [](cdouble z) { return std::asinh(z); });
    check(acosh(x), acosh(y), [](cdouble z) { return std::acosh(z); });
    check(atanh(x), atanh(y), [](cdouble z) { return std::atanh(z); });
    check(log2(x), log2(y), [](cdouble z) { return std::log(z) / std::log(2.0); });
    check(log10(x), log10(y), [](cdouble z) { return std::log10(z); });
    check(rsqrt(x), rsqrt(y), [](cdouble z) { return 1.0 / std::sqrt(z); });
    // The host has no expm1 and log1p of complex numbers: long double has digits enough.
    using Long = std::complex<long double>;
    check(log1p(x), log1p(y), [](cdouble z) { return cdouble(std::log(Long(1) + Long(z))); });
    // Of moderate numbers.
    const auto small = where(abs(x) < 10, x, 1);
    const auto small_float = where(abs(y) < 10, y, 1);
    const auto of_small = [](auto f) { return [f](cdouble z) { return f(std::abs(z) < 10 ? z : cdouble(1)); }; };
    check(exp2(small), exp2(small_float),
          of_small([](cdouble z) { return cdouble(std::exp(Long(z) * std::log(2.0l))); }));
    check(expm1(small), expm1(small_float), of_small([](cdouble z) { return cdouble(std::exp(Long(z)) - Long(1)); }),
          3);
}

TEST_CASE_TEMPLATE("inverse functions of infinite and of large complex numbers are C99's", T, cfloat, cdouble) {
    using R = typename T::value_type;
    const R big = std::is_same_v<R, float> ? R(1e25) : R(1e160), end = std::numeric_limits<R>::infinity();
    const Values<T> z{{end, 0},    {-end, -0.0}, {0, end},     {2, -end},      {end, end},     {-end, end},
                      {end, -end}, {big, 0},     {0, -big},    {big, big},     {-big, 2},      {3, big},
                      {-end, 5},   {-4, end},    {big, -1e9f}, {1e18f, 1e17f}, {-1e16f, 1e16f}};
    const auto check = [&](const std::string& name, const auto& found, const auto& reference) {
        const auto values = found.get();
        for (std::size_t i = 0; i < z.size(); ++i) {
            const T expected(reference(std::complex<long double>(z[i])));
            // What is below the normal numbers may become 0.
            const auto near = [](R a, R b) {
                using Limits = std::numeric_limits<R>;
                return a == b || std::abs(a - b) <= 8 * Limits::epsilon() * std::abs(b) + Limits::min();
            };
            INFO(name, " of ", z[i].real(), " + ", z[i].imag(), "i: ", values[i].real(), " + ", values[i].imag(),
                 "i, expected ", expected.real(), " + ", expected.imag(), "i");
            CHECK(near(values[i].real(), expected.real()));
            CHECK(near(values[i].imag(), expected.imag()));
        }
    };
    const auto x = to_gpu(z);
    check("asin", asin(x), [](auto v) { return std::asin(v); });
    check("acos", acos(x), [](auto v) { return std::acos(v); });
    check("asinh", asinh(x), [](auto v) { return std::asinh(v); });
    check("acosh", acosh(x), [](auto v) { return std::acosh(v); });
    check("atan", atan(x), [](auto v) { return std::atan(v); });
    check("atanh", atanh(x), [](auto v) { return std::atanh(v); });
}

TEST_CASE("of numbers in logic only the truth counts") {
    const auto k = to_gpu(Values<std::int8_t>{0, 1, 2});
    const AnyArray any = k;
    using Bytes = Values<std::uint8_t>;
    CHECK(logical_and(k, 300).get() == Bytes{0, 1, 1});
    CHECK(logical_and(300, k).get() == Bytes{0, 1, 1});
    CHECK(logical_or(k, -1000).get() == Bytes{1, 1, 1});
    CHECK(logical_xor(k, 300).get() == Bytes{1, 0, 0});
    CHECK(logical_and(k, 0.5).get() == Bytes{0, 1, 1});
    CHECK(logical_or(k, 0.0).get() == Bytes{0, 1, 1});
    CHECK(logical_and(k, cfloat(0, 1)).get() == Bytes{0, 1, 1});
    CHECK(logical_and(to_gpu(Values<half>{half(0), half(1)}), 1e-30).get() == Bytes{0, 1});
    CHECK(logical_xor(to_gpu(Values<cfloat>{{0, 0}, {0, 1}}), to_gpu(Values<float>{1, 1})).get() == Bytes{1, 0});
    CHECK(logical_and(any, 300).get<bool>() == Bytes{0, 1, 1});
    CHECK(logical_xor(any, 300).get<bool>() == Bytes{1, 0, 0});
    CHECK(expression("logical_xor(k, 1000) || (k and 300)", {{"k", any}}).get<bool>() == Bytes{1, 1, 1});
}

TEST_SUITE_END();
