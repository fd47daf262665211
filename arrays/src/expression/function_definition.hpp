/// The definition of a user's function.
#pragma once

#include <gemel/core/dtype.hpp>

#include <string>
#include <vector>

namespace gemel {

/// Equal definitions are one object, which is never destroyed: its address identifies the function.
struct FunctionDefinition {
    std::string name, body, preamble;
    DType result;
    std::vector<DType> types;  ///< of the parameters
    std::vector<std::string> parameters;
    bool has_double = false;

    /// The function's text under this name.
    std::string text(const std::string& as) const;
};

}  // namespace gemel
