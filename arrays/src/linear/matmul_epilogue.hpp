/// The arguments of an epilogue of matrix products.
#pragma once

#include <gemel/arrays/matmul.hpp>
#include <gemel/core/argument.hpp>

#include <vector>

namespace gemel {

/// The arguments of an epilogue as kernel arguments: arrays in C order from the beginning of their memory, 16-bit
/// floats as float. Arrays that overlap the target are copied, since it is written while they are read.
/// @throws ArgumentError for names that the kernel uses, and for arrays that are empty handles or in another context
std::vector<NamedArgument> epilogue_arguments(const MatmulOptions& options, const AnyArray& target);

/// An argument that is_value().
Argument value_argument(const NamedArgument& given);

}  // namespace gemel
