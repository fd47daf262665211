/// ReductionKernel: maps each element by an expression and combines the results into one value, or into one per row,
/// column or other set of axes.
#pragma once

#include <gemel/arrays/call_argument.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/codegen/reduction.hpp>
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
    std::string neutral = {};       ///< the identity of reduce_expr: "0" for a sum
    std::string identity = {};      ///< another name for `neutral`: give one of the two
    std::string map_expr = "x[i]";  ///< the value of element i; `n` and `reduced_index` are also defined
    std::string reduce_expr = {};   ///< combines `a` and `b`; associative and commutative: "a+b"
    std::string replace_if = {};    ///< see ReductionResult
    std::string name = "reduction";
    std::string preamble = {};     ///< functions and types that the expressions use
    DType accumulator = {};        ///< the type of partial results; left out: the result's (float for 16-bit floats)
    std::string result_expr = {};  ///< see ReductionResult
    codegen::ReducedExtreme extreme = {};  ///< see ReductionResult
    bool is_exact = false;                 ///< see ReductionResult
    CompileOptions compile = {};
};

/// One of several results that are found in one pass.
struct ReductionResult {
    std::string neutral = {};  ///< as in ReductionSpec; `identity` below is another name for it
    std::string map_expr = "x[i]";
    std::string reduce_expr = {};
    DType accumulator = {};
    /// Optional, for a reduce_expr that selects one of its operands: whether element `b` replaces the value `a`
    /// selected from all elements before it (at first the identity). "b.value > a.value" finds the first maximum
    /// without comparing indices, and lets CPU devices skip runs of elements.
    std::string replace_if = {};
    /// The stored result, an expression of the final value `a` and of `n`, the number of elements; `a` itself if empty.
    /// "a / n" for a mean, "a.index" for an accumulator of value and index.
    std::string result_expr = {};
    /// Another name for `neutral`: give one of the two. Behind the others, so that {"0", "x[i]", "a+b"} stays valid.
    std::string identity = {};
    /// Optional, with replace_if: what it compares. CPU devices then find the extreme by vector instructions first.
    codegen::ReducedExtreme extreme = {};
    /// Whether reduce_expr rounds nothing, like a maximum. Floats then need no partial results against rounding errors.
    bool is_exact = false;
};

/// A reduction to several results in one pass.
struct MultiReductionSpec {
    std::string arguments = {};
    std::vector<ReductionResult> results = {};
    std::string name = "reduction";
    std::string preamble = {};
    CompileOptions compile = {};
};

/// The array for a reduction's result: `.out = y`, or `.out = &y`. It shares y's memory.
class ReductionOutput {
   public:
    ReductionOutput() = default;
    ReductionOutput(AnyArray array) : array_(std::move(array)), is_given_(true) {}
    /// A null pointer means that no array is given.
    ReductionOutput(const AnyArray* array) : is_given_(array != nullptr) {
        if (array) array_ = *array;
    }
    explicit operator bool() const { return is_given_; }
    const AnyArray& operator*() const { return array_; }

   private:
    AnyArray array_;
    bool is_given_ = false;
};

/// Options of one call of a reduction.
struct ReductionOptions {
    /// The axes to reduce over; negative values count from the last axis. All axes if left out.
    std::optional<std::vector<int>> axes = {};
    bool keepdims = false;     ///< keep reduced axes, with extent 1
    ReductionOutput out = {};  ///< contiguous, of the result's shape and type; not for several results
    Stream stream = {};
    codegen::ReductionTuning tuning = {};  ///< members given here override the library's choice
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
    /// The number of launches of run(): 2 if another kernel combines the results of the first one's blocks. Enqueues
    /// nothing.
    int launches(const ReductionOptions& options, std::span<const CallArgument> arguments) const;
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
/// Arguments are declared and checked as for ElementwiseKernel. In the map expression, `reduced_index` is the element's
/// index in C order among those reduced to the same result, as an argmax along an axis needs it; over the whole array
/// it equals `i`. The order of operations depends only on sizes and device: one device gives the same bits in every
/// run. 16-bit floats are accumulated in float. The result of no elements is the identity.
template <ElementType T>
class ReductionKernel {
   public:
    /// @throws ArgumentError for invalid declarations or expressions
    explicit ReductionKernel(const ReductionSpec& spec) : ReductionKernel(parse_declarations(spec.arguments), spec) {}
    /// Arguments by their dtypes; spec.arguments is ignored.
    ReductionKernel(std::vector<Parameter> arguments, const ReductionSpec& spec)
        : reduction_(std::move(arguments),
                     {{.neutral = detail::identity_of(spec),
                       .map_expr = spec.map_expr,
                       .reduce_expr = spec.reduce_expr,
                       .accumulator = spec.accumulator,
                       .replace_if = spec.replace_if,
                       .result_expr = spec.result_expr,
                       .extreme = spec.extreme,
                       .is_exact = spec.is_exact}},
                     {dtype_of<T>()}, spec.name, spec.preamble, spec.compile) {}

    /// @returns  the result on the device: rank 0, or the shape without the reduced axes
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
    /// The kernel's source for contiguous arrays; needs no device.
    std::string source(const Dialect& dialect, const std::map<std::string, DType>& types = {}) const {
        return reduction_.source(dialect, types);
    }

   private:
    Reduction reduction_;
};

/// Reduces arrays to several values in one pass, for example minimum, maximum and sum:
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
