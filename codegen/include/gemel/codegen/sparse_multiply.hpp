/// The source of products of two sparse matrices, computed in tiles in shared memory.
#pragma once

#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <string>

namespace gemel::codegen {

/// The variant of a product of two matrices.
struct SparseMultiplyLayout {
    DType value = {};         ///< float, double, cfloat or cdouble
    DType index = {};         ///< int32_t or int64_t: of rows, columns and positions
    std::uint32_t items = 4;  ///< products per thread; a tile holds sparse_multiply_block * items
    std::uint32_t width = 1;  ///< threads per row of the second matrix, a power of 2 up to 32
    friend bool operator==(const SparseMultiplyLayout&, const SparseMultiplyLayout&) = default;
};

/// Threads per block.
inline constexpr std::uint32_t sparse_multiply_block = 256;
/// The weight of a row in a tile in addition to its entries and products; it limits the rows of a tile.
inline constexpr std::int64_t sparse_row_weight = 4;

/// The kernels `sparse_multiply`, with a block per tile, and `sparse_multiply_copy`, for devices with
/// DeviceInfo::has_cross_block_visibility. A tile's rows times sparse_row_weight, its entries of A and its products are
/// together at most sparse_multiply_block * items. Parameters are pointers to indices or values unless stated:
///   sparse_multiply       starts, numbers, values of A; the same of B; ends (int64_t: the running count of products
///                         after each entry of A), tile_rows (the first row of each tile, and the end), lengths (of the
///                         result's rows), columns and sums (as long as the number of products), the longest row of A
///                         (int32_t)
///   sparse_multiply_copy  starts of A, ends, tile_rows, columns, sums, result_starts, result_numbers, result_values
GEMEL_API std::string sparse_multiply_source(const SparseMultiplyLayout& layout, const Dialect& dialect);

}  // namespace gemel::codegen
