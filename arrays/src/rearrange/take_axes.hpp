/// The common implementation of take(), compress() and repeat().
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/arrays/take.hpp>

#include <cstddef>
#include <string_view>

namespace gemel {

/// The elements of x at `indices` along the axes first, ..., first + count - 1, counted in C order like one axis. All
/// arguments except the indices' values have been checked.
AnyArray take_axes(std::string_view who, const AnyArray& x, std::size_t first, std::size_t count,
                   const AnyArray& indices, OutOfBounds mode);

}  // namespace gemel
