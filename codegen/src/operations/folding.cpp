/// Operations on host numbers.
#include "operations/folding.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <limits>
#include <type_traits>

namespace gemel::codegen {
namespace {

template <class T>
T as(const AnyNumber& number) {
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

}  // namespace

AnyNumber folding::narrowed(Wide value) {
    if (value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max())
        return static_cast<std::int64_t>(value);
    if (value > 0 && value <= Wide(std::numeric_limits<std::uint64_t>::max())) return static_cast<std::uint64_t>(value);
    throw ArgumentError("expression: an integer does not fit 64 bits; write it as a floating-point number");
}

Wide folding::product(Wide a, Wide b) {
    Wide result;
    if (__builtin_mul_overflow(a, b, &result)) result = std::numeric_limits<std::int64_t>::max() * Wide(4);
    return result;
}

std::optional<AnyNumber> folding::whole_power(const char*, Wide base, Wide exponent) {
    if (exponent < 0) return {};
    if (base == 0 || base == 1) return narrowed(exponent == 0 ? 1 : base);
    if (base == -1) return narrowed(exponent % 2 ? -1 : 1);
    Wide result = 1;
    for (Wide k = 0; k < std::min<Wide>(exponent, 64); ++k) result = as<Wide>(narrowed(product(result, base)));
    return narrowed(result);
}

namespace {

/// The remainder and the quotient, rounded down.
std::pair<Wide, Wide> divided(const char* name, Wide a, Wide b) {
    if (b == 0)
        throw ArgumentError(
            text(name, ": expected a divisor other than 0, got integer 0; divide by 0.0 for infinity or NaN"));
    const Wide rest = a % b, up = rest != 0 && (rest < 0) != (b < 0) ? 1 : 0;
    return {rest + up * b, a / b - up};
}

int shift_count(const char* name, Wide count) {
    if (count < 0) throw ArgumentError(text(name, ": expected a shift of at least 0, got a negative one"));
    return static_cast<int>(std::min<Wide>(count, 64));
}

}  // namespace

std::optional<AnyNumber> folding::whole_quotient(const char* name, Wide a, Wide b) {
    return narrowed(divided(name, a, b).second);
}
std::optional<AnyNumber> folding::whole_remainder(const char* name, Wide a, Wide b) {
    return narrowed(divided(name, a, b).first);
}
std::optional<AnyNumber> folding::shifted_left(const char* name, Wide a, Wide count) {
    return narrowed(product(a, Wide(1) << shift_count(name, count)));
}
std::optional<AnyNumber> folding::shifted_right(const char* name, Wide a, Wide count) {
    return narrowed(a >> shift_count(name, count));
}

AnyNumber folding::real_remainder(double a, double b) {
    const double rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(rest, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
}

AnyNumber folding::real_quotient(double a, double b) {
    if (b == 0) return a / b;
    const double rest = std::fmod(a, b);
    double quotient = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(quotient, a / b);
    const double down = std::floor(quotient);
    return 2 * (quotient - down) > 1 ? down + 1 : down;
}

std::optional<AnyNumber> fold(const Operation& operation, std::span<const AnyNumber> numbers) {
    if (numbers.empty() || numbers.size() > 2) return {};
    const Folding& folding = *operation.folding;
    const AnyNumber &a = numbers.front(), &b = numbers.back();
    const auto is_whole = [](const AnyNumber& number) { return number.index() < 3; };
    const auto is_complex = [](const AnyNumber& number) { return std::holds_alternative<cdouble>(number); };
    if (folding.whole && is_whole(a) && is_whole(b))
        if (const auto value = folding.whole(operation.name, as<Wide>(a), as<Wide>(b))) return value;
    if (is_complex(a) || is_complex(b)) {
        if (!folding.complex) return {};
        return folding.complex(as<cdouble>(a), as<cdouble>(b));
    }
    if (!folding.real) return {};
    return folding.real(as<double>(a), as<double>(b));
}

}  // namespace gemel::codegen
