/// Contexts: handles for working with a device.
#include <gemel/core/context.hpp>

#include <gemel/core/registry.hpp>
#include <gemel/core/stream.hpp>
#include <gemel/core/text.hpp>

#include "device/recorder.hpp"
#include "device/state.hpp"
#include "device/timed.hpp"

namespace gemel {
namespace {

thread_local std::optional<Context> current;

/// @param make  creates the plug-in's context; not called if the process must not use drivers
template <class Make>
std::shared_ptr<ContextState> make_state(const Device& device, Make&& make, bool foreign,
                                         std::shared_ptr<void> keep_alive) {
    const CallScope scope;
    require_process_for_drivers();
    profile_whole_program();
    auto driver = make(*device.state().device);
    auto state = share(new ContextState);
    state->device = std::shared_ptr<const Device::State>(std::shared_ptr<void>(), &device.state());
    state->dialect = &Dialect::find(device.state().dialect);
    state->foreign = foreign;
    state->current = share(new DriverContext(state->device, std::move(driver), state->counters, std::move(keep_alive)));
    static const bool watched = (watch_process(), true);
    (void)watched;
    return state;
}

}  // namespace

std::shared_ptr<ContextState> make_gl_state(const Device& device) {
    auto state = make_state(device, [](plugin::Device& plugin) { return plugin.create_gl_context(); }, false, nullptr);
    state->shares_gl = true;
    return state;
}

Context::Context(const Device& device)
    : state_(make_state(device, [](plugin::Device& plugin) { return plugin.create_context(); }, false, nullptr)) {}

Context Context::wrap(const Device& device, std::uint64_t handle, std::shared_ptr<void> keep_alive) {
    return Context(make_state(
        device, [&](plugin::Device& plugin) { return plugin.wrap_context(handle); }, true, std::move(keep_alive)));
}

Device Context::device() const { return Device(state_->device); }
const Dialect& Context::dialect() const { return *state_->dialect; }

Buffer Context::allocate(std::size_t bytes, const CallPlace& where) const {
    auto driver = state_->driver();
    auto* block = new Block;
    auto shared = share(block);
    block->size_bytes = bytes;
    if (anyone_watches()) [[unlikely]]
        block->graph = memory_of_recording(*driver);
    block->allocation = block->graph ? block->graph->allocate(bytes)
                                     : allocate_device(*driver, bytes, plugin::MemoryKind::device, &where);
    block->driver = std::move(driver);
    block->owner = state_;
    return Buffer(std::move(shared), 0, bytes);
}

Buffer Context::wrap_buffer(std::uint64_t handle, std::size_t bytes, std::shared_ptr<void> keep_alive) const {
    if (handle == 0 && bytes != 0)
        throw ArgumentError(text("wrap_buffer: a null handle cannot hold ", bytes, " bytes"));
    auto driver = state_->driver();
    auto* block = new Block;
    auto shared = share(block);
    block->size_bytes = bytes;
    block->driver = driver;
    block->owner = state_;
    block->keep_alive = std::move(keep_alive);
    if (bytes) {
        driver->call([&](plugin::Context& plugin) {
            auto allocation = std::make_unique<Allocation>();
            allocation->memory = plugin.wrap_memory(handle, bytes);
            allocation->memory.foreign = true;
            allocation->argument = plugin.argument({&allocation->memory, 0}, bytes);
            block->allocation = std::move(allocation);
        });
    }
    return Buffer(std::move(shared), 0, bytes);
}

std::optional<std::pair<std::size_t, std::size_t>> Context::memory_info() const {
    return state_->driver()->call([](plugin::Context& plugin) { return plugin.memory_info(); });
}

Module Context::compile(std::string_view source, const CompileOptions& options) const {
    return Module(*this, compile_program(state_, std::string(source), true, options, {}));
}

Module Context::compile(const NativeSource& source, const CompileOptions& options) const {
    return Module(*this, compile_program(state_, source.text(dialect()), false, options, {}));
}

Module Context::compile_generated(const std::string& source, const CompileOptions& options) const {
    return Module(*this, compile_program(state_, source, true, options, {}));
}

Module Context::load_binary(std::span<const std::byte> binary, const JitOptions& jit) const {
    return Module(*this, load_program(state_, binary, jit));
}

Stream Context::create_stream(StreamPriority priority) const {
    auto driver = state_->driver();
    auto* state = new StreamState;
    auto shared = share(state);
    state->core = driver->call([&](plugin::Context& plugin) {
        const bool is_normal = priority == StreamPriority::normal;
        return make_stream_core(is_normal ? plugin.create_stream() : plugin.create_stream_of(priority), *driver);
    });
    state->owner = state_;
    state->driver = std::move(driver);
    return Stream(std::move(shared));
}

Stream Context::wrap_stream(std::uint64_t handle, std::shared_ptr<void> keep_alive) const {
    auto driver = state_->driver();
    auto* state = new StreamState;
    auto shared = share(state);
    state->core =
        driver->call([&](plugin::Context& plugin) { return make_stream_core(plugin.wrap_stream(handle), *driver); });
    state->owner = state_;
    state->driver = std::move(driver);
    state->keep_alive = std::move(keep_alive);
    state->foreign = true;
    return Stream(std::move(shared));
}

Event Context::wrap_event(std::uint64_t handle, std::shared_ptr<void> keep_alive) const {
    if (handle == 0) throw ArgumentError("wrap_event: the handle is null; record the event first");
    auto driver = state_->driver();
    auto event = driver->call([&](plugin::Context& plugin) { return plugin.wrap_event(handle); });
    return Event(
        share(new EventState{std::move(driver), nullptr, std::move(event), false, false, std::move(keep_alive)}));
}

Stream Context::default_stream() const {
    auto driver = state_->driver();
    auto core = driver->default_stream;
    auto state = share(new StreamState);
    state->owner = state_;
    state->driver = std::move(driver);
    state->core = std::move(core);
    return Stream(std::move(state));
}

void Context::synchronize() const {
    not_recorded("Context::synchronize");
    const auto driver = state_->driver();
    driver->call([&](plugin::Context& plugin) {
        plugin.synchronize();
        driver->leaving_memory.sweep(*driver);
    });
}

void Context::reset() const {
    not_recorded("Context::reset");
    if (state_->foreign)
        throw Error(
            "Context::reset: a context that wraps a foreign one cannot be reset; make a new one around a new handle");
    auto old = state_->driver();
    old->abandon(text("this belongs to a context on ", old->description(), " that has since been reset"));
    {
        std::lock_guard lock(state_->modules_mutex);
        state_->module_index.clear();
        state_->modules.clear();
        state_->fill_module.reset();
    }
    state_->id = ContextState::new_id();
    std::unordered_map<const void*, std::shared_ptr<void>> attached;  // destroyed after the lock is released
    {
        std::lock_guard lock(state_->attached_mutex);
        attached.swap(state_->attached);
    }
    plugin::Device& device = *state_->device->device;
    auto fresh = share(new DriverContext(state_->device,
                                         state_->shares_gl ? device.create_gl_context() : device.create_context(),
                                         state_->counters, nullptr));
    std::lock_guard lock(state_->current_lock);
    state_->current.swap(fresh);
}

std::shared_ptr<void> Context::attached_object(const void* key, std::shared_ptr<void> (*make)()) const {
    std::lock_guard lock(state_->attached_mutex);
    auto& object = state_->attached[key];
    if (!object) object = make();
    return object;
}

Buffer Context::allocate_attached(std::size_t bytes) const {
    Buffer buffer = allocate(bytes);
    buffer.block()->owner.reset();
    return buffer;
}

std::uint64_t ContextState::new_id() {
    static std::atomic<std::uint64_t> count{0};
    return ++count;
}

std::uint64_t Context::id() const { return state_->id.load(std::memory_order_relaxed); }

bool Context::addresses_are_linear() const { return state_->driver()->linear_addresses; }

Statistics Context::statistics() const {
    const Counters& c = *state_->counters;
    const auto value = [](const std::atomic<std::uint64_t>& counter) {
        return counter.load(std::memory_order_relaxed);
    };
    return {.launches = value(c.launches),
            .compilations = value(c.compilations),
            .disk_hits = value(c.disk_hits),
            .memory_hits = value(c.memory_hits),
            .allocations = value(c.allocations),
            .pool_hits = value(c.pool_hits),
            .allocated_bytes = value(c.allocated_bytes),
            .uploaded_bytes = value(c.uploaded_bytes),
            .downloaded_bytes = value(c.downloaded_bytes),
            .copied_bytes = value(c.copied_bytes),
            .filled_bytes = value(c.filled_bytes)};
}

std::string Context::fingerprint() const { return context_fingerprint(*state_->device); }

std::uint64_t Context::native_handle() const {
    return state_->driver()->call([](plugin::Context& plugin) { return plugin.native(); });
}

Context default_context() {
    // Leaked on purpose, so that static objects may use it at exit.
    static const Context& context = *new Context(default_device());
    return context;
}

Context current_context() { return current ? *current : default_context(); }

ContextScope::ContextScope(const Context& context) : previous_(std::exchange(current, context)) {}
ContextScope::~ContextScope() { current = std::move(previous_); }

}  // namespace gemel
