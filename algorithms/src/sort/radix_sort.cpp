#include "sort/radix_sort.hpp"

#include "generated/kernel_family.hpp"
#include "generated/spine.hpp"
#include "generated/tile_states.hpp"
#include "sort/sort_checks.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace gemel::sorting {
namespace {

using Strategy = codegen::SortStrategy;
using Segments = codegen::SortSegments;
using codegen::SortLayout;
using codegen::SortTuning;
using codegen::Workload;

struct SortVariant : Variant {
    Kernel count{nullptr}, plan{nullptr}, offsets{nullptr}, finish{nullptr};
    TileStates tiles;
    /// Of one_launch: each launch uses one and clears the other for the next. Guarded as `tiles`.
    std::array<Buffer, 2> controls;
};

bool is_by_rows(Strategy strategy) {
    return strategy == Strategy::block || strategy == Strategy::serial_rows || strategy == Strategy::thread_rows;
}

/// The tuning: the caller's members, then stored ones, then the heuristic's for the resulting strategy.
SortTuning tuning_for(const SortTuning& given, Strategy strategy, const DeviceInfo& info, const TuningTable& table,
                      const Workload& work) {
    SortTuning tuning = choose_tuning(given, info, table, work, [&](const DeviceInfo& device, const Workload& of) {
        return codegen::sort_tuning(device, of, strategy);
    });
    if (strategy != Strategy::automatic) tuning.strategy = strategy;
    // What the kernels of a strategy are written for.
    if (looks_back(tuning.strategy) || tuning.strategy == Strategy::block) {
        tuning.digit_bits = 8;
        tuning.block = std::max(tuning.block / 32 * 32, 256u);  // whole warps, and a thread for each digit
    }
    // Large blocks give a multiprocessor enough threads.
    if (looks_back(tuning.strategy) && !given.resident_blocks && tuning.block > 512)
        tuning.resident_blocks = std::min(tuning.resident_blocks, 1u);
    // Without the caller's limit, one for the blocks that were chosen; at least one must fit.
    if (tuning.max_registers) {
        const std::uint32_t blocks = given.max_registers ? 1 : std::max(tuning.resident_blocks, 1u);
        const std::uint32_t limit = codegen::register_limit(info, tuning.block, blocks);
        tuning.max_registers = given.max_registers ? std::min(given.max_registers, limit) : limit;
    }
    if (tuning.strategy == Strategy::serial_rows || tuning.strategy == Strategy::chunks) tuning.block = 1;
    if (tuning.strategy == Strategy::thread_rows) {
        tuning.block = std::min(tuning.block, 128u);
        tuning.items_per_thread = static_cast<std::uint32_t>(work.count);
    }
    if (tuning.strategy == Strategy::three_passes) tuning.digit_bits = std::min(tuning.digit_bits, 4u);
    return tuning;
}

/// One call, its strategy chosen, and the memory that its kernels share.
class RadixRun {
   public:
    RadixRun(const RadixSorter& sorter, const RadixCall& call)
        : sorter_(sorter), call_(call), context_(call.keys.context()), cache_(KernelCache::of(context_)) {}

    void run() {
        count_ = call_.rows * call_.row_length;
        if (count_ == 0) return;
        describe();
        choose_strategy();
        const bool rows_are_long = call_.rows > 1 && !is_by_rows(tuning_.strategy);
        if (rows_are_long && call_.rows <= few_rows && cache_.addresses_are_linear()) return run_each_row();
        layout_.has_aligned_keys = !looks_back(tuning_.strategy) || is_aligned(call_.keys);
        if (rows_are_long) layout_.segments = Segments::rows;
        if (layout_.segments != Segments::none)
            layout_.segment_bits = std::bit_width(
                (layout_.segments == Segments::rows ? static_cast<std::size_t>(call_.rows) : call_.segment_count) - 1);
        layout_.shared_bytes = shared_bytes_of_tile();
        if (looks_back(tuning_.strategy))
            tuning_.items_per_thread = std::min(tuning_.items_per_thread,
                                                codegen::max_one_sweep_items(sorter_.request, layout_, tuning_.block));
        if (is_by_rows(tuning_.strategy)) rows_per_tile_ = rows_per_tile();
        layout_.one_row = tuning_.strategy == Strategy::block && rows_per_tile_ == 1;
        positions_ = codegen::sort_places(sorter_.request, layout_, tuning_);
        variant_ = find_variant();
        collect_arguments();
        if (is_by_rows(tuning_.strategy)) return launch_rows();
        if (tuning_.strategy == Strategy::one_sweep) return launch_one_sweep();
        if (tuning_.strategy == Strategy::one_launch) return launch_once();
        launch_tiles();
    }

   private:
    static constexpr std::int64_t few_rows = 8;

    void describe() {
        layout_.wide_index = static_cast<std::uint64_t>(count_) >= (std::uint64_t{1} << 31) - (std::uint64_t{1} << 20);
        layout_.descending = call_.descending;
        layout_.keeps_keys = !call_.sorted_keys.empty();
        layout_.has_index = !call_.index.empty();
        layout_.has_double = cache_.info().has_double;
        if (!call_.segments.empty()) layout_.segments = Segments::given;
        for (const SortedValues& values : call_.values) layout_.values.push_back(values.from.dtype().size_bytes());
    }

    void choose_strategy() {
        const DeviceInfo& info = cache_.info();
        const TuningTable& table = cache_.tunings(context_);
        const auto key_bytes = call_.keys.dtype().size_bytes();
        const Workload by_rows{.count = static_cast<std::size_t>(call_.row_length),
                               .item_bytes = key_bytes,
                               .arrays = 1,
                               .outputs = static_cast<std::size_t>(call_.rows)};
        const bool has_segments = call_.rows > 1 || !call_.segments.empty();
        const Workload whole{.count = static_cast<std::size_t>(count_),
                             .item_bytes = codegen::sorted_bytes(sorter_.request, layout_),
                             .arrays = !moves_more()  ? 1u
                                       : has_segments ? 3u
                                                      : 2u,
                             .moved_bytes = codegen::moved_bytes(sorter_.request, layout_)};
        Strategy strategy = call_.tuning.strategy;
        if (strategy == Strategy::automatic)
            strategy = tuning_for(call_.tuning, strategy, info, table, by_rows).strategy;
        const bool has_warps = info.has_cross_block_visibility;
        if ((looks_back(strategy) || strategy == Strategy::block) && !has_warps) strategy = Strategy::three_passes;
        const bool is_short = codegen::fits_thread_rows(sorter_.request, by_rows.count);
        if (strategy == Strategy::thread_rows && !is_short && call_.tuning.strategy == Strategy::automatic)
            strategy = codegen::sort_tuning(info, by_rows, Strategy::automatic).strategy;  // stored for shorter rows
        if (strategy == Strategy::block && is_short && call_.tuning.strategy == Strategy::automatic)
            strategy = Strategy::thread_rows;
        if (is_by_rows(strategy) && !call_.segments.empty())
            strategy = strategy == Strategy::serial_rows ? Strategy::chunks
                       : has_warps                       ? Strategy::one_sweep
                                                         : Strategy::three_passes;
        if (strategy == Strategy::one_launch && !fits_one_launch(whole)) strategy = Strategy::one_sweep;
        if (strategy == Strategy::thread_rows && !is_short)
            throw ArgumentError(text("sort: the tuning's strategy `thread_rows` sorts rows of 2 to 32 numbers, and ",
                                     "these have ", counted(by_rows.count, "element"), " of ",
                                     call_.keys.dtype().name(), "; leave the strategy open"));
        Workload work = is_by_rows(strategy) ? by_rows : whole;
        if (strategy == Strategy::thread_rows) work.arrays = 3;  // stored apart: its numbers mean nothing to others
        tuning_ = tuning_for(call_.tuning, strategy, info, table, work);
        layout_.strategy = strategy;
        if (strategy == Strategy::block && call_.tuning.strategy == Strategy::automatic &&
            !call_.tuning.items_per_thread) {
            // A tuning stored for another row length of the same class may have too small a tile.
            const auto length = static_cast<std::uint32_t>(call_.row_length);
            tuning_.items_per_thread = std::max(tuning_.items_per_thread, (length + tuning_.block - 1) / tuning_.block);
        }
        if (strategy == Strategy::block && codegen::sort_tile(tuning_) < static_cast<std::size_t>(call_.row_length))
            throw ArgumentError(text("sort: the tuning's strategy `block` sorts rows of at most ",
                                     codegen::sort_tile(tuning_), " elements, and these have ", call_.row_length,
                                     "; leave the strategy open"));
    }

    /// Chosen for one row: what moves with it, and the other rows, may make it too long.
    bool fits_one_launch(const Workload& whole) const {
        if (call_.tuning.strategy == Strategy::one_launch) return whole.count <= codegen::max_one_launch_elements;
        return codegen::sort_tuning(cache_.info(), whole, Strategy::automatic).strategy == Strategy::one_launch;
    }

    /// Keys alone are as fast in parts (measured on an H100); what moves with them takes two more of each.
    std::uint32_t shared_bytes_of_tile() const {
        const std::uint32_t usual = SortLayout{}.shared_bytes;
        if (tuning_.strategy != Strategy::one_sweep || !moves_more()) return usual;
        return std::max(usual, static_cast<std::uint32_t>(cache_.info().shared_memory_opt_in_bytes.value_or(0)));
    }
    bool moves_more() const { return !call_.values.empty() || layout_.has_index; }

    /// Row `row` of an array of all rows.
    AnyArray row_of(const AnyArray& array, std::int64_t row) const {
        if (array.empty()) return array;
        return array.reshape(Shape{call_.rows, call_.row_length})(row);
    }
    void run_each_row() const {
        for (std::int64_t row = 0; row < call_.rows; ++row) {
            RadixCall one = call_;
            one.rows = 1;
            one.keys = row_of(call_.keys, row);
            one.sorted_keys = row_of(call_.sorted_keys, row);
            one.index = row_of(call_.index, row);
            for (SortedValues& values : one.values) values = {row_of(values.from, row), row_of(values.to, row)};
            RadixRun(sorter_, one).run();
        }
    }

    std::shared_ptr<SortVariant> find_variant() {
        const VariantKey<SortLayout, SortTuning> key{sorter_.id, layout_, tuning_, {sorter_.request.key}};
        return cache_.find<SortVariant>(key, [&] {
            const GeneratedText text{codegen::sort_source(sorter_.request, layout_, tuning_, context_.dialect())};
            CompileOptions compile = sorter_.compile;
            if (tuning_.max_registers) compile.jit.max_registers = static_cast<int>(tuning_.max_registers);
            const Module module = context_.compile(text, compile);
            auto variant = std::make_shared<SortVariant>();
            const std::string& name = sorter_.request.name;
            variant->block = std::max(tuning_.block, 1u);
            if (is_by_rows(tuning_.strategy) || tuning_.strategy == Strategy::one_launch) {
                variant->kernel = module.kernel(name);
                return variant;
            }
            variant->kernel = module.kernel(name + "_pass");
            variant->count = module.kernel(name + "_count");
            if (tuning_.strategy == Strategy::one_sweep) {
                variant->plan = module.kernel(name + "_plan");
            } else {
                variant->offsets = module.kernel(name + "_offsets");
                variant->finish = module.kernel(name + "_finish");
            }
            return variant;
        });
    }

    AnyArray scratch(DType dtype) { return AnyArray(context_, dtype, Shape{count_}); }
    /// Elements of any type are moved as bits.
    void add(const AnyArray& array) {
        kept_.push_back(array);
        arguments_.push_back(array.argument());
        arguments_.back().dtype = {};
    }

    /// The arrays that all kernels take, except the first of one_sweep. An array that no pass uses is another's.
    void collect_arguments() {
        const bool is_one_pass =
            positions_.all() == 1 || tuning_.strategy == Strategy::block || tuning_.strategy == Strategy::thread_rows;
        const DType count_type = layout_.wide_index ? dtype_of<std::uint64_t>() : dtype_of<std::uint32_t>();
        const AnyArray keys_to = layout_.keeps_keys ? call_.sorted_keys : scratch(call_.keys.dtype());
        const auto spare = [&](DType dtype) { return is_one_pass ? keys_to : scratch(dtype); };
        add(call_.keys);
        add(keys_to);
        add(spare(call_.keys.dtype()));
        const bool by_origin = is_by_rows(tuning_.strategy);
        for (const SortedValues& values : call_.values) {
            add(values.from);
            add(values.to);
            add(by_origin ? keys_to : spare(values.from.dtype()));
        }
        if (codegen::sort_takes_index(layout_)) {
            const bool needs_both = by_origin ? tuning_.strategy == Strategy::serial_rows : !is_one_pass;
            for (int k = 0; k < 2; ++k) add(needs_both ? scratch(count_type) : keys_to);
            add(layout_.has_index ? call_.index : keys_to);
        }
        if (layout_.segments == Segments::none) return;
        for (int k = 0; k < 2; ++k) add(spare(dtype_of<std::uint32_t>()));
        add(layout_.segments == Segments::given ? call_.segments : keys_to);
    }

    void launch(const Kernel& kernel, std::int64_t blocks, std::uint32_t block, std::vector<Argument> own,
                std::span<const std::int64_t> sizes, bool with_arrays = true, std::size_t shared_bytes = 0) {
        if (with_arrays) own.insert(own.begin(), arguments_.begin(), arguments_.end());
        ArgumentList none;
        Launcher(none, layout_.wide_index, current_).alone(kernel, {blocks}, block, own, sizes, shared_bytes);
    }

    std::int64_t rows_per_tile() const {
        if (tuning_.strategy == Strategy::thread_rows) return std::max(tuning_.block, 1u);
        if (tuning_.strategy == Strategy::block) {
            const auto tile = static_cast<std::int64_t>(codegen::sort_tile(tuning_));
            return std::min(std::clamp<std::int64_t>(tile / call_.row_length, 1, 256), call_.rows);
        }
        const std::int64_t threads = std::int64_t{cache_.info().compute_units} * 4;
        return std::max<std::int64_t>((call_.rows + threads - 1) / threads, 1);
    }
    void launch_rows() {
        launch(variant_->kernel, (call_.rows + rows_per_tile_ - 1) / rows_per_tile_, variant_->block, {},
               std::array{call_.rows, call_.row_length, rows_per_tile_});
    }

    std::size_t control_bytes() const {
        return codegen::sort_control_counts(tuning_.strategy, positions_) * (layout_.wide_index ? 8 : 4);
    }
    Buffer cleared_control() const {
        const Buffer control = context_.allocate(control_bytes());
        control.fill(std::uint32_t{0});
        return control;
    }

    void launch_one_sweep() {
        const auto tile = static_cast<std::int64_t>(codegen::sort_tile(tuning_));
        const std::int64_t tiles = (count_ + tile - 1) / tile, positions = positions_.all();
        const Buffer control = cleared_control();
        const std::int64_t counting = std::int64_t{cache_.info().compute_units} * std::max(tuning_.blocks_per_unit, 1u);
        std::vector<Argument> counted{arguments_[0]};
        if (layout_.segments == Segments::given) counted.push_back(arguments_.back());
        counted.push_back(as_argument(control));
        const std::array sizes{count_, call_.row_length};
        launch(variant_->count, std::min(counting, (count_ + variant_->block - 1) / variant_->block), variant_->block,
               counted, sizes, false);
        launch(variant_->plan, 1, 256, {as_argument(control)}, std::array{count_}, false);
        TileStates& states = variant_->tiles.of_this_launch();
        std::lock_guard lock(states.launching);
        const std::size_t shared_bytes = codegen::sort_shared_bytes(sorter_.request, layout_, tuning_);
        for (int position = 0; position < positions; ++position) {
            states.begin(context_, static_cast<std::size_t>(tiles), layout_.wide_index ? 512 : 256);
            launch(variant_->kernel, tiles, variant_->block,
                   {as_argument(control), as_argument(states.states), as_argument(states.epoch), as_argument(position)},
                   sizes, true, shared_bytes);
        }
    }

    void launch_once() {
        const auto tile = static_cast<std::int64_t>(codegen::sort_tile(tuning_));
        const std::int64_t tiles = (count_ + tile - 1) / tile, positions = positions_.all();
        const std::int64_t counting =
            std::clamp<std::int64_t>(count_ / (std::int64_t{variant_->block} * 16), 1,
                                     std::int64_t{cache_.info().compute_units} * std::max(tuning_.blocks_per_unit, 1u));
        TileStates& states = variant_->tiles.of_this_launch();
        std::lock_guard lock(states.launching);
        states.begin(context_, static_cast<std::size_t>(tiles), 256, static_cast<std::uint32_t>(positions));
        std::array<Buffer, 2> controls = variant_->controls;
        const bool is_recorded = !recorded_stream().empty();
        if (is_recorded) {  // a graph repeats its arguments: each of its launches clears what it uses
            controls = {cleared_control(), context_.allocate(control_bytes())};
        } else if (controls[0].empty()) {
            for (Buffer& control : controls) {
                control = context_.allocate_attached(control_bytes());
                context_.default_stream().fill(control, std::uint32_t{0});
            }
        }
        launch(variant_->kernel, counting + positions * tiles, variant_->block,
               {as_argument(controls[0]), as_argument(controls[1]), as_argument(states.states),
                as_argument(states.first_epoch), as_argument(static_cast<int>(counting)),
                as_argument(static_cast<int>(tiles))},
               std::array{count_, call_.row_length});
        if (!is_recorded) variant_->controls = {controls[1], controls[0]};
    }

    void launch_tiles() {
        const bool in_chunks = tuning_.strategy == Strategy::chunks;
        auto tile = static_cast<std::int64_t>(codegen::sort_tile(tuning_));
        if (in_chunks) {
            const std::int64_t wanted =
                std::int64_t{cache_.info().compute_units} * std::max(tuning_.blocks_per_unit, 1u);
            tile = std::max<std::int64_t>((count_ + wanted - 1) / wanted, 4096);
        }
        const std::int64_t tiles = (count_ + tile - 1) / tile;
        const Buffer control = cleared_control();
        const Buffer counts =
            context_.allocate(static_cast<std::size_t>(tiles * positions_.digits()) * (layout_.wide_index ? 8 : 4));
        const std::array sizes{tiles, tile, count_, call_.row_length};
        const std::uint32_t block = in_chunks ? 1 : variant_->block;
        for (int position = 0; position < positions_.all(); ++position) {
            const std::vector<Argument> own{as_argument(control), as_argument(counts), as_argument(position)};
            launch(variant_->count, tiles, block, own, sizes);
            launch(variant_->offsets, 1, in_chunks ? 1 : 256, own, std::array{tiles, count_}, false);
            launch(variant_->kernel, tiles, block, own, sizes);
        }
        launch(variant_->finish, std::min<std::int64_t>(tiles, 4096), block, {as_argument(control)},
               std::array{count_, call_.row_length});
    }

    const RadixSorter& sorter_;
    const RadixCall& call_;
    const Stream current_ = {};  ///< the thread's current one
    const Context context_;
    KernelCache& cache_;
    SortLayout layout_ = {};
    SortTuning tuning_ = {};
    codegen::SortPlaces positions_ = {};
    std::int64_t count_ = 0, rows_per_tile_ = 1;
    std::shared_ptr<SortVariant> variant_;
    std::vector<AnyArray> kept_;  ///< what arguments_ refer to
    std::vector<Argument> arguments_;
};

}  // namespace

const RadixSorter& plain_sorter(DType dtype) {
    static auto& family = *new KernelFamily<std::pair<int, std::uint32_t>, RadixSorter>;
    return family.find({static_cast<int>(dtype.kind()), dtype.size_bytes()}, [&] {
        RadixSorter sorter{.request = {.key = dtype}};
        sorter.compile.name = sorter.request.name;
        return sorter;
    });
}

void radix_sort(const RadixSorter& sorter, const RadixCall& call) {
    // More values than fit one sort: sort the keys again with the next ones.
    RadixCall part = call;
    for (std::size_t begin = 0; begin == 0 || begin < call.values.size(); begin += codegen::max_sorted_values) {
        const std::size_t end = std::min(begin + codegen::max_sorted_values, call.values.size());
        part.values.assign(call.values.begin() + static_cast<std::ptrdiff_t>(begin),
                           call.values.begin() + static_cast<std::ptrdiff_t>(end));
        RadixRun(sorter, part).run();
        part.sorted_keys = {};
        part.index = {};
    }
}

}  // namespace gemel::sorting
