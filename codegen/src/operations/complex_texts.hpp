/// The C texts of complex functions. $ is the type, z the operand.
#pragma once

// For infinities: h is infinite, q has the signs of the infinite parts.
#define GEMEL_COMPLEX_INFINITE(real_part, imaginary_part) \
    "%complex if (fabs(c_real(z)) == INFINITY || fabs(c_imag(z)) == INFINITY) {\n" \
    "%complex     $ h = $_new(INFINITY, 0), q = $_new(fabs(c_real(z)) < INFINITY ? 0 : c_real(z) > 0 ? 1 : -1, " \
    "fabs(c_imag(z)) < INFINITY ? 0 : c_imag(z) > 0 ? 1 : -1);\n" \
    "%complex     return $_new(" real_part ", " imaginary_part ");\n%complex }\n"

// Kahan's formulas, which preserve the branch cuts: "Branch Cuts for Complex Elementary Functions".
#define GEMEL_COMPLEX_ASIN \
    GEMEL_COMPLEX_INFINITE("atan2(c_real(q), fabs(c_imag(q)))", "copysign(c_real(h), c_imag(z))") \
    "%complex $ s = c_sqrt(c_sub(1, z)), t = c_sqrt(c_add(1, z));\n" \
    "%complex return $_new(atan2(c_real(z), c_real(c_mul(s, t))), asinh(c_imag(c_mul(c_conj(s), t))));\n"
#define GEMEL_COMPLEX_ACOS \
    GEMEL_COMPLEX_INFINITE("atan2(fabs(c_imag(q)), c_real(q))", "-copysign(c_real(h), c_imag(z))") \
    "%complex $ s = c_sqrt(c_sub(1, z)), t = c_sqrt(c_add(1, z));\n" \
    "%complex return $_new(2 * atan2(c_real(s), c_real(t)), asinh(c_imag(c_mul(c_conj(t), s))));\n"
#define GEMEL_COMPLEX_ASINH \
    GEMEL_COMPLEX_INFINITE("copysign(c_real(h), c_real(z))", "atan2(c_imag(q), fabs(c_real(q)))") \
    "%complex $ w = $_new(-c_imag(z), c_real(z)), s = c_sqrt(c_sub(1, w)), t = c_sqrt(c_add(1, w));\n" \
    "%complex return $_new(asinh(c_imag(c_mul(c_conj(s), t))), -atan2(c_real(w), c_real(c_mul(s, t))));\n"
#define GEMEL_COMPLEX_ACOSH \
    GEMEL_COMPLEX_INFINITE("c_real(h)", "atan2(copysign(c_imag(q), c_imag(z)), c_real(q))") \
    "%complex $ s = c_sqrt(c_sub(z, 1)), t = c_sqrt(c_add(z, 1));\n" \
    "%complex return $_new(asinh(c_real(c_mul(c_conj(s), t))), 2 * atan2(c_imag(s), c_real(t)));\n"

// For a = (x, y). Beyond 10^17 the imaginary part is pi/2, and the real part is that of 1/a.
#define GEMEL_COMPLEX_ATANH(x, y, result) \
    "%complex $ a = $_new(" x ", " y \
    "), b = $_new(1 - fabs(c_real(a)), c_imag(a)), w;\n" \
    "%complex if (fabs(c_real(a)) > 1e17f || fabs(c_imag(a)) > 1e17f) {\n" \
    "%complex     $ h = $_new(0, 1.57079632679489661923), p = $_new(fabs(c_real(a)), fabs(c_imag(a)));\n" \
    "%complex     w = $_new(copysign(c_imag(p) < INFINITY ? 1 / (c_real(p) + c_imag(p) * (c_imag(p) / c_real(p))) : " \
    "c_real(h), c_real(a)), isnan(c_imag(a)) ? c_imag(a) : copysign(c_imag(h), c_imag(a)));\n" \
    "%complex } else {\n" \
    "%complex     w = $_new(copysign(log1p(4 * fabs(c_real(a)) / c_norm(b)), c_real(a)) / 4, " \
    "atan2(2 * c_imag(a), (1 - c_real(a)) * (1 + c_real(a)) - c_imag(a) * c_imag(a)) / 2);\n" \
    "%complex }\n" result

// Defines a function of a complex number with this body.
#define GEMEL_COMPLEX_HELPER(name, body) \
    "%complex WITHIN_KERNEL $ " name "_$($ z)\n%complex {\n" body "%complex }\n"

// Computed in double.
#define GEMEL_HANKEL(order, which) \
    "WITHIN_KERNEL $ hankel_" order \
    "_$($ z)\n{\n    cdouble a, b;\n    c_hankel_01(cdouble_new(c_real(z), c_imag(z)), &a, &b);\n" \
    "    return $_new(c_real(" which "), c_imag(" which "));\n}\n"
#define GEMEL_BESSEL_HELPER(name) \
    "WITHIN_KERNEL $ " name \
    "_$(int64_t n, $ x)\n{\n" \
    "%real if (n > 1000000000 || n < -1000000000) return NAN;\n" \
    "%complex if (n > 1000000000 || n < -1000000000) return $_new(NAN, NAN);\n" \
    "%real return ($)" name \
    "((int)n, (double)x);\n" \
    "%complex cdouble w = c_" name \
    "((int)n, cdouble_new(c_real(x), c_imag(x)));\n" \
    "%complex return $_new(c_real(w), c_imag(w));\n}\n"
