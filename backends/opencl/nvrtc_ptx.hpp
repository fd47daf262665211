/// Adapts NVRTC's PTX to NVIDIA's OpenCL.
#pragma once

#include <gemel/core/signature.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::plugin::opencl {

/// PTX of CUDA C++ does not state which parameters are pointers, and to which memory; OpenCL needs that to pass memory
/// objects. PTX also declares the block size that a kernel requires as its largest one. The driver assembles PTX for
/// OpenCL (texmode_independent) with more shared memory than 48 KiB.
/// @param signatures  of the kernels whose parameters could be read; in others a pointer is recognised by its use
/// @throws Error for textures and images, and if the text and a signature differ
std::string ptx_for_opencl(std::string_view ptx, std::span<const KernelSignature> signatures);

/// Threads of the largest block that a kernel is compiled for, if its text states it.
std::optional<std::size_t> largest_block_in_ptx(std::string_view ptx, std::string_view kernel);

/// Bytes of each parameter of a kernel. Empty if the text has no such kernel.
std::vector<std::size_t> parameter_bytes_in_ptx(std::string_view ptx, std::string_view kernel);

}  // namespace gemel::plugin::opencl
