/// Launching kernels: shape and arguments are checked, packed on the stack, and handed to the plug-in.
#include <gemel/core/kernel.hpp>

#include <gemel/core/file_lock.hpp>
#include <gemel/core/text.hpp>

#include "device/state.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <thread>

namespace gemel {
namespace {

constexpr std::size_t inline_arguments = plugin::most_arguments;

std::string declared(const Parameter& parameter) { return text("'", parameter.text(), "'"); }

[[noreturn]] void refuse(const KernelState& kernel, const std::string& what) {
    throw ArgumentError(text("kernel '", kernel.name, "': ", what));
}
[[noreturn]] void refuse(const KernelState& kernel, std::size_t index, const Parameter* parameter,
                         const std::string& what) {
    refuse(kernel, text("argument ", index + 1, parameter ? " (" + parameter->name + ")" : "", " ", what));
}

std::string describe(const Argument& argument) {
    switch (argument.kind) {
        case Argument::Kind::scalar: return argument.dtype.name();
        case Argument::Kind::structure:
            return argument.dtype.empty() ? text("a struct of ", argument.bytes, " bytes") : argument.dtype.name();
        case Argument::Kind::memory:
            return argument.dtype.empty() ? "a buffer" : text("an array of ", argument.dtype.name());
        case Argument::Kind::shared: return "shared memory";
        default: return argument.dtype.empty() ? "a host range" : text("a host range of ", argument.dtype.name());
    }
}

bool is_memory(Argument::Kind kind) {
    return kind != Argument::Kind::scalar && kind != Argument::Kind::structure && kind != Argument::Kind::shared;
}

/// Types that a value may stand for each other: bool is stored as a byte.
bool same_scalar(const DType& declared, const DType& given) {
    if (declared == given) return true;
    const auto byte = [](const DType& d) { return d.size_bytes() == 1 && d.lanes() == 1; };
    return byte(declared) && byte(given) &&
           (declared.kind() == DType::Kind::boolean || given.kind() == DType::Kind::boolean);
}

/// Elements of host ranges: signedness may differ, size and kind may not.
bool same_elements(const DType& declared, const DType& given) {
    if (declared.empty() || given.empty() || declared == given) return true;
    const auto integral = [](const DType& d) { return d.is_integer() || d.kind() == DType::Kind::boolean; };
    return declared.size_bytes() == given.size_bytes() && integral(declared) && integral(given);
}

/// The type in C++ of what the kernel language calls so.
std::string cpp_name(DType dtype) {
    if (dtype == dtype_of<half>()) return "gemel::half";
    return dtype == dtype_of<bfloat16>() ? "gemel::bfloat16" : dtype.name();
}

/// What to do about elements of the wrong type.
std::string next_step(const Parameter& parameter, const Argument& argument) {
    if (argument.kind == Argument::Kind::memory)
        return text("; pass its astype<", cpp_name(parameter.dtype),
                    ">(), or its buffer() to read the same bytes anew");
    return text("; convert the elements to ", cpp_name(parameter.dtype), ", or declare the parameter as ",
                argument.dtype.name(), " *");
}

void check_kind(const KernelState& kernel, std::size_t index, const Parameter& parameter, const Argument& argument) {
    if (is_memory(argument.kind)) {
        if (!parameter.is_pointer)
            refuse(kernel, index, &parameter,
                   text("is declared ", declared(parameter), ", a value, but got ", describe(argument),
                        "; pass a number of that type, or declare a pointer"));
        if (parameter.space == Parameter::Space::shared)
            refuse(kernel, index, &parameter,
                   text("is shared memory, ", declared(parameter), ", but got ", describe(argument),
                        "; pass gemel::SharedMemory{bytes}"));
        if (!same_elements(parameter.dtype, argument.dtype))
            refuse(kernel, index, &parameter,
                   text("is declared ", declared(parameter), ", but got ", describe(argument),
                        next_step(parameter, argument)));
        return;
    }
    if (argument.kind == Argument::Kind::shared) {
        if (!parameter.is_pointer || parameter.space != Parameter::Space::shared)
            refuse(kernel, index, &parameter,
                   text("is declared ", declared(parameter), ", which is no pointer to shared memory"));
        return;
    }
    if (parameter.is_pointer)
        refuse(kernel, index, &parameter,
               text("is a pointer, ", declared(parameter), ", but got ", describe(argument),
                    "; pass a Buffer, or wrap a host range in In(), Out() or InOut()"));
    if (parameter.dtype.empty()) return;
    if (argument.kind == Argument::Kind::scalar) {
        if (!same_scalar(parameter.dtype, argument.dtype))
            refuse(kernel, index, &parameter,
                   text("is declared ", declared(parameter), ", but got ", describe(argument),
                        "; hand-written kernels take exact types: convert it first"));
    } else if (argument.bytes != parameter.dtype.size_bytes() ||
               (!argument.dtype.empty() && argument.dtype.lanes() == 1 &&
                !same_scalar(parameter.dtype, argument.dtype))) {
        refuse(kernel, index, &parameter,
               text("is declared ", declared(parameter), " of ", counted(parameter.dtype.size_bytes(), "byte"),
                    ", but got ", describe(argument), "; pass a value of that type"));
    }
}

/// Value arguments of types that the text does not explain are at least of the size that the driver tells.
void check_size(const KernelState& kernel, std::size_t index, const Parameter* parameter, std::size_t slot,
                const Argument& argument) {
    const auto& sizes = kernel.kernel->facts().parameter_bytes;
    if (!sizes || slot >= sizes->size() || (*sizes)[slot] == 0) return;
    const std::size_t given = is_memory(argument.kind) ? sizeof(void*) : argument.bytes;
    if (given != (*sizes)[slot])
        refuse(
            kernel, index, parameter,
            text("has ", (*sizes)[slot], " bytes in the kernel, but got ", describe(argument),
                 argument.kind == Argument::Kind::structure && argument.dtype.empty() ? ""
                                                                                      : text(" of ", given, " bytes")));
}

struct Use {
    Block* block;
    bool writes;
};

/// Arguments in the form that the plug-in takes. Lives on the stack of one launch; what is not used is not written.
struct Packed {
    std::array<plugin::ArgumentView, inline_arguments> views;
    std::array<std::uint64_t, inline_arguments> handles;
    std::array<Use, inline_arguments> uses;
    std::size_t count = 0, use_count = 0;
};

std::uint64_t handle_of(DriverContext& driver, Block& block, std::size_t offset, std::size_t bytes) {
    if (!block.allocation) return 0;
    Allocation& allocation = *block.allocation;
    // OpenCL has no sub-buffers of no bytes, and nobody reads or writes there: any handle of the memory will do.
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

void pack_one(KernelState& kernel, std::size_t index, std::size_t slot, const Argument& argument, Packed& packed) {
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
    auto& view = packed.views[slot];
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
    packed.handles[slot] = handle_of(*kernel.driver, *block, argument.offset_bytes, argument.bytes);
    view = {&packed.handles[slot], sizeof(std::uint64_t)};
    if (block->allocation) packed.uses[packed.use_count++] = {block, !parameter || !parameter->is_const};
}

/// Temporary device memory around In, Out and InOut.
struct HostArguments {
    struct One {
        std::shared_ptr<Block> block;
        const Argument* argument;
    };
    std::vector<One> all;
};

void pack(KernelState& kernel, std::span<const Argument> arguments, Packed& packed, HostArguments& host,
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
        if (static_cast<int>(slot) == kernel.arena) packed.views[slot++] = {};
        const Argument& argument = arguments[i];
        if (argument.kind >= Argument::Kind::copy_in && argument.kind <= Argument::Kind::copy_both) [[unlikely]] {
            auto block = share(new Block);
            block->size_bytes = argument.bytes;
            block->allocation = allocate_device(*driver, argument.bytes, plugin::MemoryKind::device);
            block->driver = driver;
            Argument memory = argument;
            memory.block = block.get();
            pack_one(kernel, i, slot, memory, packed);
            if (argument.bytes && argument.kind != Argument::Kind::copy_out) {
                block->allocation->uses.touch(core, true);
                core->stream->upload({&block->allocation->memory, 0}, argument.data, argument.bytes, true);
                Counters::add(driver->counters->uploaded_bytes, argument.bytes);
            }
            host.all.push_back({std::move(block), &argument});
        } else {
            pack_one(kernel, i, slot, argument, packed);
        }
    }
    packed.count = arguments.size() + (kernel.arena >= 0 ? 1 : 0);
    if (kernel.arena >= 0) packed.views[static_cast<std::size_t>(kernel.arena)] = {};
}

/// Grid and block after all checks. Returns false if there is nothing to launch.
bool resolve(const KernelState& kernel, const LaunchConfig& config, plugin::LaunchShape& shape) {
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

void launch_packed(KernelState& kernel, const std::shared_ptr<StreamCore>& core, const plugin::LaunchShape& shape,
                   const Packed& packed) {
    for (std::size_t i = 0; i < packed.use_count; ++i)
        packed.uses[i].block->allocation->uses.touch(core, packed.uses[i].writes);
    DriverContext& driver = *kernel.driver;
    driver.launches.add(kernel.interned_name, shape);
    launch_finished(kernel, *core, shape, [&] {
        kernel.kernel->launch(*core->stream, shape, {packed.views.data(), packed.count}, kernel.arena);
    });
    if (driver.synchronous) core->stream->synchronize();
    Counters::add(driver.counters->launches);
}

}  // namespace

Argument as_argument(const Buffer& buffer) {
    Argument argument;
    argument.kind = Argument::Kind::memory;
    argument.block = buffer.block().get();
    argument.offset_bytes = buffer.offset_bytes();
    argument.bytes = buffer.size_bytes();
    return argument;
}

Argument as_argument(const ConstantBuffer& buffer) { return as_argument(buffer.buffer()); }

ConstantBuffer ConstantBuffer::make(const Context& context, const void* data, std::size_t bytes) {
    const std::size_t most = context.device().info().constant_memory_bytes;
    if (bytes > most)
        throw ArgumentError(text("ConstantBuffer: ", bytes, " bytes are more than the ", most,
                                 " bytes of constant memory of ", context.device().name()));
    Buffer buffer = context.allocate(bytes);
    buffer.upload_bytes(data, bytes);
    return ConstantBuffer(std::move(buffer));
}

void Kernel::launch(const LaunchConfig& config, std::span<const Argument> arguments) const {
    KernelState& kernel = *state_;
    const auto& driver = kernel.module->driver;
    driver->call([&](plugin::Context&) {
        const auto& core = choose_stream(config.stream, driver, &kernel.name);
        plugin::LaunchShape shape;
        const bool any = resolve(kernel, config, shape);
        Packed packed;
        HostArguments host;
        pack(kernel, arguments, packed, host, driver, core);
        if (any) launch_packed(kernel, core, shape, packed);
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

const std::string& Kernel::name() const { return state_->name; }
const std::optional<KernelSignature>& Kernel::signature() const { return state_->signature; }

KernelAttributes Kernel::attributes() const {
    state_->driver->check();
    const auto& facts = state_->kernel->facts();
    return {facts.registers,          facts.shared_bytes,          facts.local_bytes,
            facts.constant_bytes,     facts.max_threads_per_block, facts.preferred_multiple,
            facts.binary_architecture};
}

std::optional<Occupancy> Kernel::occupancy(std::size_t threads_per_block, std::size_t dynamic_shared_bytes) const {
    const DeviceInfo& info = state_->driver->info();
    if (threads_per_block == 0 || threads_per_block > state_->kernel->facts().max_threads_per_block)
        refuse(*state_, text("occupancy of a block of ", threads_per_block, " threads: this kernel allows 1 to ",
                             state_->kernel->facts().max_threads_per_block, " on ", info.name));
    return state_->driver->call([&](plugin::Context&) -> std::optional<Occupancy> {
        const auto blocks = state_->kernel->blocks_per_compute_unit(threads_per_block, dynamic_shared_bytes);
        if (!blocks || !info.max_threads_per_compute_unit) return std::nullopt;
        return Occupancy{*blocks,
                         static_cast<double>(*blocks * threads_per_block) / *info.max_threads_per_compute_unit};
    });
}

std::uint64_t Kernel::native_handle() const {
    state_->driver->check();
    return state_->kernel->native();
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
        Packed packed;
        HostArguments none;
        pack(kernel, arguments, packed, none, driver, core);
        prepared->blocks.resize(packed.count);
        prepared->writes.resize(packed.count);
        for (std::size_t i = 0, slot = 0; i < arguments.size(); ++i, ++slot) {
            if (static_cast<int>(slot) == kernel.arena) ++slot;
            if (!arguments[i].block) continue;
            prepared->blocks[slot] = arguments[i].block->shared_from_this();
            prepared->writes[slot] = !kernel.signature || !kernel.signature->parameters[slot].is_const;
        }
        prepared->bound = kernel.kernel->bind({packed.views.data(), packed.count}, kernel.arena);
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
        driver->launches.add(prepared.kernel->interned_name, prepared.shape);
        launch_finished(*prepared.kernel, *core, prepared.shape,
                        [&] { prepared.bound->launch(*core->stream, prepared.shape); });
        if (driver->synchronous) core->stream->synchronize();
        Counters::add(driver->counters->launches);
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
        Packed packed;
        pack_one(kernel, index, slot, argument, packed);
        state_->bound->set(slot, packed.views[slot]);
        state_->blocks[slot] = argument.block ? argument.block->shared_from_this() : nullptr;
    });
}

}  // namespace gemel
