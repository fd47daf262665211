/// Packs for calls with arrays that are not contiguous: a row, column or factor that is broadcast, a slice, an array
/// read backwards. Contiguous arrays keep their wide accesses, which strided ones share where lines of the last axis
/// are whole packs; otherwise their elements are read one by one, and come from the cache.
#pragma once

#include "array/merge_axes.hpp"
#include "generated/call_layout.hpp"

namespace gemel {

/// Chooses packs for a layout with strided arrays, if they are faster than tiles. Measured on an H200, x * row of 2^27
/// elements, us, in tiles of single elements and so: floats (32768, 4096) 344 and 274, (2684354, 50) 679 and 279,
/// halves (32768, 4096) 292 and 138; but of 2^20 floats 5.7 and 7.0.
void choose_line_packs(const BoundCall& call, const LayoutRequest& request, const MergedAxes& axes, CallLayout& layout);

/// Chooses packs of one element, several per thread, where tiles would leave many threads without work, or there are
/// none.
void choose_packs_of_one(const BoundCall& call, const LayoutRequest& request, const MergedAxes& axes,
                         CallLayout& layout);

}  // namespace gemel
