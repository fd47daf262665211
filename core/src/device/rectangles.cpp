/// Copies of rectangular windows and boxes.
#include <gemel/core/buffer.hpp>
#include <gemel/core/host_buffer.hpp>
#include <gemel/core/stream.hpp>
#include <gemel/core/text.hpp>

#include "device/recorder.hpp"
#include "device/state.hpp"
#include "device/timed.hpp"

namespace gemel {
namespace {

plugin::RectSide side(const plugin::Memory* device, std::byte* host, std::size_t base, std::size_t available,
                      const RectWindow& window, const RectExtent& extent, const char* what) {
    // The numbers come from the caller, so products are checked for overflow.
    bool too_large = false;
    const auto times = [&](std::size_t a, std::size_t b) {
        std::size_t product = 0;
        too_large |= __builtin_mul_overflow(a, b, &product);
        return product;
    };
    const auto plus = [&](std::size_t a, std::size_t b) {
        std::size_t sum = 0;
        too_large |= __builtin_add_overflow(a, b, &sum);
        return sum;
    };
    const std::size_t row = window.row_pitch_bytes ? window.row_pitch_bytes : extent.width_bytes;
    const std::size_t slice = window.slice_pitch_bytes ? window.slice_pitch_bytes : times(row, extent.rows);
    if (row < extent.width_bytes || window.x_bytes > row - extent.width_bytes)
        throw ArgumentError(text(what, ": a row of ", row, " bytes cannot hold ", extent.width_bytes,
                                 " bytes from byte ", window.x_bytes,
                                 " on; use a larger row pitch or a smaller width"));
    const std::size_t first = plus(plus(window.x_bytes, times(window.row, row)), times(window.slice, slice));
    const std::size_t last =
        plus(plus(plus(first, times(extent.slices - 1, slice)), times(extent.rows - 1, row)), extent.width_bytes);
    if (too_large || last > available)
        throw ArgumentError(text(what, ": the window ends ",
                                 too_large ? std::string("beyond any memory") : text("at byte ", last),
                                 ", but there are only ", available, " bytes; use a smaller window"));
    return {host ? host + base + first : nullptr, device, base + first, row, slice};
}

using Extent = std::array<std::size_t, 3>;

/// Drivers copy slices that are a multiple of the row pitch apart; others are copied one by one.
/// @param copy  copies from one side to the other, with their extent
template <class Copy>
void copy_window(plugin::RectSide to, plugin::RectSide from, const RectExtent& extent, Copy&& copy) {
    const auto in_rows = [](const plugin::RectSide& s) { return s.slice_pitch_bytes % s.row_pitch_bytes == 0; };
    if (in_rows(to) && in_rows(from)) return copy(to, from, Extent{extent.width_bytes, extent.rows, extent.slices});
    const auto step = [&](plugin::RectSide& side, std::size_t slice_pitch) {
        if (side.host) side.host += slice_pitch;
        side.offset_bytes += slice_pitch;
    };
    const std::size_t to_pitch = to.slice_pitch_bytes, from_pitch = from.slice_pitch_bytes;
    to.slice_pitch_bytes = to.row_pitch_bytes * extent.rows;
    from.slice_pitch_bytes = from.row_pitch_bytes * extent.rows;
    for (std::size_t k = 0; k < extent.slices; ++k, step(to, to_pitch), step(from, from_pitch))
        copy(to, from, Extent{extent.width_bytes, extent.rows, 1});
}

}  // namespace

void Stream::copy_rectangle(const Buffer& to, const RectWindow& to_window, const Buffer& from,
                            const RectWindow& from_window, const RectExtent& extent) const {
    const CallScope scope;
    auto& state = checked(*this);
    Block& target = checked(to, "copy_rectangle: the target");
    Block& source = checked(from, "copy_rectangle: the source");
    require_context(target, state, "copy_rectangle");
    const std::size_t bytes = extent.width_bytes * extent.rows * extent.slices;
    if (extent.width_bytes == 0 || extent.rows == 0 || extent.slices == 0) return;
    if (source.driver != target.driver) {  // packed there, sent as a whole, unpacked here
        not_recorded("copy_rectangle between contexts");
        const Context there(source.owner), here(target.owner);
        const Buffer packed = there.allocate(bytes), sent = here.allocate(bytes);
        there.default_stream().copy_rectangle(packed, {}, from, from_window, extent);
        sent.copy_from(packed);
        return copy_rectangle(to, to_window, sent, {}, extent);
    }
    const auto target_side = side(&target.allocation->memory, nullptr, to.offset_bytes(), to.size_bytes(), to_window,
                                  extent, "copy_rectangle: the target");
    const auto source_side = side(&source.allocation->memory, nullptr, from.offset_bytes(), from.size_bytes(),
                                  from_window, extent, "copy_rectangle: the source");
    state.driver->call([&](plugin::Context&) {
        if (Recorder* const recorder = find_recorder(*state.core, "copy_rectangle")) [[unlikely]]
            return copy_window(target_side, source_side, extent, [&](const auto& a, const auto& b, const Extent& part) {
                recorder->copy(a, recorder->use(target, true, to.offset_bytes(), to.size_bytes()), b,
                               recorder->use(source, false, from.offset_bytes(), from.size_bytes()), part);
            });
        source.allocation->uses.touch(state.core, false);
        target.allocation->uses.touch(state.core, true);
        const Timed timed(state.driver, state.core, Timed::Kind::copy, "copy", bytes);
        copy_window(target_side, source_side, extent, [&](const auto& a, const auto& b, const Extent& part) {
            state.core->stream->copy_rectangle(a, b, part, state.driver->synchronous);
        });
    });
    Counters::add(state.driver->counters->copied_bytes, bytes);
}

void Stream::upload_rectangle(const Buffer& to, const RectWindow& to_window, const std::shared_ptr<HostBlock>& from,
                              std::size_t from_offset, std::size_t from_bytes, const RectWindow& from_window,
                              const RectExtent& extent) const {
    const CallScope scope;
    auto& state = checked(*this);
    Block& target = checked(to, "copy_rectangle: the target");
    require_context(target, state, "copy_rectangle");
    if (!from) throw ArgumentError("copy_rectangle: the host buffer is empty; give it a size when it is made");
    if (extent.width_bytes == 0 || extent.rows == 0 || extent.slices == 0) return;
    not_recorded("copy_rectangle from a HostBuffer", "copy between buffers, or before capture()");
    const auto target_side = side(&target.allocation->memory, nullptr, to.offset_bytes(), to.size_bytes(), to_window,
                                  extent, "copy_rectangle: the target");
    const auto source_side =
        side(nullptr, data(from), from_offset, from_bytes, from_window, extent, "copy_rectangle: the host buffer");
    const std::size_t bytes = extent.width_bytes * extent.rows * extent.slices;
    state.driver->call([&](plugin::Context&) {
        from->allocation->uses.touch(state.core, false);
        target.allocation->uses.touch(state.core, true);
        const Timed timed(state.driver, state.core, Timed::Kind::upload, "upload", bytes);
        copy_window(target_side, source_side, extent, [&](const auto& a, const auto& b, const Extent& part) {
            state.core->stream->copy_rectangle(a, b, part, state.driver->synchronous);
        });
    });
    Counters::add(state.driver->counters->uploaded_bytes, bytes);
}

void Stream::download_rectangle(const std::shared_ptr<HostBlock>& to, std::size_t to_offset, std::size_t to_bytes,
                                const RectWindow& to_window, const Buffer& from, const RectWindow& from_window,
                                const RectExtent& extent) const {
    const CallScope scope;
    auto& state = checked(*this);
    Block& source = checked(from, "copy_rectangle: the source");
    require_context(source, state, "copy_rectangle");
    if (!to) throw ArgumentError("copy_rectangle: the host buffer is empty; give it a size when it is made");
    if (extent.width_bytes == 0 || extent.rows == 0 || extent.slices == 0) return;
    not_recorded("copy_rectangle to a HostBuffer", "copy between buffers, or after Graph::launch()");
    const auto target_side =
        side(nullptr, data(to), to_offset, to_bytes, to_window, extent, "copy_rectangle: the host buffer");
    const auto source_side = side(&source.allocation->memory, nullptr, from.offset_bytes(), from.size_bytes(),
                                  from_window, extent, "copy_rectangle: the source");
    const std::size_t bytes = extent.width_bytes * extent.rows * extent.slices;
    state.driver->call([&](plugin::Context&) {
        source.allocation->uses.touch(state.core, false);
        to->allocation->uses.touch(state.core, true);
        const Timed timed(state.driver, state.core, Timed::Kind::download, "download", bytes);
        copy_window(target_side, source_side, extent, [&](const auto& a, const auto& b, const Extent& part) {
            state.core->stream->copy_rectangle(a, b, part, state.driver->synchronous);
        });
    });
    Counters::add(state.driver->counters->downloaded_bytes, bytes);
}

void Buffer::upload_rectangle(const RectWindow& to_window, std::span<const std::byte> from,
                              const RectWindow& from_window, const RectExtent& extent) const {
    const CallScope scope;
    Block& target = checked(*this, "upload_rectangle");
    const std::size_t bytes = extent.width_bytes * extent.rows * extent.slices;
    if (extent.width_bytes == 0 || extent.rows == 0 || extent.slices == 0) return;
    const auto target_side =
        side(&target.allocation->memory, nullptr, offset_, bytes_, to_window, extent, "upload_rectangle: the buffer");
    const auto source_side = side(nullptr, const_cast<std::byte*>(from.data()), 0, from.size(), from_window, extent,
                                  "upload_rectangle: the host memory");
    not_recorded("upload_rectangle", "upload before capture(), or record a copy_rectangle() between buffers");
    target.driver->call([&](plugin::Context&) {
        const auto core = choose_stream({}, target.driver);
        target.allocation->uses.touch(core, true);
        const Timed timed(target.driver, core, Timed::Kind::upload, "upload", bytes);
        copy_window(target_side, source_side, extent, [&](const auto& a, const auto& b, const Extent& part) {
            core->stream->copy_rectangle(a, b, part, true);
        });
    });
    Counters::add(target.driver->counters->uploaded_bytes, bytes);
}

void Buffer::download_rectangle(std::span<std::byte> to, const RectWindow& to_window, const RectWindow& from_window,
                                const RectExtent& extent) const {
    const CallScope scope;
    Block& source = checked(*this, "download_rectangle");
    const std::size_t bytes = extent.width_bytes * extent.rows * extent.slices;
    if (extent.width_bytes == 0 || extent.rows == 0 || extent.slices == 0) return;
    const auto target_side =
        side(nullptr, to.data(), 0, to.size(), to_window, extent, "download_rectangle: the host memory");
    const auto source_side = side(&source.allocation->memory, nullptr, offset_, bytes_, from_window, extent,
                                  "download_rectangle: the buffer");
    not_recorded("download_rectangle", "read after Graph::launch()");
    source.driver->call([&](plugin::Context&) {
        const auto core = choose_stream({}, source.driver);
        source.allocation->uses.touch(core, false);
        const Timed timed(source.driver, core, Timed::Kind::download, "download", bytes);
        copy_window(target_side, source_side, extent, [&](const auto& a, const auto& b, const Extent& part) {
            core->stream->copy_rectangle(a, b, part, true);
        });
    });
    Counters::add(source.driver->counters->downloaded_bytes, bytes);
}

}  // namespace gemel
