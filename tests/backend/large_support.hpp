/// Tests that need much memory: whether this device has it.
#pragma once

#include "array_support.hpp"
#include "skipped.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cstdlib>
#include <filesystem>

namespace gemel::testing {

/// Until this process ends, no other that calls this goes on: two at once would take each other's memory.
inline void wait_for_other_large_tests() {
    static const int file = [] {
        const auto path = std::filesystem::temp_directory_path() / "gemel_large_tests.lock";
        const int opened = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (opened >= 0) flock(opened, LOCK_EX);
        return opened;
    }();
    (void)file;
}

/// Whether one array of `largest` bytes and `all` bytes together fit the free memory of a GPU; if not, the case counts
/// as skipped. GEMEL_TEST_LARGE=1 includes CPU devices, where such tests take minutes.
inline bool has_room(std::size_t largest, std::size_t all) {
    const Context context = current_context();
    const Device device = context.device();
    const DeviceInfo& info = device.info();
    const bool takes_long = info.type != DeviceInfo::Type::gpu && !std::getenv("GEMEL_TEST_LARGE");
    if (!takes_long) {
        wait_for_other_large_tests();
        context.synchronize();
        context.pool().trim();
        const auto memory = context.memory_info();
        if (info.max_allocation_bytes >= largest && (memory ? memory->first : info.global_memory_bytes) >= all)
            return true;
    }
    skip_case(info.name + (takes_long ? " is not a GPU" : " has too little free memory"));
    return false;
}

}  // namespace gemel::testing
