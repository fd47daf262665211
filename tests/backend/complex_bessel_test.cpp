/// Bessel and Hankel functions of complex numbers in kernels: against values from elsewhere, against each other, and
/// against the real ones.
#include "accuracy.hpp"

#include "../elementary_functions.hpp"

#include <gemel/core/core.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <complex>

using namespace gemel;
using namespace gemel::testing;

namespace {

using Numbers64 = std::vector<cdouble>;

struct Point {
    int order;
    cdouble z, j, y, h0, h1;
};
const std::vector<Point> points{
#include "complex_bessel_points.inc"
};

struct Results {
    Numbers64 j, y, h0, h1;
};

Results results(const std::vector<int>& n, const Numbers64& z) {
    Results all{Numbers64(z.size()), Numbers64(z.size()), Numbers64(z.size()), Numbers64(z.size())};
    default_context()
        .compile(elementary::complex_bessel_program)
        .kernel("of_complex_bessel")({.grid = {(z.size() + 63) / 64}, .block = {64}}, In(z), In(n), InOut(all.j),
                                     InOut(all.y), InOut(all.h0), InOut(all.h1), static_cast<int>(z.size()));
    return all;
}

/// The largest error of some results, relative to the true value, or to `floor[i]` where that is larger.
struct Worst {
    double error = 0;
    std::size_t at = 0;
    void see(std::size_t i, cdouble found, cdouble expected, double floor = 0) {
        const double off = std::abs(found - expected) / std::max(std::abs(expected), floor);
        if (off <= error) return;
        error = off;
        at = i;
    }
};

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("complex Bessel and Hankel functions are those of the tables in the whole plane") {
    if (lacks_double()) return;
    std::vector<int> n;
    Numbers64 z;
    for (const Point& p : points) {
        n.push_back(p.order);
        z.push_back(p.z);
    }
    const Results found = results(n, z);
    Worst j, y, h0, h1;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Point& p = points[i];
        // Near the real axis J and Y oscillate about zero: measured as if they were as large as each other.
        const bool oscillates = p.order < std::abs(p.z);
        const double both = oscillates ? std::min(std::abs(p.j), std::abs(p.y)) : 0;
        j.see(i, found.j[i], p.j, both);
        y.see(i, found.y[i], p.y, both);
        h0.see(i, found.h0[i], p.h0);
        h1.see(i, found.h1[i], p.h1);
    }
    const auto check = [&](const char* name, const Worst& worst) {
        CHECK_MESSAGE(worst.error < 2e-13, name, " is off by ", worst.error, " of order ", n[worst.at], " at ",
                      z[worst.at].real(), " + ", z[worst.at].imag(), "i");
    };
    check("c_bessel_jn", j);
    check("c_bessel_yn", y);
    check("c_hankel_01, order 0", h0);
    check("c_hankel_01, order 1", h1);
}

TEST_CASE("neighbouring complex Bessel functions keep to their Wronskian") {
    if (lacks_double()) return;
    Numbers<double> numbers(3);
    std::vector<int> n, next;
    Numbers64 z;
    while (z.size() < 4096) {
        const double r = std::pow(10.0, numbers.between(-3, 3)), angle = numbers.between(-3.1415926, 3.1415926);
        const cdouble value = std::polar(r, angle);
        if (std::abs(value.imag()) > 300) continue;  // products of two would overflow
        z.push_back(value);
        n.push_back(static_cast<int>(numbers.whole(0, 29)));
        next.push_back(n.back() + 1);
    }
    const Results low = results(n, z), high = results(next, z);
    Worst wronskian, sum;
    for (std::size_t i = 0; i < z.size(); ++i) {
        const cdouble a = high.j[i] * low.y[i], b = low.j[i] * high.y[i];
        if (!std::isfinite(std::abs(a)) || !std::isfinite(std::abs(b))) continue;
        wronskian.see(i, a - b, 2.0 / (3.14159265358979323846 * z[i]), std::max(std::abs(a), std::abs(b)));
        if (n[i] != 0) continue;
        const cdouble expected = low.j[i] + cdouble(0, 1) * low.y[i];
        sum.see(i, low.h0[i], expected, std::max(std::abs(low.j[i]), std::abs(low.y[i])));
    }
    CHECK_MESSAGE(wronskian.error < 1e-12, "off by ", wronskian.error, " of order ", n[wronskian.at], " at ",
                  z[wronskian.at].real(), " + ", z[wronskian.at].imag(), "i");
    CHECK(sum.error < 1e-13);
}

TEST_CASE("on the real axis complex Bessel functions are the real ones, of negative orders and at edges too") {
    if (lacks_double()) return;
    Numbers<double> numbers(4);
    std::vector<double> x, j(4096), y(4096);
    std::vector<int> n;
    Numbers64 z;
    while (x.size() < j.size()) {
        x.push_back(std::pow(10.0, numbers.between(-5, 5)));
        n.push_back(static_cast<int>(numbers.whole(-29, 29)));
        z.push_back({x.back(), 0});
    }
    default_context()
        .compile(elementary::bessel_program)
        .kernel("of_bessel")({.grid = {x.size() / 64}, .block = {64}}, In(x), In(n), InOut(j), InOut(y));
    const Results found = results(n, z);
    for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK_MESSAGE(std::abs(found.j[i] - j[i]) <= 1e-13 * std::max(std::abs(j[i]), 1.0), n[i], " at ", x[i]);
        if (std::isfinite(y[i]))
            CHECK_MESSAGE(std::abs(found.y[i] - y[i]) <= 1e-13 * std::max(std::abs(y[i]), 1.0), n[i], " at ", x[i]);
    }
    // Far below the orders J is as small as it is.
    const Results tiny = results({30, 50, 100}, {{1e-6, 0}, {0, 9e-5}, {1e-6, 0}});
    CHECK(std::abs(tiny.j[0].real() / 3.5110745847373038e-222 - 1) < 1e-12);
    CHECK(std::abs(tiny.j[1].real() / -1.5050496126746789e-282 - 1) < 1e-12);
    CHECK(tiny.j[2] == 0.0);
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    const Results edges = results({0, 3, 0, 0}, {{0, 0}, {0, 0}, {nan, 1}, {0, infinity}});
    CHECK(edges.j[0] == 1.0);
    CHECK(edges.j[1] == 0.0);
    CHECK(edges.y[0].real() == -infinity);
    CHECK(std::isnan(edges.j[2].real()));
    CHECK(std::isnan(edges.h0[3].real()));
}

TEST_SUITE_END();
