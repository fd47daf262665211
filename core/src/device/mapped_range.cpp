/// Ranges of device memory that the host accesses: mapped if the driver supports it, otherwise copied.
#include <gemel/core/mapped_range.hpp>

#include <gemel/core/context.hpp>
#include <gemel/core/host_buffer.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/stream.hpp>
#include <gemel/core/text.hpp>

#include "device/recorder.hpp"
#include "device/state.hpp"

namespace gemel {

HostMapping::HostMapping(const Buffer& buffer, MapMode mode) : buffer_(buffer), mode_(mode) {
    const Block& block = checked(buffer, "MappedRange");
    not_recorded("MappedRange", "let the range die before capture()");
    if (buffer.size_bytes() == 0) return;
    const bool is_far = block.driver->linear_addresses && !block.allocation->memory.host;
    if (!is_far) {
        host_ = static_cast<std::byte*>(map(buffer));
        return;
    }
    staging_ = allocate_host(buffer.context(), buffer.size_bytes());
    host_ = gemel::data(staging_);
    if (mode != MapMode::write) buffer.download_bytes(host_, buffer.size_bytes());
}

HostMapping::~HostMapping() {
    if (!host_) return;
    if (!staging_) unmap(buffer_, host_);
    if (!staging_ || mode_ == MapMode::read) return;
    try {
        buffer_.upload_bytes(host_, buffer_.size_bytes());
    } catch (const std::exception& error) {
        logging::write(logging::Level::error, "memory", text("at the end of a MappedRange: ", error.what()));
    }
}

void Buffer::wait() const {
    const CallScope scope;
    const Block& block = checked(*this, "wait");
    not_recorded("Buffer::wait");
    if (block.allocation) block.driver->call([&](plugin::Context&) { block.allocation->uses.wait(); });
}

void Buffer::advise(MemoryAdvice advice) const {
    const CallScope scope;
    const Block& block = checked(*this, "advise");
    if (!block.allocation || block.allocation->memory.kind != plugin::MemoryKind::managed) return;
    block.driver->call(
        [&](plugin::Context& plugin) { plugin.advise({&block.allocation->memory, offset_}, bytes_, advice); });
}

void Stream::prefetch(const Buffer& buffer, bool to_host) const {
    const CallScope scope;
    auto& state = checked(*this);
    Block& block = checked(buffer, "prefetch");
    require_context(block, state, "prefetch");
    not_recorded("Stream::prefetch", "prefetch before Graph::launch()");
    if (!block.allocation || buffer.size_bytes() == 0 || block.allocation->memory.kind == plugin::MemoryKind::device)
        return;
    state.driver->call([&](plugin::Context&) {
        block.allocation->uses.touch(state.core, true);
        state.core->stream->prefetch({&block.allocation->memory, buffer.offset_bytes()}, buffer.size_bytes(), to_host);
    });
}

}  // namespace gemel
