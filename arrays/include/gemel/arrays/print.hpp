/// Arrays as text, the way NumPy prints them.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/core/export.hpp>

#include <iosfwd>
#include <string>

namespace gemel {

/// What `print(a)` shows for the same array in NumPy 2: columns aligned, lines of at most 75 characters, above 1000
/// elements the three first and last along each axis, floating-point numbers with the fewest digits (at most 8 behind
/// the point) that tell them apart from others of their type. Structs and vectors are tuples. Downloads what it shows
/// and blocks.
GEMEL_API std::string to_string(const AnyArray& array);
GEMEL_API std::ostream& operator<<(std::ostream& out, const AnyArray& array);

}  // namespace gemel
