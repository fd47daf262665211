/// GEMEL_CHECK=1: subscripts that a snippet computes are checked in the kernel, and reported after it.
#pragma once

#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"

#include <gemel/core/buffer.hpp>

#include <optional>

namespace gemel {

/// One checked call, or nothing where checks are off or no array is touched otherwise than as x[i].
class BoundsCheck {
   public:
    BoundsCheck(const BoundCall& call, const KernelCache& cache);
    /// Whether this call is checked.
    bool is_on() const { return report_.has_value(); }
    /// Behind the call's own arguments.
    void add_to(ArgumentList& list);
    /// After the launches. Waits for them. @throws Error naming the array, the subscript and i
    void finish();

   private:
    const BoundCall& call_;
    std::optional<Buffer> report_;
};

}  // namespace gemel
