/// Tiles of element-wise kernels with arrays that are transposed in shared memory: whether to use them, and their size.
#pragma once

#include "array/merge_axes.hpp"
#include "generated/call_layout.hpp"

#include <boost/container/static_vector.hpp>

#include <cstdint>
#include <optional>

namespace gemel {

struct TurnedTiles {
    int columns = 0, rows = 0;  ///< of a tile
    int vector = 1, group = 1;  ///< neighbours along a row, and rows, that a thread processes at once
    std::uint32_t block = 0;
    std::size_t blocks = 0;
    struct Argument {
        bool wide = false;
        std::uint8_t turned = 0;
    };
    boost::container::static_vector<Argument, max_call_arguments> arguments = {};
};

/// Empty if no array is read across the axis along which the result is contiguous, or if it does not pay.
std::optional<TurnedTiles> find_turned_tiles(const BoundCall& call, const LayoutRequest& request,
                                             const MergedAxes& axes);

/// Sets the tiles in a layout that has the strides of all arrays.
void use_turned_tiles(const TurnedTiles& tiles, CallLayout& layout);

}  // namespace gemel
