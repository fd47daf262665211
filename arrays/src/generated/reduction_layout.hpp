/// How a reduction over axes reaches its arrays, and how its outputs are dealt out to blocks.
#pragma once

#include "generated/call_layout.hpp"

#include <gemel/codegen/reduction.hpp>
#include <gemel/core/device.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace gemel {

/// The arrays found by steps along reduced and kept axes.
struct ReductionAxesLayout {
    CallLayout call;
    int kept_rank = 0;
    bool has_index = false;
    bool has_result = false;  ///< kept axes are not in the order of the result
    bool columns = false;     ///< neighbours in memory belong to neighbouring outputs, not to the same
    std::int64_t extent = 1;  ///< of the axis along which they are neighbours, once axes are merged
    int vector_width = 1;     ///< of the widest accesses that the arrays allow along that axis
    bool shifted = false;     ///< if runs begin anywhere between aligned packs
};

/// @param reduced  one flag per axis of the call's shape
/// @param most_results  of a thread, which bounds how many elements an access has
/// @throws ArgumentError for arrays of different shapes
ReductionAxesLayout choose_reduction_layout(const BoundCall& call, std::span<const bool> reduced,
                                            const LayoutRequest& request, int most_results);

/// How one call's elements are dealt out.
struct Spread {
    std::size_t count = 0;  ///< elements per output
    std::size_t outputs = 1;
    std::size_t splits = 1;
    std::size_t stretch = 1;  ///< outputs of a block, in serial rows
    std::size_t blocks = 1;   ///< of threads
    std::size_t groups() const { return blocks / splits; }
};

/// Everything as one run, or `outputs` of them without elements.
Spread spread_whole(const CallLayout& layout, const codegen::ReductionTuning& tuning, const DeviceInfo& device,
                    std::size_t count, std::size_t outputs);
/// Over axes: fills layout.mapping and layout.tile.
Spread spread_over_axes(const ReductionAxesLayout& over, const codegen::ReductionTuning& tuning,
                        const DeviceInfo& device, std::size_t count, std::size_t outputs, std::size_t running_bytes,
                        codegen::ReductionLayout& layout);

}  // namespace gemel
