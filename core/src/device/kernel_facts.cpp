/// Facts about kernels and their arguments.
#include "device/argument_check.hpp"

#include <gemel/core/kernel.hpp>
#include <gemel/core/text.hpp>

#include "device/recorder.hpp"

namespace gemel {

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

const std::string& Kernel::name() const { return state_->name; }
const std::optional<KernelSignature>& Kernel::signature() const { return state_->signature; }

KernelAttributes Kernel::attributes() const {
    state_->driver->check();
    const auto& facts = state_->kernel->facts();
    return {facts.registers,          facts.shared_bytes,          facts.local_bytes,
            facts.constant_bytes,     facts.max_threads_per_block, facts.preferred_multiple,
            facts.binary_architecture};
}

const char* to_string(Occupancy::Limit limit) {
    switch (limit) {
        case Occupancy::Limit::threads: return "threads";
        case Occupancy::Limit::registers: return "registers";
        case Occupancy::Limit::shared_memory: return "shared memory";
        default: return "blocks";
    }
}

namespace {

/// Why no more blocks are resident, derived from the number that the driver reports: one more would exceed the threads,
/// would fit without shared memory, or needs too many registers.
Occupancy::Limit limit_of(const KernelState& kernel, std::uint32_t blocks, std::size_t threads,
                          std::size_t dynamic_shared_bytes) {
    if ((blocks + 1) * threads > *kernel.driver->info().max_threads_per_compute_unit) return Occupancy::Limit::threads;
    if (dynamic_shared_bytes > 0) {
        const auto without = kernel.kernel->blocks_per_compute_unit(threads, 0);
        if (without && *without > blocks) return Occupancy::Limit::shared_memory;
    }
    constexpr std::size_t registers = 65536;  // per multiprocessor, since sm_50
    if ((blocks + 1) * threads * kernel.kernel->facts().registers.value_or(0) > registers)
        return Occupancy::Limit::registers;
    return kernel.static_shared_bytes > 0 ? Occupancy::Limit::shared_memory : Occupancy::Limit::blocks;
}

/// As in the driver's occupancy calculator: the scarcest resource limits the number of blocks.
/// @source  cuda_occupancy.h of the CUDA toolkit (rules of allocation)
std::optional<Occupancy> estimated(const KernelState& kernel, const plugin::ComputeUnit& unit, std::size_t threads,
                                   std::size_t dynamic_shared_bytes) {
    const auto up = [](std::size_t n, std::size_t to) { return (n + to - 1) / to * to; };
    const DeviceInfo& info = kernel.driver->info();
    const std::size_t warp = info.warp_size.value_or(1), warps = (threads + warp - 1) / warp;
    std::size_t blocks = std::max<std::size_t>(unit.max_threads, threads) / (warps * warp);
    Occupancy::Limit limit = Occupancy::Limit::threads;
    const auto bound = [&](std::size_t room, Occupancy::Limit by) {
        if (room < blocks) blocks = room, limit = by;
    };
    if (const std::size_t shared = kernel.static_shared_bytes + dynamic_shared_bytes)
        bound(unit.shared_bytes / up(shared + unit.shared_reserved_bytes, unit.shared_unit_bytes),
              Occupancy::Limit::shared_memory);
    if (unit.registers > 0)
        if (const auto registers = kernel.kernel->find_registers(); registers && *registers > 0) {
            constexpr std::size_t partitions = 4;  // per multiprocessor, each with its own registers
            const std::size_t of_warp = up(*registers * warp, unit.register_unit);
            bound(unit.registers / partitions / of_warp * partitions / up(warps, partitions),
                  Occupancy::Limit::registers);
        }
    bound(unit.max_blocks, Occupancy::Limit::blocks);
    return Occupancy{static_cast<std::uint32_t>(blocks),
                     std::min(1.0, static_cast<double>(blocks * threads) / static_cast<double>(unit.max_threads)),
                     static_cast<std::uint32_t>(blocks * warps), limit, true};
}

}  // namespace

std::optional<Occupancy> Kernel::occupancy(std::size_t threads_per_block, std::size_t dynamic_shared_bytes) const {
    const DeviceInfo& info = state_->driver->info();
    if (threads_per_block == 0 || threads_per_block > state_->kernel->facts().max_threads_per_block)
        refuse(*state_, text("occupancy of a block of ", threads_per_block, " threads: this kernel allows 1 to ",
                             state_->kernel->facts().max_threads_per_block, " on ", info.name));
    return state_->driver->call([&](plugin::Context&) -> std::optional<Occupancy> {
        const auto blocks = state_->kernel->blocks_per_compute_unit(threads_per_block, dynamic_shared_bytes);
        if (!blocks || !info.max_threads_per_compute_unit) {
            const auto unit = state_->driver->device->device->compute_unit();
            return unit ? estimated(*state_, *unit, threads_per_block, dynamic_shared_bytes) : std::nullopt;
        }
        const std::size_t warp = info.warp_size.value_or(1), warps = (threads_per_block + warp - 1) / warp;
        return Occupancy{*blocks, static_cast<double>(*blocks * threads_per_block) / *info.max_threads_per_compute_unit,
                         static_cast<std::uint32_t>(*blocks * warps),
                         limit_of(*state_, *blocks, warps * warp, dynamic_shared_bytes)};
    });
}

std::int64_t Kernel::max_cooperative_blocks(const Dim3& block, std::size_t shared_bytes) const {
    const std::size_t most = state_->kernel->facts().max_threads_per_block;
    if (block.count() == 0 || (block.count() > most && !state_->required_block))
        refuse(*state_, text("max_cooperative_blocks of a block of ", to_string(block), ": this kernel allows 1 to ",
                             most, " threads on ", state_->driver->info().name));
    return state_->driver->call([&](plugin::Context&) {
        return static_cast<std::int64_t>(state_->kernel->max_cooperative_blocks(block.count(), shared_bytes));
    });
}

bool Kernel::prefer_shared_memory(int percent) const {
    if (percent < -1 || percent > 100)
        refuse(*state_,
               text("prefer_shared_memory: expected -1 to 100 percent, got ", percent, "; -1 leaves it to the driver"));
    return state_->driver->call([&](plugin::Context&) { return state_->kernel->prefer_shared_memory(percent); });
}

bool Kernel::prefer_cache(CachePreference preference) const {
    return state_->driver->call([&](plugin::Context&) { return state_->kernel->prefer_cache(preference); });
}

double Kernel::time_packed(const LaunchConfig& config, std::span<const Argument> arguments) const {
    not_recorded("Kernel::time");
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

std::uint64_t Kernel::native_handle() const {
    state_->driver->check();
    return state_->kernel->native();
}

}  // namespace gemel
