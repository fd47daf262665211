#include "language/exponential_section.hpp"

#include <gemel/core/text.hpp>

namespace gemel {

namespace {

const char* const language_exp = "#define gemel_element_exp exp\n";

/// On CPUs, of fewer instructions than PoCL's exp, which is compiled without fused multiply-add. The error is below 1
/// in the last place. r is at most ln(2)/2, and e^r - 1 - r over r^2 a polynomial with coefficients fitted by linear
/// programming (largest relative error of e^r 3.1e-9). Two powers of 2, so that subnormal results are rounded once.
/// @source the reduction: Cody and Waite, "Software Manual for the Elementary Functions"
const char* const cpu_exp = R"(#if !defined(__x86_64__) && !defined(__aarch64__)
#define gemel_element_exp exp
#else
#define GEMEL_EXP(F, I) GEMEL_FUNCTION F gemel_element_exp(F x) { \
    _Pragma("OPENCL FP_CONTRACT ON") \
    const F within = x > 89.0f ? (F)89.0f : x < -104.0f ? (F)-104.0f : x; \
    const F moved = within * 1.44269504f + 12582912.0f; \
    const F n = moved - 12582912.0f; \
    const F near = within - n * 0.693359375f; \
    const F r = near + n * 2.12194440e-4f; \
    const F p = (((1.3814540e-3f * r + 8.3687448e-3f) * r + 4.1668389e-2f) * r + 0.16666521f) * r + 0.49999994f; \
    const F value = (r * r) * p + r + 1.0f; \
    const I power = as_##I(moved) - 0x4B400000, half_of = power >> 1; \
    return value * as_##F((half_of + 127) << 23) * as_##F((power - half_of + 127) << 23); \
}
GEMEL_EXP(float, int)
GEMEL_EXP(float16, int16)
#endif
)";

/// For 16-bit floats: the error is at most 5e-6, and theirs is 2e-4 or more. The square of a root needs no case of its
/// own for subnormal results.
std::string short_exp(const std::string& ptx_macro) {
    return text("GEMEL_FUNCTION float gemel_short_exp(float x) {\n#ifdef ", ptx_macro, R"(
    float root;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x * 0.72134752044448170368f));
    return root * root;
#else
    return gemel_element_exp(x);
#endif
}
)");
}

}  // namespace

std::vector<Dialect::Section> exponential_sections(const std::string& ptx_macro, bool may_be_cpu) {
    return {{.name = "exp", .words = {"gemel_element_exp"}, .text = may_be_cpu ? cpu_exp : language_exp},
            {.name = "short_exp", .words = {"gemel_short_exp"}, .text = short_exp(ptx_macro), .needs = {"exp"}}};
}

}  // namespace gemel
