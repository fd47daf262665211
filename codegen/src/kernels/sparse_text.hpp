/// The product of a sparse matrix and a vector as a part of another kernel.
#pragma once

#include <gemel/codegen/kernel_text.hpp>
#include <gemel/codegen/sparse.hpp>

#include <string>

namespace gemel::codegen {

/// Texts for other templates. Parameter lists end with a comma.
struct SparsePart {
    std::string functions;  ///< at file scope
    std::string arrays;     ///< parameters: the matrix's arrays
    std::string sizes;      ///< parameters: its sizes, int64_t
    std::string shared;     ///< declarations at the beginning of the kernel
    /// The product, and the sums of each block. Needs thread, x, y, w, for SparseSums::scaled factors, sums,
    /// sums_begin.
    std::string work;
};

/// @param layout  with sums, not serial: rows, stream, slices or diagonals
SparsePart sparse_part(const SparseLayout& layout, KernelText& kernel);

}  // namespace gemel::codegen
