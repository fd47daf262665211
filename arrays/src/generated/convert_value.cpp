#include "generated/convert_value.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/half.hpp>
#include <gemel/core/text.hpp>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <utility>

namespace gemel {

namespace {

template <class To, class From>
bool fits(From value, To& to, bool rounds) {
    if constexpr (std::is_same_v<To, bool>) {
        to = value != From(0);
        return value == From(0) || value == From(1);
    } else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
        to = static_cast<To>(value);
        if constexpr (std::is_same_v<From, bool>)
            return true;
        else
            return std::in_range<To>(value);
    } else if constexpr (std::is_integral_v<To>) {
        // Powers of two are exact in floating point.
        const From low = static_cast<From>(std::numeric_limits<To>::min());
        const From high = std::ldexp(From(1), std::numeric_limits<To>::digits);
        if (!(value >= low && value < high) || value != std::trunc(value)) return false;
        to = static_cast<To>(value);
        return true;
    } else if constexpr (std::is_integral_v<From>) {
        to = static_cast<To>(value);
        if constexpr (std::is_same_v<From, bool>)
            return true;
        else
            return rounds || (std::abs(to) < std::ldexp(To(1), 63) && static_cast<From>(to) == value);
    } else {
        to = static_cast<To>(value);
        return rounds || std::isfinite(to) || !std::isfinite(value);
    }
}

/// Calls `f` with a value of the C++ type of a real dtype.
template <class F>
bool with_real(const DType& dtype, const std::byte* bytes, F&& f) {
    const auto as = [&]<class T>(T value) {
        std::memcpy(&value, bytes, sizeof(T));
        return f(value);
    };
    if (dtype.lanes() != 1) return false;
    switch (dtype.kind()) {
        case DType::Kind::boolean: return as(bool{});
        case DType::Kind::signed_integer:
            switch (dtype.size_bytes()) {
                case 1: return as(std::int8_t{});
                case 2: return as(std::int16_t{});
                case 4: return as(std::int32_t{});
                default: return as(std::int64_t{});
            }
        case DType::Kind::unsigned_integer:
            switch (dtype.size_bytes()) {
                case 1: return as(std::uint8_t{});
                case 2: return as(std::uint16_t{});
                case 4: return as(std::uint32_t{});
                default: return as(std::uint64_t{});
            }
        case DType::Kind::floating:
            if (dtype.size_bytes() == 2) {
                half h;
                std::memcpy(&h, bytes, sizeof h);
                return f(static_cast<float>(h));
            }
            return dtype.size_bytes() == 4 ? as(float{}) : as(double{});
        case DType::Kind::bfloat: {
            bfloat16 b;
            std::memcpy(&b, bytes, sizeof b);
            return f(static_cast<float>(b));
        }
        default: return false;
    }
}

template <class To>
bool convert_to(Argument& to, const DType& from, const std::byte* bytes, bool rounds) {
    To value{};
    if (!with_real(from, bytes, [&](auto given) { return fits(given, value, rounds); })) return false;
    std::memcpy(to.value, &value, sizeof value);
    to.bytes = sizeof value;
    return true;
}

/// 16-bit floats are passed as float, in which they are computed, rounded to 16 bits.
template <class Narrow>
bool convert_to_narrow(Argument& to, const DType& from, const std::byte* bytes, bool rounds) {
    float value = 0;
    if (!with_real(from, bytes, [&](auto given) { return fits(given, value, rounds); })) return false;
    const float rounded = static_cast<float>(Narrow(value));
    if (!rounds && std::isfinite(value) && !std::isfinite(rounded)) return false;
    std::memcpy(to.value, &rounded, sizeof rounded);
    to.bytes = sizeof rounded;
    to.dtype = dtype_of<float>();
    return true;
}

template <class Real>
bool convert_to_complex(Argument& to, const DType& from, const std::byte* bytes, bool rounds) {
    std::complex<Real> value;
    if (from.kind() == DType::Kind::complex) {
        const DType part(DType::Kind::floating, from.size_bytes() / 2);
        Real re{}, im{};
        if (!with_real(part, bytes, [&](auto given) { return fits(given, re, rounds); }) ||
            !with_real(part, bytes + part.size_bytes(), [&](auto given) { return fits(given, im, rounds); }))
            return false;
        value = {re, im};
    } else {
        Real re{};
        if (!with_real(from, bytes, [&](auto given) { return fits(given, re, rounds); })) return false;
        value = {re, Real(0)};
    }
    std::memcpy(to.value, &value, sizeof value);
    to.bytes = sizeof value;
    to.kind = Argument::Kind::scalar;
    return true;
}

bool convert(const DType& to, Argument& result, const DType& from, const std::byte* bytes, bool rounds) {
    if (to.lanes() != 1) return false;
    const bool is_signed = to.kind() == DType::Kind::signed_integer;
    switch (to.kind()) {
        case DType::Kind::boolean: return convert_to<bool>(result, from, bytes, rounds);
        case DType::Kind::signed_integer:
        case DType::Kind::unsigned_integer:
            switch (to.size_bytes()) {
                case 1:
                    return is_signed ? convert_to<std::int8_t>(result, from, bytes, rounds)
                                     : convert_to<std::uint8_t>(result, from, bytes, rounds);
                case 2:
                    return is_signed ? convert_to<std::int16_t>(result, from, bytes, rounds)
                                     : convert_to<std::uint16_t>(result, from, bytes, rounds);
                case 4:
                    return is_signed ? convert_to<std::int32_t>(result, from, bytes, rounds)
                                     : convert_to<std::uint32_t>(result, from, bytes, rounds);
                default:
                    return is_signed ? convert_to<std::int64_t>(result, from, bytes, rounds)
                                     : convert_to<std::uint64_t>(result, from, bytes, rounds);
            }
        case DType::Kind::floating:
            if (to.size_bytes() == 2) return convert_to_narrow<half>(result, from, bytes, rounds);
            return to.size_bytes() == 4 ? convert_to<float>(result, from, bytes, rounds)
                                        : convert_to<double>(result, from, bytes, rounds);
        case DType::Kind::bfloat: return convert_to_narrow<bfloat16>(result, from, bytes, rounds);
        case DType::Kind::complex:
            return to.size_bytes() == 8 ? convert_to_complex<float>(result, from, bytes, rounds)
                                        : convert_to_complex<double>(result, from, bytes, rounds);
        default: return false;
    }
}

}  // namespace

Argument convert_value(const DeclaredArguments& declared, std::size_t index, const DType& to,
                       const CallArgument& given) {
    const Argument& from = given.value;
    if (is_sampled(declared.parameters[index])) return from;
    const bool narrow = to.is_16_bit_float();
    if (from.dtype == to && !narrow) return from;
    const auto* bytes = from.kind == Argument::Kind::scalar ? from.value : static_cast<const std::byte*>(from.data);
    Argument result;
    result.dtype = to;
    if ((from.kind != Argument::Kind::scalar && from.kind != Argument::Kind::structure) || from.dtype.empty() ||
        !convert(to, result, from.dtype, bytes, given.rounds)) {
        std::string value;
        if (from.kind == Argument::Kind::scalar)
            with_real(from.dtype, bytes, [&](auto v) {
                value = text(", ", +v);
                return true;
            });
        if (given.rounds)
            throw ArgumentError(text("expression: ", to.name(),
                                     ", the type of the array operands, cannot hold a number (", from.dtype.name(),
                                     value, "); astype() makes them wider"));
        declared.refuse(index, text("is declared ", to.name(), ", which cannot hold the value given (",
                                    from.dtype.empty() ? "of a type without a name" : from.dtype.name(), value, ")"));
    }
    return result;
}

}  // namespace gemel
