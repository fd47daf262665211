/// Options of contexts, streams and memory.
#pragma once

#include <cstdint>

namespace gemel {

/// Which stream's kernels start first when a device is full. A hint; devices without priorities ignore it.
enum class StreamPriority : std::uint8_t { low, normal, high };

/// What an event is for.
enum class EventKind : std::uint8_t {
    timed,         ///< elapsed_milliseconds() takes it
    untimed,       ///< ordering only; costs less
    blocking,      ///< untimed; a thread in Event::wait() sleeps instead of polling
    interprocess,  ///< untimed; export_event() makes a handle for other processes; CUDA only
};

/// CUDA's limits of a context, in bytes.
enum class ContextLimit : std::uint8_t {
    stack,         ///< stack of each thread of a kernel
    printf,        ///< buffer of printf() in kernels until the host reads it
    heap,          ///< heap of malloc() in kernels
    l2_set_aside,  ///< part of the L2 cache set aside for persisting accesses
};

/// Page-locked memory of the host.
enum class HostMemoryKind : std::uint8_t {
    ordinary,
    write_combined,  ///< faster to copy from over some buses, very slow for the host to read
};

/// Whether a kernel prefers L1 cache or shared memory, on devices where both share one memory.
enum class CachePreference : std::uint8_t { none, shared, cache, equal };

/// How managed memory will be used.
enum class MemoryAdvice : std::uint8_t {
    mostly_read,      ///< host and device may both keep a copy
    not_mostly_read,  ///< reverses mostly_read
    prefer_device,    ///< the memory stays on the device; the host accesses it there
    prefer_host,
    no_preference,
};

/// What the host does with mapped memory.
enum class MapMode : std::uint8_t {
    read,
    write,  ///< elements that the host does not write are undefined afterwards
    read_write,
};

}  // namespace gemel
