/// Device memory: blocking transfers, copies between contexts, views.
#include <gemel/core/buffer.hpp>

#include <gemel/core/context.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/stream.hpp>
#include <gemel/core/text.hpp>

#include "device/external_copy.hpp"
#include "device/recorder.hpp"
#include "device/state.hpp"
#include "device/timed.hpp"

#include <algorithm>
#include <array>

namespace gemel {
namespace {

void require_range(const Block&, std::size_t size, std::size_t offset, std::size_t bytes, const char* what) {
    if (offset > size || bytes > size - offset)
        throw ArgumentError(text(what, ": ", bytes, " bytes at offset ", offset, " do not fit into the buffer's ", size,
                                 " bytes; use a smaller range or a larger buffer"));
}

/// Through two alternating pieces of page-locked memory: one is read while the other is transferred.
void copy_through_host(Block& target, std::size_t to, Block& source, std::size_t from, std::size_t bytes) {
    constexpr std::size_t piece = std::size_t{16} << 20;
    std::array<HostBlock, 2> staging;
    for (auto& stage : staging) {
        stage.driver = target.driver;
        stage.allocation = allocate_page_locked(*target.driver, std::min(piece, bytes));
    }
    std::array<std::unique_ptr<plugin::Event>, 2> sent;
    const auto reader = choose_stream({}, source.driver);
    const auto writer = choose_stream({}, target.driver);
    for (std::size_t at = 0, k = 0; at < bytes; at += piece, k ^= 1) {
        const std::size_t n = std::min(piece, bytes - at);
        void* host = staging[k].allocation->memory.host;
        if (sent[k]) target.driver->call([&](plugin::Context&) { sent[k]->wait(); });
        source.driver->call([&](plugin::Context&) {
            source.allocation->uses.touch(reader, false);
            const Timed timed(source.driver, reader, Timed::Kind::download, "download", n);
            reader->stream->download(host, {&source.allocation->memory, from + at}, n, true);
        });
        target.driver->call([&](plugin::Context&) {
            target.allocation->uses.touch(writer, true);
            {
                const Timed timed(target.driver, writer, Timed::Kind::upload, "upload", n);
                writer->stream->upload({&target.allocation->memory, to + at}, host, n, false);
            }
            sent[k] = writer->stream->record(false);
        });
    }
    target.driver->call([&](plugin::Context&) { writer->stream->synchronize(); });
}

}  // namespace

Block& checked(const Buffer& buffer, const char* what) {
    if (buffer.empty()) throw ArgumentError(text(what, ": the buffer is empty; Context::allocate() makes one"));
    Block& block = *buffer.block();
    if (block.released) throw ArgumentError(text(what, ": the buffer has been released"));
    return block;
}

Context Buffer::context() const {
    if (!block_) throw ArgumentError("Buffer::context: the buffer is empty; Context::allocate() makes one");
    return Context(block_->owner);
}

std::uint64_t Buffer::context_id() const { return block_ ? block_->owner->id.load(std::memory_order_relaxed) : 0; }

void Buffer::upload_bytes(const void* from, std::size_t bytes, std::size_t offset) const {
    const CallScope scope;
    Block& block = checked(*this, "upload");
    require_range(block, bytes_, offset, bytes, "upload");
    if (bytes == 0) return;
    block.driver->call([&](plugin::Context&) {
        const auto core = choose_stream({}, block.driver);
        if (Recorder* const recorder = find_recorder(*core, "upload")) [[unlikely]]
            return recorder->upload_copy(block, offset_ + offset, from, bytes);
        block.allocation->uses.touch(core, true);
        const Timed timed(block.driver, core, Timed::Kind::upload, "upload", bytes);
        core->stream->upload({&block.allocation->memory, offset_ + offset}, from, bytes, true);
    });
    Counters::add(block.driver->counters->uploaded_bytes, bytes);
}

void Buffer::download_bytes(void* to, std::size_t bytes, std::size_t offset) const {
    const CallScope scope;
    Block& block = checked(*this, "download");
    require_range(block, bytes_, offset, bytes, "download");
    if (bytes == 0) return;
    not_recorded("download (get, item, or a size that the host reads)",
                 "read after Graph::launch(), or stream.copy() to a HostBuffer, which every launch writes");
    block.driver->call([&](plugin::Context&) {
        const auto core = choose_stream({}, block.driver);
        block.allocation->uses.touch(core, false);
        const Timed timed(block.driver, core, Timed::Kind::download, "download", bytes);
        core->stream->download(to, {&block.allocation->memory, offset_ + offset}, bytes, true);
    });
    Counters::add(block.driver->counters->downloaded_bytes, bytes);
}

void Buffer::copy_from(const Buffer& from) const {
    const CallScope scope;
    Block& target = checked(*this, "copy_from: the target");
    Block& source = checked(from, "copy_from: the source");
    require_range(target, bytes_, 0, from.size_bytes(), "copy_from");
    const std::size_t bytes = from.size_bytes();
    if (bytes == 0) return;
    if (target.driver == source.driver) {
        const Context context(target.owner);
        const Stream here = current_stream();
        const bool use_current = !here.empty() && here.state()->driver == target.driver;
        (use_current ? here : context.default_stream()).copy(view(0, bytes), from);
        return;
    }
    not_recorded("copy_from between contexts");
    const bool direct = target.driver->device->backend == source.driver->device->backend &&
                        source.driver->plugin->copies_directly_to(*target.driver->plugin);
    if (direct) {
        target.driver->call([&](plugin::Context&) { target.allocation->uses.wait(); });
        source.driver->call([&](plugin::Context&) {
            // On a stream of the source: what has written it there comes before the copy without the host's waiting.
            const auto core = choose_stream({}, source.driver);
            source.allocation->uses.touch(core, false);
            const Timed timed(source.driver, core, Timed::Kind::copy, "copy", bytes);
            core->stream->copy({&target.allocation->memory, offset_}, {&source.allocation->memory, from.offset_}, bytes,
                               *target.driver->plugin, true);
        });
    } else if (!copy_through_device(target, offset_, source, from.offset_, bytes)) {
        copy_through_host(target, offset_, source, from.offset_, bytes);
    }
    Counters::add(target.driver->counters->copied_bytes, bytes);
}

void Buffer::fill_bytes(const void* pattern, std::size_t pattern_bytes) const {
    const CallScope scope;
    Block& block = checked(*this, "fill");
    const Stream here = current_stream();
    const bool use_current = !here.empty() && here.state()->driver == block.driver;
    (use_current ? here : Context(block.owner).default_stream()).fill_bytes(*this, pattern, pattern_bytes);
}

Buffer Buffer::view(std::size_t offset, std::size_t bytes) const {
    require_range(checked(*this, "view"), bytes_, offset, bytes, "view");
    return Buffer(block_, offset_ + offset, bytes);
}

void Buffer::release() {
    if (!block_) return;
    if (!block_->released.exchange(true)) {
        // Calls that other threads have begun with another handle may still use the memory, so this waits for them. If
        // that takes long, or in a driver's callback, for which they may be waiting, the last handle releases the
        // memory.
        if (!CallbackScope::active() && CallScope::others_have_ended(std::chrono::milliseconds(100)))
            block_->give_back();
        else
            logging::write(logging::Level::debug, "memory",
                           "a released buffer is in use: its memory is freed with its last handle");
    }
    *this = Buffer();
}

std::uint64_t Buffer::native_handle() const {
    const CallScope scope;
    checked(*this, "native_handle").driver->check();
    return handle_if_any();
}

std::uint64_t Buffer::handle_if_any() const noexcept {
    return block_ && block_->allocation ? block_->allocation->memory.handle : 0;
}

}  // namespace gemel
