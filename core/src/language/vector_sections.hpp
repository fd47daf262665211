/// Vector types that one language has and the other lacks, and the words that make them.
#pragma once

#include <gemel/core/dialect.hpp>

#include <vector>

namespace gemel {

/// make_float4(x, y, z, w) and its siblings, which OpenCL C has not.
Dialect::Section opencl_vector_section();
/// Vectors of 3, 8 and 16 lanes, and of 4 lanes of 64 bits, which CUDA has not, or not with the size and the alignment
/// that they have in OpenCL. A section for each, so that a program gets those it names.
std::vector<Dialect::Section> cuda_vector_sections();

}  // namespace gemel
