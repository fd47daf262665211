/// The workspace of a solver, and its sweeps as compiled kernels.
#pragma once

#include "generated/kernel_cache.hpp"

#include <gemel/arrays/any_array.hpp>
#include <gemel/codegen/sweep.hpp>
#include <gemel/core/buffer.hpp>
#include <gemel/core/context.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace gemel::solving {

/// Memory for the vectors of a solver, `columns` columns of n elements padded with zeros, and a sweep_state per column.
class Workspace {
   public:
    /// @param state_bytes  the size of a sweep_state
    /// @param is_viewed    kernels get views of vectors(); columns then begin at the device's base alignment
    /// @param max_sets     maximum number of operand sets in a sweep
    Workspace(const Context& context, DType dtype, std::int64_t n, std::int64_t columns, std::size_t state_bytes,
              bool is_viewed, std::int64_t max_sets, const codegen::SweepTuning& given);

    static constexpr std::size_t max_sums = 8, max_joined = 3;

    /// New vectors of zeros, shape (columns, pitch).
    AnyArray vectors() const;
    /// A new vector of zeros that all columns share, shape (pitch,).
    AnyArray vector() const;
    /// The n elements of one column.
    AnyArray column(const AnyArray& vectors, std::int64_t which) const;
    /// The n elements of all columns, shape (n, columns).
    AnyArray matrix(const AnyArray& vectors) const;

    const Context& context() const { return context_; }
    DType dtype() const { return dtype_; }
    std::int64_t n() const { return n_; }
    std::int64_t columns() const { return columns_; }
    std::int64_t pitch() const { return pitch_; }
    const Buffer& states() const { return states_; }
    /// Partial sums that one kernel stores and another combines, one set per block of each column.
    const Buffer& joined() const { return joined_; }
    std::int64_t joined_capacity() const { return joined_capacity_; }
    /// Blocks per column in a sweep.
    std::int64_t groups() const { return groups_; }
    /// The tuning: the caller's numbers, then stored ones, then the device's defaults.
    const codegen::SweepTuning& tuning() const { return tuning_; }
    /// Whether element indices have 64 bits.
    bool has_wide_index() const { return layout_.wide_index; }

   private:
    friend class Sweep;
    Context context_;
    DType dtype_;
    std::int64_t n_, columns_, pitch_, groups_ = 1, packs_ = 0, joined_capacity_ = 1;
    codegen::SweepTuning tuning_;
    codegen::SweepLayout layout_;
    Buffer states_, partials_, counters_, joined_;
};

/// Makes the request, for a device with or without doubles. Called when it is first needed.
using SweepText = codegen::SweepRequest (*)(DType dtype, bool has_double);

/// A sweep, compiled for a workspace.
class Sweep {
   public:
    Sweep() = default;
    Sweep(const Workspace& space, SweepText text);
    /// Enqueues the sweep: one launch, or two if it has a finish and blocks do not see each other's writes.
    /// @param numbers  the request's numbers; with joins, the number of blocks that have left sums for each column;
    /// with
    ///                 sets, their number
    void operator()(const Workspace& space, std::span<const AnyArray* const> arrays,
                    std::span<const std::int32_t> numbers = {}) const;
    void operator()(const Workspace& space, std::initializer_list<const AnyArray*> arrays,
                    std::span<const std::int32_t> numbers) const {
        (*this)(space, std::span(arrays.begin(), arrays.size()), numbers);
    }
    template <class... A>
        requires(std::same_as<A, AnyArray> && ...)
    void operator()(const Workspace& space, const A&... arrays) const {
        const std::array<const AnyArray*, sizeof...(A)> all{&arrays...};
        (*this)(space, std::span<const AnyArray* const>(all));
    }

   private:
    std::shared_ptr<Variant> variant_;
    bool is_left_ = false;  ///< its sums are stored for another sweep, which joins them
    bool has_joins_ = false, has_sets_ = false;
};

}  // namespace gemel::solving
