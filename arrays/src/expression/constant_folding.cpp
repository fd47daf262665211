#include "expression/constant_folding.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <utility>

namespace gemel {
namespace {

using Number = AnyExpr::Number;
__extension__ typedef __int128 Wide;  // holds every sum and product of two 64-bit numbers but the largest unsigned ones

template <class T>
T as(const Number& number) {
    return std::visit(
        [](const auto& value) -> T {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, cdouble>) {
                if constexpr (std::is_same_v<T, cdouble>) return value;
                return T(value.real());
            } else if constexpr (std::is_same_v<T, cdouble>) {
                return cdouble(static_cast<double>(value));
            } else {
                return static_cast<T>(value);
            }
        },
        number);
}

Number narrowed(Wide value) {
    if (value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max())
        return static_cast<std::int64_t>(value);
    if (value > 0 && value <= Wide(std::numeric_limits<std::uint64_t>::max())) return static_cast<std::uint64_t>(value);
    throw ArgumentError("a whole number of an expression has no place in 64 bits; write it as a floating-point number");
}

bool is_remainder(std::string_view name) { return name == "remainder" || name == "operator%"; }

Wide product(Wide a, Wide b) {
    Wide result;
    if (__builtin_mul_overflow(a, b, &result)) result = std::numeric_limits<std::int64_t>::max() * Wide(4);
    return result;
}

Wide power(Wide base, Wide exponent) {
    if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
    if (base == -1) return exponent % 2 ? -1 : 1;
    Wide result = 1;
    for (Wide k = 0; k < std::min<Wide>(exponent, 64); ++k) result = as<Wide>(narrowed(product(result, base)));
    return result;
}

std::optional<Number> fold_whole(std::string_view name, const Wide* n, std::size_t count) {
    if (count == 1) {
        if (name == "operator-") return narrowed(-n[0]);
        if (name == "operator+") return narrowed(n[0]);
        if (name == "operator~") return narrowed(~n[0]);
        if (name == "abs") return narrowed(n[0] < 0 ? -n[0] : n[0]);
        if (name == "square") return narrowed(product(n[0], n[0]));
        for (const char* same : {"real", "conj", "floor", "ceil", "trunc", "rint", "round"})
            if (name == same) return narrowed(n[0]);
        return {};
    }
    if (name == "operator+") return narrowed(n[0] + n[1]);
    if (name == "operator-") return narrowed(n[0] - n[1]);
    if (name == "operator*") return narrowed(product(n[0], n[1]));
    if (name == "floor_divide" || is_remainder(name)) {
        if (n[1] == 0) throw ArgumentError(text(name, ": a whole number is divided by zero"));
        const Wide rest = n[0] % n[1], up = rest != 0 && (rest < 0) != (n[1] < 0) ? 1 : 0;
        return narrowed(is_remainder(name) ? rest + up * n[1] : n[0] / n[1] - up);
    }
    if (name == "operator&") return narrowed(n[0] & n[1]);
    if (name == "operator|") return narrowed(n[0] | n[1]);
    if (name == "operator^") return narrowed(n[0] ^ n[1]);
    if (name == "pow" && n[1] >= 0) return narrowed(power(n[0], n[1]));
    if (name == "operator<<" || name == "operator>>") {
        if (n[1] < 0) throw ArgumentError(text(name, ": a whole number is shifted by a negative one"));
        const int places = static_cast<int>(std::min<Wide>(n[1], 64));
        return narrowed(name == "operator<<" ? product(n[0], Wide(1) << places) : n[0] >> places);
    }
    if (name == "minimum") return narrowed(std::min(n[0], n[1]));
    if (name == "maximum") return narrowed(std::max(n[0], n[1]));
    return {};
}

template <class T>
std::optional<Number> fold_comparison(std::string_view name, const T* n, std::size_t count) {
    if (count == 1) return name == "logical_not" ? std::optional<Number>(n[0] == T(0)) : std::nullopt;
    const bool a = n[0] != T(0), b = n[1] != T(0);
    if (name == "operator&&" || name == "logical_and") return a && b;
    if (name == "operator||" || name == "logical_or") return a || b;
    if (name == "logical_xor") return a != b;
    if (name == "operator==") return n[0] == n[1];
    if (name == "operator!=") return n[0] != n[1];
    if constexpr (!std::is_same_v<T, cdouble>) {
        if (name == "operator<") return n[0] < n[1];
        if (name == "operator>") return n[0] > n[1];
        if (name == "operator<=") return n[0] <= n[1];
        if (name == "operator>=") return n[0] >= n[1];
    }
    return {};
}

template <class T>
std::optional<Number> fold_arithmetic(std::string_view name, const T* n, std::size_t count) {
    if (count == 1) {
        if (name == "operator-") return -n[0];
        if (name == "operator+") return n[0];
        if (name == "square") return n[0] * n[0];
        if constexpr (std::is_same_v<T, cdouble>) {
            if (name == "abs") return std::abs(n[0]);
            if (name == "real") return n[0].real();
            if (name == "imag") return n[0].imag();
            if (name == "conj") return std::conj(n[0]);
        }
    } else {
        if (name == "operator+") return n[0] + n[1];
        if (name == "operator-") return n[0] - n[1];
        if (name == "operator*") return n[0] * n[1];
        if (name == "operator/") return n[0] / n[1];
        if (name == "pow") return std::pow(n[0], n[1]);
    }
    return {};
}

/// The kernel's floor_divide() and remainder().
std::optional<Number> fold_division(std::string_view name, double a, double b) {
    double rest = std::fmod(a, b);
    if (is_remainder(name)) {
        if (rest == 0) return std::copysign(rest, b);
        return (rest < 0) != (b < 0) ? rest + b : rest;
    }
    if (name != "floor_divide") return {};
    if (b == 0) return a / b;
    double quotient = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(quotient, a / b);
    const double down = std::floor(quotient);
    return 2 * (quotient - down) > 1 ? down + 1 : down;
}

std::optional<Number> fold_function(std::string_view name, double x) {
    static constexpr std::pair<const char*, double (*)(double)> functions[] = {
        {"sqrt", std::sqrt},   {"exp", std::exp},     {"log", std::log},     {"log2", std::log2},
        {"sin", std::sin},     {"cos", std::cos},     {"tan", std::tan},     {"asin", std::asin},
        {"acos", std::acos},   {"atan", std::atan},   {"sinh", std::sinh},   {"cosh", std::cosh},
        {"tanh", std::tanh},   {"log10", std::log10}, {"asinh", std::asinh}, {"acosh", std::acosh},
        {"atanh", std::atanh}, {"exp2", std::exp2},   {"expm1", std::expm1}, {"log1p", std::log1p},
        {"cbrt", std::cbrt},   {"erf", std::erf},     {"erfc", std::erfc},   {"abs", std::fabs},
        {"floor", std::floor}, {"ceil", std::ceil},   {"trunc", std::trunc}, {"rint", std::nearbyint}};
    for (const auto& [own, function] : functions)
        if (name == own) return function(x);
    if (name == "real" || name == "conj") return x;
    if (name == "imag") return 0.0;
    return {};
}

std::optional<Number> fold_function(std::string_view name, double a, double b) {
    static constexpr std::pair<const char*, double (*)(double, double)> functions[] = {
        {"atan2", std::atan2}, {"hypot", std::hypot}, {"copysign", std::copysign}, {"fmod", std::fmod}};
    for (const auto& [own, function] : functions)
        if (name == own) return function(a, b);
    if (name == "minimum") return a < b || std::isnan(a) ? a : b;
    if (name == "maximum") return a > b || std::isnan(a) ? a : b;
    return fold_division(name, a, b);
}

}  // namespace

std::optional<Number> fold(std::string_view operation, std::span<const Number> numbers) {
    if (numbers.empty() || numbers.size() > 2) return {};
    const std::size_t count = numbers.size();
    bool whole = true, complex = false;
    for (const Number& number : numbers) {
        whole &= number.index() < 3;
        complex |= std::holds_alternative<cdouble>(number);
    }
    if (whole) {
        const Wide n[2] = {as<Wide>(numbers.front()), as<Wide>(numbers.back())};
        if (const auto value = fold_comparison(operation, n, count)) return value;
        if (const auto value = fold_whole(operation, n, count)) return value;
    }
    if (complex) {
        const cdouble n[2] = {as<cdouble>(numbers.front()), as<cdouble>(numbers.back())};
        if (const auto value = fold_comparison(operation, n, count)) return value;
        return fold_arithmetic(operation, n, count);
    }
    const double n[2] = {as<double>(numbers.front()), as<double>(numbers.back())};
    if (const auto value = fold_comparison(operation, n, count)) return value;
    if (const auto value = fold_arithmetic(operation, n, count)) return value;
    return count == 1 ? fold_function(operation, n[0]) : fold_function(operation, n[0], n[1]);
}

}  // namespace gemel
