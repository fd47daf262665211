/// Everything that users need.
#pragma once

#include <gemel/codegen/codegen.hpp>
#include <gemel/core/core.hpp>
