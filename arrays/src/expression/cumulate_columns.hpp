/// Running sums, products and extremes along an axis other than the last.
#pragma once

#include <gemel/arrays/cumulative.hpp>

namespace gemel {

/// "cumsum", "cumulative_max"
const char* name_of(detail::Cumulating kind);

/// Each thread processes a column. If there are few columns, they are divided into pieces: the totals of the pieces are
/// computed and scanned first, which takes three passes over the array instead of two.
/// @param x    contiguous
/// @param out  contiguous, of the same shape; its type is that of the computation (float for 16-bit floats)
/// @time enqueued; one launch, or two for each level of pieces
void cumulate_columns(detail::Cumulating kind, const AnyArray& x, std::size_t axis, const AnyArray& out);

}  // namespace gemel
