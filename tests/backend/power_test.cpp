/// Powers by numbers of the host: 0, 1, 2, 3, 4, -1, -2, 0.5 and -0.5 are spelled without pow(), and give what pow()
/// gives.
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
const double inf = std::numeric_limits<double>::infinity(), nan_ = std::numeric_limits<double>::quiet_NaN();
const Values<double> cheap{0, 1, 2, 3, 4, -1, -2, 0.5, -0.5}, general{5, -3, 1.5, -1.5, 0.25};

template <class T>
double number_of(T value) {
    if constexpr (std::is_arithmetic_v<T>) {
        return static_cast<double>(value);
    } else {
        return static_cast<double>(static_cast<float>(value));
    }
}

/// Its significant bits, its least and its greatest normal value.
struct Format {
    int digits;
    double least, most;
};
template <class T>
constexpr Format format_of{};
template <>
constexpr Format format_of<double>{53, std::numeric_limits<double>::min(), std::numeric_limits<double>::max()};
template <>
constexpr Format format_of<float>{24, std::numeric_limits<float>::min(), std::numeric_limits<float>::max()};
template <>
constexpr Format format_of<half>{11, 0x1p-14, 65504};
template <>
constexpr Format format_of<bfloat16>{8, std::numeric_limits<float>::min(), 0x1.fep127};

/// Six units in the last place, which is what the divisions and roots that OpenCL allows add up to. Results at the ends
/// of the range may be rounded to either side of them.
template <class T>
void check_value(double found, double expected) {
    constexpr Format format = format_of<T>;
    if (std::isnan(expected)) {
        CHECK(std::isnan(found));
        return;
    }
    CHECK(std::signbit(found) == std::signbit(expected));
    const double unit = std::ldexp(1.0, -format.digits), magnitude = std::abs(expected);
    if (std::isinf(expected) || magnitude > format.most * (1 + unit)) {
        CHECK(found == std::copysign(inf, expected));
    } else if (magnitude < format.least * (1 + 12 * unit)) {
        CHECK(std::abs(found - expected) <= format.least);  // subnormal, or zero where a device has no such numbers
        if (magnitude < format.least * unit / 4) CHECK(std::abs(found) <= format.least * 2 * unit);
    } else if (magnitude < format.most * (1 - 12 * unit) || std::isfinite(found)) {
        CHECK(std::abs(found - expected) <= 12 * unit * magnitude);
    }
}

template <class T>
Values<T> bases() {
    Values<T> values;
    for (const double v :
         {0.0, 1.0, 2.0, 2.5, 0.3, 100.0, 1e-3, 1e19, 1e-19, 1e20, 1e-20, 1e37, 1e-37, 1e200, 1e-200, inf, nan_})
        for (const double sign : {1.0, -1.0}) {
            const double value = sign * v;
            if (!std::isnan(v) && !std::isinf(v) && v != 0 && (v > format_of<T>.most || v < format_of<T>.least))
                continue;
            if constexpr (std::is_arithmetic_v<T>) {
                values.push_back(static_cast<T>(value));
            } else {
                values.push_back(T(static_cast<float>(value)));
            }
        }
    return values;
}

template <class T, class R>
void check_all(const Values<T>& x, const R& powers, double exponent) {
    const auto found = powers.get();
    REQUIRE(found.size() == x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
        CAPTURE(number_of(x[k]));
        CAPTURE(exponent);
        check_value<T>(number_of(found[k]), std::pow(number_of(x[k]), exponent));
    }
}

/// No call of the compiler's pow() in the kernel of the expression.
template <class E>
bool calls_pow(const E& expression) {
    const std::string text = source(expression.view(), default_context().dialect());
    for (std::size_t at = 0; (at = text.find("pow(", at)) != std::string::npos; ++at)
        if (at == 0 || !(std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_')) return true;
    return false;
}

}  // namespace

TEST_CASE_TEMPLATE("powers of real numbers by cheap exponents are pow()'s", T, float, double, half, bfloat16) {
    if (std::is_same_v<T, double> && !default_context().device().info().has_double) return;
    const Values<T> host = bases<T>();
    const auto x = to_gpu(host);
    for (const Values<double>& exponents : {cheap, general})
        for (const double c : exponents) {
            check_all<T>(host, pow(x, c), c);
            check_all<T>(host, pow(x, static_cast<float>(c)), c);
            if (c == std::rint(c)) check_all<T>(host, pow(x, static_cast<int>(c)), c);
            const GPUArray<T> untyped(expression("x ** c", {{"x", x}, {"c", c}}).eval());
            check_all<T>(host, untyped, c);
            check_all<T>(host, GPUArray<T>(pow(AnyArray(x), c).eval()), c);
        }
    static_assert(std::is_same_v<typename decltype(pow(x, 2))::value_type, T>);
}

TEST_CASE("signed zeros and infinities to the halves are pow()'s, not the square root's") {
    const auto x = to_gpu(Values<float>{-0.0f, 0.0f, -INFINITY, INFINITY, -1});
    const auto root = pow(x, 0.5).get(), inverse = pow(x, -0.5).get();
    CHECK(!std::signbit(root[0]));
    CHECK(root[2] == INFINITY);
    CHECK(std::isnan(root[4]));
    CHECK(inverse[0] == INFINITY);
    CHECK(inverse[1] == INFINITY);
    CHECK((inverse[2] == 0 && !std::signbit(inverse[2])));
    CHECK(std::isnan(inverse[4]));
    CHECK(std::isnan(sqrt(x).get()[2]));
}

TEST_CASE_TEMPLATE("powers of integers by cheap exponents are those by arrays of them", T, std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
    Values<T> host;
    for (int k = -128; k < 128; ++k) host.push_back(static_cast<T>(k));
    for (const T end : {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()})
        for (const T k : {T(0), T(1), T(7)})
            host.push_back(end == 0 || end < 0 ? static_cast<T>(end + k) : static_cast<T>(end - k));
    host.push_back(static_cast<T>(0x123456789abcdefu));
    const auto x = to_gpu(host);
    for (const int c : {0, 1, 2, 3, 4, 5, -1, -2, -3}) {
        if (c < 0 && std::is_unsigned_v<T>) {
            CHECK_THROWS_AS(pow(x, c).eval(), ArgumentError);
            continue;
        }
        CAPTURE(c);
        const auto expected = pow(x, full<T>({static_cast<std::int64_t>(host.size())}, static_cast<T>(c))).get();
        CHECK(pow(x, c).get() == expected);
        CHECK(GPUArray<T>(expression("pow(x, c)", {{"x", x}, {"c", c}}).eval()).get() == expected);
        static_assert(std::is_same_v<typename decltype(pow(x, c))::value_type, T>);
    }
}

TEST_CASE("integers to fractions are found in floating point") {
    const auto x = to_gpu(Values<std::int32_t>{0, 1, 4, 9});
    static_assert(std::is_same_v<decltype(pow(x, 0.5))::value_type, double>);
    CHECK(pow(x, 0.5).get() == Values<double>{0, 1, 2, 3});
    CHECK(pow(x, 2.0).get() == Values<double>{0, 1, 16, 81});
    CHECK(pow(x, -2.0).get()[0] == inf);
    const auto truth = to_gpu(Values<bool>{false, true});
    CHECK(pow(truth, 0).get() == Values<std::int64_t>{1, 1});
    CHECK(pow(truth, 2).get() == Values<std::int64_t>{0, 1});
}

TEST_CASE("one kernel serves all general exponents, a cheap one has a kernel of its own") {
    const auto x = to_gpu(Values<float>{1, 2, 4});
    for (const double c : cheap) CHECK(!calls_pow(pow(x, c)));
    for (const double c : general) CHECK(calls_pow(pow(x, c)));
    CHECK(!calls_pow(expression("x ** 2 + pow(x, -0.5)", {{"x", x}})));
    CHECK(calls_pow(pow(x, pow(x, 2))));
    CHECK(calls_pow(pow(2, x)));
    CHECK(calls_pow(expression("x ** 2 + x ** 2.5", {{"x", x}})));
    // The same kind of expression, one number after the other.
    const auto at = [&](double a, double b) { return sum(pow(x, a) + 10 * pow(x, b)).item(); };
    CHECK(at(2, 1) == 91);
    CHECK(at(1, 2) == 217);
    CHECK(at(2.5, 1) == doctest::Approx(1 + std::pow(2, 2.5) + 32 + 70));
    CHECK(at(2, 3) == 21 + 730);
    CHECK(at(2, 1) == 91);
    const Context context = default_context();
    pow(x, 5.5).eval();
    pow(x, 2).eval();
    const Statistics before = context.statistics();
    CHECK(pow(x, 6.5).eval().get()[1] == doctest::Approx(std::pow(2, 6.5)));
    CHECK(pow(x, 2).eval().get()[2] == 16);
    CHECK(context.statistics().compilations == before.compilations);
}

TEST_CASE("powers of complex numbers stay what they were") {
    const auto z = to_gpu(Values<cfloat>{{0, 1}, {1, 2}});
    CHECK(pow(z, 2).get() == Values<cfloat>{{-1, 0}, {-3, 4}});
    const auto x = to_gpu(Values<float>{2, 3});
    CHECK(pow(x, cfloat(2, 0)).get() == Values<cfloat>{{4, 0}, {9, 0}});
}
