#include <gemel/testing.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/registry.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>

namespace gemel::testing {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Bits as an integer that grows with the number, so that neighbours differ by 1.
template <class Bits>
std::int64_t ordered(Bits bits) {
    constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
    const auto magnitude = static_cast<std::int64_t>(bits & static_cast<Bits>(~sign));
    return bits & sign ? -magnitude : magnitude;
}

struct Apart {
    double ulps = 0, absolute = 0, relative = 0;
};

Apart of_reals(double expected, double actual, double ulps) {
    if (std::isnan(expected) && std::isnan(actual)) return {};
    if (std::isnan(expected) != std::isnan(actual)) return {infinity, infinity, infinity};
    if (expected == actual) return {};
    const double absolute = std::abs(expected - actual);
    return {ulps, absolute, expected != 0 ? absolute / std::abs(expected) : infinity};
}

template <class T>
T read(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <class T, class Bits>
Apart apart_real(const std::byte* expected, const std::byte* actual) {
    const auto a = ordered(read<Bits>(expected)), b = ordered(read<Bits>(actual));
    // Of two doubles of opposite sign the difference may need 64 bits.
    const double ulps = std::abs(static_cast<double>(static_cast<__int128>(a) - b));
    const auto value = [](const std::byte* at) {
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<double>(read<T>(at));
        else
            return static_cast<double>(static_cast<float>(read<T>(at)));
    };
    return of_reals(value(expected), value(actual), ulps);
}

template <class T>
Apart apart_integer(const std::byte* expected, const std::byte* actual) {
    const __int128 a = read<T>(expected), b = read<T>(actual);
    const double difference = static_cast<double>(a > b ? a - b : b - a);
    if (difference == 0) return {};
    return {difference, difference, a != 0 ? difference / std::abs(static_cast<double>(a)) : infinity};
}

template <class T>
std::string shown(const std::byte* at) {
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
        const float value = static_cast<float>(read<T>(at));
        return shown<float>(reinterpret_cast<const std::byte*>(&value));
    } else if constexpr (std::is_floating_point_v<T>) {
        char digits[40];
        std::snprintf(digits, sizeof digits, "%.*g", std::numeric_limits<T>::max_digits10,
                      static_cast<double>(read<T>(at)));
        return digits;
    } else {
        return std::to_string(read<T>(at));
    }
}

/// How numbers of a type are compared and shown.
struct Type {
    Apart (*apart)(const std::byte*, const std::byte*);
    std::string (*show)(const std::byte*);
    std::size_t bytes;
};

template <class T>
constexpr Type integer_type{apart_integer<T>, shown<T>, sizeof(T)};

Type type_of(DType dtype) {
    using Kind = DType::Kind;
    const std::size_t bytes = dtype.size_bytes() / dtype.lanes() / (dtype.kind() == Kind::complex ? 2 : 1);
    switch (dtype.kind()) {
        case Kind::boolean: return integer_type<std::uint8_t>;
        case Kind::signed_integer:
            return bytes == 1   ? integer_type<std::int8_t>
                   : bytes == 2 ? integer_type<std::int16_t>
                   : bytes == 4 ? integer_type<std::int32_t>
                                : integer_type<std::int64_t>;
        case Kind::unsigned_integer:
            return bytes == 1   ? integer_type<std::uint8_t>
                   : bytes == 2 ? integer_type<std::uint16_t>
                   : bytes == 4 ? integer_type<std::uint32_t>
                                : integer_type<std::uint64_t>;
        case Kind::bfloat: return {apart_real<bfloat16, std::uint16_t>, shown<bfloat16>, 2};
        case Kind::floating:
        case Kind::complex:
            if (bytes == 2) return {apart_real<half, std::uint16_t>, shown<half>, 2};
            if (bytes == 4) return {apart_real<float, std::uint32_t>, shown<float>, 4};
            return {apart_real<double, std::uint64_t>, shown<double>, 8};
        default: return integer_type<std::uint8_t>;  // structs byte by byte
    }
}

void compare(DeviceResult& result, DType dtype, const std::vector<std::byte>& expected,
             const std::vector<std::byte>& actual, const Limits& limits) {
    const Type type = type_of(dtype);
    const std::size_t item = dtype.size_bytes();
    if (item == 0) return;
    for (std::size_t i = 0; i < result.elements; ++i) {
        Apart apart;  // of the worst part
        bool is_beyond = false;
        for (std::size_t at = i * item; at < (i + 1) * item; at += type.bytes) {
            const Apart part = type.apart(&expected[at], &actual[at]);
            is_beyond |=
                !(part.ulps <= limits.max_ulps || part.absolute <= limits.absolute || part.relative <= limits.relative);
            apart = {std::max(apart.ulps, part.ulps), std::max(apart.absolute, part.absolute),
                     std::max(apart.relative, part.relative)};
        }
        result.max_ulps = std::max(result.max_ulps, apart.ulps);
        result.max_absolute = std::max(result.max_absolute, apart.absolute);
        result.max_relative = std::max(result.max_relative, apart.relative);
        if (!is_beyond) continue;
        ++result.differing;
        if (result.worst && apart.ulps <= result.worst->ulps) continue;
        const auto show = [&](const std::vector<std::byte>& bytes) {
            std::vector<std::string> parts;
            for (std::size_t at = i * item; at < (i + 1) * item && parts.size() < 8; at += type.bytes)
                parts.push_back(type.show(&bytes[at]));
            return parts.size() == 1 ? parts[0] : "(" + join(parts) + ")";
        };
        Difference difference{i, show(expected), show(actual), apart.ulps, apart.absolute};
        if (!result.first) result.first = difference;
        result.worst = std::move(difference);
    }
}

std::string line(const char* which, const Difference& difference) {
    return text("; ", which, " at ", difference.index, ": ", difference.actual, ", expected ", difference.expected,
                " (", difference.ulps, " ulps)");
}

}  // namespace

bool Comparison::passed() const {
    return results_.size() >= min_devices_ && std::all_of(results_.begin(), results_.end(), [](const DeviceResult& r) {
               return r.error.empty() && r.differing == 0;
           });
}

std::string Comparison::report() const {
    std::string out;
    for (const DeviceResult& r : results_) {
        out += text(r.device, " ", r.name, ": ");
        if (!r.error.empty()) {
            out += "failed: " + r.error;
        } else if (r.is_baseline) {
            out += text(r.elements, " elements that the others are compared with");
        } else {
            out += text(r.elements, " elements, at most ", r.max_ulps, " ulps, ", r.max_absolute, " absolute, ",
                        r.max_relative, " relative");
            if (r.differing > 0) out += text(", ", r.differing, " BEYOND THE LIMITS");
            if (r.first) out += line("the first", *r.first);
            if (r.worst && r.worst->index != r.first->index) out += line("the worst", *r.worst);
        }
        out += text("; ", r.seconds, " s\n");
    }
    if (results_.size() < min_devices_)
        out += text("FAILED: ", results_.size(), " devices took part, ", min_devices_, " are required\n");
    else if (results_.size() == 1 && !has_reference_)
        out += "one device and no reference: nothing was compared\n";
    if (!out.empty()) out.pop_back();
    return out;
}

Comparison compare_results(const std::function<AnyArray(const Context&)>& function, const Limits& limits,
                           const void* reference, std::size_t reference_count) {
    std::vector<DeviceResult> results;
    std::vector<std::byte> expected;
    std::optional<DType> dtype;
    std::optional<Shape> shape;
    for (const Device& device : gemel::devices()) {
        DeviceResult result{.device = device.id(), .name = device.name()};
        try {
            const Context context(device);
            const ContextScope scope(context);
            const auto start = std::chrono::steady_clock::now();
            const AnyArray array = function(context);
            context.synchronize();
            result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            result.elements = array.size();
            std::vector<std::byte> actual(array.size_bytes());
            if (!actual.empty()) array.get_bytes(actual.data());
            if (reference && !dtype) {
                const auto* const bytes = static_cast<const std::byte*>(reference);
                expected.assign(bytes, bytes + reference_count * array.dtype().size_bytes());
            }
            if (!reference && !dtype) {
                expected = std::move(actual);
                result.is_baseline = true;
            } else if (expected.size() != actual.size() || (shape && !(*shape == array.shape()))) {
                result.error = text("an array of shape ", to_string(array.shape()), ", expected ",
                                    shape ? to_string(*shape) : text(reference_count, " elements"));
            } else {
                compare(result, array.dtype(), expected, actual, limits);
            }
            if (!dtype) dtype = array.dtype(), shape = array.shape();
        } catch (const std::exception& error) {
            result.error = error.what();
        }
        results.push_back(std::move(result));
    }
    return Comparison(std::move(results), reference != nullptr, limits.min_devices);
}

}  // namespace gemel::testing
