/// Running sums, products and extremes along an axis behind which others follow.
#pragma once

#include <gemel/arrays/cumulative.hpp>

namespace gemel {

/// "cumsum", "cumulative_max"
const char* name_of(detail::Cumulating kind);

/// Each thread goes down a column, or a piece of one where there are few: then the totals of the pieces are found
/// first, and their running results, so that three readings or writings of the array are needed instead of two.
/// @param x    contiguous
/// @param out  contiguous, of the same shape; the type in which results are found (16-bit floats: in float)
/// @time enqueued; one launch, or two for each level of pieces
void cumulate_columns(detail::Cumulating kind, const AnyArray& x, std::size_t axis, const AnyArray& out);

}  // namespace gemel
