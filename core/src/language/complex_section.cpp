/// The source of cfloat and cdouble.
#include "language/complex_section.hpp"

namespace gemel {

namespace {

/// `R` and `C` stand for the real and the complex type, `L(x)` for a literal. Division scales its operands and then
/// follows Baudin and Smith, "A Robust Complex Division in Scilab" (2012); remaining NaNs are corrected as in C99,
/// annex G. The hyperbolic tangent follows Kahan, "Branch cuts for complex elementary functions" (1987).
const char* const body = R"(typedef struct { R re, im; } C;
GEMEL_FUNCTION C C_new(R re, R im) { C z; z.re = re; z.im = im; return z; }
GEMEL_FUNCTION R c_real(C z) { return z.re; }
GEMEL_FUNCTION R c_imag(C z) { return z.im; }
GEMEL_FUNCTION C c_neg(C z) { return C_new(-z.re, -z.im); }
GEMEL_FUNCTION C c_conj(C z) { return C_new(z.re, -z.im); }
GEMEL_FUNCTION C c_add(C a, C b) { return C_new(a.re + b.re, a.im + b.im); }
GEMEL_FUNCTION C c_add(C a, R b) { return C_new(a.re + b, a.im); }
GEMEL_FUNCTION C c_add(R a, C b) { return C_new(a + b.re, b.im); }
GEMEL_FUNCTION C c_sub(C a, C b) { return C_new(a.re - b.re, a.im - b.im); }
GEMEL_FUNCTION C c_sub(C a, R b) { return C_new(a.re - b, a.im); }
GEMEL_FUNCTION C c_sub(R a, C b) { return C_new(a - b.re, -b.im); }
GEMEL_FUNCTION C c_mul(C a, C b) { return C_new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }
GEMEL_FUNCTION C c_mul(C a, R b) { return C_new(a.re * b, a.im * b); }
GEMEL_FUNCTION C c_mul(R a, C b) { return C_new(a * b.re, a * b.im); }
GEMEL_FUNCTION R gemel_quotient(R a, R b, R c, R d, R r, R t) {
    if (r != 0) { R s = b * r; return s != 0 ? (a + s) * t : a * t + (b * t) * r; }
    return (a + d * (b / c)) * t;
}
GEMEL_FUNCTION C c_div(C x, C y) {
    R a = x.re, b = x.im, c = y.re, d = y.im, s = 1, r, t;
    R n = fmax(fabs(a), fabs(b)), m = fmax(fabs(c), fabs(d));
    C q;
    if (n >= HALF_MAX) { a *= L(0.5); b *= L(0.5); s *= 2; }
    if (m >= HALF_MAX) { c *= L(0.5); d *= L(0.5); s *= L(0.5); }
    if (n <= SMALL) { a *= SCALE; b *= SCALE; s /= SCALE; }
    if (m <= SMALL) { c *= SCALE; d *= SCALE; s *= SCALE; }
    if (fabs(d) <= fabs(c)) {
        r = d / c; t = 1 / (c + d * r);
        q = C_new(gemel_quotient(a, b, c, d, r, t) * s, gemel_quotient(b, -a, c, d, r, t) * s);
    } else {
        r = c / d; t = 1 / (d + c * r);
        q = C_new(gemel_quotient(b, a, d, c, r, t) * s, gemel_quotient(-a, b, d, c, r, t) * s);
    }
    if (isnan(q.re) && isnan(q.im)) {
        a = x.re; b = x.im; c = y.re; d = y.im;
        if (c == 0 && d == 0 && (!isnan(a) || !isnan(b))) {
            s = copysign((R)INFINITY, c);
            q = C_new(s * a, s * b);
        } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
            a = copysign((R)(isinf(a) ? 1 : 0), a); b = copysign((R)(isinf(b) ? 1 : 0), b);
            q = C_new((R)INFINITY * (a * c + b * d), (R)INFINITY * (b * c - a * d));
        } else if ((isinf(c) || isinf(d)) && isfinite(a) && isfinite(b)) {
            c = copysign((R)(isinf(c) ? 1 : 0), c); d = copysign((R)(isinf(d) ? 1 : 0), d);
            q = C_new(0 * (a * c + b * d), 0 * (b * c - a * d));
        }
    }
    return q;
}
GEMEL_FUNCTION C c_div(C a, R b) { return C_new(a.re / b, a.im / b); }
GEMEL_FUNCTION C c_div(R a, C b) { return c_div(C_new(a, 0), b); }
GEMEL_FUNCTION R c_abs(C z) { return hypot(z.re, z.im); }
GEMEL_FUNCTION R c_arg(C z) { return atan2(z.im, z.re); }
GEMEL_FUNCTION R c_norm(C z) { return z.re * z.re + z.im * z.im; }
GEMEL_FUNCTION C c_polar(R r, R angle) { return C_new(r * cos(angle), r * sin(angle)); }
GEMEL_FUNCTION C c_exp(C z) {
    if (z.im == 0) return C_new(exp(z.re), z.im);
    if (isinf(z.re) && !isfinite(z.im)) return z.re < 0 ? C_new(0, 0) : C_new(z.re, (R)NAN);
    if (z.re > EXP_LIMIT) {
        R h = exp(z.re * L(0.5));
        return C_new((h * cos(z.im)) * h, (h * sin(z.im)) * h);
    }
    R e = exp(z.re);
    return C_new(e * cos(z.im), e * sin(z.im));
}
GEMEL_FUNCTION C c_log(C z) {
    R x = fabs(z.re), y = fabs(z.im), n = fmax(x, y), m = fmin(x, y), l;
    if (n > L(0.5) && n < L(1.5) && x + y < 3) l = L(0.5) * log1p(fma(m, m, (n - 1) * (n + 1)));
    else if (n >= HALF_MAX && isfinite(n)) l = log(hypot(x * L(0.5), y * L(0.5))) + L(0.693147180559945309);
    else if (n <= SMALL) l = log(hypot(x * SCALE, y * SCALE)) - LOG_SCALE;
    else l = log(hypot(x, y));
    return C_new(l, atan2(z.im, z.re));
}
GEMEL_FUNCTION C c_log10(C z) { return c_mul(c_log(z), L(0.434294481903251827651)); }
GEMEL_FUNCTION C c_sqrt(C z) {
    R x = fabs(z.re), y = fabs(z.im), n = fmax(x, y), s = 1, t, u;
    if (x == 0 && y == 0) return C_new(0, z.im);
    if (isinf(y)) return C_new((R)INFINITY, z.im);
    if (n >= L(0.25) * HALF_MAX) { x *= L(0.25); y *= L(0.25); s = 2; }
    else if (n <= SMALL) { x *= SCALE * SCALE; y *= SCALE * SCALE; s = 1 / SCALE; }
    t = sqrt(L(0.5) * (x + hypot(x, y)));
    u = y / (2 * t) * s;
    t *= s;
    return z.re >= 0 ? C_new(t, copysign(u, z.im)) : C_new(u, copysign(t, z.im));
}
GEMEL_FUNCTION C gemel_power(C f, int n) {
    C p = C_new(1, 0);
    for (int first = 1; n > 0; n >>= 1) {
        if (n & 1) { p = first ? f : c_mul(p, f); first = 0; }
        if (n > 1) f = c_mul(f, f);
    }
    return p;
}
GEMEL_FUNCTION C c_pow(C z, C w) {
    if (w.re == 0 && w.im == 0) return C_new(1, 0);
    if (z.re == 0 && z.im == 0)
        return w.re > 0 ? C_new(0, 0) : C_new((R)(w.re < 0 && w.im == 0 ? INFINITY : NAN), (R)NAN);
    if (w.im == 0 && w.re == rint(w.re) && fabs(w.re) <= 64) {
        int n = (int)fabs(w.re);
        C p = gemel_power(z, n);
        if (w.re < 0) {
            R m = fmax(fabs(p.re), fabs(p.im));
            p = m >= SMALL && m < (R)INFINITY ? c_div(C_new(1, 0), p) : gemel_power(c_div(C_new(1, 0), z), n);
        }
        if (!isnan(p.re) && !isnan(p.im)) return p;
    }
    C l = c_log(z);
    return c_exp(w.im == 0 ? C_new(w.re * l.re, w.re * l.im) : c_mul(w, l));
}
GEMEL_FUNCTION C c_pow(C z, R w) { return c_pow(z, C_new(w, 0)); }
GEMEL_FUNCTION C c_pow(R z, C w) { return c_pow(C_new(z, 0), w); }
GEMEL_FUNCTION C c_sinh(C z) {
    R x = fabs(z.re), h;
    if (z.im == 0) return C_new(sinh(z.re), z.im);
    if (!isfinite(z.im) && (z.re == 0 || isinf(z.re))) return C_new(z.re, (R)NAN);
    if (x > EXP_LIMIT) {
        h = exp(L(0.5) * x);
        return C_new(copysign(L(0.5), z.re) * h * cos(z.im) * h, L(0.5) * h * sin(z.im) * h);
    }
    return C_new(sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im));
}
GEMEL_FUNCTION C c_cosh(C z) {
    R x = fabs(z.re), h;
    if (z.im == 0) return C_new(cosh(z.re), copysign((R)1, z.re) * z.im);
    if (!isfinite(z.im) && z.re == 0) return C_new((R)NAN, z.re);
    if (!isfinite(z.im) && isinf(z.re)) return C_new(fabs(z.re), (R)NAN);
    if (x > EXP_LIMIT) {
        h = exp(L(0.5) * x);
        return C_new(L(0.5) * h * cos(z.im) * h, copysign(L(0.5), z.re) * h * sin(z.im) * h);
    }
    return C_new(cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im));
}
GEMEL_FUNCTION C c_tanh(C z) {
    if (z.im == 0) return C_new(tanh(z.re), z.im);
    if (z.re == 0 && !isfinite(z.im)) return C_new(z.re, (R)NAN);
    if (fabs(z.re) > TANH_LIMIT) {
        R e = exp(-fabs(z.re));
        return C_new(copysign((R)1, z.re), isfinite(z.im) ? 4 * sin(z.im) * cos(z.im) * e * e : copysign((R)0, z.im));
    }
    R t = tan(z.im), b = 1 + t * t, s = sinh(z.re), r = sqrt(1 + s * s), d = 1 + b * s * s;
    return isinf(b) ? C_new(r / s, 1 / t) : C_new(b * r * s / d, t / d);
}
GEMEL_FUNCTION C c_sin(C z) { C w = c_sinh(C_new(-z.im, z.re)); return C_new(w.im, -w.re); }
GEMEL_FUNCTION C c_cos(C z) { return c_cosh(C_new(-z.im, z.re)); }
GEMEL_FUNCTION C c_tan(C z) { C w = c_tanh(C_new(-z.im, z.re)); return C_new(w.im, -w.re); }
)";

/// Constants for each precision. Powers of two are hexadecimal literals.
struct Precision {
    const char *real, *complex, *suffix;
    const char* half_max;    ///< values from here on are halved: the largest power of two
    const char* small;       ///< values up to here are scaled up: twice the smallest normal number over epsilon
    const char* scale;       ///< the power of two for scaling
    const char* log_scale;   ///< its logarithm
    const char* exp_limit;   ///< exp overflows somewhere above this
    const char* tanh_limit;  ///< tanh is 1 from here on
};

/// The body with its placeholders, which are whole words, replaced.
std::string instantiate(const Precision& p) {
    const std::string text = body;
    const auto is_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        if (!is_word(text[i])) {
            result += text[i++];
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && is_word(text[end])) ++end;
        const std::string word = text.substr(i, end - i);
        i = end;
        if (word == "R") {
            result += p.real;
        } else if (word == "C") {
            result += p.complex;
        } else if (word == "C_new") {
            result += std::string(p.complex) + "_new";
        } else if (word == "HALF_MAX") {
            result += p.half_max;
        } else if (word == "SMALL") {
            result += p.small;
        } else if (word == "SCALE") {
            result += p.scale;
        } else if (word == "LOG_SCALE") {
            result += p.log_scale;
        } else if (word == "EXP_LIMIT") {
            result += p.exp_limit;
        } else if (word == "TANH_LIMIT") {
            result += p.tanh_limit;
        } else if (word == "L") {
            const std::size_t close = text.find(')', i);
            result += text.substr(i + 1, close - i - 1) + p.suffix;
            i = close + 1;
        } else {
            result += word;
        }
    }
    return result;
}

}  // namespace

std::vector<Dialect::Section> complex_sections(const std::string& double_guard) {
    const std::string single = instantiate({.real = "float",
                                            .complex = "cfloat",
                                            .suffix = "f",
                                            .half_max = "0x1p127f",
                                            .small = "0x1p-102f",
                                            .scale = "0x1p47f",
                                            .log_scale = "32.57791748631f",
                                            .exp_limit = "88.0f",
                                            .tanh_limit = "11.0f"});
    const std::string dual = instantiate({.real = "double",
                                          .complex = "cdouble",
                                          .suffix = "",
                                          .half_max = "0x1p1023",
                                          .small = "0x1p-969",
                                          .scale = "0x1p105",
                                          .log_scale = "72.7804539587942574888",
                                          .exp_limit = "709.0",
                                          .tanh_limit = "22.0"});
    return {{.name = "cfloat", .words = {"cfloat", "cfloat_new"}, .text = single},
            {.name = "cdouble",
             .words = {"cdouble", "cdouble_new"},
             .text = double_guard.empty() ? dual : "#if " + double_guard + "\n" + dual + "#endif\n"}};
}

}  // namespace gemel
