/// Vectors of eight and sixteen elements, as wide as a CPU's registers. Only OpenCL C has such types, and only the
/// kernels of CPU devices use them.
#pragma once

#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <string>

namespace gemel::codegen {

/// The vector that begins at `pointer`, which need be aligned as one element is.
/// @param vector  its type, float16 for example: DType(kind, 64, 16)
GEMEL_API std::string load_wide(DType vector, const std::string& pointer);
/// Without a semicolon.
GEMEL_API std::string store_wide(DType vector, const std::string& value, const std::string& pointer);
/// A function of a vector of floats that is computed in double: function(x), rounded to float.
GEMEL_API std::string call_in_wide_double(DType vector, const std::string& function, const std::string& x);

}  // namespace gemel::codegen
