/// Runs the suites that need NVRTC but no GPU; without NVRTC the run is Skipped (77).
#define DOCTEST_CONFIG_IMPLEMENT
#include "../nvrtc.hpp"

#include <doctest/doctest.h>

#include <cstdio>

int main(int argc, char** argv) {
    if (!Nvrtc::instance()) {
        std::puts("skipped: there is no libnvrtc.so on this machine (GEMEL_NVRTC may name one)");
        return 77;
    }
    doctest::Context context(argc, argv);
    return context.run();
}
