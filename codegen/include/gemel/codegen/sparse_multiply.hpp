/// The source of products of two sparse matrices, tile by tile in shared memory.
#pragma once

#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <string>

namespace gemel::codegen {

/// The variant of a product of matrices.
struct SparseMultiplyLayout {
    DType value = {};         ///< float, double, cfloat or cdouble
    DType index = {};         ///< int32_t or int64_t: of rows, columns and places
    std::uint32_t items = 4;  ///< products for each thread: a tile holds sparse_multiply_block * items
    std::uint32_t width = 1;  ///< threads for each row of the second matrix, a power of 2 up to 32
    friend bool operator==(const SparseMultiplyLayout&, const SparseMultiplyLayout&) = default;
};

inline constexpr std::uint32_t sparse_multiply_block = 256;
/// The weight of a row in a tile in addition to its entries and products; it limits the rows of a tile.
inline constexpr std::int64_t sparse_row_weight = 4;

/// The kernels `sparse_multiply`, a block for each tile, and `sparse_multiply_copy`. In a tile rows, times
/// sparse_row_weight, entries of A and products are at most sparse_multiply_block * items together. For devices with
/// DeviceInfo::has_cross_block_visibility. Parameters, pointers to indices or values but for `ends` (int64_t):
///   sparse_multiply       starts, numbers, values of A, those of B, ends (how many products there are up to and with
///                         each entry of A), tile_rows (where each tile begins, and the end), lengths (of the result's
///                         rows), columns, sums (as long as there are products), longest row of A (int32_t)
///   sparse_multiply_copy  starts of A, ends, tile_rows, columns, sums, result_starts, result_numbers, result_values
GEMEL_API std::string sparse_multiply_source(const SparseMultiplyLayout& layout, const Dialect& dialect);

}  // namespace gemel::codegen
