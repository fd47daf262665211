/// Matrices by windows of columns: entries far apart in x are gathered from shared memory.
#include "sparse/kernels.hpp"
#include "sparse/state.hpp"

#include <gemel/algorithms/search.hpp>
#include <gemel/algorithms/sort.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/cumulative.hpp>
#include <gemel/codegen/sparse.hpp>

#include <array>
#include <vector>

namespace gemel::sparse {
namespace {

/// Entries of a chunk, which one block multiplies.
constexpr std::int64_t chunk_entries = 16384;

AnyArray integers(const Entries& entries, std::int64_t count) {
    return AnyArray(entries.context, dtype_of<std::int64_t>(), Shape{count});
}

/// The entries of a window in a tile: run w * tiles + t. Groups are counted in the order of runs, and tile by tile.
struct Runs {
    std::int64_t tiles = 0, windows = 0;
    AnyArray begins = {};       ///< among the sorted entries, and the end
    AnyArray groups = {};       ///< of each run
    AnyArray window_ends = {};  ///< the number of groups up to and including each run
    AnyArray tile_ends = {};    ///< the same in the order of tiles, at t * windows + w

    std::int64_t count() const { return tiles * windows; }
};

Runs runs_of(const Entries& entries, const AnyArray& run_of_entry, std::int64_t tiles, std::int64_t windows) {
    Runs runs{tiles, windows};
    const AnyArray numbers =
        arange(entries.context, dtype_of<std::int64_t>(), std::int64_t{0}, runs.count() + 1, std::int64_t{1});
    runs.begins = gemel::detail::searchsorted("Matrix::to", run_of_entry, numbers, Side::left, {});
    runs.groups = integers(entries, runs.count());
    bin_group_kernel()(runs.groups, runs.begins, codegen::sparse_bin_group(entries.value()));
    runs.window_ends = cumsum(runs.groups, 0, dtype_of<std::int64_t>());
    const AnyArray by_tile = runs.groups.reshape({windows, tiles}).transpose().copy(Order::C);
    runs.tile_ends = cumsum(by_tile.ravel(), 0, dtype_of<std::int64_t>());
    return runs;
}

/// Cuts the groups of each window into chunks of about equal size.
void add_chunks(Bins& bins, const Entries& entries, const Runs& runs) {
    const std::int64_t most = chunk_entries / codegen::sparse_bin_group(entries.value());
    const std::vector<std::int64_t> ends =
        runs.window_ends(slice(runs.tiles - 1, {}, runs.tiles)).copy(Order::C).get<std::int64_t>();
    std::vector<std::int64_t> chunk_groups;
    std::vector<std::int32_t> chunk_windows;
    std::int64_t begin = 0;
    for (std::size_t window = 0; window < ends.size(); ++window) {
        const std::int64_t groups = ends[window] - begin, pieces = (groups + most - 1) / most;
        for (std::int64_t piece = 0; piece < pieces; ++piece) {
            chunk_groups.push_back(begin + groups * piece / pieces);
            chunk_windows.push_back(static_cast<std::int32_t>(window));
        }
        begin = ends[window];
    }
    chunk_groups.push_back(begin);
    bins.chunk_groups = to_gpu(entries.context, chunk_groups);
    bins.chunk_windows = to_gpu(entries.context, chunk_windows);
}

}  // namespace

bool can_multiply_bins(const DeviceInfo& device, DType value) {
    return device.max_threads_per_block >= codegen::sparse_bin_gather_block &&
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
    const std::int64_t tile = bins.plan.tile, tiles = bins.plan.tiles;
    require_room(entries, Format::binned, static_cast<double>(tiles) * static_cast<double>(windows));
    const AnyArray keys(context, dtype_of<std::uint32_t>(), Shape{entries.count});
    bin_window_kernel()(keys, entries.numbers, width);
    const std::array moved{arange(context, entries.index(), std::int64_t{0}, entries.count, std::int64_t{1})};
    const std::vector<AnyArray> sorted = sort_by_key(keys, std::span<const AnyArray>(moved));
    const AnyArray& order = sorted[1];
    const AnyArray run_of_entry = integers(entries, entries.count);
    bin_run_kernel()(run_of_entry, sorted[0], order, row_numbers_of(entries), tile, tiles);
    const Runs runs = runs_of(entries, run_of_entry, tiles, windows);
    const std::int64_t groups = runs.window_ends(runs.count() - 1).item<std::int64_t>(), slots = groups * group;
    require_room(entries, Format::binned, static_cast<double>(slots));
    const AnyArray columns = zeros(context, dtype_of<std::uint16_t>(), Shape{slots}),
                   values = zeros(context, entries.value(), Shape{slots});
    bins.positions = AnyArray(context, dtype_of<std::uint16_t>(), Shape{slots});
    bins.positions.fill(std::int64_t{codegen::sparse_bin_padding});
    bins.sources = AnyArray(context, entries.index(), Shape{groups});
    bins.group_begins = integers(entries, tiles + 1);
    bin_fill_kernel()(run_of_entry, order, runs.begins, runs.groups, runs.window_ends, runs.tile_ends, entries.numbers,
                      entries.values, bins.plan.tile_rows, columns, values, bins.positions, tiles, windows, tile, width,
                      group);
    bin_source_kernel()(runs.groups, runs.window_ends, runs.tile_ends, bins.sources, tiles, windows);
    bin_begin_kernel()(bins.group_begins, runs.tile_ends, windows);
    add_chunks(bins, entries, runs);
    return {
        .numbers = columns, .values = values, .bins = std::make_shared<const Bins>(std::move(bins)), .slots = slots};
}

double scatter_of(const Entries& entries) {
    const std::int64_t apart = apart_kernel()(entries.numbers, codegen::sparse_bin_group(entries.value())).item();
    return static_cast<double>(apart) / static_cast<double>(entries.count);
}

}  // namespace gemel::sparse
