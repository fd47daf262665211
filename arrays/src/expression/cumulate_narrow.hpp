/// Running sums, products and extremes down narrow matrices.
#pragma once

#include <gemel/arrays/cumulative.hpp>

namespace gemel {

/// Whether rows of so many elements, as they are found, are short enough to be scanned as one value each.
bool is_narrow(const AnyArray& out, std::int64_t inner);

/// Rows of `inner` neighbouring elements are the values of one scan: read once and written once, where threads that
/// each go down a column would use a part of each access.
/// @param x, out  contiguous: matrices of `rows` rows, one behind the other
/// @time enqueued; one launch
void cumulate_narrow(detail::Cumulating kind, const AnyArray& x, std::int64_t rows, std::int64_t inner,
                     const AnyArray& out);

}  // namespace gemel
