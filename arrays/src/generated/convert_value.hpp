/// Converts host numbers to the types that a kernel declares.
#pragma once

#include "generated/declared_arguments.hpp"

#include <gemel/arrays/call_argument.hpp>
#include <gemel/core/argument.hpp>

#include <cstddef>

namespace gemel {

/// Converts a value to another type if at most the last digits of a fraction are lost. A value with `rounds` may also
/// lose more digits, or overflow, if the type is floating or complex.
/// @throws ArgumentError, by `declared`
Argument convert_value(const DeclaredArguments& declared, std::size_t index, const DType& to,
                       const CallArgument& given);

}  // namespace gemel
