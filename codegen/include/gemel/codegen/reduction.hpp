/// The source of reductions: a map expression for each element, combined by a reduce expression.
#pragma once

#include <gemel/codegen/elementwise.hpp>

#include <string>
#include <vector>

namespace gemel::codegen {

/// What a reduction compares that selects one of its elements.
struct ReducedExtreme {
    DType dtype = {};              ///< a number; empty: not known
    std::string part = {};         ///< an expression: the compared part of the running value `b`
    std::string neutral = {};      ///< an expression: the identity of reduce_expr
    std::string reduce_expr = {};  ///< of the parts `a` and `b`: the one that replace_if prefers
};

/// One of the results that a reduction computes in one pass.
struct ReducedValue {
    DType dtype = {};              ///< of the stored result
    DType accumulator = {};        ///< of the running value; empty: `dtype`, or float for 16-bit floats
    std::string neutral = {};      ///< an expression: the identity of reduce_expr
    Snippet map_expr = {};         ///< of x[i], i, n and `reduced_index`
    std::string reduce_expr = {};  ///< of `a` and `b`; associative and commutative
    /// A condition for a single element `b` whose `reduced_index` is above those of all elements in `a`: whether b
    /// replaces a. Reductions that find a first position then need not compare positions, and CPU devices skip runs in
    /// which no element replaces a. Empty: reduce_expr decides.
    std::string replace_if = {};
    /// With replace_if: CPU devices find the extreme by vector instructions first, then its position.
    ReducedExtreme extreme = {};
    /// The stored value, an expression of the final running value `a` and of `n`, the number of elements: "a / n".
    /// Empty: `a` itself.
    std::string result_expr = {};
    bool is_exact = false;  ///< reduce_expr rounds nothing, so that the order of its operands does not matter
};

struct ReductionRequest {
    std::string name = "reduction";
    std::vector<Parameter> arguments = {};
    std::vector<ReducedValue> values = {};
    std::string preamble = {};
};

/// Reductions over axes: the distribution of outputs and elements over the threads of a block.
///
/// Staged: a block copies lines that follow each other in memory to shared memory as one piece, by accesses of 16
/// bytes, which need not divide a line. Its threads then take single elements from there. For rows, a line is an
/// output's run; a block has across * rows of them. For columns, it has the elements of all neighbouring outputs at one
/// position.
struct ReductionTile {
    int across = 1;  ///< outputs, or packs of neighbouring outputs, per block; a power of two that divides the block
    /// Rows: outputs per thread, whose elements are all loaded first. Staged columns: outputs per thread, `across`
    /// apart, which cover a line.
    int rows = 1;
    int unroll = 1;            ///< accesses in flight per output
    bool loads_first = false;  ///< no condition between them where all are inside; not with `shifted`
    int vector_width = 1;      ///< elements per access; blocks of one thread: running results, or neighbouring outputs
    bool shifted = false;      ///< runs may begin and end inside a pack (rows only); otherwise all packs are whole
    bool shuffles = false;     ///< an output has at most a warp of threads, which exchange by shuffles (rows only)
    int stage = 0;  ///< elements of each staged array that a block's shared memory holds; 0: nothing is staged
    bool stages_async = false;  ///< copies to the stage bypass registers (cp.async, sm_80)
    friend bool operator==(const ReductionTile&, const ReductionTile&) = default;
};

/// The variant of a reduction.
struct ReductionLayout {
    KernelLayout elements = {};  ///< of the arguments; its rank counts the reduced axes
    int kept_rank = 0;           ///< axes of the result, after collapsing; 0 with rank 0: one contiguous run
    bool has_index = false;      ///< strided variants: the layout has the strides of `i`, which is used
    /// Columns: the kept axes are not in the order of the result; the layout has the result's strides after those of
    /// `i`. Several blocks share such outputs only with `finish`.
    bool has_result = false;
    enum class Mapping : std::uint8_t {
        whole,    ///< one result of all elements
        rows,     ///< over axes; neighbouring threads read along the last reduced axis
        columns,  ///< over axes; neighbouring threads have neighbouring outputs
    };
    Mapping mapping = Mapping::whole;
    ReductionTile tile = {};
    bool serial = false;  ///< one thread per block, which processes its own piece (CPU devices)
    bool split = false;   ///< several blocks share an output
    bool finish = false;  ///< the last block of an output combines the partial results; otherwise a second kernel
    /// Per value: whether the result's offset is a kernel parameter.
    boost::container::static_vector<bool, max_arguments> result_offsets = {};
    friend bool operator==(const ReductionLayout&, const ReductionLayout&) = default;
};

/// Bytes of shared memory per thread for the running values.
GEMEL_API std::size_t running_bytes(const ReductionRequest& request);
/// `block`, halved until the running values of its threads fit in shared memory.
GEMEL_API std::uint32_t fitting_block(const ReductionRequest& request, std::uint32_t block, std::size_t shared_bytes);

/// The source of the kernel `<name>` and, if a second kernel combines partial results, `<name>_finish`.
///
/// Parameters of `<name>`; sizes have the index type:
///   the arguments, offsets and layout as for element-wise kernels. The layout has the reduced extents, the kept
///   extents, for each strided array its strides along the reduced and the kept axes, then those of `i`
///   a pointer to each result, and the offset in bytes of each result that has one
///   split: a pointer to partial results per value, with one element per output and split
///   finish: `counters`, one int per group of outputs, all zero before and after
///   `n`, the number of elements per output; `outputs`; `splits`
///   packed: `head`
///   serial rows: `span`, the outputs per block
/// An argument's LastStep is along the axis on which neighbouring threads read.
/// Launched with `splits` blocks for each group of outputs. A group has one output (whole), across * rows outputs
/// (rows), across * vector_width (columns), `span` (serial rows), or vector_width neighbours along the last kept
/// axis (serial columns). `<name>_finish` takes results, offsets, partial results, `n`, `outputs` and `splits`; it has
/// a thread per output.
///
/// Threads sum in runs of bounded length and blocks combine by a tree, so that rounding errors grow with the logarithm
/// of the length. The order of summation depends on the launch only, not on timing.
/// @source tree and last-block scheme: Harris, "Optimizing Parallel Reduction in CUDA", and the CUDA samples'
/// threadFenceReduction
GEMEL_API std::string reduction_source(const ReductionRequest& request, const ReductionLayout& layout,
                                       const ReductionTuning& tuning, const Dialect& dialect);
/// The source for one run of contiguous elements on a GPU, for showing it.
GEMEL_API std::string reduction_source(const ReductionRequest& request, const Dialect& dialect);

/// @throws ArgumentError
GEMEL_API void check_request(const ReductionRequest& request);

}  // namespace gemel::codegen
