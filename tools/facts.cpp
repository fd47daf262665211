/// The properties of a device.
#include "facts.hpp"

#include <gemel/core/text.hpp>

#include <array>
#include <optional>
#include <type_traits>

namespace gemel::tools {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json json_of(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Fact words(const char* key, const char* label, const std::string& value) { return {key, value, label, value}; }

template <class T>
Fact number(const char* key, const char* label, const std::optional<T>& value, const char* unit = "") {
    return {key, json_of(value), label, value ? text(*value, unit) : std::string()};
}

Fact bytes(const char* key, const char* label, const std::optional<std::size_t>& value) {
    return {key, json_of(value), label, value ? readable_bytes(*value) : std::string()};
}

Fact axes(const char* key, const char* label, const std::array<std::uint64_t, 3>& value) {
    return {key, value, label, text(value[0], " x ", value[1], " x ", value[2])};
}

Fact yes_or_no(const char* key, const char* label, bool value) { return {key, value, label, value ? "yes" : "no"}; }

}  // namespace

std::vector<Fact> facts(const DeviceInfo& info) {
    return {
        words("vendor", "vendor", info.vendor),
        words("platform", "platform", info.platform),
        words("type", "type", to_string(info.type)),
        words("architecture", "architecture", info.architecture),
        words("driver_version", "driver", info.driver_version),
        words("api_version", "interface", info.api_version),
        words("language_version", "compiler", info.language_version),
        number("compute_units", "compute units", std::optional(info.compute_units)),
        number("clock_mhz", "clock", info.clock_mhz, " MHz"),
        number("memory_clock_mhz", "memory clock", info.memory_clock_mhz, " MHz"),
        number("memory_bus_bits", "memory bus", info.memory_bus_bits, " bits"),
        bytes("global_memory_bytes", "memory", info.global_memory_bytes),
        bytes("max_allocation_bytes", "largest buffer", info.max_allocation_bytes),
        bytes("l2_cache_bytes", "level 2 cache", info.l2_cache_bytes),
        bytes("constant_memory_bytes", "constant memory", info.constant_memory_bytes),
        bytes("shared_memory_per_block_bytes", "shared memory per block", info.shared_memory_per_block_bytes),
        bytes("shared_memory_opt_in_bytes", "shared memory on request", info.shared_memory_opt_in_bytes),
        bytes("shared_memory_static_bytes", "shared memory a kernel declares", info.shared_memory_static_bytes),
        yes_or_no("shared_memory_is_dedicated", "dedicated shared memory", info.shared_memory_is_dedicated),
        number("max_threads_per_block", "threads per block", std::optional(info.max_threads_per_block)),
        axes("max_block", "largest block", info.max_block),
        axes("max_grid", "largest grid", info.max_grid),
        number("warp_size", "warp size", info.warp_size),
        number("preferred_vector_floats", "preferred vector", info.preferred_vector_floats, " floats"),
        number("max_threads_per_compute_unit", "threads per compute unit", info.max_threads_per_compute_unit),
        bytes("base_alignment_bytes", "base alignment", info.base_alignment_bytes),
        bytes("max_parameter_bytes", "kernel parameters", info.max_parameter_bytes),
        {"pci_bus_id", json_of(info.pci_bus_id), "PCI bus", info.pci_bus_id.value_or("")},
        words("identity", "identity", info.identity),
    };
}

std::vector<Fact> capabilities(const DeviceInfo& info) {
    return {
        yes_or_no("has_double", "double", info.has_double),
        yes_or_no("has_half_arithmetic", "half arithmetic", info.has_half_arithmetic),
        yes_or_no("has_int64_atomics", "64-bit atomics", info.has_int64_atomics),
        yes_or_no("has_float_atomics", "float atomics", info.has_float_atomics),
        yes_or_no("has_double_atomics", "double atomics", info.has_double_atomics),
        yes_or_no("has_sub_groups", "sub-groups", info.has_sub_groups),
        yes_or_no("has_unified_memory", "unified memory", info.has_unified_memory),
        yes_or_no("has_managed_memory", "managed memory", info.has_managed_memory),
        yes_or_no("has_images", "images", info.has_images),
        yes_or_no("has_warp_groups", "products by warp groups", info.has_warp_groups),
        yes_or_no("has_tensor_maps", "copies by tensor maps", info.has_tensor_maps),
        yes_or_no("has_kernel_overlap", "overlapping kernels", info.has_kernel_overlap),
        yes_or_no("has_cross_block_visibility", "visibility between blocks", info.has_cross_block_visibility),
        yes_or_no("is_little_endian", "little-endian", info.is_little_endian),
        yes_or_no("has_error_correction", "error correction", info.has_error_correction),
    };
}

}  // namespace gemel::tools
