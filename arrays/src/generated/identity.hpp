/// The identity of an operation, which options call `.identity` or `.neutral`.
#pragma once

#include <string>

namespace gemel {

/// The one that is given; empty if neither is. @throws ArgumentError naming `kind` and the kernel if both are
std::string chosen_identity(const char* kind, const std::string& name, const std::string& identity,
                            const std::string& neutral);

}  // namespace gemel
