/// The source of products of sparse matrices with vectors.
#pragma once

#include <gemel/codegen/tuning.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gemel::codegen {

using gemel::Dialect;

/// The storage of a matrix, as far as the source of a product depends on it.
enum class SparseForm : std::uint8_t {
    rows,    ///< csr, `width` threads per row
    stream,  ///< csr, one thread per row; a block's entries are loaded in order into shared memory
    merge,   ///< csr, divided into tiles of equal work; a second kernel adds the partial sums of rows that span tiles
    slices,  ///< padded rows stored by columns, of all rows (ell) or of slices of rows (sell)
    diagonals,  ///< values by diagonal, no indices
    several,    ///< csr times several vectors, the columns of a dense matrix in C order
    binned,     ///< as merge, with products that sparse_bins_source has computed window by window of columns
};

/// How a csr matrix multiplies a vector.
enum class SparseStrategy : std::uint32_t {
    automatic,
    rows,    ///< `width` threads per row; on CPU devices many rows per thread
    stream,  ///< one thread per row; entries pass through shared memory. Not on CPU devices
    merge,   ///< rows and entries divided evenly, for rows of very different lengths
};
inline constexpr std::array<const char*, 4> sparse_strategy_names{"automatic", "rows", "stream", "merge"};
constexpr std::span<const char* const> value_names(SparseStrategy) { return sparse_strategy_names; }

/// The tuning of products. Zero means "not given"; each form uses the numbers that apply to it.
struct SparseTuning {
    static constexpr std::string_view family = "sparse_product";
    SparseStrategy strategy = SparseStrategy::automatic;
    std::uint32_t block = 0;            ///< threads, a power of 2 up to 256; not on CPU devices
    std::uint32_t width = 0;            ///< rows: threads per row, a power of 2 up to 32
    std::uint32_t items = 0;            ///< merge: rows plus entries per thread; stream: entries per thread at a time
    std::uint32_t chunks_per_unit = 0;  ///< CPU devices: chunks of rows per compute unit
    friend bool operator==(const SparseTuning&, const SparseTuning&) = default;
};
GEMEL_STRUCT(SparseTuning, strategy, block, width, items, chunks_per_unit)

/// The sums that a product y = A x of a square matrix computes in the same pass.
enum class SparseSums : std::uint8_t {
    none,
    products,  ///< the real parts of x* y, w* y and y* y for a vector w
    scaled,    ///< the real parts of x* y, (d w)* y and (d y)* y for a vector w and a diagonal d
};
inline constexpr std::int64_t sparse_sum_count = 3;

/// The variant of a product.
struct SparseLayout {
    SparseForm form = SparseForm::rows;
    DType value = {};     ///< float, double, cfloat or cdouble
    DType index = {};     ///< int32_t or int64_t: of rows, columns and positions
    bool serial = false;  ///< many rows per thread, for CPU devices
    bool scaled = false;  ///< y = alpha A x + beta y; else y = A x
    /// Sums for conjugate gradients, instead of `dot`; see sparse_source. rows, stream, slices, diagonals; not scaled
    SparseSums sums = SparseSums::none;
    bool double_sums = false;  ///< `sums` are doubles, not floats
    /// The dot product of a conjugated vector and y, one partial sum per block. rows, stream, slices, diagonals
    bool dot = false;
    bool warps = false;  ///< warps sum by shuffles; otherwise in shared memory
    bool packed_columns =
        false;             ///< rows, stream: columns are uint16_t, relative to the start of their packet's window
    bool ordered = false;  ///< slices: rows are permuted; sparse_slice rows form a slice
    /// rows: threads per row, a power of 2 up to 32. diagonals: their number if it is a constant in the source,
    /// otherwise 1
    std::uint32_t width = 1;
    std::uint32_t block = 256;  ///< threads, a power of 2; with packed columns at most sparse_packet_rows
    std::uint32_t items = 8;    ///< merge: rows plus entries per thread; stream: entries per thread at a time
    friend bool operator==(const SparseLayout&, const SparseLayout&) = default;
};

/// Rows per slice.
inline constexpr std::int64_t sparse_slice = 32;
/// Rows per packet, which share a window, and columns per window.
inline constexpr std::int64_t sparse_packet_rows = 256, sparse_window = 65536;

/// The kernel `sparse_product`, and for SparseForm::merge and binned also `sparse_carries`. Parameters: the arrays of
/// the form; x, y, alpha, beta and the offsets of x and y, written "x, y, ..." below; sizes. Arrays have the layout's
/// types; all sizes and offsets are int64_t.
///   rows       starts, columns, values, x, y, ..., rows, column count, chunk; the same for stream
///   merge      starts, columns, values, tile_rows, carries, x, y, ..., rows, entries, tile
///   slices     lengths, columns, values [, slice_starts, order], x, y, ..., rows, chunk
///   diagonals  offsets, values, x, y, ..., rows, column count, diagonals, chunk
///   several    starts, columns, values, x, y, ..., rows, vectors, chunk
///   binned     starts, products, positions, sources, group_begins, tile_rows, carries, x, y, ..., rows, entries, tile
///   carries    tile_rows, carries, y, alpha, y_begin, rows, tiles
/// With `dot`, further parameters: dot_with, dots (one element per block), the offset of dot_with.
/// With `sums`, further parameters: w; for `scaled` d; sums (three per block, float or double); skip (an int array);
/// the offsets of w, d and sums; an index into skip. If skip is not 0 there, serial kernels and those with `warps`
/// return at once. Blocks loop over the rows with a stride of all blocks, so the grid needs no more blocks than run
/// concurrently. `chunk` is the number of rows of a serial thread. `tile` is the number of rows plus entries of a
/// serial merge; without serial it is block * items.
/// @source Bell and Garland, "Implementing Sparse Matrix-Vector Multiplication on Throughput-Oriented Processors";
///         stream: Greathouse and Daga, "Efficient Sparse Matrix-Vector Multiplication on GPUs Using the CSR Storage
///         Format"; merge: Merrill and Garland, "Merge-Based Parallel Sparse Matrix-Vector Multiplication"; slices:
///         Kreutzer, Hager, Wellein, Fehske and Bishop, "A Unified Sparse Matrix Data Format"; binned: Beamer, Asanovic
///         and Patterson, "Reducing Pagerank Communication via Propagation Blocking"
GEMEL_API std::string sparse_source(const SparseLayout& layout, const Dialect& dialect);

/// SparseForm::binned cuts the columns into windows whose part of x fits into shared memory, and the rows and entries
/// into the tiles of merge. The entries of a window in a tile are a run, padded to whole groups of 32 bytes of values.
inline constexpr std::int64_t sparse_bin_columns(DType value) { return 47 * 1024 / value.size_bytes(); }
inline constexpr std::int64_t sparse_bin_group(DType value) { return 32 / value.size_bytes(); }
inline constexpr std::uint32_t sparse_bin_block = 512, sparse_bin_gather_block = 1024;
/// Rows plus entries per thread. Odd: few bank conflicts with this stride.
inline constexpr std::uint32_t sparse_bin_items(DType value) {
    return value.size_bytes() == 4 ? 23 : value.size_bytes() == 8 ? 11 : 5;
}
inline constexpr std::int64_t sparse_bin_tile(DType value) { return sparse_bin_block * sparse_bin_items(value); }
/// The shared memory of a block, at most. @param warps  as in SparseLayout
inline constexpr std::size_t sparse_bin_shared_bytes(DType value, bool warps) {
    const std::int64_t open_rows = warps ? sparse_bin_block / 32 : sparse_bin_block;
    return static_cast<std::size_t>(sparse_bin_tile(value) + 1 + 2 * open_rows) * value.size_bytes();
}
/// The position of an entry that is padding.
inline constexpr std::uint16_t sparse_bin_padding = 65535;

/// The kernel `sparse_bins`: the products of all entries, groups in the order of windows. Parameters: columns
/// (uint16_t, within the window) and values, in groups; chunk_groups (int64_t, the first group of each chunk, and the
/// end) and chunk_windows (int32_t); products (the result) and x; x_begin and the column count, int64_t. Launched with
/// a block of sparse_bin_gather_block threads for each chunk. The other parameters of SparseForm::binned: positions
/// (uint16_t) of entries within their tile, and sources (of the index type), the number of each group among those of
/// `products`, both in the order of tiles; group_begins (int64_t), the first group of each tile, and the end.
GEMEL_API std::string sparse_bins_source(DType value, const Dialect& dialect);

/// Entries and threads per block of sparse_row_numbers.
inline constexpr std::int64_t sparse_row_tile = 2048;
inline constexpr std::uint32_t sparse_row_block = 256;

/// The kernel `sparse_row_numbers`: writes the row of each entry of a csr matrix. Parameters: starts and numbers (the
/// result), both of the index type; rows and entries, int64_t. Launched with a block for each sparse_row_tile entries,
/// on devices with DeviceInfo::has_cross_block_visibility.
GEMEL_API std::string sparse_row_numbers_source(DType index, const Dialect& dialect);
/// The kernel `sparse_row_numbers_long`: the same for rows of many entries. Parameters: starts and numbers; rows and
/// chunks, int64_t. Launched with a warp for each of the `chunks` pieces of sparse_row_tile entries in each row, the
/// first of which begins at a multiple of 16 bytes, up to three entries before the row.
GEMEL_API std::string sparse_long_row_numbers_source(DType index, const Dialect& dialect);

}  // namespace gemel::codegen
