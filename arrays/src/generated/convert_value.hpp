/// Numbers of the host as the types that a kernel declares.
#pragma once

#include "generated/declared_arguments.hpp"

#include <gemel/arrays/call_argument.hpp>
#include <gemel/core/argument.hpp>

#include <cstddef>

namespace gemel {

/// A value in another type, if nothing is lost but the last digits of a fraction. One that rounds may lose others and
/// overflow where that type is floating or complex.
/// @throws ArgumentError through `declared`
Argument convert_value(const DeclaredArguments& declared, std::size_t index, const DType& to,
                       const CallArgument& given);

}  // namespace gemel
