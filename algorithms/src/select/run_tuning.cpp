/// Tiles of the scans over runs, as measured for their sizes of elements.
#include "select/selecting.hpp"

namespace gemel::selecting {

codegen::ScanTuning run_tuning(const codegen::ScanTuning& given, const AnyArray& keys, std::uint32_t value_bytes) {
    const Device device = keys.context().device();
    const DeviceInfo& info = device.info();
    const bool is_long_gpu_array = info.type == DeviceInfo::Type::gpu && info.has_cross_block_visibility &&
                                   info.max_threads_per_block >= 640 && keys.size() >= std::size_t{1} << 22;
    if (!is_long_gpu_array || !(given == codegen::ScanTuning{})) return given;
    // Measured on an H100 with 2^27 elements in runs of 100, us: these tiles, and those of other scans, which have 512
    // threads with 32 elements, or 16 where a value and its counts take 16 bytes.
    struct Row {
        std::uint32_t key_bytes, value_bytes;
        codegen::ScanTuning cuda, opencl;
    };
    static constexpr std::array rows{
        // Lengths: CUDA 379 and 444, OpenCL 441 and 521; of 2^28 elements through OpenCL, 20 elements 873 and 24 826.
        Row{4, 0, {.block = 384, .items_per_thread = 24}, {.block = 384, .items_per_thread = 24}},
        // 676 and 731, 699 and 872.
        Row{8, 0, {.block = 640, .items_per_thread = 20}, {.block = 640, .items_per_thread = 20}},
        // Sums: 527 and 636, 566 and 711.
        Row{4, 4, {.block = 512, .items_per_thread = 28}, {.block = 512, .items_per_thread = 28}},
        // 958 and 1209; 924, which 640 threads do not improve.
        Row{4, 8, {.block = 640, .items_per_thread = 20}, {}},
        // 889 and 978, 891 and 1005.
        Row{8, 4, {.block = 640, .items_per_thread = 12}, {.block = 640, .items_per_thread = 12}},
        // 1134 and 1292, 1021 and 1225.
        Row{8, 8, {.block = 512, .items_per_thread = 12}, {.block = 640, .items_per_thread = 20}}};
    for (const Row& row : rows)
        if (row.key_bytes == keys.dtype().size_bytes() && row.value_bytes == value_bytes)
            return info.shared_memory_opt_in_bytes ? row.cuda : row.opencl;
    return given;
}

}  // namespace gemel::selecting
