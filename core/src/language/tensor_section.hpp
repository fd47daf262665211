/// Words for matrix products: copies into shared memory that go on while the thread computes, and tensor cores.
#pragma once

#include <gemel/core/dialect.hpp>

namespace gemel {

/// How a language spells what the section needs.
struct TensorSpelling {
    const char* condition;       ///< when the text stands: the compiler takes PTX
    const char* global_space;    ///< before a pointer to device memory
    const char* shared_space;    ///< before a pointer to shared memory
    const char* shared_address;  ///< of `p`, as 32 bits
};

/// gemel_copy_async_*, gemel_load_matrices*, gemel_multiply_* and gemel_tf32 in PTX. The layouts of the operands among
/// the lanes are those of the PTX ISA, "Matrix Fragments for mma.m16n8k8" and its siblings.
Dialect::Section tensor_section(const TensorSpelling& spelling);

}  // namespace gemel
