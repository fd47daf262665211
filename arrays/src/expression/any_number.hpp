/// Elements whose type is known only at run time, as host numbers.
#pragma once

#include <gemel/arrays/element.hpp>

namespace gemel {

/// The element at this address as the widest number of its kind. @throws ArgumentError naming `who` if it is not a
/// number
AnyNumber number_at(const char* who, DType dtype, const void* element);

}  // namespace gemel
