/// Native OpenCL handles: use gemel's in your own calls, and yours in gemel.
#pragma once

#include <gemel/core/context.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/stream.hpp>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include <string>

namespace gemel::opencl {

/// @throws ArgumentError if the device is of another backend
inline void require(const Device& device) {
    if (device.backend() != "opencl")
        throw ArgumentError("gemel::opencl: this belongs to the backend '" + device.backend() + "'");
}
/// @throws ArgumentError if the context is of another backend
inline void require(const Context& context) { require(context.device()); }

/// gemel owns the handles: retain them to keep them longer. A buffer that is a view begins at `buffer.offset_bytes()`.
inline cl_context native(const Context& context) {
    require(context);
    return reinterpret_cast<cl_context>(context.native_handle());
}
inline cl_command_queue native(const Stream& stream) {
    require(stream.context());
    return reinterpret_cast<cl_command_queue>(stream.native_handle());
}
inline cl_mem native(const Buffer& buffer) {
    require(buffer.context());
    return reinterpret_cast<cl_mem>(buffer.native_handle());
}

/// gemel owns the event: it lives as long as the handle.
inline cl_event native(const Event& event) {
    require(event.device());
    return reinterpret_cast<cl_event>(event.native_handle());
}

/// Wraps your context; it must contain `device`. Retained as long as gemel needs it.
inline Context wrap(const Device& device, cl_context context) {
    return Context::wrap(device, reinterpret_cast<std::uint64_t>(context));
}
/// Wraps a buffer of `context`; retained.
inline Buffer wrap(const Context& context, cl_mem memory, std::size_t bytes) {
    require(context);
    return context.wrap_buffer(reinterpret_cast<std::uint64_t>(memory), bytes);
}
/// Wraps an event of `context`, a command's or a user event, to wait for it; retained. It cannot measure times.
inline Event wrap(const Context& context, cl_event event) {
    require(context);
    return context.wrap_event(reinterpret_cast<std::uint64_t>(event));
}
/// Wraps a queue of `context`; retained. In an out-of-order queue gemel enqueues a barrier before each of its commands,
/// so that they wait for everything enqueued before. Order your own later commands by a barrier or by the event of
/// `stream.record()`.
inline Stream wrap(const Context& context, cl_command_queue queue) {
    require(context);
    return context.wrap_stream(reinterpret_cast<std::uint64_t>(queue));
}

}  // namespace gemel::opencl
