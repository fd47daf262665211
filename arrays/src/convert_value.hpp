/// Numbers of the host as the types that a kernel declares.
#pragma once

#include "declared_arguments.hpp"

#include <gemel/core/argument.hpp>

#include <cstddef>

namespace gemel {

/// A value in another type, if nothing is lost but the last digits of a fraction.
/// @throws ArgumentError through `declared`
Argument convert_value(const DeclaredArguments& declared, std::size_t index, const DType& to, const Argument& from);

}  // namespace gemel
