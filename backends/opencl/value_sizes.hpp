/// The size in bytes of a kernel's parameter whose type only the compiler knows: a struct, `typedef float real`.
///
/// OpenCL has no query for it, and clSetKernelArg of some implementations (PoCL) reads as many bytes as the kernel
/// declares, whatever size is given. So gemel asks the compiler: empty kernels (probes), added after the program's
/// text, require a block whose extents encode the size. The binary stores them; they are never launched.
#pragma once

#include "api.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::plugin::opencl {

/// The text to add to a program; empty if it has no such parameters.
std::string size_probes(std::string_view program);
/// Whether a kernel of a program is a probe.
bool is_size_probe(std::string_view kernel);
/// The bytes of each parameter of a kernel, 0 for types that the text gives; nothing if no probe was needed.
std::optional<std::vector<std::size_t>> value_sizes(cl_program program, cl_device_id device,
                                                    const std::vector<std::string>& kernels, std::string_view kernel,
                                                    std::size_t parameters);

}  // namespace gemel::plugin::opencl
