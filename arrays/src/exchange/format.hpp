/// Formats numbers as NumPy does, with one format for all elements of an array. Needs no device.
#pragma once

#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace gemel {

/// Prints the element at an address.
using Formatter = std::function<std::string(const std::byte*)>;

/// A format for `count` elements, `step_bytes` apart.
GEMEL_API Formatter formatter_for(const DType& dtype, const std::byte* first, std::size_t count,
                                  std::size_t step_bytes);
/// A single element, formatted like a NumPy scalar.
GEMEL_API std::string scalar_text(const DType& dtype, const std::byte* element);

}  // namespace gemel
