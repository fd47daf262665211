/// Page-locked, mapped and managed memory.
#include <gemel/core/host_buffer.hpp>

#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include "device/recorder.hpp"
#include "device/state.hpp"

namespace gemel {

std::shared_ptr<HostBlock> allocate_host(const Context& context, std::size_t bytes, HostMemoryKind kind) {
    auto block = share(new HostBlock);
    auto driver = context.state()->driver();
    block->size_bytes = bytes;
    block->allocation = allocate_page_locked(*driver, bytes, kind);
    block->driver = std::move(driver);
    return block;
}

std::shared_ptr<HostBlock> detail::adopt_host(const Context& context, void* host, std::size_t bytes) {
    auto block = share(new HostBlock);
    auto driver = context.state()->driver();
    block->size_bytes = bytes;
    if (bytes > 0) {
        block->allocation = std::make_unique<Allocation>();
        driver->call([&](plugin::Context& plugin) { block->allocation->memory = plugin.register_host(host, bytes); });
    }
    block->driver = std::move(driver);
    return block;
}

std::byte* data(const std::shared_ptr<HostBlock>& block) {
    return block && block->allocation ? static_cast<std::byte*>(block->allocation->memory.host) : nullptr;
}

void wait_for_copies(const std::shared_ptr<HostBlock>& block) {
    not_recorded("HostBuffer::wait");
    if (block && block->allocation) block->driver->call([&](plugin::Context&) { block->allocation->uses.wait(); });
}

Buffer allocate_mapped(const Context& context, std::size_t bytes, MappedKind kind) {
    auto driver = context.state()->driver();
    if (kind == MappedKind::managed && !driver->info().has_managed_memory)
        throw Error(text("MappedBuffer: ", driver->description(),
                         " has no managed memory; use MappedKind::zero_copy or a plain Buffer"));
    auto* block = new Block;
    auto shared = share(block);
    block->size_bytes = bytes;
    block->allocation = allocate_device(
        *driver, bytes, kind == MappedKind::managed ? plugin::MemoryKind::managed : plugin::MemoryKind::mapped);
    block->driver = std::move(driver);
    block->owner = context.state();
    return Buffer(std::move(shared), 0, bytes);
}

void* map(const Buffer& buffer) {
    const CallScope scope;
    not_recorded("map");
    Block& block = checked(buffer, "map");
    if (!block.allocation) return nullptr;
    return block.driver->call([&](plugin::Context&) {
        const auto core = choose_stream({}, block.driver);
        block.allocation->uses.touch(core, true);
        return core->stream->map({&block.allocation->memory, buffer.offset_bytes()}, buffer.size_bytes());
    });
}

void unmap(const Buffer& buffer, void* host) noexcept try {
    const CallScope scope;
    Block& block = checked(buffer, "unmap");
    if (!block.allocation) return;
    block.driver->call([&](plugin::Context&) {
        const auto core = choose_stream({}, block.driver);
        not_recorded("unmap", "let the view die before capture()");
        block.allocation->uses.touch(core, true);
        core->stream->unmap(block.allocation->memory, host);
    });
} catch (const std::exception& error) {
    logging::write(logging::Level::warn, "memory", text("unmap: ", error.what()));
}

}  // namespace gemel
