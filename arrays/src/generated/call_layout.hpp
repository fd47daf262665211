/// How one call of a generated kernel reaches its arrays.
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

/// What the kernel's text depends on, and the numbers that the kernel is told.
struct CallLayout {
    codegen::KernelLayout kernel;
    /// Of strided arrays: the extents, then each array's steps. Usual layouts need no allocation.
    boost::container::small_vector<std::int64_t, 48> values;
    bool packed = false;                 ///< some array is moved in wide accesses,
    int vector_width = 1;                ///< of so many elements each,
    std::size_t head = 0;                ///< behind so many single ones
    std::array<std::size_t, 3> tiles{};  ///< along the grid's axes, where blocks have tiles
    std::uint32_t block = 0;             ///< threads that tiles want, if not the tuning's
    bool tiled() const { return kernel.tile_width > 0; }
};

/// What decides about a layout besides the call.
struct LayoutRequest {
    std::uint32_t access_bytes = 0;  ///< of a memory access; 0 and 1: no wide ones
    std::size_t count = 0;           ///< indices that the kernel runs through
    bool sliced = false;             ///< these are not 0, 1, 2, ...
    bool checked = false;            ///< subscripts other than [i] are checked by the kernel
    bool linear_addresses = true;    ///< the host may add offsets to addresses
    /// For kernels that can have tiles of the last two axes.
    const codegen::ElementwiseTuning* tiles = nullptr;
    bool may_turn = false;             ///< tiles that are turned round in shared memory are worth it
    std::size_t shared_bytes = 32768;  ///< that a block may have for them
};

CallLayout choose_layout(const BoundCall& call, const LayoutRequest& request);

/// One entry per argument; arrays that are touched as x[i] are linear so far.
void begin_layout(codegen::KernelLayout& layout, const BoundCall& call, const LayoutRequest& request);
/// Whether an array's elements are numbers that nobody takes the address of, in sizes that wide accesses have.
bool can_be_packed(const BoundCall::Array& a, const codegen::ArrayUse& use);

}  // namespace gemel
