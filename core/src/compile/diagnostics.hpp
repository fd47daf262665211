/// Compile errors that people can use: the numbered lines around each complaint of a compiler.
#pragma once

#include <string>
#include <string_view>

namespace gemel {

/// What a CompileError says: which program for which device with which options, then for each complaint (the first
/// eight) three numbered lines before and after with a mark at the column, then where the whole source was kept.
struct CompileReport {
    std::string name;    ///< of the program, e.g. "kernel"
    std::string device;  ///< "NVIDIA H200 (cuda:0)"
    std::string text;    ///< the program as the user wrote it, without prelude
    std::string log;
    std::string options;      ///< as handed to the compiler
    std::string kept_source;  ///< path, or empty
};
std::string render(const CompileReport& report);

/// What a compiler's log lacks where a program names double, or a type made of it, and the device has none; empty for
/// other programs.
std::string note_of_double(const std::string& name, const std::string& device, std::string_view program);

}  // namespace gemel
