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

/// The vectors of a solver: `columns` of n elements, each padded with zeros, and a sweep_state for each column.
class Workspace {
   public:
    /// @param state_bytes  of a sweep_state
    /// @param is_viewed    kernels are given parts of vectors(): each begins where the device lets a buffer begin
    /// @param max_sets     of sweeps that have sets of operands
    Workspace(const Context& context, DType dtype, std::int64_t n, std::int64_t columns, std::size_t state_bytes,
              bool is_viewed, std::int64_t max_sets, const codegen::SweepTuning& given);

    static constexpr std::size_t most_sums = 8, most_joined = 3;

    /// New columns of zeros: shape (columns, pitch).
    AnyArray vectors() const;
    /// One vector of zeros that all columns share.
    AnyArray vector() const;
    /// The n elements of one column.
    AnyArray column(const AnyArray& vectors, std::int64_t which) const;
    /// The n elements of all columns, as (n, columns).
    AnyArray matrix(const AnyArray& vectors) const;

    const Context& context() const { return context_; }
    DType dtype() const { return dtype_; }
    std::int64_t n() const { return n_; }
    std::int64_t columns() const { return columns_; }
    std::int64_t pitch() const { return pitch_; }
    const Buffer& states() const { return states_; }
    /// Partial sums that one kernel stores and another combines, one per block of each column.
    const Buffer& joined() const { return joined_; }
    std::int64_t joined_capacity() const { return joined_capacity_; }
    /// Blocks of a column in sweeps.
    std::int64_t groups() const { return groups_; }
    /// The tuning: the caller's numbers, else stored ones, else the device's defaults.
    const codegen::SweepTuning& tuning() const { return tuning_; }
    /// Whether indices of elements have 64 bits.
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

/// A request that is made when it is first needed, for a device with or without doubles.
using SweepText = codegen::SweepRequest (*)(DType dtype, bool has_double);

/// One sweep, compiled for a workspace.
class Sweep {
   public:
    Sweep() = default;
    Sweep(const Workspace& space, SweepText text);
    /// Enqueues the sweep: one launch, or two if it has a finish and blocks do not see each other's writes.
    /// @param numbers  the sweep's own; then, if it joins, how many blocks have left sums for each column; then, if it
    ///                 has sets, how many
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
    bool is_left_ = false;  ///< its sums are left for another sweep, which joins them
    bool has_joins_ = false, has_sets_ = false;
};

}  // namespace gemel::solving
