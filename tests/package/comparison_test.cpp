/// A user's test: the same work on every device, compared with the host. Its argument is how many devices it wants.
#include <gemel/gemel.hpp>
#include <gemel/testing.hpp>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    const gemel::testing::Comparison result = gemel::testing::compare_backends(
        [](const gemel::Context& context) { return gemel::random::Philox(context, 7).uniform<float>({1000}); },
        {.reference = gemel::random::HostPhilox(7).uniform<float>(1000),
         .min_devices = argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 1});
    std::fprintf(stderr, "%s\n", result.report().c_str());
    return result.exit_code();
}
