/// Everything that users need.
#pragma once

#include <gemel/arrays/gpu_array.hpp>
#include <gemel/codegen/codegen.hpp>
#include <gemel/core/core.hpp>
