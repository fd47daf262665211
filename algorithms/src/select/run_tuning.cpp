/// Tiles of the scans over runs, as measured for their sizes of elements.
#include "select/selecting.hpp"

namespace gemel::selecting {

bool is_long_on_gpu(const AnyArray& x) {
    const Device device = x.context().device();
    const DeviceInfo& info = device.info();
    return info.type == DeviceInfo::Type::gpu && info.has_cross_block_visibility && info.max_threads_per_block >= 640 &&
           x.size() >= std::size_t{1} << 22;
}

codegen::ScanTuning run_tuning(const codegen::ScanTuning& given, const AnyArray& keys, std::uint32_t value_bytes) {
    if (!is_long_on_gpu(keys) || !(given == codegen::ScanTuning{})) return given;
    const Device device = keys.context().device();
    // Measured on an H200 with runs of 100 and of 2, us: these tiles, and those of other scans (512 threads with 28
    // elements, or 16 where a value and its counts take 16 bytes) or of an earlier table. OpenCL's compiler does not
    // say that it spills registers: 640 threads with 20 elements of 8 and 8 bytes took 2635.
    struct Row {
        std::uint32_t key_bytes, value_bytes;
        codegen::ScanTuning cuda, opencl;
    };
    static constexpr std::array rows{
        // 2^28: CUDA 909 and 1295; OpenCL 989 and 1352, by 512 threads with 28 elements 1048 and 1401.
        Row{4, 4, {.block = 512, .items_per_thread = 28}, {.block = 640, .items_per_thread = 24}},
        // 2^27: 827 and 946, by 640 with 20 952 and 1167; 879 and 973, by 512 with 16 906 and 1010.
        Row{4, 8, {.block = 512, .items_per_thread = 20}, {.block = 640, .items_per_thread = 12}},
        // 774 and 955, 777 and 947; with 12 elements 831 and 983, 851 and 981.
        Row{8, 4, {.block = 640, .items_per_thread = 16}, {.block = 640, .items_per_thread = 16}},
        // 1091 and 1239; 997 and 1208.
        Row{8, 8, {.block = 512, .items_per_thread = 12}, {.block = 640, .items_per_thread = 12}}};
    for (const Row& row : rows)
        if (row.key_bytes == keys.dtype().size_bytes() && row.value_bytes == value_bytes)
            return device.info().shared_memory_opt_in_bytes ? row.cuda : row.opencl;
    return given;
}

}  // namespace gemel::selecting
