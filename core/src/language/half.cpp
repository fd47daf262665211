/// Conversions of 16-bit floats, exact in all bits.
#include <gemel/core/half.hpp>

#include <bit>

namespace gemel {

std::uint16_t half::bits_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)  // the upper bits of the payload are kept; the quiet bit ensures that one is set
        return static_cast<std::uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // 65520 and above round to infinity
    if (magnitude < 0x38800000u) {                        // below 2^-14: a multiple of 2^-24
        if (magnitude < 0x33000000u) return sign;         // below half of the smallest
        const std::uint32_t fraction = (magnitude & 0x7fffffu) | 0x800000u;
        const std::uint32_t shift = 126 - (magnitude >> 23);  // 14 to 24
        const std::uint32_t rest = fraction & ((1u << shift) - 1), middle = 1u << (shift - 1);
        const std::uint32_t kept = fraction >> shift;
        return static_cast<std::uint16_t>(sign | (kept + (rest > middle || (rest == middle && (kept & 1u)))));
    }
    const std::uint32_t rebiased = magnitude - (112u << 23);
    // A carry out of the fraction correctly increments the exponent.
    return static_cast<std::uint16_t>(sign | ((rebiased + 0xfffu + (rebiased >> 13 & 1u)) >> 13));
}

float half::value_of(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31u, fraction = bits & 0x3ffu;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0) {
        const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

std::uint16_t bfloat16::bits_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

float bfloat16::value_of(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

}  // namespace gemel
