/// Functions of arrays that are exact, take integers beside real numbers, or come in pairs, against the host's.
#include "../nvrtc.hpp"
#include "array_support.hpp"

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <type_traits>

using namespace gemel;
using namespace gemel::testing;

namespace {

template <class T>
using Values = std::vector<T>;

/// The same number or both NaN; zeros of one sign.
template <class T>
bool same(T a, T b) {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
}

template <class T>
void check_same(const Values<T>& found, const Values<T>& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        INFO("element ", i, ": ", static_cast<double>(found[i]), ", expected ", static_cast<double>(expected[i]));
        CHECK(same(found[i], expected[i]));
    }
}

/// Relative or absolute, whichever is larger.
template <class T, class F>
void check_near(const Values<T>& found, const Values<double>& of, const F& reference, double tolerance) {
    REQUIRE(found.size() == of.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double expected = reference(of[i]);
        INFO("of ", of[i], ": ", static_cast<double>(found[i]), ", expected ", expected);
        CHECK(std::abs(static_cast<double>(found[i]) - expected) <= tolerance * std::max(1.0, std::abs(expected)));
    }
}

/// Zeros, infinities, NaN, the ends of the range and what lies between.
template <class T>
Values<T> telling_numbers() {
    using L = std::numeric_limits<T>;
    return {
        0,        -T(0),       1, -1,       0.5,     0.75,    8,      -15.5,         1e-5,           123456,
        L::max(), L::lowest(), 3, L::min(), -0.3125, T(1e10), T(2.5), L::infinity(), -L::infinity(), L::quiet_NaN()};
}

template <class T>
void check_splitters() {
    const Values<T> a = telling_numbers<T>();
    const auto x = to_gpu(a);
    Values<T> mantissas, fractions, wholes, logarithms;
    Values<std::int32_t> exponents, whole_logarithms;
    for (const T v : a) {
        int n = 0;
        mantissas.push_back(std::frexp(v, &n));
        exponents.push_back(std::isfinite(v) ? n : 0);
        T whole;
        fractions.push_back(std::modf(v, &whole));
        wholes.push_back(whole);
        logarithms.push_back(std::logb(v));
        whole_logarithms.push_back(v == 0 || std::isnan(v) ? INT32_MIN : std::isinf(v) ? INT32_MAX : std::ilogb(v));
    }
    const auto [m, n] = frexp(x);
    static_assert(std::is_same_v<typename decltype(m)::value_type, T>);
    static_assert(std::is_same_v<typename decltype(n)::value_type, std::int32_t>);
    check_same(m.get(), mantissas);
    CHECK(n.get() == exponents);
    const auto [fraction, whole] = modf(x);
    check_same(fraction.get(), fractions);
    check_same(whole.get(), wholes);
    check_same(logb(x).get(), logarithms);
    static_assert(std::is_same_v<typename decltype(ilogb(x))::value_type, std::int32_t>);
    CHECK(ilogb(x).get() == whole_logarithms);
    // The parts make the whole again, within one kernel.
    check_same(ldexp(m, n).get(), a);
    // Of types that are known at run time only.
    const AnyArray untyped = x;
    const auto [any_m, any_n] = frexp(untyped);
    check_same(any_m.template get<T>(), mantissas);
    CHECK(any_n.template get<std::int32_t>() == exponents);
    const auto [any_fraction, any_whole] = modf(untyped + T(0.5));
    check_same((any_whole + any_fraction).template get<T>(), (x + T(0.5)).get());
    CHECK(ilogb(untyped).template get<std::int32_t>() == whole_logarithms);
}

template <class T>
void check_ldexp() {
    const Values<T> a = telling_numbers<T>();
    const auto x = to_gpu(a);
    const Values<std::int16_t> exponents{0, 1, -1, 5, 20, -20, 100, 1000, -1000, 32767, -32768};
    for (const std::int16_t n : exponents) {
        Values<T> expected;
        for (const T v : a) {
            const T scaled = std::ldexp(v, n);
            expected.push_back(scaled);
        }
        INFO("n = ", n);
        Values<T> found = ldexp(x, n).get();
        for (std::size_t i = 0; i < found.size(); ++i)  // a device may flush what is subnormal
            if (std::fpclassify(expected[i]) == FP_SUBNORMAL && found[i] == 0) found[i] = expected[i];
        check_same(found, expected);
    }
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("powers of ten and angles in units of pi follow the host") {
    const Values<double> a{0.25, -0.375, 0.75, 0.9, -1, 1e-3};
    const auto x = to_gpu(a);
    const auto y = x.astype<float>();
    const double pi = std::numbers::pi;
    // The accuracy of each function has tests of its own: this is about which one is called.
    const auto check = [&](const auto& wide, const auto& single, const auto& reference) {
        check_near(wide.get(), a, reference, 1e-14);
        check_near(single.get(), a, reference, 1e-5);
    };
    check(exp10(x), exp10(y), [](double v) { return std::pow(10.0, v); });
    check(tanpi(x), tanpi(y), [&](double v) { return std::tan(pi * v); });
    check(asinpi(x), asinpi(y), [&](double v) { return std::asin(v) / pi; });
    check(acospi(x), acospi(y), [&](double v) { return std::acos(v) / pi; });
    check(atanpi(x), atanpi(y), [&](double v) { return std::atan(v) / pi; });
    check(atan2pi(x, -2), atan2pi(y, -2.f), [&](double v) { return std::atan2(v, -2) / pi; });
    CHECK(exp10(to_gpu(Values<double>{0, 1, 3})).get() == Values<double>{1, 10, 1000});
    CHECK(tanpi(to_gpu(Values<float>{0, 1, -3})).get() == Values<float>{0, 0, 0});
    CHECK(atan2pi(to_gpu(Values<double>{1, 0}), to_gpu(Values<float>{0, -1})).get() == Values<double>{0.5, 1});
}

TEST_CASE("the types of results are NumPy's") {
    const auto f = to_gpu(Values<float>{1});
    const auto d = to_gpu(Values<double>{1});
    const auto h = to_gpu(Values<half>{half(1.f)});
    const auto b = to_gpu(Values<std::int8_t>{1});
    const auto s = to_gpu(Values<std::int16_t>{1});
    const auto i = to_gpu(Values<std::int32_t>{1});
    const auto l = to_gpu(Values<std::int64_t>{1});
#define GEMEL_HAS_TYPE(expression, T) static_assert(std::is_same_v<decltype(expression)::value_type, T>)
    GEMEL_HAS_TYPE(exp10(b), half);
    GEMEL_HAS_TYPE(exp10(s), float);
    GEMEL_HAS_TYPE(exp10(i), double);
    GEMEL_HAS_TYPE(ilogb(i), std::int32_t);
    GEMEL_HAS_TYPE(ilogb(h), std::int32_t);
    GEMEL_HAS_TYPE(logb(l), double);
    GEMEL_HAS_TYPE(ldexp(h, i), half);
    GEMEL_HAS_TYPE(ldexp(f, l), float);
    GEMEL_HAS_TYPE(ldexp(f, true), float);
    GEMEL_HAS_TYPE(ldexp(i, b), double);
    GEMEL_HAS_TYPE(ldexp(b, i), half);
    GEMEL_HAS_TYPE(ldexp(1.5, i), double);
    GEMEL_HAS_TYPE(ldexp(2, i), double);
    GEMEL_HAS_TYPE(bessel_jn(i, f), float);
    GEMEL_HAS_TYPE(bessel_jn(0, d), double);
    GEMEL_HAS_TYPE(bessel_yn(i, 2.5), double);
    GEMEL_HAS_TYPE(bessel_yn(0, i), double);
    GEMEL_HAS_TYPE(frexp_mantissa(i), double);
    GEMEL_HAS_TYPE(modf_whole(s), float);
    GEMEL_HAS_TYPE(atan2pi(b, i), double);
    GEMEL_HAS_TYPE(round(b), std::int8_t);
#undef GEMEL_HAS_TYPE
    const auto same_untyped = [](const auto& typed, const AnyExpr& untyped) {
        CHECK(untyped.dtype() == dtype_of<typename std::decay_t<decltype(typed)>::value_type>());
    };
    const auto any = [](const auto& x) { return AnyArray(x); };
    same_untyped(exp10(b), exp10(any(b)));
    same_untyped(ilogb(h), ilogb(any(h)));
    same_untyped(ldexp(h, i), ldexp(any(h), i));
    same_untyped(ldexp(i, b), ldexp(any(i), any(b)));
    same_untyped(ldexp(1.5, i), ldexp(1.5, any(i)));
    same_untyped(ldexp(2, i), ldexp(2, any(i)));
    same_untyped(bessel_jn(i, f), bessel_jn(any(i), f));
    same_untyped(bessel_yn(i, 2.5), bessel_yn(any(i), 2.5));
    same_untyped(frexp(i).second, frexp(any(i)).second);
    same_untyped(modf(s).second, modf(any(s)).second);
}

TEST_CASE("numbers are split into mantissa and exponent and into integral part and fraction") {
    check_splitters<float>();
    check_splitters<double>();
    const auto i = to_gpu(Values<std::int32_t>{8, -3, 0});
    CHECK(frexp(i).first.get() == Values<double>{0.5, -0.75, 0});
    CHECK(frexp(i).second.get() == Values<std::int32_t>{4, 2, 0});
    CHECK(modf(i).second.get() == Values<double>{8, -3, 0});
    CHECK(ilogb(i).get() == Values<std::int32_t>{3, 1, INT32_MIN});
    CHECK(logb(i).get() == Values<double>{3, 1, -std::numeric_limits<double>::infinity()});
    CHECK(frexp(to_gpu(std::vector<bool>{true, false})).second.get() == Values<std::int32_t>{1, 0});
    CHECK(modf(empty<float>({0})).first.get().empty());
}

TEST_CASE("16-bit floats are split and scaled as floats") {
    const auto h = to_gpu(Values<half>{half(10.f), half(-0.0f), half(-6e-8f), half(INFINITY)});
    const auto [m, n] = frexp(h);
    CHECK(float(m.get()[0]) == 0.625f);
    CHECK(std::signbit(float(m.get()[1])));
    CHECK(float(m.get()[2]) == -0.5f);  // the least subnormal one, 2^-24
    CHECK(float(m.get()[3]) == INFINITY);
    CHECK(n.get() == Values<std::int32_t>{4, 0, -23, 0});
    CHECK(float(ldexp(h, 12).get()[0]) == 40960);
    CHECK(float(ldexp(h, 13).get()[0]) == INFINITY);
    CHECK(float(ldexp(h, -2).get()[2]) == 0);
    const auto b = to_gpu(Values<bfloat16>{bfloat16(-2.5f), bfloat16(1e38f)});
    CHECK(float(modf(b).first.get()[0]) == -0.5f);
    CHECK(float(modf(b).second.get()[0]) == -2);
    CHECK(ilogb(b).get() == Values<std::int32_t>{1, 126});
    CHECK(float(bessel_jn(1, to_gpu(Values<half>{half(0.f)})).item()) == 0);
}

TEST_CASE("ldexp scales by powers of two of any size") {
    check_ldexp<float>();
    check_ldexp<double>();
    const auto x = to_gpu(Values<float>{3, -0.0f, 1});
    const auto n = to_gpu(Values<std::int64_t>{2, INT64_MAX, INT64_MIN});
    check_same(ldexp(x, n).get(), Values<float>{12, -0.0f, 0});
    check_same(ldexp(x, to_gpu(Values<std::uint32_t>{1, 5, 4000000000u})).get(),
               Values<float>{6, -0.0f, std::numeric_limits<float>::infinity()});
    CHECK(ldexp(x(slice(1)), counted<std::int32_t>({4})).get() == Values<float>{3, 6, 12, 24});
    CHECK(ldexp(x, x > 2).get()[0] == 6);
    CHECK(ldexp(2 * x, n + 1).get()[0] == 48);
    CHECK_THROWS_MENTIONING(ArgumentError, ldexp(x, UINT64_MAX).eval(), "18446744073709551615");
}

TEST_CASE("Bessel functions of arrays take their order first") {
    Values<double> xs;
    for (double v = 1e-3; v < 500; v *= 1.7) xs.push_back(v);
    const auto x = to_gpu(xs);
    const auto y = x.astype<float>();
    for (const int n : {0, 1, 2, 7, -3}) {
        INFO("order ", n);
        check_near(
            bessel_jn(n, x).get(), xs, [&](double v) { return ::jn(n, v); }, 1e-12);
        check_near(
            bessel_yn(n, x).get(), xs, [&](double v) { return ::yn(n, v); }, 1e-12);
        // Of a float, exactly, and rounded once.
        const auto found = bessel_jn(n, y).get();
        for (std::size_t i = 0; i < xs.size(); ++i)
            CHECK(std::abs(found[i] - ::jn(n, static_cast<float>(xs[i]))) <= 6e-8 * std::abs(found[i]) + 1e-12);
    }
    const auto orders = counted<std::int64_t>({4});
    const auto of_one = bessel_jn(orders, 1.0).get();
    for (int n = 0; n < 4; ++n) CHECK(of_one[n] == doctest::Approx(::jn(n, 1)).epsilon(1e-13));
    CHECK(bessel_jn(orders(slice(), newaxis), x(newaxis, slice())).eval().shape() == Shape{4, xs.size()});
    CHECK(std::isnan(bessel_jn(INT64_MAX, x).get()[0]));
    CHECK(std::isnan(bessel_yn(0, -x).get()[0]));
    CHECK(bessel_jn(0, to_gpu(Values<std::int32_t>{0})).item() == 1);
}

TEST_CASE_TEMPLATE("Bessel and Hankel functions of complex arrays", C, cfloat, cdouble) {
    // Of mpmath: orders 2, 2, 0, 1 at 1.5 - 2i.
    const double tolerance = std::is_same_v<C, cfloat> ? 1e-6 : 1e-14;
    const auto z = to_gpu(Values<C>{C(1.5f, -2)});
    const auto is_near = [&](const auto& found, std::complex<double> expected) {
        const std::complex<double> value(found.item());
        CHECK_MESSAGE(std::abs(value - expected) <= tolerance * std::abs(expected), value.real(), " + ", value.imag(),
                      "i instead of ", expected.real(), " + ", expected.imag(), "i");
    };
    static_assert(std::is_same_v<typename decltype(bessel_jn(2, z))::value_type, C>);
    is_near(bessel_jn(2, z).eval(), {0.18009934378572837, -0.9089822128641373});
    is_near(bessel_yn(2, z).eval(), {-0.9739296317302161, -0.27906400044709834});
    const auto [first, second] = hankel_01(z);
    is_near(first.eval(), {1.6321840500721019, 3.5129562484371717});
    is_near(second.eval(), {3.198554949571515, -0.8688140914228147});
    CHECK(GPUArray<C>(expression("hankel_0(z) + bessel_jn(2, z)", {{"z", z}}).eval()).item() ==
          (first + bessel_jn(2, z)).item());
    CHECK(std::isnan(bessel_jn(std::int64_t{1} << 40, z).item().real()));
}

TEST_CASE("round is NumPy's and so to even") {
    const auto x = to_gpu(Values<double>{0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999999999994, 4503599627370497});
    check_same(round(x).get(), Values<double>{0, 2, 2, -0.0, -2, 0, 4503599627370497});
    CHECK(round(to_gpu(Values<std::int8_t>{-3, 4})).get() == Values<std::int8_t>{-3, 4});
}

TEST_CASE("these functions in texts and of types known at run time") {
    const auto x = to_gpu(Values<float>{1, 2.5f, -3});
    const auto n = to_gpu(Values<std::int32_t>{4, 5, 6});
    const auto parsed = [&](const std::string& text) {
        return expression(text, {{"x", x}, {"n", n}, {"u", to_gpu(Values<std::uint64_t>{1})}});
    };
    CHECK(parsed("ldexp(x, n)").get<float>() == Values<float>{16, 80, -192});
    CHECK(parsed("ldexp(frexp_mantissa(x), frexp_exponent(x) + 1)").get<float>() == Values<float>{2, 5, -6});
    CHECK(parsed("modf_whole(x) + 10 * modf_fraction(x)").get<float>() == Values<float>{1, 7, -3});
    CHECK(parsed("ilogb(n)").get<std::int32_t>() == Values<std::int32_t>{2, 2, 2});
    CHECK(parsed("round(x)").get<float>() == Values<float>{1, 2, -3});
    CHECK(parsed("bessel_jn(1, x)").get<float>()[1] == doctest::Approx(::jn(1, 2.5)).epsilon(1e-6));
    CHECK(parsed("exp10(x) + logb(x)").get<float>()[0] == 10);
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("ldexp(x, x)"), "ldexp", "operand 2", "integers", "column 1");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("ldexp(x, 2.5)"), "operand 2", "integers");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("bessel_yn(u, x)"), "operand 1", "uint64_t");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("frexp(x)"), "frexp_mantissa", "frexp_exponent");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("modf(x)"), "modf_fraction", "modf_whole");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("hankel_01(x)"), "hankel_0", "hankel_1");
    CHECK_THROWS_MENTIONING(ArgumentError, parsed("hankel_0(x)"), "hankel_0", "float");
    const AnyArray c = to_gpu(Values<cfloat>{1});
    CHECK_THROWS_MENTIONING(ArgumentError, frexp(c), "frexp_mantissa", "cfloat");
    CHECK_THROWS_MENTIONING(ArgumentError, ilogb(c), "ilogb", "cfloat");
    CHECK_THROWS_MENTIONING(ArgumentError, ldexp(c, 1), "ldexp", "cfloat");
    CHECK_THROWS_MENTIONING(ArgumentError, bessel_jn(c, 1.0), "operand 1");
    // Split, where an expression is too large for one kernel.
    AnyExpr total = ldexp(AnyArray(x), n);
    for (int k = 0; k < 60; ++k) total = total + ldexp(AnyArray(full<float>({3}, 1)), 1);
    CHECK(total.get<float>() == Values<float>{136, 200, -72});
}

TEST_CASE_TEMPLATE("what takes no complex numbers and no real exponents does not exist for them", T, float, double) {
    using F = GPUArray<T>;
    using C = GPUArray<std::complex<T>>;
    using U = GPUArray<std::uint64_t>;
    CHECK(requires(F f) { ldexp(f, 1); });
    CHECK_FALSE(requires(F f) { ldexp(f, 1.5); });
    CHECK_FALSE(requires(F f) { ldexp(f, f); });
    CHECK_FALSE(requires(F f, U n) { ldexp(f, n); });
    CHECK_FALSE(requires(C c) { ldexp(c, 1); });
    CHECK(requires(C c) { bessel_jn(0, c); });
    CHECK_FALSE(requires(C c) { bessel_jn(c, c); });
    CHECK(requires(C c) { hankel_01(c); });
    CHECK_FALSE(requires(F f) { hankel_01(f); });
    CHECK_FALSE(requires(F f) { bessel_jn(f, f); });
    CHECK_FALSE(requires(C c) { frexp(c); });
    CHECK_FALSE(requires(C c) { modf(c); });
    CHECK_FALSE(requires(C c) { ilogb(c); });
    CHECK_FALSE(requires(C c) { atan2pi(c, c); });
}

TEST_CASE("these functions compile for CUDA") {
    if (!Nvrtc::instance()) {
        MESSAGE("there is no NVRTC");
        return;
    }
    const auto check = [](const auto& x, const auto& n) {
        const auto e = exp10(x) + tanpi(x) + asinpi(x) + acospi(x) + atanpi(x) + atan2pi(x, n) + logb(x) +
                       ilogb(x) * ldexp(x, n) + bessel_jn(n, x) * bessel_yn(1, x) + round(x) +
                       frexp(x).first * modf(x).first + frexp(x).second + modf(x).second;
        const std::string kernel = source(e, Dialect::cuda());
        const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), kernel) + kernel, "sm_80");
        CHECK_MESSAGE(result.succeeded, x.dtype().name(), "\n", result.log, "\n", kernel);
    };
    const auto f = to_gpu(Values<float>{1});
    const auto n = f.astype<std::int32_t>();
    check(f, n);
    check(f.astype<double>(), f.astype<std::int64_t>());
    check(f.astype<half>(), f.astype<std::uint8_t>());
    check(f.astype<bfloat16>(), f.astype<bool>());
    check(n, n);
    check(f.astype<bool>(), n);
}

TEST_SUITE_END();
