/// Handles for other processes: kind, process and device, and the driver's bytes.
#include <gemel/core/interprocess.hpp>

#include <gemel/core/context.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/registry.hpp>
#include <gemel/core/text.hpp>

#include "device/recorder.hpp"
#include "device/state.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <string_view>

namespace gemel {
namespace {

/// Identifies this process: drivers do not let a process open its own handles.
std::uint64_t own_process() {
    static const std::uint64_t number = [] {
        std::random_device device;
        return std::uint64_t{device()} << 32 | device();
    }();
    return number;
}

struct Head {
    char mark[8];
    std::uint64_t process = 0, offset_bytes = 0, bytes = 0;
    std::uint32_t identity_bytes = 0, handle_bytes = 0;
};
static_assert(std::is_trivially_copyable_v<Head> && sizeof(Head) == 40);

constexpr std::string_view memory_mark = "gemelMem", event_mark = "gemelEvt";

std::vector<std::byte> packed(std::string_view mark, Head head, const std::string& identity,
                              std::span<const std::byte> handle) {
    std::memcpy(head.mark, mark.data(), sizeof head.mark);
    head.process = own_process();
    head.identity_bytes = static_cast<std::uint32_t>(identity.size());
    head.handle_bytes = static_cast<std::uint32_t>(handle.size());
    const auto* const bytes = reinterpret_cast<const std::byte*>(&head);
    std::vector<std::byte> all(bytes, bytes + sizeof head);
    for (const char c : identity) all.push_back(static_cast<std::byte>(c));
    all.insert(all.end(), handle.begin(), handle.end());
    return all;
}

struct Unpacked {
    Head head;
    std::vector<std::byte> handle;
};

/// Whether kernels of this context can use memory of the device with this identity: drivers open handles of both.
bool reaches(const DriverContext& driver, const std::string& identity) {
    if (identity == driver.info().identity) return true;
    const Device own(driver.device);
    const auto all = devices(driver.device->backend);
    return std::any_of(all.begin(), all.end(),
                       [&](const Device& other) { return other.info().identity == identity && own.can_reach(other); });
}

/// @param what  the called function; @param source  the function whose bytes it takes
Unpacked unpacked(const char* what, const char* source, std::string_view mark, const DriverContext& driver,
                  std::span<const std::byte> all) {
    Unpacked result;
    const auto refuse = [&](const std::string& got) {
        throw ArgumentError(text(what, ": expected the bytes that ", source, "() gave in another process, got ", got));
    };
    if (all.size() < sizeof(Head)) refuse(text(all.size(), " bytes"));
    std::memcpy(&result.head, all.data(), sizeof(Head));
    const std::string_view found(result.head.mark, sizeof result.head.mark);
    if (found != mark) refuse(found == memory_mark || found == event_mark ? "a handle of the other kind" : "others");
    const std::size_t expected = sizeof(Head) + std::size_t{result.head.identity_bytes} + result.head.handle_bytes;
    if (all.size() != expected) refuse(text(all.size(), " bytes of ", expected, ": send them whole"));
    const std::string identity(reinterpret_cast<const char*>(all.data()) + sizeof(Head), result.head.identity_bytes);
    if (result.head.process == own_process())
        throw ArgumentError(text(what, ": the handle is of this very process; use what ", source, "() was given"));
    if (!reaches(driver, identity))
        throw ArgumentError(text(what, ": the handle is of the device ", identity, ", the context is on ",
                                 driver.description(), ", which is ", driver.info().identity,
                                 " and does not reach it; make a context on that device"));
    result.handle.assign(all.end() - result.head.handle_bytes, all.end());
    return result;
}

}  // namespace

std::vector<std::byte> export_memory(const Buffer& buffer) {
    const CallScope scope;
    Block& block = checked(buffer, "export_memory");
    if (!block.allocation) throw ArgumentError("export_memory: the buffer has no bytes; allocate some");
    if (block.allocation->memory.kind != plugin::MemoryKind::device)
        throw ArgumentError(
            "export_memory: mapped and managed memory has no handles; Context::allocate() makes memory that has");
    return block.driver->call([&](plugin::Context& plugin) {
        const plugin::ExportedMemory memory = plugin.export_memory(block.allocation->memory);
        Head head{};
        head.offset_bytes = memory.offset_bytes + buffer.offset_bytes();
        head.bytes = buffer.size_bytes();
        return packed(memory_mark, head, block.driver->info().identity, memory.handle);
    });
}

Buffer import_memory(const Context& context, std::span<const std::byte> handle) {
    const CallScope scope;
    auto driver = context.state()->driver();
    const Unpacked from = unpacked("import_memory", "export_memory", memory_mark, *driver, handle);
    auto* const block = new Block;
    auto shared = share(block);
    block->size_bytes = from.head.bytes;
    block->driver = driver;
    block->owner = context.state();
    driver->call([&](plugin::Context& plugin) {
        auto allocation = std::make_unique<Allocation>();
        allocation->memory = plugin.import_memory({from.handle, from.head.offset_bytes}, from.head.bytes);
        allocation->memory.foreign = true;
        allocation->argument = plugin.argument({&allocation->memory, 0}, from.head.bytes);
        block->allocation = std::move(allocation);
    });
    return Buffer(std::move(shared), 0, from.head.bytes);
}

std::vector<std::byte> export_event(const Event& event) {
    if (event.empty()) throw ArgumentError("export_event: the event is empty; Stream::record() makes one");
    const EventState& state = *event.state();
    if (!state.is_interprocess)
        throw ArgumentError("export_event: the event is of another kind; record it with EventKind::interprocess");
    return state.driver->call([&](plugin::Context& plugin) {
        return packed(event_mark, {}, state.driver->info().identity, plugin.export_event(*state.event));
    });
}

Event import_event(const Context& context, std::span<const std::byte> handle) {
    const CallScope scope;
    auto driver = context.state()->driver();
    const Unpacked from = unpacked("import_event", "export_event", event_mark, *driver, handle);
    auto event = driver->call([&](plugin::Context& plugin) { return plugin.import_event(from.handle); });
    return Event(share(new EventState{std::move(driver), nullptr, std::move(event)}));
}

}  // namespace gemel
