/// Reductions whose blocks copy lines of odd lengths to shared memory by wide accesses.
#pragma once

#include "generated/reduction_layout.hpp"

namespace gemel {

/// The bytes of the longest runs of such elements that reductions stage.
std::size_t longest_staged_run(std::size_t item_bytes);

constexpr std::size_t staged_bytes = std::size_t{16} << 10;  ///< of the lines of a block, if they are short
/// The maximum. Several blocks fit a multiprocessor, so that some copy while others compute.
constexpr std::size_t most_staged_bytes = std::size_t{34} << 10;

/// Whether blocks can stage lines and exchange by shuffles.
bool can_stage(const DeviceInfo& device);

/// If the tile has a stage, marks the arrays that are copied to it.
void mark_staged(ReductionAxesLayout& over, const codegen::ReductionTile& tile);

/// Deals such a reduction to blocks and threads. @returns false if the lines are too long, or the device cannot.
bool stage_lines(const ReductionAxesLayout& over, const codegen::ReductionTuning& tuning, const DeviceInfo& device,
                 std::size_t running_bytes, codegen::ReductionTile& tile, Spread& work);

}  // namespace gemel
