#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <gemel/gemel.hpp>

#include <cstdio>

/// Skipped where CUDA's compiler is not installed.
int main(int argc, char** argv) {
    try {
        (void)gemel::default_context().compile("KERNEL void nothing() {}");
    } catch (const gemel::BackendUnavailable& error) {
        std::printf("skipped: %s\n", error.what());
        return 77;
    }
    return doctest::Context(argc, argv).run();
}
