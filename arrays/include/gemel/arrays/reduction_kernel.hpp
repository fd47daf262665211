/// ReductionKernel: a map expression for every element of some arrays, combined into one value, or one per row, column,
/// ...
#pragma once

#include <gemel/arrays/call_argument.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/codegen/tuning.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/source.hpp>
#include <gemel/core/stream.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace gemel {

/// What a ReductionKernel does; all expressions in C.
struct ReductionSpec {
    std::string arguments = {};     ///< "const float *x, const float *y"
    std::string neutral = {};       ///< the identity of reduce_expr, which changes nothing: "0"
    std::string identity = {};      ///< another name for `neutral`: give one of the two
    std::string map_expr = "x[i]";  ///< of element i; `n` elements become one result, see also `reduced_index`
    std::string reduce_expr = {};   ///< of `a` and `b`, associative and commutative: "a+b"
    std::string replace_if = {};    ///< see ReductionResult
    std::string name = "reduction";
    std::string preamble = {};     ///< functions and types that the expressions use
    DType accumulator = {};        ///< of running values, if not the result's own (16-bit floats: float)
    std::string result_expr = {};  ///< see ReductionResult
    CompileOptions compile = {};
};

/// One of several results that are found in one pass.
struct ReductionResult {
    std::string neutral = {};  ///< as in ReductionSpec; `identity` below is another name for it
    std::string map_expr = "x[i]";
    std::string reduce_expr = {};
    DType accumulator = {};
    /// Optional, for a reduce_expr that chooses one of its operands. `b` is a single element that follows everything
    /// folded into `a` (at first the neutral element). True: it replaces `a`. "b.value > a.value" finds the first
    /// largest without comparing indices, and lets CPU devices skip whole runs of elements.
    std::string replace_if = {};
    /// What is stored, of `a`, the running value at the end; that value itself if empty. "a.index" of an accumulator of
    /// value and index.
    std::string result_expr = {};
    /// Another name for `neutral`: give one of the two. Stands last because lists without names, {"0", "x[i]", "a+b"},
    /// count.
    std::string identity = {};
};

/// A reduction to several results.
struct MultiReductionSpec {
    std::string arguments = {};
    std::vector<ReductionResult> results = {};
    std::string name = "reduction";
    std::string preamble = {};
    CompileOptions compile = {};
};

/// Where a reduction puts its result: `.out = y`, or `.out = &y`. Shares y's memory, so y itself may go.
class ReductionOutput {
   public:
    ReductionOutput() = default;
    ReductionOutput(AnyArray array) : array_(std::move(array)), is_given_(true) {}
    /// A null pointer: there is no such array, a new one is made.
    ReductionOutput(const AnyArray* array) : is_given_(array != nullptr) {
        if (array) array_ = *array;
    }
    explicit operator bool() const { return is_given_; }
    const AnyArray& operator*() const { return array_; }

   private:
    AnyArray array_;
    bool is_given_ = false;
};

/// How one call of a reduction differs from the others.
struct ReductionOptions {
    std::optional<std::vector<int>> axes =
        {};                    ///< reduce over these, negative ones counted from the end; all if left out
    bool keepdims = false;     ///< reduced axes stay, with extent 1
    ReductionOutput out = {};  ///< where the result goes: contiguous, of the result's shape; single results
    Stream stream = {};
    codegen::ReductionTuning tuning = {};  ///< overrides what is given here, member by member
};

namespace detail {
/// The one of `identity` and `neutral` that is given. @throws ArgumentError if both are
GEMEL_API std::string identity_of(const ReductionSpec& spec);
}  // namespace detail

struct ReductionState;

/// The body of the reduction classes, which know the results' types.
class GEMEL_API Reduction {
   public:
    /// @param dtypes  of the results
    Reduction(std::vector<Parameter> arguments, std::vector<ReductionResult> results, std::vector<DType> dtypes,
              std::string name, std::string preamble, CompileOptions compile);
    void run(const ReductionOptions& options, std::span<const CallArgument> arguments,
             std::span<AnyArray> results) const;
    std::string source(const Dialect& dialect, const std::map<std::string, DType>& types = {}) const;

   private:
    std::shared_ptr<const ReductionState> state_;
};

/// Reduces arrays to one value of type T.
///
///     ReductionKernel<float> dot({.arguments = "const float *x, const float *y", .neutral = "0",
///                                 .map_expr = "x[i]*y[i]", .reduce_expr = "a+b"});
///     float d = dot(x, y).item();
///
/// Arguments are declared and checked as for ElementwiseKernel. `reduced_index` in the map expression is the element's
/// place among those that are reduced to one result, in C order: what an argmax along an axis wants; for a whole array
/// it is `i`. The order of operations depends on sizes and device alone, so that a device gives the same bits every
/// time. 16-bit floats accumulate in float. The result of no elements is the neutral one.
template <ElementType T>
class ReductionKernel {
   public:
    /// @throws ArgumentError if declarations or expressions cannot be right
    explicit ReductionKernel(const ReductionSpec& spec) : ReductionKernel(parse_declarations(spec.arguments), spec) {}
    /// Arguments by their dtypes; spec.arguments is not looked at.
    ReductionKernel(std::vector<Parameter> arguments, const ReductionSpec& spec)
        : reduction_(std::move(arguments),
                     {{detail::identity_of(spec), spec.map_expr, spec.reduce_expr, spec.accumulator, spec.replace_if,
                       spec.result_expr}},
                     {dtype_of<T>()}, spec.name, spec.preamble, spec.compile) {}

    /// @returns  the result, still on the device: rank 0, or the shape that the axes leave
    /// @throws   ArgumentError, CompileError as ElementwiseKernel
    /// @time     enqueued, returns at once; one launch on GPUs, two on CPU devices
    template <GeneratorArgument... A>
    GPUArray<T> operator()(const A&... arguments) const {
        return (*this)(ReductionOptions{}, arguments...);
    }
    template <GeneratorArgument... A>
    GPUArray<T> operator()(const ReductionOptions& options, const A&... arguments) const {
        const std::array<CallArgument, sizeof...(A)> packed{CallArgument(arguments)...};
        AnyArray result;
        reduction_.run(options, packed, {&result, 1});
        return GPUArray<T>(std::move(result));
    }
    /// The text for contiguous arrays, without a device.
    std::string source(const Dialect& dialect, const std::map<std::string, DType>& types = {}) const {
        return reduction_.source(dialect, types);
    }

   private:
    Reduction reduction_;
};

/// Reduces arrays to several values in one pass, e.g. minimum, maximum and sum:
///
///     MultiReductionKernel<float, float, double> all({.arguments = "const float *x", .results = {
///         {"INFINITY", "x[i]", "fmin(a, b)"}, {"-INFINITY", "x[i]", "fmax(a, b)"}, {"0", "x[i]", "a+b"}}});
///     auto [low, high, sum] = all(x);
template <ElementType... T>
class MultiReductionKernel {
   public:
    explicit MultiReductionKernel(const MultiReductionSpec& spec)
        : reduction_(parse_declarations(spec.arguments), spec.results, {DType(dtype_of<T>())...}, spec.name,
                     spec.preamble, spec.compile) {}

    template <GeneratorArgument... A>
    std::tuple<GPUArray<T>...> operator()(const A&... arguments) const {
        return (*this)(ReductionOptions{}, arguments...);
    }
    template <GeneratorArgument... A>
    std::tuple<GPUArray<T>...> operator()(const ReductionOptions& options, const A&... arguments) const {
        const std::array<CallArgument, sizeof...(A)> packed{CallArgument(arguments)...};
        std::array<AnyArray, sizeof...(T)> results;
        reduction_.run(options, packed, results);
        return [&]<std::size_t... k>(std::index_sequence<k...>) {
            return std::tuple<GPUArray<T>...>{GPUArray<T>(std::move(results[k]))...};
        }(std::index_sequence_for<T...>{});
    }
    std::string source(const Dialect& dialect, const std::map<std::string, DType>& types = {}) const {
        return reduction_.source(dialect, types);
    }

   private:
    Reduction reduction_;
};

}  // namespace gemel
