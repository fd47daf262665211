/// The text of bessel_jn and bessel_yn.
#include "bessel_section.hpp"

namespace gemel {

namespace {

/// Below 50 Miller's backward recurrence with Neumann's series for Y (Abramowitz and Stegun, 9.1.88 and 9.1.89), for
/// the smallest arguments their first terms; from 50 on Hankel's asymptotic expansion (9.2.5 to 9.2.10) and forward
/// recurrence.
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

}  // namespace

Dialect::Section bessel_section(const std::string& double_guard) {
    return {.name = "bessel",
            .words = {"bessel_jn", "bessel_yn"},
            .text = double_guard.empty() ? body : "#if " + double_guard + "\n" + body + "#endif\n"};
}

}  // namespace gemel
