/// How many bytes a kernel takes for a parameter whose type only the compiler knows: a struct, `typedef float real`.
///
/// OpenCL does not tell, and clSetKernelArg of some implementations (PoCL) reads as many bytes as the kernel declares
/// whatever size is given. So the compiler is asked: kernels without a body, added behind the program's text, require a
/// block whose extents say the size. They are stored in the binary, and never launched.
#pragma once

#include "api.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::plugin::opencl {

/// What is added to a program; empty if it has no such parameters.
std::string size_probes(std::string_view program);
/// Whether a kernel of a program is one of these.
bool is_size_probe(std::string_view kernel);
/// The bytes of each parameter of a kernel, 0 where the text says the type; nothing if no probe was needed.
std::optional<std::vector<std::size_t>> value_sizes(cl_program program, cl_device_id device,
                                                    const std::vector<std::string>& kernels, std::string_view kernel,
                                                    std::size_t parameters);

}  // namespace gemel::plugin::opencl
