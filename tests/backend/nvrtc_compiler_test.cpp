/// GEMEL_OPENCL_COMPILER=nvrtc: NVIDIA's OpenCL runs what NVRTC compiles.
#include "array_support.hpp"
#include "child.hpp"
#include "skipped.hpp"

#include <gemel/core/registry.hpp>
#include <gemel/gemel.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>

using namespace gemel;
using namespace gemel::testing;

namespace {

bool has_nvrtc() {
    const auto all = backends();
    return std::any_of(all.begin(), all.end(), [](const BackendStatus& backend) {
        const auto is_nvrtc = [](const auto& library) { return library.name == "NVRTC"; };
        return std::any_of(backend.libraries.begin(), backend.libraries.end(), is_nvrtc);
    });
}

bool is_right(const char* what, bool right) {
    if (!right) std::printf("wrong: %s\n", what);
    return right;
}

/// Products of small integers, which every type represents exactly: on sm_90 by warp groups.
template <class T>
bool multiplies(const Context& context, MatmulOptions options) {
    constexpr std::int64_t rows = 384, depth = 256, columns = 320;
    std::mt19937 random(5);
    std::vector<T> a, b;
    for (int k = 0; k < rows * depth; ++k) a.push_back(T(static_cast<float>(random() % 5) - 2));
    for (int k = 0; k < depth * columns; ++k) b.push_back(T(static_cast<float>(random() % 3) - 1));
    const auto found =
        matmul(to_gpu(context, a).reshape({rows, depth}), to_gpu(context, b).reshape({depth, columns}), options).get();
    for (std::int64_t row = 0; row < rows; row += 13)
        for (std::int64_t column = 0; column < columns; ++column) {
            float sum = 0;
            for (std::int64_t k = 0; k < depth; ++k)
                sum += static_cast<float>(a[static_cast<std::size_t>(row * depth + k)]) *
                       static_cast<float>(b[static_cast<std::size_t>(k * columns + column)]);
            if (static_cast<float>(found[static_cast<std::size_t>(row * columns + column)]) != sum) return false;
        }
    return true;
}

const Child compiled("compiled-by-nvrtc", [] {
    const Context context = default_context();
    bool right = is_right("the dialect", !context.dialect().has_native_offset);
    std::vector<float> numbers(100000);
    std::iota(numbers.begin(), numbers.end(), 0.f);
    const GPUArray<float> x = to_gpu(context, numbers);
    right &= is_right("an expression", GPUArray<float>(x * 2 + 1).get()[777] == 1555);
    right &= is_right("a sum in double", sum<double>(x).item() == 99999.0 * 50000);
    right &= is_right("a sort", sort(GPUArray<float>(flip(x).copy())).get() == numbers);
    const auto a = full<float>(context, {40, 30}, 2.f), b = full<float>(context, {30, 20}, 0.5f);
    right &= is_right("a product of matrices", matmul(a, b).get()[5] == 30);
    right &= is_right("a product of halves", multiplies<half>(context, {}));
    right &= is_right("a product of bfloat16", multiplies<bfloat16>(context, {}));
    right &=
        is_right("a product of floats by tensor cores", multiplies<float>(context, {.precision = Precision::tensor}));
    right &= is_right("a product of floats", multiplies<float>(context, {}));

    const NativeSource text{.cuda = "extern \"C\" __global__ void mark(int *a) { a[threadIdx.x] = 1; }",
                            .opencl = "__kernel void mark(__global int *a) { a[get_global_id(0)] = 2; }"};
    const Kernel mark = context.compile(text).kernel("mark");
    const Buffer marks = context.allocate(2 * 4);
    mark({.grid = {1}, .block = {2}}, marks);
    right &= is_right("native CUDA C++", downloaded<int>(marks) == std::vector<int>{1, 1});
    const std::string refusal =
        message_of<ArgumentError>([&] { mark({.grid = {1}, .block = {1}, .offset = {1}}, marks); });
    right &= is_right("an offset without LAUNCH_OFFSET", mentions(refusal, {"mark", "offset 1", "LAUNCH_OFFSET"}));
    return right ? 0 : 3;
});

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("NVIDIA's OpenCL runs programs that NVRTC compiled") {
    const Device device = default_device();
    if (device.backend() != "opencl" || !device.info().architecture.starts_with("sm_") || !has_nvrtc())
        return skip_case("this is not NVIDIA's OpenCL with NVRTC");
    const ChildResult child = run_child("compiled-by-nvrtc", {{"GEMEL_OPENCL_COMPILER", "nvrtc"}});
    CHECK_MESSAGE(child.exit_code == 0, child.output);
    const ChildResult single =
        run_child("without_double", {{"GEMEL_OPENCL_COMPILER", "nvrtc"}, {"GEMEL_DOUBLE", "off"}});
    CHECK_MESSAGE(single.exit_code == 0, single.output);
}

TEST_SUITE_END();
