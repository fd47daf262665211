/// Measured tunings, kept on disk per device, which override the heuristics of the generators.
#pragma once

#include <gemel/codegen/tuning.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>

#include <string>
#include <string_view>

namespace gemel {

GEMEL_API void store_tuning_text(const Context& context, std::string_view family, const codegen::Workload& work,
                                 const std::string& tuning);
GEMEL_API std::string stored_tuning_text(const Context& context, std::string_view family,
                                         const codegen::Workload& work);

/// Stores a tuning for similar work on devices like the context's. This process uses it at once, others when they
/// start. An empty tuning (`T{}`) removes it.
/// @param work    sizes count by powers of two, element sizes and numbers of arrays exactly
/// @param tuning  codegen::ElementwiseTuning, ReductionTuning or ScanTuning, or a tuning of your own generator
/// @throws ArgumentError if the family is not an identifier, or for values that no kernel can have
template <codegen::TuningStruct T>
void store_tuning(const Context& context, const codegen::Workload& work, const T& tuning) {
    codegen::check_tuning("store_tuning", tuning);
    store_tuning_text(context, T::family, work, codegen::to_string(tuning));
}
/// The stored tuning for such work, or an empty tuning.
/// @time a look-up in memory; the first for a context reads a file
template <codegen::TuningStruct T>
T stored_tuning(const Context& context, const codegen::Workload& work) {
    return codegen::parse_tuning<T>(stored_tuning_text(context, T::family, work));
}

}  // namespace gemel
