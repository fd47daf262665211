/// Parses the logs of compilers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// One diagnostic of a compiler.
struct Complaint {
    std::string file;
    int line = 0;    ///< from 1
    int column = 0;  ///< from 1; 0 if the compiler gave none
    std::string message;
    bool is_error = true;
    std::string quoted = {};  ///< the program's line in the log, if it is there
};

/// Reads NVRTC's ("kernel(3): error: ...") and clang's ("kernel:3:5: error: ...", "<kernel>:3:5: ...") forms.
std::vector<Complaint> parse_compiler_log(std::string_view log);

/// Renumbers a log by the text's #line directives, for compilers that ignore them.
std::string renumber_log(std::string_view log, std::string_view whole_text);

/// The lines without their ends, which are "\n" or "\r\n".
std::vector<std::string_view> lines_of(std::string_view text);

/// Without surrounding blanks.
std::string_view trimmed(std::string_view line);

}  // namespace gemel
