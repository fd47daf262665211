/// The memory layout of a call's arrays, as far as a kernel's source depends on it.
#pragma once

#include <gemel/core/export.hpp>

#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace gemel::codegen {

/// The maximum number of arguments of a generated kernel.
inline constexpr std::size_t max_arguments = 40;

/// The layout of an array argument in one variant of a kernel.
enum class Access : std::uint8_t {
    none,     ///< not an array
    packed,   ///< contiguous and aligned: vector accesses
    linear,   ///< contiguous: element i is x[i]
    strided,  ///< addressed by the layout's strides
    pointer,  ///< not accessed as x[i]
};

/// The stride of a strided array along the last axis, if the source depends on it; used by kernels with tiles.
/// `back`, minus one, is for devices whose compilers vectorise loops: element-wise kernels in tiles of one thread, or
/// of rank 1.
enum class LastStep : std::uint8_t { any, one, zero, back };

struct ArgumentLayout {
    Access access = Access::none;
    bool offset = false;  ///< the array's offset in its buffer is a kernel parameter
    LastStep last_step = LastStep::any;
    bool constant = false;  ///< reductions: constant along the reduced axes, read once per output
    bool staged = false;    ///< reductions: copied to shared memory first, see ReductionTile
    bool wide = false;  ///< strided, but accessed along rows, as vectors: in tiles with transposed arrays, and packs
    // Tiles with arrays that are transposed in shared memory:
    std::uint8_t turned = 0;  ///< loaded along columns, this many elements per access, and transposed; 0: not
    friend bool operator==(const ArgumentLayout&, const ArgumentLayout&) = default;
};

/// What a kernel's source depends on besides the request. A request has several variants, chosen at launch.
struct KernelLayout {
    boost::container::static_vector<ArgumentLayout, max_arguments> arguments = {};  ///< one per argument
    int rank = 0;             ///< axes of the strided arrays, after collapsing
    bool wide_index = false;  ///< 64-bit indices
    bool sliced = false;      ///< i runs from `start` in steps of `step`
    bool checked = false;     ///< subscripts other than [i] are checked; see bounds_report_bytes
    /// Rank 2 and above: each block processes a tile of the last two axes with tile_width columns (a power of 2, at
    /// most the block) and tile_rows rows (a multiple of block / tile_width). Tiles of a block of one thread may have
    /// any size. 0: no tiles; positions are computed from a linear index by division.
    int tile_width = 0, tile_rows = 0;
    bool rows_on_x = false;  ///< x of the grid counts tiles down the rows, y tiles across the columns
    /// Above 0, some arrays are transposed in shared memory: a thread processes `tile_vector` neighbours in each of
    /// `tile_group` rows at a time. tile_vector divides the tile's width and the row extent, tile_group the tile's
    /// height, and an array's `turned` the tile's height and the column extent. The grid has only an x axis.
    int tile_vector = 0, tile_group = 1;

    /// Above 0, the elements per pack of arrays that need not be contiguous; the extent of the last axis is a multiple.
    int line_width = 0;

    bool any(Access access) const {
        for (const ArgumentLayout& argument : arguments)
            if (argument.access == access) return true;
        return false;
    }
    /// Whether threads process packs of elements.
    bool has_packs() const { return line_width > 0 || any(Access::packed); }
    friend bool operator==(const KernelLayout&, const KernelLayout&) = default;
};

/// Transposed arrays: the maximum number of rows of one column in a cell of shared memory, for elements of `bytes`
/// bytes.
GEMEL_API int turned_cell(int bytes);
/// The shared memory of a transposed array's tile, in bytes.
GEMEL_API int turned_tile_bytes(int bytes, int columns, int rows, int group);

/// The size of a bounds report. A checked kernel has two more parameters after the layout: the length (int64_t) of each
/// array that is accessed other than as x[i], and a report of three int64_t, initially zero. The first access out of
/// bounds stores the argument's number plus 1, the subscript, and i (-1 in loop_prep and after_loop). After the report
/// there must be space for the largest element, which is accessed instead.
inline constexpr std::size_t bounds_report_bytes = 32;

}  // namespace gemel::codegen
