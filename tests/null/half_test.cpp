/// Sixteen-bit floating point on the host.
#include <gemel/core/half.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>

using namespace gemel;

namespace {

/// binary16 from its definition, in double arithmetic.
double half_by_definition(unsigned bits) {
    const int sign = bits >> 15 ? -1 : 1, exponent = bits >> 10 & 31;
    const unsigned fraction = bits & 1023;
    if (exponent == 31) return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * INFINITY;
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("all 65536 halves convert to float by their definition and back to themselves") {
    int wrong = 0;
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const float value = half::value_of(static_cast<std::uint16_t>(bits));
        const double expected = half_by_definition(bits);
        if (std::isnan(expected)) {
            wrong += !std::isnan(value) || !std::isnan(half::value_of(half::bits_of(value)));
        } else {
            wrong += value != expected || std::signbit(value) != (bits >> 15 != 0) || half::bits_of(value) != bits;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("floats between two halves round to the nearest and ties go to even") {
    int wrong = 0;
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
        const double low = half_by_definition(bits);
        // Above the largest half the next would be 65536, were there no infinity.
        const double high = bits == 0x7bff ? 65536 : half_by_definition(bits + 1);
        const auto middle = static_cast<float>((low + high) / 2);  // exact: it has 12 significant bits
        const unsigned even = bits & 1 ? bits + 1 : bits;
        for (const unsigned sign : {0u, 0x8000u}) {
            const float s = sign ? -1.0f : 1.0f;
            wrong += half::bits_of(s * middle) != (even | sign);
            wrong += half::bits_of(s * std::nextafter(middle, 0.0f)) != (bits | sign);
            wrong += half::bits_of(s * std::nextafter(middle, 1e9f)) != ((bits + 1) | sign);
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("floats outside the range of half become zero or infinity and NaN stays NaN") {
    CHECK(half::bits_of(65519.996f) == 0x7bff);
    CHECK(half::bits_of(65520.0f) == 0x7c00);
    CHECK(half::bits_of(-1e30f) == 0xfc00);
    CHECK(half::bits_of(INFINITY) == 0x7c00);
    CHECK(half::bits_of(1e-30f) == 0);
    CHECK(half::bits_of(-1e-45f) == 0x8000);
    for (const std::uint32_t bits : {0x7f800001u, 0x7fc00000u, 0xff801fffu, 0xffffffffu}) {
        CHECK(std::isnan(float(half(from_bits(bits)))));
        CHECK(std::isnan(float(bfloat16(from_bits(bits)))));
    }
}

TEST_CASE("all 65536 bfloat16 are the upper half of a float and convert back to themselves") {
    int wrong = 0;
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const float value = bfloat16::value_of(static_cast<std::uint16_t>(bits));
        wrong += std::bit_cast<std::uint32_t>(value) != bits << 16;
        wrong += std::isnan(value) ? !std::isnan(bfloat16::value_of(bfloat16::bits_of(value)))
                                   : bfloat16::bits_of(value) != bits;
    }
    CHECK(wrong == 0);
}

TEST_CASE("floats between two bfloat16 round to the nearest and ties go to even") {
    int wrong = 0;
    for (unsigned bits = 0; bits < 0x7f80; ++bits) {
        const std::uint32_t middle = bits << 16 | 0x8000u;
        wrong += bfloat16::bits_of(from_bits(middle)) != (bits & 1 ? bits + 1 : bits);
        wrong += bfloat16::bits_of(from_bits(middle - 1)) != bits;
        wrong += bfloat16::bits_of(from_bits(middle + 1)) != bits + 1;
    }
    CHECK(wrong == 0);
    CHECK(bfloat16::bits_of(3.4028235e38f) == 0x7f80);
}

TEST_CASE("sixteen-bit values compare as numbers") {
    CHECK(half(0.0f) == half(-0.0f));
    CHECK(!(half(NAN) == half(NAN)));
    CHECK(bfloat16(1.5f) == bfloat16(1.5f));
    CHECK(sizeof(half) == 2);
    CHECK(sizeof(bfloat16) == 2);
}

TEST_SUITE_END();
