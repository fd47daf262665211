/// What the sorts' functions ask of their arguments.
#pragma once

#include <gemel/arrays/any_array.hpp>

#include <string_view>

namespace gemel::sorting {

/// Whether elements of this type have an order of their own: numbers and bools.
bool has_order(const DType& dtype);
/// @throws ArgumentError if they have none
void check_order(std::string_view who, const DType& dtype);

}  // namespace gemel::sorting
