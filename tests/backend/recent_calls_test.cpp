/// A call that has been made before is launched again without its checks: only where all that they depend on is the
/// same.
#include "child.hpp"
#include "generator_support.hpp"

#include <array>
#include <complex>
#include <cstdio>
#include <memory>
#include <thread>

using namespace gemel;
using namespace gemel::testing;

namespace {

const codegen::Workload work{.count = 1000, .item_bytes = 4, .arrays = 1};

/// How many threads a call on `x` runs.
int threads_of(const ElementwiseKernel& mark, const GPUArray<float>& x, const GPUArray<std::int32_t>& threads) {
    threads.fill(0);
    mark(x, threads);
    return threads.item();
}

int tuning_between_calls() {
    const ElementwiseKernel mark("float *x, int *threads", "x[i] = 7", "mark",
                                 {.after_loop = "atomic_add(&threads[0], 1);"});
    const auto x = zeros<float>(Shape{1000});
    const auto threads = zeros<std::int32_t>(Shape{1});
    const int before = threads_of(mark, x, threads), again = threads_of(mark, x, threads);
    store_tuning(default_context(), work, codegen::ElementwiseTuning{.block = 32, .unroll = 4});
    const int tuned = threads_of(mark, x, threads);
    store_tuning(default_context(), work, codegen::ElementwiseTuning{});
    const int after = threads_of(mark, x, threads);
    std::printf("same %d, fewer %d, back %d\n", before == again, tuned == 256 || tuned == 64, after == before);
    return 0;
}
const Child tuned("recent-calls-tuning", tuning_between_calls);

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("a call made again uses its own values") {
    const ElementwiseKernel scale("float *to, const float *from, float a", "to[i] = a * from[i]", "scale");
    const auto from = to_gpu(std::vector<float>{1, 2, 3}), to = zeros<float>(Shape{3});
    for (int k = 0; k < 4; ++k) {
        scale(to, from, k);  // an int: converted each time
        CHECK(to.get() == std::vector<float>{1.0f * k, 2.0f * k, 3.0f * k});
    }
    scale(to, from, 0.5);
    CHECK(to.get() == std::vector<float>{0.5f, 1, 1.5f});
    CHECK_THROWS_MENTIONING(ArgumentError, scale(to, from, std::complex<float>(1, 2)), "scale", "a");
    CHECK_THROWS_AS(scale(to, from), ArgumentError);
    CHECK_THROWS_AS(scale(to, from, from), ArgumentError);
    CHECK_THROWS_AS(scale(to, 1.0f, from), ArgumentError);
    scale(to, from, 2);
    CHECK(to.get() == std::vector<float>{2, 4, 6});
}

TEST_CASE("values of open types decide the kernel at each call") {
    const ElementwiseKernel put("double *to, T value", "to[i] = value / 2", "put");
    if (lacks_double()) return;
    const auto to = zeros<double>(Shape{2});
    for (int k = 0; k < 2; ++k) {
        put(to, 7);
        CHECK(to.get() == std::vector<double>{3, 3});
        put(to, 7.0);
        CHECK(to.get() == std::vector<double>{3.5, 3.5});
    }
}

TEST_CASE("the same buffer in other shapes, places and types is another call") {
    const ElementwiseKernel step("T *x, int by", "x[i] += by", "advance");
    std::vector<std::int32_t> expected(1000, 0);
    const auto x = to_gpu(expected);
    const auto add = [&](std::size_t begin, std::size_t stride, std::size_t count, int by) {
        for (std::size_t i = 0; i < count; ++i) expected[begin + i * stride] += by;
    };
    for (int round = 0; round < 3; ++round) {
        for (const int begin : {0, 1, 4}) {
            step(x(slice(begin, {})), 1 + begin);
            add(static_cast<std::size_t>(begin), 1, 1000 - static_cast<std::size_t>(begin), 1 + begin);
            step(x(slice(begin, {}, 3)), 10);
            add(static_cast<std::size_t>(begin), 3, (1000 - static_cast<std::size_t>(begin) + 2) / 3, 10);
            step(x(slice(begin, begin + 6)), 100);
            add(static_cast<std::size_t>(begin), 1, 6, 100);
        }
        step(x.reshape(Shape{10, 100}).transpose(), 1000);
        add(0, 1, 1000, 1000);
        CHECK_MESSAGE(difference(expected, x.get()) == "", difference(expected, x.get()));
    }
    // Two numbers of 16 bits for each of 32: nothing is carried from one into the other by small steps.
    const auto halves = x.view_as<std::int16_t>();
    std::vector<std::int16_t> parts = halves.get();
    for (int k = 0; k < 2; ++k) {
        step(halves, 1);
        for (std::int16_t& part : parts) ++part;
        CHECK_MESSAGE(difference(parts, halves.get()) == "", difference(parts, halves.get()));
    }
}

TEST_CASE("aliasing is looked at for each pair of arrays") {
    const ElementwiseKernel copy("float *to, const float *from", "to[i] = from[i]", "copy");
    const auto x = to_gpu(std::vector<float>(100, 1.0f)), y = zeros<float>(Shape{100});
    for (int k = 0; k < 3; ++k) {
        copy(y(slice(1, {})), x(slice(-1)));
        CHECK_THROWS_MENTIONING(ArgumentError, copy(x(slice(1, {})), x(slice(-1))), "copy", "shares memory");
    }
}

TEST_CASE("memory that comes back from the pool, of another size, is no old call") {
    const ElementwiseKernel count_up("int *x", "x[i] = i", "count_up");
    for (int round = 0; round < 3; ++round)
        for (const std::size_t n : {1000, 1001, 1007, 3}) {
            const GPUArray<std::int32_t> x(current_context(), Shape{n});
            count_up(x);
            std::vector<std::int32_t> expected(n);
            for (std::size_t i = 0; i < n; ++i) expected[i] = static_cast<std::int32_t>(i);
            CHECK(x.get() == expected);
        }
}

TEST_CASE("new arrays in the memory of old ones are read and written as themselves") {
    const ElementwiseKernel scale("int *to, const int *from, int a", "to[i] = a * from[i]", "scale");
    std::vector<std::unique_ptr<int>> between;  // so that handles are at other places on the heap
    for (int k = 1; k < 30; ++k) {
        GPUArray<std::int32_t> one(default_context(), Shape{64}), other(default_context(), Shape{64});
        if (k % 3 == 0) std::swap(one, other);
        between.push_back(std::make_unique<int>(k));
        one.fill(k);
        scale(other, one, 10);
        CHECK(other.get() == std::vector<std::int32_t>(64, 10 * k));
        CHECK(one.get() == std::vector<std::int32_t>(64, k));
        if (k % 2 == 0) {
            const GPUArray<std::int32_t> product = one * other + k;
            CHECK(product.get() == std::vector<std::int32_t>(64, 10 * k * k + k));
        }
        if (k % 5 == 0) CHECK_THROWS_AS(scale(one(slice(1, 33)), one(slice(0, 32)), 2), ArgumentError);
    }
    // The same memory in one argument and in two.
    const GPUArray<std::int32_t> x(default_context(), Shape{64});
    x.fill(3);
    for (int k = 0; k < 3; ++k) scale(x, x, 2);
    CHECK(x.get() == std::vector<std::int32_t>(64, 24));
}

TEST_CASE("released memory is refused by a call that worked before") {
    const ElementwiseKernel fill("int *x", "x[i] = 1", "fill");
    const GPUArray<std::int32_t> x(current_context(), Shape{10});
    fill(x);
    fill(x);
    Buffer buffer = x.buffer();
    buffer.release();
    CHECK_THROWS_MENTIONING(ArgumentError, fill(x), "released");
    CHECK_THROWS_AS(fill(GPUArray<std::int32_t>()), ArgumentError);
}

TEST_CASE("a tuning given or stored between two calls is used by the second") {
    const auto result = run_child("recent-calls-tuning", {{"GEMEL_CACHE", "off"}});
    CHECK_MESSAGE(mentions(result.output, {"same 1, fewer 1, back 1"}), result.output);
    const ElementwiseKernel mark("float *x, int *threads", "x[i] = 7", "mark",
                                 {.after_loop = "atomic_add(&threads[0], 1);"});
    const auto x = zeros<float>(Shape{1000});
    const auto threads = zeros<std::int32_t>(Shape{1});
    const auto run = [&](const CallOptions& options) {
        threads.fill(0);
        mark(options, x, threads);
        return threads.item();
    };
    const int usual = run({});
    CHECK(run({.tuning = {.block = 32, .access_bytes = 4, .unroll = 8}}) == 128);
    CHECK(run({}) == usual);
    CHECK(run({.tuning = {.block = 32, .access_bytes = 4, .unroll = 8}}) == 128);
    CHECK(run({.range = IndexRange{0, 1}}) <= usual);
    CHECK(run({}) == usual);
}

TEST_CASE("calls over ranges of the same arrays are told apart") {
    const ElementwiseKernel add("int *x, int by", "x[i] += by", "add_to_range");
    const auto x = zeros<std::int32_t>(Shape{10});
    const IndexRange ranges[] = {
        {}, {.start = 2}, {.stop = 2}, {.step = 3}, {.start = 9, .step = -4}, {.start = 4, .stop = 4}};
    std::vector<std::int32_t> expected(10);
    // In the third round both a range and its repetition are remembered; the value is each call's own.
    for (int round = 0; round < 4; ++round)
        for (std::size_t k = 0; k < std::size(ranges); ++k)
            for (int time = 0; time < 3; ++time) {
                const int by = round + 10 * time;
                add({.range = ranges[k]}, x, by);
                const IndexRange& r = ranges[k];
                const std::int64_t stop = r.stop.value_or(r.step > 0 ? 10 : -1);
                for (std::int64_t i = r.start; r.step > 0 ? i < stop : i > stop; i += r.step)
                    expected[static_cast<std::size_t>(i)] += by;
            }
    add(x, 5);
    for (std::int32_t& element : expected) element += 5;
    CHECK(x.get() == expected);
    CHECK_THROWS_AS(add({.range = IndexRange{.start = 2, .stop = 11}}, x, 1), ArgumentError);
}

TEST_CASE("several threads call one kernel again and again") {
    const ElementwiseKernel step("int *x, int by", "x[i] += by", "advance");
    std::vector<std::thread> threads;
    std::vector<GPUArray<std::int32_t>> arrays;
    for (int t = 0; t < 4; ++t) arrays.push_back(zeros<std::int32_t>(Shape{100 + t}));
    const Context context = current_context();
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            const ContextScope scope(context);
            for (int k = 0; k < 50; ++k) step(arrays[static_cast<std::size_t>(t)], t + 1);
        });
    for (std::thread& thread : threads) thread.join();
    for (int t = 0; t < 4; ++t)
        CHECK(arrays[static_cast<std::size_t>(t)].get() ==
              std::vector<std::int32_t>(static_cast<std::size_t>(100 + t), 50 * (t + 1)));
}

TEST_CASE("a reduction made again reads what is there now and keeps what it gave before") {
    const ReductionKernel<std::int32_t> weighted(
        {.arguments = "const int *x, int weight", .neutral = "0", .map_expr = "weight * x[i]", .reduce_expr = "a+b"});
    for (const std::size_t n : {7, 100000}) {  // one block, and many that meet
        const auto x = full<std::int32_t>(Shape{n}, 1);
        const auto count = static_cast<std::int32_t>(n);
        std::vector<GPUArray<std::int32_t>> totals;
        for (int k = 0; k < 6; ++k) {
            x.fill(k);
            totals.push_back(weighted(x, k % 3));
        }
        for (int k = 0; k < 6; ++k) CHECK(totals[static_cast<std::size_t>(k)].item() == k * (k % 3) * count);
        const auto out = zeros<std::int32_t>(Shape{}), others = zeros<std::int32_t>(Shape{3});
        for (int k = 0; k < 4; ++k) {
            CHECK(weighted({.out = &out}, x, k).item() == 5 * k * count);
            CHECK(out.item() == 5 * k * count);
            // Elsewhere in a buffer, where some devices must be told the place.
            const auto place = others(k % 3);
            weighted({.out = &place}, x, k + 1);
            CHECK(others.get()[static_cast<std::size_t>(k % 3)] == 5 * (k + 1) * count);
            CHECK(weighted(x, 2).item() == 10 * count);
            const GPUArray<float> wrong = zeros<float>(Shape{});
            CHECK_THROWS_MENTIONING(ArgumentError, weighted({.out = &wrong}, x, 1), ".out", "int32_t", "got float");
        }
        CHECK_THROWS_AS(weighted(x, x), ArgumentError);
    }
}

TEST_CASE("reductions over other axes and with other results are other calls") {
    const ReductionKernel<std::int32_t> total({.arguments = "const int *x", .neutral = "0", .reduce_expr = "a+b"});
    const MultiReductionKernel<std::int32_t, std::int32_t> extremes(
        {.arguments = "const int *x",
         .results = {{.neutral = "2147483647", .reduce_expr = "min(a, b)"},
                     {.neutral = "-2147483647", .reduce_expr = "max(a, b)"}}});
    const auto x = arange<std::int32_t>(6).reshape(Shape{2, 3});
    for (int k = 0; k < 4; ++k) {
        CHECK(total(x).item() == 15);
        CHECK(total({.axes = {{0}}}, x).get() == std::vector<std::int32_t>{3, 5, 7});
        CHECK(total({.axes = {{1}}}, x).get() == std::vector<std::int32_t>{3, 12});
        CHECK(total({.axes = {{1}}, .keepdims = true}, x).shape() == Shape{2, 1});
        CHECK(total({.axes = {{0, 1}}, .keepdims = true}, x).shape() == Shape{1, 1});
        CHECK(total({.axes = std::vector<int>{}}, x).get() == x.get());
        CHECK(total(x.transpose()(1)).item() == 5);
        CHECK(total({.tuning = {.block = 32}}, x).item() == 15);
        const auto [least, most] = extremes(x);
        CHECK(least.item() == 0);
        CHECK(most.item() == 5);
        CHECK_THROWS_MENTIONING(ArgumentError, total({.axes = {{2}}}, x), "axis 2");
    }
}

TEST_CASE("several threads and streams reduce one array again and again") {
    constexpr std::size_t n = 300000;
    const ReductionKernel<std::int32_t> total(
        {.arguments = "const int *x, int by", .neutral = "0", .map_expr = "by * x[i]", .reduce_expr = "a+b"});
    const auto ones = full<std::int32_t>(Shape{n}, 1);
    const Context context = current_context();
    context.synchronize();
    std::array<int, 3> wrong{};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
            const ContextScope scope(context);
            const StreamScope stream(context.create_stream());
            std::vector<GPUArray<std::int32_t>> totals;
            for (int k = 0; k < 40; ++k) totals.push_back(total(ones, k + t));
            for (int k = 0; k < 40; ++k)
                wrong[static_cast<std::size_t>(t)] +=
                    totals[static_cast<std::size_t>(k)].item() != (k + t) * static_cast<std::int32_t>(n);
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == std::array<int, 3>{});
}

TEST_SUITE_END();
