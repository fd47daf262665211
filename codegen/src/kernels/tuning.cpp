#include <gemel/codegen/tuning.hpp>

#include <gemel/codegen/sort.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <sstream>

namespace gemel::codegen {
namespace {

/// The maximum of a field; fields without a limit may have any value.
struct Limit {
    std::string_view name;
    std::uint32_t max;
};
constexpr std::array limits{
    Limit{"block", 1 << 20},         Limit{"access_bytes", 64},      Limit{"unroll", 256},
    Limit{"tile_block", 1 << 20},    Limit{"tile_width", 1 << 16},   Limit{"tile_rows", 1 << 16},
    Limit{"turned_width", 4096},     Limit{"turned_rows", 4096},     Limit{"blocks_per_unit", 1 << 16},
    Limit{"items_per_thread", 4096}, Limit{"running_results", 4096}, Limit{"digit_bits", 12},
    Limit{"resident_blocks", 64},    Limit{"max_registers", 255},    Limit{"rounds", 64}};

/// OpenCL C has no word for resident blocks. NVIDIA's compiler gives a block of 512 threads 32 registers each, so that
/// four fit a multiprocessor, where two with 64 are faster.
bool lacks_launch_bounds(const DeviceInfo& device) {
    return device.has_cross_block_visibility && !device.shared_memory_opt_in_bytes;
}

bool is_cpu(const DeviceInfo& device) { return device.type == DeviceInfo::Type::cpu; }

/// The requested number of threads, limited by the device.
std::uint32_t block_of(const DeviceInfo& device, std::uint32_t wished) {
    std::uint64_t most = std::min<std::uint64_t>(device.max_threads_per_block, device.max_block[0]);
    std::uint32_t block = wished;
    while (block > 1 && block > most) block /= 2;
    return block;
}

}  // namespace

std::string format_tuning(std::span<const TuningField> fields) {
    std::string out;
    for (const TuningField& field : fields) {
        if (field.value == 0) continue;
        const bool has_name = field.value < field.value_names.size();
        out += text(out.empty() ? "" : " ", field.name, "=",
                    has_name ? std::string(field.value_names[field.value]) : text(field.value));
    }
    return out;
}

void read_tuning(std::string_view source, std::span<TuningField> into) {
    std::istringstream words{std::string(source)};
    for (std::string word; words >> word;) {
        const auto refuse = [&] {
            throw ArgumentError(
                text("parse_tuning: expected name=value with a known name, got '", word, "' in \"", source, "\""));
        };
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) refuse();
        const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
        const auto field = std::find_if(into.begin(), into.end(), [&](const TuningField& f) { return name == f.name; });
        if (field == into.end()) refuse();
        if (!field->value_names.empty()) {
            const auto& names = field->value_names;
            const auto found = std::find(names.begin(), names.end(), std::string_view(value));
            if (found == names.end()) refuse();
            field->value = static_cast<std::uint32_t>(found - names.begin());
            continue;
        }
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), field->value);
        if (error != std::errc() || end != value.data() + value.size()) refuse();
    }
}

void check_tuning(std::string_view who, std::span<const TuningField> fields) {
    for (const TuningField& field : fields) {
        for (const Limit& limit : limits)
            if (limit.name == field.name && field.value > limit.max)
                throw ArgumentError(text(who, ": the tuning \"", format_tuning(fields), "\" has ", field.name, "=",
                                         field.value, "; at most ", limit.max, " are possible"));
        if (std::string_view(field.name) == "access_bytes" && field.value && !std::has_single_bit(field.value))
            throw ArgumentError(text(who, ": the tuning \"", format_tuning(fields), "\" has access_bytes=", field.value,
                                     "; memory is accessed by 1, 2, 4, 8, 16, 32 or 64 bytes"));
    }
}

std::uint32_t register_limit(const DeviceInfo& device, std::uint32_t block, std::uint32_t resident) {
    if (!lacks_launch_bounds(device) || block == 0 || resident == 0) return 0;
    constexpr std::uint32_t of_unit = 1 << 16, of_thread = 255, step = 8;
    return std::min(of_unit / (block * resident) / step * step, of_thread);
}

ElementwiseTuning elementwise_tuning(const DeviceInfo& device, const Workload& work) {
    // With one thread per element, a CPU's compiler vectorises over threads; wide accesses would prevent that.
    if (is_cpu(device))
        return {.block = block_of(device, 256),
                .access_bytes = 0,
                .unroll = 1,
                .tile_block = 1,
                .tile_width = 1024,
                .tile_rows = 4};
    // Measured on an H200 with blocks of 128 to 1024 threads and 1 to 8 accesses per thread: large blocks with one
    // access per thread are up to 1 % faster if memory is the limit; single bytes need small blocks; short arrays need
    // many blocks.
    const std::uint64_t packs = work.count * std::max(work.item_bytes, 1u) / 16;
    const std::uint64_t resident =
        std::uint64_t{device.compute_units} * device.max_threads_per_compute_unit.value_or(2048);
    const std::uint32_t block = packs < 2 * resident ? 256 : work.item_bytes == 1 ? 128 : work.arrays > 4 ? 512 : 1024;
    // A square tile reads an array of another order that is not transposed through the caches, without waste.
    return {.block = block_of(device, block),
            .access_bytes = 16,
            .unroll = 1,
            .tile_block = block_of(device, 256),
            .tile_width = 32,
            .tile_rows = 32};
}

ReductionTuning reduction_tuning(const DeviceInfo& device, const Workload& work) {
    // Each vector of running results waits for its own last sum only. Maxima of 4 * 10^6 floats on two cores take 1030
    // us with 16 of them and 230 to 400 with 64.
    const std::uint32_t running_results = std::clamp(256 / std::max(work.item_bytes, 1u), 16u, 64u);
    if (is_cpu(device)) return {.block = 1, .unroll = 1, .blocks_per_unit = 4, .running_results = running_results};
    // On an H200 the fastest, or within 1 % of it, from 2^16 to 2^28 elements. Behind another kernel that still runs,
    // arrays of 4 MiB and more are faster with twice the accesses: fewer blocks fit a unit, so they are spread evenly.
    // On an H100, us for sums in a row, 4 and 8 accesses: 2^21 floats 7.3 and 6.1, 2^24 30.3 and 25.3, 2^28 391 and
    // 347. Of narrower elements, an access has enough; sums of 2^28 int8 take 108 and 133.
    const std::uint64_t bytes = std::uint64_t{work.count} * work.outputs * std::max(work.item_bytes, 1u);
    const bool is_long = device.has_kernel_overlap && bytes >= (1u << 22) && work.item_bytes >= 4;
    const std::uint32_t of_few_arrays = is_long ? 8 : 4;
    return {.block = block_of(device, 256),
            .access_bytes = 16,
            .unroll = work.arrays > 2 ? 2 : of_few_arrays,
            .blocks_per_unit = 4};
}

ScanTuning scan_tuning(const DeviceInfo& device, const Workload& work) {
    if (is_cpu(device)) return {.block = 1, .blocks_per_unit = 8, .strategy = ScanStrategy::chunks};
    // Long tiles look back less often; short arrays need many tiles. On an H200, 512 threads with 256 bytes each are
    // fastest from 2^24 elements, 256 threads with 128 bytes below.
    const bool large = work.count >= std::size_t{1} << 22;
    const std::uint32_t items =
        std::clamp((large ? 256u : 128u) / std::max(work.item_bytes, 1u), 4u, large ? 64u : 32u);
    return {.block = block_of(device, large ? 512 : 256),
            .access_bytes = 16,
            .items_per_thread = items,
            .strategy = device.has_cross_block_visibility ? ScanStrategy::look_back : ScanStrategy::three_passes};
}

ScanTuning count_tuning(const DeviceInfo& device, const Workload& work) {
    ScanTuning tuning = scan_tuning(device, work);
    if (is_cpu(device) || work.count < std::size_t{1} << 22) return tuning;
    // A thread has a bit for each of 32 elements. Selecting half of 2^28 floats on an H100 takes 661 us by CUDA with
    // 256 threads, 676 with 192; through OpenCL without a limit of registers 760 and 692.
    tuning.block = block_of(device, lacks_launch_bounds(device) ? 192 : 256);
    tuning.items_per_thread = 32;
    return tuning;
}

namespace {

/// Measured on an H100, in us, one_launch and one_sweep: 2^21 keys of 4 bytes 87 and 77 by CUDA, 91 and 81 by OpenCL,
/// so that they end at 2^20; keys of 1 byte 22 and 26, 23 and 40; 2^24 of 1 byte 86 and 89, 97 and 107, of 2 bytes 187
/// and 193.
std::size_t longest_in_one_launch(const Workload& work) {
    return work.item_bytes <= 2 && work.arrays == 1 ? max_one_launch_elements : std::size_t{1} << 20;
}

/// Whether a row is sorted by one block. Measured on an H100, one row of 2^13 keys by block and by one_launch: of 4
/// bytes 20 and 18 us, of 2 bytes 11.0 and 11.5.
bool fits_block_sort(const Workload& work) {
    const bool is_better_shared = work.outputs == 1 && work.count > 4096 && work.item_bytes >= 4;
    return work.count * std::max(work.item_bytes, 4u) <= 32768 && !is_better_shared;
}

/// The shortest tile that holds a row; several short rows share one. A block that has a multiprocessor alone is faster
/// with more threads: on an H100, 2^12 keys of 4 bytes take 13.6 us with 256 threads, 12.1 with 512, 14.7 with 1024.
SortTuning block_sort_tuning(const DeviceInfo& device, const Workload& work) {
    const bool has_unit_alone = work.outputs <= device.compute_units;
    const std::uint32_t block = work.count > (has_unit_alone ? 1024 : 4096) ? 512 : 256;
    const std::uint32_t tile = work.count > 4096 ? 8192 : work.count > 2048 ? 4096 : work.count > 1024 ? 2048 : 1024;
    return {.block = block, .items_per_thread = tile / block, .digit_bits = 8, .strategy = SortStrategy::block};
}

/// 4 bytes with 8, or 8 with 4.
bool is_of_two_widths(const Workload& work) {
    return work.arrays == 2 && work.item_bytes == 8 && work.moved_bytes == 12;
}

/// Long arrays: large tiles write longer runs of each digit. Measured on an H100, 2^28 elements, ms, large tiles and
/// those of 36 KB: keys of 1 byte 1.07 and 1.14, of 2 bytes 2.25 and 2.77, of 4 bytes 4.69 and 5.05, of 8 bytes 15.5
/// and 18.0. Of 2^24 keys of 4 bytes large tiles are too few, of 2^25 they make no difference.
/// With arrays that move along, one block works while the other waits, and the first values are loaded early. Measured
/// on an H200, 2^28 elements, ms, 4 bytes with 4 bytes: 36, 40, 44 and 48 elements per thread 6.82, 6.67, 6.51 and 6.35
/// by CUDA; 6.63, 8.92, 8.38 and 8.54 through OpenCL, whose compiler takes more than 128 registers from about 41 on, so
/// that a multiprocessor has one block. One block of 512 threads with 32 takes 7.47 and 8.02. 2 bytes with 2 bytes: 36
/// and 52 3.04 and 2.79 by CUDA, 3.12 and 2.87 through OpenCL. 2^27 of 8 bytes with 8 bytes: 36 11.2 by CUDA; 18, 20,
/// 22 and 36 12.3, 11.8, 15.1 and 12.6 through OpenCL. 64 rows of 2^20, whose numbers move as a third array: 36, 40 and
/// 48 3.40, 3.24 and 3.79 by CUDA.
/// A limit of 128 registers through OpenCL, on an H100: 4 bytes with 8, 20 elements without it 12.7, 36 with it 11.6
/// (by CUDA 11.7); 8 bytes with 4 25.2 and 23.5 (23.4). 8 with 8 take 15.7 and 16.6, 4 with 4 8.84 and 8.93.
std::uint32_t large_items(const DeviceInfo& device, const Workload& work) {
    const bool has_opt_in = device.shared_memory_opt_in_bytes.value_or(0) >= (std::size_t{96} << 10);
    if (work.arrays == 1 || (work.arrays == 2 && work.item_bytes <= 2))
        return work.item_bytes <= 2 ? 52 : work.item_bytes <= 4 ? 64 : 36;
    if (work.item_bytes > 4) return has_opt_in || is_of_two_widths(work) ? 36 : 20;
    return !has_opt_in ? 36 : work.arrays > 2 ? 40 : 48;
}

SortTuning large_sort_tuning(const DeviceInfo& device, const Workload& work) {
    if (work.item_bytes > 8) return {};
    SortTuning tuning{.block = 256, .items_per_thread = large_items(device, work), .resident_blocks = 2};
    if (is_of_two_widths(work)) tuning.max_registers = register_limit(device, tuning.block, tuning.resident_blocks);
    constexpr std::size_t rounds = 12;  // blocks that a multiprocessor processes, at least
    const std::size_t tile = std::size_t{tuning.block} * tuning.items_per_thread;
    const bool is_long = work.count >= rounds * std::max(device.compute_units, 1u) * tile;
    return is_long && device.max_threads_per_block >= tuning.block ? tuning : SortTuning{};
}

/// Tiles of all passes are on the device at once. Measured on an H100, keys of 1 to 8 bytes; 2^20 keys of 4 bytes by
/// CUDA and OpenCL: 256 threads with 16 elements 56.5 and 65.1 us, 8 64.5 and 71.5, 36 67.7 and 78.3; 512 threads with
/// 8 53.6 and 63.7. With a limit of 64 registers OpenCL takes 56.0. It takes 66 us for 2^20 pairs with 384 threads and
/// 11 elements, 67 with 512 and 8, 71 with 256 and 16, which CUDA does in 62 (64 and 70 with the others); for keys of 8
/// bytes 118 with three blocks of 256 threads and 123 with four.
SortTuning one_launch_tuning(SortTuning tuning, const DeviceInfo& device, const Workload& work) {
    const std::uint32_t items = work.count < (1u << 16)    ? 4
                                : work.count < (1u << 19)  ? 8
                                : work.count <= (1u << 20) ? 16
                                                           : 24;
    tuning.items_per_thread = std::min(tuning.items_per_thread, items);
    if (items == 16 && work.item_bytes == 4 && work.arrays == 1) {
        tuning.block = 512;
        tuning.items_per_thread = 8;
        tuning.resident_blocks = 2;
    }
    if (!lacks_launch_bounds(device)) return tuning;
    if (items == 16 && work.item_bytes == 4 && work.arrays == 2) {
        tuning.block = 384;
        tuning.items_per_thread = 11;
    }
    if (work.item_bytes == 8 && work.arrays == 1) tuning.resident_blocks = 3;
    tuning.max_registers = register_limit(device, tuning.block, tuning.resident_blocks);
    return tuning;
}

}  // namespace

SortTuning sort_tuning(const DeviceInfo& device, const Workload& work, SortStrategy strategy) {
    const std::uint32_t bytes = std::max(work.item_bytes, 4u);
    const bool has_warps = device.has_cross_block_visibility && device.max_threads_per_block >= 512;
    if (strategy == SortStrategy::automatic) {
        if (is_cpu(device))
            strategy = work.count <= 4096 ? SortStrategy::serial_rows : SortStrategy::chunks;
        else if (!has_warps)
            strategy = SortStrategy::three_passes;
        else
            strategy = fits_block_sort(work)                       ? SortStrategy::block
                       : work.count <= longest_in_one_launch(work) ? SortStrategy::one_launch
                                                                   : SortStrategy::one_sweep;
    }
    switch (strategy) {
        case SortStrategy::chunks:
        case SortStrategy::serial_rows:
            return {.block = 1, .items_per_thread = 1, .blocks_per_unit = 1, .digit_bits = 8, .strategy = strategy};
        case SortStrategy::three_passes:
            return {.block = block_of(device, 256), .items_per_thread = 8, .digit_bits = 4, .strategy = strategy};
        case SortStrategy::thread_rows: return {.block = block_of(device, 128), .digit_bits = 8, .strategy = strategy};
        case SortStrategy::block: return block_sort_tuning(device, work);
        default: break;
    }
    // A tile of 36 KB leaves room for the counters. Measured on an H200 by CUDA, 2^28 elements of 4 bytes: 256 threads
    // with 36 each, four blocks at once, 4.26 ms; with 32, four or five 4.43 and 4.60; 384 with 22, four 4.58,
    // two 5.28; 512 with 15, three 5.12. With two blocks at once values are loaded early: 2^24 keys of 4 bytes with as
    // many values take 0.49 ms instead of 0.54 with three.
    SortTuning tuning{.block = 256,
                      .blocks_per_unit = 4,
                      .digit_bits = 8,
                      .resident_blocks = bytes > 8         ? 0u
                                         : work.arrays > 1 ? 2u
                                                           : 4u,
                      .strategy = strategy};
    tuning.items_per_thread = std::clamp(36864 / (tuning.block * bytes), 1u, 36u);
    if (strategy == SortStrategy::one_launch) return one_launch_tuning(tuning, device, work);
    if (const SortTuning large = large_sort_tuning(device, work); large.block) {
        tuning.block = large.block;
        tuning.items_per_thread = large.items_per_thread;
        tuning.resident_blocks = large.resident_blocks;
        tuning.max_registers = large.max_registers;
        return tuning;
    }
    // Short arrays need many tiles.
    const std::size_t wanted = work.count / (std::size_t{tuning.block} * std::max(device.compute_units, 1u));
    for (const std::uint32_t fewer : {16u, 8u, 4u})
        if (wanted < fewer && fewer < tuning.items_per_thread) tuning.items_per_thread = fewer;
    return tuning;
}

}  // namespace gemel::codegen
