/// Programs of several units: each text is compiled by itself, then they are linked into one.
#pragma once

#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/source.hpp>

#include <string>
#include <vector>

namespace gemel {

/// One text of a program that is linked: portable, or native for the context's dialect.
struct GEMEL_API LinkUnit {
    /// @param name  what messages call it: "unit 1" and so on if left out
    LinkUnit(const char* text, std::string name = {});
    LinkUnit(std::string text, std::string name = {});
    LinkUnit(NativeSource source, std::string name = {});

    std::string text = {};
    NativeSource native = {};
    bool is_portable = true;
    std::string name = {};
};

/// Compiles units by themselves and links them into one program with the kernels of all. A function that one unit
/// defines and others call is declared WITHIN_KERNEL_EXTERN in each of them. The program is cached, in memory and on
/// disk, as those of Context::compile are.
/// @param units    in any order; a single one is compiled as by Context::compile
/// @param options  for every unit; `name` is not used
/// @throws CompileError naming the unit that does not compile, or with what the linker says
/// @throws ArgumentError without units; Error on an OpenCL device that has no linker
/// @time   the compiler's for each unit, and the linker's, if the program is in no cache
GEMEL_API Module link(const Context& context, const std::vector<LinkUnit>& units, const CompileOptions& options = {});

}  // namespace gemel
