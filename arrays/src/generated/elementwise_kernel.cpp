#include <gemel/arrays/elementwise_kernel.hpp>

#include "generated/spine.hpp"

#include <gemel/codegen/elementwise.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <limits>

namespace gemel {

struct ElementwiseState : GeneratorState<codegen::ElementwiseRequest> {};

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
    if (range.step == 0) declared.refuse("expected a range with a step other than 0");
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

/// One call of an element-wise kernel.
struct ElementwiseCall {
    using Layout = codegen::KernelLayout;
    using Tuning = codegen::ElementwiseTuning;
    using Variant = gemel::Variant;
    struct Work {
        Dim3 grid;
        boost::container::static_vector<std::int64_t, 4> sizes;
        std::optional<IndexRange> range;
    };

    const ElementwiseState& state;
    const CallOptions& options;
    Indices indices = {};
    bool sliced = false;

    std::uint64_t salt() const {
        if (!options.range) return 0;
        std::uint64_t salt = 0x51ED270B0A1F39C1u;
        for (const std::int64_t index : {options.range->start, options.range->stop.value_or(-1), options.range->step})
            salt = (salt ^ static_cast<std::uint64_t>(index)) * 0x9E3779B97F4A7C15u;
        return salt ^ salt >> 32;
    }
    bool resume(const Work& work, const AnyArray&, std::span<const CallArgument>) const {
        return work.range == options.range;
    }

    bool begin(const BoundCall& call) {
        const auto all = static_cast<std::int64_t>(call.count());
        indices = options.range ? resolve(state.declared, *options.range, call.count()) : Indices{0, 1, all};
        sliced = options.range && !(indices.start == 0 && indices.step == 1 && indices.count == all);
        return indices.count > 0;
    }

    Choice<Layout, Tuning> choose(const BoundCall& call, KernelCache& cache, bool checked) const {
        const auto count = static_cast<std::size_t>(indices.count);
        codegen::ElementwiseTuning tuning =
            choose_tuning(options.tuning, cache.info(), cache.tunings(call.context()),
                          {.count = count, .item_bytes = call.item_bytes(), .arrays = call.array_count()},
                          codegen::elementwise_tuning);
        CallLayout layout = choose_layout(call, {.access_bytes = tuning.access_bytes,
                                                 .count = count,
                                                 .sliced = sliced,
                                                 .checked = checked,
                                                 .linear_addresses = cache.addresses_are_linear(),
                                                 .tiles = &tuning,
                                                 .may_turn = cache.info().type != DeviceInfo::Type::cpu,
                                                 .shared_bytes = cache.info().shared_memory_per_block_bytes});
        if (layout.tiled() && tuning.tile_block) tuning.block = tuning.tile_block;
        if (layout.block) tuning.block = layout.block;
        if (layout.unroll) tuning.unroll = layout.unroll;
        const Layout kernel = layout.kernel;
        return {std::move(layout), kernel, tuning};
    }

    std::shared_ptr<Variant> make(const BoundCall& call, const Choice<Layout, Tuning>& choice) const {
        const codegen::ElementwiseRequest request = state.typed(call.parameters());
        const Context context = call.context();
        const auto compile = [&](std::uint32_t block) {
            codegen::ElementwiseTuning tuning = choice.tuning;
            tuning.block = block;
            auto variant = std::make_shared<Variant>();
            const GeneratedText text{codegen::elementwise_source(request, choice.layout, tuning, context.dialect())};
            variant->kernel = context.compile(text, state.compile).kernel(request.name);
            variant->block = block;
            return variant;
        };
        const auto variant = compile(choice.tuning.block);
        // A large block has few registers per thread; if they do not suffice, a smaller block is used.
        const bool spills = variant->kernel.attributes().local_bytes.value_or(0) > 0;
        return spills && options.tuning.block == 0 && variant->block > 256 ? compile(256) : variant;
    }

    Work work(const BoundCall& call, const Choice<Layout, Tuning>& choice, const Variant& variant) const {
        Work work{.grid = {}, .sizes = {static_cast<std::int64_t>(call.count())}, .range = options.range};
        auto threads = static_cast<std::size_t>(indices.count);
        if (choice.call.packed) {
            work.sizes.push_back(static_cast<std::int64_t>(choice.call.head));
            threads = std::max<std::size_t>(
                (threads - choice.call.head) / static_cast<std::size_t>(choice.call.vector_width), 1);
        } else if (sliced) {
            for (const std::int64_t size : {indices.count, indices.start, indices.step}) work.sizes.push_back(size);
        }
        const std::size_t rounds = choice.call.packed ? std::max(choice.tuning.rounds, 1u) : 1;
        const std::size_t per_block = variant.block * std::max(choice.tuning.unroll, 1u) * rounds;
        const auto& tiles = choice.call.tiles;
        work.grid =
            choice.call.tiled() ? Dim3{tiles[0], tiles[1], tiles[2]} : Dim3{(threads + per_block - 1) / per_block};
        return work;
    }

    void launch(const Work& work, Variant& variant, Launcher& launcher) const {
        launcher(variant.kernel, work.grid, variant.block, {}, work.sizes);
    }
};

}  // namespace

ElementwiseKernel::ElementwiseKernel(std::string_view arguments, std::string operation, std::string name,
                                     ElementwiseOptions options)
    : state_(make_state(parse_declarations(arguments), std::move(operation), std::move(name), std::move(options))) {}

ElementwiseKernel::ElementwiseKernel(std::vector<Parameter> arguments, std::string operation, std::string name,
                                     ElementwiseOptions options)
    : state_(make_state(std::move(arguments), std::move(operation), std::move(name), std::move(options))) {}

void ElementwiseKernel::run(const CallOptions& options, std::span<const CallArgument> arguments) const {
    run_generated(ElementwiseCall{state_of("ElementwiseKernel", state_), options}, arguments);
}

const std::string& ElementwiseKernel::name() const { return state_of("ElementwiseKernel", state_).request.name; }

std::string ElementwiseKernel::source(const Dialect& dialect, const std::map<std::string, DType>& types) const {
    return codegen::elementwise_source(state_of("ElementwiseKernel", state_).typed(types), dialect);
}

}  // namespace gemel
