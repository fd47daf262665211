/// Generated kernels on few elements: run under Oclgrind, which checks every access and looks for races.
#include <gemel/gemel.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() try {
    using namespace gemel;
    const codegen::Tuning wide{.block = 16, .access_bytes = 16, .unroll = 2, .items_per_thread = 4};
    std::vector<float> values(107);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 5);
    const auto x = to_gpu(values), y = to_gpu(values), z = zeros<float>(Shape{107});
    int wrong = 0;

    const ElementwiseKernel axpy("float a, const float *x, const float *y, float *z", "z[i] = a*x[i] + y[i]", "axpy");
    axpy({.tuning = wide}, 2, x, y, z);
    const auto packed = z.get();
    for (std::size_t i = 0; i < values.size(); ++i) wrong += packed[i] != 3 * values[i];
    axpy({.tuning = wide}, 2, x(slice(1, 51)), y(slice(2, 52)), z(slice(3, 53)));
    axpy({.tuning = wide}, 1, x(slice(0, 100)).reshape({10, 10}).transpose(), y(slice(0, 100)).reshape({10, 10}),
         z(slice(0, 100)).reshape({10, 10}));
    const auto strided = z.get();
    for (std::size_t i = 0; i < 100; ++i) wrong += strided[i] != values[i % 10 * 10 + i / 10] + values[i];

    float total = 0;
    for (const float v : values) total += v;
    const ReductionKernel<float> sum(
        {.arguments = "const float *x", .neutral = "0", .reduce_expr = "a+b", .name = "sum_all"});
    wrong += sum({.tuning = wide}, x).item() != total;
    wrong += sum({.axes = std::vector<int>{1}, .tuning = wide}, x(slice(0, 100)).reshape({10, 10})).get()[9] != 20;
    wrong += sum({.axes = std::vector<int>{0}, .tuning = wide}, x(slice(0, 100)).reshape({10, 10})).get()[9] != 40;

    const InclusiveScanKernel<float> running("a+b");
    for (const auto strategy : {codegen::Tuning::Scan::three_passes, codegen::Tuning::Scan::chunks}) {
        codegen::Tuning tuning = wide;
        tuning.scan = strategy;
        const auto sums = running(x, {.tuning = tuning}).get();
        float so_far = 0;
        for (std::size_t i = 0; i < values.size(); ++i) wrong += sums[i] != (so_far += values[i]);
    }
    std::printf(wrong ? "%d results are wrong\n" : "ok\n", wrong);
    return wrong != 0;
} catch (const gemel::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
}
