/// What blocks that look back leave for each other: a state for each tile, and the number of the next tile to be dealt.
#pragma once

#include <gemel/core/buffer.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/graph.hpp>
#include <gemel/core/stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace gemel {

/// Kept with a variant from launch to launch. `launching` is held from begin() until the kernel is launched.
struct TileStates {
    std::mutex launching;
    Buffer states, ticket;
    std::size_t capacity = 0;                             ///< words
    std::uint32_t epoch = 0, dealt = 0, first_epoch = 0;  ///< the launch has first_epoch to epoch
    static constexpr std::uint32_t last_epoch = (1u << 30) - 1;

    /// These; while a graph is recorded, its own: epochs are arguments, which each of its launches repeats, so that it
    /// clears its states where it first uses them.
    TileStates& of_this_launch() {
        TileStates* const own = recorded<TileStates>(this);
        return own ? *own : *this;
    }

    /// Room for so many tiles of so many 64-bit words, and new epochs in which all states are empty.
    void begin(const Context& context, std::size_t tiles, std::size_t words, std::uint32_t epochs = 1) {
        const auto clear = [&](const Buffer& buffer) {
            const Stream recorded = recorded_stream();
            (recorded.empty() ? context.default_stream() : recorded).fill(buffer, std::uint32_t{0});
        };
        if (ticket.empty()) {
            ticket = context.allocate_attached(sizeof(std::uint32_t));
            clear(ticket);
        }
        if (tiles * words > capacity) {
            capacity = std::max(tiles * words, 2 * capacity);
            states = context.allocate_attached(capacity * sizeof(std::uint64_t));
            epoch = 0;
            clear(states);
        } else if (epoch > last_epoch - epochs) {
            epoch = 0;
            clear(states);
        }
        first_epoch = epoch + 1;
        epoch += epochs;
    }
};

}  // namespace gemel
