/// Counters of contexts and memory pools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gemel {

/// A snapshot of a context's counters since its creation; reset() does not clear them. Subtract two snapshots to count
/// a section of a program.
struct Statistics {
    std::uint64_t launches = 0;
    std::uint64_t compilations = 0;     ///< runs of a compiler
    std::uint64_t disk_hits = 0;        ///< programs loaded from the disk cache
    std::uint64_t memory_hits = 0;      ///< programs found already loaded
    std::uint64_t allocations = 0;      ///< memory requests that the driver served
    std::uint64_t pool_hits = 0;        ///< memory requests that the pool served
    std::uint64_t allocated_bytes = 0;  ///< total requested from the driver
    std::uint64_t uploaded_bytes = 0;
    std::uint64_t downloaded_bytes = 0;
    std::uint64_t copied_bytes = 0;  ///< between device memory and device memory
    std::uint64_t filled_bytes = 0;
};

/// The state of a memory pool; all sizes in bytes.
struct PoolStatistics {
    std::size_t active_blocks = 0, active_bytes = 0;  ///< in use, rounded up to size classes
    std::size_t held_blocks = 0, held_bytes = 0;      ///< free, kept for reuse
    std::size_t peak_bytes = 0;                       ///< maximum of active and held bytes together
    std::size_t peak_active_bytes = 0;                ///< maximum of active bytes
    std::size_t limit_bytes = 0;                      ///< GEMEL_POOL_LIMIT or set_limit(); 0 for none
};

/// The place of a call, as a default argument. It replaces std::source_location, which Clang 14 lacks.
struct CallPlace {
    const char* file = "";
    unsigned line = 0;
    static constexpr CallPlace current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        return {file, line};
    }
};

/// The device allocations of one call site while MemoryPool::watch() was on; sizes as requested.
struct AllocationFigures {
    std::string site;  ///< "solver.cpp:42", or an AllocationSite's name with its file and line
    std::size_t live_blocks = 0, live_bytes = 0;      ///< not yet freed
    std::size_t peak_bytes = 0;                       ///< maximum of live_bytes
    std::uint64_t total_blocks = 0, total_bytes = 0;  ///< all allocations
};

}  // namespace gemel
