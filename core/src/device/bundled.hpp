/// Programs of bundles on their way to and from a device.
#pragma once

#include "compile/bundle_state.hpp"
#include "compile/request.hpp"
#include "device/state.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gemel {

/// What identifies a program in a bundle: texts and options, and neither device nor compiler.
std::string bundle_key(std::span<const Request> units, std::span<const WholeText> whole, const std::string& dialect);

/// The program of that key that suits the device best, if there is one.
std::optional<BundledProgram> fitting_program(DriverContext& driver, plugin::Context& plugin, const std::string& key,
                                              const std::string& dialect);

/// Records a loaded program, and compiles it for the other architectures that are wanted.
/// @param requests  how the units are compiled
void record_for_bundle(DriverContext& driver, plugin::Context& plugin, const BundledProgram& program,
                       const CompileOptions& options, std::span<const plugin::BuildRequest> requests,
                       const std::vector<KernelSignature>& signatures);

}  // namespace gemel
