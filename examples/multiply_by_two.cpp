/// The first program of PyCUDA's paper twice: with a kernel of one's own, and with an array that is used like a number.
#include <gemel/gemel.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

int main() {
    std::vector<float> a(16);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = 0.5f * static_cast<float>(i);

    const gemel::Context context = gemel::default_context();  // GEMEL_BACKEND and GEMEL_DEVICE choose
    const gemel::Module module = context.compile(R"(
        KERNEL void multiply_by_two(GLOBAL_MEM float *a)
        {
            int i = LID_0 + LID_1 * 4;
            a[i] *= 2;
        })");
    const gemel::GPUArray<float> by_kernel = gemel::to_gpu(a, {4, 4});
    module.kernel("multiply_by_two")({.grid = {1}, .block = {4, 4}}, by_kernel);

    const gemel::GPUArray<float> by_array = 2 * gemel::to_gpu(a, {4, 4});

    std::vector<float> doubled;
    for (const float value : a) doubled.push_back(2 * value);
    const bool good = by_kernel.get() == doubled && by_array.get() == doubled;
    std::printf("%s: 16 numbers doubled on %s\n", good ? "ok" : "wrong", context.device().name().c_str());
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
