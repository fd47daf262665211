/// Arrays as text, the way NumPy prints them.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/core/export.hpp>

#include <iosfwd>
#include <string>

namespace gemel {

/// The output of `print(a)` in NumPy 2 for the same array: aligned columns, lines of at most 75 characters, the first
/// and last three elements along each axis if there are more than 1000, floating-point numbers with the fewest digits
/// (at most 8 after the point) that distinguish them from others of their type. Structs and vectors are tuples.
/// Downloads the elements to be shown and blocks.
GEMEL_API std::string to_string(const AnyArray& array);
GEMEL_API std::ostream& operator<<(std::ostream& out, const AnyArray& array);

}  // namespace gemel
