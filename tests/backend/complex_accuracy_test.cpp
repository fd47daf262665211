/// Complex functions of the kernel language: errors against 113 bits over all magnitudes, and zeros, infinities and
/// NaNs against what C99's annex G asks for.
#include "accuracy.hpp"

#include "../elementary_functions.hpp"
#include "../left_out.hpp"

#include <gemel/core/core.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <iomanip>
#include <sstream>

using namespace gemel;
using namespace gemel::testing;
using elementary::ComplexKind;

namespace {

template <class R>
using Pairs = std::vector<std::complex<R>>;

/// Which numbers a function is tried on, besides ordinary ones.
enum class Range {
    all,        ///< every magnitude
    moderate,   ///< where sine and exponential have results
    exponents,  ///< (base, exponent): results from the smallest to the largest
};

struct Case {
    const char* kernel;
    double bound;  ///< in epsilons of the result's magnitude
    quad::Complex (*reference)(quad::Complex x, quad::Complex y);
    Range range;
};

#define GEMEL_OF(expression) \
    [](quad::Complex x, [[maybe_unused]] quad::Complex y) -> quad::Complex { \
        using namespace quad; \
        using quad::log; \
        return expression; \
    }

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        {"exp", 8, GEMEL_OF(exp(x)), Range::moderate},
        {"log", 8, GEMEL_OF(log(x)), Range::all},
        {"log10", 8, GEMEL_OF(mul(log(x), Complex{1 / log(Quad(10)), 0})), Range::all},
        {"sqrt", 8, GEMEL_OF(sqrt(x)), Range::all},
        {"sin", 8, GEMEL_OF(sin(x)), Range::moderate},
        {"cos", 8, GEMEL_OF(cos(x)), Range::moderate},
        {"tan", 16, GEMEL_OF(tan(x)), Range::moderate},
        {"sinh", 8, GEMEL_OF(sinh(x)), Range::moderate},
        {"cosh", 8, GEMEL_OF(cosh(x)), Range::moderate},
        {"tanh", 16, GEMEL_OF(tanh(x)), Range::moderate},
        {"abs", 4, GEMEL_OF((Complex{abs(x), 0})), Range::all},
        {"arg", 6, GEMEL_OF((Complex{atan2(x.im, x.re), 0})), Range::all},
        {"norm", 2, GEMEL_OF((Complex{x.re * x.re + x.im * x.im, 0})), Range::all},
        {"polar", 4, GEMEL_OF((Complex{x.re * cos(x.im), x.re * sin(x.im)})), Range::moderate},
        {"mul", 4, GEMEL_OF(mul(x, y)), Range::all},
        {"div", 8, GEMEL_OF(div(x, y)), Range::all},
        {"div_cr", 8, GEMEL_OF((Complex{x.re / y.re, x.im / y.re})), Range::all},
        {"div_rc", 8, GEMEL_OF(div(Complex{x.re, 0}, y)), Range::all},
        {"pow", 8, GEMEL_OF(pow(x, y)), Range::exponents},
        {"pow_cr", 8, GEMEL_OF(pow(x, Complex{y.re, 0})), Range::exponents},
        {"pow_rc", 8, GEMEL_OF(pow(Complex{x.re, 0}, y)), Range::exponents},
    };
    return all;
}

template <class R>
struct Inputs {
    Pairs<R> x, y;

    explicit Inputs(Range range) {
        Numbers<R> numbers(5);
        const double largest = std::log(static_cast<double>(std::numeric_limits<R>::max()));
        const std::size_t count = is_check() ? 1 << 12 : 1 << 14;
        while (x.size() < count) {
            const R a = numbers.between(-4, 4), b = numbers.between(-4, 4);
            const auto part = [&] { return numbers.between(-4, 4); };
            switch (x.size() % 4) {
                case 0: add({a, b}, {part(), part()}); break;
                case 1:
                    if (range == Range::all) add({numbers.any(), numbers.any()}, {numbers.any(), numbers.any()});
                    if (range == Range::moderate)
                        add({numbers.between(-largest, largest), numbers.of_exponent(-20, 20)});
                    if (range == Range::exponents) add({a, b}, {R(numbers.whole(-70, 70)), 0});
                    break;
                case 2:
                    if (range == Range::all) {
                        const R c = numbers.any(), d = numbers.any();
                        add({c, numbers.beside(c)}, {d, numbers.beside(-d)});
                    }
                    if (range == Range::moderate)
                        add({numbers.of_exponent(-60, 60), numbers.between(-largest, largest)});
                    if (range == Range::exponents) {
                        const R c = numbers.of_exponent(-largest / 2, largest / 2);
                        add({c, c * numbers.between(-2, 2)}, {numbers.between(-2, 2), part()});
                    }
                    break;
                default: {
                    const double angle = numbers.between(0, 7);  // on the unit circle, where the logarithm is small
                    add({R(std::cos(angle)), R(std::sin(angle))}, {part() * 20, part()});
                }
            }
        }
    }

   private:
    void add(std::complex<R> first, std::complex<R> second = {}) {
        x.push_back(first);
        y.push_back(second);
    }
};

template <class R>
Pairs<R> results(const std::string& kernel, const Pairs<R>& x, const Pairs<R>& y) {
    static const Module& module = *new Module(default_context().compile(elementary::complex_program(name_of<R>)));
    Pairs<R> out(x.size());
    module.kernel("of_" + kernel)({.grid = {x.size() / 32}, .block = {32}}, In(x), In(y), InOut(out));
    return out;
}

template <class R>
std::string written(std::complex<R> z) {
    std::ostringstream out;
    out << std::setprecision(std::numeric_limits<R>::max_digits10) << z.real() << (std::signbit(z.imag()) ? "" : "+")
        << z.imag() << "i";
    return out.str();
}

/// |got - exact| in epsilons of |exact|; results below the smallest normal number are measured as if they were that
/// large. Where a part is too large for the type it is enough that a part is infinite.
template <class R>
double error(std::complex<R> got, quad::Complex exact) {
    using Limits = std::numeric_limits<R>;
    const Quad largest = static_cast<Quad>(Limits::max());
    const bool is_too_large = quad::fabs(exact.re) > largest || quad::fabs(exact.im) > largest;
    if (is_too_large && (std::isinf(got.real()) || std::isinf(got.imag()))) return 0;
    const Quad beyond = quad::ldexp(1, Limits::max_exponent), smallest = static_cast<Quad>(Limits::min());
    const auto bounded = [&](Quad x) { return x > beyond ? beyond : x < -beyond ? -beyond : x; };
    const quad::Complex difference{bounded(static_cast<Quad>(got.real())) - bounded(exact.re),
                                   bounded(static_cast<Quad>(got.imag())) - bounded(exact.im)};
    const Quad size = quad::fmax(quad::abs({bounded(exact.re), bounded(exact.im)}), smallest);
    const double result = static_cast<double>(quad::abs(difference) / size / static_cast<Quad>(Limits::epsilon()));
    return std::isnan(result) ? INFINITY : result;
}

template <class R>
void check_case(const Case& c) {
    const Inputs<R> in(c.range);
    const Pairs<R> got = results<R>(c.kernel, in.x, in.y);
    const Quad largest = static_cast<Quad>(std::numeric_limits<R>::max());
    std::vector<double> errors(got.size());
    in_parallel(got.size(), [&](std::size_t i) {
        const quad::Complex x{in.x[i].real(), in.x[i].imag()}, y{in.y[i].real(), in.y[i].imag()};
        const quad::Complex exact = c.reference(x, y);
        if (quad::is_nan(exact.re) || quad::is_nan(exact.im)) return;
        errors[i] = error<R>(got[i], exact);
        // The plain formula subtracts infinities where products of parts are too large.
        if (std::string_view(c.kernel) == "mul" && quad::abs(x) * quad::abs(y) > largest / 2) errors[i] = 0;
        if (c.range == Range::exponents) {
            // A power multiplies the error of the logarithm by the exponent, and any error of w * log(z) by its size.
            const quad::Complex w = std::string_view(c.kernel) == "pow_cr" ? quad::Complex{y.re, 0} : y;
            const quad::Complex z = std::string_view(c.kernel) == "pow_rc" ? quad::Complex{x.re, 0} : x;
            const Quad size = quad::abs(w) + quad::abs(quad::mul(w, quad::log(z)));
            errors[i] /= static_cast<double>(1 + size);
        }
    });
    const std::size_t worst = std::max_element(errors.begin(), errors.end()) - errors.begin();
    const std::string where = written(in.x[worst]) + ", " + written(in.y[worst]);
    note_accuracy("c_" + std::string(c.kernel), name_of<R>, "eps", c.bound, errors[worst], where);
    CHECK_MESSAGE(errors[worst] <= c.bound, std::string(c.kernel), " of ", std::string(name_of<R>), ": ", errors[worst],
                  " eps at ", where, ", got ", written(got[worst]));
}

/// Whether a device's result is what the C library gives by annex G. Signs of zeros and infinities are open there
/// beside a NaN and for some infinite arguments; those of a quotient that is zero depend on the algorithm.
template <class R>
bool agree(std::complex<R> got, std::complex<double> expected, bool signs_are_open) {
    signs_are_open = signs_are_open || std::isnan(expected.real()) || std::isnan(expected.imag());
    const auto same = [&](double a, double b) {
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
        if (b == 0 || std::isinf(b))
            return std::abs(a) == std::abs(b) && (signs_are_open || std::signbit(a) == std::signbit(b));
        return std::abs(a - b) <= 16 * std::numeric_limits<R>::epsilon() * std::abs(b);
    };
    return same(got.real(), expected.real()) && same(got.imag(), expected.imag());
}

/// All pairs of zeros, ones, infinities and NaN, and some more to fill the last block.
template <class R>
Pairs<R> special() {
    Pairs<R> z;
    const R infinity = std::numeric_limits<R>::infinity(), nan = std::numeric_limits<R>::quiet_NaN();
    for (const R a : {R(0), R(-0.0), R(1), R(-1), infinity, -infinity, nan})
        for (const R b : {R(0), R(-0.0), R(1), R(-1), infinity, -infinity, nan}) z.emplace_back(a, b);
    while (z.size() % 32 != 0) z.emplace_back(R(1), R(1));
    return z;
}

template <class R>
void check_special() {
    using Z = std::complex<double>;
    struct Function {
        std::string name;
        Z (*value)(const Z&);
    };
    const Function functions[] = {
        {"exp", [](const Z& w) { return std::exp(w); }},   {"log", [](const Z& w) { return std::log(w); }},
        {"sqrt", [](const Z& w) { return std::sqrt(w); }}, {"sin", [](const Z& w) { return std::sin(w); }},
        {"cos", [](const Z& w) { return std::cos(w); }},   {"tan", [](const Z& w) { return std::tan(w); }},
        {"sinh", [](const Z& w) { return std::sinh(w); }}, {"cosh", [](const Z& w) { return std::cosh(w); }},
        {"tanh", [](const Z& w) { return std::tanh(w); }}};
    const Pairs<R> z = special<R>();
    for (const Function& function : functions) {
        const Pairs<R> got = results<R>(function.name, z, z);
        for (std::size_t i = 0; i < z.size(); ++i) {
            const Z expected = function.value(Z(z[i]));
            CHECK_MESSAGE(agree(got[i], expected, !std::isfinite(z[i].real()) && !std::isfinite(z[i].imag())),
                          function.name, " of ", written(z[i]), " is ", written(got[i]), ", expected ",
                          written(expected));
        }
    }
}

template <class R>
void check_special_quotients() {
    Pairs<R> x, y;
    for (const auto& a : special<R>())
        for (const auto& b : special<R>()) {
            x.push_back(a);
            y.push_back(b);
        }
    const Pairs<R> got = results<R>("div", x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::complex<double> expected = std::complex<double>(x[i]) / std::complex<double>(y[i]);
        CHECK_MESSAGE(agree(got[i], expected, std::abs(expected) == 0), written(x[i]), " / ", written(y[i]), " is ",
                      written(got[i]), ", expected ", written(expected));
    }
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("complex functions of single precision keep to their bounds at all magnitudes") {
    for (const Case& c : cases()) check_case<float>(c);
}

TEST_CASE("complex functions of double precision keep to their bounds at all magnitudes") {
    if (lacks_double()) return;
    for (const Case& c : cases()) check_case<double>(c);
}

TEST_CASE("complex functions of zeros and infinities and NaNs give what annex G asks for") {
    check_special<float>();
    if (!lacks_double()) check_special<double>();
}

TEST_CASE("quotients of zeros and infinities and NaNs are those of the host") {
    check_special_quotients<float>();
    if (!lacks_double()) check_special_quotients<double>();
}

TEST_SUITE_END();
