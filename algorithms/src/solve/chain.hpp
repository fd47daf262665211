/// Many iterations of a solver as one launch.
#pragma once

#include "solve/sweeps.hpp"
#include "sparse/state.hpp"

#include <gemel/codegen/chain.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>

namespace gemel::solving {

/// Makes the request, for a device with or without doubles. Called when it is first needed.
using ChainText = codegen::ChainRequest (*)(DType dtype, bool has_double);

/// A chain, compiled for a workspace of one column and a matrix that can_sum(). Empty if separate launches are better.
class Chain {
   public:
    Chain() = default;
    /// @param given  the caller's tuning, without stored values and defaults
    Chain(const Workspace& space, ChainText text, const sparse::MatrixState& matrix, bool is_scaled,
          const codegen::SweepTuning& given);
    bool empty() const { return blocks_ == 0; }
    /// Enqueues the iterations. @param arrays  those of the request's step
    void operator()(const Workspace& space, std::initializer_list<const AnyArray*> arrays, std::int64_t steps) const;

   private:
    std::shared_ptr<Variant> variant_;
    sparse::ProductPart matrix_;
    std::int64_t blocks_ = 0;
    std::int32_t packs_ = 0;
    Buffer partials_, sums_;
};

}  // namespace gemel::solving
