#include "sparse/product_tuning.hpp"

#include "generated/kernel_cache.hpp"
#include "tune/tuning_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gemel::sparse {
namespace {

using codegen::SparseForm;
using codegen::SparseStrategy;
using codegen::SparseTuning;

std::int64_t units_of(const DeviceInfo& device) { return std::max<std::int64_t>(device.compute_units, 1); }

SparseStrategy strategy_of(const Entries& own, const ProductKind& kind, const DeviceInfo& device) {
    const double longest = static_cast<double>(own.longest_row);
    const bool is_uneven = kind.serial ? own.longest_row > own.count / (4 * units_of(device)) && own.count > 65536
                                       : own.longest_row > 1024 && longest > 16 * own.mean_row();
    if (is_uneven && !kind.is_packed) return SparseStrategy::merge;
    // Short rows of similar lengths: all entries of a block's rows are read in their order in memory.
    const bool is_stream = !kind.serial && own.longest_row <= 64 && own.mean_row() <= 24;
    return is_stream ? SparseStrategy::stream : SparseStrategy::rows;
}

std::uint32_t items_of(const Entries& own, SparseStrategy strategy) {
    const bool is_wide = own.value().size_bytes() > 8;
    if (strategy != SparseStrategy::stream) return is_wide ? 3 : 7;  // odd: few bank conflicts with this stride
    const double longest = static_cast<double>(own.longest_row);
    const double wanted = longest <= 1.5 * own.mean_row() ? longest : std::ceil(1.25 * own.mean_row());
    return static_cast<std::uint32_t>(std::clamp(wanted, 2.0, is_wide ? 8.0 : 16.0));
}

/// @param asked  the caller's choices, if any
SparseTuning heuristic_of(const Entries& own, const ProductKind& kind, const DeviceInfo& device,
                          const SparseTuning& asked) {
    SparseTuning tuning;
    if (kind.serial) {
        tuning.chunks_per_unit = 16;
    } else {
        tuning.block = std::min(256u, std::bit_floor(std::max(device.max_threads_per_block, 1u)));
    }
    if (kind.form != SparseForm::rows) return tuning;
    tuning.strategy = asked.strategy != SparseStrategy::automatic ? asked.strategy : strategy_of(own, kind, device);
    // A caller who sets the threads per row needs the strategy `rows`.
    if (asked.width && tuning.strategy == SparseStrategy::stream && asked.strategy == SparseStrategy::automatic)
        tuning.strategy = SparseStrategy::rows;
    if (kind.serial) return tuning;
    // Each thread takes about eight entries of a row: with fewer, a warp spends its time on sums of few numbers; with
    // more, accesses of neighbouring threads are far apart. Measured on an H200, rows of 33, of 60 to 140, and of 2048
    // entries.
    tuning.width = std::bit_ceil(static_cast<std::uint32_t>(std::clamp(own.mean_row() * 0.12, 1.0, 32.0)));
    tuning.items = items_of(own, tuning.strategy);
    return tuning;
}

/// Matrices with different heuristic strategies are different kinds of work.
codegen::Workload work_of(const Entries& own, const ProductKind& kind, const SparseTuning& heuristic) {
    const auto bits = static_cast<std::uint32_t>(kind.form) << 5 | (kind.serial ? 16u : 0u) |
                      (kind.is_packed ? 8u : 0u) | (own.index().size_bytes() > 4 ? 4u : 0u) |
                      static_cast<std::uint32_t>(heuristic.strategy);
    return {.count = static_cast<std::size_t>(own.count),
            .item_bytes = own.value().size_bytes(),
            .arrays = bits,
            .outputs = static_cast<std::size_t>(own.rows)};
}

}  // namespace

SparseTuning product_tuning(const MatrixState& matrix, const ProductKind& kind, const SparseTuning& given) {
    const Entries& own = matrix.entries;
    KernelCache& cache = KernelCache::of(own.context);
    const TuningTable& table = cache.tunings(own.context);
    const SparseTuning heuristic = heuristic_of(own, kind, cache.info(), given);
    const bool is_watched = TuningHook::current();
    if (table.empty() && !is_watched) return merge(given, heuristic);
    const codegen::Workload work = work_of(own, kind, heuristic);
    const std::uint64_t version = table.version();
    if (!is_watched)
        if (const auto known = matrix.chosen(version, work.arrays, given)) return *known;
    const SparseTuning tuning = choose_tuning(given, cache.info(), table, work,
                                              [&](const DeviceInfo&, const codegen::Workload&) { return heuristic; });
    if (!is_watched) matrix.keep({version, work.arrays, given, tuning});
    return tuning;
}

}  // namespace gemel::sparse
