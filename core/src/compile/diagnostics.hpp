/// Readable compile errors: the numbered lines around each diagnostic of a compiler.
#pragma once

#include <string>
#include <string_view>

namespace gemel {

/// What a CompileError says: which program for which device with which options, then for each complaint (the first
/// eight) three numbered lines before and after with a mark at the column, then where the whole source was kept.
struct CompileReport {
    std::string name;    ///< of the program, e.g. "kernel"
    std::string device;  ///< "NVIDIA H200 (cuda:0)"
    std::string text;    ///< the user's program, without the prelude
    std::string log;
    std::string options;      ///< as passed to the compiler
    std::string kept_source;  ///< a path, or empty
};
std::string render(const CompileReport& report);

/// An explanation for programs that use double, or a type made of it, on a device without double; empty for other
/// programs.
std::string note_of_double(const std::string& name, const std::string& device, std::string_view program);

}  // namespace gemel
