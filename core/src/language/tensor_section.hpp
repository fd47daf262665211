/// Functions for matrix products: asynchronous copies to shared memory, and tensor cores.
#pragma once

#include <gemel/core/dialect.hpp>

namespace gemel {

/// The words of a language that the section needs.
struct TensorSpelling {
    const char* condition;       ///< the #if condition of the section: the compiler accepts PTX
    const char* global_space;    ///< before a pointer to device memory
    const char* shared_space;    ///< before a pointer to shared memory
    const char* shared_address;  ///< of `p`, as 32 bits
    const char* magnitude;       ///< of the float `bits`
};

/// gemel_copy_async_*, gemel_load_matrices*, gemel_multiply_* and gemel_tf32 in PTX. The distribution of the operands
/// over the lanes is that of the PTX ISA, "Matrix Fragments for mma.m16n8k8" and related sections.
Dialect::Section tensor_section(const TensorSpelling& spelling);

}  // namespace gemel
