/// Draws into device memory.
#pragma once

#include "random_draw.hpp"

namespace gemel::random {

/// @throws ArgumentError unless the array is of the context and can be written to
void check_target(const Context& context, const AnyArray& out);
// Enqueue the kernel; the array is contiguous.
void fill_array(const AnyArray& out, const Draw& draw, std::uint64_t elements, const codegen::PhiloxPosition& position);
void permute_array(const AnyArray& out, const PermutationPlan& plan);

}  // namespace gemel::random
