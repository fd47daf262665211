/// Launching kernels: shape and arguments are checked, marshalled on the stack, and handed to the plug-in.
#include <gemel/core/kernel.hpp>

#include <gemel/core/file_lock.hpp>
#include <gemel/core/text.hpp>

#include "device/argument_check.hpp"
#include "device/state.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <thread>

namespace gemel {

/// What a launch configuration says of sizes.
struct Kernel::Sizes {
    const Dim3 &grid, &block, &threads;
    std::size_t shared_bytes;
};

namespace {

constexpr std::size_t inline_arguments = plugin::most_arguments;

struct Use {
    Block* block;
    bool writes;
};

/// Arguments in the form that the plug-in takes. Lives on the stack of one launch; what is not used is not written.
struct Marshalled {
    std::array<plugin::ArgumentView, inline_arguments> views;
    std::array<std::uint64_t, inline_arguments> handles;
    boost::container::static_vector<Use, inline_arguments> uses;
    std::size_t count = 0;
};

std::uint64_t handle_of(DriverContext& driver, Block& block, std::size_t offset, std::size_t bytes) {
    if (!block.allocation) return 0;
    Allocation& allocation = *block.allocation;
    // OpenCL has no empty sub-buffers. No byte is accessed, so any handle of the memory will do.
    if (offset == 0 || (bytes == 0 && !driver.linear_addresses)) return allocation.argument;
    if (driver.linear_addresses) return allocation.argument + offset;
    std::lock_guard lock(allocation.views_mutex);
    auto& handle = allocation.views[{offset, bytes}];
    if (!handle) {
        try {
            handle = driver.plugin->argument({&allocation.memory, offset}, bytes);
        } catch (...) {
            allocation.views.erase({offset, bytes});
            throw;
        }
    }
    return handle;
}

void marshal_one(KernelState& kernel, std::size_t index, std::size_t slot, const Argument& argument,
                 Marshalled& marshalled) {
    const Parameter* parameter = kernel.signature ? &kernel.signature->parameters[slot] : nullptr;
    if (parameter) {
        // The common cases in one comparison each; everything else is explained by check_kind.
        const bool fits = argument.kind == Argument::Kind::scalar
                              ? !parameter->is_pointer && parameter->dtype == argument.dtype
                          : argument.kind == Argument::Kind::memory
                              ? parameter->is_pointer && parameter->space != Parameter::Space::shared &&
                                    (argument.dtype.empty() || argument.dtype == parameter->dtype)
                              : false;
        if (!fits) [[unlikely]] {
            check_kind(kernel, index, *parameter, argument);
            if (parameter->dtype.empty() && !parameter->is_pointer)
                check_size(kernel, index, parameter, slot, argument);
        }
    } else {
        check_size(kernel, index, nullptr, slot, argument);
    }
    auto& view = marshalled.views[slot];
    switch (argument.kind) {
        case Argument::Kind::scalar: view = {argument.value, argument.bytes}; return;
        case Argument::Kind::structure: view = {argument.data, argument.bytes}; return;
        case Argument::Kind::shared: view = {nullptr, argument.bytes}; return;
        default: break;
    }
    Block* block = argument.block;
    if (!block) refuse(kernel, index, parameter, "is an empty buffer; Context::allocate() makes one");
    if (block->released) refuse(kernel, index, parameter, "is a buffer that has been released");
    if (block->driver.get() != kernel.driver) [[unlikely]] {
        if (!block->driver->usable()) block->driver->check();
        refuse(kernel, index, parameter,
               text("is a buffer on ", block->driver->description(), ", but the kernel is on ",
                    kernel.driver->description(),
                    block->driver->device == kernel.driver->device ? " in another context" : "",
                    "; Buffer::copy_from copies between contexts"));
    }
    marshalled.handles[slot] = handle_of(*kernel.driver, *block, argument.offset_bytes, argument.bytes);
    view = {&marshalled.handles[slot], sizeof(std::uint64_t)};
    if (block->allocation) marshalled.uses.push_back({block, !parameter || !parameter->is_const});
}

/// Temporary device memory around In, Out and InOut.
struct HostArguments {
    struct One {
        std::shared_ptr<Block> block;
        const Argument* argument;
    };
    std::vector<One> all;
};

void marshal(KernelState& kernel, std::span<const Argument> arguments, Marshalled& marshalled, HostArguments& host,
             const std::shared_ptr<DriverContext>& driver, const std::shared_ptr<StreamCore>& core) {
    const std::size_t expected = kernel.signature ? kernel.signature->argument_count()
                                 : kernel.kernel->facts().parameter_count
                                     ? *kernel.kernel->facts().parameter_count - (kernel.arena >= 0 ? 1 : 0)
                                     : arguments.size();
    if (arguments.size() != expected) [[unlikely]]
        refuse(kernel, text("expected ", expected, expected == 1 ? " argument" : " arguments", ", got ",
                            arguments.size(), kernel.signature ? text(": ", kernel.signature->text()) : std::string()));
    if (expected + 1 > inline_arguments)
        refuse(kernel, text("has ", expected, " parameters; gemel passes at most ", inline_arguments - 1,
                            ". Put values into a struct."));
    for (std::size_t i = 0, slot = 0; i < arguments.size(); ++i, ++slot) {
        if (static_cast<int>(slot) == kernel.arena) marshalled.views[slot++] = {};
        const Argument& argument = arguments[i];
        if (argument.kind >= Argument::Kind::copy_in && argument.kind <= Argument::Kind::copy_both) [[unlikely]] {
            auto block = share(new Block);
            block->size_bytes = argument.bytes;
            block->allocation = allocate_device(*driver, argument.bytes, plugin::MemoryKind::device);
            block->driver = driver;
            Argument memory = argument;
            memory.block = block.get();
            marshal_one(kernel, i, slot, memory, marshalled);
            if (argument.bytes && argument.kind != Argument::Kind::copy_out) {
                block->allocation->uses.touch(core, true);
                core->stream->upload({&block->allocation->memory, 0}, argument.data, argument.bytes, true);
                Counters::add(driver->counters->uploaded_bytes, argument.bytes);
            }
            host.all.push_back({std::move(block), &argument});
        } else {
            marshal_one(kernel, i, slot, argument, marshalled);
        }
    }
    marshalled.count = arguments.size() + (kernel.arena >= 0 ? 1 : 0);
    if (kernel.arena >= 0) marshalled.views[static_cast<std::size_t>(kernel.arena)] = {};
}

/// Grid and block after all checks. Returns false if there is nothing to launch.
template <class Sizes>
bool resolve(const KernelState& kernel, const Sizes& config, plugin::LaunchShape& shape) {
    const DeviceInfo& info = kernel.driver->info();
    const auto& facts = kernel.kernel->facts();
    Dim3 block = config.block;
    if (!block.given() && kernel.required_block) {
        const auto& required = *kernel.required_block;
        block = Dim3(required[0], required[1], required[2]);
    }
    if (!block.given()) refuse(kernel, "no block size was given; set .block (threads per block)");
    if (block.count() == 0) refuse(kernel, text("a block of ", to_string(block), " has no threads"));
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (block[axis] > info.max_block[axis])
            refuse(kernel, text("a block of ", to_string(block), " is too large: axis ", axis, " holds at most ",
                                info.max_block[axis], " threads on ", info.name));
    // NVIDIA's OpenCL goes on saying 256 for a kernel that requires, and gets, a larger block.
    if (block.count() > facts.max_threads_per_block && !kernel.required_block)
        refuse(kernel, text("a block of ", to_string(block), " has ", block.count(), " threads; this kernel allows ",
                            facts.max_threads_per_block, " on ", info.name));
    if (kernel.required_block) {
        const auto& required = *kernel.required_block;
        if (block[0] != required[0] || block[1] != required[1] || block[2] != required[2])
            refuse(kernel, text("requires a block of ", to_string(Dim3(required[0], required[1], required[2])),
                                ", got ", to_string(block)));
    }
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
    const std::size_t most = info.shared_memory_opt_in_bytes.value_or(info.shared_memory_per_block_bytes);
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
    return true;
}

std::uint64_t block_key(const plugin::LaunchShape& shape) {
    return (std::uint64_t{shape.block[0]} << 40) | (std::uint64_t{shape.block[1]} << 20) | shape.block[2];
}

/// Returns when the driver has compiled what the latest launch needs; sooner if that takes very long, as when another
/// thread's kernel has all cores and does not end: no process is blocked for longer than this.
void wait_until_begun(plugin::Kernel& kernel) {
    constexpr std::chrono::seconds longest{60};
    const auto end = std::chrono::steady_clock::now() + longest;
    for (std::chrono::microseconds pause{50}; !kernel.has_begun() && std::chrono::steady_clock::now() < end;) {
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(5000));
    }
}

/// Launches. Where the driver compiles for each block size at its first launch: one process at a time then, and the
/// completed binary is stored again.
template <class Launch>
void launch_finished(KernelState& kernel, StreamCore& core, const plugin::LaunchShape& shape, Launch&& launch) {
    const std::uint64_t block = kernel.finishes_at_first_launch ? block_key(shape) : 0;
    if (!kernel.finishes_at_first_launch || kernel.last_block.load(std::memory_order_relaxed) == block) return launch();
    std::unique_lock blocks(kernel.blocks_mutex);
    if (std::find(kernel.blocks.begin(), kernel.blocks.end(), block) != kernel.blocks.end()) {
        blocks.unlock();
        kernel.last_block.store(block, std::memory_order_relaxed);
        return launch();
    }
    // What is still in the stream runs before the lock is taken, and the kernel after it is given back: other processes
    // wait for the compiler alone. An event of its own, because PoCL runs it when a core is free, and so what follows
    // too.
    core.stream->record(false)->wait();
    {
        FileLock lock(kernel.driver->build_lock);
        launch();
        wait_until_begun(*kernel.kernel);
    }
    core.stream->synchronize();
    kernel.blocks.push_back(block);
    kernel.last_block.store(block, std::memory_order_relaxed);
    if (kernel.module->refresh_binary) kernel.module->refresh_binary();
}

void launch_marshalled(KernelState& kernel, const std::shared_ptr<StreamCore>& core, const plugin::LaunchShape& shape,
                       const Marshalled& marshalled) {
    for (const Use& use : marshalled.uses) use.block->allocation->uses.touch(core, use.writes);
    DriverContext& driver = *kernel.driver;
    driver.launches.add(Counters::add(driver.counters->launches), kernel.interned_name, shape);
    launch_finished(kernel, *core, shape, [&] {
        kernel.kernel->launch(*core->stream, shape, {marshalled.views.data(), marshalled.count}, kernel.arena);
    });
    if (driver.synchronous) core->stream->synchronize();
}

}  // namespace

void Kernel::launch(const LaunchConfig& config, std::span<const Argument> arguments) const {
    launch(Sizes{config.grid, config.block, config.threads, config.shared_bytes}, config.stream, arguments);
}

void Kernel::launch(const Dim3& grid, const Dim3& block, const Stream& stream,
                    std::span<const Argument> arguments) const {
    static constexpr Dim3 not_given;
    launch(Sizes{grid, block, not_given, 0}, stream, arguments);
}

void Kernel::launch(const Sizes& sizes, const Stream& stream, std::span<const Argument> arguments) const {
    KernelState& kernel = *state_;
    const auto& driver = kernel.module->driver;
    driver->call([&](plugin::Context&) {
        const auto& core = choose_stream(stream, driver, &kernel.name);
        plugin::LaunchShape shape;
        const bool any = resolve(kernel, sizes, shape);
        Marshalled marshalled;
        HostArguments host;
        marshal(kernel, arguments, marshalled, host, driver, core);
        if (any) launch_marshalled(kernel, core, shape, marshalled);
        for (const auto& [block, argument] : host.all) {
            if (argument->kind == Argument::Kind::copy_in || argument->bytes == 0) continue;
            core->stream->download(const_cast<void*>(argument->data), {&block->allocation->memory, 0}, argument->bytes,
                                   true);
            Counters::add(driver->counters->downloaded_bytes, argument->bytes);
        }
    });
}

double Kernel::time_packed(const LaunchConfig& config, std::span<const Argument> arguments) const {
    const auto& driver = state_->module->driver;
    const auto core =
        driver->call([&](plugin::Context&) { return choose_stream(config.stream, driver, &state_->name); });
    auto record = [&] { return driver->call([&](plugin::Context&) { return core->stream->record(true); }); };
    const auto start = record();
    launch(config, arguments);
    const auto stop = record();
    return driver->call([&](plugin::Context&) {
        stop->wait();
        return stop->milliseconds_since(*start);
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
};

PreparedLaunch Kernel::prepare_packed(const LaunchConfig& config, std::span<const Argument> arguments) const {
    KernelState& kernel = *state_;
    const auto& driver = kernel.module->driver;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].kind >= Argument::Kind::copy_in && arguments[i].kind <= Argument::Kind::copy_both)
            refuse(kernel, i, nullptr, "is a host range; a prepared launch takes device memory: upload it first");
    return driver->call([&](plugin::Context&) {
        auto prepared = share(new PreparedState);
        prepared->kernel = state_;
        prepared->stream = config.stream;
        prepared->any = resolve(kernel, config, prepared->shape);
        const auto& core = choose_stream(config.stream, driver, &kernel.name);
        Marshalled marshalled;
        HostArguments none;
        marshal(kernel, arguments, marshalled, none, driver, core);
        prepared->blocks.resize(marshalled.count);
        prepared->writes.resize(marshalled.count);
        for (std::size_t i = 0, slot = 0; i < arguments.size(); ++i, ++slot) {
            if (static_cast<int>(slot) == kernel.arena) ++slot;
            if (!arguments[i].block) continue;
            prepared->blocks[slot] = arguments[i].block->shared_from_this();
            prepared->writes[slot] = !kernel.signature || !kernel.signature->parameters[slot].is_const;
        }
        prepared->bound = kernel.kernel->bind({marshalled.views.data(), marshalled.count}, kernel.arena);
        return PreparedLaunch(std::move(prepared));
    });
}

void PreparedLaunch::operator()() const {
    if (!state_) throw ArgumentError("the prepared launch is empty; Kernel::prepare() makes one");
    (*this)(state_->stream);
}

void PreparedLaunch::operator()(const Stream& stream) const {
    if (!state_) throw ArgumentError("the prepared launch is empty; Kernel::prepare() makes one");
    PreparedState& prepared = *state_;
    if (!prepared.any) return;
    const auto& driver = prepared.kernel->module->driver;
    driver->call([&](plugin::Context&) {
        const auto& core = choose_stream(stream, driver, &prepared.kernel->name);
        for (std::size_t i = 0; i < prepared.blocks.size(); ++i) {
            if (!prepared.blocks[i]) continue;
            if (prepared.blocks[i]->released)
                refuse(*prepared.kernel, i, nullptr, "is a buffer that has been released");
            if (prepared.blocks[i]->allocation) prepared.blocks[i]->allocation->uses.touch(core, prepared.writes[i]);
        }
        driver->launches.add(Counters::add(driver->counters->launches), prepared.kernel->interned_name, prepared.shape);
        launch_finished(*prepared.kernel, *core, prepared.shape,
                        [&] { prepared.bound->launch(*core->stream, prepared.shape); });
        if (driver->synchronous) core->stream->synchronize();
    });
}

void PreparedLaunch::set_argument(std::size_t index, const Argument& argument) const {
    if (!state_) throw ArgumentError("the prepared launch is empty; Kernel::prepare() makes one");
    KernelState& kernel = *state_->kernel;
    const std::size_t count = state_->blocks.size() - (kernel.arena >= 0 ? 1 : 0);
    if (index >= count) refuse(kernel, text("has ", count, " arguments; there is no argument ", index + 1));
    if (argument.kind >= Argument::Kind::copy_in && argument.kind <= Argument::Kind::copy_both)
        refuse(kernel, index, nullptr, "is a host range; a prepared launch takes device memory: upload it first");
    kernel.driver->call([&](plugin::Context&) {
        const std::size_t slot = kernel.arena >= 0 && static_cast<int>(index) >= kernel.arena ? index + 1 : index;
        Marshalled marshalled;
        marshal_one(kernel, index, slot, argument, marshalled);
        state_->bound->set(slot, marshalled.views[slot]);
        state_->blocks[slot] = argument.block ? argument.block->shared_from_this() : nullptr;
    });
}

}  // namespace gemel
