/// Device memory and events that several processes use, by handles that are bytes.
#pragma once

#include <gemel/core/buffer.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace gemel {

class Context;

/// A handle to the buffer's memory, for import_memory() in another process on this device or one that reaches it; send
/// it by a pipe or MPI. The memory must stay allocated, and its Buffer alive, for as long as others use it: afterwards
/// the pool may give it to somebody else. What is enqueued here is not waited for: synchronize, or send an event too.
/// @throws ArgumentError for an empty buffer and for mapped and managed memory; Error where the driver has no such
/// handles (OpenCL); DeviceError for memory that the driver cannot export, as that of cuMemAllocAsync and of the
/// virtual memory functions
GEMEL_API std::vector<std::byte> export_memory(const Buffer& buffer);

/// The memory of another process, as a buffer of this context: the same bytes, not a copy. The last handle's end gives
/// up the access and waits for the device. Another device's memory needs Device::can_reach().
/// @throws ArgumentError if the bytes are no handle of export_memory(), of this very process or a device out of reach
GEMEL_API Buffer import_memory(const Context& context, std::span<const std::byte> handle);

/// A handle to an event that was recorded with EventKind::interprocess. The event must live until it is imported.
/// @throws ArgumentError for events of other kinds
GEMEL_API std::vector<std::byte> export_event(const Event& event);

/// An event of another process: `stream.wait(event)` orders streams of both without the host.
/// @throws ArgumentError if the bytes are no handle of export_event(), of this very process or a device out of reach
GEMEL_API Event import_event(const Context& context, std::span<const std::byte> handle);

}  // namespace gemel
