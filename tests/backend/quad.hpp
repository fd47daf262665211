/// Elementary functions with 113 bits, as the reference for what devices compute: the C library has them, under
/// names that its headers declare for some compilers and languages only; the labels reach them from all.
#pragma once

#include <cmath>

namespace gemel::testing {

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Quad;
#else
using Quad = long double;  // where there is no __float128, this has 113 bits
#endif

namespace quad {

#define GEMEL_QUAD_ONE(name) Quad name(Quad) __asm__(#name "f128");
#define GEMEL_QUAD_TWO(name) Quad name(Quad, Quad) __asm__(#name "f128");
GEMEL_QUAD_ONE(acos)
GEMEL_QUAD_ONE(acosh)
GEMEL_QUAD_ONE(asin)
GEMEL_QUAD_ONE(asinh)
GEMEL_QUAD_ONE(atan)
GEMEL_QUAD_ONE(atanh)
GEMEL_QUAD_ONE(cbrt)
GEMEL_QUAD_ONE(ceil)
GEMEL_QUAD_ONE(cos)
GEMEL_QUAD_ONE(cosh)
GEMEL_QUAD_ONE(erf)
GEMEL_QUAD_ONE(erfc)
GEMEL_QUAD_ONE(exp)
GEMEL_QUAD_ONE(exp10)
GEMEL_QUAD_ONE(exp2)
GEMEL_QUAD_ONE(expm1)
GEMEL_QUAD_ONE(fabs)
GEMEL_QUAD_ONE(floor)
GEMEL_QUAD_ONE(lgamma)
GEMEL_QUAD_ONE(log)
GEMEL_QUAD_ONE(log10)
GEMEL_QUAD_ONE(log1p)
GEMEL_QUAD_ONE(log2)
GEMEL_QUAD_ONE(logb)
GEMEL_QUAD_ONE(rint)
GEMEL_QUAD_ONE(round)
GEMEL_QUAD_ONE(sin)
GEMEL_QUAD_ONE(sinh)
GEMEL_QUAD_ONE(sqrt)
GEMEL_QUAD_ONE(tan)
GEMEL_QUAD_ONE(tanh)
GEMEL_QUAD_ONE(tgamma)
GEMEL_QUAD_ONE(trunc)
GEMEL_QUAD_TWO(atan2)
GEMEL_QUAD_TWO(copysign)
GEMEL_QUAD_TWO(fdim)
GEMEL_QUAD_TWO(fmax)
GEMEL_QUAD_TWO(fmin)
GEMEL_QUAD_TWO(fmod)
GEMEL_QUAD_TWO(hypot)
GEMEL_QUAD_TWO(pow)
GEMEL_QUAD_TWO(remainder)
#undef GEMEL_QUAD_ONE
#undef GEMEL_QUAD_TWO
Quad jn(int, Quad) __asm__("jnf128");
Quad yn(int, Quad) __asm__("ynf128");
Quad ldexp(Quad, int) __asm__("ldexpf128");
Quad frexp(Quad, int*) __asm__("frexpf128");
Quad modf(Quad, Quad*) __asm__("modff128");

inline bool is_nan(Quad x) { return x != x; }
inline bool is_infinite(Quad x) { return !is_nan(x) && is_nan(x - x); }
inline bool is_negative(Quad x) { return copysign(1, x) < 0; }

/// To all 113 bits.
inline Quad pi() {
    static const Quad value = acos(Quad(-1));
    return value;
}

/// Those of pi times the argument: the whole turns are taken away first, exactly.
inline Quad sinpi(Quad x) {
    if (is_infinite(x)) return x - x;
    const Quad turn = fmod(x, 2), half = rint(2 * turn);  // half: how many halves of pi
    if (turn == rint(turn)) return copysign(0, x);
    const Quad rest = pi() * (turn - half / 2);
    switch (static_cast<int>(half) & 3) {
        case 0: return sin(rest);
        case 1: return cos(rest);
        case 2: return -sin(rest);
        default: return -cos(rest);
    }
}
inline Quad cospi(Quad x) {
    if (is_infinite(x)) return x - x;
    const Quad turn = fmod(fabs(x), 2);
    if (turn == Quad(0.5) || turn == Quad(1.5)) return 0;
    const Quad half = rint(2 * turn), rest = pi() * (turn - half / 2);
    switch (static_cast<int>(half) & 3) {
        case 0: return cos(rest);
        case 1: return -sin(rest);
        case 2: return -cos(rest);
        default: return sin(rest);
    }
}
inline Quad tanpi(Quad x) { return sinpi(x) / cospi(x); }
inline Quad acospi(Quad x) { return acos(x) / pi(); }
inline Quad asinpi(Quad x) { return asin(x) / pi(); }
inline Quad atanpi(Quad x) { return atan(x) / pi(); }
inline Quad atan2pi(Quad y, Quad x) { return atan2(y, x) / pi(); }
inline Quad rsqrt(Quad x) { return 1 / sqrt(x); }
inline Quad maxmag(Quad x, Quad y) { return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y); }
inline Quad minmag(Quad x, Quad y) { return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y); }

/// Complex numbers whose parts have 113 bits, with exponents that no function of floats or doubles leaves but exp.
struct Complex {
    Quad re, im;
};

inline Quad abs(Complex z) { return hypot(z.re, z.im); }
inline Complex mul(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
inline Complex div(Complex a, Complex b) {
    const Quad n = b.re * b.re + b.im * b.im;
    return {(a.re * b.re + a.im * b.im) / n, (a.im * b.re - a.re * b.im) / n};
}
inline Complex exp(Complex z) { return {exp(z.re) * cos(z.im), exp(z.re) * sin(z.im)}; }
inline Complex log(Complex z) {
    const Quad large = fmax(fabs(z.re), fabs(z.im)), small = fmin(fabs(z.re), fabs(z.im));
    const bool near_one = large > Quad(0.5) && large < 2;
    const Quad real = near_one ? log1p((large - 1) * (large + 1) + small * small) / 2 : log(abs(z));
    return {real, atan2(z.im, z.re)};
}
inline Complex sqrt(Complex z) {
    const Quad t = sqrt((fabs(z.re) + abs(z)) / 2), u = t == 0 ? Quad(0) : fabs(z.im) / (2 * t);
    return z.re >= 0 ? Complex{t, copysign(u, z.im)} : Complex{u, copysign(t, z.im)};
}
inline Complex sinh(Complex z) { return {sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)}; }
inline Complex cosh(Complex z) { return {cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)}; }
inline Complex tanh(Complex z) {
    if (fabs(z.re) > 60) return {copysign(1, z.re), 4 * sin(z.im) * cos(z.im) * exp(-2 * fabs(z.re))};
    const Quad t = tan(z.im), b = 1 + t * t, s = sinh(z.re), d = 1 + b * s * s;
    return {b * sqrt(1 + s * s) * s / d, t / d};
}
inline Complex sin(Complex z) { return {sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im)}; }
inline Complex cos(Complex z) { return {cos(z.re) * cosh(z.im), -sin(z.re) * sinh(z.im)}; }
inline Complex tan(Complex z) {
    const Complex w = tanh(Complex{-z.im, z.re});
    return {w.im, -w.re};
}
inline Complex pow(Complex z, Complex w) { return exp(mul(w, log(z))); }

}  // namespace quad
}  // namespace gemel::testing
