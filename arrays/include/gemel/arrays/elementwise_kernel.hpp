/// ElementwiseKernel: a snippet of C, run for every element of some arrays.
#pragma once

#include <gemel/arrays/call_argument.hpp>
#include <gemel/codegen/tuning.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/source.hpp>
#include <gemel/core/stream.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// The indices that a call runs over: start, start + step, ... before `stop`. Negative steps run downwards.
struct IndexRange {
    std::int64_t start = 0;
    std::optional<std::int64_t> stop = {};  ///< the length, if left out
    std::int64_t step = 1;
};

/// How one call of a generated kernel differs from the others.
struct CallOptions {
    std::optional<IndexRange> range = {};    ///< only these indices; element-wise kernels
    Stream stream = {};                      ///< the thread's current stream if left out
    codegen::ElementwiseTuning tuning = {};  ///< overrides what is given here, member by member
};

/// Parts of an ElementwiseKernel that most do without.
struct ElementwiseOptions {
    std::string preamble = {};    ///< functions and types that the snippet uses
    std::string loop_prep = {};   ///< statements that each thread runs before its elements; they know no `i`
    std::string after_loop = {};  ///< and after them; x[j] means in both what it means in the snippet
    CompileOptions compile = {};
};

struct ElementwiseState;

/// A snippet of C for each element of some arrays: the index is `i`, the length `n` (or `N`).
///
///     ElementwiseKernel axpy("float a, const float *x, const float *y, float *z", "z[i] = a*x[i] + y[i]");
///     axpy(2, x, y, z);
///
/// Types are those of the kernel language, names of reflected structs, or left open by a capital letter ("T a, T
/// *x"), bound by the arrays of each call. 16-bit floats are floats in the snippet. Arrays may have any layout, as long
/// as those that the snippet touches as `x[i]` have one shape; `i` counts their elements in C order. `continue` goes on
/// to the next element. Kernels are compiled when a kind of call is first made, and kept by the context.
class GEMEL_API ElementwiseKernel {
   public:
    /// @throws ArgumentError if the declarations or the snippet cannot be right, such as a type that no call can bring
    ElementwiseKernel(std::string_view arguments, std::string operation, std::string name = "elementwise",
                      ElementwiseOptions options = {});
    ElementwiseKernel(std::vector<Parameter> arguments, std::string operation, std::string name = "elementwise",
                      ElementwiseOptions options = {});

    /// Runs the snippet. Values are converted to their declared types where nothing is lost.
    /// @throws ArgumentError naming the argument if number, type, length or context do not fit, or if an array that is
    ///         written shares memory with another in a way that would make the result depend on the order of threads
    /// @throws CompileError if the snippet does not compile
    /// @time enqueued, returns at once; the first call of a kind compiles
    template <GeneratorArgument... A>
    void operator()(const A&... arguments) const {
        const std::array<CallArgument, sizeof...(A)> packed{CallArgument(arguments)...};
        run({}, packed);
    }
    template <GeneratorArgument... A>
    void operator()(const CallOptions& options, const A&... arguments) const {
        const std::array<CallArgument, sizeof...(A)> packed{CallArgument(arguments)...};
        run(options, packed);
    }
    void run(const CallOptions& options, std::span<const CallArgument> arguments) const;

    const std::string& name() const;
    /// The text for contiguous arrays, without a device.
    /// @param types   what open types and structs declared by name stand for: {{"T", dtype_of<float>()}}
    /// @throws        ArgumentError naming the argument whose type is missing there
    std::string source(const Dialect& dialect, const std::map<std::string, DType>& types = {}) const;

   private:
    std::shared_ptr<const ElementwiseState> state_;
};

}  // namespace gemel
