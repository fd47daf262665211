/// Running sums, products and extremes along the columns of narrow matrices.
#pragma once

#include <gemel/arrays/cumulative.hpp>

namespace gemel {

/// Whether rows of this many elements, in the type of the computation, can be scanned as one value each.
bool is_narrow(const AnyArray& out, std::int64_t inner);

/// Scans rows of `inner` elements as values of one scan, which reads and writes each element once. If each thread
/// processed a column, it would use only a part of each memory access.
/// @param x, out  contiguous: matrices of `rows` rows, one after another
/// @time enqueued; one launch
void cumulate_narrow(detail::Cumulating kind, const AnyArray& x, std::int64_t rows, std::int64_t inner,
                     const AnyArray& out);

}  // namespace gemel
