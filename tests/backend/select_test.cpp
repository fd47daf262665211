/// Selections beside host loops: masks, predicates, partitions, runs, in every strategy that the device has.
#include "../left_out.hpp"
#include "array_support.hpp"
#include "generator_support.hpp"

#include <algorithm>
#include <span>

using namespace gemel;
using namespace gemel::testing;

namespace selection {
struct Event {
    float energy;
    std::int32_t channel;
};
GEMEL_STRUCT(Event, energy, channel)
}  // namespace selection

namespace {

using codegen::ScanTuning;
using Strategy = codegen::ScanStrategy;

// Four elements per thread: PoCL 3.1 compiles tiles of eight and stores that a condition guards to wrong code.
const ScanTuning tunings[] = {
    {},
    {.block = 64, .items_per_thread = 4, .strategy = Strategy::three_passes},
    {.block = 64, .access_bytes = 16, .items_per_thread = 4, .strategy = Strategy::look_back},
};

std::vector<std::int64_t> longs(const std::vector<std::size_t>& values) { return {values.begin(), values.end()}; }

/// What a host loop keeps.
template <class V, class Holds>
std::vector<V> kept(const std::vector<V>& values, const Holds& holds) {
    std::vector<V> result;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (holds(values[i], i)) result.push_back(values[i]);
    return result;
}

/// Every tuning is a variant more to compile.
template <class T>
void check_sizes(const char* what, std::span<const ScanTuning> given) {
    for (const ScanTuning& tuning : given)
        for (const std::size_t n : {0, 1, 2, 255, 256, 257, 4099}) {
            const auto values = small_values<T>(n, static_cast<unsigned>(n) + 1);
            const auto mask = drawn<bool>(n, static_cast<unsigned>(n) + 2, 0, 1);
            const GPUArray<T> x = placed<T>(values, 0);
            const GPUArray<bool> m = placed<bool>(mask, 0);
            const auto holds = [&](const auto&, std::size_t i) { return mask[i] != 0; };
            const auto fails = [&](const auto&, std::size_t i) { return mask[i] == 0; };
            const Selection<T> selected = copy_if(x, m, {.tuning = tuning});
            CHECK(selected.count.item() == static_cast<std::int64_t>(kept(values, holds).size()));
            CHECK(selected.values.size() == n);
            CHECK_SAME(kept(values, holds), selected.array().get(), "copy_if ", what, " ", n);
            CHECK_SAME(kept(values, fails), remove_if(x, m, {.tuning = tuning}).array().get(), "remove_if ", what, " ",
                       n);
            const Partition<T> parts = partition(x, m, {.tuning = tuning});
            CHECK_SAME(kept(values, holds), parts.first().get(), "first ", what, " ", n);
            CHECK_SAME(kept(values, fails), parts.second().get(), "second ", what, " ", n);
        }
}

template <class T>
void check_runs(const char* what, std::span<const ScanTuning> given) {
    for (const ScanTuning& tuning : given)
        for (const std::size_t n : {0, 1, 2, 256, 257, 4099}) {
            const EqualOptions options{.tuning = tuning};
            auto values = small_values<T>(n, 5);
            for (std::size_t i = 1; i < n; ++i)
                if (i % 3 || i % 100 < 60) values[i] = values[i - 1];
            std::vector<HostElement<T>> expected;
            std::vector<std::size_t> lengths;
            for (std::size_t i = 0; i < n; ++i)
                if (i > 0 && values[i] == values[i - 1]) {
                    ++lengths.back();
                } else {
                    expected.push_back(values[i]);
                    lengths.push_back(1);
                }
            const GPUArray<T> x = placed<T>(values, 0);
            CHECK_SAME(expected, unique_consecutive(x, options).array().get(), "unique_consecutive ", what, " ", n);
            const Runs<T> runs = run_lengths(x, options);
            CHECK(runs.count.item() == static_cast<std::int64_t>(expected.size()));
            CHECK_SAME(expected, runs.values().get(), "values ", what, " ", n);
            CHECK_SAME(longs(lengths), runs.lengths().get(), "lengths ", what, " ", n);
        }
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("copy_if and its siblings give what a loop gives for sizes around those of blocks") {
    check_sizes<float>("float", tunings);
    check_sizes<std::int8_t>("int8", std::span(tunings).subspan(2));
    check_sizes<half>("half", std::span(tunings).first(1));
    if (!lacks_double()) check_sizes<cdouble>("cdouble", std::span(tunings).first(1));
}

TEST_CASE("runs of all lengths are found across the chunks of a CPU") {
    for (const std::size_t longest : {std::size_t{1}, std::size_t{5}, std::size_t{90}, std::size_t{70001}}) {
        std::vector<std::int32_t> values, expected;
        std::mt19937 random(static_cast<unsigned>(longest));
        while (values.size() < 70001) {
            expected.push_back(static_cast<std::int32_t>(expected.size() % 7));
            values.resize(std::min<std::size_t>(values.size() + 1 + random() % longest, 70001), expected.back());
        }
        const GPUArray<std::int32_t> x = to_gpu(values);
        CHECK_SAME(expected, unique_consecutive(x).array().get(), "runs of up to ", longest);
        const GPUArray<std::int32_t> pairs = to_gpu(values).reshape({70001, 1}).broadcast_to({70001, 2}).copy();
        CHECK_SAME(expected, unique_consecutive(pairs(slice(), 1)).array().get(), "with gaps ", longest);
    }
}

TEST_CASE("masks are evaluated within and read any layout") {
    const Shape shape{7, 30, 11};
    for (const Form form : {Form::C, Form::strided, Form::F}) {
        GPUArray<std::int32_t> x;
        const auto values = fill_in<std::int32_t>(form, shape, x, small_values<std::int32_t>(shape.count(), 3));
        const auto holds = [](std::int32_t v, std::size_t) { return v > 2 && v % 2 == 0; };
        CHECK_SAME(kept(values, holds), copy_if(x, (x > 2) & (x % 2 == 0)).array().get(), name_of(form));
        const GPUArray<float> other = placed<float>(drawn<float>(shape.count(), 4, 0, 9), 0).reshape(shape);
        const auto limits = other.get();
        const auto below = [&](std::int32_t v, std::size_t i) { return static_cast<float>(v) < limits[i]; };
        CHECK_SAME(kept(values, below), copy_if(x, x < other).array().get(), name_of(form), " beside another");
    }
}

TEST_CASE("a selection of an expression selects its values") {
    const GPUArray<float> x = placed<float>(drawn<float>(1000, 8, 0, 99), 0);
    const auto holds = [](float v, std::size_t) { return v > 50; };
    auto expected = kept(x.get(), holds);
    for (float& v : expected) v = 2 * v + 1;
    CHECK_SAME(expected, copy_if(2.0f * x + 1.0f, x > 50).array().get(), "expression");
}

TEST_CASE("predicates in C know the element and its number and take arguments") {
    const auto values = drawn<std::int32_t>(3000, 6, -50, 50);
    const GPUArray<std::int32_t> x = placed<std::int32_t>(values, 0);
    for (const ScanTuning& tuning : tunings) {
        const SelectOptions options{.tuning = tuning};
        const auto odd = [](std::int32_t v, std::size_t i) { return v > 0 && i % 2; };
        CHECK_SAME(kept(values, odd), copy_if(options, x, "x[i] > 0 && i % 2").array().get(), "copy_if");
        const auto near_last = [&](std::int32_t v, std::size_t i) { return v < 7 && i + 100 >= values.size(); };
        CHECK_SAME(kept(values, near_last),
                   copy_if(options, x, Predicate("x[i] < limit && i + 100 >= n", "int limit"), 7).array().get(),
                   "arguments");
    }
    const auto even = [](std::int32_t v, std::size_t i) { return !(v > 0 && i % 2); };
    CHECK_SAME(kept(values, even), remove_if(x, "x[i] > 0 && i % 2").array().get(), "remove_if");
    CHECK_SAME(kept(values, even), partition(x, "x[i] > 0 && i % 2").second().get(), "partition");
    CHECK_SAME(kept(values, [](std::int32_t v, std::size_t) { return v > 0; }),
               copy_if(x, "x[i] > 0 // all").array().get(), "a comment behind");
}

TEST_CASE("structs are selected by their fields and grouped by an expression") {
    std::vector<selection::Event> events;
    for (int k = 0; k < 1000; ++k) events.push_back({0.5f * static_cast<float>(k), k / 7 % 5});
    const GPUArray<selection::Event> x = to_gpu(events);
    const auto hits = copy_if(x, "x[i].channel == 3").array().get();
    const auto expected = kept(events, [](const auto& e, std::size_t) { return e.channel == 3; });
    REQUIRE(hits.size() == expected.size());
    for (std::size_t k = 0; k < hits.size(); ++k) CHECK(hits[k].energy == expected[k].energy);
    const Runs<selection::Event> runs = run_lengths(x, {.equal_expr = "a.channel == b.channel"});
    CHECK(runs.values().size() == (1000 + 6) / 7);
    CHECK(runs.lengths()(0).item() == 7);
    CHECK_THROWS_MENTIONING(ArgumentError, run_lengths(x), "run_lengths", "equal_expr");
}

TEST_CASE("neighbours that are equal are found for sizes around those of blocks") {
    check_runs<std::int32_t>("int32", tunings);
    check_runs<half>("half", std::span(tunings).subspan(2));
    check_runs<cfloat>("cfloat", std::span(tunings).first(1));
}

TEST_CASE("a NaN equals no neighbour unless the expression says so") {
    const float nan = std::nanf("");
    const GPUArray<float> x = to_gpu(std::vector<float>{1, nan, nan, 2, 2, 0.0f, -0.0f});
    CHECK_SAME((std::vector<std::int64_t>{1, 1, 1, 2, 2}), run_lengths(x).lengths().get(), "NaN");
    CHECK_SAME((std::vector<std::int64_t>{1, 2, 2, 2}),
               run_lengths(x, {.equal_expr = "a == b || (a != a && b != b)"}).lengths().get(), "NaN as equal");
}

TEST_CASE("a selection shares its room or is a copy of little") {
    const GPUArray<float> x = arange<float>(1000);
    const Selection<float> most = copy_if(x, x > 100), few = copy_if(x, x > 900);
    CHECK(most.array().is_view_of(most.values));
    CHECK_FALSE(few.array().is_view_of(few.values));
    CHECK(few.array().size() == 99);
}

TEST_CASE("selections of types known at run time") {
    const AnyArray x = placed<float>(drawn<float>(500, 9, 0, 9), 0);
    const AnySelection selected = copy_if(x, AnyExpr(x) > 4);
    CHECK(selected.array().dtype() == dtype_of<float>());
    const auto expected = kept(x.get<float>(), [](float v, std::size_t) { return v > 4; });
    CHECK_SAME(expected, selected.array().get<float>(), "AnyArray");
    CHECK(partition(x, AnyExpr(x) > 4).second().size() == 500 - expected.size());
}

TEST_CASE("selections refuse what cannot be meant") {
    const GPUArray<float> x = arange<float>(10);
    const GPUArray<bool> mask = zeros<bool>({7});
    CHECK_THROWS_MENTIONING(ArgumentError, copy_if(x, mask), "copy_if", "(7,)", "(10,)");
    CHECK_THROWS_MENTIONING(ArgumentError, copy_if(x, ""), "copy_if", "predicate is empty");
    CHECK_THROWS_MENTIONING(ArgumentError, partition(GPUArray<float>(), mask), "partition", "empty handle");
    CHECK_THROWS_MENTIONING(ArgumentError, copy_if(AnyArray(x), AnyArray(x)), "copy_if", "bool");
    CHECK_THROWS_AS(copy_if(x, "x[i] >"), CompileError);
    CHECK_THROWS_MENTIONING(ArgumentError, copy_if(x, Predicate("x[i] > limit", "float limit")), "copy_if",
                            "1 argument", "got 0", "float limit");
    CHECK_THROWS_MENTIONING(ArgumentError, remove_if(x, "x[i] > 3", 3), "remove_if", "0 arguments", "got 1");
    CHECK_THROWS_MENTIONING(ArgumentError, partition(x, Predicate("x[i] > limit", "float limit"), 1, 2), "partition",
                            "1 argument", "got 2");
    // The kernels use these names: with another meaning of n their results would be wrong.
    CHECK_THROWS_MENTIONING(ArgumentError, copy_if(x, Predicate("x[i] > n", "int n"), 3), "copy_if", "'n'", "rename");
    CHECK_THROWS_MENTIONING(ArgumentError, copy_if(x, Predicate("x[0] > 1", "const float *x"), x), "copy_if", "'x'");
    CHECK_THROWS_MENTIONING(ArgumentError, copy_if(x, Predicate("item > 1", "int item"), 3), "copy_if", "'item'");
    CHECK_THROWS_MENTIONING(ArgumentError, copy_if(x, Predicate("x[i] > tile_first", "int tile_first"), 3), "copy_if",
                            "'tile_first'");
    CHECK_THROWS_MENTIONING(ArgumentError, flatnonzero(AnyArray()), "flatnonzero", "empty handle");
    const GPUArray<selection::Event> events(x.context(), Shape{10});
    const GPUArray<std::int32_t> keys = zeros<std::int32_t>({10});
    CHECK_THROWS_MENTIONING(ArgumentError, scan_by_key(keys, events), "scan_by_key", "Event", "{.scan_expr = ");
    CHECK_THROWS_MENTIONING(ArgumentError, reduce_by_key(keys, events), "reduce_by_key", "{.reduce_expr = ");
    CHECK_THROWS_MENTIONING(ArgumentError, bincount(AnyArray(keys), AnyArray(events)), "bincount", "Event",
                            "ElementwiseKernel");
    CHECK_THROWS_MENTIONING(ArgumentError, isin(AnyArray(events), AnyArray(events)), "isin", "make numbers of them");
    CHECK(copy_if(x, x > 3).array().size() == 6);
}

/// Runs of up to `longest` elements, each followed by a longer one once in a while, so that tiles have no run's
/// beginning.
template <class T>
void check_long_runs(std::size_t n, std::size_t longest) {
    std::vector<HostElement<T>> values, expected;
    std::vector<std::int64_t> lengths;
    std::mt19937 random(static_cast<unsigned>(n + longest));
    while (values.size() < n) {
        const std::size_t wanted = random() % 50000 == 0 ? 40000 : 1 + random() % longest;
        const std::size_t length = std::min(wanted, n - values.size());
        expected.push_back(static_cast<HostElement<T>>(expected.size() % 7));
        lengths.push_back(static_cast<std::int64_t>(length));
        values.resize(values.size() + length, expected.back());
    }
    const Runs<T> runs = run_lengths(to_gpu(values));
    CHECK(runs.count.item() == static_cast<std::int64_t>(expected.size()));
    CHECK(runs.values().get() == expected);
    CHECK(runs.lengths().get() == lengths);
}

/// Where packs are copied to shared memory: a selection by each way of saying so, runs, and what does not fill a tile.
template <class T>
void check_long(std::size_t n) {
    const auto values = drawn<T>(n, static_cast<unsigned>(n), 0, 100);
    const GPUArray<T> x = to_gpu(values);
    const auto above = kept(values, [](T v, std::size_t) { return v > T(60); });
    CHECK(copy_if(x, x > T(60)).array().get() == above);
    CHECK(copy_if(x, "x[i] > 60").array().get() == above);
    CHECK(remove_if(x, x <= T(60)).array().get() == above);
    const auto is_peak = [&](T v, std::size_t i) {
        return i > 0 && i + 1 < n && v > values[i - 1] && v > values[i + 1];
    };
    CHECK(copy_if(x, "i > 0 && i + 1 < n && x[i] > x[i - 1] && x[i] > x[i + 1]").array().get() ==
          kept(values, is_peak));
    const auto begins = [&](T v, std::size_t i) { return i == 0 || v != values[i - 1]; };
    CHECK(unique_consecutive(x).array().get() == kept(values, begins));
    const GPUArray<std::int16_t> other = to_gpu(drawn<std::int16_t>(n, 5, 0, 100));
    const auto others = other.get();
    CHECK(copy_if(x, other < 10).array().get() == kept(values, [&](T, std::size_t i) { return others[i] < 10; }));
}

TEST_CASE("long arrays pass through shared memory") {
    constexpr std::size_t n = std::size_t{1} << 22;
    check_long<float>(n + 12345);
    // Elements that kernels convert.
    const GPUArray<float> x = to_gpu(drawn<float>(n + 777, 6, 0, 100));
    const GPUArray<half> h = x.astype<half>();
    const GPUArray<bool> b(x > 60.f);
    const char* const rises = "i > 0 && x[i] > x[i - 1]";
    CHECK(copy_if(h, rises).array().astype<float>().get() == copy_if(x, rises).array().get());
    CHECK(copy_if(b, "x[i] != 0").array().get() == std::vector<std::uint8_t>(sum(b).item(), 1));
    if (is_check()) return;
    CHECK(copy_if(h, h > half(60.f)).array().astype<float>().get() == copy_if(x, x > 60.f).array().get());
    CHECK(unique_consecutive(h).array().astype<float>().get() == unique_consecutive(x).array().get());
    CHECK(copy_if(b, "i > 0 && x[i] != x[i - 1]").count.item() == unique_consecutive(b).count.item() - 1);
    for (const std::size_t more : {0, 1, 8191}) check_long<float>(n + more);
    check_long<std::uint8_t>(n + 12345);
    check_long<std::int16_t>(n + 8193);
    check_long<std::int64_t>(n + 2);
    if (!lacks_double()) check_long<double>(n + 6143);
}

TEST_CASE("runs of long arrays are found by positions") {
    constexpr std::size_t n = std::size_t{1} << 22;
    check_long_runs<std::int32_t>(n + 12345, 100);
    check_long_runs<std::uint8_t>(n, 3);
    const GPUArray<std::int16_t> same = zeros<std::int16_t>({static_cast<std::int64_t>(n) + 1});
    CHECK(run_lengths(same).lengths().get() == std::vector{static_cast<std::int64_t>(n) + 1});
    if (is_check()) return;
    for (const std::size_t longest : {std::size_t{1}, std::size_t{2}, std::size_t{9000}})
        check_long_runs<std::int64_t>(n + 8191, longest);
    check_long_runs<float>(n + 8193, 100);
    const GPUArray<std::int32_t> backwards = arange<std::int32_t>(static_cast<std::int64_t>(n) + 3)(slice({}, {}, -1));
    CHECK(run_lengths(backwards).count.item() == static_cast<std::int64_t>(n) + 3);
}

TEST_CASE("typed arrays take untyped masks") {
    const GPUArray<std::int32_t> x = to_gpu(std::vector<std::int32_t>{5, -1, 4, 0, -7, 2});
    const AnyArray untyped = x, mask = (AnyExpr(untyped) > 0).eval();
    const std::vector<std::int32_t> held{5, 4, 2}, others{-1, 0, -7};
    CHECK(copy_if(x, AnyExpr(untyped) > 0).array().get() == held);
    CHECK(copy_if(x, mask).array().get() == held);
    CHECK(remove_if(x, mask).array().get() == others);
    CHECK(partition(x, AnyExpr(untyped) > 0).second().get() == others);
    CHECK_THROWS_MENTIONING(ArgumentError, copy_if(x, untyped), "bool");
}

TEST_CASE("random masks of random arrays") {
    std::mt19937 random(11);
    for (int round = 0; round < 60; ++round) {
        const std::size_t n = random() % 20000;
        const auto values = drawn<float>(n, random(), -100, 100, 3);
        const GPUArray<float> whole = placed<float>(values, random() % 3);
        const GPUArray<float> x = round % 2 ? whole : whole(slice({}, {}, -2));
        const float limit = static_cast<float>(static_cast<int>(random() % 200) - 100) / 3;
        const Partition<float> parts = partition(x, x < limit, {.tuning = tunings[round % 3]});
        const auto host = x.get();
        CHECK_SAME(kept(host, [&](float v, std::size_t) { return v < limit; }), parts.first().get(), "first ", round);
        CHECK_SAME(kept(host, [&](float v, std::size_t) { return !(v < limit); }), parts.second().get(), "second ",
                   round);
    }
}

TEST_SUITE_END();
