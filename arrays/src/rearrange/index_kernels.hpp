/// Kernels that move elements by arrays of indices, and the check of such indices.
#pragma once

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/arrays/scan_kernel.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>

namespace gemel {

/// How an index becomes the distance of its element from the first one.
struct IndexForm {
    DType index;                 ///< of the indices: an integer type
    bool clips = false;          ///< to the nearest index that there is; else it wraps around
    bool wide_index = false;     ///< compared with the extent in 64 bits
    bool wide_position = false;  ///< the distance needs 64 bits
    std::size_t rank = 0;        ///< of the axes that are counted through in C order; 0: the index is the distance
};

/// Where the kernels of put take their values from.
enum class ValueForm : std::uint8_t {
    one,      ///< `v`, a number
    each,     ///< `v[i]`
    repeated  ///< `v[i % count]`
};

inline constexpr std::size_t max_moved_arrays = 16;

// `extents` are those of axes 1, 2, ... of the counted ones, `steps` those of all of them; of rank 0 there are neither.

/// (y0, x0, y1, x1, ..., idx, extent, extents..., steps...): y[i] = x[position of idx[i]], for any one type per pair.
/// @param from_element  positions are counted from x[i], else from the first element
GEMEL_API const ElementwiseKernel& take_kernel(const IndexForm& form, std::size_t arrays, bool from_element);
/// (x0, v0, x1, v1, ..., idx, [count,] extent, extents..., steps...): x[position of idx[i]] = v.
GEMEL_API const ElementwiseKernel& put_kernel(const IndexForm& form, std::size_t arrays, ValueForm values);
/// (idx, extent, found): found[0] becomes 1 if an index is not in [-extent, extent).
GEMEL_API const ElementwiseKernel& index_check_kernel(DType index, bool wide);

// What repeat() with a number for each element finds its indices by.

/// (times, ends, negative): ends[i] = times[0] + ... + times[i]; negative[0] becomes 1 if a number is below zero, and
/// negative[1] if a sum is: the first sum beyond 64 bits is.
GEMEL_API const Scan& repeat_ends_scan();
/// (sources, ends, count): sources[i] is the first k with ends[k] > i.
GEMEL_API const ElementwiseKernel& repeat_sources_kernel();

}  // namespace gemel
