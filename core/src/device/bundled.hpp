/// Loads programs from bundles, and records them.
#pragma once

#include "compile/bundle_state.hpp"
#include "compile/request.hpp"
#include "device/state.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gemel {

/// Identifies a program in a bundle by its texts and options, independent of device and compiler.
std::string bundle_key(std::span<const Request> units, std::span<const WholeText> whole, const std::string& dialect);

/// The program with this key that suits the device best, if there is one.
std::optional<BundledProgram> fitting_program(DriverContext& driver, plugin::Context& plugin, const std::string& key,
                                              const std::string& dialect);

/// Records a loaded program, and compiles it for the other requested architectures.
/// @param requests  the compile requests of the units
void record_for_bundle(DriverContext& driver, plugin::Context& plugin, const BundledProgram& program,
                       const CompileOptions& options, std::span<const plugin::BuildRequest> requests,
                       const std::vector<KernelSignature>& signatures);

}  // namespace gemel
