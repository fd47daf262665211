/// A device that is nothing but host memory: it copies and fills, and has no compiler.
#pragma once

#include <gemel/core/plugin.hpp>

#include <memory>

namespace fake {

std::unique_ptr<gemel::plugin::Context> make_context();

}  // namespace fake
