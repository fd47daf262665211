/// Kernels that move elements by arrays of indices, and the bounds check of indices.
#pragma once

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/arrays/scan_kernel.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>

namespace gemel {

/// How an index is converted to the distance of its element from the first one.
struct IndexForm {
    DType index;                 ///< an integer type, of the indices
    bool clips = false;          ///< clips to the nearest valid index; otherwise wraps around
    bool wide_index = false;     ///< compares with the extent in 64 bits
    bool wide_position = false;  ///< the distance needs 64 bits
    std::size_t rank = 0;  ///< the number of axes that indices count through in C order; 0: the index is the distance
};

/// The source of the values in put kernels.
enum class ValueForm : std::uint8_t {
    one,      ///< `v`, a number
    each,     ///< `v[i]`
    repeated  ///< `v[i % count]`
};

inline constexpr std::size_t max_moved_arrays = 16;

// `extents` are those of the counted axes 1, 2, ..., `steps` the strides of all of them; for rank 0 there are neither.

/// (y0, x0, y1, x1, ..., idx, extent, extents..., steps...): y[i] = x[position of idx[i]], each pair with its own type.
/// @param from_element  positions are relative to x[i], otherwise to the first element
GEMEL_API const ElementwiseKernel& take_kernel(const IndexForm& form, std::size_t arrays, bool from_element);
/// (x0, v0, x1, v1, ..., idx, [count,] extent, extents..., steps...): x[position of idx[i]] = v.
GEMEL_API const ElementwiseKernel& put_kernel(const IndexForm& form, std::size_t arrays, ValueForm values);
/// (idx, extent, found): found[0] becomes 1 if an index is not in [-extent, extent).
GEMEL_API const ElementwiseKernel& index_check_kernel(DType index, bool wide);

// The kernels by which repeat() with an array of counts computes its indices.

/// (times, ends, negative): ends[i] = times[0] + ... + times[i]. Sets negative[0] to 1 if a count is negative, and
/// negative[1] if a sum is, as after an overflow.
GEMEL_API const Scan& repeat_ends_scan();
/// (sources, ends, count): sources[i] is the first k with ends[k] > i.
GEMEL_API const ElementwiseKernel& repeat_sources_kernel();

}  // namespace gemel
