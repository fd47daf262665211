#include "device/first_launch.hpp"

#include <chrono>
#include <thread>

namespace gemel {

void wait_until_begun(plugin::Kernel& kernel) {
    constexpr std::chrono::seconds longest{60};
    const auto end = std::chrono::steady_clock::now() + longest;
    for (std::chrono::microseconds pause{50}; !kernel.has_begun() && std::chrono::steady_clock::now() < end;) {
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(5000));
    }
}

}  // namespace gemel
