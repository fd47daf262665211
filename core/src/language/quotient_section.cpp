#include "language/quotient_section.hpp"

namespace gemel {
namespace {

/// One step corrects x * inverse by the remainder, as CUDA's own division does, to the same bits unless x or the
/// quotient is below 2^-100 in magnitude, where the last place may differ. Without a remainder (zeros, infinities, NaN,
/// and such divisors) x * inverse is the quotient. The inverses of subnormal divisors would be infinite, those of the
/// largest subnormal: hence the scale, which is 1 otherwise. CUDA's division takes three times as many instructions,
/// two of them at a quarter of the rate, and a branch.
/// @source Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor"
const char* const corrected = R"(GEMEL_FUNCTION float gemel_scale(float d) {
    return fabsf(d) < 0x1p-126f ? 0x1p24f : fabsf(d) >= 0x1p126f ? 0x1p-24f : 1.0f;
}
GEMEL_FUNCTION float gemel_quotient(float x, float d, float scaled, float inverse, float scale) {
    float q = x * inverse;
    const float remainder = fmaf(-q, scaled, x);
    if (fabsf(remainder) < fabsf(x)) q = fmaf(remainder, inverse, q);
    return q * scale;
}
)";

/// Division is one instruction on CPUs, and approximate on NVIDIA's devices.
const char* const plain = R"(#define gemel_scale(D) 1.0f
#define gemel_quotient(X, D, SCALED, INVERSE, SCALE) ((X) / (D))
)";

Dialect::Section section(const char* text) {
    return {.name = "quotients", .words = {"gemel_scale", "gemel_quotient"}, .text = text};
}

}  // namespace

Dialect::Section cuda_quotient_section() { return section(corrected); }
Dialect::Section opencl_quotient_section() { return section(plain); }

}  // namespace gemel
