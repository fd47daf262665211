/// Everything that users need.
#pragma once

#include <gemel/codegen/substitute.hpp>
#include <gemel/core/core.hpp>
