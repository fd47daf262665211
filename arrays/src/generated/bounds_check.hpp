/// GEMEL_CHECK=1: kernels check the subscripts that a snippet computes, and violations are reported after the launch.
#pragma once

#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"

#include <gemel/core/buffer.hpp>

#include <optional>

namespace gemel {

/// The check of one call. Does nothing if checks are off or all arrays are accessed only as x[i].
class BoundsCheck {
   public:
    BoundsCheck(const BoundCall& call, const KernelCache& cache);
    /// Whether this call is checked.
    bool is_on() const { return report_.has_value(); }
    /// Adds arguments after the call's own.
    void add_to(ArgumentList& list);
    /// To be called after the launches; waits for them. @throws Error naming the array, the subscript and i
    void finish();

   private:
    const BoundCall& call_;
    std::optional<Buffer> report_;
};

}  // namespace gemel
