#include <gemel/arrays/scan_kernel.hpp>

#include "generated/bounds_check.hpp"
#include "generated/call.hpp"
#include "generated/plan_cache.hpp"

#include <gemel/codegen/scan.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel {

struct ScanState {
    codegen::ScanRequest request;
    DeclaredArguments declared;
    CompileOptions compile;
    std::uint64_t id = PlanCache::new_generator();
};

namespace {

using Strategy = codegen::Tuning::Scan;

/// A variant with the states of its tiles, which stay from launch to launch.
struct ScanPlan : Plan {
    Kernel totals_kernel{nullptr}, prefixes_kernel{nullptr};
    std::size_t tile = 0;
    std::mutex launching;
    Buffer states, ticket;
    std::size_t capacity = 0;  ///< tiles
    std::uint32_t epoch = 0, dealt = 0;
    static constexpr std::uint32_t last_epoch = (1u << 30) - 1;

    /// Room for so many tiles, and a new epoch in which all states are empty.
    void begin(const Context& context, std::size_t tiles, std::size_t words) {
        const auto clear = [&](const Buffer& buffer) { context.default_stream().fill(buffer, std::uint32_t{0}); };
        if (ticket.empty()) {
            ticket = context.allocate_attached(sizeof(std::uint32_t));
            clear(ticket);
        }
        if (tiles > capacity) {
            capacity = std::max(tiles, 2 * capacity);
            states = context.allocate_attached(capacity * words * sizeof(std::uint64_t));
            epoch = 0;
            clear(states);
        } else if (epoch == last_epoch) {
            epoch = 0;
            clear(states);
        }
        ++epoch;
    }
};

std::shared_ptr<Plan> make_plan(const ScanState& state, const Call& call, const Context& context,
                                codegen::Tuning tuning, bool items_given, codegen::ScanLayout layout) {
    codegen::ScanRequest request = state.request;
    request.arguments = call.parameters();
    request.preamble = named_types(state.declared, request.arguments) + request.preamble;
    layout.elements = call.layout();
    auto plan = std::make_shared<ScanPlan>();
    while (true) {
        const Module module = context.compile(
            GeneratedText{codegen::scan_source(request, layout, tuning, context.dialect())}, state.compile);
        plan->kernel = module.kernel(request.name);
        if (layout.strategy != Strategy::look_back) {
            plan->totals_kernel = module.kernel(request.name + "_totals");
            plan->prefixes_kernel = module.kernel(request.name + "_prefixes");
        }
        // Elements that do not fit into registers cost more than shorter tiles do.
        if (items_given || layout.strategy == Strategy::chunks || tuning.items_per_thread <= 8 ||
            plan->kernel.attributes().local_bytes.value_or(0) == 0)
            break;
        tuning.items_per_thread /= 2;
    }
    plan->block = layout.strategy == Strategy::chunks ? 1 : tuning.block;
    if (layout.strategy != Strategy::chunks) plan->tile = codegen::scan_tile(request, layout, tuning);
    return plan;
}

}  // namespace

Scan::Scan(std::vector<Parameter> arguments, DType dtype, const ScanSpec& spec) {
    auto state = std::make_shared<ScanState>();
    codegen::ScanRequest& request = state->request;
    request.name = spec.name;
    request.dtype = dtype;
    request.input = codegen::Snippet(spec.input_expr);
    request.scan_expr = spec.scan_expr;
    request.neutral = spec.neutral;
    request.output = codegen::Snippet(spec.output_statement);
    request.segment_start = codegen::Snippet(spec.is_segment_start_expr);
    request.preamble = spec.preamble;
    request.arguments = arguments;
    codegen::check_request(request);
    state->declared = declare_arguments("ScanKernel", spec.name, std::move(arguments),
                                        {&request.input, &request.output, &request.segment_start}, request.preamble);
    state->declared.order_free = false;
    request.arguments = state->declared.parameters;
    state->compile = spec.compile;
    state->compile.name = spec.name;
    state_ = std::move(state);
}

void Scan::run(const ScanOptions& options, std::span<const CallArgument> arguments) const {
    const ScanState& state = kept_by("ScanKernel", state_);
    Call call(state.declared, arguments);
    const Context context = call.context();
    const std::size_t count = options.count.value_or(call.count());
    if (options.count && call.has_elements() && count > call.count())
        state.declared.refuse(
            text("was asked for ", counted(count, "element"), ", but its arrays have ", call.count()));
    if (count == 0) return;

    PlanCache& cache = PlanCache::of(context);
    const DeviceInfo& info = cache.info();
    const std::size_t item_bytes = codegen::scan_item_bytes(state.request);
    codegen::Tuning tuning = choose_tuning(
        options.tuning, context, cache, "scan",
        {.count = count, .item_bytes = static_cast<std::uint32_t>(item_bytes), .arrays = call.array_count()},
        codegen::scan_tuning);
    codegen::ScanLayout layout;
    layout.strategy = tuning.scan;
    layout.shuffles = info.has_cross_block_visibility && tuning.block % 32 == 0;
    if (layout.strategy == Strategy::look_back &&
        (options.deterministic || codegen::scan_needs_total(state.request) || !layout.shuffles))
        layout.strategy = Strategy::three_passes;
    const bool chunks = layout.strategy == Strategy::chunks;
    if (chunks) tuning.access_bytes = 0;
    if (!layout.shuffles) tuning.access_bytes = 0;
    BoundsCheck bounds(call, cache);
    call.choose_layout(tuning, false, cache.addresses_are_linear(), count);
    // Tiles begin at multiples of their length: packs must begin with the array.
    if (call.packed() && call.head() != 0) {
        tuning.access_bytes = 0;
        call.choose_layout(tuning, false, cache.addresses_are_linear(), count);
    }
    if (count >= (std::size_t{1} << 31) - (std::size_t{1} << 20)) call.make_wide();

    CallKey key;
    key.add(state.id);
    key.add(std::uint64_t{tuning.block} << 32 | std::uint64_t{tuning.items_per_thread} << 16 | tuning.access_bytes);
    key.add(static_cast<std::uint64_t>(layout.strategy) << 1 | (layout.shuffles ? 1u : 0u));
    call.add_to(key);
    const auto plan = std::static_pointer_cast<ScanPlan>(cache.find(
        key, [&] { return make_plan(state, call, context, tuning, options.tuning.items_per_thread != 0, layout); }));

    std::size_t tile = plan->tile;
    if (chunks) {
        const std::size_t wanted = std::size_t{info.compute_units} * std::max(tuning.blocks_per_unit, 1u);
        tile = std::max<std::size_t>((count + wanted - 1) / wanted, 1024);
    }
    const std::size_t tiles = (count + tile - 1) / tile;
    ArgumentList list;
    call.pack(list);
    bounds.add_to(list);
    const auto number = [&](std::size_t value) { return call.index(static_cast<std::int64_t>(value)); };

    if (layout.strategy == Strategy::look_back) {
        std::lock_guard lock(plan->launching);
        plan->begin(context, tiles, codegen::scan_state_words(state.request));
        list.add(as_argument(plan->states));
        list.add(as_argument(plan->ticket));
        list.add(as_argument(plan->dealt));
        list.add(as_argument(plan->epoch));
        list.add(number(count));
        plan->kernel.launch({.grid = {tiles}, .block = {plan->block}, .stream = options.stream}, list.span());
        plan->dealt += static_cast<std::uint32_t>(tiles);
        bounds.finish();
        return;
    }
    const Buffer totals = context.allocate(tiles * (item_bytes + 16));
    ArgumentList last = list;
    list.add(as_argument(totals));
    list.add(number(count));
    list.add(number(tile));
    const LaunchConfig config{.grid = {tiles}, .block = {plan->block}, .stream = options.stream};
    plan->totals_kernel.launch(config, list.span());
    ArgumentList middle;
    middle.add(as_argument(totals));
    middle.add(number(tiles));
    plan->prefixes_kernel.launch({.grid = {1}, .block = {plan->block}, .stream = options.stream}, middle.span());
    last.add(as_argument(totals));
    last.add(number(tiles));
    last.add(number(count));
    last.add(number(tile));
    plan->kernel.launch(config, last.span());
    bounds.finish();
}

std::string Scan::source(const Dialect& dialect, const std::map<std::string, DType>& types) const {
    const ScanState& state = kept_by("ScanKernel", state_);
    codegen::ScanRequest request = state.request;
    request.arguments = bind_types(state.declared, {types.begin(), types.end()});
    request.preamble = named_types(state.declared, request.arguments) + request.preamble;
    return codegen::scan_source(request, dialect);
}

}  // namespace gemel
