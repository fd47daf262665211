/// How a comparison ends that throws.
#pragma once

#include <gemel/core/error.hpp>

#include <cstdio>
#include <exception>

namespace gemel::grid {

/// Within a handler: 77 where the backend has no device, and 1 for everything else, which is printed.
inline int exit_code() {
    try {
        throw;
    } catch (const BackendUnavailable& error) {
        std::printf("skipped: %s\n", error.what());
        return 77;
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
}

}  // namespace gemel::grid
