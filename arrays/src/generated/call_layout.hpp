/// How one call of a generated kernel accesses its arrays.
#pragma once

#include "generated/bound_call.hpp"

#include <gemel/codegen/layout.hpp>
#include <gemel/codegen/tuning.hpp>

#include <boost/container/small_vector.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gemel {

/// The layout on which the kernel's source depends, and numbers that become kernel arguments.
struct CallLayout {
    codegen::KernelLayout kernel;
    /// Of strided arrays: the extents, then the strides of each array. Usual layouts need no allocation.
    boost::container::small_vector<std::int64_t, 48> values;
    bool packed = false;                 ///< some arrays are accessed by packs
    int vector_width = 1;                ///< elements per pack
    std::size_t head = 0;                ///< single elements before the first pack
    std::array<std::size_t, 3> tiles{};  ///< tiles along the grid's axes
    std::uint32_t block = 0;             ///< threads per block with tiles, if not the tuning's
    std::uint32_t unroll = 0;            ///< packs per thread, if not the tuning's
    bool tiled() const { return kernel.tile_width > 0; }
};

/// The inputs of the layout besides the call.
struct LayoutRequest {
    std::uint32_t access_bytes = 0;  ///< per memory access; 0 and 1: no wide accesses
    std::size_t count = 0;           ///< indices that the kernel processes
    bool sliced = false;             ///< the indices are not 0, 1, 2, ...
    bool checked = false;            ///< the kernel checks subscripts other than [i]
    bool linear_addresses = true;    ///< offsets may be added to addresses on the host
    /// For kernels that support tiles of the last two axes.
    const codegen::ElementwiseTuning* tiles = nullptr;
    bool may_turn = false;             ///< tiles with transposed arrays are allowed
    std::size_t shared_bytes = 32768;  ///< shared memory that a block may use for them
};

CallLayout choose_layout(const BoundCall& call, const LayoutRequest& request);

/// Adds an entry per argument; arrays that are accessed as x[i] are marked linear.
void begin_layout(codegen::KernelLayout& layout, const BoundCall& call, const LayoutRequest& request);
/// Chooses wide accesses to contiguous arrays. The packed arrays determine the pack length, which determines the
/// required alignment. Arrays that are not so aligned are removed until all remaining ones are.
void choose_packs(const BoundCall& call, const LayoutRequest& request, CallLayout& layout);
inline std::size_t item_bytes(const BoundCall::Array& a) { return a.array->dtype().size_bytes(); }
/// What decides an array's alignment: its address, or its offset in a buffer that begins at a multiple of 16 bytes.
std::size_t address_of(const BoundCall::Array& a, const LayoutRequest& request);
/// Whether the elements are numbers of a size for wide accesses, and their address is not taken.
bool can_be_packed(const BoundCall::Array& a, const codegen::ArrayUse& use);

}  // namespace gemel
