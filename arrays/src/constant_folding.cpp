#include "constant_folding.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

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

std::optional<Number> fold_whole(std::string_view name, const Wide* n, std::size_t count) {
    if (count == 1) {
        if (name == "operator-") return narrowed(-n[0]);
        if (name == "operator+") return narrowed(n[0]);
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
    if (name == "pow" && n[1] >= 0 && n[1] < 64) {
        Wide power = 1;
        for (Wide k = 0; k < n[1]; ++k) power = as<Wide>(narrowed(product(power, n[0])));
        return narrowed(power);
    }
    return {};
}

template <class T>
std::optional<Number> fold_arithmetic(std::string_view name, const T* n, std::size_t count) {
    if (count == 1) {
        if (name == "operator-") return -n[0];
        if (name == "operator+") return n[0];
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
        {"sqrt", std::sqrt}, {"exp", std::exp},   {"log", std::log},   {"log2", std::log2},  {"sin", std::sin},
        {"cos", std::cos},   {"tan", std::tan},   {"asin", std::asin}, {"acos", std::acos},  {"atan", std::atan},
        {"sinh", std::sinh}, {"cosh", std::cosh}, {"tanh", std::tanh}, {"log10", std::log10}};
    for (const auto& [own, function] : functions)
        if (name == own) return function(x);
    return {};
}

}  // namespace

std::optional<Number> fold(std::string_view operation, std::span<const Number> numbers) {
    if (numbers.empty() || numbers.size() > 2) return {};
    bool whole = true, complex = false;
    for (const Number& number : numbers) {
        whole &= number.index() < 3;
        complex |= std::holds_alternative<cdouble>(number);
    }
    if (whole) {
        const Wide n[2] = {as<Wide>(numbers.front()), as<Wide>(numbers.back())};
        if (const auto value = fold_whole(operation, n, numbers.size())) return value;
    }
    if (complex) {
        const cdouble n[2] = {as<cdouble>(numbers.front()), as<cdouble>(numbers.back())};
        return fold_arithmetic(operation, n, numbers.size());
    }
    const double n[2] = {as<double>(numbers.front()), as<double>(numbers.back())};
    if (const auto value = fold_arithmetic(operation, n, numbers.size())) return value;
    return numbers.size() == 1 ? fold_function(operation, n[0]) : fold_division(operation, n[0], n[1]);
}

}  // namespace gemel
