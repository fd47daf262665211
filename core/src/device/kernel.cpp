/// Kernel launches: checks shape and arguments, marshals them on the stack, and calls the plug-in.
#include <gemel/core/kernel.hpp>

#include <gemel/core/text.hpp>

#include "device/argument_check.hpp"
#include "device/capture.hpp"
#include "device/first_launch.hpp"
#include "device/good_block.hpp"
#include "device/marshal.hpp"
#include "device/recorder.hpp"
#include "device/state.hpp"
#include "device/timed.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace gemel {

/// The sizes in a launch configuration.
struct Kernel::Sizes {
    const Dim3 &grid, &block, &threads;
    const Dim3& offset;
    std::size_t shared_bytes;
    bool cooperative, overlap, exclusive;
};

namespace {

/// Blocks that wait for each other must all be resident.
void resolve_cooperation(const KernelState& kernel, bool cooperative, plugin::LaunchShape& shape) {
    shape.cooperative = cooperative;
    const std::uint64_t blocks = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
    if (!cooperative) {
        if (kernel.barrier >= 0 && blocks > 1)
            refuse(kernel, text("has a GRID_BARRIER, at which ", blocks,
                                " blocks would wait for each other; launch it with .cooperative = true"));
        return;
    }
    if (blocks == 1) return;
    shape.exclusive |= !kernel.driver->starts_grids_whole;
    const std::size_t threads = std::size_t{shape.block[0]} * shape.block[1] * shape.block[2];
    const std::uint64_t most = kernel.kernel->max_cooperative_blocks(threads, shape.shared_bytes);
    if (blocks > most)
        refuse(kernel, text("a cooperative launch of ", blocks, " blocks of ", threads,
                            " threads is too large: ", kernel.driver->info().name, " runs at most ", most,
                            " of them at once; max_cooperative_blocks() tells"));
}

void resolve_offset(const KernelState& kernel, const Dim3& offset, plugin::LaunchShape& shape) {
    shape.offset = {offset.given_extent(0), offset.given_extent(1), offset.given_extent(2)};
    if (kernel.offset < 0 && !kernel.driver->has_native_offset && shape.offset != std::array<std::uint64_t, 3>{})
        refuse(kernel, text("was given the offset ", to_string(offset),
                            ", but has no LAUNCH_OFFSET parameter to receive it; add that as a parameter"));
}

/// Grid and block after all checks. Returns false if there is nothing to launch.
template <class Sizes>
bool resolve(const KernelState& kernel, const Sizes& config, plugin::LaunchShape& shape) {
    const DeviceInfo& info = kernel.driver->info();
    const auto& facts = kernel.kernel->facts();
    Dim3 block = config.block;
    const auto& required = kernel.required_block;
    if (!block.given() && required) block = Dim3((*required)[0], (*required)[1], (*required)[2]);
    if (!block.given() && config.threads.given()) block = good_block(kernel, config.threads, config.shared_bytes);
    if (!config.grid.given() && !config.threads.given())
        refuse(kernel, "no size was given; set .threads (in all), or .grid (blocks) and .block (threads per block)");
    if (!block.given()) refuse(kernel, "no block size was given; set .block, or .threads (in all) instead of .grid");
    if (block.count() == 0) refuse(kernel, text("a block of ", to_string(block), " has no threads"));
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (block[axis] > info.max_block[axis])
            refuse(kernel, text("a block of ", to_string(block), " is too large: axis ", axis, " holds at most ",
                                info.max_block[axis], " threads on ", info.name));
    // NVIDIA's OpenCL always reports 256, although a kernel that requires a larger block gets it.
    if (block.count() > facts.max_threads_per_block && !kernel.required_block)
        refuse(kernel, text("a block of ", to_string(block), " has ", block.count(), " threads; this kernel allows ",
                            facts.max_threads_per_block, " on ", info.name));
    for (std::size_t axis = 0; required && axis < 3; ++axis)
        if (block[axis] != (*required)[axis])
            refuse(kernel, text("requires a block of ", to_string(Dim3((*required)[0], (*required)[1], (*required)[2])),
                                ", got ", to_string(block)));
    if (config.grid.given() && config.threads.given())
        refuse(kernel, "both .grid and .threads were given; one of them decides the size");
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::uint64_t blocks =
            config.threads.given() ? config.threads[axis] / block[axis] + (config.threads[axis] % block[axis] != 0)
                                   : config.grid[axis];
        if (blocks == 0) return false;
        if (blocks > info.max_grid[axis])
            refuse(kernel, text("a grid of ", blocks, " blocks along axis ", axis, " is too large: ", info.name,
                                " allows ", info.max_grid[axis]));
        shape.grid[axis] = static_cast<std::uint32_t>(blocks);
        shape.block[axis] = static_cast<std::uint32_t>(block[axis]);
    }
    // What a kernel declares may be more than an arena.
    const std::size_t most_arena = info.shared_memory_opt_in_bytes.value_or(info.shared_memory_per_block_bytes);
    const std::size_t most = config.shared_bytes ? most_arena : info.shared_memory_static_bytes.value_or(most_arena);
    const std::size_t overhead = config.shared_bytes ? facts.arena_overhead_bytes : 0;
    const std::size_t taken = kernel.static_shared_bytes + overhead;
    if (taken > most || config.shared_bytes > most - taken)
        refuse(kernel, text("needs ", config.shared_bytes, " bytes of shared memory and declares ",
                            kernel.static_shared_bytes, " more; a block on ", info.name, " has at most ", most,
                            overhead ? text(", of which the driver takes ", overhead, " for itself beside an arena")
                                     : std::string()));
    if (config.shared_bytes && kernel.arena < 0 && !kernel.driver->linear_addresses)
        refuse(kernel, "was given dynamic shared memory but has no SHARED_ARENA parameter to receive it");
    shape.shared_bytes = static_cast<std::uint32_t>(config.shared_bytes);
    shape.overlap = config.overlap;
    shape.exclusive = config.exclusive;
    resolve_cooperation(kernel, config.cooperative, shape);
    if (config.offset.given()) resolve_offset(kernel, config.offset, shape);
    return true;
}

/// The memory of the arguments: an upper limit of what the launch reads and writes.
template <class TimedOrNot>
std::size_t bytes_of(std::span<const Argument> arguments) {
    std::size_t all = 0;
    if constexpr (std::is_same_v<TimedOrNot, Timed>)
        for (const Argument& argument : arguments)
            if (argument.block || is_host_range(argument)) all += argument.bytes;
    return all;
}

/// Replaces Timed if nothing collects, at no cost.
struct NotTimed {
    template <class... A>
    explicit NotTimed(A&&...) {}
    ~NotTimed() {}  // not trivial, so that no unused variable is reported
};

template <class TimedOrNot>
void launch_marshalled(KernelState& kernel, const std::shared_ptr<StreamCore>& core, const plugin::LaunchShape& shape,
                       const Marshalled& marshalled, std::size_t bytes) {
    for (const Use& use : marshalled.uses) use.block->allocation->uses.touch(core, use.writes);
    DriverContext& driver = *kernel.driver;
    const ExclusiveTurn turn(driver, core, shape.exclusive);
    driver.launches.add(Counters::add(driver.counters->launches), kernel.interned_name, shape);
    launch_finished(kernel, *core, shape, [&] {
        const TimedOrNot timed(kernel.module->driver, core, shape, kernel.interned_name, bytes);
        kernel.kernel->launch(*core->stream, shape, {marshalled.views.data(), marshalled.count}, kernel.arena);
    });
    if (driver.synchronous) core->stream->synchronize();
}

/// Checks, launches, and copies results to the host.
template <class TimedOrNot, class Sizes>
void launch_now(KernelState& kernel, const Sizes& sizes, const std::shared_ptr<StreamCore>& core,
                std::span<const Argument> arguments) {
    const auto& driver = kernel.module->driver;
    plugin::LaunchShape shape;
    const bool any = resolve(kernel, sizes, shape);
    Marshalled marshalled;
    HostArguments host;
    marshal(kernel, shape, arguments, marshalled, host, driver, core);
    if (any) launch_marshalled<TimedOrNot>(kernel, core, shape, marshalled, bytes_of<TimedOrNot>(arguments));
    for (const auto& [block, argument] : host.all) {
        if (argument->kind == Argument::Kind::copy_in || argument->bytes == 0) continue;
        const TimedOrNot timed(driver, core, Timed::Kind::download, "download", argument->bytes);
        core->stream->download(const_cast<void*>(argument->data), {&block->allocation->memory, 0}, argument->bytes,
                               true);
        Counters::add(driver->counters->downloaded_bytes, argument->bytes);
    }
}

/// By slot, with the properties of the parameters.
std::vector<GraphUse> uses_of(const Recorder& recorder, const KernelState& kernel,
                              std::span<const Argument> arguments) {
    std::vector<GraphUse> uses;
    if (kernel.barrier >= 0) {
        uses.push_back(recorder.use(*kernel.barrier_memory, true, 0, kernel.barrier_memory->size_bytes));
        uses.back().slot = kernel.barrier;
    }
    for (std::size_t i = 0, slot = 0; i < arguments.size(); slot += slots_of(arguments[i]), ++i) {
        while (kernel.is_hidden(slot)) ++slot;
        if (!arguments[i].block || !arguments[i].block->allocation) continue;
        uses.push_back(recorder.use(*arguments[i].block,
                                    !kernel.signature || !kernel.signature->parameters[slot].is_const,
                                    arguments[i].offset_bytes, arguments[i].bytes));
        uses.back().slot = static_cast<int>(slot);
    }
    return uses;
}

/// @returns false if there is nothing to launch
template <class Sizes>
bool record_launch(const std::shared_ptr<KernelState>& state, const Sizes& sizes,
                   const std::shared_ptr<StreamCore>& core, std::span<const Argument> arguments) {
    KernelState& kernel = *state;
    Recorder* const recorder = recorder_on(*core, "", &kernel.name);
    if (!recorder) return false;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (is_host_range(arguments[i]))
            refuse(kernel, i, nullptr, "is a host range; a graph takes device memory: upload it first");
    plugin::LaunchShape shape;
    const bool any = resolve(kernel, sizes, shape);
    Marshalled marshalled;
    HostArguments none;
    marshal(kernel, shape, arguments, marshalled, none, kernel.module->driver, core);
    if (any)
        recorder->launch(state, shape, {marshalled.views.data(), marshalled.count},
                         uses_of(*recorder, kernel, arguments));
    return true;
}

}  // namespace

void Kernel::launch(const LaunchConfig& config, std::span<const Argument> arguments) const {
    launch(Sizes{config.grid, config.block, config.threads, config.offset, config.shared_bytes, config.cooperative,
                 config.overlap, config.exclusive},
           config.stream, arguments);
}

void Kernel::launch(const Dim3& grid, const Dim3& block, const Stream& stream,
                    std::span<const Argument> arguments) const {
    static constexpr Dim3 not_given;
    launch(Sizes{grid, block, not_given, not_given, 0, false, true, false}, stream, arguments);
}

void Kernel::launch(const Sizes& sizes, const Stream& stream, std::span<const Argument> arguments) const {
    if (anyone_watches()) [[unlikely]]
        return launch_watched(sizes, stream, arguments);
    KernelState& kernel = *state_;
    const auto& driver = kernel.module->driver;
    driver->call([&](plugin::Context&) {
        launch_now<NotTimed>(kernel, sizes, choose_stream(stream, driver, &kernel.name), arguments);
    });
}

void Kernel::launch_watched(const Sizes& sizes, const Stream& stream, std::span<const Argument> arguments) const {
    KernelState& kernel = *state_;
    const auto& driver = kernel.module->driver;
    std::optional<Capture> capture;
    driver->call([&](plugin::Context&) {
        const auto& core = choose_stream(stream, driver, &kernel.name);
        if (record_launch(state_, sizes, core, arguments)) return;
        plugin::LaunchShape shape;
        if (const auto folder = folder_of_first_call(kernel); folder && resolve(kernel, sizes, shape))
            capture = begin_capture(*folder, kernel, shape, *core, arguments);
        launch_now<Timed>(kernel, sizes, core, arguments);
        if (capture) capture->end(*core);
    });
}

void Kernel::capture_packed(const std::string& folder, const LaunchConfig& config,
                            std::span<const Argument> arguments) const {
    not_recorded("Kernel::capture");
    KernelState& kernel = *state_;
    const auto& driver = kernel.module->driver;
    driver->call([&](plugin::Context&) {
        const auto& core = choose_stream(config.stream, driver, &kernel.name);
        plugin::LaunchShape shape;
        if (!resolve(kernel, config, shape))
            refuse(kernel, "capture: the launch has no threads; capture a launch that runs the kernel");
        Marshalled checked;
        HostArguments host;
        marshal(kernel, shape, arguments, checked, host, driver, core);
        Capture capture(folder, kernel, shape, *core, arguments);
        launch_now<NotTimed>(kernel, config, core, arguments);
        capture.end(*core);
    });
}

struct PreparedState {
    std::shared_ptr<KernelState> kernel;
    std::unique_ptr<plugin::BoundKernel> bound;
    plugin::LaunchShape shape;
    bool any = true;
    Stream stream;
    std::vector<std::shared_ptr<Block>> blocks;  ///< by slot; null for values
    std::vector<bool> writes;
    std::vector<std::pair<std::size_t, std::size_t>> ranges;  ///< of the memory: offset and bytes
    std::vector<std::vector<std::byte>> values;               ///< copied by recordings
    std::vector<plugin::ArgumentView> views;

    void keep(std::size_t slot, const Marshalled& marshalled, const Argument& argument) {
        blocks[slot] = argument.block ? argument.block->shared_from_this() : nullptr;
        ranges[slot] = {argument.offset_bytes, argument.bytes};
        for (std::size_t at = slot; at < slot + slots_of(argument); ++at) {
            const plugin::ArgumentView view = marshalled.views[at];
            const auto* bytes = static_cast<const std::byte*>(view.data);
            values[at].assign(bytes, bytes ? bytes + view.bytes : nullptr);
            views[at] = {bytes ? values[at].data() : nullptr, view.bytes};
        }
    }
    void keep_hidden(const Marshalled& marshalled) {
        for (std::size_t slot = 0; slot < blocks.size(); ++slot) {
            if (!kernel->is_hidden(slot)) continue;
            Argument argument;
            if (static_cast<int>(slot) == kernel->barrier) {
                argument.block = kernel->barrier_memory.get();
                argument.bytes = argument.block->size_bytes;
                writes[slot] = true;
            }
            keep(slot, marshalled, argument);
        }
    }
    std::size_t bytes() const {
        std::size_t all = 0;
        for (std::size_t slot = 0; slot < blocks.size(); ++slot)
            if (blocks[slot]) all += ranges[slot].second;
        return all;
    }
    void record(Recorder& recorder) const {
        std::vector<GraphUse> uses;
        for (std::size_t slot = 0; slot < blocks.size(); ++slot) {
            if (!blocks[slot] || !blocks[slot]->allocation) continue;
            uses.push_back(recorder.use(*blocks[slot], writes[slot], ranges[slot].first, ranges[slot].second));
            uses.back().slot = static_cast<int>(slot);
        }
        recorder.launch(kernel, shape, views, std::move(uses));
    }
};

PreparedLaunch Kernel::prepare_packed(const LaunchConfig& config, std::span<const Argument> arguments) const {
    KernelState& kernel = *state_;
    const auto& driver = kernel.module->driver;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (is_host_range(arguments[i]))
            refuse(kernel, i, nullptr, "is a host range; a prepared launch takes device memory: upload it first");
    return driver->call([&](plugin::Context&) {
        auto prepared = share(new PreparedState);
        prepared->kernel = state_;
        prepared->stream = config.stream;
        prepared->any = resolve(kernel, config, prepared->shape);
        const auto& core = choose_stream(config.stream, driver, &kernel.name);
        Marshalled marshalled;
        HostArguments none;
        marshal(kernel, prepared->shape, arguments, marshalled, none, driver, core);
        prepared->blocks.resize(marshalled.count);
        prepared->writes.resize(marshalled.count);
        prepared->ranges.resize(marshalled.count);
        prepared->values.resize(marshalled.count);
        prepared->views.resize(marshalled.count);
        for (std::size_t i = 0, slot = 0; i < arguments.size(); slot += slots_of(arguments[i]), ++i) {
            while (kernel.is_hidden(slot)) ++slot;
            prepared->keep(slot, marshalled, arguments[i]);
            if (!arguments[i].block) continue;
            prepared->writes[slot] = !kernel.signature || !kernel.signature->parameters[slot].is_const;
        }
        prepared->keep_hidden(marshalled);
        prepared->bound = kernel.kernel->bind({marshalled.views.data(), marshalled.count}, kernel.arena);
        return PreparedLaunch(std::move(prepared));
    });
}

void PreparedLaunch::operator()() const {
    if (!state_) throw ArgumentError("PreparedLaunch: the handle is empty; Kernel::prepare() makes one");
    (*this)(state_->stream);
}

void PreparedLaunch::operator()(const Stream& stream) const {
    if (!state_) throw ArgumentError("PreparedLaunch: the handle is empty; Kernel::prepare() makes one");
    PreparedState& prepared = *state_;
    if (!prepared.any) return;
    const auto& driver = prepared.kernel->module->driver;
    driver->call([&](plugin::Context&) {
        const auto& core = choose_stream(stream, driver, &prepared.kernel->name);
        const bool watched = anyone_watches();
        Recorder* const recorder = watched ? recorder_on(*core, "", &prepared.kernel->name) : nullptr;
        for (std::size_t i = 0; i < prepared.blocks.size(); ++i) {
            if (!prepared.blocks[i]) continue;
            if (prepared.blocks[i]->released)
                refuse(*prepared.kernel, i, nullptr, "is a buffer that has been released");
            if (!recorder && prepared.blocks[i]->allocation)
                prepared.blocks[i]->allocation->uses.touch(core, prepared.writes[i]);
        }
        if (recorder) [[unlikely]]
            return prepared.record(*recorder);
        const ExclusiveTurn turn(*driver, core, prepared.shape.exclusive);
        driver->launches.add(Counters::add(driver->counters->launches), prepared.kernel->interned_name, prepared.shape);
        launch_finished(*prepared.kernel, *core, prepared.shape, [&] {
            if (!watched) return prepared.bound->launch(*core->stream, prepared.shape);
            const Timed timed(driver, core, prepared.shape, prepared.kernel->interned_name, prepared.bytes());
            prepared.bound->launch(*core->stream, prepared.shape);
        });
        if (driver->synchronous) core->stream->synchronize();
    });
}

void PreparedLaunch::set_argument(std::size_t index, const Argument& argument) const {
    if (!state_) throw ArgumentError("PreparedLaunch: the handle is empty; Kernel::prepare() makes one");
    KernelState& kernel = *state_->kernel;
    const std::size_t count =
        kernel.uses_images ? kernel.signature->argument_count() : state_->blocks.size() - kernel.hidden_count();
    if (index >= count) refuse(kernel, text("has ", count, " arguments; there is no argument ", index + 1));
    if (is_host_range(argument))
        refuse(kernel, index, nullptr, "is a host range; a prepared launch takes device memory: upload it first");
    kernel.driver->call([&](plugin::Context&) {
        const std::size_t slot = slot_of(kernel, index);
        Marshalled marshalled;
        marshal_one(kernel, index, slot, argument, marshalled);
        for (std::size_t at = slot; at < slot + slots_of(argument); ++at) state_->bound->set(at, marshalled.views[at]);
        state_->keep(slot, marshalled, argument);
    });
}

}  // namespace gemel
