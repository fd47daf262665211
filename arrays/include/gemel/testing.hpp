/// For tests of programs that use gemel: runs the same work on every device and compares the results.
#pragma once

#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel::testing {

/// Tolerances. An element passes if it is within any one of the three limits. By default results must be equal. NaN
/// equals NaN, and -0.0 equals 0.0. Complex numbers are compared by part, vectors by lane, structs (GEMEL_STRUCT) by
/// field (also nested), each in its own type. Padding is ignored.
/// @tparam T  the element type of the function's array
template <class T>
struct CompareOptions {
    double max_ulps = 0;  ///< in units in the last place of T; for integers, the absolute difference
    double relative = 0;  ///< relative to the expected value
    double absolute = 0;
    /// The expected elements, in C order. If empty, the first device's result is the reference.
    std::vector<HostElement<T>> reference = {};
    /// With fewer devices the comparison is skipped; passed() is then false.
    std::size_t min_devices = 1;
    /// An .npz file that holds the reference, written by Comparison::save() on any machine or by another program.
    std::filesystem::path saved = {};
    /// The array of that file, e.g. "cuda:0". Default: "reference", or the only array of the file.
    std::string saved_name = {};
};

/// The same for functions that return an AnyArray.
template <>
struct CompareOptions<AnyArray> {
    double max_ulps = 0, relative = 0, absolute = 0;
    /// The expected result, in any context; shape and type are compared too. Empty: no reference.
    AnyArray reference = {};
    std::size_t min_devices = 1;
    std::filesystem::path saved = {};
    std::string saved_name = {};
};

/// One element that differs, as text that shows all digits.
struct Difference {
    std::size_t index = 0;  ///< in C order
    std::string expected = {}, actual = {};
    double ulps = 0, absolute = 0;
    std::string field =
        {};  ///< the struct member whose values are shown, e.g. "position.x" or "weights[2]"; empty otherwise
};

/// The result of one device.
struct DeviceResult {
    std::string device = {};  ///< "opencl:0"
    std::string name = {};
    double seconds = 0;      ///< from the call to the end of its work, including compilation if the cache had no kernel
    std::string error = {};  ///< the message of the exception; empty if none
    bool is_baseline = false;
    std::size_t elements = 0;
    std::size_t differing = 0;                                ///< elements beyond all limits
    double max_ulps = 0, max_relative = 0, max_absolute = 0;  ///< over all elements, including those within limits
    std::optional<Difference> first = {}, worst = {};  ///< beyond all limits: the first, and the one with most ulps
};

/// An array on the host, in C order.
struct HostArray {
    DType dtype = {};
    Shape shape = {};
    std::vector<std::byte> bytes = {};
};

/// How a comparison ended. It is skipped if nothing failed, but there were fewer than min_devices devices, or nothing
/// was compared: the selected device does not exist, there are no elements, or there is one device and no reference.
enum class Outcome : std::uint8_t { passed, failed, skipped };

/// The result of compare_backends().
class GEMEL_API Comparison {
   public:
    Outcome outcome() const;
    /// Whether every device returned a result within the limits. False with fewer than min_devices devices or without
    /// elements. With one device and no reference, true means only that the function ran; outcome() is then skipped.
    bool passed() const;
    /// The value to return from main: 0 passed, 1 failed, 77 skipped, as gemel_add_backend_tests() expects.
    int exit_code() const;
    /// The number of devices that took part.
    std::size_t devices() const { return results_.size(); }
    const std::vector<DeviceResult>& results() const { return results_; }
    /// One line per device: differences, seconds, the first and the worst element beyond the limits.
    std::string report() const;
    /// Writes an .npz file for CompareOptions::saved and for NumPy: every device's array, named by the device's id, and
    /// the reference, named "reference". bfloat16 is written as uint16.
    /// @throws Error if no device returned elements, or the file cannot be written; ArgumentError for types that NumPy
    /// lacks
    void save(const std::filesystem::path& path) const;

    /// @param arrays  by device id, and "reference"
    /// @param source  the origin of the reference, for the report; may be empty
    /// @param missing  why the devices that the environment selects do not exist; empty if they do
    Comparison(std::vector<DeviceResult> results, std::map<std::string, HostArray> arrays, std::size_t min_devices,
               std::string source = {}, std::string missing = {})
        : results_(std::move(results)),
          arrays_(std::move(arrays)),
          min_devices_(min_devices),
          source_(std::move(source)),
          missing_(std::move(missing)) {}

   private:
    bool is_alone() const;

    std::vector<DeviceResult> results_;
    std::map<std::string, HostArray> arrays_;
    std::size_t min_devices_ = 1;
    std::string source_, missing_;
};

template <class Array>
struct ElementOfArray {
    using type = typename Array::value_type;
};
template <>
struct ElementOfArray<AnyArray> {
    using type = AnyArray;
};
/// The element type of the array that a function returns; AnyArray itself for AnyArray.
template <class Function>
using ResultElement =
    typename ElementOfArray<std::remove_cvref_t<std::invoke_result_t<const Function&, const Context&>>>::type;

struct Limits {
    double max_ulps = 0, relative = 0, absolute = 0;
    std::size_t min_devices = 1;
};
/// The reference of a comparison: bytes, a file, or none.
struct Reference {
    std::optional<std::vector<std::byte>> bytes = {};
    std::optional<DType> dtype = {};  ///< none: that of the results
    std::optional<Shape> shape = {};  ///< none: that of the results
    std::filesystem::path saved = {};
    std::string saved_name = {};
};
/// The untyped body of compare_backends.
GEMEL_API Comparison compare_results(const std::function<AnyArray(const Context&)>& function, const Limits& limits,
                                     Reference reference);
/// The bytes of host values or of an array; no reference if there are no values.
GEMEL_API Reference reference_of(const AnyArray& array);
template <class T>
Reference reference_of(const std::vector<T>& values) {
    if (values.empty()) return {};
    const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
    return {.bytes = std::vector<std::byte>(bytes, bytes + values.size() * sizeof(T))};
}

/// Runs a function on every device of every backend, or on those that GEMEL_BACKEND and GEMEL_DEVICE select. Each run
/// has its own current context. Compares the returned arrays with the reference, or with each other. A device fails if
/// the function throws, or if it returns an array of another shape or type than expected.
/// @param function  takes `const Context&`, returns a GPUArray<T> or an AnyArray
/// @throws Error if the saved file cannot be read or has no such array; ArgumentError for two references
template <class Function>
    requires std::invocable<const Function&, const Context&>
Comparison compare_backends(const Function& function, const CompareOptions<ResultElement<Function>>& options = {}) {
    Reference reference = reference_of(options.reference);
    reference.saved = options.saved;
    reference.saved_name = options.saved_name;
    return compare_results([&](const Context& context) -> AnyArray { return function(context); },
                           {.max_ulps = options.max_ulps,
                            .relative = options.relative,
                            .absolute = options.absolute,
                            .min_devices = options.min_devices},
                           std::move(reference));
}

}  // namespace gemel::testing
