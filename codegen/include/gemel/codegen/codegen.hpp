/// All of codegen: what makes kernel text without a device.
#pragma once

#include <gemel/codegen/substitute.hpp>
#include <gemel/codegen/template.hpp>
