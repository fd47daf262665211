/// CUDA C++ on NVIDIA's OpenCL: NVRTC makes PTX of it, which the driver loads as a program binary.
#pragma once

#include <gemel/core/dialect.hpp>

#include <string>

namespace gemel::plugin::opencl {

/// Whether GEMEL_OPENCL_COMPILER asks for NVRTC.
bool wants_nvrtc();

/// CUDA's, but for dynamic shared memory: that is a pointer which the launch sets, as in OpenCL C.
const Dialect& nvrtc_dialect();

/// NVRTC's version, for fingerprints. Empty where there is none.
std::string nvrtc_version();

}  // namespace gemel::plugin::opencl
