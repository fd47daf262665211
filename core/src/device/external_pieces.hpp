/// A copy through shared memory as a pipeline: which pieces it is cut into, and when each passes which leg.
#pragma once

#include <gemel/core/plugin.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace gemel {

/// A part of a copy, in bytes from its beginning.
struct Piece {
    std::size_t at = 0, bytes = 0;
};

/// Cuts a copy into pieces of `largest` bytes. The first ones grow from `smallest` to that and the last ones shrink
/// again, because the GPU-to-GPU leg stands still while the first piece is written and the last one is read.
/// @param smallest  `largest`, if all pieces but the last are to have that size
std::vector<Piece> cut_into_pieces(std::size_t bytes, std::size_t smallest, std::size_t largest);

/// One of the copies that each piece passes in turn. Every leg has a stream of its own.
class Leg {
   public:
    virtual ~Leg() = default;
    /// Enqueues the copy of one piece through the memory of that number. @returns what is done when the copy is
    virtual std::unique_ptr<plugin::Event> start(std::size_t slot, const Piece& piece) const = 0;
    virtual void wait(plugin::Event& event) const = 0;
    /// After a failure: nothing may still be writing into shared memory when the next copy has it. Logs its own.
    virtual void settle() const noexcept = 0;
};

/// Sends all pieces through all legs, and blocks until the last one is through. The host stands between two legs,
/// because no driver knows the other's events; but it enqueues the next piece of a leg before it waits for the last, so
/// that a leg whose neighbours are faster never stands still.
/// @param slots  pieces of memory between two legs, at least two; with two the slowest leg waits for its neighbours
/// @throws what a leg does, after all of them have settled
void send_pieces(std::span<const Leg* const> legs, std::span<const Piece> pieces, std::size_t slots);

}  // namespace gemel
