/// Runs the suites on the device that GEMEL_BACKEND and GEMEL_DEVICE choose; without one the run is Skipped (77).
/// `--child NAME` runs a part of a test that asked for a process of its own.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <gemel/core/error.hpp>
#include <gemel/core/registry.hpp>

#include "child.hpp"

#include <cstdio>
#include <exception>
#include <string_view>

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view(argv[1]) == "--child") {
        try {
            return gemel::testing::child_functions().at(argv[2])();
        } catch (const std::exception& error) {
            std::fprintf(stderr, "child %s: %s\n", argv[2], error.what());
            return 99;
        }
    }
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
