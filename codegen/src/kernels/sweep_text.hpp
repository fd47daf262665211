/// A sweep's request as template values.
#pragma once

#include <gemel/codegen/kernel_text.hpp>
#include <gemel/codegen/sweep.hpp>

namespace gemel::codegen {

/// All values of sweep.kernel. @throws ArgumentError for elements that cannot be packed
Values sweep_values(const SweepRequest& request, const SweepLayout& layout, const SweepTuning& tuning,
                    KernelText& kernel);

}  // namespace gemel::codegen
