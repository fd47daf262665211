/// Vector types that only one language has, and the functions that make vectors.
#pragma once

#include <gemel/core/dialect.hpp>

#include <vector>

namespace gemel {

/// make_float4(x, y, z, w) and related functions, which OpenCL C lacks.
Dialect::Section opencl_vector_section();
/// Vectors of 3, 8 and 16 lanes, and of 4 lanes of 64 bits, which CUDA lacks or has with other sizes and alignments
/// than OpenCL. There is a section for each, so that programs get only those that they use.
std::vector<Dialect::Section> cuda_vector_sections();

}  // namespace gemel
