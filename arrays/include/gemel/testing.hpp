/// For tests of programs that use gemel: the same work on every device, compared.
#pragma once

#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel::testing {

/// How far results may lie apart. An element passes if it keeps any one of the three limits; left as they are, all must
/// be equal. Two NaNs are equal, and so are zeros of either sign. Of complex numbers each part is compared.
/// @tparam T  what the function's array is made of
template <class T>
struct CompareOptions {
    double max_ulps = 0;  ///< units in the last place of T; of integers the difference itself
    double relative = 0;  ///< of the expected value
    double absolute = 0;
    /// What is expected, in C order. Without it the first device's result is what the others are compared with.
    std::vector<HostElement<T>> reference = {};
    /// With fewer devices than this the comparison fails.
    std::size_t min_devices = 1;
};

/// One element that differs, as text that shows all digits.
struct Difference {
    std::size_t index = 0;  ///< in C order
    std::string expected, actual;
    double ulps = 0, absolute = 0;
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

/// What compare_backends found.
class GEMEL_API Comparison {
   public:
    /// Whether every device gave a result within limits, and enough devices were there.
    bool passed() const;
    /// How many devices took part.
    std::size_t devices() const { return results_.size(); }
    const std::vector<DeviceResult>& results() const { return results_; }
    /// One line per device: differences, seconds, the first and the worst element beyond the limits.
    std::string report() const;

    Comparison(std::vector<DeviceResult> results, bool has_reference, std::size_t min_devices)
        : results_(std::move(results)), has_reference_(has_reference), min_devices_(min_devices) {}

   private:
    std::vector<DeviceResult> results_;
    bool has_reference_ = false;
    std::size_t min_devices_ = 1;
};

/// The element type of the array that a function returns.
template <class Function>
using ResultElement = typename std::remove_cvref_t<std::invoke_result_t<const Function&, const Context&>>::value_type;

struct Limits {
    double max_ulps = 0, relative = 0, absolute = 0;
    std::size_t min_devices = 1;
};
/// The untyped body of compare_backends. @param reference  null if there is none
GEMEL_API Comparison compare_results(const std::function<AnyArray(const Context&)>& function, const Limits& limits,
                                     const void* reference, std::size_t reference_count);

/// Runs a function on every device of every backend, in a context of its own that is the current one meanwhile, and
/// compares the arrays that it returns with the reference or with one another. What it throws is a failure of that
/// device.
/// @param function  takes `const Context&`, returns a GPUArray<T>
template <class Function>
    requires std::invocable<const Function&, const Context&>
Comparison compare_backends(const Function& function, const CompareOptions<ResultElement<Function>>& options = {}) {
    return compare_results([&](const Context& context) -> AnyArray { return function(context); },
                           {.max_ulps = options.max_ulps,
                            .relative = options.relative,
                            .absolute = options.absolute,
                            .min_devices = options.min_devices},
                           options.reference.empty() ? nullptr : options.reference.data(), options.reference.size());
}

}  // namespace gemel::testing
