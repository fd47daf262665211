#include <gemel/codegen/tuning_space.hpp>

namespace gemel::tune {
namespace {

template <class T>
void add(codegen::Values& facts, const char* name, const std::optional<T>& fact) {
    if (fact) facts[name] = *fact;
}
codegen::Value list(const std::array<std::uint64_t, 3>& extents) {
    return codegen::Value::List{extents[0], extents[1], extents[2]};
}

}  // namespace

codegen::Values device_facts(const DeviceInfo& d) {
    codegen::Values facts{
        {"name", d.name},
        {"vendor", d.vendor},
        {"platform", d.platform},
        {"architecture", d.architecture},
        {"type", gemel::to_string(d.type)},
        {"compute_units", d.compute_units},
        {"global_memory_bytes", d.global_memory_bytes},
        {"max_allocation_bytes", d.max_allocation_bytes},
        {"constant_memory_bytes", d.constant_memory_bytes},
        {"shared_memory_per_block_bytes", d.shared_memory_per_block_bytes},
        {"shared_memory_is_dedicated", d.shared_memory_is_dedicated},
        {"max_threads_per_block", d.max_threads_per_block},
        {"max_block", list(d.max_block)},
        {"max_grid", list(d.max_grid)},
        {"max_parameter_bytes", d.max_parameter_bytes},
        {"has_double", d.has_double},
        {"has_half_arithmetic", d.has_half_arithmetic},
        {"has_int64_atomics", d.has_int64_atomics},
        {"has_float_atomics", d.has_float_atomics},
        {"has_double_atomics", d.has_double_atomics},
        {"has_sub_groups", d.has_sub_groups},
        {"has_unified_memory", d.has_unified_memory},
        {"has_managed_memory", d.has_managed_memory},
        {"has_images", d.has_images},
        {"has_warp_groups", d.has_warp_groups},
        {"has_tensor_maps", d.has_tensor_maps},
        {"has_kernel_overlap", d.has_kernel_overlap},
        {"has_cross_block_visibility", d.has_cross_block_visibility},
    };
    add(facts, "clock_mhz", d.clock_mhz);
    add(facts, "memory_clock_mhz", d.memory_clock_mhz);
    add(facts, "memory_bus_bits", d.memory_bus_bits);
    add(facts, "l2_cache_bytes", d.l2_cache_bytes);
    add(facts, "shared_memory_opt_in_bytes", d.shared_memory_opt_in_bytes);
    add(facts, "shared_memory_static_bytes", d.shared_memory_static_bytes);
    add(facts, "warp_size", d.warp_size);
    add(facts, "preferred_vector_floats", d.preferred_vector_floats);
    add(facts, "max_threads_per_compute_unit", d.max_threads_per_compute_unit);
    return {{"device", std::move(facts)}};
}

}  // namespace gemel::tune
