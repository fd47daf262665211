/// Parts of devices.
#include <gemel/core/device.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "device/lifetime.hpp"
#include "device/state.hpp"

#include <mutex>

namespace gemel {
namespace {

void check(const Device& device, const DevicePartition& how) {
    const std::uint32_t units = device.info().compute_units;
    std::uint64_t sum = 0;
    for (const std::uint32_t count : how.counts) {
        if (count == 0)
            throw ArgumentError(text("partition: expected parts of 1 to ", units, " compute units, got one of 0"));
        sum += count;
    }
    if (how.kind != DevicePartition::Kind::by_affinity && how.counts.empty())
        throw ArgumentError("partition: expected a number of compute units for each part, got none");
    if (sum > units)
        throw ArgumentError(text("partition: ", device.name(), " (", device.id(), ") has ", units,
                                 " compute units, the parts ask for ", sum));
}

struct Known {
    const Device::State* parent;
    DevicePartition how;
    std::vector<Device> parts;
};

}  // namespace

std::string Device::State::id() const { return parent ? text(parent->id(), ".", index) : text(backend, ":", index); }

std::optional<Device> Device::parent() const {
    if (!state_->parent) return std::nullopt;
    return Device(std::shared_ptr<const State>(std::shared_ptr<void>(), state_->parent));
}

std::vector<Device> Device::partition(const DevicePartition& how) const {
    const CallScope scope;
    require_process_for_drivers();
    check(*this, how);
    // Leaked on purpose, like the registry of whole devices: handles and contexts of parts may outlive everything.
    static auto& mutex = *new std::mutex;
    static auto& all = *new std::vector<Known>;
    std::lock_guard lock(mutex);
    for (const Known& known : all)
        if (known.parent == &state() && known.how == how) return known.parts;
    Known made{&state(), how, {}};
    for (auto& part : state_->device->partition(how)) {
        auto* const child = new State(state());
        child->index = static_cast<int>(made.parts.size());
        child->device = std::move(part);
        child->parent = &state();
        made.parts.push_back(Device(std::shared_ptr<const State>(std::shared_ptr<void>(), child)));
    }
    return all.emplace_back(std::move(made)).parts;
}

}  // namespace gemel
