/// Running sums, products and extremes along columns, stored in whole sectors of memory.
#pragma once

#include <gemel/arrays/cumulative.hpp>

namespace gemel {

/// A matrix or several, one after another, whose columns are cumulated in pieces of `piece_rows` rows.
struct ColumnPieces {
    std::int64_t outer, rows, inner, piece_rows, pieces;
};

/// Whether cumulate_staged() is faster: rows begin within sectors of memory, are long enough for a block, and there are
/// enough threads.
bool is_staged(const AnyArray& x, const AnyArray& out, const ColumnPieces& columns);

/// If warps store parts of sectors, GPUs take nearly twice as long for their stores. Blocks therefore gather results of
/// several rows in shared memory.
/// @param x, out   contiguous
/// @param scanned  the running totals of all pieces, contiguous, in the type of the computation; empty: one piece
/// @time enqueued; one launch
void cumulate_staged(detail::Cumulating kind, const AnyArray& x, const ColumnPieces& columns, const AnyArray& scanned,
                     const AnyArray& out);

}  // namespace gemel
