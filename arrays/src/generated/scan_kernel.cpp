#include <gemel/arrays/scan_kernel.hpp>

#include "generated/compute_capability.hpp"
#include "generated/identity.hpp"
#include "generated/scan_rows.hpp"
#include "generated/spine.hpp"
#include "generated/tile_states.hpp"

#include <gemel/codegen/scan.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel {

struct ScanState : GeneratorState<codegen::ScanRequest> {
    std::uint32_t staged_bytes = 0;
};

namespace {

using Strategy = codegen::ScanStrategy;

/// A variant with the states of its tiles, which persist between launches.
struct ScanVariant : Variant {
    Kernel totals_kernel{nullptr}, prefixes_kernel{nullptr};
    std::size_t tile = 0;
    TileStates tiles;
};

/// From so many elements on, selected ones are copied to shared memory.
constexpr std::size_t least_copied = std::size_t{1} << 22;

/// Copied elements need few registers: with a limit of them, OpenCL is fastest with as many threads as CUDA. Selecting
/// half of 2^28 floats on an H100 takes 636 us with 256 threads and 645 with 192, of 2^28 halves 424 and 481.
codegen::ScanTuning selection_tuning(const DeviceInfo& device, const codegen::Workload& work) {
    codegen::ScanTuning tuning = codegen::count_tuning(device, work);
    constexpr std::uint32_t block = 256;
    if (work.count >= least_copied && codegen::register_limit(device, block, 1) > 0) tuning.block = block;
    return tuning;
}

/// One call of a scan.
struct ScanCall {
    using Layout = codegen::ScanLayout;
    using Tuning = codegen::ScanTuning;
    using Variant = ScanVariant;
    struct Work {
        std::size_t count = 0, tile = 0, tiles = 0;
        Strategy strategy = Strategy::look_back;
        std::optional<std::size_t> asked = {};
        bool deterministic = false;
        std::size_t row_length = 0;
        bool by_rows = false;
    };

    const ScanState& state;
    const ScanOptions& options;
    std::size_t row_length = 0;  ///< the length of all segments; 0: any lengths
    std::size_t count = 0;

    std::uint64_t salt() const {
        return (options.deterministic ? 0x9E3779B97F4A7C15u : 0) + (options.count ? *options.count + 1 : 0) +
               row_length * 0x100000001B3u;
    }
    bool resume(const Work& work, const AnyArray& array, std::span<const CallArgument>) {
        context = array.context();
        return work.asked == options.count && work.deterministic == options.deterministic &&
               work.row_length == row_length;
    }

    bool begin(const BoundCall& call) {
        context = call.context();
        count = options.count.value_or(call.count());
        if (options.count && call.has_elements() && count > call.count())
            state.declared.refuse(
                text("expected at most ", counted(call.count(), "element"), ", the size of its arrays, got ", count));
        return count > 0;
    }

    Choice<Layout, Tuning> choose(const BoundCall& call, KernelCache& cache, bool checked) const {
        const DeviceInfo& info = cache.info();
        const auto item_bytes = static_cast<std::uint32_t>(codegen::scan_item_bytes(state.request));
        codegen::ScanTuning tuning =
            choose_tuning(options.tuning, info, cache.tunings(*context),
                          {.count = count, .item_bytes = item_bytes, .arrays = call.array_count()},
                          !state.request.counts            ? codegen::scan_tuning
                          : state.request.selected.empty() ? codegen::count_tuning
                                                           : selection_tuning);
        Layout layout{.strategy = tuning.strategy,
                      .shuffles = info.has_cross_block_visibility && tuning.block % 32 == 0};
        if (layout.strategy == Strategy::look_back &&
            (options.deterministic || codegen::scan_needs_total(state.request) || !layout.shuffles))
            layout.strategy = Strategy::three_passes;
        if (layout.strategy == Strategy::chunks || !layout.shuffles) tuning.access_bytes = 0;
        if (!state.request.staged_type.empty()) {
            // A staged tile must fit in a block's shared memory.
            const std::uint32_t bytes = state.staged_bytes ? state.staged_bytes : std::max(call.item_bytes(), 4u);
            const std::uint32_t row = std::max(tuning.block, 1u) * bytes;
            tuning.items_per_thread = std::min(tuning.items_per_thread, std::max((32u << 10) / row, 1u));
        }
        LayoutRequest request{.access_bytes = tuning.access_bytes,
                              .count = count,
                              .checked = checked,
                              .linear_addresses = cache.addresses_are_linear()};
        CallLayout arrays = choose_layout(call, request);
        // Tiles begin at multiples of their length, so packs must begin with the array.
        if (arrays.head != 0) {
            tuning.access_bytes = request.access_bytes = 0;
            arrays = choose_layout(call, request);
        }
        arrays.kernel.wide_index |= count >= (std::size_t{1} << 31) - (std::size_t{1} << 20);
        layout.elements = arrays.kernel;
        if (layout.strategy == Strategy::look_back && copies_packs(call, info, arrays)) {
            layout.copies_packs = true;
            // Selecting half of 2^28 floats on an H100 by blocks of 256 threads: four at once 722 us, five 683, six
            // 658; through registers 710, by four. Through OpenCL 636 with the limit, 655 without it by 192 threads.
            if (tuning.resident_blocks == 0) tuning.resident_blocks = std::max(1536 / tuning.block, 1u);
        }
        if (row_length > 0 && arrays.packed && layout.shuffles && options.tuning == Tuning{})
            cut_into_rows({.length = row_length,
                           .count = count,
                           .vector_width = static_cast<std::size_t>(arrays.vector_width),
                           .item_bytes = std::max<std::size_t>(state.request.dtype.size_bytes(), 4),
                           .may_shift = !state.request.output.uses("prev_item")},
                          info, layout, tuning);
        return {std::move(arrays), layout, tuning};
    }

    /// Whether packs of the selected array have 16 bytes and can be copied to shared memory. Short arrays take the time
    /// of one launch either way. Elements that kernels convert (16-bit floats, bools) are staged in another type.
    bool copies_packs(const BoundCall& call, const DeviceInfo& info, const CallLayout& arrays) const {
        if (state.request.selected.empty() || count < least_copied || compute_capability(info) < 80) return false;
        const std::vector<Parameter> parameters = call.parameters();
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            if (parameters[k].name != state.request.selected) continue;
            const DType& dtype = parameters[k].dtype;
            return arrays.kernel.arguments[k].access == codegen::Access::packed &&
                   dtype.size_bytes() * static_cast<std::size_t>(arrays.vector_width) == 16 &&
                   codegen::value_type(dtype) == codegen::storage_type(dtype, context->dialect());
        }
        return false;
    }

    std::shared_ptr<Variant> make(const BoundCall& call, const Choice<Layout, Tuning>& choice) const {
        const codegen::ScanRequest request = state.typed(call.parameters());
        const Layout& layout = choice.layout;
        codegen::ScanTuning tuning = choice.tuning;
        auto variant = std::make_shared<Variant>();
        CompileOptions compile = state.compile;
        while (true) {
            const GeneratedText text{codegen::scan_source(request, layout, tuning, context->dialect())};
            if (state.compile.jit.max_registers == 0)
                compile.jit.max_registers = static_cast<int>(
                    codegen::register_limit(context->device().info(), tuning.block, tuning.resident_blocks));
            const Module module = context->compile(text, compile);
            variant->kernel = module.kernel(request.name);
            if (layout.along == 0 && layout.strategy != Strategy::look_back) {
                variant->totals_kernel = module.kernel(request.name + "_totals");
                variant->prefixes_kernel = module.kernel(request.name + "_prefixes");
            }
            // Spilled registers cost more than shorter tiles.
            const bool spills = variant->kernel.attributes().local_bytes.value_or(0) > 0;
            if (!spills || layout.along > 0 || options.tuning.items_per_thread != 0 ||
                layout.strategy == Strategy::chunks || tuning.items_per_thread <= 8)
                break;
            if (!layout.copies_packs) {
                tuning.items_per_thread /= 2;
                continue;
            }
            // Elements are in shared memory: what spills belongs to the condition, which more registers may hold.
            if (tuning.resident_blocks == 0 || options.tuning.resident_blocks != 0) break;
            tuning.resident_blocks = 0;
        }
        variant->block = layout.strategy == Strategy::chunks ? 1 : tuning.block;
        if (layout.strategy != Strategy::chunks) variant->tile = codegen::scan_tile(request, layout, tuning);
        return variant;
    }

    Work work(const BoundCall& call, const Choice<Layout, Tuning>& choice, const Variant& variant) const {
        Work work{.count = count,
                  .tile = variant.tile,
                  .strategy = choice.layout.strategy,
                  .asked = options.count,
                  .deterministic = options.deterministic,
                  .row_length = row_length,
                  .by_rows = choice.layout.along > 0};
        if (work.by_rows) {
            const auto of_block = variant.block / static_cast<std::uint32_t>(choice.layout.along);
            work.tiles = (count / row_length + of_block - 1) / of_block;
            return work;
        }
        if (work.strategy == Strategy::chunks) {
            const DeviceInfo& info = KernelCache::of(call.leading()).info();
            const std::size_t wanted = std::size_t{info.compute_units} * std::max(choice.tuning.blocks_per_unit, 1u);
            work.tile = std::max<std::size_t>((count + wanted - 1) / wanted, 1024);
        }
        work.tiles = (count + work.tile - 1) / work.tile;
        return work;
    }

    void launch(const Work& work, Variant& variant, Launcher& launcher) const {
        const auto count_size = static_cast<std::int64_t>(work.count), tile = static_cast<std::int64_t>(work.tile),
                   tiles = static_cast<std::int64_t>(work.tiles);
        if (work.by_rows) {
            const auto length = static_cast<std::int64_t>(work.row_length);
            return launcher(variant.kernel, {tiles}, variant.block, {}, std::array{length, count_size / length});
        }
        if (work.strategy == Strategy::look_back) {
            TileStates& states = variant.tiles.of_this_launch();
            std::lock_guard lock(states.launching);
            states.begin(*context, work.tiles, codegen::scan_state_words(state.request));
            const std::array own{as_argument(states.states), as_argument(states.ticket), as_argument(states.dealt),
                                 as_argument(states.epoch)};
            launcher(variant.kernel, {tiles}, variant.block, own, std::array{count_size});
            states.dealt += static_cast<std::uint32_t>(work.tiles);
            return;
        }
        const Buffer totals = context->allocate(work.tiles * (codegen::scan_item_bytes(state.request) + 16));
        const std::array own{as_argument(totals)};
        launcher(variant.totals_kernel, {tiles}, variant.block, own, std::array{count_size, tile});
        launcher.alone(variant.prefixes_kernel, {1}, variant.block, own, std::array{tiles});
        launcher(variant.kernel, {tiles}, variant.block, own, std::array{tiles, count_size, tile});
    }

    std::optional<Context> context = {};
};

/// Elements are collected in shared memory; a tile's, or a warp's, are then written as they lie there.
void select(codegen::ScanRequest& request, const ScanSpec& spec) {
    request.selected = spec.selected;
    request.stage = codegen::Snippet(text("if (item != prev_item) staged[item - 1] = ", spec.selected, "[i]"));
    const auto writing = [&](const char* loop, const char* condition, const char* first) {
        return codegen::Snippet(text("for (", loop, ") ", condition, spec.selected_to, "[", first,
                                     " + j] = staged[j];\n", spec.tile_statement));
    };
    request.tile_output = writing("int j = LID_0; j < tile_count; j += LDIM_0", "", "tile_first");
    // The lanes of a warp write to 32 elements that begin at a multiple of 32.
    request.warp_output =
        writing("int j = (LID_0 & 31) - (int)(run_first & 31); j < run_count; j += 32", "if (j >= 0) ", "run_first");
}

}  // namespace

Scan::Scan(std::vector<Parameter> arguments, DType dtype, const ScanSpec& spec) {
    auto state = std::make_shared<ScanState>();
    codegen::ScanRequest& request = state->request;
    request.name = spec.name;
    request.dtype = dtype;
    request.input = codegen::Snippet(spec.input_expr);
    request.counts = spec.counts;
    request.scan_expr = spec.scan_expr;
    request.neutral = chosen_identity("ScanKernel", spec.name, spec.identity, spec.neutral);
    request.output = codegen::Snippet(spec.output_statement);
    request.segment_start = codegen::Snippet(spec.is_segment_start_expr);
    request.preamble = spec.preamble;
    request.staged_type = spec.staged_type;
    state->staged_bytes = spec.staged_bytes;
    request.stage = codegen::Snippet(spec.stage_statement);
    request.tile_output = codegen::Snippet(spec.tile_statement);
    if (!spec.selected.empty()) select(request, spec);
    request.arguments = arguments;
    codegen::check_request(request);
    state->declared = declare_arguments("ScanKernel", spec.name, std::move(arguments),
                                        {&request.input, &request.output, &request.segment_start, &request.stage,
                                         &request.tile_output, &request.warp_output},
                                        request.preamble);
    state->declared.order_free = false;
    request.arguments = state->declared.parameters;
    state->compile = spec.compile;
    state->compile.name = spec.name;
    state_ = std::move(state);
}

void Scan::run(const ScanOptions& options, std::span<const CallArgument> arguments) const {
    run_generated(ScanCall{state_of("ScanKernel", state_), options}, arguments);
}

void Scan::run_rows(std::size_t row_length, const ScanOptions& options, std::span<const CallArgument> arguments) const {
    run_generated(ScanCall{state_of("ScanKernel", state_), options, row_length}, arguments);
}

std::string Scan::source(const Dialect& dialect, const std::map<std::string, DType>& types) const {
    return codegen::scan_source(state_of("ScanKernel", state_).typed(types), dialect);
}

}  // namespace gemel
