/// The source of bessel_jn and bessel_yn, and of their complex versions.
#include "language/bessel_section.hpp"

namespace gemel {

namespace {

/// Below 50: Miller's backward recurrence, with Neumann's series for Y (Abramowitz and Stegun, 9.1.88 and 9.1.89), and
/// for the smallest arguments their first terms. From 50 on: Hankel's asymptotic expansion (9.2.5 to 9.2.10) and
/// forward recurrence.
const char* const body = R"(GEMEL_FUNCTION double gemel_bessel_down(int n, double x, double *y0, double *y1) {
    int top = n > (int)x ? n : (int)x, m = (top + 24 + (int)sqrt(60.0 * (top + 1))) / 2 * 2;
    double above = 0, f = 1e-100, wanted = 0, total = 0, even = 0, odd = 0, j1 = 0;
    for (int k = m; k >= 0; --k) {
        int pair = k / 2;
        double sign = pair % 2 ? -1 : 1;
        if (k == n) wanted = f;
        if (k == 1) j1 = f;
        if (k % 2 == 0) {
            total += k ? 2 * f : f;
            if (k) even += sign * f / pair;
        } else if (k > 1) {
            odd += sign * f * k / ((double)pair * (pair + 1));
        }
        if (k == 0) break;
        double below = 2 * k / x * f - above;
        above = f;
        f = below;
        if (fabs(f) > 1e150) {
            f *= 1e-150; above *= 1e-150; wanted *= 1e-150; total *= 1e-150; even *= 1e-150; odd *= 1e-150; j1 *= 1e-150;
        }
    }
    double l = log(0.5 * x) + 0.57721566490153286061;
    *y0 = 0.63661977236758134308 * (l * f - 2 * even) / total;
    *y1 = 0.63661977236758134308 * ((l - 1) * j1 - f / x - odd) / total;
    return wanted / total;
}
GEMEL_FUNCTION double gemel_bessel_far(int order, double x, double *y) {
    double p = 1, q = 0, t = 1, s = sin(x), c = cos(x);
    for (int k = 1; k < 30 && fabs(t) > 1e-18; ++k) {
        t *= (4 * order - (2.0 * k - 1) * (2.0 * k - 1)) / (8 * k * x);
        if (k % 2) q += k % 4 == 1 ? t : -t;
        else p += k % 4 == 0 ? t : -t;
    }
    double size = sqrt(0.31830988618379067154 / x), along = order ? s - c : c + s, across = order ? -(s + c) : s - c;
    *y = size * (p * across + q * along);
    return size * (p * along - q * across);
}
GEMEL_FUNCTION double gemel_bessel_near(int n, double x, double *y0, double *y1) {
    double h = 0.5 * x, j = 1, l = log(h) + 0.57721566490153286061;
    for (int k = 1; k <= n; ++k) j *= h / k;
    *y0 = 0.63661977236758134308 * (l * (1 - h * h) + h * h);
    *y1 = 0.63661977236758134308 * ((l - 0.5) * h - 1 / x);
    return j * (1 - h * h / (n + 1));
}
GEMEL_FUNCTION double bessel_jn(int n, double x) {
    double sign = 1, y0, y1;
    if (n < 0) { n = -n; sign = n % 2 ? -sign : sign; }
    if (x < 0) { x = -x; sign = n % 2 ? -sign : sign; }
    if (isnan(x)) return x;
    if (isinf(x)) return 0;
    if (x == 0) return n ? 0 : 1;
    if (x < 1e-4) return sign * gemel_bessel_near(n, x, &y0, &y1);
    if (x < 50 || n > x) return sign * gemel_bessel_down(n, x, &y0, &y1);
    double below = gemel_bessel_far(0, x, &y0), j = gemel_bessel_far(1, x, &y1);
    if (n == 0) return sign * below;
    for (int k = 1; k < n; ++k) { double above = 2 * k / x * j - below; below = j; j = above; }
    return sign * j;
}
GEMEL_FUNCTION double bessel_yn(int n, double x) {
    double sign = 1, below, y;
    if (n < 0) { n = -n; sign = n % 2 ? -1 : 1; }
    if (isnan(x) || x < 0) return NAN;
    if (x == 0) return sign * -INFINITY;
    if (isinf(x)) return 0;
    if (x < 1e-4) gemel_bessel_near(0, x, &below, &y);
    else if (x < 50) gemel_bessel_down(0, x, &below, &y);
    else { gemel_bessel_far(0, x, &below); gemel_bessel_far(1, x, &y); }
    if (n == 0) return sign * below;
    for (int k = 1; k < n && !isinf(y); ++k) { double above = 2 * k / x * y - below; below = y; y = above; }
    return sign * y;
}
)";

/// All is found in the upper half plane. Hankel functions of orders 0 and 1 are modified ones, K, of -iz: for |z| up to
/// 2 Temme's series, up to 25 his continued fraction ("On the numerical evaluation of the modified Bessel function of
/// the third kind", Journal of Computational Physics 19, 1975), beyond Hankel's expansion (Abramowitz and Stegun, 9.2.7
/// to 9.2.10). J is Miller's backward recurrence with exp(-iz) as its sum, which does not cancel there, or half the sum
/// of both Hankel functions; Y follows from H = J + iY, none of which is much larger than both others.
/// The large functions are called, not inlined: inlined, Y took NVRTC 9 s and NVIDIA's OpenCL about 20.
const char* const complex_body = R"(#define GEMEL_CALLED __attribute__((noinline))
GEMEL_FUNCTION GEMEL_CALLED cdouble gemel_hankel_far(int order, cdouble z, double side) {
    cdouble t = cdouble_new(1, 0), s = t, w = c_div(cdouble_new(0, side), z);
    for (int k = 1; k < 60 && c_abs(t) > 1e-18; ++k) {
        t = c_mul(c_mul(t, w), (4 * order - (2.0 * k - 1) * (2.0 * k - 1)) / (8 * k));
        s = c_add(s, t);
    }
    cdouble turn = order ? cdouble_new(-1, -side) : cdouble_new(1, -side);
    cdouble size = c_mul(c_sqrt(c_div(cdouble_new(0.31830988618379067154, 0), z)), c_exp(cdouble_new(-side * z.im, side * z.re)));
    return c_mul(c_mul(size, turn), s);
}
GEMEL_FUNCTION GEMEL_CALLED void gemel_bessel_k(cdouble w, cdouble *k0, cdouble *k1) {
    if (c_abs(w) <= 2) {
        cdouble d = c_mul(c_mul(w, w), 0.25), c = cdouble_new(1, 0);
        cdouble f = c_neg(c_add(c_log(c_mul(w, 0.5)), 0.57721566490153286061)), s0 = f, s1 = cdouble_new(0.5, 0), t = f;
        double p = 0.5;
        for (int i = 1; i < 60 && c_abs(t) > 1e-17 * c_abs(s0); ++i) {
            f = c_div(c_add(c_mul(f, (double)i), 2 * p), (double)i * i);
            c = c_mul(c, c_div(d, (double)i));
            p /= i;
            t = c_mul(c, f);
            s0 = c_add(s0, t);
            s1 = c_add(s1, c_mul(c, c_sub(p, c_mul(f, (double)i))));
        }
        *k0 = s0;
        *k1 = c_div(c_mul(s1, 2.0), w);
        return;
    }
    cdouble b = c_mul(c_add(w, 1.0), 2.0), d = c_div(1.0, b), h = d, step = d, q1 = cdouble_new(0, 0), q2 = cdouble_new(1, 0);
    cdouble q = cdouble_new(0.25, 0), s = c_add(c_mul(q, step), 1.0), t = s;
    double a = -0.25, c = 0.25;
    for (int i = 2; i < 2000 && c_abs(t) > 1e-17 * c_abs(s); ++i) {
        a -= 2 * (i - 1);
        c *= -a / i;
        cdouble next = c_div(c_sub(q1, c_mul(b, q2)), a);
        q1 = q2;
        q2 = next;
        q = c_add(q, c_mul(next, c));
        b = c_add(b, 2.0);
        d = c_div(1.0, c_add(b, c_mul(d, a)));
        step = c_mul(c_sub(c_mul(b, d), 1.0), step);
        h = c_add(h, step);
        t = c_mul(q, step);
        s = c_add(s, t);
    }
    *k0 = c_div(c_mul(c_sqrt(c_div(1.57079632679489661923, w)), c_exp(c_neg(w))), s);
    *k1 = c_div(c_mul(*k0, c_sub(c_add(w, 0.5), c_mul(h, 0.25))), w);
}
GEMEL_FUNCTION void gemel_hankel_up(cdouble z, cdouble *h0, cdouble *h1) {
    if (c_abs(z) >= 25) { *h0 = gemel_hankel_far(0, z, 1.0); *h1 = gemel_hankel_far(1, z, 1.0); return; }
    gemel_bessel_k(cdouble_new(z.im, -z.re), h0, h1);
    *h0 = cdouble_new(h0->im * 0.63661977236758134308, -h0->re * 0.63661977236758134308);
    *h1 = c_mul(*h1, -0.63661977236758134308);
}
GEMEL_FUNCTION GEMEL_CALLED cdouble gemel_bessel_down(int n, cdouble z) {
    double r = c_abs(z);
    int top = n > (int)r ? n : (int)r, m = (top + 24 + (int)sqrt(60.0 * (top + 1))) / 2 * 2;
    cdouble above = cdouble_new(0, 0), f = cdouble_new(1e-100, 0), wanted = above, total = above, per_z = c_div(2.0, z);
    for (int k = m; k > 0; --k) {
        if (k == n) wanted = f;
        cdouble turned = k % 4 == 0 ? f : k % 4 == 1 ? cdouble_new(f.im, -f.re) : k % 4 == 2 ? c_neg(f) : cdouble_new(-f.im, f.re);
        total = c_add(total, c_mul(turned, 2.0));
        cdouble below = c_sub(c_mul(c_mul(per_z, (double)k), f), above);
        above = f;
        f = below;
        if (fabs(f.re) > 1e150 || fabs(f.im) > 1e150) {
            f = c_mul(f, 1e-150); above = c_mul(above, 1e-150); wanted = c_mul(wanted, 1e-150); total = c_mul(total, 1e-150);
        }
    }
    if (n == 0) wanted = f;
    return c_mul(c_div(wanted, c_add(total, f)), c_exp(cdouble_new(z.im, -z.re)));
}
GEMEL_FUNCTION GEMEL_CALLED cdouble gemel_bessel_first(int n, cdouble z) {
    double r = c_abs(z);
    if (r == 0) return cdouble_new(n ? 0 : 1, 0);
    if (r < 1e-4) {
        cdouble h = c_mul(z, 0.5), j = cdouble_new(1, 0);
        for (int k = 1; k <= n && (j.re != 0 || j.im != 0); ++k) j = c_mul(j, c_div(h, (double)k));
        return c_mul(j, c_sub(1.0, c_div(c_mul(h, h), n + 1.0)));
    }
    if (r < 25 || n > r || (double)n * n * z.im > 2 * r * r) return gemel_bessel_down(n, z);
    cdouble below = c_mul(c_add(gemel_hankel_far(0, z, 1.0), gemel_hankel_far(0, z, -1.0)), 0.5);
    cdouble j = c_mul(c_add(gemel_hankel_far(1, z, 1.0), gemel_hankel_far(1, z, -1.0)), 0.5), per_z = c_div(2.0, z);
    if (n == 0) return below;
    for (int k = 1; k < n; ++k) { cdouble next = c_sub(c_mul(c_mul(per_z, (double)k), j), below); below = j; j = next; }
    return j;
}
GEMEL_FUNCTION int gemel_is_finite(cdouble z) { return fabs(z.re) < INFINITY && fabs(z.im) < INFINITY; }
GEMEL_FUNCTION cdouble c_bessel_jn(int n, cdouble z) {
    if (!gemel_is_finite(z)) return cdouble_new(NAN, NAN);
    int flip = 0, conjugate = (z.im < 0) != (z.re < 0);
    if (n < 0) { n = -n; flip = n % 2; }
    if (z.re < 0) flip ^= n % 2;
    cdouble j = gemel_bessel_first(n, cdouble_new(fabs(z.re), fabs(z.im)));
    if (conjugate) j = c_conj(j);
    return flip ? c_neg(j) : j;
}
GEMEL_FUNCTION cdouble c_bessel_yn(int n, cdouble z) {
    if (!gemel_is_finite(z)) return cdouble_new(NAN, NAN);
    int flip = 0, conjugate = z.im < 0;
    cdouble below, h;
    if (n < 0) { n = -n; flip = n % 2; }
    if (z.re == 0 && z.im == 0) return cdouble_new(flip ? INFINITY : -INFINITY, 0);
    z.im = fabs(z.im);
    gemel_hankel_up(z, &below, &h);
    cdouble per_z = c_div(2.0, z);
    for (int k = 1; k < n && gemel_is_finite(h); ++k) {
        cdouble next = c_sub(c_mul(c_mul(per_z, (double)k), h), below);
        below = h;
        h = next;
    }
    cdouble rest = c_sub(n ? h : below, c_bessel_jn(n, z)), y = cdouble_new(rest.im, -rest.re);
    if (conjugate) y = c_conj(y);
    return flip ? c_neg(y) : y;
}
GEMEL_FUNCTION void c_hankel_01(cdouble z, cdouble *h0, cdouble *h1) {
    if (!gemel_is_finite(z)) { *h0 = *h1 = cdouble_new(NAN, NAN); return; }
    if (z.im >= 0) { gemel_hankel_up(z, h0, h1); return; }
    z.im = -z.im;
    gemel_hankel_up(z, h0, h1);
    *h0 = c_conj(c_sub(c_mul(c_bessel_jn(0, z), 2.0), *h0));
    *h1 = c_conj(c_sub(c_mul(c_bessel_jn(1, z), 2.0), *h1));
}
)";

std::string guarded(const std::string& guard, const char* text) {
    return guard.empty() ? text : "#if " + guard + "\n" + text + "#endif\n";
}

}  // namespace

std::vector<Dialect::Section> bessel_sections(const std::string& double_guard) {
    return {{.name = "bessel", .words = {"bessel_jn", "bessel_yn"}, .text = guarded(double_guard, body)},
            {.name = "complex_bessel",
             .words = {"c_bessel_jn", "c_bessel_yn", "c_hankel_01"},
             .text = guarded(double_guard, complex_body),
             .needs = {"cdouble"}}};
}

}  // namespace gemel
