#pragma once

#include <gemel/core/dialect.hpp>

#include <string>

namespace gemel::codegen {

/// The qualifier of an array shared by a block that begins at a multiple of 128 bytes, as far as the dialect has one.
inline const std::string& aligned_shared(const Dialect& dialect) {
    return dialect.aligned_shared.empty() ? dialect.shared_space : dialect.aligned_shared;
}

}  // namespace gemel::codegen
