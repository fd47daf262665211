/// PTX that NVRTC made, as NVIDIA's OpenCL takes it.
#pragma once

#include <gemel/core/signature.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::plugin::opencl {

/// PTX of CUDA C++ does not say which parameters are pointers, and to what: OpenCL must know, to pass memory objects.
/// And it calls the block size that a kernel requires the largest one.
/// @param signatures  of the kernels whose parameters could be read; of others a pointer is what is used as one
/// @throws Error for textures and images, and where text and signature do not fit
std::string ptx_for_opencl(std::string_view ptx, std::span<const KernelSignature> signatures);

/// Threads of the largest block that a kernel is compiled for, where its text says so.
std::optional<std::size_t> largest_block_in_ptx(std::string_view ptx, std::string_view kernel);

/// Bytes of each parameter of a kernel. Empty if the text has no such kernel.
std::vector<std::size_t> parameter_bytes_in_ptx(std::string_view ptx, std::string_view kernel);

}  // namespace gemel::plugin::opencl
