/// Selecting elements (stream compaction). The number of selected elements stays on the device.
///
/// Each function returns at once. Its result holds arrays with capacity for all elements, and the number of valid ones
/// as an array of rank 0 on the device. `array()` and similar members wait for that number and return arrays of exactly
/// that size.
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

/// The selected elements: the first `count` of `values`.
struct AnySelection {
    AnyArray values;  ///< shape (n,) for n input elements; elements from index `count` on are uninitialised
    GPUArray<std::int64_t> count;  ///< rank 0
    /// An array of exactly `count` elements: a view of `values`, or a copy if less than half of `values` is used, so
    /// that its memory can be freed. @time waits for `count`
    GEMEL_API AnyArray array() const;
};
template <ElementType T>
struct Selection {
    GPUArray<T> values;
    GPUArray<std::int64_t> count;
    GPUArray<T> array() const { return GPUArray<T>(AnySelection{values, count}.array()); }
};

/// The elements that satisfy a condition, and the others, each in their original order.
struct AnyPartition {
    AnyArray held, others;              ///< shape (n,) each, for n input elements
    GPUArray<std::int64_t> count;       ///< of `held`, rank 0
    GEMEL_API AnyArray first() const;   ///< the first `count` of `held`. @time waits for `count`
    GEMEL_API AnyArray second() const;  ///< the first n - count of `others`. @time waits for `count`
};
template <ElementType T>
struct Partition {
    GPUArray<T> held, others;
    GPUArray<std::int64_t> count;
    GPUArray<T> first() const { return GPUArray<T>(AnyPartition{held, others, count}.first()); }
    GPUArray<T> second() const { return GPUArray<T>(AnyPartition{held, others, count}.second()); }
};

/// The value and length of each run of equal consecutive elements.
struct AnyRuns {
    AnyArray all_values, all_lengths;                  ///< shape (n,) for n input elements; lengths are int64
    GPUArray<std::int64_t> count;                      ///< of runs, rank 0
    GEMEL_API AnyArray values() const;                 ///< shape (count,). @time waits for `count`
    GEMEL_API GPUArray<std::int64_t> lengths() const;  ///< shape (count,). @time waits for `count`
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

/// Options of one call.
struct SelectOptions {
    Stream stream = {};               ///< the thread's current stream if left out
    codegen::ScanTuning tuning = {};  ///< members given here override the library's choice
};

/// A condition on an element as a C expression: `x[i]` is the element, `i` its index in C order, `n` the number of
/// elements.
struct Predicate {
    Predicate(const char* text) : expr(text) {}
    Predicate(std::string text, std::string more = {}, std::string functions = {})
        : expr(std::move(text)), arguments(std::move(more)), preamble(std::move(functions)) {}
    std::string expr;
    std::string arguments;  ///< further arguments, as in ElementwiseKernel: "float limit, const int *class"
    std::string preamble;   ///< functions and types that `expr` uses
};

/// Options of unique_consecutive() and run_lengths().
struct EqualOptions {
    /// When elements `a` and `b` are equal, in C. Left out: `a == b` for numbers; NaN then differs from NaN.
    std::string equal_expr = {};
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
/// @param x     any strides and element type
/// @param mask  an array or expression of bools, of x's shape or broadcast to it; an expression is evaluated in the
///              same kernel. Or a predicate in C, followed by the values of its arguments
/// @throws ArgumentError if the shapes cannot be broadcast or the contexts differ; CompileError for an invalid
///         predicate
/// @time enqueued. On CUDA and NVIDIA's OpenCL (DeviceInfo::has_cross_block_visibility) one launch, which reads each
///       element once and writes the selected ones; elsewhere three launches
template <ArrayOrExpression X, class M>
    requires(UntypedOperand<M> || Mask<M>)
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

/// The elements of x where a mask or predicate is false, in C order; otherwise as copy_if().
template <ArrayOrExpression X, class M>
    requires(UntypedOperand<M> || Mask<M>)
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

/// Both: the elements where the mask or predicate is true and those where it is false, in two arrays, each in C order
/// (stable). @throws ArgumentError as copy_if() @time as copy_if(); every element is written once
template <ArrayOrExpression X, class M>
    requires(UntypedOperand<M> || Mask<M>)
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

/// The first element of each run of equal consecutive elements, in C order. For a sorted array: the distinct values.
/// @throws ArgumentError for structs without `.equal_expr` @time as copy_if()
template <ArrayOrExpression X>
Selection<detail::ElementOf<X>> unique_consecutive(const X& x, const EqualOptions& options = {}) {
    return detail::typed<detail::ElementOf<X>>(detail::unique_consecutive(detail::evaluated(x), options));
}
template <UntypedOperand X>
AnySelection unique_consecutive(const X& x, const EqualOptions& options = {}) {
    return detail::unique_consecutive(detail::array_of(x), options);
}
/// The first element and the length of each run. @throws ArgumentError as unique_consecutive() @time as copy_if()
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
