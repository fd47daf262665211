/// The path of every call of a generated kernel: recent calls, checks, tuning and layout, variant, arguments, launch.
/// Each generator supplies its own parts.
#pragma once

#include "generated/argument_list.hpp"
#include "generated/bound_call.hpp"
#include "generated/bounds_check.hpp"
#include "generated/call_layout.hpp"
#include "generated/kernel_cache.hpp"
#include "tune/online.hpp"

#include <gemel/core/kernel.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/stream.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel {

/// The state of one kernel in a generator's class.
template <class Request>
struct GeneratorState {
    Request request;
    DeclaredArguments declared;
    CompileOptions compile;
    std::uint64_t id = KernelCache::new_generator();

    /// The request with all types filled in.
    Request typed(std::vector<Parameter> arguments) const {
        Request result = request;
        result.arguments = std::move(arguments);
        result.preamble = named_types(declared, result.arguments) + result.preamble;
        return result;
    }
    Request typed(const std::map<std::string, DType>& types) const {
        return typed(bind_types(declared, {types.begin(), types.end()}));
    }
};

/// After which kernels a launch begins: see LaunchConfig::overlap and LaunchConfig::exclusive.
enum class LaunchOrder : std::uint8_t { overlapping, after_last, exclusive };

/// Launches the kernels of one call. Their arguments are the call's, then the kernel's own, then sizes of the index
/// type.
class Launcher {
   public:
    Launcher(ArgumentList& call, bool wide_index, const Stream& stream)
        : arguments_(call), call_count_(call.size()), wide_(wide_index), stream_(stream) {}

    /// @param shared_bytes  dynamic shared memory
    void operator()(const Kernel& kernel, const Dim3& grid, std::uint32_t block, std::span<const Argument> own,
                    std::span<const std::int64_t> sizes, LaunchOrder order = LaunchOrder::overlapping,
                    std::size_t shared_bytes = 0) {
        arguments_.cut(call_count_);
        launch(arguments_, kernel, grid, block, own, sizes, shared_bytes, order);
    }
    /// A kernel without the call's arguments.
    /// @param shared_bytes  dynamic shared memory
    void alone(const Kernel& kernel, const Dim3& grid, std::uint32_t block, std::span<const Argument> own,
               std::span<const std::int64_t> sizes, std::size_t shared_bytes = 0) const {
        ArgumentList list;
        launch(list, kernel, grid, block, own, sizes, shared_bytes);
    }

   private:
    void launch(ArgumentList& list, const Kernel& kernel, const Dim3& grid, std::uint32_t block,
                std::span<const Argument> own, std::span<const std::int64_t> sizes, std::size_t shared_bytes = 0,
                LaunchOrder order = LaunchOrder::overlapping) const {
        for (const Argument& argument : own) list.add(argument);
        for (const std::int64_t size : sizes) list.add(index_argument(wide_, size));
        if (shared_bytes == 0 && order == LaunchOrder::overlapping)
            return kernel.launch(grid, block, stream_, list.span());
        kernel.launch({.grid = grid,
                       .block = {block},
                       .shared_bytes = shared_bytes,
                       .overlap = order != LaunchOrder::after_last,
                       .exclusive = order == LaunchOrder::exclusive,
                       .stream = stream_},
                      list.span());
    }

    ArgumentList& arguments_;
    std::size_t call_count_;
    bool wide_;
    const Stream& stream_;
};

/// A generator's choices for a call on a device. The source depends on `layout` and `tuning`.
template <class Layout, class Tuning>
struct Choice {
    CallLayout call;
    Layout layout;
    Tuning tuning;
};

/// A call that was made, with what its launches need besides the variant.
template <class Work, class Tuning>
struct RememberedCall : RecentCall {
    template <class... Call>
    RememberedCall(const Work& done, const Tuning& asked, std::uint64_t of_version, Call&&... call)
        : RecentCall(std::forward<Call>(call)...), work(done), given(asked), version(of_version) {}
    Work work;
    Tuning given;
    std::uint64_t version;  ///< TuningTable::version() when the tuning was chosen
};

/// Launches a remembered call. @returns false if there is none like it
template <class Generator>
bool launch_again(Generator& generator, std::span<const CallArgument> arguments) {
    const auto with_array = std::find_if(arguments.begin(), arguments.end(), [](const auto& a) { return a.array; });
    if (with_array == arguments.end() || with_array->array->empty()) return false;
    KernelCache& cache = KernelCache::of(*with_array->array);
    const auto found = cache.recent().find(RecentCalls::hash(generator.state.id, arguments) ^ generator.salt());
    if (!found || !found->is_like(generator.state.id, arguments)) return false;
    using Tuning = std::remove_cvref_t<decltype(generator.options.tuning)>;
    const auto& recent = static_cast<const RememberedCall<typename Generator::Work, Tuning>&>(*found);
    if (recent.version != cache.tunings_version() || !(recent.given == generator.options.tuning)) return false;
    if (!generator.resume(recent.work, *with_array->array, arguments)) return false;
    ArgumentList list;
    recent.marshal(generator.state.declared, arguments, list);
    Launcher launcher(list, recent.wide_index(), generator.options.stream);
    generator.launch(recent.work, static_cast<typename Generator::Variant&>(recent.variant()), launcher);
    return true;
}

/// Chooses how to run a call, and runs it. A `trial` marks the beginning and the end of its launches.
template <class Generator>
void run_chosen(Generator& generator, std::span<const CallArgument> arguments, const BoundCall& call,
                KernelCache& cache, OnlineTrial* trial) {
    using Kind = std::remove_cvref_t<Generator>;
    const auto& state = generator.state;
    BoundsCheck bounds(call, cache);
    const std::uint64_t version = cache.tunings(call.context()).version();
    const auto choice = generator.choose(call, cache, bounds.is_on());
    using Tuning = std::remove_cvref_t<decltype(generator.options.tuning)>;
    const VariantKey<typename Kind::Layout, Tuning> key{
        state.id, choice.layout, choice.tuning, {call.open_types().begin(), call.open_types().end()}};
    const auto variant = cache.template find<typename Kind::Variant>(key, [&] { return generator.make(call, choice); });
    const typename Kind::Work work = generator.work(call, choice, *variant);
    const bool wide = choice.call.kernel.wide_index;
    ArgumentList list;
    list.add(call, choice.call);
    const TuningHook* const hook = TuningHook::current();
    if (!cache.checks_bounds() && (!hook || hook->may_remember())) {
        const std::uint64_t hash = RecentCalls::hash(state.id, arguments) ^ generator.salt();
        if (cache.recent().is_second(hash))
            cache.recent().remember(hash, std::make_shared<RememberedCall<typename Kind::Work, Tuning>>(
                                              work, generator.options.tuning, version, state.id, call, wide, variant,
                                              std::span<const Argument>(list.span())));
    }
    bounds.add_to(list);
    if (trial) trial->begin(generator.options.stream);
    Launcher launcher(list, wide, generator.options.stream);
    generator.launch(work, *variant, launcher);
    if (trial) trial->end();
    bounds.finish();
}

/// Runs one call. A generator, made for that call, has `state` and `options` (with .tuning and .stream), the types
/// `Layout`, `Variant` and `Work`, and
///   salt()                                   a hash of everything besides arguments on which remembered calls depend
///   resume(work, array, arguments)           whether a remembered call is like this one; allocates the results
///   begin(call)                              the generator's checks; allocates the results; false: nothing to do
///   choose(call, cache, checked) -> Choice   chooses tuning and layout; a pure function
///   make(call, choice) -> Variant            compiles the source, and allocates memory that launches share
///   work(call, choice, variant) -> Work      grids and sizes: all that launches need; reusable
///   launch(work, variant, launcher)          launches the kernels
template <class Generator>
void run_generated(Generator&& generator, std::span<const CallArgument> arguments) {
    if (launch_again(generator, arguments)) return;
    const BoundCall call(generator.state.declared, arguments);
    if (!generator.begin(call)) return;
    KernelCache& cache = KernelCache::of(call.leading());
    run_tuned(call.context(), cache, [&](OnlineTrial* trial) { run_chosen(generator, arguments, call, cache, trial); });
}

}  // namespace gemel
