/// What a user's function is made of.
#pragma once

#include <gemel/core/dtype.hpp>

#include <string>
#include <vector>

namespace gemel {

/// Equal ones are one object, which stays: its address tells functions apart.
struct FunctionDefinition {
    std::string name, body, preamble;
    DType result;
    std::vector<DType> types;  ///< of the parameters
    std::vector<std::string> parameters;
    bool has_double = false;

    /// Its text under a name.
    std::string text(const std::string& as) const;
};

}  // namespace gemel
