/// Instructions that NVIDIA's OpenCL compiler refuses, because it compiles for sm_90 and not for sm_90a: wgmma. In the
/// text of a program they are comments, `asm volatile("//sm_90a wgmma.fence.sync.aligned;")`. The compiler puts in
/// their operands and leaves comments as they are. The PTX that it returns is changed and loaded as a program binary.
#pragma once

#include <string>
#include <string_view>

namespace gemel::plugin::opencl {

/// Before such an instruction.
inline constexpr std::string_view sm_90a_mark = "//sm_90a ";

/// Whether the text has such instructions.
inline bool wants_sm_90a(std::string_view text) { return text.find(sm_90a_mark) != std::string_view::npos; }

/// The PTX for sm_90a, with the marked comments as instructions.
std::string ptx_for_sm_90a(std::string_view ptx);

}  // namespace gemel::plugin::opencl
