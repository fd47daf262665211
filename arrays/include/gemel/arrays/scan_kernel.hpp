/// Scans: running results of an associative operation over an array.
#pragma once

#include <gemel/arrays/call_argument.hpp>
#include <gemel/arrays/gpu_array.hpp>
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
#include <vector>

namespace gemel {

/// The parts of a GenericScanKernel, in C.
struct ScanSpec {
    std::string arguments = {};       ///< "const int *x, int *out"
    std::string input_expr = "x[i]";  ///< the scanned value of element i
    /// input_expr is a condition and scan_expr is "a+b" of integers: counts elements faster than by adding 0 and 1.
    bool counts = false;
    /// Combines `a` and `b`: "a+b". Associative, not necessarily commutative. In a segmented scan it may use
    /// `across_seg_boundary`; if it does not, a segment starts anew at its first element.
    std::string scan_expr = {};
    std::string neutral = {};   ///< the identity of scan_expr, `prev_item` of the first element: "0"
    std::string identity = {};  ///< another name for `neutral`: give one of the two
    /// Runs for each element, with `item` (the scan including element i), `prev_item` (excluding it), `last_item` (the
    /// last of all), i and n (or N).
    std::string output_statement = {};
    /// Whether a segment begins at i. `prev_item` is the identity there. The output statement may use `segment`, the
    /// number of segments that have begun up to element i, as int32 (`segment_64`: as int64).
    std::string is_segment_start_expr = {};
    std::string name = "scan";
    std::string preamble = {};
    CompileOptions compile = {};
    // For scans that write fewer results than elements: results are collected in shared memory, then written coalesced.
    // Used if blocks scan tiles; otherwise output_statement runs.
    std::string staged_type = {};    ///< the C type of the shared array `staged` of `tile_room` elements, a tile's size
    std::uint32_t staged_bytes = 0;  ///< of that type; 0: as the largest element of an argument, at least 4
    /// Runs instead of output_statement and writes to `staged`. `item` and `prev_item` count from the start of the
    /// tile, so scan_expr must be a sum. `tile_begin` is the tile's first i, `tile_length` its number of elements.
    std::string stage_statement = {};
    /// Runs on each thread after all results are staged. `tile_first` is the result before the tile, `tile_count` the
    /// sum over the tile.
    std::string tile_statement = {};
    // Instead of stage_statement, for counts: elements x[i] of one argument are moved, those where input_expr is true.
    std::string selected = {};     ///< the argument `x`
    std::string selected_to = {};  ///< the argument that they are written to, one after the other
};

/// Options of one call of a scan.
struct ScanOptions {
    bool deterministic = false;  ///< also sums of floats have the same bits in every run; costs a second pass
    std::optional<std::size_t> count = {};  ///< the number of elements; left out: that of the arrays used as x[i]
    Stream stream = {};
    codegen::ScanTuning tuning = {};  ///< members given here override the library's choice
};

struct ScanState;

/// The body of the scan classes.
class GEMEL_API Scan {
   public:
    Scan(std::vector<Parameter> arguments, DType dtype, const ScanSpec& spec);
    void run(const ScanOptions& options, std::span<const CallArgument> arguments) const;
    /// For a scan whose segments are rows of `row_length` elements: each row is scanned on its own if that is faster.
    /// The output statement uses only its own arguments and `item`.
    void run_rows(std::size_t row_length, const ScanOptions& options, std::span<const CallArgument> arguments) const;
    std::string source(const Dialect& dialect, const std::map<std::string, DType>& types = {}) const;

   private:
    std::shared_ptr<const ScanState> state_;
};

/// A scan of values of type T with an input expression and an output statement, possibly in segments.
///
/// Arguments are declared and checked as for ElementwiseKernel. On NVIDIA GPUs one pass reads and writes everything
/// once, unless the output statement uses `last_item`; sums of floats may then differ in their last digits from run to
/// run. Elsewhere there are three passes. 16-bit floats are scanned in float.
/// @time enqueued, returns at once
template <ElementType T>
class GenericScanKernel {
   public:
    /// @throws ArgumentError for invalid declarations or expressions
    explicit GenericScanKernel(const ScanSpec& spec) : GenericScanKernel(parse_declarations(spec.arguments), spec) {}
    /// Arguments by their dtypes; spec.arguments is ignored.
    GenericScanKernel(std::vector<Parameter> arguments, const ScanSpec& spec)
        : scan_(std::move(arguments), dtype_of<T>(), spec) {}

    template <GeneratorArgument... A>
    void operator()(const A&... arguments) const {
        (*this)(ScanOptions{}, arguments...);
    }
    template <GeneratorArgument... A>
    void operator()(const ScanOptions& options, const A&... arguments) const {
        const std::array<CallArgument, sizeof...(A)> packed{CallArgument(arguments)...};
        scan_.run(options, packed);
    }
    std::string source(const Dialect& dialect, const std::map<std::string, DType>& types = {}) const {
        return scan_.source(dialect, types);
    }

   private:
    Scan scan_;
};

namespace detail {
/// A scan of one array: what InclusiveScanKernel and ExclusiveScanKernel share.
template <ElementType T>
class ArrayScan {
   public:
    /// @param x  any strides; scanned in C order. @returns a new array of its shape
    /// @throws ArgumentError, CompileError as GenericScanKernel @time as GenericScanKernel
    GPUArray<T> operator()(const GPUArray<T>& x, const ScanOptions& options = {}) const {
        GPUArray<T> out(x.context(), x.shape());
        (*this)(x, out, options);
        return out;
    }
    /// Into an array of the same shape, which may be x itself.
    void operator()(const GPUArray<T>& x, const GPUArray<T>& out, const ScanOptions& options = {}) const {
        const std::array<CallArgument, 2> packed{CallArgument(x), CallArgument(out)};
        scan_.run(options, packed);
    }
    /// The kernels' source; needs no device.
    std::string source(const Dialect& dialect) const { return scan_.source(dialect); }

   protected:
    explicit ArrayScan(const ScanSpec& spec)
        : scan_({VectorArg(dtype_of<T>(), "x", true), VectorArg(dtype_of<T>(), "out")}, dtype_of<T>(), spec) {}

   private:
    Scan scan_;
};
}  // namespace detail

/// out[i] = x[0] op x[1] op ... op x[i]
///
///     InclusiveScanKernel<int> cumulative_sum("a+b");
///     GPUArray<int> sums = cumulative_sum(x);
template <ElementType T>
class InclusiveScanKernel : public detail::ArrayScan<T> {
   public:
    /// @param scan_expr  combines `a` and `b`, associative
    explicit InclusiveScanKernel(std::string scan_expr, std::string name = "inclusive_scan", std::string preamble = {})
        : detail::ArrayScan<T>({.scan_expr = std::move(scan_expr),
                                .output_statement = "out[i] = item",
                                .name = std::move(name),
                                .preamble = std::move(preamble)}) {}
};

/// out[i] = x[0] op ... op x[i - 1]; out[0] is the identity.
template <ElementType T>
class ExclusiveScanKernel : public detail::ArrayScan<T> {
   public:
    /// @param scan_expr  combines `a` and `b`, associative
    /// @param neutral    its identity, in C
    explicit ExclusiveScanKernel(std::string scan_expr, std::string neutral, std::string name = "exclusive_scan",
                                 std::string preamble = {})
        : detail::ArrayScan<T>({.scan_expr = std::move(scan_expr),
                                .neutral = std::move(neutral),
                                .output_statement = "out[i] = prev_item",
                                .name = std::move(name),
                                .preamble = std::move(preamble)}) {}
};

}  // namespace gemel
