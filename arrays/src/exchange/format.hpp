/// Numbers as NumPy writes them: one format for all elements of an array. Needs no device.
#pragma once

#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace gemel {

/// Writes the element at an address.
using Formatter = std::function<std::string(const std::byte*)>;

/// A format that suits all elements: `count` of them, `step_bytes` apart.
GEMEL_API Formatter formatter_for(const DType& dtype, const std::byte* first, std::size_t count,
                                  std::size_t step_bytes);
/// A single element, as NumPy writes a scalar.
GEMEL_API std::string scalar_text(const DType& dtype, const std::byte* element);

}  // namespace gemel
