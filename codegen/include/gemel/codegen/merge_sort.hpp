/// The source of merge sorts by a user's comparison: blocks sort tiles, then runs are merged in pairs.
#pragma once

#include <gemel/codegen/sort.hpp>

#include <string>

namespace gemel::codegen {

/// The elements and the comparison.
struct MergeSortRequest {
    std::string name = "merge_sort";
    DType dtype = {};
    std::string less_expr = {};  ///< of two elements `a` and `b`: whether a must come before b
    std::string preamble = {};
};

struct MergeSortLayout {
    bool serial = false;  ///< one thread per tile, for devices with few cores
    bool wide_index = false;
    bool descending = false;
    bool by_place = false;  ///< sorts indices of elements, int32 or with wide_index int64
    friend bool operator==(const MergeSortLayout&, const MergeSortLayout&) = default;
};

/// Threads and elements of a thread, as far as shared memory goes.
GEMEL_API SortTuning merge_sort_tuning(const DeviceInfo& device, const Workload& work);
/// Elements that one block sorts, and of which it merges as many.
GEMEL_API std::size_t merge_sort_tile(const MergeSortLayout& layout, const SortTuning& tuning);

/// `<name>_tiles` (in, out, tiles, n), serial (in, out, spare, tiles, n): sorts each tile; `<name>_merge` (in, out,
/// width, tiles, n): merges neighbouring runs of `width` elements, a multiple of the tile. A block for each of the
/// `tiles` tiles of each row of n elements. Sizes are int32, int64 with wide_index. With by_place the array of elements
/// comes first of all arguments.
/// @source Green, McColl and Bader, "GPU Merge Path: A GPU Merging Algorithm"
GEMEL_API std::string merge_sort_source(const MergeSortRequest& request, const MergeSortLayout& layout,
                                        const SortTuning& tuning, const Dialect& dialect);

/// @throws ArgumentError for an invalid less_expr
GEMEL_API void check_request(const MergeSortRequest& request);

}  // namespace gemel::codegen
