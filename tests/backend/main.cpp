/// Runs the suites on the device that GEMEL_BACKEND and GEMEL_DEVICE choose; without one the run is Skipped (77).
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <gemel/core/error.hpp>
#include <gemel/core/registry.hpp>

#include <cstdio>

int main(int argc, char** argv) {
    try {
        const gemel::Device device = gemel::default_device();
        std::printf("on %s (%s)\n", device.name().c_str(), device.id().c_str());
    } catch (const gemel::BackendUnavailable& error) {
        std::printf("skipped: %s\n", error.what());
        return 77;
    }
    doctest::Context context(argc, argv);
    return context.run();
}
