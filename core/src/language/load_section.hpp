/// Loads that say how long caches should keep what they read.
#pragma once

#include <gemel/core/dialect.hpp>

namespace gemel {

/// `gemel_load_once(p)`: the element at p, in device memory, which the second-level cache evicts before others. For
/// data that a kernel reads once, beside data that it reads again.
/// @source PTX ISA, "Cache Operators", ld.cs
Dialect::Section cuda_load_section();
Dialect::Section opencl_load_section();

}  // namespace gemel
