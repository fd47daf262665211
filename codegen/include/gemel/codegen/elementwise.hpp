/// The text of element-wise kernels: a snippet is run for every index.
#pragma once

#include <gemel/codegen/layout.hpp>
#include <gemel/codegen/snippet.hpp>
#include <gemel/codegen/tuning.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/signature.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gemel::codegen {

using gemel::Dialect;

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
/// ceil(packs / (block * unroll * rounds)) blocks, at least one, where packs = (n - head) / pack length; one in tiles
/// with a block per tile: along the grid's x and y the tiles of the last two axes, along z all axes before, or all
/// along x where arrays are turned round, those of a row of tiles next to each other; others with one thread per
/// `unroll` indices.
/// @throws ArgumentError naming the argument, if the snippet cannot be turned into a kernel
GEMEL_API std::string elementwise_source(const ElementwiseRequest& request, const KernelLayout& layout,
                                         const ElementwiseTuning& tuning, const Dialect& dialect);

/// Checks what does not depend on types and layouts. @throws ArgumentError
GEMEL_API void check_request(const ElementwiseRequest& request);

/// The layout in which all arrays are contiguous, aligned and short: for looking at a kernel's text.
GEMEL_API KernelLayout plain_layout(const std::vector<Parameter>& arguments, const std::vector<ArrayUse>& uses);
GEMEL_API std::string elementwise_source(const ElementwiseRequest& request, const Dialect& dialect);

}  // namespace gemel::codegen
