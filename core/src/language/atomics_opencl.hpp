/// Atomic operations of OpenCL C.
#pragma once

#include <string>

namespace gemel {

/// The text of atomic operations of 32 bits and, where the device has them, of 64 bits.
std::string opencl_atomics();

}  // namespace gemel
