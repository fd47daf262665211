/// The identity of an operation, which options call `.identity` or `.neutral`.
#pragma once

#include <string>

namespace gemel {

/// The given one; empty if neither is given. @throws ArgumentError naming `kind` and the kernel if both are given
std::string chosen_identity(const char* kind, const std::string& name, const std::string& identity,
                            const std::string& neutral);

}  // namespace gemel
