/// How a reduction over axes accesses its arrays, and how its outputs are distributed over blocks.
#pragma once

#include "generated/call_layout.hpp"

#include <gemel/codegen/reduction.hpp>
#include <gemel/core/device.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace gemel {

/// a / b, rounded up.
constexpr std::size_t up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// The arrays' strides along reduced and kept axes.
struct ReductionAxesLayout {
    CallLayout call;
    int kept_rank = 0;
    bool has_index = false;
    bool has_result = false;  ///< the kept axes are not in the order of the result
    bool columns = false;     ///< neighbours in memory belong to neighbouring outputs, not to the same output
    std::int64_t extent = 1;  ///< of the neighbours' axis, after merging
    int vector_width = 1;     ///< of the widest accesses that the arrays allow along that axis
    bool shifted = false;     ///< runs may begin inside a pack
    /// Of the largest elements with stride 1 along that axis; 0 if there are none, or if an array cannot be read in
    /// packs.
    std::size_t item_bytes = 0;
    std::size_t values = 1;         ///< results of one pass
    bool is_cuda = false;           ///< compiled for CUDA
    bool is_costly = false;         ///< of is_costly()
    bool joins_are_costly = false;  ///< of has_costly_joins()
    bool overlaps = false;          ///< elements may be read a second time without changing the result
    /// The arguments whose lines follow each other in memory, and the bytes of an element of all of them.
    boost::container::static_vector<std::size_t, codegen::max_arguments> followed = {};
    std::size_t stage_bytes = 0;
    bool lines_divide = false;  ///< accesses of 16 bytes divide these lines
};

/// @param reduced  one flag per axis of the call's shape
/// @param max_results  maximum per thread; limits the elements per access
/// @throws ArgumentError for arrays of different shapes
ReductionAxesLayout choose_reduction_layout(const BoundCall& call, std::span<const bool> reduced,
                                            const LayoutRequest& request, int max_results);

/// Whether elements are costly to add, so that compilers would put each load right before its additions: the running
/// value is a struct, or there are several.
bool is_costly(const codegen::ReductionRequest& request, const Dialect& dialect);
/// Whether two running values are costly to join, on all devices.
bool has_costly_joins(const codegen::ReductionRequest& request);

/// The distribution of a call's elements.
struct Spread {
    std::size_t count = 0;  ///< elements per output
    std::size_t outputs = 1;
    std::size_t splits = 1;
    std::size_t span = 1;    ///< outputs per block, for serial rows
    std::size_t blocks = 1;  ///< in the grid
    std::size_t groups() const { return blocks / splits; }
};

/// How many neighbours of a row a CPU's thread sums side by side: at most `most`, or a half or a quarter. Fewer leave
/// fewer elements behind the last whole group, which are summed one by one; `overlaps`: the last group takes them.
int running_results(std::size_t extent, std::size_t most, bool overlaps);

/// One run of all elements, or `outputs` runs without elements.
Spread spread_whole(const CallLayout& layout, const codegen::ReductionTuning& tuning, const DeviceInfo& device,
                    std::size_t count, std::size_t outputs);
/// Reductions over axes: fills layout.mapping and layout.tile.
Spread spread_over_axes(const ReductionAxesLayout& over, const codegen::ReductionTuning& tuning,
                        const DeviceInfo& device, std::size_t count, std::size_t outputs, std::size_t running_bytes,
                        codegen::ReductionLayout& layout);

}  // namespace gemel
