/// Selecting elements: how many there are stays on the device until somebody asks.
///
/// Each function returns at once with arrays that have room for all elements, and with the number of those that count
/// as an array of rank 0. `array()` and its siblings wait for that number and give arrays of exactly so many elements.
#pragma once

#include <gemel/arrays/call_argument.hpp>
#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/arrays/mask.hpp>
#include <gemel/codegen/tuning.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace gemel {

/// The elements that a function selected: the first `count` of `values`.
struct AnySelection {
    AnyArray values;               ///< one axis, with room for all; behind the first `count` nothing is written
    GPUArray<std::int64_t> count;  ///< rank 0
    /// Exactly those. Of less than half of the room a copy, so that the rest is free; else a view. @time waits
    GEMEL_API AnyArray array() const;
};
template <ElementType T>
struct Selection {
    GPUArray<T> values;
    GPUArray<std::int64_t> count;
    GPUArray<T> array() const { return GPUArray<T>(AnySelection{values, count}.array()); }
};

/// The elements for which something holds, and the others, each in their order.
struct AnyPartition {
    AnyArray held, others;              ///< with room for all
    GPUArray<std::int64_t> count;       ///< of those that hold, rank 0
    GEMEL_API AnyArray first() const;   ///< @time waits
    GEMEL_API AnyArray second() const;  ///< @time waits
};
template <ElementType T>
struct Partition {
    GPUArray<T> held, others;
    GPUArray<std::int64_t> count;
    GPUArray<T> first() const { return GPUArray<T>(AnyPartition{held, others, count}.first()); }
    GPUArray<T> second() const { return GPUArray<T>(AnyPartition{held, others, count}.second()); }
};

/// Neighbours that are equal: what they are, and how many.
struct AnyRuns {
    AnyArray all_values, all_lengths;                  ///< with room for all; lengths are int64
    GPUArray<std::int64_t> count;                      ///< of runs, rank 0
    GEMEL_API AnyArray values() const;                 ///< @time waits
    GEMEL_API GPUArray<std::int64_t> lengths() const;  ///< @time waits
};
template <ElementType T>
struct Runs {
    GPUArray<T> all_values;
    GPUArray<std::int64_t> all_lengths;
    GPUArray<std::int64_t> count;
    GPUArray<T> values() const { return GPUArray<T>(any().values()); }
    GPUArray<std::int64_t> lengths() const { return any().lengths(); }

   private:
    AnyRuns any() const { return {all_values, all_lengths, count}; }
};

/// How one call differs from the others.
struct SelectOptions {
    Stream stream = {};
    codegen::ScanTuning tuning = {};  ///< overrides what is given here, member by member
};

/// What an element must fulfil, in C: `x[i]` is the element, `i` its number in C order, `n` how many there are.
struct Predicate {
    Predicate(const char* text) : expr(text) {}
    Predicate(std::string text, std::string more = {}, std::string functions = {})
        : expr(std::move(text)), arguments(std::move(more)), preamble(std::move(functions)) {}
    std::string expr;
    std::string arguments;  ///< more of them, as in ElementwiseKernel: "float limit, const int *class"
    std::string preamble;   ///< functions and types that `expr` uses
};

/// When neighbours are equal.
struct EqualOptions {
    std::string equal_expr =
        {};  ///< of `a` and `b`, in C; for numbers `a == b` if left out, so that no NaN equals another
    Stream stream = {};
    codegen::ScanTuning tuning = {};
};

namespace detail {

GEMEL_API AnySelection select(bool keep, const AnyArray& x, const ExpressionView& mask, const SelectOptions& options);
GEMEL_API AnySelection select(bool keep, const AnyArray& x, const Predicate& predicate,
                              std::span<const CallArgument> more, const SelectOptions& options);
GEMEL_API AnyPartition partition(const AnyArray& x, const ExpressionView& mask, const SelectOptions& options);
GEMEL_API AnyPartition partition(const AnyArray& x, const Predicate& predicate, std::span<const CallArgument> more,
                                 const SelectOptions& options);
GEMEL_API AnySelection unique_consecutive(const AnyArray& x, const EqualOptions& options);
GEMEL_API AnyRuns run_lengths(const AnyArray& x, const EqualOptions& options);

template <ElementType T>
Selection<T> typed(const AnySelection& s) {
    return {GPUArray<T>(s.values), s.count};
}
template <class X>
using ElementOf = typename OperandElement<std::remove_cvref_t<X>>::type;

}  // namespace detail

/// The elements of x where a mask holds, in C order.
///
///     Selection<float> large = copy_if(x, x > 3);                         // enqueued
///     GPUArray<float> exact = large.array();                              // waits for the number
///     Selection<float> odd = copy_if(x, "x[i] > 0 && i % 2");
///     Selection<float> some = copy_if(x, Predicate("x[i] > limit", "float limit"), 3);
///
/// @param x     any layout and element type
/// @param mask  an array of bools or an expression, which is evaluated within; of x's shape, or broadcast to it. Or a
///              predicate in C, with the values of its arguments behind it
/// @throws ArgumentError if the shapes do not fit or the contexts differ
/// @time enqueued: one launch where blocks see each other's writes (CUDA, NVIDIA's OpenCL), which reads everything once
///       and writes what is kept; three elsewhere
template <ArrayOrExpression X, Mask M>
Selection<detail::ElementOf<X>> copy_if(const X& x, const M& mask, const SelectOptions& options = {}) {
    return detail::typed<detail::ElementOf<X>>(
        detail::select(true, detail::evaluated(x), detail::view_of(mask), options));
}
template <ArrayOrExpression X, GeneratorArgument... A>
Selection<detail::ElementOf<X>> copy_if(const SelectOptions& options, const X& x, const Predicate& predicate,
                                        const A&... more) {
    const std::array<CallArgument, sizeof...(A)> packed{CallArgument(more)...};
    return detail::typed<detail::ElementOf<X>>(detail::select(true, detail::evaluated(x), predicate, packed, options));
}
template <ArrayOrExpression X, GeneratorArgument... A>
Selection<detail::ElementOf<X>> copy_if(const X& x, const Predicate& predicate, const A&... more) {
    return copy_if(SelectOptions{}, x, predicate, more...);
}
template <UntypedOperand X, class M>
    requires(UntypedOperand<M> || Mask<M>)
AnySelection copy_if(const X& x, const M& mask, const SelectOptions& options = {}) {
    return detail::select(true, detail::array_of(x), detail::view_of(mask), options);
}

/// The others: those where the mask does not hold.
template <ArrayOrExpression X, Mask M>
Selection<detail::ElementOf<X>> remove_if(const X& x, const M& mask, const SelectOptions& options = {}) {
    return detail::typed<detail::ElementOf<X>>(
        detail::select(false, detail::evaluated(x), detail::view_of(mask), options));
}
template <ArrayOrExpression X, GeneratorArgument... A>
Selection<detail::ElementOf<X>> remove_if(const SelectOptions& options, const X& x, const Predicate& predicate,
                                          const A&... more) {
    const std::array<CallArgument, sizeof...(A)> packed{CallArgument(more)...};
    return detail::typed<detail::ElementOf<X>>(detail::select(false, detail::evaluated(x), predicate, packed, options));
}
template <ArrayOrExpression X, GeneratorArgument... A>
Selection<detail::ElementOf<X>> remove_if(const X& x, const Predicate& predicate, const A&... more) {
    return remove_if(SelectOptions{}, x, predicate, more...);
}
template <UntypedOperand X, class M>
    requires(UntypedOperand<M> || Mask<M>)
AnySelection remove_if(const X& x, const M& mask, const SelectOptions& options = {}) {
    return detail::select(false, detail::array_of(x), detail::view_of(mask), options);
}

/// Both, each in an array of its own and in C order (it is stable). @time as copy_if(); every element is written once
template <ArrayOrExpression X, Mask M>
Partition<detail::ElementOf<X>> partition(const X& x, const M& mask, const SelectOptions& options = {}) {
    using T = detail::ElementOf<X>;
    AnyPartition p = detail::partition(detail::evaluated(x), detail::view_of(mask), options);
    return {GPUArray<T>(p.held), GPUArray<T>(p.others), p.count};
}
template <ArrayOrExpression X, GeneratorArgument... A>
Partition<detail::ElementOf<X>> partition(const SelectOptions& options, const X& x, const Predicate& predicate,
                                          const A&... more) {
    using T = detail::ElementOf<X>;
    const std::array<CallArgument, sizeof...(A)> packed{CallArgument(more)...};
    AnyPartition p = detail::partition(detail::evaluated(x), predicate, packed, options);
    return {GPUArray<T>(p.held), GPUArray<T>(p.others), p.count};
}
template <ArrayOrExpression X, GeneratorArgument... A>
Partition<detail::ElementOf<X>> partition(const X& x, const Predicate& predicate, const A&... more) {
    return partition(SelectOptions{}, x, predicate, more...);
}
template <UntypedOperand X, class M>
    requires(UntypedOperand<M> || Mask<M>)
AnyPartition partition(const X& x, const M& mask, const SelectOptions& options = {}) {
    return detail::partition(detail::array_of(x), detail::view_of(mask), options);
}

/// The first of each run of equal neighbours, in C order. Of a sorted array: each value once.
/// @throws ArgumentError for structs without `.equal_expr` @time as copy_if()
template <ArrayOrExpression X>
Selection<detail::ElementOf<X>> unique_consecutive(const X& x, const EqualOptions& options = {}) {
    return detail::typed<detail::ElementOf<X>>(detail::unique_consecutive(detail::evaluated(x), options));
}
template <UntypedOperand X>
AnySelection unique_consecutive(const X& x, const EqualOptions& options = {}) {
    return detail::unique_consecutive(detail::array_of(x), options);
}
/// The same with how many each run has.
template <ArrayOrExpression X>
Runs<detail::ElementOf<X>> run_lengths(const X& x, const EqualOptions& options = {}) {
    const AnyRuns runs = detail::run_lengths(detail::evaluated(x), options);
    return {GPUArray<detail::ElementOf<X>>(runs.all_values), GPUArray<std::int64_t>(runs.all_lengths), runs.count};
}
template <UntypedOperand X>
AnyRuns run_lengths(const X& x, const EqualOptions& options = {}) {
    return detail::run_lengths(detail::array_of(x), options);
}

}  // namespace gemel
