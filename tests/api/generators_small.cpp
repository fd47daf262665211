/// Generated kernels on few elements: run under Oclgrind, which checks every access and looks for races.
#include <gemel/gemel.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Least {
    float value;
    std::int32_t index;
};
GEMEL_STRUCT(Least, value, index)

namespace {

using namespace gemel;

/// Small blocks with wide accesses.
struct Tunings {
    codegen::ElementwiseTuning elementwise{.block = 16, .access_bytes = 16, .unroll = 2};
    codegen::ReductionTuning reduction{.block = 16, .access_bytes = 16, .unroll = 2, .running_results = 4};
    codegen::ScanTuning scan{.block = 16, .access_bytes = 16, .items_per_thread = 4};
};

/// Neighbours, scattered and ranged elements, 16-bit packs, operators.
int element_wise(const codegen::ElementwiseTuning& wide) {
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
int reductions(const codegen::ReductionTuning& wide) {
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
int scans(const codegen::ScanTuning& tuning) {
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

/// More elements than 32 bits count, of which few are looked at: all are the same one in memory.
int far_elements(Tunings tunings) {
    constexpr std::int64_t far = (std::int64_t{1} << 31) + 5;
    const auto x = to_gpu(std::vector<std::int32_t>{3}).broadcast_to(Shape{far + 50}),
               y = zeros<std::int32_t>(Shape{50});
    const ElementwiseKernel shifted("const int *x, int *y, int64_t first", "y[i-first] = x[i] + (int)(i - first)",
                                    "shifted");
    shifted({.range = IndexRange{far, far + 50}, .tuning = tunings.elementwise}, x, y, far);
    int wrong = 0;
    for (int i = 0; const std::int32_t v : y.get()) wrong += v != 3 + i++;
    const GenericScanKernel<std::int32_t> first_sums({.arguments = "const int *x, int *y",
                                                      .scan_expr = "a+b",
                                                      .output_statement = "y[i+0] = item",
                                                      .name = "first_sums"});
    for (const auto strategy : {codegen::ScanStrategy::three_passes, codegen::ScanStrategy::chunks}) {
        tunings.scan.strategy = strategy;
        y.fill(0);
        first_sums({.count = 50, .tuning = tunings.scan}, x, y);
        for (int i = 0; const std::int32_t v : y.get()) wrong += v != 3 * ++i;
    }
    return wrong;
}

/// Text that is compiled as it stands.
struct PlainText {
    std::string text;
    std::string source(const Dialect&) const { return text; }
};

/// The texts with 64-bit indices of what only arrays of 2^31 elements get: packs, gaps, reductions.
int wide_texts(const Tunings& wide) {
    using enum codegen::Access;
    const Context context = current_context();
    std::vector<float> values(107);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 9);
    const auto x = to_gpu(values), z = zeros<float>(Shape{107});
    const auto sizes_of = [](const std::vector<std::int64_t>& steps) {
        Argument argument;
        argument.kind = Argument::Kind::structure;
        argument.data = steps.data();
        argument.bytes = steps.size() * sizeof(std::int64_t);
        return argument;
    };
    const codegen::ElementwiseRequest doubled{.name = "doubled",
                                              .arguments = parse_declarations("const float *x, float *z"),
                                              .operation = codegen::Snippet("z[i] = 2*x[i]")};
    const auto launch = [&](const codegen::KernelLayout& layout, std::size_t blocks, auto... sizes) {
        const std::string text = codegen::elementwise_source(doubled, layout, wide.elementwise, context.dialect());
        const std::array arguments{as_argument(x.buffer()), as_argument(z.buffer()), sizes...};
        context.compile(PlainText{text}).kernel("doubled").launch({.grid = {blocks}, .block = {16}}, arguments);
    };
    const Argument n = as_argument(std::int64_t{107}), hundred = as_argument(std::int64_t{100});
    int wrong = 0;
    launch({.arguments = {{packed}, {packed}}, .wide_index = true}, 1, n, as_argument(std::int64_t{0}));
    for (std::size_t i = 0; const float v : z.get()) wrong += v != 2 * values[i++];
    z.fill(0);
    launch({.arguments = {{linear}, {linear}}, .wide_index = true}, 4, n);
    for (std::size_t i = 0; const float v : z.get()) wrong += v != 2 * values[i++];
    const std::vector<std::int64_t> turned{10, 10, 1, 10, 10, 1};
    launch({.arguments = {{strided}, {strided}}, .rank = 2, .wide_index = true}, 4, sizes_of(turned), hundred);
    for (std::size_t i = 0; i < 100; ++i) wrong += z.get()[i] != 2 * values[i % 10 * 10 + i / 10];

    const codegen::ReductionRequest sum{.name = "sum_far",
                                        .arguments = parse_declarations("const float *x"),
                                        .values = {{.dtype = dtype_of<float>(),
                                                    .accumulator = {},
                                                    .neutral = "0",
                                                    .map_expr = codegen::Snippet("x[i]"),
                                                    .reduce_expr = "a+b"}}};
    const auto reduce = [&](const codegen::ReductionLayout& layout, std::size_t blocks, auto... sizes) {
        const std::string text = codegen::reduction_source(sum, layout, wide.reduction, context.dialect());
        const std::array arguments{as_argument(x.buffer()), sizes...};
        context.compile(PlainText{text}).kernel("sum_far").launch({.grid = {blocks}, .block = {16}}, arguments);
        return z.get();
    };
    float total = 0;
    std::vector<float> rows(10), columns(10);
    for (const float v : values) total += v;
    for (std::size_t i = 0; i < 100; ++i) rows[i / 10] += values[i], columns[i % 10] += values[i];
    const Argument to = as_argument(z.buffer()), one = as_argument(std::int64_t{1}),
                   ten = as_argument(std::int64_t{10});
    codegen::ReductionLayout layout{.elements = {.arguments = {{linear}}, .wide_index = true},
                                    .result_offsets = {false}};
    wrong += reduce(layout, 1, to, n, one, one)[0] != total;
    layout.elements = {.arguments = {{strided}}, .rank = 1, .wide_index = true};
    layout.kept_rank = 1;
    layout.mapping = codegen::ReductionLayout::Mapping::rows;
    layout.tile.unroll = 2;
    const std::vector<std::int64_t> along{10, 10, 1, 10}, down{10, 10, 10, 1};
    const auto of_rows = reduce(layout, 10, sizes_of(along), to, ten, ten, one);
    layout.mapping = codegen::ReductionLayout::Mapping::columns;
    layout.tile.across = 16;
    const auto of_columns = reduce(layout, 1, sizes_of(down), to, ten, ten, one);
    for (std::size_t i = 0; i < 10; ++i) wrong += of_rows[i] != rows[i] || of_columns[i] != columns[i];
    return wrong;
}

}  // namespace

int main() try {
    const Tunings wide;
    std::vector<float> values(107);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 5);
    const auto x = to_gpu(values), y = to_gpu(values), z = zeros<float>(Shape{107});
    int wrong = 0;

    const ElementwiseKernel axpy("float a, const float *x, const float *y, float *z", "z[i] = a*x[i] + y[i]", "axpy");
    axpy({.tuning = wide.elementwise}, 2, x, y, z);
    const auto packed = z.get();
    for (std::size_t i = 0; i < values.size(); ++i) wrong += packed[i] != 3 * values[i];
    axpy({.tuning = wide.elementwise}, 2, x(slice(1, 51)), y(slice(2, 52)), z(slice(3, 53)));
    axpy({.tuning = wide.elementwise}, 1, x(slice(0, 100)).reshape({10, 10}).transpose(),
         y(slice(0, 100)).reshape({10, 10}), z(slice(0, 100)).reshape({10, 10}));
    const auto strided = z.get();
    for (std::size_t i = 0; i < 100; ++i) wrong += strided[i] != values[i % 10 * 10 + i / 10] + values[i];

    float total = 0;
    for (const float v : values) total += v;
    const ReductionKernel<float> sum(
        {.arguments = "const float *x", .neutral = "0", .reduce_expr = "a+b", .name = "sum_all"});
    wrong += sum({.tuning = wide.reduction}, x).item() != total;
    wrong +=
        sum({.axes = std::vector<int>{1}, .tuning = wide.reduction}, x(slice(0, 100)).reshape({10, 10})).get()[9] != 20;
    wrong +=
        sum({.axes = std::vector<int>{0}, .tuning = wide.reduction}, x(slice(0, 100)).reshape({10, 10})).get()[9] != 40;

    const InclusiveScanKernel<float> running("a+b");
    for (const auto strategy : {codegen::ScanStrategy::three_passes, codegen::ScanStrategy::chunks}) {
        codegen::ScanTuning tuning = wide.scan;
        tuning.strategy = strategy;
        const auto sums = running(x, {.tuning = tuning}).get();
        float so_far = 0;
        for (std::size_t i = 0; i < values.size(); ++i) wrong += sums[i] != (so_far += values[i]);
        wrong += scans(tuning);
    }
    wrong += element_wise(wide.elementwise) + reductions(wide.reduction) + far_elements(wide) + wide_texts(wide);
    std::printf(wrong ? "%d results are wrong\n" : "ok\n", wrong);
    return wrong != 0;
} catch (const gemel::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
}
