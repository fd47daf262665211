/// Scans against plain host loops: every strategy that the device has, segments, operators that do not commute.
#include "generator_support.hpp"

#include <set>
#include <thread>

using namespace gemel;
using namespace gemel::testing;
using Strategy = codegen::ScanStrategy;

namespace science {
/// x -> slope * x + shift over unsigned integers, which wrap: exact, associative, not commutative.
struct Affine {
    std::uint32_t slope, shift;
};
GEMEL_STRUCT(Affine, slope, shift)
}  // namespace science

namespace {

constexpr const char* affine_preamble =
    "WITHIN_KERNEL Affine after(Affine a, Affine b) { Affine c; c.slope = a.slope * b.slope; c.shift = a.shift * "
    "b.slope + b.shift; return c; }\n"
    "WITHIN_KERNEL Affine identity() { Affine c; c.slope = 1; c.shift = 0; return c; }";

/// Look-back falls back to three passes where blocks do not see each other.
const std::array<AnyTuning, 4> tunings{
    AnyTuning{}, AnyTuning{.block = 64, .access_bytes = 16, .items_per_thread = 8, .strategy = Strategy::look_back},
    AnyTuning{.block = 64, .items_per_thread = 4, .strategy = Strategy::three_passes},
    AnyTuning{.blocks_per_unit = 3, .strategy = Strategy::chunks}};

const std::initializer_list<std::size_t> counts{0, 1, 2, 10, 255, 256, 257, 511, 512, 513, 1023, 1025, 16385, 100003};

template <class T>
void check_sums(const char* what) {
    // Whole numbers; integers wrap, floats stay exact.
    const GenericScanKernel<T> sums(
        {VectorArg(dtype_of<T>(), "x", true), VectorArg(dtype_of<T>(), "through"), VectorArg(dtype_of<T>(), "before")},
        {.scan_expr = "a+b",
         .neutral = "0",
         .output_statement = "through[i] = item; before[i] = prev_item",
         .name = "typed_sums"});
    for (const AnyTuning& tuning : {tunings[0], tunings[2]})
        for (const std::size_t n : {std::size_t{1}, std::size_t{300}, std::size_t{2000}}) {
            auto x = small_values<T>(n, 1);
            if constexpr (SixteenBitFloat<T>)
                for (std::size_t i = 0; i < n; ++i) x[i] = T(i % 40 == 0 ? 1.0f : 0.0f);
            std::vector<HostElement<T>> through(n), before(n);
            std::conditional_t<std::is_integral_v<T>, std::uint64_t, float> sum = 0;
            for (std::size_t i = 0; i < n; ++i) {
                before[i] = static_cast<T>(sum);
                sum += static_cast<decltype(sum)>(x[i]);
                through[i] = static_cast<T>(sum);
            }
            const GPUArray<T> on_x = placed<T>(x, 1), item(current_context(), Shape{n}),
                              previous(current_context(), Shape{n});
            sums({.tuning = tuning}, on_x, item, previous);
            CHECK_SAME(through, item.get(), what, " inclusive ", n, " ", to_string(tuning));
            CHECK_SAME(before, previous.get(), what, " exclusive ", n, " ", to_string(tuning));
        }
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("inclusive and exclusive scans are right at every count and offset") {
    const InclusiveScanKernel<std::int64_t> inclusive("a+b");
    const ExclusiveScanKernel<std::int64_t> exclusive("a+b", "0");
    for (const AnyTuning& tuning : tunings)
        for (const std::size_t n : counts)
            for (const std::size_t offset : {0, 1}) {
                const auto x = small_values<std::int64_t>(n, 1);
                std::vector<std::int64_t> through(n), before(n);
                std::int64_t sum = 0;
                for (std::size_t i = 0; i < n; ++i) before[i] = sum, through[i] = sum += x[i];
                const auto on_x = placed<std::int64_t>(x, offset);
                CHECK_SAME(through, inclusive(on_x, {.tuning = tuning}).get(), n, " offset ", offset, " ",
                           to_string(tuning));
                const auto out = placed<std::int64_t>(std::vector<std::int64_t>(n, -1), 3 * offset);
                exclusive(on_x, out, {.tuning = tuning});
                CHECK_SAME(before, out.get(), "exclusive ", n, " offset ", offset, " ", to_string(tuning));
                inclusive(on_x, on_x, {.tuning = tuning});
                CHECK_SAME(through, on_x.get(), "in place ", n, " offset ", offset, " ", to_string(tuning));
            }
}

TEST_CASE("scans take every number type") {
    check_sums<std::int8_t>("int8");
    check_sums<std::uint16_t>("uint16");
    check_sums<std::int32_t>("int32");
    check_sums<float>("float");
    check_sums<half>("half");
    check_sums<bfloat16>("bfloat16");
    if (!lacks_double()) check_sums<double>("double");
}

TEST_CASE("a scan of bools answers whether any came before") {
    const InclusiveScanKernel<bool> any("a || b", "any_so_far");
    for (const AnyTuning& tuning : tunings) {
        std::vector<std::uint8_t> x(1000), expected(1000);
        for (std::size_t i = 700; i < 1000; ++i) x[i] = i % 7 == 0, expected[i] = 1;
        CHECK_SAME(expected, any(placed<bool>(x, 0), {.tuning = tuning}).get(), to_string(tuning));
    }
}

TEST_CASE("16-bit floats are compacted by a condition without braces") {
    const GenericScanKernel<std::int32_t> keep({.arguments = "const half *x, half *out",
                                                .input_expr = "x[i] > 0 ? 1 : 0",
                                                .scan_expr = "a+b",
                                                .neutral = "0",
                                                .output_statement = "if (prev_item != item) out[item - 1] = x[i];",
                                                .name = "keep_halves"});
    std::vector<half> x, kept;
    for (int i = 0; i < 1000; ++i) {
        x.push_back(half(static_cast<float>(i * 7919 % 23 - 11)));
        if (static_cast<float>(x.back()) > 0) kept.push_back(x.back());
    }
    kept.resize(x.size(), half(0.0f));
    for (const AnyTuning& tuning : tunings) {
        const auto out = zeros<half>(Shape{x.size()});
        keep({.tuning = tuning}, to_gpu(x), out);
        CHECK_MESSAGE(out.get() == kept, to_string(tuning));
    }
}

TEST_CASE("writing the index as the scan of ones gives every index back") {
    const GenericScanKernel<std::int32_t> index({.arguments = "int *out",
                                                 .input_expr = "i",
                                                 .scan_expr = "b",
                                                 .neutral = "-1",
                                                 .output_statement = "out[i] = item",
                                                 .name = "index_scan"});
    const GenericScanKernel<std::int32_t> ones(
        {.arguments = "int *out, int *total",
         .input_expr = "1",
         .scan_expr = "a+b",
         .neutral = "0",
         .output_statement = "out[i] = prev_item; if (i == n - 1) total[0] = last_item",
         .name = "ones_scan"});
    for (const AnyTuning& tuning : tunings)
        for (const std::size_t n : counts) {
            const auto expected = counting<std::int32_t>(n);
            const auto out = full<std::int32_t>(Shape{n}, -5), total = zeros<std::int32_t>(Shape{1});
            index({.tuning = tuning}, out);
            CHECK_SAME(expected, out.get(), "i, ", n, " ", to_string(tuning));
            out.fill(-5);
            ones({.tuning = tuning}, out, total);
            CHECK_SAME(expected, out.get(), "ones, ", n, " ", to_string(tuning));
            CHECK(total.item() == static_cast<std::int32_t>(n));
        }
}

TEST_CASE("segments begin where they are said to begin") {
    const GenericScanKernel<std::int32_t> sums(
        {.arguments = "const int *x, const int8_t *starts, int *through, int *before",
         .scan_expr = "across_seg_boundary ? b : a+b",
         .neutral = "0",
         .output_statement = "through[i] = item; before[i] = prev_item",
         .is_segment_start_expr = "starts[i]",
         .name = "segment_sums"});
    const GenericScanKernel<std::int32_t> plain(
        {.arguments = "const int *x, const int8_t *starts, int *through, int *total",
         .scan_expr = "a+b",
         .neutral = "0",
         .output_statement = "through[i] = item; total[i] = last_item",
         .is_segment_start_expr = "starts[i]",
         .name = "segment_totals"});
    // A thread with more elements than a word has bits, which say where segments begin.
    std::vector<AnyTuning> all(tunings.begin(), tunings.end());
    all.push_back({.block = 16, .items_per_thread = 40, .strategy = Strategy::three_passes});
    std::mt19937 random(3);
    for (const AnyTuning& tuning : all)
        for (const std::size_t n : {10, 100, 1029, 2000, 16384, 50001})
            for (const std::size_t boundaries : {0, 1, 5, 100}) {
                std::set<std::size_t> chosen;
                if (boundaries > 1) chosen = {0, 1028};
                while (chosen.size() < std::min(boundaries, n / 2)) chosen.insert(random() % n);
                std::vector<std::int8_t> starts(n);
                for (const std::size_t s : chosen)
                    if (s < n) starts[s] = 1;
                const auto x = small_values<std::int32_t>(n, static_cast<unsigned>(n));
                std::vector<std::int32_t> through(n), before(n);
                std::int32_t sum = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    if (starts[i]) sum = 0;
                    before[i] = sum;
                    through[i] = sum += x[i];
                }
                const auto on_x = placed<std::int32_t>(x, 1), out = zeros<std::int32_t>(Shape{n}),
                           out_before = zeros<std::int32_t>(Shape{n});
                const auto on_starts = placed<std::int8_t>(starts, 3);
                sums({.tuning = tuning}, on_x, on_starts, out, out_before);
                CHECK_SAME(through, out.get(), "through ", n, " ", boundaries, " ", to_string(tuning));
                CHECK_SAME(before, out_before.get(), "before ", n, " ", boundaries, " ", to_string(tuning));
                plain({.tuning = tuning}, on_x, on_starts, out, out_before);
                CHECK_SAME(through, out.get(), "plain ", n, " ", boundaries, " ", to_string(tuning));
                CHECK_SAME(std::vector<std::int32_t>(n, through.back()), out_before.get(), "last_item ", n, " ",
                           boundaries, " ", to_string(tuning));
            }
}

TEST_CASE("an operator that does not commute keeps its order") {
    const InclusiveScanKernel<science::Affine> compose("after(a, b)", "compose", affine_preamble);
    const ExclusiveScanKernel<science::Affine> compose_before("after(a, b)", "identity()", "compose_before",
                                                              affine_preamble);
    std::mt19937 random(5);
    for (const AnyTuning& tuning : tunings)
        for (const std::size_t n : {1, 33, 1000, 20001}) {
            std::vector<science::Affine> x(n), through(n), before(n);
            science::Affine so_far{1, 0};
            for (std::size_t i = 0; i < n; ++i) {
                x[i] = {static_cast<std::uint32_t>(random() | 1), static_cast<std::uint32_t>(random())};
                before[i] = so_far;
                so_far = {so_far.slope * x[i].slope, so_far.shift * x[i].slope + x[i].shift};
                through[i] = so_far;
            }
            const auto on_x = to_gpu(x);
            CHECK_SAME(through, compose(on_x, {.tuning = tuning}).get(), n, " ", to_string(tuning));
            CHECK_SAME(before, compose_before(on_x, {.tuning = tuning}).get(), "exclusive ", n, " ", to_string(tuning));
        }
}

TEST_CASE("a strided input is scanned in C order of its indices") {
    const InclusiveScanKernel<std::int32_t> sum("a+b", "strided_sum");
    std::size_t choice = 0;
    for (const AnyTuning& tuning : tunings) {
        ++choice;
        for (const Shape& shape : {Shape{700}, Shape{30, 40}, Shape{5, 6, 7}, Shape{}}) {
            ++choice;
            for (const Form form : forms) {
                if (is_left_out(4, choice + static_cast<std::size_t>(form))) continue;
                GPUArray<std::int32_t> x;
                auto expected = fill_in(form, shape, x, small_values<std::int32_t>(shape.count(), 7));
                for (std::size_t i = 1; i < expected.size(); ++i) expected[i] += expected[i - 1];
                const auto out = sum(x, {.tuning = tuning});
                CHECK(out.shape() == shape);
                CHECK_SAME(expected, out.get(), name_of(form), " ", to_string(shape), " ", to_string(tuning));
            }
        }
    }
}

TEST_CASE("the deterministic option gives the same bits each time and stays near the exact sum") {
    const InclusiveScanKernel<float> sum("a+b", "float_sum");
    std::mt19937 random(8);
    const std::size_t n = 200003;
    std::vector<float> x(n);
    for (float& v : x) v = std::ldexp(static_cast<float>(random() % 1000000), -20);
    const auto on_x = to_gpu(x);
    for (const AnyTuning& tuning : tunings) {
        const auto first = sum(on_x, {.deterministic = true, .tuning = tuning}).get();
        for (int again = 0; again < 3; ++again)
            CHECK_SAME(first, sum(on_x, {.deterministic = true, .tuning = tuning}).get(), to_string(tuning));
        double exact = 0, worst = 0;
        for (std::size_t i = 0; i < n; ++i) exact += x[i], worst = std::max(worst, std::abs(first[i] - exact) / exact);
        // A chunk or thread adds one element after the other: up to count / (8 * units) roundings of 6e-8, which mostly
        // cancel.
        CHECK_MESSAGE(worst < 1e-4, to_string(tuning), " ", worst);
    }
}

TEST_CASE("part of an array is scanned when a count is given") {
    const GenericScanKernel<std::int32_t> sum({.arguments = "const int *x, int *out",
                                               .scan_expr = "a+b",
                                               .output_statement = "out[i] = item",
                                               .name = "count_sum"});
    const auto x = full<std::int32_t>(Shape{1000}, 1), out = zeros<std::int32_t>(Shape{1000});
    for (const AnyTuning& tuning : tunings) {
        out.fill(0);
        sum({.count = 300, .tuning = tuning}, x, out);
        auto expected = counting<std::int32_t>(1000, 1);
        std::fill(expected.begin() + 300, expected.end(), 0);
        CHECK_SAME(expected, out.get(), to_string(tuning));
    }
    CHECK_THROWS_MENTIONING(ArgumentError, sum({.count = 1001}, x, out), "count_sum", "1001", "1000");
}

TEST_CASE("what cannot be scanned is refused and the kernel stays usable") {
    const GenericScanKernel<std::int32_t> sum({.arguments = "const int *x, int *out",
                                               .scan_expr = "a+b",
                                               .output_statement = "out[i] = item",
                                               .name = "checked_sum"});
    const auto x = full<std::int32_t>(Shape{10}, 1), out = zeros<std::int32_t>(Shape{10});
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x), "ScanKernel 'checked_sum'", "expected 2 arguments, got 1");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x.astype<float>(), out), "argument 1 (x)", "float");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x, out(slice(9))), "argument 2 (out) has 9 elements");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x(slice(5)), x(slice(1, 6))), "shares memory");
    using S = GenericScanKernel<float>;
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        S({.arguments = "const float *x, float *y", .scan_expr = "a+b", .output_statement = "y[i] = prev_item"}),
        "identity");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            S({.arguments = "const float *x, float *y", .output_statement = "y[i] = item"}),
                            "scan expression");
    CHECK_THROWS_MENTIONING(ArgumentError, S({.arguments = "const float *x, float *y", .scan_expr = "a+b"}),
                            "output statement");
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        S({.arguments = "const float *x, float *item", .scan_expr = "a+b", .output_statement = "item[i] = item"}),
        "'item'");
    sum(x, out);
    CHECK(out.get() == counting<std::int32_t>(10, 1));
    // A word of its own until an argument has that name.
    const GenericScanKernel<std::int32_t> named(
        {.arguments = "const int *x, int *N", .scan_expr = "a+b", .output_statement = "N[i] = item"});
    named(x, out);
    CHECK(out.get() == counting<std::int32_t>(10, 1));
}

TEST_CASE("one scan kernel launched again and again from two streams and two threads stays right") {
    const InclusiveScanKernel<std::int32_t> sum("a+b", "busy_sum");
    const Context context = current_context();
    const std::array streams{context.create_stream(), context.create_stream()};
    std::array<int, 2> wrong{};
    const auto work = [&](std::size_t t) {
        const StreamScope scope(streams[t]);
        for (int k = 1; k <= 40; ++k)
            for (const AnyTuning& tuning : tunings) {
                const std::size_t n = 500 + 997 * static_cast<std::size_t>(k % 7) * (t + 1);
                const auto found = sum(full<std::int32_t>(context, Shape{n}, k), {.tuning = tuning}).get();
                for (std::size_t i = 0; i < n; ++i) wrong[t] += found[i] != k * static_cast<std::int32_t>(i + 1);
            }
    };
    std::thread other([&] { work(1); });
    work(0);
    other.join();
    CHECK(wrong == std::array<int, 2>{});
    // Without waiting in between: launches of one kernel on two streams.
    std::vector<GPUArray<std::int32_t>> results;
    const auto ones = full<std::int32_t>(context, Shape{30011}, 1);
    context.synchronize();
    for (int k = 0; k < 20; ++k) {
        const StreamScope scope(streams[static_cast<std::size_t>(k % 2)]);
        results.push_back(sum(ones));
    }
    context.synchronize();
    const auto expected = counting<std::int32_t>(30011, 1);
    for (const auto& result : results) CHECK_SAME(expected, result.get(), "two streams");
}

TEST_CASE("texts of scans with 64-bit indices give the same results") {
    const Context context = current_context();
    using enum codegen::Access;
    const codegen::ScanRequest request{.name = "wide_scan",
                                       .arguments = parse_declarations("const int *x, int *out"),
                                       .dtype = dtype_of<std::int32_t>(),
                                       .input = codegen::Snippet("x[i]"),
                                       .scan_expr = "a+b",
                                       .output = codegen::Snippet("out[i] = item")};
    const codegen::ScanLayout layout{.elements = {.arguments = {{linear}, {linear}}, .wide_index = true},
                                     .strategy = Strategy::chunks};
    const Module module =
        context.compile(PlainText{codegen::scan_source(request, layout, {.block = 1}, context.dialect())});
    const std::int64_t n = 1001, tile = 100, tiles = 11;
    const auto x = full<std::int32_t>(Shape{n}, 2), out = zeros<std::int32_t>(Shape{n});
    const Buffer totals = context.allocate(1024);
    const LaunchConfig config{.grid = {tiles}, .block = {1}};
    module.kernel("wide_scan_totals")(config, x, out, totals, n, tile);
    module.kernel("wide_scan_prefixes")({.grid = {1}, .block = {1}}, totals, tiles);
    module.kernel("wide_scan")(config, x, out, totals, tiles, n, tile);
    std::vector<std::int32_t> expected(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 2 * static_cast<std::int32_t>(i + 1);
    CHECK_SAME(expected, out.get(), "chunks");
}

TEST_CASE("a kind of scan is compiled once") {
    const InclusiveScanKernel<std::int32_t> sum("a+b+0", "sum_once");
    const Context context = current_context();
    const auto x = full<std::int32_t>(Shape{100}, 1);
    const auto built = [&] {
        const Statistics s = context.statistics();
        return s.compilations + s.disk_hits + s.memory_hits;
    };
    CHECK(sum(x).get() == counting<std::int32_t>(100, 1));
    const auto before = built();
    for (int k = 0; k < 3; ++k) CHECK(sum(x).get() == counting<std::int32_t>(100, 1));
    CHECK(built() == before);
}

TEST_CASE("the identity of an operation goes by either of its names") {
    const auto x = arange<std::int32_t>(1, 6);
    const ReductionKernel<std::int32_t> product(
        {.arguments = "const int *x", .identity = "1", .map_expr = "x[i]", .reduce_expr = "a*b", .name = "product_by"});
    CHECK(product(x).item() == 120);
    const MultiReductionKernel<std::int32_t, std::int32_t> both_at_once(
        {.arguments = "const int *x",
         .results = {{.reduce_expr = "a*b", .identity = "1"}, {"0", "x[i]", "a+b"}},
         .name = "product_and_sum"});
    const auto [found_product, found_sum] = both_at_once(x);
    CHECK(found_product.item() == 120);
    CHECK(found_sum.item() == 15);
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        (MultiReductionKernel<std::int32_t>({.arguments = "const int *x",
                                             .results = {{.neutral = "0", .reduce_expr = "a+b", .identity = "0"}},
                                             .name = "both"})),
        "ReductionKernel 'both'", "two names of one option");
    const GPUArray<std::int32_t> before(x.context(), Shape{5});
    const GenericScanKernel<std::int32_t> sums({.arguments = "const int *x, int *out",
                                                .scan_expr = "a+b",
                                                .identity = "0",
                                                .output_statement = "out[i] = prev_item",
                                                .name = "sums_before"});
    sums(x, before);
    CHECK(before.get() == std::vector<std::int32_t>{0, 1, 3, 6, 10});
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        ReductionKernel<std::int32_t>(
            {.arguments = "const int *x", .neutral = "0", .identity = "1", .reduce_expr = "a+b", .name = "both"}),
        "ReductionKernel 'both'", ".identity = \"1\"", ".neutral = \"0\"", "one of them");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            GenericScanKernel<std::int32_t>({.arguments = "const int *x, int *out",
                                                             .scan_expr = "a+b",
                                                             .neutral = "0",
                                                             .identity = "0",
                                                             .output_statement = "out[i] = item",
                                                             .name = "both"}),
                            "ScanKernel 'both'", "two names of one option");
}

TEST_SUITE_END();
