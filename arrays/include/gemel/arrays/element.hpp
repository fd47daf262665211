/// Elements on the host, and the conversion of host values to elements.
#pragma once

#include <gemel/codegen/operations.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace gemel {

/// The host type of an element: bool is the byte that stores it, every other type is itself.
template <class T>
using HostElement = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

template <class T>
concept SixteenBitFloat = std::same_as<T, half> || std::same_as<T, bfloat16>;

/// Real numbers, including 16-bit floats.
template <class T>
concept RealElement = (std::is_arithmetic_v<T> && HasDType<T>) || SixteenBitFloat<T>;

/// Element types that operators support, and host numbers.
template <class T>
concept NumberElement = RealElement<T> || is_complex<T>;

namespace detail {
template <NumberElement V>
AnyNumber widest(const V& number) {
    if constexpr (is_complex<V>) {
        return cdouble(number);
    } else if constexpr (std::is_same_v<V, bool>) {
        return number;
    } else if constexpr (std::is_integral_v<V> && std::is_signed_v<V>) {
        return std::int64_t{number};
    } else if constexpr (std::is_integral_v<V>) {
        return std::uint64_t{number};
    } else if constexpr (SixteenBitFloat<V>) {
        return double{static_cast<float>(number)};
    } else {
        return static_cast<double>(number);
    }
}
}  // namespace detail

/// The type of the real and imaginary parts; for real elements the type itself.
template <class T>
struct RealPart {
    using type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
    using type = T;
};
template <class T>
using RealOf = typename RealPart<T>::type;

namespace detail {
/// Throws: the number is not representable. "fill: 300 is not a value of int8_t; use a wider type"
/// @param who  the function that the message names
/// @throws ArgumentError
[[noreturn]] GEMEL_API void refuse_value(const char* who, double value, DType dtype);
}  // namespace detail

/// A host value that converts to an element of type T: a T, a class or enumeration that converts to T, or for real T
/// any real number, for complex T any number.
template <class V, class T>
concept ValueFor =
    std::same_as<V, T> || ((std::is_class_v<V> || std::is_enum_v<V>) && !HasDType<V> && std::convertible_to<V, T>) ||
    (std::is_arithmetic_v<V> && (RealElement<T> || is_complex<T>)) ||
    (SixteenBitFloat<V> && (RealElement<T> || is_complex<T>)) || (is_complex<V> && is_complex<T>);

namespace detail {
/// Converts a host value to an element. Floating types round; integers must be representable.
/// @param who  the function that the message names
/// @throws ArgumentError if the value is not representable
template <ElementType T, ValueFor<T> V>
T element_of(const V& value, const char* who = "element_of") {
    if constexpr (std::same_as<V, T>) {
        return value;
    } else if constexpr (SixteenBitFloat<V>) {
        return element_of<T>(static_cast<float>(value), who);
    } else if constexpr (is_complex<T>) {
        using Part = typename T::value_type;
        if constexpr (is_complex<V>) {
            return T(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
        } else {
            return T(static_cast<Part>(value));
        }
    } else if constexpr (SixteenBitFloat<T>) {
        return T(static_cast<float>(value));
    } else if constexpr (std::is_same_v<T, bool>) {
        return value != V{};
    } else if constexpr (std::is_integral_v<T> && std::is_integral_v<V>) {
        if constexpr (!std::is_same_v<V, bool>)
            if (value < V{}
                    ? static_cast<std::intmax_t>(value) < static_cast<std::intmax_t>(std::numeric_limits<T>::min())
                    : static_cast<std::uintmax_t>(value) > static_cast<std::uintmax_t>(std::numeric_limits<T>::max()))
                refuse_value(who, static_cast<double>(value), dtype_of<T>());
        return static_cast<T>(value);
    } else if constexpr (std::is_integral_v<T> && std::is_floating_point_v<V>) {
        // The bounds as powers of two are exact in floating point.
        const auto least = static_cast<V>(std::numeric_limits<T>::min());
        const V above = static_cast<V>(std::numeric_limits<T>::max() / 2 + 1) * 2;
        if (!(value >= least && value < above) || static_cast<V>(static_cast<T>(value)) != value)
            refuse_value(who, static_cast<double>(value), dtype_of<T>());
        return static_cast<T>(value);
    } else {
        return static_cast<T>(value);
    }
}

/// The same with a type known only at run time: the bytes of the element. @throws ArgumentError that names `who`, if
/// the type cannot hold the value or is not numeric
GEMEL_API std::array<std::byte, 16> element_bytes(const char* who, DType dtype, const AnyNumber& value);
}  // namespace detail

}  // namespace gemel
