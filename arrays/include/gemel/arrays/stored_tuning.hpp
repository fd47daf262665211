/// Measured tunings, kept on disk per device, which override the heuristics of the generators.
#pragma once

#include <gemel/codegen/tuning.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>

#include <string_view>

namespace gemel {

/// Stores the tuning for work like this on devices like the context's; calls from now on use it, in this process at
/// once and in others when they start. An empty Tuning removes it.
/// @param family  "elementwise", "reduction" or "scan", or a name of your own generator
/// @param work    sizes count by powers of two, element sizes and numbers of arrays exactly
/// @throws ArgumentError if the family is no simple word
GEMEL_API void store_tuning(const Context& context, std::string_view family, const codegen::Workload& work,
                            const codegen::Tuning& tuning);
/// What is stored for such work, or an empty Tuning.
/// @time a look-up in memory; the first for a context reads a file
GEMEL_API codegen::Tuning stored_tuning(const Context& context, std::string_view family, const codegen::Workload& work);

}  // namespace gemel
