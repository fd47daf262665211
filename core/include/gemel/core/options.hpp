/// Small choices that contexts, streams and memory take.
#pragma once

#include <cstdint>

namespace gemel {

/// Which stream's kernels start first when a device is full. A hint: devices without priorities treat all alike.
enum class StreamPriority : std::uint8_t { low, normal, high };

/// What an event is for.
enum class EventKind : std::uint8_t {
    timed,         ///< elapsed_milliseconds() takes it
    untimed,       ///< only order; costs less
    blocking,      ///< as untimed, and a thread in Event::wait() sleeps instead of asking again and again
    interprocess,  ///< as untimed, and export_event() makes a handle for other processes; CUDA alone
};

/// What a driver lets a context set, in bytes; CUDA's limits of a context.
enum class ContextLimit : std::uint8_t {
    stack,         ///< of each thread of a kernel
    printf,        ///< what printf() of kernels may hold until the host reads it
    heap,          ///< of malloc() in kernels
    l2_set_aside,  ///< of the second-level cache, for accesses that stay there
};

/// Page-locked memory of the host.
enum class HostMemoryKind : std::uint8_t {
    ordinary,
    write_combined,  ///< faster to copy from over some buses, very slow for the host to read
};

/// What a kernel would rather have where first-level cache and shared memory are one.
enum class CachePreference : std::uint8_t { none, shared, cache, equal };

/// How managed memory will be used.
enum class MemoryAdvice : std::uint8_t {
    mostly_read,      ///< both sides may keep a copy
    not_mostly_read,  ///< takes that back
    prefer_device,    ///< the memory stays on the device, the host reaches it there
    prefer_host,
    no_preference,
};

/// What the host does with mapped memory.
enum class MapMode : std::uint8_t {
    read,
    write,  ///< what it does not write is undefined afterwards
    read_write,
};

}  // namespace gemel
