/// Random numbers on a device: bit for bit those of the host, whatever the launch.
#include <gemel/arrays/random_host.hpp>
#include <gemel/gemel.hpp>

#include <doctest/doctest.h>

#include "../philox_programs.hpp"
#include "../statistics.hpp"
#include "child.hpp"
#include "support.hpp"

#include <cstring>
#include <thread>

using namespace gemel;
using namespace gemel::testing;
using random::HostPhilox;
using random::Philox;

namespace {

bool lacks_double() {
    if (!default_context().device().info().has_double) MESSAGE("not run: the device has no double");
    return !default_context().device().info().has_double;
}

template <class T>
std::vector<HostElement<T>> values_of(const GPUArray<T>& array) {
    std::vector<HostElement<T>> values(array.size());
    if (!values.empty()) array.buffer().download(values, array.offset_bytes());
    return values;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Draws of many lengths one after another: every place within a counter is a beginning.
template <class Draw, class HostDraw>
void compare(const char* what, const Draw& draw, const HostDraw& host_draw) {
    const Philox rng(default_context(), 0x123456789abcdef0, 3);
    HostPhilox host(0x123456789abcdef0, 3);
    for (const std::size_t n : {1, 0, 3, 4, 5, 127, 128, 129, 130, 300, 301, 302, 303, 511, 1023, 10007, 100000}) {
        const auto here = values_of(draw(rng, n));
        const auto expected = host_draw(host, n);
        CHECK_MESSAGE(same_bits(here, expected), what, ", ", n, " elements");
        CHECK(rng.position() == host.position());
    }
}

#define COMPARE(call_type, ...) \
    compare( \
        #call_type, \
        [](const Philox& rng, std::size_t n) { return rng.call_type(Shape(n) __VA_OPT__(, ) __VA_ARGS__); }, \
        [](HostPhilox& rng, std::size_t n) { return rng.call_type(n __VA_OPT__(, ) __VA_ARGS__); })

/// Exits with 0 if rand() draws from seed 31.
const Child seeded("seeded-by-environment", [] {
    const auto drawn = values_of(random::rand<std::uint32_t>({100}));
    return drawn == HostPhilox(31).integers<std::uint32_t>(100) ? 0 : 1;
});

/// Runs a kernel of a given tuning, which need not be the one that this device would get.
template <class T>
void check_tuning(codegen::Distribution distribution, const codegen::PhiloxTuning& tuning, std::uint64_t range = 0) {
    using namespace codegen;
    const Context context = default_context();
    const DType element = dtype_of<T>();
    const int words = philox_words(distribution, element), per_counter = 4 / words;
    const bool is_wide = element.size_bytes() == 8;
    const PhiloxConstants constants{.real = {0, 1, 0}, .range = range};
    for (int shift = 0; shift < per_counter; ++shift) {
        const PhiloxFill fill{.distribution = distribution,
                              .element = element,
                              .tuning = tuning,
                              .shift = tuning.wide_stores ? shift : 0};
        const Kernel kernel = context.compile(fill, {.fp_contract = false}).kernel("philox");
        for (const std::size_t n : {1, 2, 3, 4, 5, 511, 512, 513, 2047, 2048, 2049, 4099}) {
            const Buffer buffer = context.allocate(n * sizeof(T) + 16);
            buffer.fill(std::uint8_t{0x5a});
            const std::size_t counters = (n + shift + per_counter - 1) / per_counter;
            const int run = tuning.lanes ? 64 : tuning.counters_per_thread;
            const std::size_t threads = (counters + run - 1) / run;
            std::vector<Argument> arguments;
            std::vector<std::uint64_t> numbers{range, (0 - range) % std::max<std::uint64_t>(1, range)};
            if (!is_wide) numbers[1] = static_cast<std::uint32_t>(0 - range) % std::max<std::uint64_t>(1, range);
            const auto add = [&](const auto& value) { arguments.push_back(as_argument(value)); };
            add(buffer), add(std::int64_t{0}), add(static_cast<std::int64_t>(n)), add(std::uint64_t{5});
            add(1u), add(2u), add(3u), add(4u), add(std::int32_t{shift}), add(std::int32_t{run});
            if (distribution == Distribution::normal) {
                is_wide ? (add(0.0), add(1.0)) : (add(0.0f), add(1.0f));
            } else if (distribution == Distribution::integers) {
                if (is_wide)
                    add(std::uint64_t{0}), add(numbers[0]), add(numbers[1]);
                else
                    add(0u), add(static_cast<std::uint32_t>(numbers[0])), add(static_cast<std::uint32_t>(numbers[1]));
            } else if (distribution == Distribution::bernoulli) {
                add(range);
            }
            kernel.launch({.grid = {(threads + tuning.block - 1) / tuning.block}, .block = {tuning.block}}, arguments);
            std::vector<T> expected(n), got(n);
            philox_fill(distribution, element, constants,
                        {.key = 3 | std::uint64_t{4} << 32,
                         .stream = 2,
                         .substream = 1,
                         .word = static_cast<std::uint64_t>(20 + shift * words)},
                        n, expected.data());
            buffer.download(got);
            CHECK_MESSAGE(same_bits(got, expected), element.name(), ", shift ", shift, ", ", n, " elements");
            std::vector<std::uint8_t> behind(16);
            buffer.download(behind, n * sizeof(T));
            CHECK(behind == std::vector<std::uint8_t>(16, 0x5a));
        }
    }
}

}  // namespace

TEST_SUITE_BEGIN("random");

TEST_CASE("uniform numbers are those of the host") {
    COMPARE(uniform<float>);
    COMPARE(uniform<float>, -2.5, 1e3);
    COMPARE(uniform<half>);
    COMPARE(uniform<half>, 1, 1.01);
    COMPARE(uniform<bfloat16>);
    COMPARE(uniform<cfloat>);
    COMPARE(uniform<float4>, -1, 1);
    if (lacks_double()) return;
    COMPARE(uniform<double>);
    COMPARE(uniform<double2>);
    COMPARE(uniform<double>, -2.5, 1e3);
    COMPARE(uniform<cdouble>, 1, 2);
}

TEST_CASE("normal numbers and what is made of them are those of the host") {
    COMPARE(normal<float>);
    COMPARE(normal<float>, 3, 0.25);
    COMPARE(normal<half>);
    COMPARE(normal<bfloat16>);
    COMPARE(normal<cfloat>);
    COMPARE(normal<float2>, 1, 2);
    COMPARE(log_normal<float>, 0.5, 2);
    COMPARE(log_normal<half>);
    COMPARE(exponential<float>);
    COMPARE(exponential<half>, 3);
    if (lacks_double()) return;
    COMPARE(normal<double>);
    COMPARE(normal<cdouble>, 1, 2);
    COMPARE(log_normal<double>, 0.5, 2);
    COMPARE(exponential<double>, 1e-3);
}

TEST_CASE("integers are those of the host") {
    COMPARE(integers<std::int8_t>, -100, 100);
    COMPARE(integers<std::uint8_t>);
    COMPARE(integers<std::int16_t>);
    COMPARE(integers<uchar4>, 0, 6);
    COMPARE(integers<int2>);
    COMPARE(integers<ulong2>);
    COMPARE(integers<std::uint16_t>, 0, 65536);
    COMPARE(integers<std::int32_t>, -7, 3);
    COMPARE(integers<std::uint32_t>);
    COMPARE(integers<std::uint32_t>, 5, 3u << 30);  // one in four is drawn again
    COMPARE(integers<std::int64_t>, INT64_MIN, INT64_MAX);
    COMPARE(integers<std::uint64_t>);
    COMPARE(integers<std::uint64_t>, 5, 3ull << 62);
}

TEST_CASE("zeros and ones and counts are those of the host") {
    COMPARE(bernoulli<bool>, 0.3);
    COMPARE(bernoulli<std::uint64_t>, 0.3);
    COMPARE(bernoulli<float>, 0.75);
    COMPARE(bernoulli<half>, 0.75);
    COMPARE(poisson<std::uint32_t>, 9);
    COMPARE(poisson<std::uint8_t>, 3);
    COMPARE(poisson<std::int64_t>, 1e6);
    COMPARE(poisson<float>, 0.01);
    COMPARE(poisson<std::int32_t>, 0);
    if (!lacks_double()) COMPARE(poisson<double>, 1000);
}

TEST_CASE("counts with a mean each are those of the host") {
    if (lacks_double()) return;
    const Context context = default_context();
    std::vector<double> means(10007);
    for (std::size_t i = 0; i < means.size(); ++i) means[i] = std::pow(10.0, static_cast<double>(i % 97) / 10 - 2);
    means[5] = -1, means[6] = NAN, means[7] = 0, means[8] = 2e9, means[9] = 1e9;
    const auto check = [&]<class T>(T) {
        const Philox rng(context, 40);
        HostPhilox host(40);
        for (const std::size_t n : {1, 0, 2, 3, 63, 64, 65, 1023, 10007}) {
            const std::vector<double> part(means.end() - static_cast<std::ptrdiff_t>(n), means.end());
            CHECK_MESSAGE(same_bits(values_of(rng.poisson<T>(to_gpu(context, part))), host.poisson<T>(part)),
                          dtype_of<T>().name(), ", ", n, " means");
            rng.skip(1), host.skip(1);
            CHECK(rng.position() == host.position());
        }
    };
    check(std::int32_t{}), check(std::uint8_t{}), check(std::int64_t{}), check(float{}), check(double{}), check(half{}),
        check(bfloat16{});
}

TEST_CASE("means may have any layout and type and be those of an expression") {
    if (lacks_double()) return;
    const Context context = default_context();
    std::vector<float> values(240);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 4;
    const GPUArray<float> means = to_gpu(context, values).reshape({12, 20});
    const auto expected = [&](const auto& which) {
        const auto given = which.get();
        return HostPhilox(41).poisson(std::vector<double>(given.begin(), given.end()));
    };
    const Philox whole(context, 41);
    const GPUArray<std::int32_t> drawn = whole.poisson(means);
    CHECK(drawn.shape() == Shape(12, 20));
    CHECK(drawn.get() == expected(means));
    for (const GPUArray<float>& view : {means.transpose(), means(slice({}, {}, -1), slice(1, {}, 3)),
                                        means(3, slice(1, {})), GPUArray<float>(means(0, 7).broadcast_to({5, 3}))})
        CHECK(Philox(context, 41).poisson(view).get() == expected(view));
    CHECK(Philox(context, 41).poisson(2 * means + 1).get() == expected(GPUArray<float>(2 * means + 1)));
    const GPUArray<std::uint16_t> integers = means.astype<std::uint16_t>();
    CHECK(Philox(context, 41).poisson(integers).get() == expected(integers));
    // Into rows with gaps, one mean for each column.
    const GPUArray<std::int64_t> target(context, {12, 40});
    target.fill(-7);
    Philox(context, 41).fill_poisson(target(slice(), slice({}, {}, 2)), means(0));
    CHECK(target(slice(), slice({}, {}, 2)).astype<std::int32_t>().get() ==
          expected(GPUArray<float>(means(0).broadcast_to({12, 20})).copy()));
    CHECK(target(4, 1).item() == -7);
}

TEST_CASE("counts may replace their means") {
    if (lacks_double()) return;
    const Context context = default_context();
    std::vector<double> means(5000);
    for (std::size_t i = 0; i < means.size(); ++i) means[i] = static_cast<double>(i % 100);
    const auto expected = HostPhilox(42).poisson<double>(means);
    const GPUArray<double> array = to_gpu(context, means);
    Philox(context, 42).fill_poisson(array, array);
    CHECK(array.get() == expected);
    const GPUArray<double> backwards = to_gpu(context, means);
    Philox(context, 42).fill_poisson(backwards(slice({}, {}, -1)), backwards);
    CHECK(backwards(slice({}, {}, -1)).get() == expected);
    const GPUArray<double> shifted = to_gpu(context, means);
    Philox(context, 42).fill_poisson(shifted(slice(1, {})), shifted(slice({}, -1)));
    CHECK(shifted(slice(1, {})).get() == HostPhilox(42).poisson<double>(std::span(means).first(4999)));
}

TEST_CASE("means that cannot be read are refused and take nothing from the stream") {
    const Context context = default_context(), other(context.device());
    const Philox rng(context, 43);
    const GPUArray<int> out(context, {3, 4});
    CHECK_THROWS_MENTIONING(ArgumentError, rng.fill_poisson(out, GPUArray<cfloat>(context, {4})), "cfloat", "real");
    CHECK_THROWS_MENTIONING(ArgumentError, rng.fill_poisson(out, GPUArray<float>(context, {3})), "(3,)", "(3, 4)");
    CHECK_THROWS_MENTIONING(ArgumentError, rng.fill_poisson(out, GPUArray<float>(other, {4})), "another context");
    CHECK_THROWS_MENTIONING(ArgumentError, rng.poisson(GPUArray<float>()), "empty handle");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            rng.fill_poisson(GPUArray<cfloat>(context, {4}), GPUArray<float>(context, {4})), "poisson",
                            "cfloat");
    CHECK(rng.position() == 0);
}

TEST_CASE("every way to deal out the counters gives the same numbers") {
    using codegen::Distribution;
    for (const auto& tuning : {philox_programs::wide, philox_programs::narrow, philox_programs::lanes,
                               codegen::PhiloxTuning{.block = 64, .counters_per_thread = 1}}) {
        check_tuning<float>(Distribution::unit, tuning);
        check_tuning<half>(Distribution::unit, tuning);
        check_tuning<float>(Distribution::normal, tuning);
        check_tuning<std::uint8_t>(Distribution::bernoulli, tuning, std::uint64_t{1} << 31);
        check_tuning<std::uint32_t>(Distribution::integers, tuning, std::uint64_t{3} << 30);
        check_tuning<std::uint64_t>(Distribution::integers, tuning, std::uint64_t{3} << 62);
        if (!lacks_double()) check_tuning<double>(Distribution::normal, tuning);
    }
}

TEST_CASE("permutations are those of the host") {
    const Philox rng(default_context(), 21);
    HostPhilox host(21);
    for (const std::int64_t n : {0, 1, 2, 100, 4096, 4097, 65536, 65537, 300000}) {
        CHECK(values_of(rng.permutation(n)) == host.permutation(n));
        CHECK(values_of(rng.permutation<std::int32_t>(n)) == host.permutation<std::int32_t>(n));
    }
    CHECK(rng.position() == host.position());
}

TEST_CASE("large draws and all their parts are those of the host") {
    const Philox rng(default_context(), 22);
    HostPhilox host(22);
    const std::size_t n = (1 << 22) + 3;
    CHECK(same_bits(values_of(rng.uniform<float>({n})), host.uniform<float>(n)));
    CHECK(same_bits(values_of(rng.normal<float>({n})), host.normal<float>(n)));  // begins at place 3 of a counter
}

TEST_CASE("positions beyond 32 bits work") {
    const Philox rng(default_context(), 23);
    HostPhilox host(23);
    const std::uint64_t far = (std::uint64_t{1} << 34) - 40;  // the counter's first word overflows within
    rng.skip(far);
    host.skip(far);
    CHECK(same_bits(values_of(rng.uniform<float>({1000})), host.uniform<float>(1000)));
    rng.skip(std::uint64_t{1} << 57);
    host.skip(std::uint64_t{1} << 57);
    CHECK(same_bits(values_of(rng.uniform<float>({1000})), host.uniform<float>(1000)));
}

TEST_CASE("parts of a buffer are filled and nothing else") {
    const Context context = default_context();
    for (const std::size_t offset : {1, 2, 3, 4, 5, 8}) {
        const std::size_t n = 1003;
        const Buffer buffer = context.allocate((n + 20) * sizeof(float));
        buffer.fill(-1.0f);
        const GPUArray<float> part(buffer, Shape(n), Strides(1), offset * sizeof(float));
        Philox(context, 24).fill_uniform(part);
        std::vector<float> expected(n + 20, -1.0f);
        const std::vector<float> drawn = HostPhilox(24).uniform<float>(n);
        std::copy(drawn.begin(), drawn.end(), expected.begin() + offset);
        CHECK(downloaded<float>(buffer) == expected);
    }
    const Buffer bytes = context.allocate(100);
    bytes.fill(std::uint8_t{7});
    Philox(context, 25).fill(GPUArray<bool>(bytes, Shape(50), Strides(1), 3));
    const auto values = downloaded<std::uint8_t>(bytes);
    CHECK(values[2] == 7);
    CHECK(values[53] == 7);
    CHECK(*std::max_element(values.begin() + 3, values.begin() + 53) == 1);
}

TEST_CASE("arrays with gaps get their numbers in the order of the indices") {
    const Context context = default_context();
    const GPUArray<float> whole(context, {10, 10});
    whole.fill(-1);
    const GPUArray<float> columns = whole(slice({}, {}, 2), slice(1, {}, 3)), turned = whole.transpose();
    Philox(context, 33).fill_uniform(columns);
    CHECK(columns.get() == HostPhilox(33).uniform<float>(15));
    const std::vector<float> all = whole.get();
    CHECK(std::count(all.begin(), all.end(), -1.0f) == 85);
    Philox(context, 34).fill_normal(turned);
    CHECK(turned.get() == HostPhilox(34).normal<float>(100));
    const GPUArray<std::int32_t> numbers(context, {20});
    Philox(context, 35).fill_permutation(numbers(slice({}, {}, 2)));
    CHECK(numbers(slice({}, {}, 2)).get() == HostPhilox(35).permutation<std::int32_t>(10));
}

TEST_CASE("arrays that cannot be filled are refused and take nothing from the stream") {
    const Context context = default_context();
    const Philox rng(context, 26);
    const auto repeated = GPUArray<float>(context, {1, 5}).broadcast_to({10, 5});
    CHECK_THROWS_MENTIONING(ArgumentError, rng.fill_uniform(repeated), "repeats", "(10, 5)");
    CHECK_THROWS_MENTIONING(ArgumentError, rng.fill_uniform(GPUArray<float>()), "empty handle");
    CHECK_THROWS_MENTIONING(ArgumentError, rng.fill_uniform(GPUArray<int>(context, {4})), "uniform", "int32_t");
    CHECK_THROWS_MENTIONING(ArgumentError, rng.fill_normal(GPUArray<int>(context, {4})), "normal", "int32_t");
    CHECK_THROWS_MENTIONING(ArgumentError, rng.fill_permutation(GPUArray<int>(context, {2, 2})), "(2, 2)");
    CHECK_THROWS_MENTIONING(ArgumentError, rng.fill_permutation(GPUArray<float>(context, {2})), "float");
    const Context other(context.device());
    CHECK_THROWS_MENTIONING(ArgumentError, rng.fill_uniform(GPUArray<float>(other, {4})), "another context");
    CHECK(rng.position() == 0);
    rng.fill_uniform(GPUArray<float>(context, {0, 7}));
    CHECK(rng.position() == 0);
}

TEST_CASE("copies of a generator share the stream and substreams do not") {
    const Philox rng(default_context(), 27);
    const Philox copy = rng;
    HostPhilox host(27);
    const auto first = values_of(rng.uniform<float>({7})), second = values_of(copy.uniform<float>({7}));
    CHECK(first == host.uniform<float>(7));
    CHECK(second == host.uniform<float>(7));
    CHECK(values_of(rng.substream(5).uniform<float>({7})) == host.substream(5).uniform<float>(7));
    CHECK(values_of(copy.substream(5).uniform<float>({7})) == host.substream(5).uniform<float>(7));
    const std::uint64_t wide = (std::uint64_t{1} << 32) + 5;
    CHECK_THROWS_MENTIONING(ArgumentError, rng.substream(wide), "4294967301", "2^32 - 2");
    CHECK_THROWS_MENTIONING(ArgumentError, rng.substream(-3), "-3");
    CHECK_THROWS_MENTIONING(ArgumentError, Philox(default_context(), 1, wide), "4294967301", "2^32 - 1");
    CHECK(rng.seed() == 27);
}

TEST_CASE("threads draw disjoint parts of one stream") {
    const Philox rng(default_context(), 28);
    std::vector<std::vector<std::uint64_t>> drawn(4);
    std::vector<std::thread> threads;
    for (auto& own : drawn)
        threads.emplace_back([&own, &rng] {
            for (int i = 0; i < 20; ++i) {
                const auto part = values_of(rng.integers<std::uint64_t>({101}));
                own.insert(own.end(), part.begin(), part.end());
            }
        });
    for (std::thread& thread : threads) thread.join();
    std::vector<std::uint64_t> all, expected = HostPhilox(28).integers<std::uint64_t>(4 * 20 * 101);
    for (const auto& own : drawn) all.insert(all.end(), own.begin(), own.end());
    std::sort(all.begin(), all.end());
    std::sort(expected.begin(), expected.end());
    CHECK(all == expected);
}

TEST_CASE("rand and randn draw from one generator per context that a seed starts anew") {
    random::seed(29);
    const auto first = values_of(random::rand<float>({100, 3}));
    const auto second = values_of(random::randn<float>(default_context(), {50}));
    HostPhilox host(29);
    CHECK(first == host.uniform<float>(300));
    CHECK(second == host.normal<float>(50));
    CHECK(values_of(random::rand<std::int32_t>({10})) == host.integers<std::int32_t>(10));
    CHECK(values_of(random::rand<bool>({10})) == host.bernoulli(10));
    CHECK(values_of(random::rand<float4>({5})) == host.uniform<float4>(5));
    CHECK(values_of(random::rand<short2>({5})) == host.integers<short2>(5));
    random::seed(29);
    CHECK(values_of(random::rand<float>({300})) == first);
    CHECK(random::default_generator(default_context()).position() == 300);
    const Context other(default_context().device());
    {
        const ContextScope scope(other);
        CHECK(values_of(random::rand<float>({300})) == first);
    }
}

TEST_CASE("GEMEL_SEED starts the default generators") {
    const auto result = run_child("seeded-by-environment", {{"GEMEL_SEED", "31"}});
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    CHECK(child_exits(1, "seeded-by-environment", {{"GEMEL_SEED", "32"}}));
    CHECK(child_exits(1, "seeded-by-environment", {{"GEMEL_SEED", ""}}));
    const auto refused = run_child("seeded-by-environment", {{"GEMEL_SEED", "three"}});
    CHECK(mentions(refused.output, {"GEMEL_SEED is 'three'"}));
}

TEST_CASE("a draw does not keep its context alive") {
    const Device device = default_context().device();
    std::weak_ptr<ContextState> state;
    {
        const Context context(device);
        state = context.state();
        random::rand<float>(context, {1000});
        random::default_generator(context).poisson({1000}, 4);
    }
    CHECK(state.expired());
}

TEST_CASE("normal numbers of the device have the distribution") {
    const auto sample = values_of(Philox(default_context(), 32).normal<float>({1000000}));
    CHECK(statistics::kolmogorov_smirnov(sample, statistics::normal_cumulative) > statistics::unlikely);
}

TEST_SUITE_END();
