/// CUDA C++ on NVIDIA's OpenCL: NVRTC compiles it to PTX, which the driver loads as a program binary.
#pragma once

#include <gemel/core/dialect.hpp>

#include <string>

namespace gemel::plugin::opencl {

/// Whether GEMEL_OPENCL_COMPILER asks for NVRTC.
bool wants_nvrtc();

/// The CUDA dialect, except that dynamic shared memory is a pointer that the launch sets, as in OpenCL C.
const Dialect& nvrtc_dialect();

/// NVRTC's version, for fingerprints. Empty if there is no NVRTC.
std::string nvrtc_version();

}  // namespace gemel::plugin::opencl
