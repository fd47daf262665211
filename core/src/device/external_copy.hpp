/// Copies between contexts of different drivers through device memory that both see.
#pragma once

#include <cstddef>

namespace gemel {

struct Block;

/// Blocks until the copy is done. @returns false, with the target's range yet to be written, where the contexts share
/// no memory, or the copy is too small to gain by it
bool copy_through_device(Block& target, std::size_t to, Block& source, std::size_t from, std::size_t bytes);

}  // namespace gemel
