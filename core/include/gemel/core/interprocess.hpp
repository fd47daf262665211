/// Sharing device memory and events between processes on one device, by handles that are bytes.
#pragma once

#include <gemel/core/buffer.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace gemel {

class Context;

/// Returns a handle to the buffer's memory for import_memory() in another process, on this device or one that reaches
/// it. Send it through a pipe, a socket or MPI. Keep the Buffer alive while other processes use the memory: afterwards
/// the pool may reuse it. The importing process does not wait for commands enqueued here: synchronize, or send an event
/// as well.
/// @throws ArgumentError for an empty buffer and for mapped and managed memory; Error if the driver has no such handles
///         (OpenCL); DeviceError if the driver cannot export the memory (from cuMemAllocAsync or the virtual memory
///         functions)
GEMEL_API std::vector<std::byte> export_memory(const Buffer& buffer);

/// Opens another process's memory as a buffer of this context: the same memory, not a copy. Destroying the last handle
/// closes it and waits for the device. Memory of another device needs Device::can_reach().
/// @throws ArgumentError if `handle` is not from export_memory(), or is from this process or a device out of reach
GEMEL_API Buffer import_memory(const Context& context, std::span<const std::byte> handle);

/// Returns a handle to an event that was recorded with EventKind::interprocess. Keep the event alive until it is
/// imported.
/// @throws ArgumentError for events of other kinds
GEMEL_API std::vector<std::byte> export_event(const Event& event);

/// Opens another process's event: `stream.wait(event)` orders streams of both processes without the host.
/// @throws ArgumentError if `handle` is not from export_event(), or is from this process or a device out of reach
GEMEL_API Event import_event(const Context& context, std::span<const std::byte> handle);

}  // namespace gemel
