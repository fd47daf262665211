/// The text of matrix products.
#pragma once

#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace gemel::codegen {

using gemel::Dialect;

/// How a matrix product is cut into threads.
struct MatmulLayout {
    bool serial = false;      ///< one thread per tile of the result, for CPU devices; else a block of them
    std::uint32_t edge = 16;  ///< blocks are edge x edge threads, tiles of the result 4 * edge x 4 * edge elements
    // Along which axis neighbouring threads read: the one on which neighbouring elements lie. Not for serial.
    bool a_by_columns = true;
    bool b_by_columns = true;
    friend bool operator==(const MatmulLayout&, const MatmulLayout&) = default;
};

/// What sums are held in: 16-bit floats in float, small integers and bools in int32, everything else in its own type.
GEMEL_API DType matmul_accumulator(DType dtype);
/// Rows and columns of the result that a block, or a serial thread, computes.
struct MatmulTile {
    std::uint32_t rows, columns;
};
GEMEL_API MatmulTile matmul_tile(DType dtype, const MatmulLayout& layout);
/// Bytes of shared memory of a block.
GEMEL_API std::size_t matmul_shared_bytes(DType dtype, const MatmulLayout& layout);

/// The kernel `matmul`: c = a b for every matrix of a batch. Parameters: a, b, c; then, all int64_t, for a and b each
/// where it begins, its steps from matrix to matrix, from row to row and from column to column, in elements; where c
/// begins, which has no gaps; then rows, columns, the extent that is summed over, and the number of tiles across and
/// down a matrix. Launched with batch * tiles blocks of edge * edge threads (serial: of one). Bounds are checked: any
/// extents will do. A serial kernel is fast where the columns of b lie side by side.
/// @source tiles in shared memory with 4 x 4 results per thread: Volkov and Demmel, "Benchmarking GPUs to Tune Dense
/// Linear Algebra"
GEMEL_API std::string matmul_source(DType dtype, const MatmulLayout& layout, const Dialect& dialect);

}  // namespace gemel::codegen
