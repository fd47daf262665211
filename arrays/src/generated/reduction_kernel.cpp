#include <gemel/arrays/reduction_kernel.hpp>

#include "array/merge_axes.hpp"
#include "generated/identity.hpp"
#include "generated/reduction_layout.hpp"
#include "generated/result_argument.hpp"
#include "generated/spine.hpp"
#include "generated/staged_lines.hpp"

#include <gemel/codegen/reduction.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/graph.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace gemel {

struct ReductionState : GeneratorState<codegen::ReductionRequest> {};

namespace {

using Mapping = codegen::ReductionLayout::Mapping;

/// Memory that the launches of a variant share.
struct ReductionScratch {
    Buffer counters;  ///< all zero between launches
    /// The partial results of blocks; empty if each call allocates its own.
    std::vector<Buffer> running;
    std::mutex launching;  ///< held while launches that share the memory are enqueued, so that they run in one order

    bool fits(const ReductionScratch& other) const {
        const auto alike = [](const Buffer& a, const Buffer& b) { return a.size_bytes() == b.size_bytes(); };
        return !counters.empty() && alike(counters, other.counters) &&
               std::ranges::equal(running, other.running, alike);
    }
    /// This object; while a graph is recorded, a copy for the graph, so that the graph can run at the same time as
    /// other launches.
    ReductionScratch& of_this_launch(const Context& context) {
        if (counters.empty()) return *this;
        auto* const own = recorded<ReductionScratch>(this);
        if (!own) return *this;
        if (!own->fits(*this)) {
            own->running.clear();
            for (const Buffer& one : running) own->running.push_back(context.allocate(one.size_bytes()));
            // Zeroed once, since each launch leaves zeros; not allocated in the graph's memory, which other nodes
            // reuse.
            const RecordingPause pause;
            own->counters = context.allocate(counters.size_bytes());
            own->counters.fill(std::int32_t{0});
        }
        return *own;
    }
};

struct ReductionVariant : Variant {
    Kernel finish_kernel{nullptr};
    ReductionScratch scratch;
    bool fits_more = false;  ///< a unit can hold more blocks than the tuning wants
};

/// Bytes of a partial result. 16-bit floats are stored as float.
std::size_t running_bytes(const codegen::ReducedValue& value) {
    const DType running = value.accumulator.empty() ? value.dtype : value.accumulator;
    return std::max<std::size_t>(running.size_bytes(), 4);
}

/// Which axes are reduced.
struct AxisFlags {
    std::array<bool, max_axes> reduced{};
    bool all = true;
};

AxisFlags resolve(const DeclaredArguments& declared, const Shape& shape, const ReductionOptions& options) {
    AxisFlags axes;
    const auto rank = static_cast<int>(shape.rank());
    if (!options.axes) {
        axes.reduced.fill(true);
        return axes;
    }
    for (const int given : *options.axes) {
        const int axis = given < 0 ? given + rank : given;
        if (axis < 0 || axis >= rank)
            declared.refuse(text("axis ", given, " is out of range for arrays of ", rank, rank == 1 ? " axis" : " axes",
                                 "; use ", -rank, " to ", rank - 1));
        if (axes.reduced[static_cast<std::size_t>(axis)])
            declared.refuse(text("axis ", given, " is given twice; name each axis once"));
        axes.reduced[static_cast<std::size_t>(axis)] = true;
    }
    for (int axis = 0; axis < rank; ++axis) axes.all &= axes.reduced[static_cast<std::size_t>(axis)];
    return axes;
}

Shape result_shape(const Shape& shape, const AxisFlags& axes, bool keepdims) {
    Shape kept;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        if (!axes.reduced[axis]) {
            kept.push_back(shape[axis]);
        } else if (keepdims) {
            kept.push_back(1);
        }
    }
    return kept;
}

/// Whether threads read many single elements down a column of a matrix. NVIDIA's OpenCL compiler then makes slow code
/// of PTX inline: the maximum of (1000003, 263) floats along axis 0 takes 608 us on an H200, and 329 by comparisons.
bool reads_single_columns(const codegen::ReductionLayout& layout) {
    constexpr int many = 12;
    return layout.mapping == codegen::ReductionLayout::Mapping::columns && !layout.serial && layout.kept_rank == 1 &&
           layout.tile.vector_width == 1 && layout.tile.unroll >= many;
}

/// Allocates the results, or takes the caller's array for a single result.
/// @param operand  one of the call's arrays
void prepare_results(const ReductionState& state, const ReductionOptions& options, const AnyArray& operand,
                     const Shape& shape, std::span<const CallArgument> arguments, std::span<AnyArray> results) {
    for (std::size_t k = 0; k < results.size(); ++k) {
        const DType dtype = state.request.values[k].dtype;
        if (!options.out) {
            results[k] = AnyArray(operand.context(), dtype, shape);
            continue;
        }
        const AnyArray& out = *options.out;
        if (results.size() > 1) state.declared.refuse("has several results; .out takes a single one");
        if (out.empty() || !(out.dtype() == dtype) || !(out.shape() == shape) || !out.is_contiguous())
            state.declared.refuse(
                text("expected .out to be contiguous, of ", dtype.name(), " and shape ", to_string(shape), ", got ",
                     out.empty() ? "an empty handle"
                                 : text(out.dtype().name(), " and ", to_string(out.shape()),
                                        out.is_contiguous() ? "" : text(" with strides ", to_string(out.strides()))),
                     "; reduce into such an array and assign it"));
        if (!(out.context() == operand.context()))
            state.declared.refuse(
                "has an .out of another context than its arguments; copy_to(context) copies them there");
        // A single result is written after everything has been read.
        for (std::size_t i = 0; i < arguments.size() && shape.count() > 1; ++i)
            if (arguments[i].array && out.may_overlap(*arguments[i].array))
                state.declared.refuse(i,
                                      "shares memory with .out, which is written while other results are computed; "
                                      "pass a copy() of one of them");
        results[k] = out;
    }
}

bool all_of_one_shape(const BoundCall& call) {
    return std::ranges::all_of(
        call.arrays(), [&](const BoundCall::Array& a) { return !a.is_element || a.array->shape() == call.shape(); });
}

/// One call of a reduction.
struct ReductionCall {
    using Layout = codegen::ReductionLayout;
    using Tuning = codegen::ReductionTuning;
    using Variant = ReductionVariant;
    struct Work : Spread {
        Shape shape = {};  ///< of the results
        std::optional<std::int64_t> head = {};
        bool split = false, finish = false, offsets = false, has_span = false;
        bool overlap = true;  ///< LaunchConfig::overlap
        std::size_t finish_block = 0;
        // The calls for which this work is valid.
        std::optional<boost::container::small_vector<int, 4>> axes = {};
        bool keepdims = false;
    };

    const ReductionState& state;
    const ReductionOptions& options;
    std::span<AnyArray> results;

    std::uint64_t salt() const {
        std::uint64_t salt = options.keepdims ? 0x9E3779B97F4A7C15u : 0;
        if (options.axes)
            for (const int axis : *options.axes)
                salt = (salt ^ static_cast<std::uint64_t>(axis + 100)) * 0x100000001B3u;
        return salt;
    }
    bool resume(const Work& work, const AnyArray& array, std::span<const CallArgument> arguments) {
        const bool same_axes = work.axes.has_value() == options.axes.has_value() &&
                               (!work.axes || std::ranges::equal(*work.axes, *options.axes));
        if (!same_axes || work.keepdims != options.keepdims) return false;
        prepare_results(state, options, array, work.shape, arguments, results);
        return work.offsets == needs_offsets(results, KernelCache::of(array).addresses_are_linear());
    }

    bool begin(const BoundCall& call) {
        context = call.context();
        axes = resolve(state.declared, call.shape(), options);
        shape = result_shape(call.shape(), axes, options.keepdims);
        prepare_results(state, options, call.leading(), shape, call.arguments(), results);
        return shape.count() > 0;
    }

    Choice<Layout, Tuning> choose(const BoundCall& call, KernelCache& cache, bool checked) {
        const std::size_t outputs = shape.count();
        const DeviceInfo& info = cache.info();
        codegen::ReductionTuning tuning = choose_tuning(options.tuning, info, cache.tunings(*context),
                                                        {.count = call.count() / outputs,
                                                         .item_bytes = call.item_bytes(),
                                                         .arrays = call.array_count(),
                                                         .outputs = outputs},
                                                        codegen::reduction_tuning);
        tuning.block = codegen::fitting_block(state.request, tuning.block, info.shared_memory_per_block_bytes);
        const LayoutRequest request{.access_bytes = tuning.access_bytes,
                                    .count = call.count(),
                                    .checked = checked,
                                    .linear_addresses = cache.addresses_are_linear()};
        Layout layout{.serial = tuning.block == 1};
        CallLayout arrays;
        bool whole = axes.all || call.count() == 0;
        if (whole) {
            arrays = choose_layout(call, request);
            whole = arrays.kernel.rank == 0 || call.count() == 0 || !all_of_one_shape(call);
        }
        if (whole) {
            dealt = spread_whole(arrays, tuning, info, call.count(), outputs);
        } else {
            tuning.block = std::bit_floor(tuning.block);
            const std::size_t running = codegen::running_bytes(state.request);
            ReductionAxesLayout over =
                choose_reduction_layout(call, {axes.reduced.data(), call.shape().rank()}, request,
                                        static_cast<int>(std::bit_floor(std::max<std::size_t>(64 / running, 1))));
            over.values = results.size();
            over.is_cuda = context->dialect().name == "cuda";
            over.is_costly = is_costly(state.request, context->dialect());
            over.joins_are_costly = has_costly_joins(state.request);
            over.overlaps = results.size() == 1 && !state.request.values[0].extreme.dtype.empty();
            dealt = spread_over_axes(over, tuning, info, call.count(), outputs, running, layout);
            mark_staged(over, layout.tile);
            arrays = std::move(over.call);
        }
        layout.split = dealt.splits > 1;
        layout.finish = layout.split && !layout.serial && info.has_cross_block_visibility;
        layout.result_offsets.assign(results.size(), needs_offsets(results, cache.addresses_are_linear()));
        // The last block exceeds the end by at most the elements that all blocks process at a time.
        const auto staged = static_cast<std::size_t>(layout.tile.stage);
        const std::size_t step =
            dealt.splits * std::max<std::size_t>(tuning.block * std::max(tuning.unroll, 4u) * 2, staged);
        // CPUs address in 64 bits. After sums of 32-bit numbers, LLVM does not always see that elements are neighbours.
        arrays.kernel.wide_index |= layout.serial || call.count() + step >= std::size_t{1} << 31 ||
                                    outputs * dealt.splits >= std::size_t{1} << 31;
        layout.elements = arrays.kernel;
        return {std::move(arrays), layout, tuning};
    }

    std::shared_ptr<Variant> make(const BoundCall& call, const Choice<Layout, Tuning>& choice) const {
        const codegen::ReductionRequest request = state.typed(call.parameters());
        const Layout& layout = choice.layout;
        auto variant = std::make_shared<Variant>();
        const GeneratedText text{codegen::reduction_source(request, layout, choice.tuning, context->dialect())};
        CompileOptions compile = state.compile;
        if (reads_single_columns(layout)) compile.defines.emplace_back("GEMEL_COMPARED_EXTREMES", "1");
        const Module module = context->compile(text, compile);
        variant->kernel = module.kernel(request.name);
        variant->block = layout.serial ? 1 : choice.tuning.block;
        if (!layout.split) return variant;
        const DeviceInfo& info = KernelCache::of(*context).info();
        const std::uint32_t wanted = std::max(choice.tuning.blocks_per_unit, 1u);
        if (info.has_kernel_overlap) {
            const auto occupancy = variant->kernel.occupancy(variant->block);
            variant->fits_more = occupancy && occupancy->blocks_per_compute_unit > wanted;
        }
        if (!layout.finish) {
            variant->finish_kernel = module.kernel(request.name + "_finish");
            return variant;
        }
        const std::size_t groups = std::size_t{info.compute_units} * wanted + 1;
        variant->scratch.counters = context->allocate_attached(groups * sizeof(std::int32_t));
        context->default_stream().fill(variant->scratch.counters, std::int32_t{0});
        if (layout.mapping != Mapping::columns)
            for (const codegen::ReducedValue& value : request.values)
                variant->scratch.running.push_back(context->allocate_attached(
                    groups * static_cast<std::size_t>(layout.tile.across) * running_bytes(value)));
        return variant;
    }

    Work work(const BoundCall&, const Choice<Layout, Tuning>& choice, const Variant& variant) const {
        Work work{dealt};
        // Blocks that fill the device are spread evenly only if they begin after the previous kernel.
        const DeviceInfo& info = KernelCache::of(*context).info();
        const std::size_t units = info.compute_units, wanted = units * std::max(choice.tuning.blocks_per_unit, 1u);
        work.overlap = !(variant.fits_more && work.splits > 1 && work.blocks > wanted - units);
        work.shape = shape;
        if (choice.call.packed) work.head = static_cast<std::int64_t>(choice.call.head);
        work.has_span = choice.layout.serial && choice.layout.mapping == Mapping::rows;
        work.split = choice.layout.split;
        work.finish = choice.layout.finish;
        work.offsets = choice.layout.result_offsets.front();
        work.finish_block = std::min<std::size_t>(64, info.max_threads_per_block);
        if (options.axes) work.axes.emplace(options.axes->begin(), options.axes->end());
        work.keepdims = options.keepdims;
        return work;
    }

    void launch(const Work& work, Variant& variant, Launcher& launcher) const {
        boost::container::static_vector<Argument, 3 * max_call_arguments + 1> own;
        for (const AnyArray& result : results)
            own.push_back(work.offsets ? whole_memory(result) : result_argument(result));
        if (work.offsets)
            for (const AnyArray& result : results)
                own.push_back(
                    as_argument(static_cast<std::int64_t>(result.buffer().offset_bytes() + result.offset_bytes())));
        boost::container::static_vector<Buffer, max_call_arguments> partials;
        ReductionScratch& scratch =
            work.finish ? variant.scratch.of_this_launch(results[0].context()) : variant.scratch;
        if (work.split && scratch.running.empty())
            for (const codegen::ReducedValue& value : state.request.values)
                partials.push_back(results[0].context().allocate(work.splits * work.outputs * running_bytes(value)));
        if (work.split)
            for (std::size_t k = 0; k < results.size(); ++k)
                own.push_back(as_argument(scratch.running.empty() ? partials[k] : scratch.running[k]));
        const auto outputs = static_cast<std::int64_t>(work.outputs), splits = static_cast<std::int64_t>(work.splits);
        boost::container::static_vector<std::int64_t, 4> sizes{static_cast<std::int64_t>(work.count), outputs, splits};
        if (work.head) sizes.push_back(*work.head);
        if (work.has_span) sizes.push_back(static_cast<std::int64_t>(work.span));
        std::unique_lock<std::mutex> lock(scratch.launching, std::defer_lock);
        if (work.finish) {
            own.push_back(as_argument(scratch.counters));
            lock.lock();
        }
        launcher(variant.kernel, {work.blocks}, variant.block, own, sizes,
                 work.overlap ? LaunchOrder::overlapping : LaunchOrder::after_last);
        if (!work.split || work.finish) return;
        const std::size_t blocks = (work.outputs + work.finish_block - 1) / work.finish_block;
        launcher.alone(variant.finish_kernel, {blocks}, static_cast<std::uint32_t>(work.finish_block), own,
                       std::array{sizes[0], outputs, splits});
    }

    std::optional<Context> context = {};  ///< of a call that is not remembered
    AxisFlags axes = {};
    Shape shape = {};
    Spread dealt = {};
};

}  // namespace

Reduction::Reduction(std::vector<Parameter> arguments, std::vector<ReductionResult> results, std::vector<DType> dtypes,
                     std::string name, std::string preamble, CompileOptions compile) {
    auto state = std::make_shared<ReductionState>();
    codegen::ReductionRequest& request = state->request;
    request.name = name;
    request.preamble = std::move(preamble);
    if (results.size() != dtypes.size())
        throw ArgumentError(
            text("ReductionKernel '", name, "': ", dtypes.size(), " result types, but ", results.size(), " results"));
    for (std::size_t k = 0; k < results.size(); ++k)
        request.values.push_back(
            {.dtype = dtypes[k],
             .accumulator = results[k].accumulator,
             .neutral = chosen_identity("ReductionKernel", name, results[k].identity, results[k].neutral),
             .map_expr = codegen::Snippet(std::move(results[k].map_expr)),
             .reduce_expr = std::move(results[k].reduce_expr),
             .replace_if = std::move(results[k].replace_if),
             .extreme = std::move(results[k].extreme),
             .result_expr = std::move(results[k].result_expr),
             .is_exact = results[k].is_exact});
    codegen::check_request(request);
    std::vector<const codegen::Snippet*> snippets;
    for (const codegen::ReducedValue& value : request.values) snippets.push_back(&value.map_expr);
    state->declared =
        declare_arguments("ReductionKernel", std::move(name), std::move(arguments), snippets, request.preamble);
    for (std::size_t i = 0; i < state->declared.parameters.size(); ++i)
        if (state->declared.uses[i].element_written || state->declared.uses[i].elsewhere_written)
            state->declared.refuse(i, "is written by the map expression; a reduction only reads");
    for (Parameter& p : state->declared.parameters) p.is_const |= p.is_pointer;
    for (const codegen::Snippet* snippet : snippets) state->declared.order_free &= !snippet->uses("reduced_index");
    request.arguments = state->declared.parameters;
    state->compile = std::move(compile);
    state->compile.name = request.name;
    state_ = std::move(state);
}

void Reduction::run(const ReductionOptions& options, std::span<const CallArgument> arguments,
                    std::span<AnyArray> results) const {
    run_generated(ReductionCall{state_of("ReductionKernel", state_), options, results}, arguments);
}

int Reduction::launches(const ReductionOptions& options, std::span<const CallArgument> arguments) const {
    const ReductionState& state = state_of("ReductionKernel", state_);
    const BoundCall call(state.declared, arguments);
    std::vector<AnyArray> results(state.request.values.size());
    ReductionCall reduction{state, options, results};
    if (!reduction.begin(call)) return 0;
    const auto layout = reduction.choose(call, KernelCache::of(call.leading()), false).layout;
    return layout.split && !layout.finish ? 2 : 1;
}

std::string Reduction::source(const Dialect& dialect, const std::map<std::string, DType>& types) const {
    return codegen::reduction_source(state_of("ReductionKernel", state_).typed(types), dialect);
}

}  // namespace gemel
