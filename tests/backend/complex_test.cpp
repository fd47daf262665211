/// Complex numbers of the kernel language, run on the device and compared with the host.
#include "../kernel_language_programs.hpp"

#include <gemel/core/core.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

using namespace gemel;

TEST_SUITE_BEGIN("core");

namespace {

/// Long enough that its own rounding does not show.
template <class R>
using Wide = std::conditional_t<std::is_same_v<R, float>, double, long double>;

/// |got - expected| in epsilons of |expected|, or of `floor` where that is more.
template <class R>
double error(std::complex<R> got, std::complex<Wide<R>> expected, double floor = 0) {
    const std::complex<Wide<R>> difference = std::complex<Wide<R>>(got) - expected;
    const auto size = std::max<Wide<R>>(std::abs(expected), floor);
    if (size == 0) return std::abs(difference) == 0 ? 0 : INFINITY;
    return static_cast<double>(std::abs(difference) / size / std::numeric_limits<R>::epsilon());
}

template <class R>
Kernel complex_kernel(const std::string& name) {
    const std::string text = kernel_language::complex(std::is_same_v<R, float> ? "float" : "double");
    return default_context().compile(text).kernel(name);
}

template <class R>
void check_functions_of_one() {
    using C = std::complex<R>;
    using W = std::complex<Wide<R>>;
    const R largest = std::numeric_limits<R>::max(), smallest = std::numeric_limits<R>::min();
    // Beyond where exp overflows although the result does not.
    const R near_overflow = std::log(largest) + R(0.5);
    std::vector<C> z{{R(0.3), R(0.7)},
                     {R(-1.2), R(2.5)},
                     {R(1e-3), -4},
                     {20, 1},
                     {-20, -1},
                     {R(0.6), R(-0.8)},
                     {R(1e-8), R(1e-8)},
                     {3, 0},
                     {0, -2},
                     {-4, 0},
                     {50, -30},
                     {-50, R(0.1)},
                     {R(0.99), R(0.01)},
                     {R(1e-3), R(1)},
                     {R(-0.5), R(-0.5)},
                     {1, 1},
                     {0, R(1.5)},
                     {2, R(1e-10)}};
    const std::size_t ordinary = z.size();
    for (const C edge :
         {C(largest / 2, largest / 2), C(largest, -largest), C(-largest * R(0.9), 1), C(smallest, smallest),
          C(0, 4 * smallest), C(near_overflow, R(1.4)), C(-near_overflow, R(-1.4)), C(R(1.4), near_overflow)})
        z.push_back(edge);
    std::vector<C> out(18 * z.size());
    complex_kernel<R>("of_one")({.grid = {z.size()}, .block = {1}}, In(z), InOut(out));

    // OpenCL allows 3 to 5 ulp for exp, log, sin, cos, tan, sinh, cosh and the compositions add up.
    const double tolerance = 24;
    for (std::size_t i = 0; i < z.size(); ++i) {
        const W w(z[i]);
        const C* const o = &out[18 * i];
        CAPTURE(static_cast<double>(z[i].real()));
        CAPTURE(static_cast<double>(z[i].imag()));
        CHECK((o[0] == -z[i] && o[1] == std::conj(z[i]) && o[2] == z[i]));
        if (std::abs(w) <= largest)
            CHECK(error<R>(o[3], W(std::abs(w), std::arg(w)), static_cast<double>(std::abs(w))) < tolerance);
        CHECK(error<R>(o[5], std::log(w), 1) < tolerance);
        CHECK(error<R>(o[6], std::sqrt(w)) < tolerance);
        const auto fits = [&](const W& value) {
            return std::abs(value.real()) <= largest && std::abs(value.imag()) <= largest;
        };
        const bool is_large = std::abs(w) > 1e6;  // sine and cosine of such arguments have no digits left to compare
        if (!is_large) {
            const W expected[] = {std::exp(w),  std::sin(w),  std::cos(w), std::tan(w),
                                  std::sinh(w), std::cosh(w), std::tanh(w)};
            const int place[] = {4, 7, 8, 9, 10, 11, 12};
            for (int k = 0; k < 7; ++k) {
                CAPTURE(place[k]);
                // Near the overflow the argument's own rounding is multiplied by its size.
                const double allowed = i < ordinary ? tolerance : tolerance + 2 * static_cast<double>(std::abs(w));
                if (fits(expected[k])) CHECK(error<R>(o[place[k]], expected[k], smallest) < allowed);
            }
        }
        if (i < ordinary) {
            CHECK(o[13] == z[i] * R(2));
            CHECK(o[14] == z[i] * R(2));
            CHECK(o[15] == z[i] / R(2));
            CHECK(error<R>(o[16], W(2) / w) < 8);
            CHECK(error<R>(o[17], w + W(2) - w, static_cast<double>(std::abs(w))) < 8);
        }
    }
}

template <class R>
void check_functions_of_two() {
    using C = std::complex<R>;
    using W = std::complex<Wide<R>>;
    const R largest = std::numeric_limits<R>::max(), smallest = std::numeric_limits<R>::min();
    std::vector<C> a, b;
    std::mt19937 random(3);
    std::uniform_real_distribution<R> parts(-3, 3);
    for (int i = 0; i < 200; ++i) {
        a.emplace_back(parts(random), parts(random));
        b.emplace_back(parts(random), parts(random));
    }
    const std::size_t ordinary = a.size();
    const std::vector<std::pair<C, C>> edges{{{largest, largest}, {largest, largest}},
                                             {{largest, 1}, {1, 0}},
                                             {{smallest, smallest}, {smallest, -smallest}},
                                             {{1, 1}, {largest / 4, 1}},
                                             {{1, 1}, {1, largest / 4}},
                                             {{largest / 2, smallest}, {2, smallest}},
                                             {{smallest, 1}, {smallest, smallest * 2}},
                                             {{largest, -largest}, {2, 2}},
                                             {{0, 0}, {1, 1}},
                                             {{smallest * 4, 0}, {0, 2}}};
    for (const auto& [x, y] : edges) {
        a.push_back(x);
        b.push_back(y);
    }
    const std::size_t special = a.size();
    const R inf = std::numeric_limits<R>::infinity();
    for (const auto& [x, y] : std::vector<std::pair<C, C>>{{{1, 0}, {0, 0}},
                                                           {{-2, 3}, {0, 0}},
                                                           {{inf, 1}, {1, 1}},
                                                           {{1, 1}, {inf, 1}},
                                                           {{1, 1}, {-inf, inf}},
                                                           {{0, 0}, {0, 0}},
                                                           {{0, 1}, {2, 0}},
                                                           {{0, 0}, {2, 0}},
                                                           {{3, 4}, {0, 0}},
                                                           {{2, 0}, {-2, 0}}}) {
        a.push_back(x);
        b.push_back(y);
    }
    std::vector<C> out(6 * a.size());
    complex_kernel<R>("of_two")({.grid = {a.size()}, .block = {1}}, In(a), In(b), InOut(out));
    for (std::size_t i = 0; i < special; ++i) {
        const W z(a[i]), w(b[i]);
        const C* const o = &out[6 * i];
        CAPTURE(i);
        if (i < ordinary) {
            CHECK(error<R>(o[0], z + w, static_cast<double>(std::abs(z))) < 2);
            CHECK(error<R>(o[1], z - w, static_cast<double>(std::abs(z))) < 2);
            CHECK(error<R>(o[2], z * w) < 4);
            // The exponential multiplies the error of its argument by the argument's size.
            const double size = static_cast<double>(std::abs(w * std::log(z)));
            CHECK(error<R>(o[4], std::pow(z, w)) < 24 + 8 * size);
            CHECK(error<R>(o[5], std::pow(z, W(w.real()))) < 24 + 8 * size);
        }
        CHECK(error<R>(o[3], z / w) < 8);
    }
    const auto quotient = [&](std::size_t k) { return out[6 * (special + k) + 3]; };
    const auto power = [&](std::size_t k) { return out[6 * (special + k) + 4]; };
    CHECK(quotient(0).real() == inf);
    CHECK((quotient(1).real() == -inf && quotient(1).imag() == inf));
    CHECK((std::isinf(quotient(2).real()) || std::isinf(quotient(2).imag())));
    CHECK(quotient(3) == C(0, 0));
    CHECK(quotient(4) == C(0, 0));
    CHECK(std::isnan(quotient(5).real()));
    CHECK(power(6) == C(-1, 0));
    CHECK(power(7) == C(0, 0));
    CHECK(power(8) == C(1, 0));
    CHECK(power(9) == C(R(0.25), 0));
}

}  // namespace

TEST_CASE("complex functions of single precision agree with the host also at the edges") {
    check_functions_of_one<float>();
    check_functions_of_two<float>();
}

TEST_CASE("complex functions of double precision agree with the host also at the edges") {
    if (!default_context().device().info().has_double) {
        MESSAGE("not run: the device has no double precision");
        return;
    }
    check_functions_of_one<double>();
    check_functions_of_two<double>();
}

TEST_SUITE_END();
