/// Streams, events, and copies in stream order.
#include <gemel/core/stream.hpp>

#include <gemel/core/host_buffer.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include "device/fill_kernel.hpp"
#include "device/recorder.hpp"
#include "device/state.hpp"
#include "device/timed.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace gemel {
namespace {

thread_local Stream current;

/// The position of a buffer's bytes, for the plug-in.
plugin::Place place(const Block& block, std::size_t offset) { return {&block.allocation->memory, offset}; }

/// Shortens patterns of equal halves: a double zero becomes a byte zero.
std::size_t shortest_period(const std::byte* pattern, std::size_t bytes) {
    while (bytes % 2 == 0 && std::memcmp(pattern, pattern + bytes / 2, bytes / 2) == 0) bytes /= 2;
    return bytes;
}

std::shared_ptr<ModuleState> fill_module(const StreamState& stream) {
    auto& owner = stream.owner;
    {
        std::lock_guard lock(owner->modules_mutex);
        if (owner->fill_module && owner->fill_module->driver == stream.driver) return owner->fill_module;
    }
    CompileOptions options;
    options.name = "gemel_fill";
    const auto module = compile_program(owner, fill_source, true, options, {});
    std::lock_guard lock(owner->modules_mutex);
    return owner->fill_module = module;
}

/// The device address of a buffer's first byte, for checks of alignment: wrapped CUDA memory may begin anywhere. On
/// OpenCL it is the address of the cl_mem object, which is aligned.
std::uint64_t address_of(const Block& block, const Buffer& buffer) {
    return block.allocation->memory.handle + buffer.offset_bytes();
}

bool fill_by_driver(const StreamState& state, const Block& target, const Buffer& buffer, const std::byte* pattern,
                    std::size_t period) {
    Timed timed(state.driver, state.core, Timed::Kind::fill, "fill", buffer.size_bytes());
    const bool filled =
        state.core->stream->fill(place(target, buffer.offset_bytes()), pattern, period, buffer.size_bytes() / period);
    if (!filled) timed.drop();
    return filled;
}

/// For patterns that the driver cannot fill. The kernels get the whole allocation and an offset, because OpenCL's views
/// need alignment.
void fill_by_kernel(const Stream& stream, const Buffer& buffer, std::uint64_t address, const std::byte* pattern,
                    std::size_t period) {
    const Module module(Context(stream.state()->owner), fill_module(*stream.state()));
    const Buffer whole(buffer.block(), 0, buffer.block()->size_bytes);
    const auto w = fill_words(pattern, period);
    for (const FillLaunch& fill : fill_launches(address, buffer.offset_bytes(), buffer.size_bytes(), period))
        if (fill.count > 0)
            module.kernel(fill.kernel)({.block = {256}, .threads = {fill.count}, .stream = stream}, whole, fill.first,
                                       fill.count, fill.period, w[0], w[1], w[2], w[3]);
}

}  // namespace

const std::shared_ptr<StreamCore>& choose_stream(const Stream& named, const std::shared_ptr<DriverContext>& driver,
                                                 const std::string* kernel) {
    if (!named.empty()) {
        const auto& state = *named.state();
        if (state.driver != driver) {
            state.driver->check();  // reports that an earlier life of the context was lost
            driver->check();
            throw ArgumentError(text(kernel ? text("kernel '", *kernel, "': its stream") : "Stream: the stream",
                                     " is on ", state.driver->description(), ", but the ", kernel ? "kernel" : "buffer",
                                     " on ", driver->description(),
                                     state.driver->device == driver->device ? " in another context" : "",
                                     "; make the stream with the context of the ", kernel ? "kernel" : "buffer"));
        }
        return state.core;
    }
    if (!current.empty() && current.state()->driver == driver) return current.state()->core;
    return driver->default_stream;
}

void require_context(const Block& block, const StreamState& stream, const char* what) {
    if (block.driver == stream.driver) return;
    block.driver->check();  // reports that an earlier life of the context was lost
    stream.driver->check();
    throw ArgumentError(text(what, ": the buffer is on ", block.driver->description(), ", the stream on ",
                             stream.driver->description(),
                             block.driver->device == stream.driver->device ? " in another context" : "",
                             "; Buffer::copy_from copies between contexts"));
}

StreamState& checked(const Stream& stream) {
    if (stream.empty())
        throw ArgumentError(
            "Stream: the handle is empty; make one with Context::create_stream() or take default_stream()");
    return *stream.state();
}

const Event& Event::wait() const {
    not_recorded("Event::wait");
    if (state_) state_->driver->call([&](plugin::Context&) { state_->event->wait(); });
    return *this;
}

bool Event::done() const {
    return !state_ || state_->driver->call([&](plugin::Context&) { return state_->event->done(); });
}

Device Event::device() const {
    if (!state_) throw ArgumentError("Event: the handle is empty; Stream::record() makes one");
    return Device(state_->driver->device);
}

std::uint64_t Event::native_handle() const {
    if (!state_) throw ArgumentError("Event: the handle is empty; Stream::record() makes one");
    return state_->event->native();
}

Context Stream::context() const { return Context(checked(*this).owner); }

Event Stream::record(EventKind kind) const {
    auto& state = checked(*this);
    not_recorded("Stream::record", "record the event before or after Graph::launch()");
    return state.driver->call([&](plugin::Context&) {
        auto& stream = *state.core->stream;
        auto event = kind == EventKind::blocking       ? stream.record_blocking()
                     : kind == EventKind::interprocess ? stream.record_interprocess()
                                                       : stream.record(kind == EventKind::timed);
        return Event(share(new EventState{state.driver, state.core, std::move(event), kind == EventKind::timed,
                                          kind == EventKind::interprocess}));
    });
}

void Stream::wait(const Event& event) const {
    auto& state = checked(*this);
    not_recorded("Stream::wait", "wait for the event before Graph::launch()");
    if (event.empty()) return;
    const bool is_own = event.state()->driver == state.driver;
    const bool is_known = is_own || (event.state()->driver->device->backend == state.driver->device->backend &&
                                     state.driver->plugin->waits_for_all_events());
    if (!is_known) return wait_across(state, event.state());
    state.driver->call([&](plugin::Context&) { state.core->stream->wait(*event.state()->event); });
}

void Stream::synchronize() const {
    auto& state = checked(*this);
    not_recorded("Stream::synchronize");
    state.driver->call([&](plugin::Context&) { state.core->stream->synchronize(); });
}

bool Stream::idle() const {
    auto& state = checked(*this);
    not_recorded("Stream::idle");
    return state.driver->call([&](plugin::Context&) { return state.core->stream->idle(); });
}

void Stream::flush() const {
    auto& state = checked(*this);
    state.driver->call([&](plugin::Context&) { state.core->stream->flush(); });
}

void Stream::call(std::function<void()> function) const {
    auto& state = checked(*this);
    if (!function) throw ArgumentError("Stream::call: the function is empty; give one to run");
    not_recorded("Stream::call");
    auto* owned = new std::function<void()>(std::move(function));
    const auto trampoline = [](void* data) {
        CallbackScope in_callback;
        std::unique_ptr<std::function<void()>> f(static_cast<std::function<void()>*>(data));
        try {
            (*f)();
        } catch (const std::exception& error) {
            logging::write(logging::Level::error, "stream", text("a host function threw: ", error.what()));
        } catch (...) {
            logging::write(logging::Level::error, "stream",
                           "a host function threw something that is not derived from std::exception");
        }
    };
    try {
        state.driver->call([&](plugin::Context&) { state.core->stream->call_host(trampoline, owned); });
    } catch (...) {
        delete owned;
        throw;
    }
}

void Stream::copy(const Buffer& to, const Buffer& from) const {
    const CallScope scope;
    auto& state = checked(*this);
    Block& target = checked(to, "copy: the target");
    Block& source = checked(from, "copy: the source");
    require_context(target, state, "copy");
    require_context(source, state, "copy");
    if (to.size_bytes() != from.size_bytes())
        throw ArgumentError(text("copy: the target has ", to.size_bytes(), " bytes, the source ", from.size_bytes(),
                                 "; use Buffer::view for parts"));
    const std::size_t bytes = to.size_bytes();
    if (bytes == 0) return;
    if (&target == &source && to.offset_bytes() < from.offset_bytes() + bytes &&
        from.offset_bytes() < to.offset_bytes() + bytes)
        throw ArgumentError("copy: target and source overlap; copy through another buffer");
    state.driver->call([&](plugin::Context& plugin) {
        if (Recorder* const recorder = find_recorder(*state.core, "copy")) [[unlikely]]
            return recorder->copy({nullptr, &target.allocation->memory, to.offset_bytes(), bytes, bytes},
                                  recorder->use(target, true, to.offset_bytes(), bytes),
                                  {nullptr, &source.allocation->memory, from.offset_bytes(), bytes, bytes},
                                  recorder->use(source, false, from.offset_bytes(), bytes), {bytes, 1, 1});
        source.allocation->uses.touch(state.core, false);
        target.allocation->uses.touch(state.core, true);
        const Timed timed(state.driver, state.core, Timed::Kind::copy, "copy", bytes);
        state.core->stream->copy(place(target, to.offset_bytes()), place(source, from.offset_bytes()), bytes, plugin,
                                 false);
        if (state.driver->synchronous) state.core->stream->synchronize();
    });
    Counters::add(state.driver->counters->copied_bytes, bytes);
}

void Stream::upload(const Buffer& to, const std::shared_ptr<HostBlock>& from, std::size_t offset,
                    std::size_t bytes) const {
    const CallScope scope;
    auto& state = checked(*this);
    Block& target = checked(to, "copy: the target");
    require_context(target, state, "copy");
    if (!from) throw ArgumentError("copy: the host buffer is empty; give it a size when it is made");
    if (bytes != to.size_bytes())
        throw ArgumentError(text("copy: the target has ", to.size_bytes(), " bytes, the host buffer ", bytes,
                                 "; use view() or part()"));
    if (bytes == 0) return;
    state.driver->call([&](plugin::Context&) {
        if (Recorder* const recorder = find_recorder(*state.core, "copy")) [[unlikely]]
            return recorder->upload(target, to.offset_bytes(), from, offset, bytes);
        from->allocation->uses.touch(state.core, false);
        target.allocation->uses.touch(state.core, true);
        const auto* host = static_cast<const std::byte*>(from->allocation->memory.host) + offset;
        const Timed timed(state.driver, state.core, Timed::Kind::upload, "upload", bytes);
        state.core->stream->upload(place(target, to.offset_bytes()), host, bytes, state.driver->synchronous);
    });
    Counters::add(state.driver->counters->uploaded_bytes, bytes);
}

void Stream::download(const std::shared_ptr<HostBlock>& to, std::size_t offset, const Buffer& from,
                      std::size_t bytes) const {
    const CallScope scope;
    auto& state = checked(*this);
    Block& source = checked(from, "copy: the source");
    require_context(source, state, "copy");
    if (!to) throw ArgumentError("copy: the host buffer is empty; give it a size when it is made");
    if (bytes != from.size_bytes())
        throw ArgumentError(text("copy: the host buffer has ", bytes, " bytes, the source ", from.size_bytes(),
                                 "; use view() or part()"));
    if (bytes == 0) return;
    state.driver->call([&](plugin::Context&) {
        if (Recorder* const recorder = find_recorder(*state.core, "copy")) [[unlikely]]
            return recorder->download(to, offset, source, from.offset_bytes(), bytes);
        source.allocation->uses.touch(state.core, false);
        to->allocation->uses.touch(state.core, true);
        auto* host = static_cast<std::byte*>(to->allocation->memory.host) + offset;
        const Timed timed(state.driver, state.core, Timed::Kind::download, "download", bytes);
        state.core->stream->download(host, place(source, from.offset_bytes()), bytes, state.driver->synchronous);
    });
    Counters::add(state.driver->counters->downloaded_bytes, bytes);
}

void Stream::fill_bytes(const Buffer& buffer, const void* pattern, std::size_t pattern_bytes) const {
    const CallScope scope;
    auto& state = checked(*this);
    Block& target = checked(buffer, "fill");
    require_context(target, state, "fill");
    if (pattern_bytes == 0 || pattern_bytes > 16)
        throw ArgumentError(text("fill: expected a pattern of 1 to 16 bytes, got ", pattern_bytes));
    if (buffer.size_bytes() % pattern_bytes != 0)
        throw ArgumentError(text("fill: the buffer's ", buffer.size_bytes(),
                                 " bytes are not a multiple of the pattern's ", pattern_bytes));
    if (buffer.size_bytes() == 0) return;
    const auto* bytes = static_cast<const std::byte*>(pattern);
    const std::size_t period = shortest_period(bytes, pattern_bytes);
    const std::uint64_t address = address_of(target, buffer);
    const bool done = state.driver->call([&](plugin::Context&) {
        if (Recorder* const recorder = find_recorder(*state.core, "fill")) [[unlikely]] {
            // By the driver for patterns that all drivers support, otherwise by a kernel.
            const bool simple = (period == 1 || period == 2 || period == 4) && address % period == 0 &&
                                buffer.offset_bytes() % period == 0 &&
                                (state.driver->linear_addresses || target.size_bytes < std::size_t{1} << 31);
            if (simple) recorder->fill(target, buffer.offset_bytes(), bytes, period, buffer.size_bytes() / period);
            return simple;
        }
        target.allocation->uses.touch(state.core, true);
        const bool filled = buffer.offset_bytes() % period == 0 && address % std::min<std::size_t>(period, 4) == 0 &&
                            fill_by_driver(state, target, buffer, bytes, period);
        if (filled && state.driver->synchronous) state.core->stream->synchronize();
        return filled;
    });
    if (!done) fill_by_kernel(*this, buffer, address, bytes, period);
    Counters::add(state.driver->counters->filled_bytes, buffer.size_bytes());
}

std::uint64_t Stream::native_handle() const { return checked(*this).core->stream->native(); }

bool operator==(const Stream& a, const Stream& b) {
    return a.state_ == b.state_ || (a.state_ && b.state_ && a.state_->core == b.state_->core);
}

StreamScope::StreamScope(const Stream& stream, AtEnd at_end)
    : previous_(std::exchange(current, stream)), at_end_(at_end) {}
StreamScope::~StreamScope() {
    const Stream ended = std::exchange(current, std::move(previous_));
    if (at_end_ == AtEnd::nothing || ended.empty()) return;
    try {
        ended.synchronize();
    } catch (const std::exception& error) {
        logging::write(logging::Level::error, "stream", text("at the end of a StreamScope: ", error.what()));
    }
}

Stream current_stream() { return current; }

}  // namespace gemel
