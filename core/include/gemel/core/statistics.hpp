/// Counts of what a context has done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gemel {

/// A snapshot of a context's counters since it was made (they go on across reset()). Subtract two to measure a stretch.
struct Statistics {
    std::uint64_t launches = 0;
    std::uint64_t compilations = 0;     ///< runs of a compiler
    std::uint64_t disk_hits = 0;        ///< programs loaded from the disk cache
    std::uint64_t memory_hits = 0;      ///< programs found already loaded
    std::uint64_t allocations = 0;      ///< requests for memory that the driver served
    std::uint64_t pool_hits = 0;        ///< requests that the pool served without the driver
    std::uint64_t allocated_bytes = 0;  ///< asked of the driver, in total
    std::uint64_t uploaded_bytes = 0;
    std::uint64_t downloaded_bytes = 0;
    std::uint64_t copied_bytes = 0;  ///< between places on devices
    std::uint64_t filled_bytes = 0;
};

/// The state of a memory pool; all sizes in bytes.
struct PoolStatistics {
    std::size_t active_blocks = 0, active_bytes = 0;  ///< in use, rounded up to size classes
    std::size_t held_blocks = 0, held_bytes = 0;      ///< free, kept for reuse
    std::size_t peak_bytes = 0;                       ///< most that was active and held together
    std::size_t peak_active_bytes = 0;                ///< most that was in use
    std::size_t limit_bytes = 0;                      ///< GEMEL_POOL_LIMIT or set_limit(); 0 for none
};

/// Where a function is called, as a default argument: std::source_location, which Clang 14 has not.
struct CallPlace {
    const char* file = "";
    unsigned line = 0;
    static constexpr CallPlace current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        return {file, line};
    }
};

/// What one place in a program has allocated on a device while the pool watched; sizes as asked for.
struct AllocationFigures {
    std::string site;                                 ///< "solver.cpp:42", or an AllocationSite's name with its place
    std::size_t live_blocks = 0, live_bytes = 0;      ///< of those that have not died yet
    std::size_t peak_bytes = 0;                       ///< most that lived at once
    std::uint64_t total_blocks = 0, total_bytes = 0;  ///< all
};

}  // namespace gemel
