/// Programs of several units: each unit is compiled separately, then all are linked.
#pragma once

#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/source.hpp>

#include <string>
#include <vector>

namespace gemel {

/// One unit of a linked program: portable text, or native text of the context's dialect.
struct GEMEL_API LinkUnit {
    /// @param name  used in messages; "unit 1" and so on by default
    LinkUnit(const char* text, std::string name = {});
    LinkUnit(std::string text, std::string name = {});
    LinkUnit(NativeSource source, std::string name = {});

    std::string text = {};
    NativeSource native = {};
    bool is_portable = true;
    std::string name = {};
};

/// Compiles each unit separately and links them into one program with the kernels of all. Declare a function that one
/// unit defines and others call WITHIN_KERNEL_EXTERN in each of them. The program is cached in memory and on disk, as
/// by Context::compile.
/// @param units    in any order; a single unit is compiled as by Context::compile
/// @param options  for every unit; `name` is not used
/// @throws CompileError with the unit that does not compile, or with the linker's log
/// @throws ArgumentError if there are no units; Error if the OpenCL device has no linker
/// @time   if no cache holds the program, the compile time of each unit and the link time
GEMEL_API Module link(const Context& context, const std::vector<LinkUnit>& units, const CompileOptions& options = {});

}  // namespace gemel
