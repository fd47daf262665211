/// Elements whose type is known only at run time, as numbers of the host.
#pragma once

#include <gemel/arrays/element.hpp>

namespace gemel {

/// The element that lies there, as the widest number of its kind. @throws ArgumentError naming `who` for what is none
AnyNumber number_at(const char* who, DType dtype, const void* element);

}  // namespace gemel
