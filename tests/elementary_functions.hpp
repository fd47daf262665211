/// The elementary functions of the kernel language as one program, a kernel for each: compiled by NVRTC without a GPU,
/// run on devices and compared with a reference.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace elementary {

/// What a function takes and gives.
enum class Kind {
    one,       ///< R -> R
    two,       ///< (R, R) -> R
    scaling,   ///< (R, int) -> R
    integer,   ///< R -> int
    frexp,     ///< (R, int *) -> R
    modf,      ///< (R, R *) -> R
    code_nan,  ///< unsigned integer of R's width -> R
};

struct Word {
    const char* name;
    Kind kind;
};

inline constexpr Word words[] = {
    {"acos", Kind::one},      {"acosh", Kind::one},     {"acospi", Kind::one},    {"asin", Kind::one},
    {"asinh", Kind::one},     {"asinpi", Kind::one},    {"atan", Kind::one},      {"atanh", Kind::one},
    {"atanpi", Kind::one},    {"cbrt", Kind::one},      {"ceil", Kind::one},      {"cos", Kind::one},
    {"cosh", Kind::one},      {"cospi", Kind::one},     {"erf", Kind::one},       {"erfc", Kind::one},
    {"exp", Kind::one},       {"exp10", Kind::one},     {"exp2", Kind::one},      {"expm1", Kind::one},
    {"fabs", Kind::one},      {"floor", Kind::one},     {"lgamma", Kind::one},    {"log", Kind::one},
    {"log10", Kind::one},     {"log1p", Kind::one},     {"log2", Kind::one},      {"logb", Kind::one},
    {"rint", Kind::one},      {"round", Kind::one},     {"rsqrt", Kind::one},     {"sin", Kind::one},
    {"sinh", Kind::one},      {"sinpi", Kind::one},     {"sqrt", Kind::one},      {"tan", Kind::one},
    {"tanh", Kind::one},      {"tanpi", Kind::one},     {"tgamma", Kind::one},    {"trunc", Kind::one},
    {"ilogb", Kind::integer}, {"nan", Kind::code_nan},  {"ldexp", Kind::scaling}, {"atan2", Kind::two},
    {"atan2pi", Kind::two},   {"copysign", Kind::two},  {"fdim", Kind::two},      {"fmax", Kind::two},
    {"fmin", Kind::two},      {"fmod", Kind::two},      {"hypot", Kind::two},     {"maxmag", Kind::two},
    {"minmag", Kind::two},    {"nextafter", Kind::two}, {"pow", Kind::two},       {"remainder", Kind::two},
    {"frexp", Kind::frexp},   {"modf", Kind::modf},
};

/// A kernel for each word: `of_sin(x, y, out, second)`. Integers are passed and returned as values of the real type,
/// which holds them exactly; what a splitter gives through its pointer goes to `second`.
/// @param real  "float" or "double"
inline std::string program(std::string_view real) {
    const std::string r(real), bits = real == "float" ? "uint32_t" : "uint64_t";
    std::string text;
    for (const Word& word : words) {
        const std::string name = word.name;
        text += "KERNEL void of_" + name + "(GLOBAL_MEM const " + r + " *x, GLOBAL_MEM const " + r +
                " *y, GLOBAL_MEM " + r + " *out, GLOBAL_MEM " + r + " *second)\n{\n    int64_t i = GLOBAL_ID_0;\n    ";
        switch (word.kind) {
            case Kind::one: text += "out[i] = " + name + "(x[i]);"; break;
            case Kind::two: text += "out[i] = " + name + "(x[i], y[i]);"; break;
            case Kind::scaling: text += "out[i] = " + name + "(x[i], (int)y[i]);"; break;
            case Kind::integer: text += "int n = " + name + "(x[i]); out[i] = (" + r + ")n;"; break;
            case Kind::code_nan: text += "out[i] = " + name + "((" + bits + ")i);"; break;
            case Kind::frexp: text += "int n; out[i] = frexp(x[i], &n); second[i] = (" + r + ")n;"; break;
            case Kind::modf: text += r + " whole; out[i] = modf(x[i], &whole); second[i] = whole;"; break;
        }
        text += "\n}\n";
    }
    return text;
}

/// Functions of one 16-bit number through float: `of_sin(x, out)` and so on.
inline std::string half_program() {
    std::string text;
    for (const Word& word : words)
        if (word.kind == Kind::one)
            text += std::string("KERNEL void of_") + word.name +
                    "(GLOBAL_MEM const float16_t *x, GLOBAL_MEM float16_t *out)\n{\n    int64_t i = GLOBAL_ID_0;\n"
                    "    out[i] = store_float16(" +
                    word.name + "(load_float16(x[i])));\n}\n";
    return text;
}

/// J and Y of order `n[i]`.
inline const std::string bessel_program = R"(
KERNEL void of_bessel(GLOBAL_MEM const double *x, GLOBAL_MEM const int *n, GLOBAL_MEM double *j, GLOBAL_MEM double *y)
{
    int64_t i = GLOBAL_ID_0;
    j[i] = bessel_jn(n[i], x[i]);
    y[i] = bessel_yn(n[i], x[i]);
})";

/// J and Y of order `n[i]`, and both Hankel functions.
inline const std::string complex_bessel_program = R"(
KERNEL void of_complex_bessel(GLOBAL_MEM const cdouble *z, GLOBAL_MEM const int *n, GLOBAL_MEM cdouble *j, GLOBAL_MEM cdouble *y,
                              GLOBAL_MEM cdouble *h0, GLOBAL_MEM cdouble *h1, int count)
{
    int64_t i = GLOBAL_ID_0;
    if (i >= count) return;
    cdouble a, b;
    j[i] = c_bessel_jn(n[i], z[i]);
    y[i] = c_bessel_yn(n[i], z[i]);
    c_hankel_01(z[i], &a, &b);
    h0[i] = a;
    h1[i] = b;
})";

/// abs, min and max of every integer type, by the type's name.
inline const std::vector<std::string> integer_types{"int8_t",  "uint8_t",  "int16_t", "uint16_t",
                                                    "int32_t", "uint32_t", "int64_t", "uint64_t"};
inline std::string integer_program() {
    std::string text;
    for (const std::string& type : integer_types)
        text += "KERNEL void of_" + type + "(GLOBAL_MEM const " + type + " *x, GLOBAL_MEM const " + type +
                " *y, GLOBAL_MEM int64_t *out)\n{\n    int64_t i = GLOBAL_ID_0;\n    out[3 * i] = abs(x[i]);\n"
                "    out[3 * i + 1] = min(x[i], y[i]);\n    out[3 * i + 2] = max(x[i], y[i]);\n}\n";
    text +=
        "KERNEL void of_signs(GLOBAL_MEM const int *x, GLOBAL_MEM int *out)\n{\n    int64_t i = GLOBAL_ID_0;\n"
        "    out[i] = abs(x[i]) - 10 < 0;\n}\n";
    return text;
}

/// Functions of complex numbers, a kernel for each: `of_c_exp(x, y, out)`, all of them of pairs of reals.
enum class ComplexKind {
    one,         ///< C -> C
    two,         ///< (C, C) -> C
    with_real,   ///< (C, R) -> C, by the overload
    of_real,     ///< (R, C) -> C, by the overload
    magnitude,   ///< C -> R
    from_reals,  ///< (R, R) -> C
};

struct ComplexWord {
    const char* name;
    ComplexKind kind;
    const char* kernel;
};

inline constexpr ComplexWord complex_words[] = {
    {"c_exp", ComplexKind::one, "exp"},          {"c_log", ComplexKind::one, "log"},
    {"c_log10", ComplexKind::one, "log10"},      {"c_sqrt", ComplexKind::one, "sqrt"},
    {"c_sin", ComplexKind::one, "sin"},          {"c_cos", ComplexKind::one, "cos"},
    {"c_tan", ComplexKind::one, "tan"},          {"c_sinh", ComplexKind::one, "sinh"},
    {"c_cosh", ComplexKind::one, "cosh"},        {"c_tanh", ComplexKind::one, "tanh"},
    {"c_abs", ComplexKind::magnitude, "abs"},    {"c_arg", ComplexKind::magnitude, "arg"},
    {"c_norm", ComplexKind::magnitude, "norm"},  {"c_polar", ComplexKind::from_reals, "polar"},
    {"c_mul", ComplexKind::two, "mul"},          {"c_div", ComplexKind::two, "div"},
    {"c_div", ComplexKind::with_real, "div_cr"}, {"c_div", ComplexKind::of_real, "div_rc"},
    {"c_pow", ComplexKind::two, "pow"},          {"c_pow", ComplexKind::with_real, "pow_cr"},
    {"c_pow", ComplexKind::of_real, "pow_rc"},
};

/// @param real  "float" or "double"
inline std::string complex_program(std::string_view real) {
    const std::string r(real), c = "c" + r;
    std::string text;
    for (const ComplexWord& word : complex_words) {
        const std::string name = word.name;
        std::string value;
        switch (word.kind) {
            case ComplexKind::one: value = name + "(x[i])"; break;
            case ComplexKind::two: value = name + "(x[i], y[i])"; break;
            case ComplexKind::with_real: value = name + "(x[i], y[i].re)"; break;
            case ComplexKind::of_real: value = name + "(x[i].re, y[i])"; break;
            case ComplexKind::magnitude: value = c + "_new(" + name + "(x[i]), 0)"; break;
            case ComplexKind::from_reals: value = name + "(x[i].re, x[i].im)"; break;
        }
        text += "KERNEL void of_" + std::string(word.kernel) + "(GLOBAL_MEM const " + c + " *x, GLOBAL_MEM const " + c +
                " *y, GLOBAL_MEM " + c + " *out)\n{\n    int64_t i = GLOBAL_ID_0;\n    out[i] = " + value + ";\n}\n";
    }
    return text;
}

}  // namespace elementary
