/// Uses the installed package: each backend named on the command line must have loaded, and every device must compute.
#include <gemel/gemel.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
    const std::vector<gemel::BackendStatus> backends = gemel::backends();
    for (const gemel::BackendStatus& status : backends)
        std::printf("%-8s %s\n", status.name.c_str(), status.available ? "available" : status.reason.c_str());

    for (int i = 1; i < argc; ++i) {
        const auto loaded = [&](const gemel::BackendStatus& status) {
            return status.name == argv[i] && !status.path.empty();
        };
        if (std::none_of(backends.begin(), backends.end(), loaded)) {
            std::printf("the plug-in '%s' of this package was not found\n", argv[i]);
            return 1;
        }
    }

    for (const gemel::Device& device : gemel::devices()) {
        gemel::Context context(device);
        std::vector<float> values{1, 2, 3, 4};
        gemel::Buffer on_device = context.allocate(values.size() * sizeof(float));
        on_device.upload(values);
        gemel::Module module = context.compile("KERNEL void twice(GLOBAL_MEM float *a) { a[LID_0] *= 2; }");
        module.kernel("twice")({.grid = {1}, .block = {4}}, on_device);
        on_device.download(values);
        const bool right = values == std::vector<float>{2, 4, 6, 8};
        std::printf("%-8s %s: %s\n", device.id().c_str(), device.name().c_str(), right ? "ok" : "wrong result");
        if (!right) return 1;
    }
    std::puts("ok");
}
