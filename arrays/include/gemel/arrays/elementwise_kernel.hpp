/// ElementwiseKernel: a kernel from a snippet of C that runs for every element of its arrays.
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
    friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// Options of one call of a generated kernel.
struct CallOptions {
    std::optional<IndexRange> range = {};    ///< the indices to run over; all if left out. Element-wise kernels only
    Stream stream = {};                      ///< the thread's current stream if left out
    codegen::ElementwiseTuning tuning = {};  ///< members given here override the library's choice
};

/// Optional parts of an ElementwiseKernel.
struct ElementwiseOptions {
    std::string preamble = {};   ///< functions and types that the snippet uses
    std::string loop_prep = {};  ///< statements that each thread runs before its first element; `i` is not declared
    std::string after_loop =
        {};  ///< statements after its last element; `x[j]` accesses arrays in both as in the snippet
    CompileOptions compile = {};
};

struct ElementwiseState;

/// A kernel that runs a snippet of C for each element: the index is `i`, the number of elements `n` (or `N`).
///
///     ElementwiseKernel axpy("float a, const float *x, const float *y, float *z", "z[i] = a*x[i] + y[i]");
///     axpy(2, x, y, z);
///
/// Argument types are those of the kernel language, names of GEMEL_STRUCT structs, or open: a capital letter, as in "T
/// a, T *x", stands for the element type of the arrays in a call. 16-bit floats are float in the snippet. Arrays may
/// have any strides; those accessed as `x[i]` must have equal shapes, whose elements `i` counts in C order. `continue`
/// skips to the next element. Each combination of types and layouts is compiled at its first call and cached by the
/// context.
class GEMEL_API ElementwiseKernel {
   public:
    /// @param arguments  declarations in C, separated by commas
    /// @param operation  the snippet: statements in C
    /// @param name       of the kernel, as profilers and messages show it
    /// @throws ArgumentError for invalid declarations, and for a snippet that no call could run, such as a write to a
    ///         const array
    ElementwiseKernel(std::string_view arguments, std::string operation, std::string name = "elementwise",
                      ElementwiseOptions options = {});
    ElementwiseKernel(std::vector<Parameter> arguments, std::string operation, std::string name = "elementwise",
                      ElementwiseOptions options = {});

    /// Runs the snippet. Values are converted to their declared types; only fractions may be rounded.
    /// @throws ArgumentError naming the argument if number, type, shape or context do not match, or if an array that is
    ///         written overlaps another so that the result would depend on the order of threads
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
    /// The kernel's source for contiguous arrays; needs no device.
    /// @param types   the types of open types and named structs: {{"T", dtype_of<float>()}}
    /// @throws        ArgumentError naming an argument whose type is not given
    std::string source(const Dialect& dialect, const std::map<std::string, DType>& types = {}) const;

   private:
    std::shared_ptr<const ElementwiseState> state_;
};

}  // namespace gemel
