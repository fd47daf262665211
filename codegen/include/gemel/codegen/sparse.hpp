/// The source of products of sparse matrices with vectors.
#pragma once

#include <gemel/codegen/tuning.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <algorithm>
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
    binned,     ///< products by windows of columns in one set of blocks, their sums as for merge in another
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
///   binned     see below
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
/// into the tiles of merge. Consecutive tiles are a slab. The entries of a window in a tile are a run, padded to whole
/// groups of 32 bytes of values. Groups are stored by slabs, in a slab by windows, in a window by tiles. A block
/// multiplies a chunk, consecutive groups of a window in a slab, or adds up a tile. With `warps`, chunks and tiles are
/// one launch: a tile waits until the chunks of its slab have stored their products, and a chunk until the tiles of the
/// slab sparse_bin_ring before have read theirs, whose places it takes. Without, tiles are launched after chunks.
///
/// Parameters: starts, columns (uint16_t, within the window), values, positions (uint16_t, of entries within their
/// tile, in the order of tiles), sources (of the index type, the place of each group among the products, in the order
/// of tiles), work (int64_t, see below), products, signals (uint32_t, zeros; with `warps`), carries, x, y, ..., rows,
/// entries, tile, column count, tiles per slab, sparse_bin_ring, and where the launch begins in work. work has
/// sparse_bin_words words for each block, in the order in which blocks begin:
///   chunk  -1 - window, first group, groups, slab, what to subtract from a group's number for its products
///   tile   tile, first group (in the order of tiles), groups, slab, chunks of the slab, first row, first row of the
///   next
inline constexpr std::int64_t sparse_bin_columns(DType value) { return 47 * 1024 / value.size_bytes(); }
inline constexpr std::int64_t sparse_bin_group(DType value) { return 32 / value.size_bytes(); }
/// Threads per block, and blocks that a multiprocessor holds at a time with 48 KiB of shared memory each. Of 768 and
/// 1024 threads it holds fewer, which took longer.
inline constexpr std::uint32_t sparse_bin_block = 512, sparse_bin_resident = 3;
/// Rows plus entries per thread. Odd: few bank conflicts with this stride.
inline constexpr std::uint32_t sparse_bin_items(DType value) {
    return value.size_bytes() == 4 ? 23 : value.size_bytes() == 8 ? 11 : 5;
}
inline constexpr std::int64_t sparse_bin_tile(DType value) { return sparse_bin_block * sparse_bin_items(value); }
/// The shared memory of a block, at most. @param warps  as in SparseLayout
inline constexpr std::size_t sparse_bin_shared_bytes(DType value, bool warps) {
    const std::int64_t open_rows = warps ? sparse_bin_block / 32 : sparse_bin_block;
    const std::int64_t places = std::max(sparse_bin_columns(value), sparse_bin_tile(value) + 1);
    return static_cast<std::size_t>(places + 2 * open_rows) * value.size_bytes() + 4;
}
/// The position of an entry that is padding.
inline constexpr std::uint16_t sparse_bin_padding = 65535;

/// Slabs whose products have room at a time.
inline constexpr std::int64_t sparse_bin_ring = 3;
/// Words of `work` for each block.
inline constexpr std::size_t sparse_bin_words = 8;
/// The number of words of `signals`: a ticket, and two counts for each slab, in cache lines of their own.
inline constexpr std::int64_t sparse_bin_signals(std::int64_t slabs) { return 64 * slabs + 96; }

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
