/// The context between two that share no memory: on which device, from when on, and who has it.
#include "device/copy_relay.hpp"

#include "device/state.hpp"

#include <gemel/core/registry.hpp>
#include <gemel/core/text.hpp>

#include <map>
#include <optional>

namespace gemel {
namespace {

/// CUDA's first context of a device takes about 0.2 s and some hundred MiB of its memory. The host copies this much in
/// 0.1 to 0.3 s, so that a program with few copies pays for none. Worked out, not tuned.
constexpr std::size_t bytes_before_relay = std::size_t{4} << 30;

/// The other backend's device of that identity; none unless it has `other`, too.
std::optional<Device> find_device_of_relay(const DriverContext& own, const DriverContext& other) {
    const auto all = all_devices();
    for (const Device& device : all) {
        if (device.backend() == own.device->backend || device.info().identity != own.info().identity) continue;
        for (const Device& peer : all)
            if (peer.backend() == device.backend() && peer.info().identity == other.info().identity) return device;
    }
    return std::nullopt;
}

std::shared_ptr<DriverContext> context_of(const Device& device) {
    struct Known {
        std::mutex mutex;
        std::map<const Device::State*, std::weak_ptr<DriverContext>> contexts;
    };
    static auto* const known = new Known;  // leaked on purpose: handles may die after static destructors have run
    const std::lock_guard lock(known->mutex);
    auto& context = known->contexts[&device.state()];
    if (auto alive = context.lock(); alive && alive->usable()) return alive;
    auto made = Context(device).state()->driver();
    context = made;
    return made;
}

}  // namespace

std::shared_ptr<DriverContext> CopyRelay::find(DriverContext& own, DriverContext& other, std::size_t bytes) {
    {
        const std::lock_guard lock(mutex_);
        if (is_given_up_ || context_) return context_;
    }
    const auto device = find_device_of_relay(own, other);
    if (!device) return nullptr;
    const bool is_cheap = has_live_context(device->state());
    {
        const std::lock_guard lock(mutex_);
        copied_bytes_ += bytes;
        if (!is_cheap && copied_bytes_ <= bytes_before_relay) return nullptr;
    }
    try {
        auto made = context_of(*device);
        log_copy(text(own.description(), " and ", other.description(), " copy by way of ", made->description()));
        const std::lock_guard lock(mutex_);
        if (!is_given_up_) context_ = std::move(made);
        return context_;
    } catch (const Error& error) {
        give_up(error.what());
        return nullptr;
    }
}

void CopyRelay::give_up(const std::string& why) {
    log_copy(text("copies go through the host, not by way of another backend: ", why));
    std::shared_ptr<DriverContext> dying;  // outside the lock
    const std::lock_guard lock(mutex_);
    is_given_up_ = true;
    dying.swap(context_);
}

void CopyRelay::end() {
    std::shared_ptr<DriverContext> dying;
    const std::lock_guard lock(mutex_);
    dying.swap(context_);
}

}  // namespace gemel
