/// The table of expression operations: a row each, with types, text and values for host numbers.
#include <gemel/codegen/operations.hpp>

#include "operations/complex_texts.hpp"
#include "operations/folding.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <array>
#include <iterator>
#include <limits>
#include <type_traits>
#include <unordered_map>

namespace gemel::codegen {
namespace {

constexpr Operation row(const char* name, std::uint8_t operands, Compute compute, TypeRule rule, const char* text,
                        const char* complex_text, const char* helper, const Folding& folding) {
    return {{name, operands, rule, compute, complex_text[0] ? Numbers::complex : Numbers::real},
            text,
            complex_text,
            helper,
            &folding};
}

// Helpers that two operations share.
constexpr const char* rint_helper =
    "WITHIN_KERNEL $ rint_$($ a)\n{\n    %real return rint(a);\n    %whole return a;\n}\n";
constexpr const char* remainder_helper =
    "WITHIN_KERNEL $ remainder_$($ a, $ b)\n{\n"
    "    %real $ r = fmod(a, b);\n"
    "    %real if (r == 0) return copysign(r, b);\n"
    "    %whole $ r = b == 0 || (b < 0 && b + 1 == 0) ? 0 : a % b;\n"
    "    return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;\n}\n";

constexpr Operation rows[] = {
    row("operator+", 2, Compute::in_common, TypeRule::common, "@#1 + @#2", "c_add(#1, #2)", "", folding::add),
    row("operator-", 2, Compute::in_common, TypeRule::difference, "@#1 - @#2", "c_sub(#1, #2)", "", folding::subtract),
    row("operator*", 2, Compute::in_common, TypeRule::common, "@#1 * @#2", "c_mul(#1, #2)", "", folding::multiply),
    row("operator/", 2, Compute::in_result, TypeRule::quotient, "#1 / #2", "c_div(#1, #2)", "", folding::divide),
    row("operator-", 1, Compute::in_common, TypeRule::difference, "-@#1", "c_neg(#1)", "", folding::negate),
    row("operator+", 1, Compute::in_common, TypeRule::difference, "+#1", "#1", "", folding::plus),
    row("operator~", 1, Compute::in_common, TypeRule::bitwise, "#1 ^ ($)-1", "", "", folding::invert),
    row("operator&", 2, Compute::in_common, TypeRule::bitwise, "#1 & #2", "", "", folding::bit_and),
    row("operator|", 2, Compute::in_common, TypeRule::bitwise, "#1 | #2", "", "", folding::bit_or),
    row("operator^", 2, Compute::in_common, TypeRule::bitwise, "#1 ^ #2", "", "", folding::bit_xor),
    row("operator<<", 2, Compute::in_result, TypeRule::shift, "shift_left_$(#1, #2)", "",
        "WITHIN_KERNEL $ shift_left_$($ a, $ b)\n{\n"
        "    return (uint64_t)b < 8 * sizeof(a) ? ($)(@a << b) : 0;\n}\n",
        folding::shift_left),
    row("operator>>", 2, Compute::in_result, TypeRule::shift, "shift_right_$(#1, #2)", "",
        "WITHIN_KERNEL $ shift_right_$($ a, $ b)\n{\n"
        "    return (uint64_t)b < 8 * sizeof(a) ? ($)(a >> b) : a < 0 ? -1 : 0;\n}\n",
        folding::shift_right),
    row("operator==", 2, Compute::in_common, TypeRule::comparison, "#1 == #2",
        "(c_real(#1) == c_real(#2) && c_imag(#1) == c_imag(#2))", "", folding::equal),
    row("operator!=", 2, Compute::in_common, TypeRule::comparison, "#1 != #2",
        "(c_real(#1) != c_real(#2) || c_imag(#1) != c_imag(#2))", "", folding::not_equal),
    row("operator<", 2, Compute::in_common, TypeRule::comparison, "#1 < #2", "", "", folding::less),
    row("operator>", 2, Compute::in_common, TypeRule::comparison, "#1 > #2", "", "", folding::greater),
    row("operator<=", 2, Compute::in_common, TypeRule::comparison, "#1 <= #2", "", "", folding::less_equal),
    row("operator>=", 2, Compute::in_common, TypeRule::comparison, "#1 >= #2", "", "", folding::greater_equal),
    row("logical_and", 2, Compute::in_common, TypeRule::truth, "#1 != 0 && #2 != 0",
        "((c_real(#1) != 0 || c_imag(#1) != 0) && (c_real(#2) != 0 || c_imag(#2) != 0))", "", folding::logical_and),
    row("logical_or", 2, Compute::in_common, TypeRule::truth, "#1 != 0 || #2 != 0",
        "(c_real(#1) != 0 || c_imag(#1) != 0 || c_real(#2) != 0 || c_imag(#2) != 0)", "", folding::logical_or),
    row("logical_xor", 2, Compute::in_common, TypeRule::truth, "(#1 != 0) != (#2 != 0)",
        "(c_real(#1) != 0 || c_imag(#1) != 0) != (c_real(#2) != 0 || c_imag(#2) != 0)", "", folding::logical_xor),
    row("logical_not", 1, Compute::in_common, TypeRule::truth, "#1 == 0", "(c_real(#1) == 0 && c_imag(#1) == 0)", "",
        folding::logical_not),
    row("floor_divide", 2, Compute::in_result, TypeRule::remainder, "floor_divide_$(#1, #2)", "",
        "WITHIN_KERNEL $ floor_divide_$($ a, $ b)\n{\n"
        "    %real if (b == 0) return a / b;\n"
        "    %real $ r = fmod(a, b), q = (a - r) / b;\n"
        "    %real if (r != 0 && (r < 0) != (b < 0)) q -= 1;\n"
        "    %real if (q == 0) return copysign(q, a / b);\n"
        "    %real $ f = floor(q);\n"
        "    %real return 2 * (q - f) > 1 ? f + 1 : f;\n"
        "    %whole if (b == 0) return 0;\n"
        "    %whole if (b < 0 && b + 1 == 0) return ($)-@a;\n"
        "    %whole $ q = a / b;\n"
        "    %whole return q * b != a && ((a < 0) != (b < 0)) ? q - 1 : q;\n}\n",
        folding::floor_divide),
    row("remainder", 2, Compute::in_result, TypeRule::remainder, "remainder_$(#1, #2)", "", remainder_helper,
        folding::remainder),
    row("operator%", 2, Compute::in_result, TypeRule::remainder, "remainder_$(#1, #2)", "", remainder_helper,
        folding::remainder),
    row("pow", 2, Compute::in_result, TypeRule::power, "power_$(#1, #2)", "c_pow(#1, #2)",
        "WITHIN_KERNEL $ power_$($ a, $ b)\n{\n    %real return pow(a, b);\n    %whole $ p = 1;\n"
        "    %whole if (b < 0) return a == 1 ? 1 : a == ($)-1 ? (b % 2 ? -1 : 1) : 0;\n"
        "    %whole for (; b > 0; b /= 2, a = ($)(@a * @a)) if (b % 2) p = ($)(@p * @a);\n"
        "    %whole return p;\n}\n",
        folding::power),
    row("minimum", 2, Compute::in_common, TypeRule::common, "minimum_$(#1, #2)", "",
        "WITHIN_KERNEL $ minimum_$($ a, $ b)\n{\n    %real return a < b || a != a ? a : b;\n    %whole return a < "
        "b ? a : b;\n}\n",
        folding::minimum),
    row("maximum", 2, Compute::in_common, TypeRule::common, "maximum_$(#1, #2)", "",
        "WITHIN_KERNEL $ maximum_$($ a, $ b)\n{\n    %real return a > b || a != a ? a : b;\n    %whole return a > "
        "b ? a : b;\n}\n",
        folding::maximum),
    row("abs", 1, Compute::in_common, TypeRule::magnitude, "abs_$(#1)", "c_abs(#1)",
        "WITHIN_KERNEL $ abs_$($ a)\n{\n    %real return fabs(a);\n    %whole return ($)(a < 0 ? -@a : @a);\n}\n",
        folding::magnitude),
    row("real", 1, Compute::in_common, TypeRule::magnitude, "#1", "c_real(#1)", "", folding::real_part),
    row("imag", 1, Compute::in_common, TypeRule::magnitude, "0", "c_imag(#1)", "", folding::imaginary_part),
    row("conj", 1, Compute::in_common, TypeRule::common, "#1", "c_conj(#1)", "", folding::conjugate),
    row("square", 1, Compute::in_common, TypeRule::common, "square_$(#1)", "square_$(#1)",
        "WITHIN_KERNEL $ square_$($ a)\n{\n    %real return a * a;\n    %whole return ($)(@a * @a);\n    %complex "
        "return "
        "c_mul(a, a);\n}\n",
        folding::square),
    row("sin", 1, Compute::in_result, TypeRule::elementary, "sin(#1)", "c_sin(#1)", "", folding::function<std::sin>),
    row("cos", 1, Compute::in_result, TypeRule::elementary, "cos(#1)", "c_cos(#1)", "", folding::function<std::cos>),
    row("tan", 1, Compute::in_result, TypeRule::elementary, "tan(#1)", "c_tan(#1)", "", folding::function<std::tan>),
    row("sinh", 1, Compute::in_result, TypeRule::elementary, "sinh(#1)", "c_sinh(#1)", "",
        folding::function<std::sinh>),
    row("cosh", 1, Compute::in_result, TypeRule::elementary, "cosh(#1)", "c_cosh(#1)", "",
        folding::function<std::cosh>),
    row("tanh", 1, Compute::in_result, TypeRule::elementary, "tanh(#1)", "c_tanh(#1)", "",
        folding::function<std::tanh>),
    row("exp", 1, Compute::in_result, TypeRule::elementary, "exp(#1)", "c_exp(#1)", "", folding::function<std::exp>),
    row("log", 1, Compute::in_result, TypeRule::elementary, "log(#1)", "c_log(#1)", "", folding::function<std::log>),
    row("sqrt", 1, Compute::in_result, TypeRule::elementary, "sqrt(#1)", "c_sqrt(#1)", "",
        folding::function<std::sqrt>),
    row("log10", 1, Compute::in_result, TypeRule::elementary, "log10(#1)", "c_log10(#1)", "",
        folding::function<std::log10>),
    row("asin", 1, Compute::in_result, TypeRule::elementary, "asin(#1)", "asin_$(#1)",
        GEMEL_COMPLEX_HELPER("asin", GEMEL_COMPLEX_ASIN), folding::function<std::asin>),
    row("acos", 1, Compute::in_result, TypeRule::elementary, "acos(#1)", "acos_$(#1)",
        GEMEL_COMPLEX_HELPER("acos", GEMEL_COMPLEX_ACOS), folding::function<std::acos>),
    row("asinh", 1, Compute::in_result, TypeRule::elementary, "asinh(#1)", "asinh_$(#1)",
        GEMEL_COMPLEX_HELPER("asinh", GEMEL_COMPLEX_ASINH), folding::function<std::asinh>),
    row("acosh", 1, Compute::in_result, TypeRule::elementary, "acosh(#1)", "acosh_$(#1)",
        GEMEL_COMPLEX_HELPER("acosh", GEMEL_COMPLEX_ACOSH), folding::function<std::acosh>),
    row("atanh", 1, Compute::in_result, TypeRule::elementary, "atanh(#1)", "atanh_$(#1)",
        GEMEL_COMPLEX_HELPER("atanh", GEMEL_COMPLEX_ATANH("c_real(z)", "c_imag(z)", "%complex return w;\n")),
        folding::function<std::atanh>),
    row("atan", 1, Compute::in_result, TypeRule::elementary, "atan(#1)", "atan_$(#1)",
        GEMEL_COMPLEX_HELPER(
            "atan", GEMEL_COMPLEX_ATANH("-c_imag(z)", "c_real(z)", "%complex return $_new(c_imag(w), -c_real(w));\n")),
        folding::function<std::atan>),
    row("exp2", 1, Compute::in_result, TypeRule::elementary, "exp2(#1)", "exp2_$(#1)",
        GEMEL_COMPLEX_HELPER("exp2", "%complex return c_exp(c_mul(z, c_real(c_log($_new(2, 0)))));\n"),
        folding::function<std::exp2>),
    row("log2", 1, Compute::in_result, TypeRule::elementary, "log2(#1)", "log2_$(#1)",
        GEMEL_COMPLEX_HELPER("log2", "%complex return c_div(c_log(z), c_real(c_log($_new(2, 0))));\n"),
        folding::function<std::log2>),
    row("expm1", 1, Compute::in_result, TypeRule::elementary, "expm1(#1)", "expm1_$(#1)",
        GEMEL_COMPLEX_HELPER("expm1",
                             "%complex $ s = $_new(sin(c_imag(z) / 2), 0);\n"
                             "%complex return $_new(expm1(c_real(z)) * cos(c_imag(z)) - 2 * c_real(s) * c_real(s), "
                             "exp(c_real(z)) * sin(c_imag(z)));\n"),
        folding::function<std::expm1>),
    row("log1p", 1, Compute::in_result, TypeRule::elementary, "log1p(#1)", "log1p_$(#1)",
        GEMEL_COMPLEX_HELPER(
            "log1p",
            "%complex if (2 * fabs(c_real(z)) > 1 || 2 * fabs(c_imag(z)) > 1) return c_log(c_add(1, z));\n"
            "%complex return $_new(log1p(c_real(z) * (2 + c_real(z)) + c_imag(z) * c_imag(z)) / 2, "
            "atan2(c_imag(z), 1 + c_real(z)));\n"),
        folding::function<std::log1p>),
    row("rsqrt", 1, Compute::in_result, TypeRule::elementary, "rsqrt(#1)", "rsqrt_$(#1)",
        GEMEL_COMPLEX_HELPER("rsqrt", "%complex return c_div(1, c_sqrt(z));\n"), folding::nothing),
    row("exp10", 1, Compute::in_result, TypeRule::elementary, "exp10(#1)", "", "", folding::nothing),
    row("cbrt", 1, Compute::in_result, TypeRule::elementary, "cbrt(#1)", "", "", folding::function<std::cbrt>),
    row("erf", 1, Compute::in_result, TypeRule::elementary, "erf(#1)", "", "", folding::function<std::erf>),
    row("erfc", 1, Compute::in_result, TypeRule::elementary, "erfc(#1)", "", "", folding::function<std::erfc>),
    row("tgamma", 1, Compute::in_result, TypeRule::elementary, "tgamma(#1)", "", "", folding::nothing),
    row("lgamma", 1, Compute::in_result, TypeRule::elementary, "lgamma(#1)", "", "", folding::nothing),
    row("sinpi", 1, Compute::in_result, TypeRule::elementary, "sinpi(#1)", "", "", folding::nothing),
    row("cospi", 1, Compute::in_result, TypeRule::elementary, "cospi(#1)", "", "", folding::nothing),
    row("tanpi", 1, Compute::in_result, TypeRule::elementary, "tanpi(#1)", "", "", folding::nothing),
    row("asinpi", 1, Compute::in_result, TypeRule::elementary, "asinpi(#1)", "", "", folding::nothing),
    row("acospi", 1, Compute::in_result, TypeRule::elementary, "acospi(#1)", "", "", folding::nothing),
    row("atanpi", 1, Compute::in_result, TypeRule::elementary, "atanpi(#1)", "", "", folding::nothing),
    row("atan2pi", 2, Compute::in_result, TypeRule::real_elementary, "atan2pi(#1, #2)", "", "", folding::nothing),
    row("logb", 1, Compute::in_result, TypeRule::elementary, "logb(#1)", "", "", folding::nothing),
    row("ilogb", 1, Compute::in_common, TypeRule::exponent, "ilogb_$(#1)", "",
        "WITHIN_KERNEL int ilogb_$($ a)\n{\n    if (a == 0 || a != a) return -2147483647 - 1;\n"
        "    return fabs(a) == INFINITY ? 2147483647 : ilogb(a);\n}\n",
        folding::nothing),
    row("frexp_mantissa", 1, Compute::in_result, TypeRule::real_elementary, "frexp_mantissa_$(#1)", "",
        "WITHIN_KERNEL $ frexp_mantissa_$($ a)\n{\n    int n;\n"
        "    return a == 0 || !(fabs(a) < INFINITY) ? a : frexp(a, &n);\n}\n",
        folding::nothing),
    row("frexp_exponent", 1, Compute::in_common, TypeRule::exponent, "frexp_exponent_$(#1)", "",
        "WITHIN_KERNEL int frexp_exponent_$($ a)\n{\n    int n;\n"
        "    if (a == 0 || !(fabs(a) < INFINITY)) return 0;\n    frexp(a, &n);\n    return n;\n}\n",
        folding::nothing),
    row("modf_fraction", 1, Compute::in_result, TypeRule::real_elementary, "modf_fraction_$(#1)", "",
        "WITHIN_KERNEL $ modf_fraction_$($ a)\n{\n"
        "    return copysign(fabs(a) == INFINITY ? ($)0 : a - trunc(a), a);\n}\n",
        folding::nothing),
    row("modf_whole", 1, Compute::in_result, TypeRule::real_elementary, "trunc(#1)", "", "", folding::nothing),
    row("atan2", 2, Compute::in_result, TypeRule::real_elementary, "atan2(#1, #2)", "", "",
        folding::function_of_two<std::atan2>),
    row("hypot", 2, Compute::in_result, TypeRule::real_elementary, "hypot(#1, #2)", "", "",
        folding::function_of_two<std::hypot>),
    row("copysign", 2, Compute::in_result, TypeRule::real_elementary, "copysign(#1, #2)", "", "",
        folding::function_of_two<std::copysign>),
    row("fmod", 2, Compute::in_result, TypeRule::remainder, "fmod_$(#1, #2)", "",
        "WITHIN_KERNEL $ fmod_$($ a, $ b)\n{\n    %real return fmod(a, b);\n"
        "    %whole return b == 0 || (b < 0 && b + 1 == 0) ? 0 : a % b;\n}\n",
        folding::function_of_two<std::fmod>),
    row("sign", 1, Compute::in_common, TypeRule::rounding, "sign_$(#1)", "",
        "WITHIN_KERNEL $ sign_$($ a)\n{\n    %real if (a != a) return a;\n    return a > 0 ? 1 : a < 0 ? -1 : 0;\n}\n",
        folding::nothing),
    row("floor", 1, Compute::in_common, TypeRule::rounding, "floor_$(#1)", "",
        "WITHIN_KERNEL $ floor_$($ a)\n{\n    %real return floor(a);\n    %whole return a;\n}\n", folding::floor),
    row("ceil", 1, Compute::in_common, TypeRule::rounding, "ceil_$(#1)", "",
        "WITHIN_KERNEL $ ceil_$($ a)\n{\n    %real return ceil(a);\n    %whole return a;\n}\n", folding::ceil),
    row("trunc", 1, Compute::in_common, TypeRule::rounding, "trunc_$(#1)", "",
        "WITHIN_KERNEL $ trunc_$($ a)\n{\n    %real return trunc(a);\n    %whole return a;\n}\n", folding::trunc),
    row("rint", 1, Compute::in_common, TypeRule::rounding, "rint_$(#1)", "", rint_helper, folding::rint),
    row("round", 1, Compute::in_common, TypeRule::rounding, "rint_$(#1)", "", rint_helper, folding::whole_alone),
    row("isnan", 1, Compute::in_common, TypeRule::truth, "isnan_$(#1)",
        "(c_real(#1) != c_real(#1) || c_imag(#1) != c_imag(#1))",
        "WITHIN_KERNEL int isnan_$($ a)\n{\n    %real return a != a;\n    %whole return 0;\n}\n", folding::nothing),
    row("isinf", 1, Compute::in_common, TypeRule::truth, "isinf_$(#1)",
        "(fabs(c_real(#1)) == INFINITY || fabs(c_imag(#1)) == INFINITY)",
        "WITHIN_KERNEL int isinf_$($ a)\n{\n    %real return fabs(a) == INFINITY;\n    %whole return 0;\n}\n",
        folding::nothing),
    row("isfinite", 1, Compute::in_common, TypeRule::truth, "isfinite_$(#1)",
        "(fabs(c_real(#1)) < INFINITY && fabs(c_imag(#1)) < INFINITY)",
        "WITHIN_KERNEL int isfinite_$($ a)\n{\n    %real return fabs(a) < INFINITY;\n    %whole return 1;\n}\n",
        folding::nothing),
    row("hankel_0", 1, Compute::in_result, TypeRule::complex_alone, "", "hankel_0_$(#1)", GEMEL_HANKEL("0", "a"),
        folding::nothing),
    row("hankel_1", 1, Compute::in_result, TypeRule::complex_alone, "", "hankel_1_$(#1)", GEMEL_HANKEL("1", "b"),
        folding::nothing),
    row("ldexp", 2, Compute::by_exponent, TypeRule::real_elementary, "ldexp_$(#1, #2)", "",
        "WITHIN_KERNEL $ ldexp_$($ x, int64_t n)\n{\n"
        "    return ldexp(x, (int)(n > 10000 ? 10000 : n < -10000 ? -10000 : n));\n}\n",
        folding::nothing),
    row("bessel_jn", 2, Compute::after_order, TypeRule::elementary, "bessel_jn_$(#1, #2)", "bessel_jn_$(#1, #2)",
        GEMEL_BESSEL_HELPER("bessel_jn"), folding::nothing),
    row("bessel_yn", 2, Compute::after_order, TypeRule::elementary, "bessel_yn_$(#1, #2)", "bessel_yn_$(#1, #2)",
        GEMEL_BESSEL_HELPER("bessel_yn"), folding::nothing),
    row("where", 3, Compute::by_condition, TypeRule::common, "#1 ? #2 : #3", "#1 ? #2 : #3", "", folding::nothing),
    row("astype", 1, Compute::by_cast, TypeRule::common, "#1", "#1", "", folding::nothing),
};

/// The texts of cheap powers of real numbers and of integers; integers wrap around.
struct CheapPower {
    double exponent;
    const char *text, *helper;
};
#define GEMEL_POWER(exponent, name, real, whole) \
    CheapPower { \
        exponent, "power_" name "_$(#1)", \
            "WITHIN_KERNEL $ power_" name "_$($ a)\n{\n    %real " real "\n    %whole " whole "\n}\n" \
    }

// (1 / a) * (1 / a) preserves results whose squares would overflow or lose their digits. As with pow(), the square root
// of -0.0 is 0.0 and that of -INFINITY is INFINITY, by adding 0 and by the comparison.
constexpr CheapPower cheap_powers[] = {
    GEMEL_POWER(0, "by_0", "return 1;", "return 1;"),
    GEMEL_POWER(1, "by_1", "return a;", "return a;"),
    GEMEL_POWER(2, "by_2", "return a * a;", "return ($)(@a * @a);"),
    GEMEL_POWER(3, "by_3", "return a * a * a;", "return ($)(@a * @a * @a);"),
    GEMEL_POWER(4, "by_4", "return (a * a) * (a * a);", "return ($)(@a * @a * @a * @a);"),
    GEMEL_POWER(-1, "by_minus_1", "return 1 / a;", "return a == 1 || a == ($)-1 ? a : 0;"),
    GEMEL_POWER(-2, "by_minus_2", "return (1 / a) * (1 / a);", "return a == 1 || a == ($)-1 ? 1 : 0;"),
    GEMEL_POWER(0.5, "by_half", "return a == -INFINITY ? ($)INFINITY : sqrt(a + 0);", ""),
    GEMEL_POWER(-0.5, "by_minus_half", "return a == -INFINITY ? ($)0 : 1 / sqrt(a + 0);", ""),
};
#undef GEMEL_POWER

}  // namespace

std::uint8_t cheap_power(const AnyNumber& exponent) {
    const double number = std::visit(
        [](const auto& value) -> double {
            if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) return static_cast<double>(value);
            return std::numeric_limits<double>::quiet_NaN();
        },
        exponent);
    for (std::size_t k = 0; k < std::size(cheap_powers); ++k)
        if (number == cheap_powers[k].exponent) return static_cast<std::uint8_t>(k + 1);
    return 0;
}

const Operation& cheap_power_row(std::uint8_t which) {
    static constexpr auto made = [] {
        std::array<Operation, std::size(cheap_powers)> operations{};
        for (std::size_t k = 0; k < operations.size(); ++k)
            operations[k] = row("pow", 2, Compute::in_result, TypeRule::power, cheap_powers[k].text, "",
                                cheap_powers[k].helper, folding::power);
        return operations;
    }();
    return made.at(which - std::size_t{1});
}

std::span<const Operation> all_operations() { return rows; }

const Operation* find_operation(std::string_view name, std::size_t operands) {
    static const auto& by_name = *[] {
        auto* map = new std::unordered_multimap<std::string_view, const Operation*>;
        for (const Operation& operation : rows) map->emplace(operation.name, &operation);
        return map;
    }();
    const auto [first, last] = by_name.equal_range(name);
    for (auto found = first; found != last; ++found)
        if (found->second->operands == operands) return found->second;
    return nullptr;
}

const Operation& row_of(const OperationType& type) {
    const Operation* const found = find_operation(type.name, type.operands);
    if (!found)
        throw ArgumentError(text(type.name, ": there is no such operation of ", int{type.operands},
                                 " operands; add its row to operations.cpp"));
    const OperationType& own = *found;
    if (own.rule != type.rule || own.compute != type.compute || own.numbers != type.numbers)
        throw ArgumentError(
            text(type.name, ": its rules in C++ differ from those of its row; make them equal in operations.cpp"));
    return *found;
}

}  // namespace gemel::codegen
