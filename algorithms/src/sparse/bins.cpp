/// Matrices by windows of columns: entries far apart in x are gathered from shared memory.
#include "sparse/kernels.hpp"
#include "sparse/state.hpp"

#include <gemel/algorithms/search.hpp>
#include <gemel/algorithms/sort.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/cumulative.hpp>
#include <gemel/codegen/sparse.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace gemel::sparse {
namespace {

/// Entries of a chunk at most, which one block multiplies.
constexpr std::int64_t chunk_entries = 16384;
/// How long after the chunks of its slab a tile begins, as a part of the time that the chunks of a slab take. 1 would
/// make tiles wait; more keeps more products in the second-level cache.
constexpr double slab_delay = 1.5;

/// Products of a slab. The cache holds those of codegen::sparse_bin_ring slabs beside all that is read once. On an H100
/// (50 MiB), 5 to 6 MiB were best. Where tiles cannot wait for chunks, there is one slab.
std::int64_t slab_bytes(const DeviceInfo& info) {
    if (!info.has_cross_block_visibility) return std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(info.l2_cache_bytes.value_or(50u << 20)) / 25 * 3;
}

AnyArray integers(const Entries& entries, std::int64_t count) {
    return AnyArray(entries.context, dtype_of<std::int64_t>(), Shape{count});
}

std::int64_t ceil_of(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The entries of a window in a tile. Slabs of tiles follow each other, in a slab its windows, in a window the tiles of
/// the slab: run (slab * windows + window) * slab_tiles + tile % slab_tiles.
struct Runs {
    std::int64_t slabs = 0, slab_tiles = 0, windows = 0;
    AnyArray begins = {};       ///< among the sorted entries, and the end
    AnyArray groups = {};       ///< of each run
    AnyArray window_ends = {};  ///< the number of groups up to and including each run
    AnyArray tile_ends = {};    ///< the same in the order of tiles, at tile * windows + window

    std::int64_t count() const { return slabs * slab_tiles * windows; }
};

Runs runs_of(const Entries& entries, const AnyArray& run_of_entry, Runs runs) {
    const AnyArray numbers =
        arange(entries.context, dtype_of<std::int64_t>(), std::int64_t{0}, runs.count() + 1, std::int64_t{1});
    runs.begins = gemel::detail::searchsorted("Matrix::to", run_of_entry, numbers, Side::left, {});
    runs.groups = integers(entries, runs.count());
    bin_group_kernel()(runs.groups, runs.begins, codegen::sparse_bin_group(entries.value()));
    runs.window_ends = cumsum(runs.groups, 0, dtype_of<std::int64_t>());
    const AnyArray by_tile =
        runs.groups.reshape({runs.slabs, runs.windows, runs.slab_tiles}).permute({0, 2, 1}).copy(Order::C);
    runs.tile_ends = cumsum(by_tile.ravel(), 0, dtype_of<std::int64_t>());
    return runs;
}

/// The chunks and tiles of a matrix.
class Work {
   public:
    Work(const Entries& entries, const Runs& runs, const MergePlan& plan)
        : runs_(runs),
          plan_(plan),
          group_(codegen::sparse_bin_group(entries.value())),
          waits_(entries.context.device().info().has_cross_block_visibility),
          piece_ends_(
              runs.window_ends(slice(runs.slab_tiles - 1, {}, runs.slab_tiles)).copy(Order::C).get<std::int64_t>()) {
        for (std::int64_t slab = 0; slab < runs.slabs; ++slab)
            room_ = std::max(room_, slab_begin(slab + 1) - slab_begin(slab));
        add_chunks();
        add_tiles();
        std::ranges::stable_sort(blocks_, {}, &Block::time);
    }

    /// The place of a slab's products: what to subtract from the number of a group.
    std::vector<std::int64_t> shifts() const {
        std::vector<std::int64_t> all;
        for (std::int64_t slab = 0; slab < runs_.slabs; ++slab) all.push_back(shift(slab));
        return all;
    }
    /// Of the products in memory at a time.
    std::int64_t slots() const { return std::min(codegen::sparse_bin_ring, runs_.slabs) * room_ * group_; }

    std::vector<std::int64_t> words() const {
        std::vector<std::int64_t> all;
        for (const Block& block : blocks_) all.insert(all.end(), block.words.begin(), block.words.end());
        return all;
    }
    std::vector<std::int64_t> launches() const {
        const auto count = static_cast<std::int64_t>(blocks_.size());
        if (waits_) return {0, count};
        return {0, count - plan_.tiles, count};
    }

   private:
    struct Block {
        double time = 0;  ///< in chunks of a slab
        std::array<std::int64_t, codegen::sparse_bin_words> words = {};
    };

    std::int64_t slab_begin(std::int64_t slab) const {
        return slab == 0 ? 0 : piece_ends_[static_cast<std::size_t>(slab * runs_.windows - 1)];
    }
    std::int64_t shift(std::int64_t slab) const { return slab_begin(slab) - slab % codegen::sparse_bin_ring * room_; }

    /// Where blocks can wait for each other, the tiles of a slab begin evenly mixed with the chunks of the slabs after
    /// it, so that both kinds run together and few have to wait.
    double time_of(bool is_tile, std::int64_t slab, std::int64_t k, std::int64_t count) const {
        if (!waits_) return is_tile;
        const double part = (static_cast<double>(k) + 0.5) / static_cast<double>(count);
        return static_cast<double>(slab) + part + (is_tile ? slab_delay : 0);
    }

    /// Cuts the groups that a window has in a slab into chunks of about equal size.
    void add_chunks() {
        const std::int64_t most = chunk_entries / group_;
        std::int64_t begin = 0;
        for (std::int64_t slab = 0; slab < runs_.slabs; ++slab) {
            const std::size_t first = blocks_.size();
            for (std::int64_t window = 0; window < runs_.windows; ++window) {
                const std::int64_t end = piece_ends_[static_cast<std::size_t>(slab * runs_.windows + window)],
                                   groups = end - begin, pieces = ceil_of(groups, most);
                for (std::int64_t piece = 0; piece < pieces; ++piece) {
                    const std::int64_t from = begin + groups * piece / pieces,
                                       to = begin + groups * (piece + 1) / pieces;
                    blocks_.push_back({.words = {-1 - window, from, to - from, slab, shift(slab)}});
                }
                begin = end;
            }
            const auto count = static_cast<std::int64_t>(blocks_.size() - first);
            for (std::int64_t k = 0; k < count; ++k)
                blocks_[first + static_cast<std::size_t>(k)].time = time_of(false, slab, k, count);
            chunks_.push_back(count);
        }
    }

    void add_tiles() {
        const auto ends =
            runs_.tile_ends(slice(runs_.windows - 1, {}, runs_.windows)).copy(Order::C).get<std::int64_t>();
        const auto rows = plan_.tile_rows.astype(dtype_of<std::int64_t>()).get<std::int64_t>();
        for (std::int64_t t = 0; t < plan_.tiles; ++t) {
            const auto at = static_cast<std::size_t>(t);
            const std::int64_t slab = t / runs_.slab_tiles, begin = t == 0 ? 0 : ends[at - 1];
            blocks_.push_back({.time = time_of(true, slab, t % runs_.slab_tiles, runs_.slab_tiles),
                               .words = {t, begin, ends[at] - begin, slab, chunks_[static_cast<std::size_t>(slab)],
                                         rows[at], rows[at + 1]}});
        }
    }

    const Runs& runs_;
    const MergePlan& plan_;
    const std::int64_t group_;
    const bool waits_;
    const std::vector<std::int64_t> piece_ends_;  ///< the number of groups up to and including each window of each slab
    std::int64_t room_ = 0;                       ///< groups of the largest slab
    std::vector<std::int64_t> chunks_;            ///< of each slab
    std::vector<Block> blocks_;
};

}  // namespace

bool can_multiply_bins(const DeviceInfo& device, DType value) {
    return device.max_threads_per_block >= codegen::sparse_bin_block &&
           device.shared_memory_per_block_bytes >=
               codegen::sparse_bin_shared_bytes(value, device.has_cross_block_visibility);
}

Form binned_form(const Entries& entries) {
    if (entries.count == 0) return {};
    const Context& context = entries.context;
    const std::int64_t width = codegen::sparse_bin_columns(entries.value()),
                       group = codegen::sparse_bin_group(entries.value()),
                       windows = (entries.columns + width - 1) / width;
    Bins bins{.plan = plan_of(entries, codegen::sparse_bin_tile(entries.value())), .windows = windows};
    const std::int64_t tile = bins.plan.tile, tiles = bins.plan.tiles,
                       size = static_cast<std::int64_t>(entries.value().size_bytes());
    bins.slab_tiles = std::clamp<std::int64_t>(slab_bytes(context.device().info()) / (tile * size), 1, tiles);
    bins.slabs = ceil_of(tiles, bins.slab_tiles);
    require_room(entries, Format::binned,
                 static_cast<double>(bins.slabs * bins.slab_tiles) * static_cast<double>(windows));
    const AnyArray pieces(context, dtype_of<std::uint32_t>(), Shape{entries.count}), rows = row_numbers_of(entries);
    bin_piece_kernel()(pieces, entries.numbers, rows, width, windows, tile * bins.slab_tiles);
    const std::array moved{arange(context, entries.index(), std::int64_t{0}, entries.count, std::int64_t{1})};
    const std::vector<AnyArray> sorted = sort_by_key(pieces, std::span<const AnyArray>(moved));
    const AnyArray& order = sorted[1];
    const AnyArray run_of_entry = integers(entries, entries.count);
    bin_run_kernel()(run_of_entry, sorted[0], order, rows, tile, bins.slab_tiles);
    const Runs runs =
        runs_of(entries, run_of_entry, {.slabs = bins.slabs, .slab_tiles = bins.slab_tiles, .windows = windows});
    const std::int64_t groups = runs.window_ends(runs.count() - 1).item<std::int64_t>(), slots = groups * group;
    require_room(entries, Format::binned, static_cast<double>(slots));
    const AnyArray columns = zeros(context, dtype_of<std::uint16_t>(), Shape{slots}),
                   values = zeros(context, entries.value(), Shape{slots});
    bins.positions = AnyArray(context, dtype_of<std::uint16_t>(), Shape{slots});
    bins.positions.fill(std::int64_t{codegen::sparse_bin_padding});
    bins.sources = AnyArray(context, entries.index(), Shape{groups});
    bin_fill_kernel()(run_of_entry, order, runs.begins, runs.groups, runs.window_ends, runs.tile_ends, entries.numbers,
                      entries.values, bins.plan.tile_rows, columns, values, bins.positions, bins.slab_tiles, windows,
                      tile, width, group);
    const Work work(entries, runs, bins.plan);
    bin_source_kernel()(runs.groups, runs.window_ends, runs.tile_ends, to_gpu(context, work.shifts()), bins.sources,
                        bins.slab_tiles, windows);
    bins.work = to_gpu(context, work.words());
    bins.launches = work.launches();
    bins.slots = work.slots();
    return {
        .numbers = columns, .values = values, .bins = std::make_shared<const Bins>(std::move(bins)), .slots = slots};
}

double scatter_of(const Entries& entries) {
    const std::int64_t apart = apart_kernel()(entries.numbers, codegen::sparse_bin_group(entries.value())).item();
    return static_cast<double>(apart) / static_cast<double>(entries.count);
}

}  // namespace gemel::sparse
