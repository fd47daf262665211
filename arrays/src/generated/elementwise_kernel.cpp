#include <gemel/arrays/elementwise_kernel.hpp>

#include "generated/bounds_check.hpp"
#include "generated/call.hpp"
#include "generated/plan_cache.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <limits>

namespace gemel {

struct ElementwiseState {
    codegen::ElementwiseRequest request;
    DeclaredArguments declared;
    CompileOptions compile;
    std::uint64_t id = PlanCache::new_generator();
};

namespace {

std::shared_ptr<const ElementwiseState> make_state(std::vector<Parameter> arguments, std::string operation,
                                                   std::string name, ElementwiseOptions options) {
    auto state = std::make_shared<ElementwiseState>();
    codegen::ElementwiseRequest& request = state->request;
    request.name = name;
    request.arguments = std::move(arguments);
    request.operation = codegen::Snippet(std::move(operation));
    request.preamble = std::move(options.preamble);
    request.loop_prep = std::move(options.loop_prep);
    request.after_loop = std::move(options.after_loop);
    const codegen::Snippet before(request.loop_prep), after(request.after_loop);
    state->declared = declare_arguments("ElementwiseKernel", std::move(name), request.arguments,
                                        {&request.operation, &before, &after}, request.preamble);
    request.arguments = state->declared.parameters;
    codegen::check_request(request);
    state->compile = std::move(options.compile);
    state->compile.name = request.name;
    return state;
}

/// The indices start, start + step, ... of a range in an array of `length`.
struct Indices {
    std::int64_t start = 0, step = 1, count = 0;
};

Indices resolve(const DeclaredArguments& declared, const IndexRange& range, std::size_t length) {
    const auto n = static_cast<std::int64_t>(length);
    if (range.step == 0) declared.refuse("the step of the range is 0");
    const std::int64_t stop = range.stop.value_or(range.step > 0 ? n : -1);
    Indices indices{range.start, range.step, 0};
    if (range.step > 0 && stop > range.start) indices.count = (stop - range.start - 1) / range.step + 1;
    if (range.step < 0 && stop < range.start) indices.count = (range.start - stop - 1) / -range.step + 1;
    if (indices.count == 0) return indices;
    const std::int64_t last = indices.start + (indices.count - 1) * indices.step;
    for (const std::int64_t index : {indices.start, last})
        if (index < 0 || index >= n)
            declared.refuse(text("the range reaches index ", index, ", but the arrays have ", n, " elements"));
    return indices;
}

std::shared_ptr<Plan> make_plan(const ElementwiseState& state, const Call& call, const Context& context,
                                codegen::Tuning tuning, bool block_given) {
    codegen::ElementwiseRequest request = state.request;
    request.arguments = call.parameters();
    request.preamble = named_types(state.declared, request.arguments) + request.preamble;
    const codegen::KernelLayout layout = call.layout();
    const auto compile = [&] {
        const GeneratedText text{codegen::elementwise_source(request, layout, tuning, context.dialect())};
        return context.compile(text, state.compile).kernel(request.name);
    };
    auto plan = std::make_shared<Plan>();
    plan->kernel = compile();
    // A large block leaves few registers per thread: what does not fit into them wants a smaller one.
    if (!block_given && tuning.block > 256 && plan->kernel.attributes().local_bytes.value_or(0) > 0) {
        tuning.block = 256;
        plan->kernel = compile();
    }
    plan->block = tuning.block;
    plan->unroll = std::max(tuning.unroll, 1u);
    return plan;
}

/// Launches a call that has been made before. Returns false if there is none like it.
bool launch_again(const ElementwiseState& state, const CallOptions& options, std::span<const CallArgument> arguments) {
    const auto with_array = std::find_if(arguments.begin(), arguments.end(), [](const auto& a) { return a.array; });
    if (with_array == arguments.end() || with_array->array->empty()) return false;
    PlanCache& cache = PlanCache::of(*with_array->array);
    const auto recent = cache.recent().find(RecentCalls::hash(state.id, arguments));
    if (!recent || !recent->is_like(state.id, options.tuning, arguments) || !cache.has_no_tunings()) return false;
    ArgumentList list;
    recent->pack(state.declared, arguments, list);
    const Plan& plan = recent->plan();
    plan.kernel.launch({.grid = recent->grid(), .block = {plan.block}, .stream = options.stream}, list.span());
    return true;
}

}  // namespace

ElementwiseKernel::ElementwiseKernel(std::string_view arguments, std::string operation, std::string name,
                                     ElementwiseOptions options)
    : state_(make_state(parse_declarations(arguments), std::move(operation), std::move(name), std::move(options))) {}

ElementwiseKernel::ElementwiseKernel(std::vector<Parameter> arguments, std::string operation, std::string name,
                                     ElementwiseOptions options)
    : state_(make_state(std::move(arguments), std::move(operation), std::move(name), std::move(options))) {}

void ElementwiseKernel::run(const CallOptions& options, std::span<const CallArgument> arguments) const {
    const ElementwiseState& state = kept_by("ElementwiseKernel", state_);
    if (!options.range && launch_again(state, options, arguments)) return;
    Call call(state.declared, arguments);
    const Context context = call.context();
    Indices indices{0, 1, static_cast<std::int64_t>(call.count())};
    if (options.range) indices = resolve(state.declared, *options.range, call.count());
    const bool sliced =
        options.range && !(indices.start == 0 && indices.step == 1 && std::cmp_equal(indices.count, call.count()));
    if (indices.count == 0) return;

    PlanCache& cache = PlanCache::of(context);
    codegen::Tuning tuning = choose_tuning(options.tuning, context, cache, "elementwise",
                                           {.count = static_cast<std::size_t>(indices.count),
                                            .item_bytes = call.item_bytes(),
                                            .arrays = call.array_count()},
                                           codegen::elementwise_tuning);
    BoundsCheck bounds(call, cache);
    call.choose_layout(tuning, sliced, cache.addresses_are_linear(), static_cast<std::size_t>(indices.count));
    call.choose_tile(tuning);
    if (call.tiled() && tuning.tile_block) tuning.block = tuning.tile_block;
    CallKey key;
    key.add(state.id);
    key.add(std::uint64_t{tuning.block} << 32 | tuning.unroll << 16 | tuning.access_bytes);
    call.add_to(key);
    const auto plan =
        cache.find(key, [&] { return make_plan(state, call, context, tuning, options.tuning.block != 0); });

    ArgumentList list;
    call.pack(list);
    bounds.add_to(list);
    list.add(call.index(static_cast<std::int64_t>(call.count())));
    auto threads = static_cast<std::size_t>(indices.count);
    if (call.packed()) {
        list.add(call.index(static_cast<std::int64_t>(call.head())));
        threads = std::max<std::size_t>((threads - call.head()) / static_cast<std::size_t>(call.lanes()), 1);
    } else if (sliced) {
        list.add(call.index(indices.count));
        list.add(call.index(indices.start));
        list.add(call.index(indices.step));
    }
    const std::size_t per_block = std::size_t{plan->block} * plan->unroll;
    Dim3 grid{(threads + per_block - 1) / per_block};
    if (call.tiled()) grid = {call.tiles()[0], call.tiles()[1], call.tiles()[2]};
    if (!options.range && !cache.checks_bounds() && cache.has_no_tunings()) {
        const std::uint64_t hash = RecentCalls::hash(state.id, arguments);
        if (cache.recent().is_second(hash))
            cache.recent().remember(
                hash, std::make_shared<RecentCall>(state.id, options.tuning, arguments, call, plan, grid, list.span()));
    }
    plan->kernel.launch({.grid = grid, .block = {plan->block}, .stream = options.stream}, list.span());
    bounds.finish();
}

const std::string& ElementwiseKernel::name() const { return kept_by("ElementwiseKernel", state_).request.name; }

std::string ElementwiseKernel::source(const Dialect& dialect, const std::map<std::string, DType>& types) const {
    const ElementwiseState& state = kept_by("ElementwiseKernel", state_);
    codegen::ElementwiseRequest request = state.request;
    request.arguments = bind_types(state.declared, {types.begin(), types.end()});
    request.preamble = named_types(state.declared, request.arguments) + request.preamble;
    return codegen::elementwise_source(request, dialect);
}

}  // namespace gemel
