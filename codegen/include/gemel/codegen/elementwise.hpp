/// The text of element-wise kernels: a snippet is run for every index.
#pragma once

#include <gemel/codegen/snippet.hpp>
#include <gemel/codegen/tuning.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/signature.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gemel::codegen {

using gemel::Dialect;

/// What one variant of a kernel knows of an array argument's layout.
enum class Access : std::uint8_t {
    none,     ///< not an array
    packed,   ///< contiguous and aligned: moved in wide accesses
    linear,   ///< contiguous: element i lies at x[i]
    strided,  ///< element i lies where the layout says
    pointer,  ///< not touched as x[i]
};

/// What is known of a strided array's step along the last axis; kernels in tiles use it.
enum class LastStep : std::uint8_t { any, one, zero };

struct ArgumentLayout {
    Access access = Access::none;
    bool offset = false;  ///< the kernel is told where the array begins in its buffer
    LastStep last_step = LastStep::any;
    friend bool operator==(const ArgumentLayout&, const ArgumentLayout&) = default;
};

/// What a kernel's text depends on beside the request: one request has several variants, chosen at launch.
struct KernelLayout {
    std::vector<ArgumentLayout> arguments = {};  ///< one per argument
    int rank = 0;                                ///< axes of the strided arrays, after collapsing
    bool wide_index = false;                     ///< indices of 64 bits
    bool sliced = false;                         ///< i runs from `start` in steps of `step`
    bool checked = false;                        ///< subscripts other than [i] are checked; see bounds_report_bytes
    /// Two axes and more: each block has a tile of the last two axes, of so many columns (a power of 2, at most the
    /// block) and rows (a multiple of block / tile_width; a block of one thread may have any tile). 0: elements are
    /// numbered through, and found by division.
    int tile_width = 0, tile_rows = 0;
    bool tall = false;  ///< the grid's x axis goes down the rows of tiles, not along

    bool any(Access access) const {
        for (const ArgumentLayout& argument : arguments)
            if (argument.access == access) return true;
        return false;
    }
};

/// A checked kernel has, behind the layout, the length of each array that is touched otherwise than as x[i] (int64_t),
/// and a report: three int64_t, zero at first, then one more than the number of an argument, the subscript that lies
/// outside it, and i (-1 in loop_prep and after_loop); behind so many bytes there is room for the largest element,
/// which is touched instead.
inline constexpr std::size_t bounds_report_bytes = 32;

/// An element-wise kernel as a user describes it, all types known.
struct ElementwiseRequest {
    std::string name = "elementwise";
    std::vector<Parameter> arguments = {};
    Snippet operation = {};
    std::string preamble = {};    ///< at file scope, in front
    std::string loop_prep = {};   ///< once per thread, before its elements: there is no i
    std::string after_loop = {};  ///< once per thread, after them: nor here
};

/// Elements that one thread of the packed variant takes per access.
GEMEL_API int pack_length(const std::vector<Parameter>& arguments, const KernelLayout& layout,
                          std::uint32_t access_bytes);

/// The kernel's text. Behind the request's arguments it has these parameters, all of the index type (int or int64_t)
/// but the layout: the offset in bytes of each array that has one (always int64_t), the layout (extents, then each
/// strided array's strides), the length `n`, and `head` (packed: elements before the first aligned one) or `count`,
/// `start` and `step` (sliced: how many indices, the first, from one to the next). A packed variant is launched with
/// ceil(packs / (block * unroll)) blocks, at least one, where packs = (n - head) / pack length; one in tiles with a
/// block per tile: along the grid's x and y the tiles of the last two axes, along z all axes before; others with one
/// thread per `unroll` indices.
/// @throws ArgumentError naming the argument, if the snippet cannot be turned into a kernel
GEMEL_API std::string elementwise_source(const ElementwiseRequest& request, const KernelLayout& layout,
                                         const Tuning& tuning, const Dialect& dialect);

/// Checks what does not depend on types and layouts. @throws ArgumentError
GEMEL_API void check_request(const ElementwiseRequest& request);

/// The layout in which all arrays are contiguous, aligned and short: for looking at a kernel's text.
GEMEL_API KernelLayout plain_layout(const std::vector<Parameter>& arguments, const std::vector<ArrayUse>& uses);
GEMEL_API std::string elementwise_source(const ElementwiseRequest& request, const Dialect& dialect);

}  // namespace gemel::codegen
