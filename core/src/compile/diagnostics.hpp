/// Compile errors that people can use: the numbered lines around each complaint of a compiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// One complaint of a compiler.
struct Complaint {
    std::string file;
    int line = 0;    ///< from 1
    int column = 0;  ///< from 1; 0 if the compiler gave none
    std::string message;
    bool is_error = true;
    std::string quoted = {};  ///< the line of the program as the compiler shows it, if it does
};

/// Reads NVRTC's ("kernel(3): error: ...") and clang's ("kernel:3:5: error: ...", "<kernel>:3:5: ...") forms.
std::vector<Complaint> parse_compiler_log(std::string_view log);

/// A log whose lines were counted through the whole text, renumbered by the #line directives in it.
std::string renumber_log(std::string_view log, std::string_view whole_text);

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

}  // namespace gemel
