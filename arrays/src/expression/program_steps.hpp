/// The kernels of programs.
#pragma once

#include "expression/program_text.hpp"

#include <memory>
#include <span>
#include <vector>

namespace gemel {

using Steps = std::vector<StepKernel>;

/// @throws ArgumentError if the caller's array for a result is in another context than the first operand
void require_target(const AnyArray& array, const AnyArray& leader);
/// @throws ArgumentError if operands or the caller's arrays for results are in several contexts, or a function computes
/// in double, which the device cannot
void check(const Program& program, std::span<const AnyArray* const> out = {});
bool has_elements(const Program& program);

/// The plan's kernels, created for the first program of this structure. Null if one kernel cannot take all operands.
std::shared_ptr<const Steps> steps_of(Program& program);

}  // namespace gemel
