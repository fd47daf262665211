/// Vectors of eight and sixteen elements, the width of CPU registers. Only OpenCL C has such types, and only kernels
/// for CPU devices use them.
#pragma once

#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <string>

namespace gemel::codegen {

/// Loads the vector that begins at `pointer`, which must be aligned to one element.
/// @param vector  its type, float16 for example: DType(kind, 64, 16)
GEMEL_API std::string load_wide(DType vector, const std::string& pointer);
/// Stores a vector; without a semicolon.
GEMEL_API std::string store_wide(DType vector, const std::string& value, const std::string& pointer);
/// function(x) of a vector of floats, computed in double and rounded to float.
GEMEL_API std::string call_in_wide_double(DType vector, const std::string& function, const std::string& x);

}  // namespace gemel::codegen
