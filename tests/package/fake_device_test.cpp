/// Core does its work on a device of an out-of-tree plug-in: memory, fills, copies, memory of others, a readable
/// refusal to compile.
#include <gemel/arrays/dlpack.hpp>
#include <gemel/gemel.hpp>

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

int main() {
    const std::vector<gemel::Device> devices = gemel::devices("fake");
    if (devices.size() != 1 || devices[0].id() != "fake:0") return 1;
    gemel::Context context(devices[0]);

    std::vector<int> numbers(1000), back(1000);
    std::iota(numbers.begin(), numbers.end(), 0);
    gemel::Buffer a = context.allocate(4000), b = context.allocate(4000);
    a.upload(numbers);
    b.copy_from(a);
    b.download(back);
    if (back != numbers) return 2;
    b.fill(7);
    b.download(back);
    if (back != std::vector<int>(1000, 7)) return 3;

    // To and from every other device, through the host.
    for (const gemel::Device& device : gemel::devices()) {
        gemel::Context other(device);
        gemel::Buffer there = other.allocate(4000);
        there.copy_from(a);
        b.copy_from(there);
        b.download(back);
        if (back != numbers) return std::printf("wrong after a copy through %s\n", device.id().c_str()), 4;
        b.fill(0);
    }

    // Its addresses are such that DLPack's tensors are shared, if they are aligned. Their memory is not freed.
    static float shared[3] = {1, 2, 3};
    static std::int64_t extent = 2;
    static gemel::dlpack::DLManagedTensor tensor{};
    const auto take = [&](std::uint64_t offset) {
        tensor.dl_tensor = {.data = shared,
                            .device = {gemel::dlpack::kDLCUDA, 0},
                            .ndim = 1,
                            .dtype = {gemel::dlpack::kDLFloat, 32, 1},
                            .shape = &extent,
                            .strides = nullptr,
                            .byte_offset = offset};
        return gemel::dlpack::from_dlpack<float>(context, &tensor);
    };
    if (take(4).get() != std::vector<float>{2, 3}) return 7;
    try {
        take(2);
        return 8;
    } catch (const gemel::ArgumentError& error) {
        std::puts(error.what());
        if (std::string(error.what()).find("multiples of 4") == std::string::npos) return 9;
    }

    try {
        context.compile("KERNEL void f() {}");
        return 5;
    } catch (const gemel::CompileError& error) {
        std::puts(error.what());
        if (error.log().find("no compiler") == std::string::npos) return 6;
    }
    std::puts("ok");
}
