/// GEMEL_CHECK=1: subscripts that a snippet computes are checked in the kernel, and reported after it.
#pragma once

#include "generated/call.hpp"
#include "generated/plan_cache.hpp"

#include <gemel/core/buffer.hpp>

#include <optional>

namespace gemel {

/// One checked call, or nothing where checks are off or no array is touched otherwise than as x[i].
class BoundsCheck {
   public:
    /// Before the call's layout is chosen.
    BoundsCheck(Call& call, const PlanCache& cache);
    /// Behind the arguments of Call::pack.
    void add_to(ArgumentList& list);
    /// After the launches. Waits for them. @throws Error naming the array, the subscript and i
    void finish();

   private:
    const Call& call_;
    std::optional<Buffer> report_;
};

}  // namespace gemel
