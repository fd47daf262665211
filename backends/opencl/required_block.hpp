/// Kernels that do not name their block.
#pragma once

#include <string>
#include <string_view>

namespace gemel::plugin::opencl {

/// The text with spaces in place of every `reqd_work_group_size(...)`; lines and columns stay the same.
std::string without_required_block(std::string_view text);

}  // namespace gemel::plugin::opencl
