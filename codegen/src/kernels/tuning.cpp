#include <gemel/codegen/tuning.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <sstream>

namespace gemel::codegen {
namespace {

struct Field {
    const char* name;
    std::uint32_t Tuning::*value;
    std::uint32_t most;
};
constexpr std::array fields{Field{"block", &Tuning::block, 1 << 20},
                            Field{"access_bytes", &Tuning::access_bytes, 64},
                            Field{"unroll", &Tuning::unroll, 256},
                            Field{"tile_block", &Tuning::tile_block, 1 << 20},
                            Field{"tile_width", &Tuning::tile_width, 1 << 16},
                            Field{"tile_rows", &Tuning::tile_rows, 1 << 16},
                            Field{"blocks_per_unit", &Tuning::blocks_per_unit, 1 << 16},
                            Field{"items_per_thread", &Tuning::items_per_thread, 4096}};
constexpr std::array<const char*, 4> scans{"automatic", "look_back", "three_passes", "chunks"};

bool is_cpu(const DeviceInfo& device) { return device.type == DeviceInfo::Type::cpu; }

/// The wished number of threads, as far as the device allows.
std::uint32_t block_of(const DeviceInfo& device, std::uint32_t wished) {
    std::uint64_t most = std::min<std::uint64_t>(device.max_threads_per_block, device.max_block[0]);
    std::uint32_t block = wished;
    while (block > 1 && block > most) block /= 2;
    return block;
}

}  // namespace

std::string to_string(const Tuning& tuning) {
    std::string out;
    const auto add = [&](const std::string& part) { out += (out.empty() ? "" : " ") + part; };
    for (const Field& field : fields)
        if (tuning.*field.value) add(text(field.name, "=", tuning.*field.value));
    if (tuning.scan != Tuning::Scan::automatic) add(text("scan=", scans[static_cast<std::size_t>(tuning.scan)]));
    return out;
}

Tuning parse_tuning(std::string_view source) {
    Tuning tuning;
    std::istringstream words{std::string(source)};
    for (std::string word; words >> word;) {
        const auto refuse = [&] {
            throw ArgumentError(text("tuning: '", word, "' is not understood in \"", source, "\""));
        };
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) refuse();
        const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
        if (name == "scan") {
            const auto found = std::find(scans.begin(), scans.end(), value);
            if (found == scans.end()) refuse();
            tuning.scan = static_cast<Tuning::Scan>(found - scans.begin());
            continue;
        }
        const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return name == f.name; });
        if (field == fields.end()) refuse();
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), tuning.*field->value);
        if (error != std::errc() || end != value.data() + value.size()) refuse();
    }
    return tuning;
}

void check_tuning(std::string_view who, const Tuning& tuning) {
    for (const Field& field : fields)
        if (tuning.*field.value > field.most)
            throw ArgumentError(text(who, ": the tuning \"", to_string(tuning), "\" has ", field.name, "=",
                                     tuning.*field.value, "; at most ", field.most, " are possible"));
    if (tuning.access_bytes && !std::has_single_bit(tuning.access_bytes))
        throw ArgumentError(text(who, ": the tuning \"", to_string(tuning), "\" has access_bytes=", tuning.access_bytes,
                                 "; memory is accessed by 1, 2, 4, 8, 16, 32 or 64 bytes"));
}

Tuning merge(const Tuning& first, const Tuning& second) {
    Tuning merged = first;
    for (const Field& field : fields)
        if (!(merged.*field.value)) merged.*field.value = second.*field.value;
    if (merged.scan == Tuning::Scan::automatic) merged.scan = second.scan;
    return merged;
}

Tuning elementwise_tuning(const DeviceInfo& device, const Workload& work) {
    // One thread per element lets the compiler of a CPU vectorise over threads; wide accesses would hide that from it.
    if (is_cpu(device))
        return {.block = block_of(device, 256),
                .access_bytes = 0,
                .unroll = 1,
                .tile_block = 1,
                .tile_width = 1024,
                .tile_rows = 4};
    // Measured on an H200 over blocks of 128 to 1024 threads and 1 to 8 accesses per thread: large blocks of one access
    // each win by up to 1 % where memory is the limit, single bytes want small ones; short arrays want many blocks.
    const std::uint64_t packs = work.count * std::max(work.item_bytes, 1u) / 16;
    const std::uint64_t resident =
        std::uint64_t{device.compute_units} * device.max_threads_per_compute_unit.value_or(2048);
    const std::uint32_t block = packs < 2 * resident ? 256 : work.item_bytes == 1 ? 128 : work.arrays > 4 ? 512 : 1024;
    // A square tile reads a transposed array through the caches without waste.
    return {.block = block_of(device, block),
            .access_bytes = 16,
            .unroll = 1,
            .tile_block = block_of(device, 256),
            .tile_width = 32,
            .tile_rows = 32};
}

Tuning reduction_tuning(const DeviceInfo& device, const Workload& work) {
    if (is_cpu(device)) return {.block = 1, .unroll = 1, .blocks_per_unit = 4, .items_per_thread = 16};
    // On an H200 the best or within 1 % of it from 2^16 to 2^28 elements.
    return {
        .block = block_of(device, 256), .access_bytes = 16, .unroll = work.arrays <= 2 ? 4u : 2u, .blocks_per_unit = 4};
}

Tuning scan_tuning(const DeviceInfo& device, const Workload& work) {
    if (is_cpu(device)) return {.block = 1, .blocks_per_unit = 8, .scan = Tuning::Scan::chunks};
    // Long tiles look back less often, and short arrays want many. On an H200 512 threads with 256 bytes each are best
    // from 2^24 elements, 256 threads with 128 bytes below.
    const bool large = work.count >= std::size_t{1} << 22;
    const std::uint32_t items =
        std::clamp((large ? 256u : 128u) / std::max(work.item_bytes, 1u), 4u, large ? 64u : 32u);
    return {.block = block_of(device, large ? 512 : 256),
            .access_bytes = 16,
            .items_per_thread = items,
            .scan = device.has_cross_block_visibility ? Tuning::Scan::look_back : Tuning::Scan::three_passes};
}

}  // namespace gemel::codegen
