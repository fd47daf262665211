/// The parts of a product by windows of columns that other products do not have.
#pragma once

#include <gemel/codegen/kernel_text.hpp>
#include <gemel/core/dtype.hpp>

namespace gemel::codegen {

/// Adds to the values of a tile's template what windows need: the text of a chunk, and how products reach a tile.
void fill_bins(Values& values, DType value, KernelText& kernel);

}  // namespace gemel::codegen
