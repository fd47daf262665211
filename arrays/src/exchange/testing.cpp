#include <gemel/testing.hpp>

#include <gemel/arrays/npy.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/registry.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <type_traits>

namespace gemel::testing {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A number's bits as an integer that increases with the number, so that neighbouring numbers differ by 1.
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
    return {ulps, absolute, expected != 0 && std::isfinite(expected) ? absolute / std::abs(expected) : infinity};
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
    // The difference of two doubles of opposite sign may need 64 bits.
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

/// How numbers of a type are compared and printed.
struct Type {
    Apart (*apart)(const std::byte*, const std::byte*);
    std::string (*show)(const std::byte*);
    std::size_t bytes;
};

template <class T>
constexpr Type integer_type{apart_integer<T>, shown<T>, sizeof(T)};

Type type_of(DType dtype) {
    using Kind = DType::Kind;
    const std::size_t bytes = dtype.lane().size_bytes() / (dtype.kind() == Kind::complex ? 2 : 1);
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
        default: return integer_type<std::uint8_t>;
    }
}

/// A number within an element, and its name in messages.
struct Part {
    Type type;
    std::size_t offset_bytes;
    std::string field;
};

/// The numbers of an element: parts of complex numbers, lanes, fields. No padding.
void add_parts(std::vector<Part>& parts, DType dtype, std::size_t offset_bytes, const std::string& field) {
    if (dtype.layout()) {
        for (const StructField& inner : dtype.layout()->fields)
            for (std::size_t k = 0; k < inner.count; ++k)
                add_parts(
                    parts, inner.dtype, offset_bytes + inner.offset_bytes + k * inner.dtype.size_bytes(),
                    text(field, field.empty() ? "" : ".", inner.name, inner.count > 1 ? text("[", k, "]") : text("")));
        return;
    }
    const Type type = type_of(dtype);
    const bool is_complex = dtype.kind() == DType::Kind::complex;
    const std::size_t count = type.bytes > 0 ? dtype.size_bytes() / type.bytes : 0;
    for (std::size_t k = 0; k < count; ++k) {
        std::string name = field;
        if (!name.empty() && is_complex) name += k % 2 == 0 ? ".real" : ".imag";
        if (!name.empty() && !is_complex && count > 1) name += std::string(".") + "xyzw"[k % 4];
        parts.push_back({type, offset_bytes + k * type.bytes, std::move(name)});
    }
}

void compare(DeviceResult& result, DType dtype, const std::vector<std::byte>& expected,
             const std::vector<std::byte>& actual, const Limits& limits) {
    std::vector<Part> parts;
    add_parts(parts, dtype, 0, "");
    const std::size_t item = dtype.size_bytes();
    for (std::size_t i = 0; i < result.elements; ++i) {
        const Part* beyond = nullptr;  // the worst part that exceeds the limits
        Apart worst;
        for (const Part& part : parts) {
            const std::size_t at = i * item + part.offset_bytes;
            const Apart apart = part.type.apart(&expected[at], &actual[at]);
            result.max_ulps = std::max(result.max_ulps, apart.ulps);
            result.max_absolute = std::max(result.max_absolute, apart.absolute);
            result.max_relative = std::max(result.max_relative, apart.relative);
            if (apart.ulps <= limits.max_ulps || apart.absolute <= limits.absolute || apart.relative <= limits.relative)
                continue;
            if (beyond && apart.ulps <= worst.ulps) continue;
            beyond = &part;
            worst = apart;
        }
        if (!beyond) continue;
        ++result.differing;
        if (result.worst && worst.ulps <= result.worst->ulps) continue;
        // For structs the field that differs, otherwise the whole element.
        const auto show = [&](const std::vector<std::byte>& bytes) {
            if (!beyond->field.empty()) return beyond->type.show(&bytes[i * item + beyond->offset_bytes]);
            std::vector<std::string> shown;
            for (const Part& part : parts) shown.push_back(part.type.show(&bytes[i * item + part.offset_bytes]));
            return shown.size() == 1 ? shown[0] : "(" + join(shown) + ")";
        };
        Difference difference{i, show(expected), show(actual), worst.ulps, worst.absolute, beyond->field};
        if (!result.first) result.first = difference;
        result.worst = std::move(difference);
    }
}

std::string line(const char* which, const Difference& difference) {
    return text("; ", which, " at ", difference.index, difference.field.empty() ? "" : ", ", difference.field, ": ",
                difference.actual, ", expected ", difference.expected, " (", counted(difference.ulps, "ulp"), ")");
}

constexpr const char* reference_name = "reference";

/// The type of an array in files: NumPy has no bfloat16.
DType stored_type(DType dtype) { return dtype == dtype_of<bfloat16>() ? dtype_of<std::uint16_t>() : dtype; }

HostArray to_host(const AnyArray& array) {
    HostArray host{array.dtype(), array.shape(), std::vector<std::byte>(array.size_bytes())};
    if (!host.bytes.empty()) array.get_bytes(host.bytes.data());
    return host;
}

/// The array of a file that is the reference. @throws Error
std::string name_in(const NpzFile& file, const Reference& reference) {
    const std::vector<std::string> names = file.names();
    if (reference.saved_name.empty() && file.contains(reference_name)) return reference_name;
    if (reference.saved_name.empty() && names.size() == 1) return names[0];
    if (!reference.saved_name.empty() && file.contains(reference.saved_name)) return reference.saved_name;
    throw Error(text("'", reference.saved.string(), "' has no array '",
                     reference.saved_name.empty() ? reference_name : reference.saved_name,
                     "' to compare with; it has: ", join(names)));
}

/// Describes a wrong shape or type; empty if both are right.
std::string mismatch(const HostArray& actual, const HostArray& expected, bool has_shape) {
    if (!(actual.dtype == expected.dtype))
        return text("an array of ", actual.dtype.name(), ", expected ", expected.dtype.name());
    if (actual.bytes.size() == expected.bytes.size() && (!has_shape || actual.shape == expected.shape)) return {};
    return text("an array of shape ", to_string(actual.shape), ", expected ",
                has_shape ? to_string(expected.shape)
                          : counted(expected.bytes.size() / expected.dtype.size_bytes(), "element"));
}

}  // namespace

bool Comparison::is_alone() const { return results_.size() == 1 && results_[0].is_baseline; }

Outcome Comparison::outcome() const {
    bool was_compared = false;
    for (const DeviceResult& r : results_) {
        if (!r.error.empty() || r.differing > 0) return Outcome::failed;
        was_compared |= !r.is_baseline && r.elements > 0;
    }
    return was_compared && results_.size() >= min_devices_ ? Outcome::passed : Outcome::skipped;
}

bool Comparison::passed() const {
    const Outcome outcome = this->outcome();
    return outcome == Outcome::passed ||
           (outcome == Outcome::skipped && is_alone() && min_devices_ <= 1 && results_[0].elements > 0);
}

int Comparison::exit_code() const {
    switch (outcome()) {
        case Outcome::passed: return 0;
        case Outcome::skipped: return 77;
        default: return 1;
    }
}

std::string Comparison::report() const {
    std::string out;
    for (const DeviceResult& r : results_) {
        out += text(r.device, " ", r.name, ": ");
        if (!r.error.empty()) {
            out += "failed: " + r.error;
        } else if (r.is_baseline) {
            out += text(counted(r.elements, "element"), " that the others are compared with");
        } else {
            out += text(counted(r.elements, "element"), ", at most ", counted(r.max_ulps, "ulp"), ", ", r.max_absolute,
                        " absolute, ", r.max_relative, " relative");
            if (r.differing > 0) out += text(", ", r.differing, " BEYOND THE LIMITS");
            if (r.first) out += line("the first", *r.first);
            if (r.worst && r.worst->index != r.first->index) out += line("the worst", *r.worst);
        }
        out += text("; ", r.seconds, " s\n");
    }
    if (!source_.empty()) out += text("compared with ", source_, "\n");
    if (outcome() == Outcome::skipped) {
        out += "SKIPPED: ";
        if (!missing_.empty())
            out += missing_ + "\n";
        else if (results_.size() < min_devices_)
            out += text(counted(results_.size(), "device"), " took part, ", min_devices_, " are required\n");
        else if (is_alone() && results_[0].elements > 0)
            out += "one device and no reference: nothing was compared\n";
        else
            out += "no elements: nothing was compared\n";
    }
    if (!out.empty()) out.pop_back();
    return out;
}

void Comparison::save(const std::filesystem::path& path) const {
    if (arrays_.empty()) throw Error(text("'", path.string(), "': no device gave elements that could be saved"));
    const Context context(find_device(results_.front().device));
    std::map<std::string, AnyArray> arrays;
    for (const auto& [name, host] : arrays_) {
        const AnyArray array(context, stored_type(host.dtype), host.shape);
        array.set_bytes(host.bytes.data());
        arrays.emplace(name, array);
    }
    save_npz(path, arrays);
}

Reference reference_of(const AnyArray& array) {
    if (array.empty()) return {};
    HostArray host = to_host(array);
    return {.bytes = std::move(host.bytes), .dtype = host.dtype, .shape = std::move(host.shape)};
}

Comparison compare_results(const std::function<AnyArray(const Context&)>& function, const Limits& limits,
                           Reference reference) {
    std::optional<NpzFile> file;
    std::string name, source;
    if (!reference.saved.empty()) {
        if (reference.bytes)
            throw ArgumentError("compare_backends: got a reference and a saved reference, expected one of them");
        file.emplace(reference.saved);
        name = name_in(*file, reference);
        source = text("'", name, "' in '", reference.saved.string(), "'");
    }
    std::vector<DeviceResult> results;
    std::map<std::string, HostArray> arrays;
    std::optional<HostArray> expected;
    bool has_shape = true;  // a vector of host values has no shape until the first result of its size
    std::vector<Device> devices;
    std::string missing;
    try {
        devices = gemel::devices();
    } catch (const BackendUnavailable& error) {
        missing = error.what();
    }
    for (const Device& device : devices) {
        DeviceResult result{.device = device.id(), .name = device.name()};
        try {
            const Context context(device);
            const ContextScope scope(context);
            const auto start = std::chrono::steady_clock::now();
            const AnyArray array = function(context);
            context.synchronize();
            result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            if (array.empty()) throw Error("it returned no array");
            result.elements = array.size();
            HostArray actual = to_host(array);
            if (file && !expected) {
                expected = to_host(file->load(context, name, stored_type(actual.dtype)));
                expected->dtype = actual.dtype;
            }
            if (reference.bytes && !expected) {
                has_shape = reference.shape.has_value();
                expected = HostArray{reference.dtype.value_or(actual.dtype), reference.shape.value_or(Shape()),
                                     *std::move(reference.bytes)};
            }
            if (!expected) {
                expected = actual;
                result.is_baseline = true;
            } else if (result.error = mismatch(actual, *expected, has_shape); result.error.empty()) {
                compare(result, actual.dtype, expected->bytes, actual.bytes, limits);
                if (!has_shape) expected->shape = actual.shape, has_shape = true;
            }
            if (!actual.bytes.empty()) arrays.emplace(result.device, std::move(actual));
        } catch (const std::exception& error) {
            result.error = error.what();
        } catch (...) {
            result.error = "the function threw what is no std::exception, and so says nothing";
        }
        results.push_back(std::move(result));
    }
    if (!arrays.empty() && expected && has_shape && !expected->bytes.empty())
        arrays.emplace(reference_name, *std::move(expected));
    return Comparison(std::move(results), std::move(arrays), limits.min_devices, std::move(source), std::move(missing));
}

}  // namespace gemel::testing
