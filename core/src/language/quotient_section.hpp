/// Quotients of many floats by one divisor.
#pragma once

#include <gemel/core/dialect.hpp>

namespace gemel {

/// gemel_scale(d), a power of 2, mostly 1, and gemel_quotient(x, d, scaled, inverse, scale) with scaled = d * scale and inverse =
/// 1 / scaled, which is x / d.
Dialect::Section cuda_quotient_section();
Dialect::Section opencl_quotient_section();

}  // namespace gemel
