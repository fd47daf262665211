#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <gemel/gemel.hpp>

#include <cstdio>
#include <cstdlib>

/// Skipped where CUDA's compiler is not installed, unless a test names one that is not there.
int main(int argc, char** argv) {
    const gemel::Context context = gemel::default_context();  // of the stand-in, which must be there
    try {
        (void)context.compile("KERNEL void nothing() {}");
    } catch (const gemel::BackendUnavailable& error) {
        if (std::getenv("GEMEL_NVRTC")) return doctest::Context(argc, argv).run();
        std::printf("skipped: %s\n", error.what());
        return 77;
    }
    return doctest::Context(argc, argv).run();
}
