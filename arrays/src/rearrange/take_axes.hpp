/// What take(), compress() and repeat() are made of.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/arrays/take.hpp>

#include <cstddef>
#include <string_view>

namespace gemel {

/// The elements of x at `indices` along the axes first, ..., first + count - 1, counted in C order as if they were one.
/// The arguments are right but for what the indices are worth.
AnyArray take_axes(std::string_view who, const AnyArray& x, std::size_t first, std::size_t count,
                   const AnyArray& indices, OutOfBounds mode);

}  // namespace gemel
