/// One life of a driver's context: checks before calls, loss, memory, and the list of living contexts.
#include "device/state.hpp"
#include "device/recorder.hpp"
#include "device/timed.hpp"

#include <gemel/core/environment.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <set>

namespace gemel {
namespace {

/// Leaked on purpose: used at exit.
struct Live {
    std::mutex mutex;
    std::set<DriverContext*> contexts;
};
Live& live() {
    static auto* const instance = new Live;
    return *instance;
}

std::uint64_t next_id() {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1);
}

bool pool_wanted() { return env::flag("GEMEL_POOL", true); }

std::string pool_text(const PoolStatistics& s) {
    std::string line = text("the pool holds ", readable_bytes(s.active_bytes), " in use in ", s.active_blocks,
                            " blocks and ", readable_bytes(s.held_bytes), " free in ", s.held_blocks, " blocks");
    if (s.limit_bytes)
        line += text("; its limit is ", readable_bytes(s.limit_bytes), " (GEMEL_POOL_LIMIT or set_limit)");
    return line;
}

/// The largest size that a process can address. Larger requests are refused before the driver sees them.
constexpr std::size_t max_host_bytes = std::size_t{1} << 47;

[[noreturn]] void out_of_memory(const DriverContext& driver, const char* what, std::size_t bytes,
                                const std::string& why, const Pool& pool) {
    throw OutOfMemory(text("allocate: cannot allocate ", readable_bytes(bytes), " (", bytes, " bytes) of ", what,
                           " on ", driver.description(), ": ", why, "; the device has ",
                           readable_bytes(driver.info().global_memory_bytes), ", ", pool_text(pool.statistics()),
                           "; release buffers, or work in smaller pieces"));
}

/// For device and page-locked memory: bin, limit, driver, and a second try after releasing held memory.
std::unique_ptr<Allocation> allocate(DriverContext& driver, Pool& pool, std::size_t bytes, const char* what,
                                     std::size_t most, auto&& from_driver, auto&& to_driver) {
    if (bytes == 0) return nullptr;
    if (bytes > most) out_of_memory(driver, what, bytes, "this is more than can be allocated", pool);
    int size_class = size_class_of(bytes);
    std::size_t rounded = size_of_class(size_class);
    if (rounded > most || !pool.enabled()) rounded = bytes, size_class = -1;
    if (size_class >= 0) {
        if (auto held = pool.take(size_class)) {
            Counters::add(driver.counters->pool_hits);
            return held;
        }
    }
    const auto trim = [&] {
        for (auto& held : pool.drain()) to_driver(*held);
    };
    if (!pool.admits(rounded)) {
        trim();
        if (!pool.admits(rounded)) out_of_memory(driver, what, bytes, "the pool's limit is reached", pool);
    }
    const auto overcommitted = [&] {  // drivers that allocate lazily promise more memory than exists, and fail later
        const auto figures = pool.statistics();
        return rounded > most - std::min(most, figures.active_bytes + figures.held_bytes);
    };
    if (overcommitted()) {
        trim();
        if (overcommitted()) out_of_memory(driver, what, bytes, "too little is left", pool);
    }
    auto allocation = std::make_unique<Allocation>();
    try {
        from_driver(*allocation, rounded);
    } catch (const OutOfMemory&) {
        logging::write(logging::Level::debug, "pool",
                       text("driver out of memory at ", readable_bytes(rounded), "; trimming"));
        trim();
        try {
            from_driver(*allocation, rounded);
        } catch (const OutOfMemory& error) {
            out_of_memory(driver, what, bytes, error.what(), pool);
        }
    }
    allocation->size_class = size_class;
    pool.count_new(rounded);
    Counters::add(driver.counters->allocations);
    Counters::add(driver.counters->allocated_bytes, rounded);
    if (anyone_profiles()) note_pool(driver);
    return allocation;
}

/// @throws OutOfMemory
void take_from(DriverContext& driver, plugin::Context& plugin, Allocation& allocation, std::size_t bytes) {
    allocation.allocator = driver.allocator();
    if (!allocation.allocator) {
        allocation.memory = plugin.allocate(bytes, plugin::MemoryKind::device);
        return;
    }
    const std::uint64_t handle = allocation.allocator->allocate(bytes);
    if (handle == 0) throw OutOfMemory("the user's allocator has none");
    try {
        allocation.memory = plugin.wrap_memory(handle, bytes);
        allocation.memory.foreign = true;
    } catch (...) {
        allocation.allocator->release(handle, bytes);
        throw;
    }
}

}  // namespace

void release_to_driver(DriverContext& driver, Allocation& allocation) noexcept {
    allocation.memory_images.clear();
    for (const auto& [range, argument] : allocation.views)
        driver.plugin->release_argument({&allocation.memory, range.first}, argument);
    if (allocation.image)
        allocation.image.reset();
    else
        driver.plugin->release(allocation.memory);
    if (allocation.lender) allocation.lender->take_back(allocation.uses);
    if (!allocation.allocator) return;
    try {  // enqueued work may still use it, and the user alone decides what happens to it
        if (driver.can_wait()) allocation.uses.wait();
        allocation.allocator->release(allocation.memory.handle, allocation.memory.bytes);
    } catch (const std::exception& error) {
        logging::write(logging::Level::error, "memory", text("the user's allocator threw: ", error.what()));
    }
}

void release_host_to_driver(DriverContext& driver, Allocation& allocation) noexcept {
    try {
        if (driver.can_wait()) allocation.uses.wait();
    } catch (const std::exception& error) {
        logging::write(logging::Level::warn, "memory", text("while releasing page-locked memory: ", error.what()));
    }
    driver.plugin->release_host(allocation.memory);
}

std::shared_ptr<StreamCore> make_stream_core(std::unique_ptr<plugin::Stream> stream, DriverContext& context) {
    auto core = share(new StreamCore);
    core->stream = std::move(stream);
    core->context = &context;
    return core;
}

std::string LaunchRing::text() const {
    std::string all;
    const auto newest = next_.load(std::memory_order_relaxed);
    for (std::size_t back = 1; back <= size && back <= newest; ++back) {
        const auto& slot = entries_[(newest - back) % size];
        const char* kernel = slot.kernel.load(std::memory_order_relaxed);
        if (!kernel) continue;
        const auto dims = [](const auto& d) {
            std::string s = std::to_string(d[0].load(std::memory_order_relaxed));
            for (int i = 1; i < 3; ++i)
                if (const auto extent = d[i].load(std::memory_order_relaxed); extent > 1)
                    s += gemel::text(" x ", extent);
            return s;
        };
        all += gemel::text(all.empty() ? "" : ", ", "'", kernel, "' (grid ", dims(slot.grid), ", block ",
                           dims(slot.block), ")");
    }
    return all;
}

DriverContext::DriverContext(std::shared_ptr<const Device::State> device_, std::unique_ptr<plugin::Context> plugin_,
                             std::shared_ptr<Counters> counters_, std::shared_ptr<void> keep_alive_)
    : device(std::move(device_)),
      keep_alive(std::move(keep_alive_)),
      plugin(std::move(plugin_)),
      counters(std::move(counters_)),
      id(next_id()),
      synchronous(env::flag("GEMEL_SYNC")),
      starts_grids_whole(plugin->starts_grids_whole()),
      has_native_offset(Dialect::find(device->dialect).has_native_offset),
      linear_addresses(plugin->addresses_are_linear()),
      build_lock(plugin->build_lock()),
      device_pool(pool_wanted()),
      host_pool(pool_wanted()) {
    if (const auto limit = env::bytes("GEMEL_POOL_LIMIT", info().global_memory_bytes)) device_pool.set_limit(*limit);
    default_stream = make_stream_core(plugin->create_stream(), *this);
    if (anyone_profiles()) plugin->let_profilers_collect(true);
    std::lock_guard lock(live().mutex);
    live().contexts.insert(this);
}

DriverContext::~DriverContext() {
    {
        std::lock_guard lock(live().mutex);
        live().contexts.erase(this);
    }
    external_links->end(id);
    copy_relay.end();
    leaving_memory.drain(*this);
    // After a loss nothing is released; the plug-in handles that. After a reset of a healthy context, its blocks are
    // released.
    for (auto& held : device_pool.drain()) release_to_driver(*this, *held);
    for (auto& held : host_pool.drain()) release_host_to_driver(*this, *held);
    exclusive_launches.forget();
    default_stream.reset();
}

std::string DriverContext::description() const { return text(info().name, " (", device->id(), ")"); }

void DriverContext::refuse() const {
    require_process_for_drivers();
    if (status.load() == Status::ready) return;
    std::lock_guard lock(loss_mutex_);
    throw DeviceLost(loss_, "", 0, "");
}

void DriverContext::abandon(const std::string& reason) {
    {
        std::lock_guard lock(loss_mutex_);
        if (loss_.empty()) loss_ = reason;
    }
    status.store(Status::lost);
}

void DriverContext::lose(const DeviceLost& error) {
    const std::string last = launches.text();
    const std::string message =
        text(error.what(), " on ", description(), last.empty() ? "" : "; the last launches were ", last,
             synchronous ? "" : " (GEMEL_SYNC=1 names the one at fault)",
             ". Device memory is gone; context.reset() gives a working context again.");
    faulted_ = true;
    abandon(message);
    plugin->abandon();
    throw DeviceLost(message, error.call(), error.code(), error.code_name());
}

void synchronize_live_contexts() noexcept {
    std::lock_guard lock(live().mutex);
    for (auto* context : live().contexts) {
        if (!context->usable()) continue;
        try {
            context->plugin->synchronize();
        } catch (const std::exception& error) {
            logging::write(logging::Level::warn, "context", text("at exit: ", error.what()));
        }
    }
}

bool has_live_context(const Device::State& device) {
    std::lock_guard lock(live().mutex);
    return std::any_of(live().contexts.begin(), live().contexts.end(),
                       [&](const DriverContext* context) { return context->device.get() == &device; });
}

void let_profilers_collect(bool on) noexcept {
    std::lock_guard lock(live().mutex);
    for (auto* context : live().contexts)
        if (context->usable()) context->plugin->let_profilers_collect(on);
}

std::unique_ptr<Allocation> allocate_device(DriverContext& driver, std::size_t bytes, plugin::MemoryKind kind,
                                            const CallPlace* where) {
    auto made = driver.call([&](plugin::Context& plugin) {
        if (kind != plugin::MemoryKind::device) {
            if (bytes == 0) return std::unique_ptr<Allocation>();
            if (bytes > max_host_bytes)
                out_of_memory(driver, "memory shared by host and device", bytes, "this is more than can be allocated",
                              driver.device_pool);
            auto allocation = std::make_unique<Allocation>();
            driver.leaving_memory.sweep(driver);
            try {
                allocation->memory = plugin.allocate(bytes, kind);
            } catch (const OutOfMemory&) {
                if (!driver.leaving_memory.drain(driver)) throw;
                allocation->memory = plugin.allocate(bytes, kind);
            }
            allocation->argument = plugin.argument({&allocation->memory, 0}, bytes);
            Counters::add(driver.counters->allocations);
            Counters::add(driver.counters->allocated_bytes, bytes);
            return allocation;
        }
        auto allocation = allocate(
            driver, driver.device_pool, bytes, "device memory", driver.info().global_memory_bytes,
            [&](Allocation& fresh, std::size_t rounded) { take_from(driver, plugin, fresh, rounded); },
            [&](Allocation& held) { release_to_driver(driver, held); });
        if (allocation && !allocation->argument)
            allocation->argument = plugin.argument({&allocation->memory, 0}, allocation->memory.bytes);
        return allocation;
    });
    if (made && driver.allocations.watches()) [[unlikely]] {
        made->asked_bytes = bytes;
        made->site = driver.allocations.add(bytes, where);
    }
    return made;
}

std::unique_ptr<Allocation> allocate_page_locked(DriverContext& driver, std::size_t bytes, HostMemoryKind kind) {
    return driver.call([&](plugin::Context& plugin) {
        if (kind == HostMemoryKind::write_combined) {  // a different kind of memory from the pool's
            auto allocation = std::make_unique<Allocation>();
            if (bytes == 0) return std::unique_ptr<Allocation>();
            allocation->memory = plugin.allocate_write_combined(bytes);
            driver.host_pool.count_new(bytes);
            return allocation;
        }
        auto allocation = allocate(
            driver, driver.host_pool, bytes, "page-locked host memory", max_host_bytes,
            [&](Allocation& fresh, std::size_t rounded) { fresh.memory = plugin.allocate_host(rounded); },
            [&](Allocation& held) { release_host_to_driver(driver, held); });
        if (allocation && allocation->uses.any()) {  // the host may write at once, so copies must have ended
            allocation->uses.wait();
            allocation->uses.forget();
        }
        return allocation;
    });
}

StreamState::~StreamState() {
    if (!foreign || !core) return;
    // The owner may destroy the stream from now on, so memory that refers to it must not use it any more.
    try {
        if (driver->usable()) core->stream->synchronize();
    } catch (const std::exception& error) {
        logging::write(logging::Level::warn, "stream", text("while letting go of a wrapped stream: ", error.what()));
    }
    core->gone = true;
}

void give_back(DriverContext& driver, std::unique_ptr<Allocation> allocation) noexcept {
    if (allocation->site) [[unlikely]] {
        driver.allocations.remove(*allocation->site, allocation->asked_bytes);
        allocation->site = nullptr;
    }
    // Memory from another allocator is not held, because later blocks come from the current one.
    if (allocation->size_class >= 0 && driver.device_pool.enabled() && allocation->allocator == driver.allocator())
        return driver.device_pool.give_back(std::move(allocation));
    const bool counted =
        (!allocation->memory.foreign || allocation->allocator) && allocation->memory.kind == plugin::MemoryKind::device;
    if (counted) driver.device_pool.count_gone(allocation->memory.bytes);
    const auto kind = allocation->memory.kind;
    const bool is_own = !allocation->lender && !allocation->memory.foreign;
    if (is_own && (kind == plugin::MemoryKind::mapped || kind == plugin::MemoryKind::managed))
        return driver.leaving_memory.add(driver, std::move(allocation));
    try {  // foreign memory is accessible to the host: no command may still use it
        if (!allocation->lender && kind != plugin::MemoryKind::device && driver.can_wait()) allocation->uses.wait();
    } catch (const std::exception& error) {
        logging::write(logging::Level::warn, "memory", text("while releasing: ", error.what()));
    }
    release_to_driver(driver, *allocation);
}

void Block::give_back() noexcept {
    if (!allocation) return;
    if (graph)
        graph->keep(std::move(allocation));
    else
        gemel::give_back(*driver, std::move(allocation));
}

Block::~Block() { give_back(); }

HostBlock::~HostBlock() {
    if (!allocation) return;
    if (allocation->size_class >= 0 && driver->host_pool.enabled()) {
        driver->host_pool.give_back(std::move(allocation));
        return;
    }
    if (!allocation->memory.foreign) driver->host_pool.count_gone(allocation->memory.bytes);
    release_host_to_driver(*driver, *allocation);
}

}  // namespace gemel
