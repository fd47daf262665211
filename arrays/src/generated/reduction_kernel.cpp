#include <gemel/arrays/reduction_kernel.hpp>

#include "generated/bounds_check.hpp"
#include "generated/call.hpp"
#include "generated/plan_cache.hpp"

#include <gemel/codegen/reduction.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <limits>

namespace gemel {

struct ReductionState {
    codegen::ReductionRequest request;
    DeclaredArguments declared;
    CompileOptions compile;
    std::uint64_t id = PlanCache::new_generator();
};

namespace {

using Mapping = codegen::ReductionLayout::Mapping;

/// A variant with what its launches share.
struct ReductionPlan : Plan {
    Kernel finish_kernel{nullptr};
    Buffer counters;  ///< all zero between launches
    std::vector<Buffer>
        running;  ///< where the blocks of all launches leave their values; none if each call brings its own
    mutable std::mutex launching;  ///< launches that share these enter their stream in one order
};

/// The work of one call.
struct Work {
    std::size_t count = 0;  ///< elements per output
    std::size_t outputs = 1;
    std::size_t splits = 1;
    std::size_t blocks = 1;  ///< of threads
};

Work spread(const Call& call, const codegen::Tuning& tuning, const DeviceInfo& device, std::size_t outputs,
            Mapping mapping, bool serial) {
    Work work{.count = outputs ? call.count() / outputs : 0, .outputs = outputs};
    const std::size_t block = serial ? 1 : tuning.block;
    const std::size_t resident = std::size_t{device.compute_units} * std::max(tuning.blocks_per_unit, 1u);
    const std::size_t groups = mapping == Mapping::thread_per_output ? (outputs + block - 1) / block : outputs;
    // A split is worth its while if each of its threads has several elements.
    const std::size_t per_thread = mapping == Mapping::thread_per_output ? 64
                                   : serial                              ? 4096
                                   : call.packed() ? std::size_t{tuning.unroll} * static_cast<std::size_t>(call.lanes())
                                                   : 4;
    const std::size_t threads = mapping == Mapping::thread_per_output ? 1 : block;
    const std::size_t useful =
        std::max<std::size_t>(1, (work.count + per_thread * threads - 1) / (per_thread * threads));
    work.splits =
        groups >= resident ? 1 : std::clamp<std::size_t>(resident / std::max<std::size_t>(groups, 1), 1, useful);
    work.blocks = groups * work.splits;
    return work;
}

/// What a block leaves behind of one result. 16-bit floats run as float.
std::size_t running_bytes(const codegen::ReducedValue& value) {
    const DType running = value.accumulator.empty() ? value.dtype : value.accumulator;
    return std::max<std::size_t>(running.size_bytes(), 4);
}

std::shared_ptr<Plan> make_plan(const ReductionState& state, const Call& call, const Context& context,
                                const codegen::Tuning& tuning, const codegen::ReductionLayout& layout,
                                std::size_t groups) {
    codegen::ReductionRequest request = state.request;
    request.arguments = call.parameters();
    request.preamble = named_types(state.declared, request.arguments) + request.preamble;
    auto plan = std::make_shared<ReductionPlan>();
    const Module module = context.compile(
        GeneratedText{codegen::reduction_source(request, layout, tuning, context.dialect())}, state.compile);
    plan->kernel = module.kernel(request.name);
    plan->block = layout.serial ? 1 : tuning.block;
    if (layout.split && layout.finish) {
        plan->counters = context.allocate_attached(groups * sizeof(std::int32_t));
        context.default_stream().fill(plan->counters, std::int32_t{0});
        if (layout.mapping == Mapping::block_per_output)
            for (const codegen::ReducedValue& value : request.values)
                plan->running.push_back(context.allocate_attached(groups * running_bytes(value)));
    } else if (layout.split) {
        plan->finish_kernel = module.kernel(request.name + "_finish");
    }
    return plan;
}

/// Which axes are reduced.
struct AxisFlags {
    std::array<bool, most_call_axes> reduced{};
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
            declared.refuse(
                text("axis ", given, " is out of range for arrays of ", rank, rank == 1 ? " axis" : " axes"));
        if (axes.reduced[static_cast<std::size_t>(axis)]) declared.refuse(text("axis ", given, " is given twice"));
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

/// Allocates the results, or takes the array that the caller gives for a single one.
void place_results(const ReductionState& state, const ReductionOptions& options, const Context& context,
                   const Shape& shape, std::span<const CallArgument> arguments, std::span<AnyArray> results) {
    for (std::size_t k = 0; k < results.size(); ++k) {
        const DType dtype = state.request.values[k].dtype;
        if (!options.out) {
            results[k] = AnyArray(context, dtype, shape);
            continue;
        }
        const AnyArray& out = *options.out;
        if (results.size() > 1) state.declared.refuse("has several results; .out takes a single one");
        if (out.empty() || !(out.dtype() == dtype) || !(out.shape() == shape) || !out.is_contiguous())
            state.declared.refuse(text("the array for the result must be contiguous, of ", dtype.name(), " and shape ",
                                       to_string(shape), ", but is of ", out.empty() ? "nothing" : out.dtype().name(),
                                       " and ", to_string(out.shape())));
        // A single value is written when all has been read.
        for (std::size_t i = 0; i < arguments.size() && shape.count() > 1; ++i)
            if (arguments[i].array && out.may_overlap(*arguments[i].array))
                state.declared.refuse(
                    i,
                    "shares memory with the array for the results, which are written while others are computed; "
                    "pass a copy() of one of them");
        results[k] = out;
    }
}

/// Whether the kernel must be told where in its buffer a result begins.
bool needs_offsets(std::span<const AnyArray> results, bool linear) {
    return !linear && std::any_of(results.begin(), results.end(), [](const AnyArray& result) {
        return result.buffer().offset_bytes() + result.offset_bytes() != 0;
    });
}

Argument result_argument(const AnyArray& result) {
    Argument argument = as_argument(result.buffer());
    argument.offset_bytes += result.offset_bytes();
    return argument;
}

/// A call that was one launch: its results and running values are new each time, the rest is as it was.
struct RecentReduction : RecentCall {
    RecentReduction(RecentCall call, const ReductionOptions& options, Shape results, std::size_t first, bool counted)
        : RecentCall(std::move(call)),
          axes(options.axes),
          keepdims(options.keepdims),
          shape(std::move(results)),
          first_result(first),
          counts(counted) {}
    std::optional<std::vector<int>> axes;
    bool keepdims;
    Shape shape;               ///< of the results
    std::size_t first_result;  ///< among the arguments; running values follow the results
    std::vector<std::size_t>
        running_bytes{};  ///< of each result; none if blocks do not meet or the plan has the places
    bool counts;          ///< blocks are counted, by all launches in the same places
};

std::uint64_t recent_hash(const ReductionState& state, const ReductionOptions& options,
                          std::span<const CallArgument> arguments) {
    std::uint64_t hash = RecentCalls::hash(state.id, arguments) ^ (options.keepdims ? 0x9E3779B97F4A7C15u : 0);
    if (options.axes)
        for (const int axis : *options.axes) hash = (hash ^ static_cast<std::uint64_t>(axis + 100)) * 0x100000001B3u;
    return hash;
}

/// Launches a call that has been made before. Returns false if there is none like it.
bool launch_again(const ReductionState& state, const ReductionOptions& options, std::span<const CallArgument> arguments,
                  std::span<AnyArray> results) {
    const auto with_array = std::find_if(arguments.begin(), arguments.end(), [](const auto& a) { return a.array; });
    if (with_array == arguments.end() || with_array->array->empty()) return false;
    PlanCache& cache = PlanCache::of(*with_array->array);
    const auto found = cache.recent().find(recent_hash(state, options, arguments));
    if (!found || !found->is_like(state.id, options.tuning, arguments) || !cache.has_no_tunings()) return false;
    const auto& recent = static_cast<const RecentReduction&>(*found);
    if (recent.axes != options.axes || recent.keepdims != options.keepdims) return false;
    const Context context = with_array->array->context();
    place_results(state, options, context, recent.shape, arguments, results);
    if (needs_offsets(results, cache.addresses_are_linear())) return false;

    ArgumentList list;
    recent.pack(state.declared, arguments, list);
    std::size_t at = recent.first_result;
    for (const AnyArray& result : results) list.replace(at++, result_argument(result));
    std::optional<std::array<Buffer, most_call_arguments>> running;
    if (!recent.running_bytes.empty()) running.emplace();
    for (std::size_t k = 0; k < recent.running_bytes.size(); ++k) {
        (*running)[k] = context.allocate(recent.running_bytes[k]);
        list.replace(at++, as_argument((*running)[k]));
    }
    const auto& plan = static_cast<const ReductionPlan&>(recent.plan());
    std::unique_lock<std::mutex> lock(plan.launching, std::defer_lock);
    if (recent.counts) lock.lock();
    plan.kernel.launch({.grid = recent.grid(), .block = {plan.block}, .stream = options.stream}, list.span());
    return true;
}

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
        request.values.push_back({.dtype = dtypes[k],
                                  .accumulator = results[k].accumulator,
                                  .neutral = std::move(results[k].neutral),
                                  .map_expr = codegen::Snippet(std::move(results[k].map_expr)),
                                  .reduce_expr = std::move(results[k].reduce_expr),
                                  .replace_if = std::move(results[k].replace_if),
                                  .result_expr = std::move(results[k].result_expr)});
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
    const ReductionState& state = kept_by("ReductionKernel", state_);
    if (launch_again(state, options, arguments, results)) return;
    Call call(state.declared, arguments);
    const Context context = call.context();
    const AxisFlags axes = resolve(state.declared, call.shape(), options);
    const Shape shape = result_shape(call.shape(), axes, options.keepdims);
    const std::size_t outputs = shape.count();
    place_results(state, options, context, shape, arguments, results);
    if (outputs == 0) return;

    PlanCache& cache = PlanCache::of(context);
    codegen::Tuning tuning = choose_tuning(options.tuning, context, cache, "reduction",
                                           {.count = call.count() / outputs,
                                            .item_bytes = call.item_bytes(),
                                            .arrays = call.array_count(),
                                            .outputs = outputs},
                                           codegen::reduction_tuning);
    tuning.block = codegen::fitting_block(state.request, tuning.block, cache.info().shared_memory_per_block_bytes);
    BoundsCheck bounds(call, cache);
    const bool linear = cache.addresses_are_linear(), whole = axes.all;
    codegen::ReductionLayout layout;
    layout.serial = tuning.block == 1;
    if (whole || call.count() == 0) {
        call.choose_layout(tuning, false, linear, call.count());
    } else {
        const std::size_t run = call.count() / outputs;
        const bool neighbours_are_outputs =
            call.choose_reduction_layout({axes.reduced.data(), call.shape().rank()}, linear);
        // Threads of one block along a short run would be idle.
        layout.mapping = neighbours_are_outputs || (run < 64 && outputs > run) ? Mapping::thread_per_output
                                                                               : Mapping::block_per_output;
        if (layout.serial && layout.mapping == Mapping::thread_per_output) layout.mapping = Mapping::block_per_output;
    }
    const Work work = spread(call, tuning, cache.info(), outputs, layout.mapping, layout.serial);
    layout.kept_rank = call.kept_rank();
    layout.has_index = call.has_index();
    layout.split = work.splits > 1;
    layout.finish = layout.split && !layout.serial && cache.info().has_cross_block_visibility;
    const bool any_offset = needs_offsets(results, linear);
    // Blocks step over the end by what all of them take at once.
    const std::size_t step = work.splits * tuning.block * std::max(tuning.unroll, 4u);
    if (call.count() + step >= std::size_t{1} << 31 || outputs * work.splits >= std::size_t{1} << 31) call.make_wide();

    CallKey key;
    key.add(state.id);
    key.add(std::uint64_t{tuning.block} << 32 | tuning.unroll << 16 | tuning.access_bytes);
    key.add(tuning.items_per_thread | std::uint64_t{layout.serial} << 32 | std::uint64_t{layout.split} << 33 |
            std::uint64_t{layout.finish} << 34 | std::uint64_t{any_offset} << 35 |
            std::uint64_t{layout.has_index} << 36 | std::uint64_t{layout.mapping == Mapping::thread_per_output} << 37);
    key.add(tuning.blocks_per_unit);
    call.add_to(key);
    const std::size_t most_groups = std::size_t{cache.info().compute_units} * std::max(tuning.blocks_per_unit, 1u) + 1;
    const auto plan = std::static_pointer_cast<ReductionPlan>(cache.find(key, [&] {
        layout.elements = call.layout();
        layout.result_offsets.assign(results.size(), any_offset);  // vectors: not on warm calls
        return make_plan(state, call, context, tuning, layout, most_groups);
    }));

    ArgumentList list, finish_list;
    call.pack(list);
    bounds.add_to(list);
    const auto add_to_both = [&](const Argument& argument) {
        list.add(argument);
        finish_list.add(argument);
    };
    const std::size_t first_result = list.size();
    for (const AnyArray& result : results) {
        Argument argument = result_argument(result);
        if (any_offset) argument.offset_bytes = 0;
        add_to_both(argument);
    }
    if (any_offset)
        for (const AnyArray& result : results)
            add_to_both(as_argument(static_cast<std::int64_t>(result.buffer().offset_bytes() + result.offset_bytes())));
    std::array<Buffer, most_call_arguments> partials;
    if (layout.split)
        for (std::size_t k = 0; k < results.size(); ++k) {
            partials[k] = plan->running.empty()
                              ? context.allocate(work.splits * outputs * running_bytes(state.request.values[k]))
                              : plan->running[k];
            add_to_both(as_argument(partials[k]));
        }
    if (layout.finish) list.add(as_argument(plan->counters));
    list.add(call.index(static_cast<std::int64_t>(work.count)));
    list.add(call.index(static_cast<std::int64_t>(outputs)));
    list.add(call.index(static_cast<std::int64_t>(work.splits)));
    if (call.packed()) list.add(call.index(static_cast<std::int64_t>(call.head())));
    if (!any_offset && layout.split == layout.finish && !cache.checks_bounds() && cache.has_no_tunings()) {
        const std::uint64_t hash = recent_hash(state, options, arguments);
        if (cache.recent().is_second(hash)) {
            auto recent = std::make_shared<RecentReduction>(
                RecentCall(state.id, options.tuning, arguments, call, plan, {work.blocks}, list.span()), options, shape,
                first_result, layout.finish);
            if (layout.split && plan->running.empty())
                for (const codegen::ReducedValue& value : state.request.values)
                    recent->running_bytes.push_back(work.splits * outputs * running_bytes(value));
            cache.recent().remember(hash, std::move(recent));
        }
    }
    std::unique_lock<std::mutex> lock(plan->launching, std::defer_lock);
    if (layout.finish) lock.lock();
    plan->kernel.launch({.grid = {work.blocks}, .block = {plan->block}, .stream = options.stream}, list.span());
    bounds.finish();
    if (!layout.split || layout.finish) return;
    finish_list.add(call.index(static_cast<std::int64_t>(outputs)));
    finish_list.add(call.index(static_cast<std::int64_t>(work.splits)));
    const std::size_t block = std::min<std::size_t>(64, cache.info().max_threads_per_block);
    plan->finish_kernel.launch({.block = {block}, .threads = {outputs}, .stream = options.stream}, finish_list.span());
}

std::string Reduction::source(const Dialect& dialect, const std::map<std::string, DType>& types) const {
    const ReductionState& state = kept_by("ReductionKernel", state_);
    codegen::ReductionRequest request = state.request;
    request.arguments = bind_types(state.declared, {types.begin(), types.end()});
    request.preamble = named_types(state.declared, request.arguments) + request.preamble;
    return codegen::reduction_source(request, dialect);
}

}  // namespace gemel
