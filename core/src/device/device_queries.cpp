/// Facts under the drivers' own names, devices by PCI address, peers, and limits.
#include <gemel/core/context.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/registry.hpp>
#include <gemel/core/text.hpp>

#include "device/state.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace gemel {
namespace {

std::string lowered(std::string_view name) {
    std::string out(name);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

std::string without_prefix(std::string_view name) {
    std::string bare = lowered(name);
    for (const std::string_view prefix : {"cu_device_attribute_", "cl_device_"})
        if (bare.starts_with(prefix)) return bare.substr(prefix.size());
    return bare;
}

/// "0000:3b:00.0" from "3B:00.0".
std::string whole_address(std::string_view address) {
    const std::string bare = lowered(address);
    return std::count(bare.begin(), bare.end(), ':') == 1 ? "0000:" + bare : bare;
}

const char* name_of(ContextLimit which) {
    constexpr std::array names{"stack", "printf", "heap", "l2_set_aside"};
    return names[static_cast<std::size_t>(which)];
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Device::attributes() const { return state_->device->attributes(); }

std::optional<std::string> Device::attribute(std::string_view name) const {
    const std::string wanted = without_prefix(name);
    for (auto& [known, value] : attributes())
        if (without_prefix(known) == wanted) return std::move(value);
    return std::nullopt;
}

std::vector<std::string> Device::extensions() const { return state_->device->extensions(); }

bool Device::has_extension(std::string_view name) const {
    const auto all = extensions();
    return std::find(all.begin(), all.end(), name) != all.end();
}

std::vector<std::string> Device::built_in_kernels() const { return state_->device->built_in_kernels(); }

bool Device::can_reach(const Device& other) const {
    return backend() == other.backend() &&
           (*this == other || state_->device->can_reach(other.state_->device->native()));
}

std::uint64_t Device::native_handle() const { return state_->device->native(); }

Device find_device_by_pci(std::string_view address, std::string_view backend) {
    const auto candidates = backend.empty() ? all_devices() : devices(backend);
    const std::string wanted = whole_address(address);
    std::vector<std::string> known;
    for (const Device& device : candidates) {
        if (!device.info().pci_bus_id) continue;
        if (whole_address(*device.info().pci_bus_id) == wanted) return device;
        known.push_back(text(device.id(), " at ", *device.info().pci_bus_id));
    }
    throw BackendUnavailable(text("find_device_by_pci: there is no device at PCI address '", address, "'; ",
                                  known.empty() ? "no device here tells its address" : "there are " + join(known)));
}

Device find_device_by_handle(std::string_view backend, std::uint64_t handle) {
    for (const Device& device : devices(backend))
        if (device.native_handle() == handle) return device;
    throw BackendUnavailable(text("find_device_by_handle: no device of ", backend, " has the handle ", handle,
                                  "; gemel::devices() lists those in use"));
}

void Context::reach(const Context& other) const {
    const auto driver = state_->driver(), peer = other.state_->driver();
    if (driver == peer) return;
    if (!device().can_reach(other.device()))
        throw Error(text("reach: kernels on ", driver->description(), " cannot read memory of ", peer->description(),
                         "; Buffer::copy_from copies it"));
    driver->call([&](plugin::Context& plugin) { plugin.reach(*peer->plugin); });
    const std::lock_guard lock(driver->peers_mutex);
    driver->peers.insert(peer->id);
}

Buffer Context::peer_view(const Buffer& buffer) const {
    const CallScope scope;
    Block& source = checked(buffer, "peer_view");
    auto driver = state_->driver();
    if (source.driver == driver) return buffer;
    if (const bool is_own = source.driver->device == driver->device; !is_own && !driver->has_reached(*source.driver))
        throw ArgumentError(text("peer_view: ", driver->description(), " has not asked for the memory of ",
                                 source.driver->description(), "; call reach() with the buffer's context first"));
    auto* block = new Block;
    auto shared = share(block);
    block->size_bytes = source.size_bytes;
    block->driver = driver;
    block->owner = state_;
    block->keep_alive = buffer.block();
    if (source.allocation)
        driver->call([&](plugin::Context& plugin) {
            auto allocation = std::make_unique<Allocation>();
            allocation->memory = plugin.reached_memory(source.allocation->memory);
            allocation->memory.foreign = true;
            allocation->argument = plugin.argument({&allocation->memory, 0}, source.size_bytes);
            block->allocation = std::move(allocation);
        });
    return Buffer(std::move(shared), buffer.offset_bytes(), buffer.size_bytes());
}

std::optional<AddressRange> Context::address_range(std::uint64_t address) const {
    const auto range = state_->driver()->call([&](plugin::Context& plugin) { return plugin.address_range(address); });
    if (!range) return std::nullopt;
    return AddressRange{range->base, range->bytes};
}

std::optional<std::size_t> Context::limit(ContextLimit which) const {
    return state_->driver()->call([&](plugin::Context& plugin) { return plugin.limit(which); });
}

void Context::set_limit(ContextLimit which, std::size_t bytes) const {
    const auto driver = state_->driver();
    if (!driver->call([&](plugin::Context& plugin) { return plugin.set_limit(which, bytes); }))
        throw Error(
            text("set_limit: ", driver->description(), " has no limit '", name_of(which), "'; CUDA devices have it"));
}

}  // namespace gemel
