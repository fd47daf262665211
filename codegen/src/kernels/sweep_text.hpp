/// What a sweep's request says, as values for templates.
#pragma once

#include <gemel/codegen/kernel_text.hpp>
#include <gemel/codegen/sweep.hpp>

namespace gemel::codegen {

/// All that sweep.kernel takes. @throws ArgumentError for elements that do not pack
Values sweep_values(const SweepRequest& request, const SweepLayout& layout, const SweepTuning& tuning,
                    KernelText& kernel);

}  // namespace gemel::codegen
