/// The source of row programs: loops reduce each row, and elements are computed from the results.
#pragma once

#include <gemel/codegen/reduction.hpp>
#include <gemel/codegen/tuning.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::codegen {

/// A value that is computed once and then used by name.
struct RowComputed {
    DType dtype = {};
    Snippet value = {};
};

/// One loop over a row's elements and its reductions. Its text must not write: on CPU devices it is evaluated twice for
/// some elements, of which one result counts.
struct RowLoop {
    /// Values per element that later loops use: expressions of x[i], results of earlier loops and values kept before.
    /// Computed once if rows stay in registers, otherwise in each loop. Named `kept0`, `kept1`, ... over all loops.
    std::vector<RowComputed> kept = {};
    /// As in a reduction. map_expr may use the results of earlier loops, named `row0`, `row1`, ... over all loops;
    /// `dtype` is their type.
    std::vector<ReducedValue> values = {};
    Snippet statements = {};  ///< for every element, before the maps
    /// Values per row, for expensive expressions such as roots: of the results up to this loop and values fixed before.
    /// Named `fixed0`, `fixed1`, ... over all loops.
    std::vector<RowComputed> fixed = {};
};

/// A value that is stored once per row.
struct RowResult {
    DType dtype = {};
    Snippet value = {};  ///< of `row0`, ... and of x[i] if that is constant along the row
};

/// Each row passes through the loops in order, then through `body`, which writes elements: `y[i] = x[i] - row0`.
struct RowRequest {
    std::string name = "rows";
    std::vector<Parameter> arguments = {};
    std::vector<RowLoop> loops = {};
    Snippet body = {};
    std::vector<RowResult> results = {};
    std::string preamble = {};
};

/// The tuning of row programs; zero: chosen by device and rows.
struct RowTuning {
    static constexpr std::string_view family = "rows";
    std::uint32_t block = 0;         ///< threads per block; 1: each block is one thread with its own rows
    std::uint32_t access_bytes = 0;  ///< of one memory access, a power of 2
    std::uint32_t along = 0;         ///< threads that share a row, a power of 2
    std::uint32_t slots = 0;         ///< maximum number of a thread's accesses that stay in registers
    std::uint32_t unroll = 0;        ///< accesses in flight if rows are read again
    std::uint32_t shared_slots = 0;  ///< maximum number of further accesses of such blocks that stay in shared memory
    std::uint32_t parts = 0;         ///< maximum number of blocks that share a row
    /// Minimum number of concurrent blocks per compute unit, by which compilers that support it limit registers.
    std::uint32_t resident_blocks = 0;
    /// 2: blocks that share a row go on to further rows, which they load while they store the row before; 1: they end.
    std::uint32_t stays = 0;
    /// 1: blocks that share a row are no cluster, even if the device has clusters and there are at most 8 blocks.
    std::uint32_t clusters = 0;
    friend bool operator==(const RowTuning&, const RowTuning&) = default;
};
GEMEL_STRUCT(RowTuning, block, access_bytes, along, slots, unroll, shared_slots, parts, resident_blocks, stays,
             clusters)

/// The distribution of rows over blocks and threads, and whether rows stay in registers between loops.
struct RowLayout {
    KernelLayout elements = {};  ///< of the arguments; its rank counts the axes along a row
    int kept_rank = 1;           ///< axes across the rows, after collapsing
    bool has_index = false;
    bool has_result = false;  ///< columns: the layout has the results' strides along the kept axes
    ReductionLayout::Mapping mapping = ReductionLayout::Mapping::rows;
    ReductionTile tile = {};  ///< `rows`: of each thread, one after another; more than 1 only with a stage
    /// A thread's accesses that stay in registers; 0: each loop reads the row again. Serial rows: the elements whose
    /// kept values a thread stores; 0: kept values are computed again.
    int slots = 0;
    int shared_slots = 0;  ///< further accesses of a thread, which stay in shared memory; of blocks that share a row
    /// Of a thread's first accesses, those that lie within every row, for every thread, and are not compared; if rows
    /// may begin inside a pack, apart from the first.
    int whole_slots = 0;
    bool rows_apart = false;      ///< staged rows of at most a warp: neighbouring rows belong to different warps
    std::size_t arena_bytes = 0;  ///< dynamic shared memory for them; 0: the kernel declares it
    bool copies_async = false;    ///< they get there without passing through registers (cp.async, sm_80)
    int parts = 1;                ///< blocks that share a row, which they keep
    bool clusters = false;        ///< these are a cluster (CUDA, sm_90)
    bool stays = false;           ///< these go on to further rows, which they load while they store the row before
    int resident_blocks = 0;      ///< as RowTuning's
    bool serial = false;          ///< one thread per block; rows have at least tile.vector_width elements
    bool one_run = false;         ///< serial rows of at most 64 * tile.vector_width elements: sums have no parts
    bool warps = false;           ///< warps exchange by shuffles
    int block = 256;
    boost::container::static_vector<bool, max_arguments> result_offsets = {};
    friend bool operator==(const RowLayout&, const RowLayout&) = default;
};

/// The kernel's source. Parameters:
///   the arguments, offsets and layout as for reductions
///   a pointer to each result, and the offset in bytes of each result that has one
///   parts > 1, no clusters: what pieces::ReduceAcrossBlocks needs: `states` (state_words() per block), `ticket`,
///   `first_ticket`, `epoch`
///   `n`, the elements of a row, at least one; `outputs`, the number of rows
///   serial rows: `span`, the rows per block
///   arena_bytes > 0: SHARED_ARENA
/// Launched with `parts` blocks for each group of rows; with `stays`, for as many groups as blocks are resident. A
/// group has tile.across * tile.rows rows (rows), tile.across * tile.vector_width (columns), `span` (serial rows), or
/// tile.vector_width neighbours along the last kept axis (serial columns).
GEMEL_API std::string row_source(const RowRequest& request, const RowLayout& layout, const Dialect& dialect);

/// How the request's snippets access each argument.
GEMEL_API std::vector<ArrayUse> array_uses(const RowRequest& request);
/// The size of a block's state for other blocks, in 64-bit words.
GEMEL_API std::size_t state_words(const RowRequest& request);
/// Bytes of shared memory per thread for the running values of all loops.
GEMEL_API std::size_t running_bytes(const RowRequest& request);

}  // namespace gemel::codegen
