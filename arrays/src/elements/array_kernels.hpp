/// The kernels that arrays launch themselves. Each is created on first use and never destroyed.
#pragma once

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/core/export.hpp>

#include <string>

namespace gemel {

/// (x, y): y = x, for any one type.
GEMEL_API const ElementwiseKernel& copy_kernel();
/// (value, y): y = value, for any one type.
GEMEL_API const ElementwiseKernel& fill_kernel();
/// (x, y): y = x converted, for two number types. @throws ArgumentError for complex to real
GEMEL_API const ElementwiseKernel& conversion_kernel(const DType& from, const DType& to);
/// (start, step, last, last_index, out): out[i] = start + i * step, but `last` at `last_index`. All devices give the
/// same bits, because operations are not fused. @param number  the type of the computation: "int64_t", "double",
/// "float"
GEMEL_API const ElementwiseKernel& progression_kernel(const DType& dtype, const std::string& number);

}  // namespace gemel
