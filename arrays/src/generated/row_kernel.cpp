#include "generated/row_kernel.hpp"

#include "array/merge_axes.hpp"
#include "generated/result_argument.hpp"
#include "generated/row_layout.hpp"
#include "generated/spine.hpp"
#include "generated/staged_lines.hpp"
#include "generated/tile_states.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>

namespace gemel {

struct RowState : GeneratorState<codegen::RowRequest> {};

namespace {

using Mapping = codegen::ReductionLayout::Mapping;

/// A variant with the memory through which blocks that share a row communicate.
struct RowVariant : Variant {
    TileStates tiles;
    std::size_t teams = 0;  ///< of blocks that stay: groups of blocks that are resident
};

/// Fields that depend on the layout of the rows stay open.
codegen::RowTuning row_tuning(const DeviceInfo& device, const codegen::Workload&) {
    if (device.type == DeviceInfo::Type::cpu) return {.block = 1, .access_bytes = 1};
    return {.access_bytes = 16};
}

/// One call of a row program.
struct RowCall {
    using Layout = codegen::RowLayout;
    using Tuning = codegen::RowTuning;
    using Variant = RowVariant;
    struct Work : RowSpread {
        std::size_t state_words = 0;  ///< per block, if blocks share rows
        std::size_t arena_bytes = 0;  ///< RowLayout::arena_bytes
        std::size_t launched = 0;     ///< blocks; fewer than there are parts of rows if blocks stay
        bool offsets = false, serial_rows = false;
        std::vector<bool> along = {};
    };

    const RowState& state;
    const RowOptions& options;
    std::span<const AnyArray> results;

    std::uint64_t salt() const {
        std::uint64_t salt = 0x51ED270B0A1F39C1u;
        for (const bool flag : options.along) salt = (salt ^ (flag ? 3u : 5u)) * 0x100000001B3u;
        return salt;
    }
    bool resume(const Work& work, const AnyArray& array, std::span<const CallArgument>) {
        context = array.context();
        return work.along == options.along &&
               work.offsets == needs_offsets(results, KernelCache::of(array).addresses_are_linear());
    }

    bool begin(const BoundCall& call) {
        context = call.context();
        return call.count() > 0;
    }

    Choice<Layout, Tuning> choose(const BoundCall& call, KernelCache& cache, bool checked) {
        const DeviceInfo& info = cache.info();
        RowWork rows{.running_bytes = codegen::running_bytes(state.request)};
        std::array<bool, max_axes> reduced{};
        for (std::size_t axis = 0; axis < call.shape().rank(); ++axis) {
            reduced[axis] = options.along[axis];
            (reduced[axis] ? rows.count : rows.outputs) *= static_cast<std::size_t>(call.shape()[axis]);
        }
        add_kept_bytes(call, rows);
        for (const codegen::RowLoop& loop : state.request.loops)
            for (const codegen::RowComputed& kept : loop.kept)
                rows.computed_bytes += std::max(kept.dtype.size_bytes(), 4u);
        const Tuning tuning = choose_tuning(options.tuning, info, cache.tunings(*context),
                                            {.count = rows.count, .outputs = rows.outputs}, row_tuning);
        const LayoutRequest request{.access_bytes = tuning.access_bytes,
                                    .count = call.count(),
                                    .checked = checked,
                                    .linear_addresses = cache.addresses_are_linear()};
        const int most = static_cast<int>(
            std::bit_floor(std::max<std::size_t>(64 / std::max<std::size_t>(rows.running_bytes, 1), 1)));
        ReductionAxesLayout over = choose_reduction_layout(call, {reduced.data(), call.shape().rank()}, request, most);
        over.is_cuda = context->dialect().name == "cuda";
        Layout layout;
        dealt = spread_rows(over, tuning, info, rows, layout);
        mark_staged(over, layout.tile);
        layout.result_offsets.assign(results.size(), needs_offsets(results, cache.addresses_are_linear()));
        // The last block exceeds the end by at most the elements that one block processes.
        over.call.kernel.wide_index |= call.count() + (std::size_t{1} << 18) >= std::size_t{1} << 31;
        layout.elements = over.call.kernel;
        return {std::move(over.call), layout, tuning};
    }

    std::shared_ptr<Variant> make(const BoundCall& call, const Choice<Layout, Tuning>& choice) const {
        const codegen::RowRequest request = state.typed(call.parameters());
        auto variant = std::make_shared<RowVariant>();
        const GeneratedText text{codegen::row_source(request, choice.layout, context->dialect())};
        variant->kernel = context->compile(text, state.compile).kernel(request.name);
        variant->block = static_cast<std::uint32_t>(choice.layout.block);
        if (choice.layout.stays) variant->teams = resident_teams(*variant, choice.layout);
        return variant;
    }

    /// Groups of blocks that share rows and can be resident; more of them would wait until others end.
    std::size_t resident_teams(const RowVariant& variant, const Layout& layout) const {
        const auto occupancy = variant.kernel.occupancy(variant.block);
        const std::size_t of_unit = occupancy ? std::max(occupancy->blocks_per_compute_unit, 1u) : 1;
        const std::size_t resident = of_unit * KernelCache::of(*context).info().compute_units;
        return std::max<std::size_t>(resident / static_cast<std::size_t>(layout.parts), 1);
    }

    Work work(const BoundCall&, const Choice<Layout, Tuning>& choice, const Variant& variant) const {
        Work work{dealt};
        work.launched = work.blocks;
        work.arena_bytes = choice.layout.arena_bytes;
        if (variant.teams)
            work.launched = std::min(work.blocks, variant.teams * static_cast<std::size_t>(choice.layout.parts));
        work.offsets = !choice.layout.result_offsets.empty() && choice.layout.result_offsets.front();
        work.serial_rows = choice.layout.serial && choice.layout.mapping == Mapping::rows;
        work.along = options.along;
        const codegen::ReductionTile& tile = choice.layout.tile;
        const int of_block = choice.layout.mapping == Mapping::rows ? 1 : tile.across * tile.vector_width;
        if (choice.layout.parts > 1 && !choice.layout.clusters)
            work.state_words = codegen::state_words(state.request) * static_cast<std::size_t>(of_block);
        return work;
    }

    void launch(const Work& work, Variant& variant, Launcher& launcher) const {
        boost::container::static_vector<Argument, 2 * max_call_arguments + 4> own;
        for (const AnyArray& result : results)
            own.push_back(work.offsets ? whole_memory(result) : result_argument(result));
        if (work.offsets)
            for (const AnyArray& result : results)
                own.push_back(
                    as_argument(static_cast<std::int64_t>(result.buffer().offset_bytes() + result.offset_bytes())));
        boost::container::static_vector<std::int64_t, 3> sizes{static_cast<std::int64_t>(work.count),
                                                               static_cast<std::int64_t>(work.outputs)};
        if (work.serial_rows) sizes.push_back(static_cast<std::int64_t>(work.span));
        if (work.state_words == 0)
            return launcher(variant.kernel, {work.blocks}, variant.block, own, sizes, LaunchOrder::overlapping,
                            work.arena_bytes);
        TileStates& states = variant.tiles.of_this_launch();
        std::lock_guard lock(states.launching);
        states.begin(*context, work.blocks, work.state_words);
        for (const Argument& argument : {as_argument(states.states), as_argument(states.ticket),
                                         as_argument(states.dealt), as_argument(states.epoch)})
            own.push_back(argument);
        // Blocks that share a row wait for each other, whether or not all blocks are resident.
        launcher(variant.kernel, {work.launched}, variant.block, own, sizes, LaunchOrder::exclusive);
        states.dealt += static_cast<std::uint32_t>(work.launched);
    }

    /// Bytes of the elements that loops use; elements that only the body uses are not kept.
    void add_kept_bytes(const BoundCall& call, RowWork& work) const {
        work.kept_bytes = work.stored_bytes = 0;
        for (std::size_t i = 0; i < call.arrays().size(); ++i) {
            const std::string& name = state.request.arguments[i].name;
            const bool is_named = std::ranges::any_of(state.request.loops, [&](const codegen::RowLoop& loop) {
                return loop.statements.use_of(name).element ||
                       std::ranges::any_of(
                           loop.kept,
                           [&](const codegen::RowComputed& kept) { return kept.value.use_of(name).element; }) ||
                       std::ranges::any_of(loop.values, [&](const codegen::ReducedValue& value) {
                           return value.map_expr.use_of(name).element;
                       });
            });
            if (!is_named || !call.arrays()[i].array) continue;
            // Compilers keep 16-bit floats as floats, in which they are computed.
            const DType dtype = call.arrays()[i].array->dtype();
            work.kept_bytes += std::max(dtype.size_bytes(), 4u);
            work.stored_bytes += dtype.size_bytes();
            work.narrow |= dtype.is_16_bit_float();
        }
        work.kept_bytes = std::max<std::size_t>(work.kept_bytes, 1);
        work.stored_bytes = std::max<std::size_t>(work.stored_bytes, 1);
    }

    std::optional<Context> context = {};
    RowSpread dealt = {};
};

std::string cut_of(const codegen::RowLayout& layout) {
    const bool rows = layout.mapping == Mapping::rows;
    const char* const what = rows ? "row" : "column";
    if (layout.serial)
        return rows ? text("one thread per ", what) : text("one thread for ", layout.tile.vector_width, " columns");
    const int along = layout.block / layout.tile.across;
    const int side = layout.tile.across * (rows ? layout.tile.rows : layout.tile.vector_width);
    return text(
        "blocks of ", layout.block, " threads: ", along, along == 1 ? " thread" : " threads", " per ", what, ", ", side,
        " ", what, side == 1 ? "" : "s", " per block, accesses of ", layout.tile.vector_width,
        layout.tile.vector_width == 1 ? " element" : " elements",
        layout.tile.stage ? " of shared memory, to which the block's rows are copied as one piece" : "",
        layout.parts > 1 ? text("; ", layout.parts, " blocks share a ", what, ", which stays in their registers",
                                layout.shared_slots ? " and shared memory" : "",
                                layout.stays      ? ", and go on to further ones"
                                : layout.clusters ? ", as a cluster"
                                                  : "")
        : layout.slots   ? text("; the ", what, " stays in registers", layout.shared_slots ? " and shared memory" : "",
                                " (", layout.slots + layout.shared_slots, " accesses per thread)")
                         : text("; each loop reads the ", what, " again"));
}

}  // namespace

RowKernel::RowKernel(codegen::RowRequest request) {
    auto state = std::make_shared<RowState>();
    std::vector<const codegen::Snippet*> snippets{&request.body};
    for (const codegen::RowLoop& loop : request.loops) {
        snippets.push_back(&loop.statements);
        for (const codegen::RowComputed& kept : loop.kept) snippets.push_back(&kept.value);
        for (const codegen::RowComputed& fixed : loop.fixed) snippets.push_back(&fixed.value);
        for (const codegen::ReducedValue& value : loop.values) snippets.push_back(&value.map_expr);
    }
    for (const codegen::RowResult& result : request.results) snippets.push_back(&result.value);
    state->declared =
        declare_arguments("row program", request.name, std::move(request.arguments), snippets, request.preamble);
    request.arguments = state->declared.parameters;
    for (const codegen::Snippet* snippet : snippets) state->declared.order_free &= !snippet->uses("reduced_index");
    state->compile.name = request.name;
    state->request = std::move(request);
    state_ = std::move(state);
}

void RowKernel::run(const RowOptions& options, std::span<const CallArgument> arguments,
                    std::span<const AnyArray> results) const {
    run_generated(RowCall{*state_, options, results}, arguments);
}

RowKernel::Description RowKernel::describe(const RowOptions& options, std::span<const CallArgument> arguments,
                                           const Dialect& dialect) const {
    const BoundCall call(state_->declared, arguments);
    const std::vector<AnyArray> none(state_->request.results.size(), call.leading());
    RowCall generator{*state_, options, none};
    generator.begin(call);
    const auto choice = generator.choose(call, KernelCache::of(call.leading()), false);
    return {.text = codegen::row_source(state_->typed(call.parameters()), choice.layout, dialect),
            .cut = cut_of(choice.layout),
            .reads_again = choice.layout.slots == 0 && !choice.layout.serial};
}

const codegen::RowRequest& RowKernel::request() const { return state_->request; }

}  // namespace gemel
