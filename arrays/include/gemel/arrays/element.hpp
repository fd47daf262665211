/// Elements as the host sees them, and which numbers may become one.
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

/// What the host sees of an element: bool as the byte that it is stored as, everything else as itself.
template <class T>
using HostElement = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

template <class T>
concept SixteenBitFloat = std::same_as<T, half> || std::same_as<T, bfloat16>;

/// Real numbers, the 16-bit ones included.
template <class T>
concept RealElement = (std::is_arithmetic_v<T> && HasDType<T>) || SixteenBitFloat<T>;

/// Element types that operators work on, and numbers of the host.
template <class T>
concept NumberElement = RealElement<T> || is_complex<T>;

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

/// The type of the real and imaginary parts; of real elements the type itself.
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

/// Says that a number has no counterpart in an element type: "300 is not a value of int8_t". @throws ArgumentError
[[noreturn]] GEMEL_API void refuse_value(double value, DType dtype);

/// A host value that an element of type T can be made of: a T, and for numbers any number that does not change its
/// kind.
template <class V, class T>
concept ValueFor =
    std::same_as<V, T> || ((std::is_class_v<V> || std::is_enum_v<V>) && !HasDType<V> && std::convertible_to<V, T>) ||
    (std::is_arithmetic_v<V> && (RealElement<T> || is_complex<T>)) ||
    (SixteenBitFloat<V> && (RealElement<T> || is_complex<T>)) || (is_complex<V> && is_complex<T>);

/// The element that a host value becomes. Floating types round; an integer type takes only values that it has.
/// @throws ArgumentError for other values
template <ElementType T, ValueFor<T> V>
T element_of(const V& value) {
    if constexpr (std::same_as<V, T>) {
        return value;
    } else if constexpr (SixteenBitFloat<V>) {
        return element_of<T>(static_cast<float>(value));
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
                refuse_value(static_cast<double>(value), dtype_of<T>());
        return static_cast<T>(value);
    } else if constexpr (std::is_integral_v<T> && std::is_floating_point_v<V>) {
        // The bounds as powers of two are exact in floating point.
        const auto least = static_cast<V>(std::numeric_limits<T>::min());
        const V above = static_cast<V>(std::numeric_limits<T>::max() / 2 + 1) * 2;
        if (!(value >= least && value < above) || static_cast<V>(static_cast<T>(value)) != value)
            refuse_value(static_cast<double>(value), dtype_of<T>());
        return static_cast<T>(value);
    } else {
        return static_cast<T>(value);
    }
}

/// The same with the type known at run time only: the bytes of the element. @throws ArgumentError naming `who` if the
/// type cannot hold the value, or is not numeric
GEMEL_API std::array<std::byte, 16> element_bytes(const char* who, DType dtype, const AnyNumber& value);

}  // namespace gemel
