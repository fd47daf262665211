/// Tiles of an element-wise kernel in which arrays are turned round in shared memory: whether, and how large.
#pragma once

#include "array/merge_axes.hpp"
#include "generated/call_layout.hpp"

#include <boost/container/static_vector.hpp>

#include <cstdint>
#include <optional>

namespace gemel {

struct TurnedTiles {
    int columns = 0, rows = 0;  ///< of a tile
    int vector = 1, group = 1;  ///< neighbours along a row, and rows, that a thread takes at once
    std::uint32_t block = 0;
    std::size_t blocks = 0;
    struct Argument {
        bool wide = false;
        std::uint8_t turned = 0;
    };
    boost::container::static_vector<Argument, max_call_arguments> arguments = {};
};

/// Nothing if no array is read across the axis along which the result's neighbours lie, or where it is not worth it.
std::optional<TurnedTiles> find_turned_tiles(const BoundCall& call, const LayoutRequest& request,
                                             const MergedAxes& axes);

/// Puts them into a layout that has the steps of all arrays.
void use_turned_tiles(const TurnedTiles& tiles, CallLayout& layout);

}  // namespace gemel
