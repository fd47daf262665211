/// 16-bit floating-point storage types for the host; arithmetic is done in float.
#pragma once

#include <gemel/core/export.hpp>

#include <cstdint>

namespace gemel {

/// IEEE 754 binary16. Conversion from float rounds to nearest even; NaN stays NaN.
struct half {
    std::uint16_t bits = 0;

    half() = default;
    explicit half(float value) : bits(bits_of(value)) {}
    explicit operator float() const { return value_of(bits); }

    GEMEL_API static std::uint16_t bits_of(float value);
    GEMEL_API static float value_of(std::uint16_t bits);

    friend bool operator==(half a, half b) { return float(a) == float(b); }
};

/// The upper half of a float. Conversion from float rounds to nearest even; NaN stays NaN.
struct bfloat16 {
    std::uint16_t bits = 0;

    bfloat16() = default;
    explicit bfloat16(float value) : bits(bits_of(value)) {}
    explicit operator float() const { return value_of(bits); }

    GEMEL_API static std::uint16_t bits_of(float value);
    GEMEL_API static float value_of(std::uint16_t bits);

    friend bool operator==(bfloat16 a, bfloat16 b) { return float(a) == float(b); }
};

}  // namespace gemel
