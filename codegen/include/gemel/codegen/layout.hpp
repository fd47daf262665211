/// The memory layout of a call's arrays, as far as a kernel's source depends on it.
#pragma once

#include <gemel/core/export.hpp>

#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace gemel::codegen {

/// The maximum of one generated kernel.
inline constexpr std::size_t max_arguments = 40;

/// The layout of an array argument in one variant of a kernel.
enum class Access : std::uint8_t {
    none,     ///< not an array
    packed,   ///< contiguous and aligned: vector accesses
    linear,   ///< contiguous: element i is x[i]
    strided,  ///< addressed by the layout's strides
    pointer,  ///< not accessed as x[i]
};

/// The stride of a strided array along the last axis, as far as it is known; used by kernels in tiles.
enum class LastStep : std::uint8_t { any, one, zero };

struct ArgumentLayout {
    Access access = Access::none;
    bool offset = false;  ///< the array's offset in its buffer is a kernel parameter
    LastStep last_step = LastStep::any;
    bool constant = false;  ///< reductions over axes: the same along all of them, so that it is read once per output
    // In tiles in which arrays are transposed in shared memory:
    bool wide = false;        ///< a thread accesses neighbours along a row as vectors
    std::uint8_t turned = 0;  ///< loaded along columns, this many elements per access, and transposed; 0: not
    friend bool operator==(const ArgumentLayout&, const ArgumentLayout&) = default;
};

/// What a kernel's source depends on besides the request. A request has several variants, chosen at launch.
struct KernelLayout {
    boost::container::static_vector<ArgumentLayout, max_arguments> arguments = {};  ///< one per argument
    int rank = 0;             ///< axes of the strided arrays, after collapsing
    bool wide_index = false;  ///< indices of 64 bits
    bool sliced = false;      ///< i runs from `start` in steps of `step`
    bool checked = false;     ///< subscripts other than [i] are checked; see bounds_report_bytes
    /// Two axes and more: each block has a tile of the last two axes, of so many columns (a power of 2, at most the
    /// block) and rows (a multiple of block / tile_width; a block of one thread may have any tile). 0: elements are
    /// numbered through, and found by division.
    int tile_width = 0, tile_rows = 0;
    bool tall = false;  ///< the grid's x axis goes down the rows of tiles, not along
    /// Some arrays are turned round in a block's shared memory: a thread takes `tile_vector` neighbours in each of
    /// `tile_group` rows at a time. The first divides width and extent, the second the height, and each array's
    /// `turned` the height and its extent. Blocks are numbered along the grid's x axis alone. 0: none are.
    int tile_vector = 0, tile_group = 1;

    bool any(Access access) const {
        for (const ArgumentLayout& argument : arguments)
            if (argument.access == access) return true;
        return false;
    }
    friend bool operator==(const KernelLayout&, const KernelLayout&) = default;
};

/// Tiles in which arrays are turned round: how many rows of one column a cell of shared memory has at most, of elements
/// of so many bytes, and how much shared memory an array takes.
GEMEL_API int turned_cell(int bytes);
GEMEL_API int turned_tile_bytes(int bytes, int columns, int rows, int group);

/// A checked kernel has, behind the layout, the length of each array that is touched otherwise than as x[i] (int64_t),
/// and a report: three int64_t, zero at first, then one more than the number of an argument, the subscript that lies
/// outside it, and i (-1 in loop_prep and after_loop); behind so many bytes there is room for the largest element,
/// which is touched instead.
inline constexpr std::size_t bounds_report_bytes = 32;

}  // namespace gemel::codegen
