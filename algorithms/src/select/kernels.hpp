/// The kernels for selecting and grouping, by their variants: used by the callers and by tests of the source text.
#pragma once

#include <gemel/algorithms/unique.hpp>
#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/arrays/scan_kernel.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gemel::selecting {

/// The elements that a selection writes: those whose condition is true, the others, or both.
enum class Form : std::uint8_t { keep, remove, split };
/// On CPU devices every element is stored: unselected ones go to scrap memory after the result, one cache line per
/// 16384 elements. An unconditional store avoids a branch that would often be mispredicted.
constexpr bool has_scrap(Form form, bool is_cpu) { return is_cpu && form != Form::split; }
constexpr std::size_t scrap_size(std::size_t count) { return (count / 16384 + 1) * 16; }

/// A scan whose `item` is the number of selected elements up to element i. Its arguments end with selected_out,
/// selected_others (if split), and selected_count.
/// @param staged  elements of the type T are gathered in shared memory
/// @param source  the argument whose elements are selected
GEMEL_API Scan select_scan(Form form, bool wide, bool is_cpu, bool staged, std::vector<Parameter> arguments,
                           const std::string& holds, const std::string& source, std::string preamble);
/// The indices of the selected elements: arguments end with selected_out and selected_count.
GEMEL_API Scan indices_scan(bool wide, std::vector<Parameter> arguments, const std::string& holds,
                            std::string preamble);

/// Elements up to this size, in bytes, are collected in shared memory so that writes are coalesced.
constexpr std::size_t max_staged_bytes = 16;

// `equal` is the text of same_key(a, b), see selecting.hpp.
GEMEL_API Scan unique_consecutive_scan(bool wide, bool staged, const std::string& equal);
/// For CPU devices, one thread for each chunk of `length` elements: how many runs begin in it (x, totals, count,
/// length), and the elements where they begin (x, totals, values, number, done, count, length).
GEMEL_API ElementwiseKernel count_runs_kernel(const std::string& equal);
GEMEL_API ElementwiseKernel first_of_runs_kernel(const std::string& equal);
GEMEL_API Scan run_lengths_scan(bool wide, const std::string& equal);
/// The same by positions in tiles of at most 65536 elements: arguments x, values, lengths, last, begin, count. The last
/// run that begins in a tile may end in any later one. Its number goes to last[tile], -1 if none begins there, its
/// position to begin[tile], and lengths[its number] gets the position of its end, unless it is the last of all.
GEMEL_API Scan run_positions_scan(bool wide, const std::string& equal);
/// Completes the lengths of those runs: arguments last, begin, lengths, count, n (elements of x). One thread per tile.
GEMEL_API ElementwiseKernel complete_runs_kernel();
GEMEL_API Scan unique_scan(bool wide, const std::string& equal, const UniqueOptions& options);
GEMEL_API Scan reduce_by_key_scan(bool wide, DType values, const std::string& equal, const std::string& combine);
GEMEL_API Scan scan_by_key_scan(bool exclusive, DType values, const std::string& equal, const std::string& combine,
                                const std::string& neutral);
/// All segments by one segmented scan; the last result of each segment is written.
GEMEL_API Scan segment_scan(DType values, DType index, const std::string& combine);
/// One thread per segment: for devices with few cores. Arguments values, count (of the values), starts, ends, results.
GEMEL_API ElementwiseKernel segment_loop(DType values, DType index, const std::string& combine,
                                         const std::string& neutral);

/// The first elements of each row in order, found by one thread for each row: arguments x, values, indices, done (an
/// element for each row), length, kept.
GEMEL_API ElementwiseKernel row_ends_kernel(DType dtype, bool largest);
/// `found` gets the elements of the chosen parts, part by part, then those after the last part. Both take (parts, kept,
/// length, count): the chosen parts' indices, how many are chosen, the elements of a part, the number of parts.
GEMEL_API ElementwiseKernel part_elements_kernel(DType dtype);
/// The positions in the array of elements of `found`: arguments (chosen, indices, ...).
GEMEL_API ElementwiseKernel part_indices_kernel();

}  // namespace gemel::selecting
