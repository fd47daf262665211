/// Checks the arguments of a launch against the kernel's parameters.
#pragma once

#include "device/state.hpp"

#include <gemel/core/argument.hpp>
#include <gemel/core/signature.hpp>

#include <cstddef>
#include <string>

namespace gemel {

/// @throws ArgumentError that names the kernel
[[noreturn]] void refuse(const KernelState& kernel, const std::string& what);
/// @param parameter  null if the text does not tell it
[[noreturn]] void refuse(const KernelState& kernel, std::size_t index, const Parameter* parameter,
                         const std::string& what);

inline bool is_memory(Argument::Kind kind) {
    return kind != Argument::Kind::scalar && kind != Argument::Kind::structure && kind != Argument::Kind::shared &&
           kind != Argument::Kind::texture && kind != Argument::Kind::image && kind != Argument::Kind::tensor_map;
}

/// Checks that the argument has the declared kind and type. @throws ArgumentError
void check_kind(const KernelState& kernel, std::size_t index, const Parameter& parameter, const Argument& argument);
/// Checks values of types that the text does not define: they must have at least the size that the driver reports.
/// @throws ArgumentError
void check_size(const KernelState& kernel, std::size_t index, const Parameter* parameter, std::size_t slot,
                const Argument& argument);

}  // namespace gemel
