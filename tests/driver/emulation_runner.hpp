/// Grids of emulated kernels.
#pragma once

#include "emulation.hpp"

namespace emulation {

using Kernel = void (*)(void** arguments);

/// What a program's `gemel_runtime` shall point to.
const Runtime& runtime();

/// Runs a grid, 64 blocks at once or all of them, and returns when it has ended. @throws std::runtime_error where
/// threads wait for others that never come
void run(Kernel kernel, void** arguments, Triple grid, Triple block, bool all_at_once);

}  // namespace emulation
