/// The file of `gemel tune FILE`: a template of a kernel whose comments "// tune KEY VALUE" describe the search.
#pragma once

#include <gemel/arrays/tune.hpp>
#include <gemel/core/launch.hpp>

#include <string>
#include <vector>

namespace gemel::tools {

/// The list of one comment.
struct TuneComment {
    std::string place;  ///< for messages: `scale.cl:3: "// tune block block"`
    std::vector<std::string> words = {};
};

struct KernelFile {
    std::string source, kernel;
    std::vector<tune::Parameter> parameters;
    std::vector<std::string> constraints;
    TuneComment grid, block, arguments;
};

/// @throws Error with the line that cannot be read, or the comment that is missing
KernelFile read_kernel_file(const std::string& name);
/// The extents of a grid or block at a point, up to three expressions.
Dim3 extents(const TuneComment& comment, const tune::Point& point);
/// "float[1048576]" is an array of 0.5, of integers of zeros; "float 3" and "int32_t 1048576" are values.
std::vector<tune::TunedArgument> arguments_of(const TuneComment& comment);

}  // namespace gemel::tools
