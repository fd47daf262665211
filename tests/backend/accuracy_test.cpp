/// Every elementary function of the kernel language, on hard and on random numbers, compared with 113 bits.
#include "accuracy.hpp"

#include "../elementary_functions.hpp"
#include "../left_out.hpp"

#include <gemel/core/core.hpp>
#include <gemel/core/text.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <iomanip>
#include <sstream>

using namespace gemel;
using namespace gemel::testing;

namespace {

/// Where to look for errors. Half of the numbers have random bits; the rest come from these regions.
struct Region {
    enum Shape {
        uniform,   ///< between low and high
        exponent,  ///< either sign, magnitude from 2^low to 2^high
        limit,     ///< between low and high times the logarithm of the largest number
        half_pi,   ///< beside multiples of pi / 2 up to 2^high
        halves,    ///< beside multiples of 1/2 from low to high
        point,     ///< beside low
        whole,     ///< whole numbers from low to high
        bits,      ///< any number
        same,      ///< (second argument) beside the first one
    } shape;
    double low = 0, high = 0;
};

struct Regions {
    Region x, y = {Region::bits};
};

struct Case {
    const char* name;
    double bound_float, bound_double;  ///< in units of the last place
    Quad (*reference)(Quad x, Quad y);
    std::vector<Regions> regions;
    double floor = 0;       ///< errors of smaller results are measured as if they were that large
    bool any_zero = false;  ///< a zero may have either sign
};

template <class R>
R drawn(const Region& region, Numbers<R>& numbers, R first) {
    const double largest = std::log(static_cast<double>(std::numeric_limits<R>::max()));
    switch (region.shape) {
        case Region::uniform: return numbers.between(region.low, region.high);
        case Region::exponent: return numbers.of_exponent(region.low, region.high);
        case Region::limit: return numbers.between(region.low * largest, region.high * largest);
        case Region::half_pi: return numbers.beside(quad::rint(numbers.of_exponent(0, region.high)) * quad::pi() / 2);
        case Region::halves: return numbers.beside(quad::rint(2 * numbers.between(region.low, region.high)) / 2);
        case Region::point: return numbers.beside(region.low);
        case Region::whole:
            return static_cast<R>(
                numbers.whole(static_cast<std::int64_t>(region.low), static_cast<std::int64_t>(region.high)));
        case Region::bits: return numbers.any();
        case Region::same: return numbers.beside(first);
    }
    return 0;
}

#define GEMEL_OF(expression) \
    [](Quad x, [[maybe_unused]] Quad y) -> Quad { \
        using namespace quad; \
        using quad::log; /* gemel::log is a namespace */ \
        return expression; \
    }

/// Bounds: what OpenCL 1.2 promises (table 6.7 and its successors), which is more than CUDA documents; for the gamma
/// functions, of which it promises nothing, what is stated here. PoCL 3.1 gives some functions in units of pi a zero of
/// the wrong sign; a negative gamma function may be too small even for the reference.
const std::vector<Case>& cases() {
    using enum Region::Shape;
    static const std::vector<Case> all{
        {"acos", 4, 4, GEMEL_OF(acos(x)), {{{uniform, -1, 1}}, {{point, 1}}, {{exponent, -30, 0}}}},
        {"acosh", 4, 4, GEMEL_OF(acosh(x)), {{{uniform, 1, 4}}, {{point, 1}}, {{exponent, 0, 60}}}},
        {"acospi", 5, 5, GEMEL_OF(acospi(x)), {{{uniform, -1, 1}}, {{point, 1}}, {{exponent, -30, 0}}}, 0, true},
        {"asin", 4, 4, GEMEL_OF(asin(x)), {{{uniform, -1, 1}}, {{point, 1}}, {{exponent, -30, 0}}}},
        {"asinh", 4, 4, GEMEL_OF(asinh(x)), {{{uniform, -4, 4}}, {{exponent, -30, 30}}}},
        {"asinpi", 5, 5, GEMEL_OF(asinpi(x)), {{{uniform, -1, 1}}, {{point, 1}}, {{exponent, -30, 0}}}, 0, true},
        {"atan", 5, 5, GEMEL_OF(atan(x)), {{{uniform, -4, 4}}, {{exponent, -20, 20}}}},
        {"atanh", 5, 5, GEMEL_OF(atanh(x)), {{{uniform, -1, 1}}, {{point, 1}}, {{exponent, -30, 0}}}},
        {"atanpi", 5, 5, GEMEL_OF(atanpi(x)), {{{uniform, -4, 4}}, {{exponent, -20, 20}}}, 0, true},
        {"cbrt", 2, 2, GEMEL_OF(cbrt(x)), {{{uniform, -8, 8}}}},
        {"ceil", 0, 0, GEMEL_OF(ceil(x)), {{{halves, -1000, 1000}}, {{exponent, -2, 60}}}},
        {"cos", 4, 4, GEMEL_OF(cos(x)), {{{half_pi, 0, 20}}, {{uniform, -10, 10}}, {{exponent, -10, 60}}}},
        {"cosh", 4, 4, GEMEL_OF(cosh(x)), {{{limit, -1.05, 1.05}}, {{uniform, -1, 1}}}},
        {"cospi",
         4,
         4,
         GEMEL_OF(cospi(x)),
         {{{halves, -100, 100}}, {{uniform, -2, 2}}, {{exponent, -10, 30}}},
         0,
         true},
        {"erf", 16, 16, GEMEL_OF(erf(x)), {{{uniform, -6, 6}}, {{exponent, -30, 1}}}},
        {"erfc", 16, 16, GEMEL_OF(erfc(x)), {{{uniform, -6, 12}}, {{uniform, 0, 28}}}},
        {"exp", 3, 3, GEMEL_OF(exp(x)), {{{limit, -1.2, 1.05}}, {{uniform, -1, 1}}}},
        {"exp10", 3, 3, GEMEL_OF(exp10(x)), {{{limit, -0.55, 0.45}}, {{uniform, -1, 1}}}},
        {"exp2", 3, 3, GEMEL_OF(exp2(x)), {{{limit, -1.8, 1.5}}, {{uniform, -1, 1}}}},
        {"expm1", 3, 3, GEMEL_OF(expm1(x)), {{{limit, -0.3, 1.05}}, {{uniform, -1, 1}}, {{exponent, -30, 1}}}},
        {"fabs", 0, 0, GEMEL_OF(fabs(x)), {{{bits}}}},
        {"floor", 0, 0, GEMEL_OF(floor(x)), {{{halves, -1000, 1000}}, {{exponent, -2, 60}}}},
        {"lgamma", 16, 16, GEMEL_OF(lgamma(x)), {{{uniform, -40, 40}}, {{uniform, 0, 4}}, {{exponent, -20, 90}}}, 1},
        {"log", 3, 3, GEMEL_OF(log(x)), {{{point, 1}}, {{uniform, 0.5, 2}}, {{exponent, -20, 20}}}},
        {"log10", 3, 3, GEMEL_OF(log10(x)), {{{point, 1}}, {{uniform, 0.5, 2}}, {{exponent, -20, 20}}}},
        {"log1p", 2, 2, GEMEL_OF(log1p(x)), {{{uniform, -1, 1}}, {{point, -1}}, {{exponent, -30, 10}}}},
        {"log2", 3, 3, GEMEL_OF(log2(x)), {{{point, 1}}, {{uniform, 0.5, 2}}, {{exponent, -20, 20}}}},
        {"logb", 0, 0, GEMEL_OF(logb(x)), {{{uniform, -9, 9}}}},
        {"rint", 0, 0, GEMEL_OF(rint(x)), {{{halves, -1000, 1000}}, {{exponent, -2, 60}}}},
        {"round", 0, 0, GEMEL_OF(round(x)), {{{halves, -1000, 1000}}, {{exponent, -2, 60}}}},
        {"rsqrt", 2, 2, GEMEL_OF(rsqrt(x)), {{{uniform, 0.5, 4}}}},
        {"sin", 4, 4, GEMEL_OF(sin(x)), {{{half_pi, 0, 20}}, {{uniform, -10, 10}}, {{exponent, -10, 60}}}},
        {"sinh", 4, 4, GEMEL_OF(sinh(x)), {{{limit, -1.05, 1.05}}, {{uniform, -1, 1}}, {{exponent, -30, 1}}}},
        {"sinpi",
         4,
         4,
         GEMEL_OF(sinpi(x)),
         {{{halves, -100, 100}}, {{uniform, -2, 2}}, {{exponent, -10, 30}}},
         0,
         true},
        {"sqrt", 3, 0.5, GEMEL_OF(sqrt(x)), {{{uniform, 0.5, 4}}}},
        {"tan", 5, 5, GEMEL_OF(tan(x)), {{{half_pi, 0, 20}}, {{uniform, -10, 10}}, {{exponent, -10, 60}}}},
        {"tanh", 5, 5, GEMEL_OF(tanh(x)), {{{uniform, -20, 20}}, {{exponent, -30, 5}}}},
        {"tanpi",
         6,
         6,
         GEMEL_OF(tanpi(x)),
         {{{halves, -100, 100}}, {{uniform, -2, 2}}, {{exponent, -10, 30}}},
         0,
         true},
        {"tgamma",
         16,
         16,
         GEMEL_OF(tgamma(x)),
         {{{limit, -0.3, 0.45}}, {{uniform, -8, 8}}, {{exponent, -20, 3}}},
         0,
         true},
        {"trunc", 0, 0, GEMEL_OF(trunc(x)), {{{halves, -1000, 1000}}, {{exponent, -2, 60}}}},
        {"ilogb", 0, 0, GEMEL_OF(logb(x)), {{{uniform, -9, 9}}}},
        {"ldexp",
         0.5,
         0.5,
         GEMEL_OF(ldexp(x, static_cast<int>(y))),
         {{{bits}, {whole, -320, 320}}, {{bits}, {whole, -2200, 2200}}, {{uniform, -2, 2}, {whole, -1080, -120}}}},
        {"atan2",
         6,
         6,
         GEMEL_OF(atan2(x, y)),
         {{{uniform, -4, 4}, {uniform, -4, 4}}, {{exponent, -20, 20}, {exponent, -20, 20}}, {{bits}, {same}}}},
        {"atan2pi",
         6,
         6,
         GEMEL_OF(atan2pi(x, y)),
         {{{uniform, -4, 4}, {uniform, -4, 4}}, {{exponent, -20, 20}, {exponent, -20, 20}}, {{bits}, {same}}},
         0,
         true},
        {"copysign", 0, 0, GEMEL_OF(copysign(x, y)), {{{bits}}}},
        {"fdim", 0.5, 0.5, GEMEL_OF(fdim(x, y)), {{{uniform, -4, 4}, {uniform, -4, 4}}, {{bits}, {same}}}},
        {"fmax", 0, 0, GEMEL_OF(fmax(x, y)), {{{bits}, {same}}}, 0, true},
        {"fmin", 0, 0, GEMEL_OF(fmin(x, y)), {{{bits}, {same}}}, 0, true},
        {"fmod", 0, 0, GEMEL_OF(fmod(x, y)), {{{uniform, -400, 400}, {uniform, -4, 4}}, {{bits}, {same}}}},
        {"hypot",
         4,
         4,
         GEMEL_OF(hypot(x, y)),
         {{{uniform, -4, 4}, {uniform, -4, 4}}, {{bits}, {same}}, {{exponent, -140, -120}, {exponent, -140, -120}}}},
        {"maxmag", 0, 0, GEMEL_OF(maxmag(x, y)), {{{bits}, {same}}, {{uniform, -4, 4}, {uniform, -4, 4}}}, 0, true},
        {"minmag", 0, 0, GEMEL_OF(minmag(x, y)), {{{bits}, {same}}, {{uniform, -4, 4}, {uniform, -4, 4}}}, 0, true},
        {"nextafter", 0, 0, nullptr, {{{bits}, {same}}, {{uniform, -4, 4}, {uniform, -4, 4}}}},
        {"pow",
         16,
         16,
         GEMEL_OF(pow(x, y)),
         {{{uniform, 0, 10}, {limit, -0.5, 0.5}},
          {{point, 1}, {exponent, 0, 30}},
          {{uniform, -10, 10}, {whole, -40, 40}},
          {{exponent, -100, 100}, {uniform, -2, 2}}}},
        {"remainder", 0, 0, GEMEL_OF(remainder(x, y)), {{{uniform, -400, 400}, {uniform, -4, 4}}, {{bits}, {same}}}},
    };
    return all;
}

template <class R>
std::vector<R> edges() {
    using Limits = std::numeric_limits<R>;
    std::vector<R> values;
    for (const R magnitude : {R(0),
                              Limits::denorm_min(),
                              Limits::min(),
                              Limits::min() * R(0.75),
                              Limits::epsilon(),
                              R(0.25),
                              R(0.5),
                              1 - Limits::epsilon() / 2,
                              R(1),
                              1 + Limits::epsilon(),
                              R(1.5),
                              R(2),
                              R(2.5),
                              R(3),
                              R(4),
                              R(100.5),
                              2 / Limits::epsilon(),
                              Limits::max() / 2,
                              Limits::max(),
                              Limits::infinity()}) {
        values.push_back(magnitude);
        values.push_back(-magnitude);
    }
    values.push_back(Limits::quiet_NaN());
    return values;
}

template <class R>
struct Inputs {
    std::vector<R> x, y;

    Inputs(const Case& c, elementary::Kind kind, unsigned seed) {
        const bool has_two = kind == elementary::Kind::two || kind == elementary::Kind::scaling;
        for (const R first : edges<R>()) {
            if (kind == elementary::Kind::two)
                for (const R second : edges<R>()) add(first, second);
            else if (has_two)
                for (const int n : {0, 1, -1, 23, -60, 128, -150, 1024, -1075, 5000, -5000}) add(first, R(n));
            else
                add(first, 0);
        }
        Numbers<R> numbers(seed);
        const std::size_t count = is_check() ? 1 << 13 : 1 << 15;
        while (x.size() < count || x.size() % 64 != 0) {
            const bool from_bits = x.size() % 2 == 0;
            const Regions& from = c.regions[x.size() / 2 % c.regions.size()];
            const R first = from_bits ? numbers.any() : drawn<R>(from.x, numbers, 0);
            const Region second = from_bits && kind == elementary::Kind::two ? Region{Region::bits} : from.y;
            add(first, has_two ? drawn<R>(second, numbers, first) : R(0));
        }
    }

   private:
    void add(R first, R second) {
        x.push_back(first);
        y.push_back(second);
    }
};

template <class R>
std::string written(R value) {
    std::ostringstream out;
    out << std::setprecision(std::numeric_limits<R>::max_digits10) << value;
    return out.str();
}

/// The kernels of a program, compiled once for all tests of a type.
template <class R>
const Module& elementary_module() {
    static const Module& module = *new Module(default_context().compile(elementary::program(name_of<R>)));
    return module;
}

/// Some devices take subnormal floats for zero, which OpenCL allows.
template <class R>
bool keeps_subnormals() {
    if (std::is_same_v<R, double>) return true;
    std::vector<float> x{std::numeric_limits<float>::min()};
    default_context()
        .compile("KERNEL void halve(GLOBAL_MEM float *x) { x[0] *= 0.5f; }")
        .kernel("halve")({.grid = {1}, .block = {1}}, InOut(x));
    return x[0] != 0;
}

template <class R>
struct Results {
    std::vector<R> out, second;

    Results(const std::string& name, const std::vector<R>& x, const std::vector<R>& y)
        : out(x.size()), second(x.size()) {
        elementary_module<R>().kernel("of_" + name)({.grid = {x.size() / 64}, .block = {64}}, In(x), In(y), InOut(out),
                                                    InOut(second));
    }
};

template <class R>
void check_case(const Case& c, elementary::Kind kind) {
    using Limits = std::numeric_limits<R>;
    const Inputs<R> in(c, kind, 1);
    const Results<R> got(c.name, in.x, in.y);
    static const bool subnormals = keeps_subnormals<R>();

    std::vector<double> errors(in.x.size());
    in_parallel(in.x.size(), [&](std::size_t i) {
        const R x = in.x[i], y = in.y[i];
        if (!subnormals && (std::fpclassify(x) == FP_SUBNORMAL || std::fpclassify(y) == FP_SUBNORMAL)) return;
        // The exponents that C's ilogb has for these differ between libraries.
        if (kind == elementary::Kind::integer && (x == 0 || !std::isfinite(x))) return;
        const Quad exact = c.reference ? c.reference(x, y) : static_cast<Quad>(std::nextafter(x, y));
        if (!subnormals && quad::fabs(exact) < static_cast<Quad>(Limits::min())) return;
        errors[i] = error_in_ulp<R>(got.out[i], exact, c.floor);
        const bool has_sign = !c.any_zero && exact == 0 && got.out[i] == 0 && kind != elementary::Kind::integer;
        if (has_sign && std::signbit(got.out[i]) != quad::is_negative(exact)) errors[i] = Limits::infinity();
    });

    const std::size_t worst = std::max_element(errors.begin(), errors.end()) - errors.begin();
    const double bound = std::is_same_v<R, float> ? c.bound_float : c.bound_double;
    std::string where = written(in.x[worst]);
    if (kind == elementary::Kind::two || kind == elementary::Kind::scaling) where += ", " + written(in.y[worst]);
    note_accuracy(c.name, name_of<R>, "ulp", bound, errors[worst], errors[worst] > 0 ? where : "");
    CHECK_MESSAGE(errors[worst] <= bound, std::string(c.name), " of ", std::string(name_of<R>), ": ", errors[worst],
                  " ulp at ", where, ", got ", written(got.out[worst]));
}

template <class R>
void check_all() {
    for (const elementary::Word& word : elementary::words) {
        const auto found = std::find_if(cases().begin(), cases().end(),
                                        [&](const Case& c) { return std::string(c.name) == word.name; });
        const bool has_own_case = word.kind == elementary::Kind::frexp || word.kind == elementary::Kind::modf ||
                                  word.kind == elementary::Kind::code_nan;
        CHECK_MESSAGE((found != cases().end()) != has_own_case, std::string(word.name));
        if (found != cases().end()) check_case<R>(*found, word.kind);
    }
}

template <class R>
void check_splitters() {
    const Case any{"", 0, 0, nullptr, {{{Region::uniform, -1000, 1000}}, {{Region::exponent, -3, 60}}}};
    const Inputs<R> in(any, elementary::Kind::one, 2);
    const Results<R> fractions("frexp", in.x, in.y), parts("modf", in.x, in.y), none("nan", in.x, in.y);
    static const bool subnormals = keeps_subnormals<R>();
    int wrong_fractions = 0, wrong_parts = 0, numbers = 0;
    const auto differ = [](R a, R b) {
        return std::isnan(a) ? !std::isnan(b) : a != b || std::signbit(a) != std::signbit(b);
    };
    for (std::size_t i = 0; i < in.x.size(); ++i) {
        const R x = in.x[i];
        numbers += !std::isnan(none.out[i]);
        if (!subnormals && std::fpclassify(x) == FP_SUBNORMAL) continue;
        int exponent = 0;
        wrong_fractions += differ(std::frexp(x, &exponent), fractions.out[i]);
        if (std::isfinite(x)) wrong_fractions += static_cast<R>(exponent) != fractions.second[i];
        R whole = 0;
        wrong_parts += differ(std::modf(x, &whole), parts.out[i]) + differ(whole, parts.second[i]);
    }
    CHECK(wrong_fractions == 0);
    CHECK(wrong_parts == 0);
    CHECK(numbers == 0);
}

template <class T>
void check_integers(const Module& module, const std::string& type) {
    using Limits = std::numeric_limits<T>;
    std::vector<T> values{0,
                          1,
                          2,
                          7,
                          100,
                          Limits::max(),
                          static_cast<T>(Limits::max() - 1),
                          static_cast<T>(Limits::min() + 1),
                          static_cast<T>(-1),
                          static_cast<T>(-100)};
    std::vector<T> x, y;
    for (const T a : values)
        for (const T b : values) {
            x.push_back(a);
            y.push_back(b);
        }
    std::vector<std::int64_t> out(3 * x.size());
    module.kernel("of_" + type)({.grid = {x.size()}, .block = {1}}, In(x), In(y), InOut(out));
    int wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const T magnitude = x[i] < T(0) ? static_cast<T>(-x[i]) : x[i];
        wrong += out[3 * i] != static_cast<std::int64_t>(magnitude);
        wrong += out[3 * i + 1] != static_cast<std::int64_t>(std::min(x[i], y[i]));
        wrong += out[3 * i + 2] != static_cast<std::int64_t>(std::max(x[i], y[i]));
    }
    CHECK_MESSAGE(wrong == 0, type);
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("elementary functions of single precision keep to their bounds") { check_all<float>(); }

TEST_CASE("elementary functions of double precision keep to their bounds") {
    if (!lacks_double()) check_all<double>();
}

TEST_CASE("Bessel functions of many orders are exact over ten decades") {
    if (lacks_double()) return;
    Numbers<double> numbers(7);
    std::vector<double> x, j(1 << 15), y(1 << 15);
    std::vector<int> n;
    for (const double edge : {0.0, 1e-300, 1e-5, 9.9e-5, 1e-4, 49.999, 50.0, 1e5, double(INFINITY), double(NAN)})
        for (const int order : {0, 1, 2, 29, 60, -1, -2}) {
            x.push_back(edge);
            n.push_back(order);
        }
    while (x.size() < j.size()) {
        x.push_back(std::pow(10.0, numbers.between(-5, 5)));
        n.push_back(static_cast<int>(numbers.whole(0, 29)));
    }
    default_context()
        .compile(elementary::bessel_program)
        .kernel("of_bessel")({.grid = {x.size() / 64}, .block = {64}}, In(x), In(n), InOut(j), InOut(y));
    std::vector<double> errors_j(x.size()), errors_y(x.size());
    in_parallel(x.size(), [&](std::size_t i) {
        // Results below 1 are measured as if they were 1: both functions oscillate about zero.
        errors_j[i] = error_in_ulp<double>(j[i], quad::jn(n[i], x[i]), 1);
        errors_y[i] = error_in_ulp<double>(y[i], quad::yn(n[i], x[i]), 1);
    });
    const auto check = [&](const std::string& name, const std::vector<double>& errors, double bound) {
        const std::size_t worst = std::max_element(errors.begin(), errors.end()) - errors.begin();
        const std::string where = std::to_string(n[worst]) + ", " + written(x[worst]);
        note_accuracy(name, "double", "ulp", bound, errors[worst], where);
        CHECK_MESSAGE(errors[worst] <= bound, name, ": ", errors[worst], " ulp at ", where);
    };
    check("bessel_jn", errors_j, 16);
    check("bessel_yn", errors_y, 64);
    // The other half of the axis.
    std::vector<double> left{-2.5, -2.5, -2.5, -60}, left_j(4), left_y(4);
    const std::vector<int> orders{2, 3, -3, 1};
    default_context()
        .compile(elementary::bessel_program)
        .kernel("of_bessel")({.grid = {4}, .block = {1}}, In(left), In(orders), InOut(left_j), InOut(left_y));
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(error_in_ulp<double>(left_j[i], quad::jn(orders[i], left[i]), 1) <= 16);
        CHECK(std::isnan(left_y[i]));
    }
}

TEST_CASE("functions of half precision through float are rounded almost exactly for every argument") {
    const Module module = default_context().compile(elementary::half_program());
    std::vector<half> x(65536), out(65536);
    for (unsigned i = 0; i < 65536; ++i) x[i].bits = static_cast<std::uint16_t>(i);
    for (const Case& c : cases()) {
        const bool is_unary = std::any_of(
            std::begin(elementary::words), std::end(elementary::words),
            [&](const auto& w) { return std::string_view(w.name) == c.name && w.kind == elementary::Kind::one; });
        if (!is_unary) continue;
        module.kernel(text("of_", c.name))({.grid = {1024}, .block = {64}}, In(x), InOut(out));
        std::vector<double> errors(x.size());
        in_parallel(x.size(), [&](std::size_t i) {
            errors[i] = error_of_half(out[i], c.reference(static_cast<float>(x[i]), 0), c.floor);
        });
        const std::size_t worst = std::max_element(errors.begin(), errors.end()) - errors.begin();
        // Half a unit, and what an error of 16 units of a float can add to it.
        const double bound = c.bound_float == 0 ? 0 : 0.5 + 16.0 / 8192;
        const std::string where = written(static_cast<float>(x[worst]));
        note_accuracy(c.name, "half", "ulp", bound, errors[worst], errors[worst] > 0 ? where : "");
        CHECK_MESSAGE(errors[worst] <= bound, std::string(c.name), " of half: ", errors[worst], " ulp at ", where,
                      ", got ", static_cast<float>(out[worst]));
    }
}

TEST_CASE("frexp and modf split exactly and nan gives no number") {
    check_splitters<float>();
    if (!lacks_double()) check_splitters<double>();
}

TEST_CASE("abs and min and max take every integer type and keep its sign") {
    const Module module = default_context().compile(elementary::integer_program());
    check_integers<std::int8_t>(module, "int8_t");
    check_integers<std::uint8_t>(module, "uint8_t");
    check_integers<std::int16_t>(module, "int16_t");
    check_integers<std::uint16_t>(module, "uint16_t");
    check_integers<std::int32_t>(module, "int32_t");
    check_integers<std::uint32_t>(module, "uint32_t");
    check_integers<std::int64_t>(module, "int64_t");
    check_integers<std::uint64_t>(module, "uint64_t");
    std::vector<int> x{-3, 3, -30, 30}, out(4);
    module.kernel("of_signs")({.grid = {4}, .block = {1}}, In(x), InOut(out));
    CHECK(out == std::vector<int>{1, 1, 0, 0});
}

TEST_SUITE_END();
