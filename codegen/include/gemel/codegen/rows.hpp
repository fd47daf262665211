/// The source of row programs: reductions of each row by loops over its elements, and elements computed from them.
#pragma once

#include <gemel/codegen/reduction.hpp>
#include <gemel/codegen/tuning.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::codegen {

/// A value that is computed once and then used by its name.
struct RowComputed {
    DType dtype = {};
    Snippet value = {};
};

/// One loop over a row's elements, and the reductions that it computes.
struct RowLoop {
    /// Of each element, for later loops, in terms of x[i], of what loops before have found, and of values kept before:
    /// found once where rows stay in registers, else by each loop. `kept0` is the first one of the first loop; numbered
    /// through.
    std::vector<RowComputed> kept = {};
    /// Like a reduction's; map_expr may name what earlier loops have found: `row0` is the first value of the first
    /// loop, and values are numbered through. `dtype` is the type that others see, in C.
    std::vector<ReducedValue> values = {};
    Snippet statements = {};  ///< in front of the maps, for every element
    /// Of each row, where it takes some work, such as the root of what was found: in terms of what this loop and those
    /// before have found, and of values fixed before. `fixed0` is the first one of the first loop; numbered through.
    std::vector<RowComputed> fixed = {};
};

/// A value that is stored once per row.
struct RowResult {
    DType dtype = {};
    Snippet value = {};  ///< in terms of `row0`, ... and of x[i] where that is the same along the row
};

/// Every row goes through the loops in their order, then through `body`, which writes elements: `y[i] = x[i] - row0`.
struct RowRequest {
    std::string name = "rows";
    std::vector<Parameter> arguments = {};
    std::vector<RowLoop> loops = {};
    Snippet body = {};
    std::vector<RowResult> results = {};
    std::string preamble = {};
};

/// The tuning of row programs; zero: chosen for device and rows.
struct RowTuning {
    static constexpr std::string_view family = "rows";
    std::uint32_t block = 0;         ///< threads per block; 1: each block is one thread with rows of its own
    std::uint32_t access_bytes = 0;  ///< of one memory access, a power of 2
    std::uint32_t along = 0;         ///< threads that share a row, a power of 2
    std::uint32_t slots = 0;         ///< most accesses of a thread that stay in registers
    std::uint32_t unroll = 0;        ///< accesses in flight where rows are read again
    std::uint32_t parts = 0;         ///< most blocks that share a row; 1: none does
    /// Blocks that a compute unit shall hold together at least: where a compiler can be told, it limits registers.
    std::uint32_t resident_blocks = 0;
    friend bool operator==(const RowTuning&, const RowTuning&) = default;
};
GEMEL_STRUCT(RowTuning, block, access_bytes, along, slots, unroll, parts, resident_blocks)

/// How rows are spread over blocks and threads, and whether they stay in registers between loops.
struct RowLayout {
    KernelLayout elements = {};  ///< of the arguments; its rank counts the axes along a row
    int kept_rank = 1;           ///< axes across the rows, after collapsing
    bool has_index = false;
    bool has_result = false;  ///< columns: the layout has the steps of results along the kept axes
    ReductionLayout::Mapping mapping = ReductionLayout::Mapping::rows;
    ReductionTile tile = {};  ///< `rows` is 1
    /// Accesses of a thread that stay in registers; 0: each loop reads the row again. Of serial rows the places that a
    /// thread keeps what loops have computed of them; 0: it is computed again.
    int slots = 0;
    int parts = 1;            ///< blocks that share a row, which stays in their registers
    int resident_blocks = 0;  ///< as RowTuning's
    bool serial = false;      ///< one thread per block
    bool warps = false;       ///< warps exchange by shuffles
    int block = 256;
    boost::container::static_vector<bool, max_arguments> result_offsets = {};
    friend bool operator==(const RowLayout&, const RowLayout&) = default;
};

/// The kernel's text. Parameters: the arguments, offsets and layout as for reductions; a pointer per result, and the
/// offset in bytes of each that has one; with parts what blocks tell each other by, `states`, `ticket`, `first_ticket`
/// and `epoch` (pieces::ReduceAcrossBlocks; state_words() for each block); `n`, the elements of a row, at least one;
/// `outputs`, the number of rows; and `stretch`, the rows of a block, in serial rows. Launched with a block for each
/// group of outputs, or `parts` of them: tile.across (rows), tile.across * tile.vector_width (columns), `stretch`
/// (serial rows), or tile.vector_width neighbours along the last kept axis (serial columns).
GEMEL_API std::string row_source(const RowRequest& request, const RowLayout& layout, const Dialect& dialect);

/// How a snippet of the request touches each argument.
GEMEL_API std::vector<ArrayUse> array_uses(const RowRequest& request);
/// What a block tells others, in 64-bit words.
GEMEL_API std::size_t state_words(const RowRequest& request);
/// What a thread's running values take in shared memory, all loops together.
GEMEL_API std::size_t running_bytes(const RowRequest& request);

}  // namespace gemel::codegen
