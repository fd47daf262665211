/// Draws random numbers into device memory.
#pragma once

#include "random/random_draw.hpp"

namespace gemel::random {

/// @throws ArgumentError unless the array is in the context and writable
void check_target(const char* who, const Context& context, const AnyArray& out);
/// The means of Poisson numbers as kernels read them: in the shape of `out`, contiguous, float or double, and not in
/// memory that is overwritten before it is read. @throws ArgumentError
AnyArray readable_means(const Context& context, const AnyArray& means, const AnyArray& out);
// Enqueue the kernel; the arrays must be contiguous.
void fill_array(const AnyArray& out, const Draw& draw, std::uint64_t elements, const codegen::PhiloxPosition& position,
                const AnyArray* means = nullptr);
void permute_array(const AnyArray& out, const PermutationPlan& plan);

}  // namespace gemel::random
