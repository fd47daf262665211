/// The text of reductions: a map expression for every element, combined by a reduce expression.
#pragma once

#include <gemel/codegen/elementwise.hpp>

#include <string>
#include <vector>

namespace gemel::codegen {

/// One of the results that a reduction finds in one pass.
struct ReducedValue {
    DType dtype = {};              ///< of the result as it is stored
    DType accumulator = {};        ///< of the running value; the same as `dtype` if empty (16-bit floats: float)
    std::string neutral = {};      ///< an expression: reducing with it changes nothing
    Snippet map_expr = {};         ///< in terms of x[i], i, n and `reduced_index`
    std::string reduce_expr = {};  ///< in terms of `a` and `b`; associative and commutative
    /// Where `b` is one element that comes, in the order of `reduced_index`, after all that `a` has seen: whether it
    /// takes a's place. What finds first places need not compare them, and CPU devices pass by runs in which nothing
    /// does. reduce_expr decides if empty.
    std::string replace_if = {};
    /// What is stored, of `a`, the running value at the end; that value itself if empty.
    std::string result_expr = {};
};

struct ReductionRequest {
    std::string name = "reduction";
    std::vector<Parameter> arguments = {};
    std::vector<ReducedValue> values = {};
    std::string preamble = {};
};

/// Over axes: how the threads of a block, and the elements that each accesses at once, are dealt out.
struct ReductionTile {
    int across = 1;  ///< outputs, or packs of neighbouring ones, side by side; a power of two that divides the block
    int rows = 1;    ///< outputs that a thread has one after another, all their elements loaded first (rows only)
    int unroll = 1;  ///< accesses in flight, of each output
    int vector_width =
        1;  ///< elements per access; where blocks are one thread: running results, or neighbouring outputs
    bool shifted = false;   ///< runs begin and end anywhere between aligned packs (rows only); else all packs are whole
    bool shuffles = false;  ///< the threads of an output are at most a warp and exchange by shuffles (rows only)
    friend bool operator==(const ReductionTile&, const ReductionTile&) = default;
};

/// How the work is spread.
struct ReductionLayout {
    KernelLayout elements = {};  ///< of the arguments; its rank counts the reduced axes
    int kept_rank = 0;           ///< axes of the result, after collapsing; 0 with a rank of 0: everything is one run
    bool has_index = false;      ///< strided variants: `i` is used, so that the layout has its steps too
    /// Columns: kept axes are not in the order of the result, whose steps the layout has behind those of `i`. Such
    /// outputs are not split unless one launch finishes them.
    bool has_result = false;
    enum class Mapping : std::uint8_t {
        whole,    ///< everything is one run
        rows,     ///< over axes; neighbouring threads have neighbours along the last reduced axis
        columns,  ///< over axes; neighbouring threads have neighbouring outputs
    };
    Mapping mapping = Mapping::whole;
    ReductionTile tile = {};
    bool serial = false;  ///< one thread per block, which walks through a piece of its own (CPU devices)
    bool split = false;   ///< several blocks share an output
    bool finish = false;  ///< the last block of an output combines what the others found; else a second kernel does
    /// Per value: the kernel is told where the result begins.
    boost::container::static_vector<bool, max_arguments> result_offsets = {};
    friend bool operator==(const ReductionLayout&, const ReductionLayout&) = default;
};

/// What a thread's running values take in shared memory.
GEMEL_API std::size_t running_bytes(const ReductionRequest& request);
/// The number of threads per block, at most `block`, whose running values fit into a block's shared memory.
GEMEL_API std::uint32_t fitting_block(const ReductionRequest& request, std::uint32_t block, std::size_t shared_bytes);

/// The kernels' text: `<name>` and, where a second one combines partial results, `<name>_finish`.
///
/// Parameters of `<name>`: the arguments, offsets and layout as for element-wise kernels (the layout has the reduced
/// extents, the kept extents, then for each strided array its reduced and its kept steps, then those of `i`; the
/// LastStep of an argument is along the axis on which threads are neighbours); a result pointer per value; the offset
/// in bytes of each result that has one; if split a pointer to partial results per value, one per output and split,
/// and, if finishing, `counters`, one int per group of outputs, all zero before and after; `n`, the number of elements
/// reduced to one; `outputs`; `splits`; `head` in packed variants; and `stretch`, the outputs of a block, in serial
/// rows. All sizes are of the index type. Launched with splits blocks for each group of outputs. A group has one output
/// (whole), across * rows (rows), across * vector_width (columns), `stretch` (serial rows), or vector_width neighbours
/// along the last kept axis (serial columns).
/// `<name>_finish` takes results, offsets, partial results, `outputs` and `splits`, with a thread per output.
///
/// The sum of a thread's elements is made of bounded runs, and blocks combine by a tree: rounding errors grow with
/// the logarithm of the length. The order depends on the launch alone, not on timing.
/// @source tree and last-block scheme: Harris, "Optimizing Parallel Reduction in CUDA", and the CUDA samples'
/// threadFenceReduction
GEMEL_API std::string reduction_source(const ReductionRequest& request, const ReductionLayout& layout,
                                       const ReductionTuning& tuning, const Dialect& dialect);
/// The text for one run of contiguous elements on a GPU: for looking at.
GEMEL_API std::string reduction_source(const ReductionRequest& request, const Dialect& dialect);

/// @throws ArgumentError
GEMEL_API void check_request(const ReductionRequest& request);

}  // namespace gemel::codegen
