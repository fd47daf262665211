/// The source of element-wise kernels, which run a snippet for every index.
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

/// An element-wise kernel as the user describes it, with all types known.
struct ElementwiseRequest {
    std::string name = "elementwise";
    std::vector<Parameter> arguments = {};
    Snippet operation = {};
    std::string preamble = {};    ///< at file scope, before the kernel
    std::string loop_prep = {};   ///< once per thread, before its elements; `i` is not defined
    std::string after_loop = {};  ///< once per thread, after its elements; `i` is not defined
};

/// The number of elements per access of a thread in the packed variant.
GEMEL_API int pack_length(const std::vector<Parameter>& arguments, const KernelLayout& layout,
                          std::uint32_t access_bytes);

/// The kernel's source. Parameters after the request's arguments, of the index type (int or int64_t) unless stated:
///   the offset of each array that has one, in bytes (always int64_t)
///   the layout, a struct of the extents and then the strides of each strided array
///   n, the length
///   packed: head, the number of elements before the first aligned one
///   sliced: count, start and step: how many indices, the first one, and the distance between two
/// Launched with
///   packed: ceil(packs / (block * unroll * rounds)) blocks, at least one, where packs = (n - head) / pack length
///   tiles: a block per tile; x and y of the grid count the tiles of the last two axes, z the positions along all other
///          axes. With transposed arrays x counts all tiles, row by row
///   otherwise: a thread per `unroll` indices
/// @throws ArgumentError naming the argument if the snippet cannot be turned into a kernel
GEMEL_API std::string elementwise_source(const ElementwiseRequest& request, const KernelLayout& layout,
                                         const ElementwiseTuning& tuning, const Dialect& dialect);

/// Checks everything that does not depend on types and layouts. @throws ArgumentError
GEMEL_API void check_request(const ElementwiseRequest& request);

/// The layout of contiguous, aligned and short arrays, for showing a kernel's source.
GEMEL_API KernelLayout plain_layout(const std::vector<Parameter>& arguments, const std::vector<ArrayUse>& uses);
GEMEL_API std::string elementwise_source(const ElementwiseRequest& request, const Dialect& dialect);

}  // namespace gemel::codegen
