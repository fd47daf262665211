/// Cases that cannot run on this device. A run of which every case was skipped is reported as Skipped, not as passed.
#pragma once

#include <cstdio>
#include <string>

namespace gemel::testing {

inline int& skipped_cases() {
    static int count = 0;
    return count;
}

/// Called at most once by a case, which then returns.
inline void skip_case(const std::string& why) {
    ++skipped_cases();
    std::printf("skipped: %s\n", why.c_str());
}

}  // namespace gemel::testing
