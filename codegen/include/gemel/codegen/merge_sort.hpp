/// The source of merge sorts with a user's comparison: blocks sort tiles, then runs are merged in pairs.
#pragma once

#include <gemel/codegen/sort.hpp>

#include <string>

namespace gemel::codegen {

/// The elements and the comparison.
struct MergeSortRequest {
    std::string name = "merge_sort";
    DType dtype = {};
    std::string less_expr = {};  ///< a C expression of the elements `a` and `b`: whether a must come before b
    std::string preamble = {};
};

struct MergeSortLayout {
    bool serial = false;  ///< one thread per tile, for CPU devices
    bool wide_index = false;
    bool descending = false;
    bool by_place = false;  ///< sorts the elements' indices: int32, or int64 with wide_index
    friend bool operator==(const MergeSortLayout&, const MergeSortLayout&) = default;
};

/// The default threads per block and elements per thread; larger elements get fewer, so that a tile fits in shared
/// memory.
GEMEL_API SortTuning merge_sort_tuning(const DeviceInfo& device, const Workload& work);
/// The number of elements that a block sorts, and that it merges.
GEMEL_API std::size_t merge_sort_tile(const MergeSortLayout& layout, const SortTuning& tuning);

/// Two kernels:
///   <name>_tiles  sorts each tile. Parameters: in, out, tiles, n; serial: in, out, spare, tiles, n
///   <name>_merge  merges neighbouring runs of `width` elements, a multiple of the tile. Parameters: in, out, width,
///                 tiles, n
/// With by_place, the array of elements is the first parameter. Sizes are int32, or int64 with wide_index. Launched
/// with a block for each of the `tiles` tiles of each row of n elements.
/// @source Green, McColl and Bader, "GPU Merge Path: A GPU Merging Algorithm"
GEMEL_API std::string merge_sort_source(const MergeSortRequest& request, const MergeSortLayout& layout,
                                        const SortTuning& tuning, const Dialect& dialect);

/// @throws ArgumentError for an invalid less_expr
GEMEL_API void check_request(const MergeSortRequest& request);

}  // namespace gemel::codegen
