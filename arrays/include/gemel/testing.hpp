/// For tests of programs that use gemel: the same work on every device, compared.
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

/// How far results may lie apart. An element passes if it keeps any one of the three limits; left as they are, all must
/// be equal. Two NaNs are equal, and so are zeros of either sign. Of complex numbers each part is compared, of vectors
/// each lane, of structs (GEMEL_STRUCT) each field, nested ones too, in the units of its own type; padding is not
/// looked at.
/// @tparam T  what the function's array is made of
template <class T>
struct CompareOptions {
    double max_ulps = 0;  ///< units in the last place of T; of integers the difference itself
    double relative = 0;  ///< of the expected value
    double absolute = 0;
    /// What is expected, in C order. Without it the first device's result is what the others are compared with.
    std::vector<HostElement<T>> reference = {};
    /// With fewer devices than this the comparison is skipped, which is not passed.
    std::size_t min_devices = 1;
    /// An .npz file as the reference: what Comparison::save wrote, here or on another machine, or any other.
    std::filesystem::path saved = {};
    /// Which array of that file, e.g. "cuda:0". Without it "reference", or the only one that there is.
    std::string saved_name = {};
};

/// The same for functions whose arrays have a type that is known only at run time.
template <>
struct CompareOptions<AnyArray> {
    double max_ulps = 0, relative = 0, absolute = 0;
    /// The expected result, in any context; shape and type are compared too. Empty: none.
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

/// What became of one device.
struct DeviceResult {
    std::string device = {};  ///< "opencl:0"
    std::string name = {};
    double seconds = 0;      ///< from the call to the end of its work, compilation included where no cache helped
    std::string error = {};  ///< what the function threw; empty if nothing
    bool is_baseline = false;
    std::size_t elements = 0;
    std::size_t differing = 0;                                ///< elements beyond all limits
    double max_ulps = 0, max_relative = 0, max_absolute = 0;  ///< over all elements, also those within limits
    std::optional<Difference> first = {}, worst = {};         ///< of those beyond: the first, and the one of most ulps
};

/// An array on the host, in C order.
struct HostArray {
    DType dtype = {};
    Shape shape = {};
    std::vector<std::byte> bytes = {};
};

/// How a comparison ended. It is skipped if nothing failed but there were fewer devices than it needs, or nothing was
/// compared: what GEMEL_BACKEND or GEMEL_DEVICE names is not there, no elements, or one device alone without a
/// reference.
enum class Outcome : std::uint8_t { passed, failed, skipped };

/// What compare_backends found.
class GEMEL_API Comparison {
   public:
    Outcome outcome() const;
    /// Whether every device gave a result within limits, and enough devices were there. Never with fewer than
    /// min_devices, nor without elements. Of one device without a reference it says that the function ran, if
    /// min_devices is no more than 1: then outcome() is skipped.
    bool passed() const;
    /// What a program may return from main: 0 passed, 1 failed, 77 skipped, as gemel_add_backend_tests() expects.
    int exit_code() const;
    /// How many devices took part.
    std::size_t devices() const { return results_.size(); }
    const std::vector<DeviceResult>& results() const { return results_; }
    /// One line per device: differences, seconds, the first and the worst element beyond the limits.
    std::string report() const;
    /// Writes every device's array to an .npz file by the device's id, and what they were compared with as
    /// "reference", for CompareOptions::saved and for NumPy. bfloat16 is written as uint16.
    /// @throws Error if no device gave elements, or the file cannot be written; ArgumentError for types that NumPy
    /// lacks
    void save(const std::filesystem::path& path) const;

    /// @param arrays  by device id, and "reference"
    /// @param source  where the reference comes from, for the report; empty if nowhere in particular
    /// @param missing  why the devices that the environment names are not there; empty if they are
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
/// What results are compared with: bytes or a file, or neither.
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
/// The bytes of host values, or of an array. None if there are no values.
GEMEL_API Reference reference_of(const AnyArray& array);
template <class T>
Reference reference_of(const std::vector<T>& values) {
    if (values.empty()) return {};
    const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
    return {.bytes = std::vector<std::byte>(bytes, bytes + values.size() * sizeof(T))};
}

/// Runs a function on every device of every backend, or of those that GEMEL_BACKEND and GEMEL_DEVICE name, in a context
/// of its own that is the current one meanwhile, and compares the arrays that it returns with the reference or with one
/// another. What it throws is a failure of that device, and so is an array of another shape or type than expected.
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
