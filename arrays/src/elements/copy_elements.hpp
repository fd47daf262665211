/// Copies elements from array to array on a device. All copies use these functions.
#pragma once

#include <gemel/arrays/any_array.hpp>

namespace gemel {

/// Writes the elements of `from` to `to`, converted if the types differ. The arrays have one shape and one context and
/// do not overlap. Any layout, but `to` repeats no element. Enqueued on the thread's current stream.
void copy_elements(const AnyArray& to, const AnyArray& from);

/// Writes one value to every element of an array of any layout, in one launch. Returns false and writes nothing for
/// types that are not plain words.
bool fill_elements(const AnyArray& to, const void* element);

}  // namespace gemel
