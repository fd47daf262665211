/// Generated kernels on few elements: run under Oclgrind, which checks every access and looks for races.
#include <gemel/gemel.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

struct Least {
    float value;
    std::int32_t index;
};
GEMEL_STRUCT(Least, value, index)

namespace {

using namespace gemel;

/// Neighbours, scattered and ranged elements, 16-bit packs, operators.
int element_wise(const codegen::Tuning& wide) {
    int wrong = 0;
    std::vector<std::int32_t> values(61);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
    const auto x = to_gpu(values), y = zeros<std::int32_t>(Shape{61});
    const ElementwiseKernel differences("const int *x, int *y", "y[i] = i > 0 ? x[i] - x[i-1] : 0", "differences");
    differences({.tuning = wide}, x, y);
    for (int i = 0; i < 61; ++i) wrong += y.get()[static_cast<std::size_t>(i)] != (i > 0);
    const ElementwiseKernel reverse("const int *x, int *y", "y[n-1-i] = x[i]", "reversed");
    reverse({.tuning = wide}, x, y);
    wrong += y.get()[0] != 60;
    const ElementwiseKernel set("int *y", "y[i] = 7", "set_some");
    set({.range = IndexRange{50, 3, -4}, .tuning = wide}, y);
    wrong += y.get()[50] != 7 || y.get()[6] != 7 || y.get()[2] != 58;

    const auto h = full<half>(Shape{61}, half(1.5f)), twice = zeros<half>(Shape{61});
    const ElementwiseKernel doubled("const half *x, half *y", "y[i] = 2*x[i]", "doubled");
    doubled({.tuning = wide}, h, twice);
    doubled({.tuning = wide}, h(slice(1, 60)), twice(slice(2, 61)));
    for (const half v : twice.get()) wrong += static_cast<float>(v) != 3;
    const ElementwiseKernel keep("const half *x, half *y", "if (i % 2 == 0) y[n-1-i] = x[i]", "kept");
    keep({.tuning = wide}, h, twice);
    wrong += static_cast<float>(twice.get()[60]) != 1.5f;
    wrong += ((x + 1) * (x + 1)).get()[9] != 100;
    return wrong;
}

/// Several results, a struct, and a group that is smaller than the array.
int reductions(const codegen::Tuning& wide) {
    std::vector<float> values(107);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 37 + 5) % 107);
    const auto x = to_gpu(values);
    const MultiReductionKernel<float, float> extremes(
        {.arguments = "const float *x",
         .results = {{"INFINITY", "x[i]", "fmin(a, b)"}, {"-INFINITY", "x[i]", "fmax(a, b)"}},
         .name = "extremes"});
    const auto [low, high] = extremes({.tuning = wide}, x);
    int wrong = (low.item() != 0) + (high.item() != 106);
    const ReductionKernel<Least> argmin(
        {.arguments = "const float *x",
         .neutral = "least(INFINITY, 0)",
         .map_expr = "least(x[i], (int)i)",
         .reduce_expr = "b.value < a.value || (b.value == a.value && b.index < a.index) ? b : a",
         .name = "least_of_all",
         .preamble = "WITHIN_KERNEL Least least(float value, int index)\n{\n    Least l;\n    l.value = value;\n    "
                     "l.index = index;\n    return l;\n}\n"});
    const Least found = argmin({.tuning = wide}, x).item();
    wrong += found.value != 0 || values[static_cast<std::size_t>(found.index)] != 0;
    wrong += argmin({.tuning = {.block = 24, .unroll = 3}}, x(slice({}, {}, -1))).item().value != 0;
    return wrong;
}

/// Segments, what comes before, an exclusive scan, a struct that does not commute.
int scans(codegen::Tuning tuning) {
    int wrong = 0;
    std::vector<std::int32_t> ones(99, 1), starts(99);
    for (std::size_t i = 0; i < starts.size(); ++i) starts[i] = i % 10 == 0;
    const auto x = to_gpu(ones), begin = to_gpu(starts), through = zeros<std::int32_t>(Shape{99}),
               before = zeros<std::int32_t>(Shape{99});
    const GenericScanKernel<std::int32_t> segments(
        {.arguments = "const int *x, const int *starts, int *through, int *before",
         .scan_expr = "across_seg_boundary ? b : a+b",
         .neutral = "0",
         .output_statement = "through[i] = item; before[i] = prev_item",
         .is_segment_start_expr = "starts[i]",
         .name = "segments"});
    segments({.tuning = tuning}, x, begin, through, before);
    for (std::size_t i = 0; i < ones.size(); ++i) {
        const auto place = static_cast<std::int32_t>(i % 10);
        wrong += through.get()[i] != place + 1 || before.get()[i] != place;
    }
    const ExclusiveScanKernel<std::int32_t> earlier("a+b", "0");
    wrong += earlier(x, {.tuning = tuning}).get()[98] != 98;
    // The last one that is not negative, with its place: first and second are not interchangeable.
    const GenericScanKernel<Least> latest(
        {.arguments = "const int *x, int *out",
         .input_expr = "place(x[i], i)",
         .scan_expr = "b.value < 0 ? a : b",
         .neutral = "place(0, -1)",
         .output_statement = "out[i] = item.index",
         .name = "latest",
         .preamble =
             "WITHIN_KERNEL Least place(int x, int i)\n{\n    Least l;\n    l.value = x;\n    l.index = i;\n    "
             "return l;\n}\n"});
    std::vector<std::int32_t> signs(99, -1);
    signs[0] = signs[40] = 1;
    latest({.tuning = tuning}, to_gpu(signs), through);
    wrong += through.get()[39] != 0 || through.get()[98] != 40;
    return wrong;
}

}  // namespace

int main() try {
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
        wrong += scans(tuning);
    }
    wrong += element_wise(wide) + reductions(wide);
    std::printf(wrong ? "%d results are wrong\n" : "ok\n", wrong);
    return wrong != 0;
} catch (const gemel::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
}
