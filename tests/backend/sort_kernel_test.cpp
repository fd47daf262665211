/// What moves with sorted keys, several keys, segments, structs by a key or a comparison in C, bad input.
#include "sort_support.hpp"

#include <gemel/core/text.hpp>

#include <array>

using namespace gemel;
using namespace gemel::testing;
using Strategy = codegen::SortStrategy;
using Tuning = codegen::SortTuning;

namespace science {
struct Body {
    float x, y;
    std::int32_t cell;
    std::uint16_t group;
    half weight;
};
GEMEL_STRUCT(Body, x, y, cell, group, weight)
/// More than a block's tile takes.
struct Star {
    std::array<double, 3> place, speed;
    float mass;
    std::int32_t cell;
    std::array<float, 10> spectrum;
};
GEMEL_STRUCT(Star, place, speed, mass, cell, spectrum)
}  // namespace science

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("any number of values of any type moves with the keys") {
    const std::size_t n = 5000;
    const auto keys = drawn<std::int16_t>(n, 10, 0, 300);
    const auto places = sorted_places<std::int16_t>(keys, n, false);
    const GPUArray<std::int32_t> numbers = to_gpu(counted(n));
    std::vector<science::Body> bodies(n);
    for (std::size_t i = 0; i < n; ++i) bodies[i].cell = static_cast<std::int32_t>(i);
    const std::vector<AnyArray> values{
        numbers,        numbers.astype<std::int16_t>(), numbers.astype<float>(), numbers.astype<cfloat>(),
        to_gpu(bodies), numbers.astype<std::int64_t>(), numbers.astype<half>(),  numbers.astype<std::uint8_t>()};
    const std::vector<AnyArray> sorted = sort_by_key(AnyArray(to_gpu(keys)), values);
    REQUIRE(sorted.size() == 9);
    CHECK_SAME(taken(keys, places, n), sorted[0].get<std::int16_t>(), "keys");
    const auto moved = sorted[5].get<science::Body>();
    std::vector<std::int64_t> cells(n);
    for (std::size_t i = 0; i < n; ++i) cells[i] = moved[i].cell;
    CHECK_SAME(places, cells, "structs");
    CHECK_SAME(places, sorted[6].get<std::int64_t>(), "int64");
    for (const std::size_t k : {1u, 2u, 3u, 8u})
        CHECK_MESSAGE(all(AnyArray(sorted[k]) == take(values[k - 1], AnyArray(to_gpu(places)))).item<bool>(), "values ",
                      k);
}

TEST_CASE("expressions and arrays of unknown type are sorted") {
    const auto x = drawn<float>(100, 11, -50, 50);
    const GPUArray<float> on = to_gpu(x);
    const auto expected = sort((on * 2 + 1).eval()).get();
    CHECK_SAME(expected, sort(on * 2 + 1).get(), "expression");
    CHECK_SAME(argsort(on).get(), argsort(AnyArray(on)).get<std::int64_t>(), "untyped");
    CHECK_SAME(sort(on).get(), sort(AnyArray(on)).get<float>(), "untyped");
}

TEST_CASE("several keys are sorted by the last first") {
    const std::size_t n = 3000;
    const auto minor = drawn<float>(n, 12, 0, 9), major = drawn<float>(n, 13, 0, 5);
    std::vector<std::int64_t> expected(n);
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t i, std::int64_t j) {
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
        return major[a] != major[b] ? major[a] < major[b] : minor[a] < minor[b];
    });
    CHECK_SAME(expected, lexsort({to_gpu(minor), to_gpu(major).astype<std::int8_t>()}).get(), "lexsort");
}

TEST_CASE("segments of any lengths are sorted each by itself") {
    const std::size_t n = 9000;
    const auto x = drawn<std::int32_t>(n, 14, -1000, 1000);
    // Empty ones at either end and between, one giant, many of one element.
    std::vector<std::int64_t> starts{0, 0, 0, 1, 5, 5000, 5000};
    for (std::int64_t k = 5001; k < 8000; ++k) starts.push_back(k);
    starts.insert(starts.end(), {8000, 9000, 9000});
    std::vector<std::int32_t> expected = x;
    for (std::size_t s = 0; s < starts.size(); ++s) {
        const auto end = s + 1 < starts.size() ? starts[s + 1] : static_cast<std::int64_t>(n);
        std::sort(expected.begin() + starts[s], expected.begin() + end);
    }
    const Tuning tiles{.block = 64, .items_per_thread = 3, .strategy = Strategy::three_passes};
    CHECK_SAME(expected, sort_segments(to_gpu(x), to_gpu(starts)).get(), "segments");
    CHECK_SAME(expected, sort_segments(to_gpu(x), to_gpu(starts), {.tuning = tiles}).get(), "segments in three passes");
}

TEST_CASE("sorted values and searched keys are lists by key with empty ones for keys that are not there") {
    const std::vector<std::int32_t> keys{7, 2, 2, 9, 7, 2}, values{0, 1, 2, 3, 4, 5};
    const auto [sorted, lists] = sort_by_key(to_gpu(keys), to_gpu(values));
    const auto starts = searchsorted(sorted, arange<std::int32_t>(11));
    CHECK_SAME((std::vector<std::int32_t>{1, 2, 5, 0, 4, 3}), lists.get(), "lists");
    CHECK_SAME((std::vector<std::int64_t>{0, 0, 0, 3, 3, 3, 3, 3, 5, 5, 6}), starts.get(), "starts");
}

TEST_CASE("structs are sorted by keys and comparisons in C") {
    const std::size_t n = 6000;
    std::vector<science::Body> bodies(n);
    std::mt19937 random(15);
    for (std::size_t i = 0; i < n; ++i)
        bodies[i] = {static_cast<float>(static_cast<int>(random() % 201)) - 100, static_cast<float>(i),
                     static_cast<std::int32_t>(random() % 401) - 200, static_cast<std::uint16_t>(random() % 60000),
                     half(static_cast<float>(random() % 50) - 25)};
    const GPUArray<science::Body> on = to_gpu(bodies);
    const auto check = [&](const char* what, const SortSpec& spec, bool descending, const auto& before) {
        std::vector<science::Body> expected = bodies;
        std::stable_sort(expected.begin(), expected.end(), before);
        const SortKernel<science::Body> sorted(spec);
        const auto found = sorted(on, {.descending = descending}).get();
        CHECK_MESSAGE(bits_of(found) == bits_of(expected), std::string(what));
    };
    using science::Body;
    check("int", {.key_expr = "a.cell"}, false, [](const Body& a, const Body& b) { return a.cell < b.cell; });
    check("uint16", {.key_expr = "a.group"}, true, [](const Body& a, const Body& b) { return a.group > b.group; });
    check("float", {.key_expr = "a.x"}, false, [](const Body& a, const Body& b) { return a.x < b.x; });
    check("half", {.key_expr = "a.weight"}, false,
          [](const Body& a, const Body& b) { return static_cast<float>(a.weight) < static_cast<float>(b.weight); });
    check("expression", {.key_expr = "-a.x * a.x"}, true,
          [](const Body& a, const Body& b) { return a.x * a.x < b.x * b.x; });
    check("bits", {.key_expr = "a.group / 4", .key_bits = 14}, false,
          [](const Body& a, const Body& b) { return a.group / 4 < b.group / 4; });
    const SortSpec by_two{.less_expr = "a.cell < b.cell || (a.cell == b.cell && a.x > b.x)"};
    const auto two = [](const Body& a, const Body& b) { return a.cell < b.cell || (a.cell == b.cell && a.x > b.x); };
    check("comparison", by_two, false, two);
    check("comparison downwards", by_two, true, [&](const Body& a, const Body& b) { return two(b, a); });
    const SortKernel<Body> by_cell({.key_expr = "a.cell"});
    const auto places = by_cell.argsort(on).get();
    for (std::size_t i = 1; i < n; ++i)
        REQUIRE(bodies[static_cast<std::size_t>(places[i - 1])].cell <=
                bodies[static_cast<std::size_t>(places[i])].cell);
}

TEST_CASE("elements of any size are moved by their places") {
    if (lacks_double()) return;
    using science::Star;
    static_assert(sizeof(Star) > 64);
    const std::size_t n = 5003;
    std::vector<Star> stars(n, Star{});
    std::mt19937 random(17);
    for (std::size_t i = 0; i < n; ++i) {
        stars[i].cell = static_cast<std::int32_t>(random() % 301) - 150;
        stars[i].mass = static_cast<float>(i);
        stars[i].spectrum[9] = static_cast<float>(random() % 40);
    }
    const GPUArray<Star> on = to_gpu(stars);
    const auto check = [&](const char* what, const SortSpec& spec, bool descending, const auto& before) {
        const SortKernel<Star> sorted(spec);
        for (const std::size_t rows : {std::size_t{1}, n}) {  // of one element each, whose order stays
            std::vector<Star> expected = stars;
            if (rows == 1) std::stable_sort(expected.begin(), expected.end(), before);
            const auto found = sorted(on.reshape({rows, n / rows}), {.descending = descending});
            CHECK_MESSAGE(bits_of(found.get()) == bits_of(expected), std::string(what), " in rows ", rows);
        }
        const auto places = sorted.argsort(on, {.descending = descending});
        CHECK_MESSAGE(bits_of(take(on, places).get()) == bits_of(sorted(on, {.descending = descending}).get()),
                      std::string(what), " by places");
    };
    check("member", {.key_expr = "a.cell"}, false, [](const Star& a, const Star& b) { return a.cell < b.cell; });
    check("expression", {.key_expr = "a.spectrum[9] - a.cell"}, true, [](const Star& a, const Star& b) {
        return a.spectrum[9] - static_cast<float>(a.cell) > b.spectrum[9] - static_cast<float>(b.cell);
    });
    check("comparison", {.less_expr = "a.spectrum[9] < b.spectrum[9]"}, false,
          [](const Star& a, const Star& b) { return a.spectrum[9] < b.spectrum[9]; });
    const GPUArray<std::int32_t> cells = to_gpu(counted(n)) % 97;
    const auto [sorted_cells, moved, masses] = sort_by_key({.descending = true}, cells, on, to_gpu(counted(n)));
    const auto expected = sorted_places<std::int32_t>(cells.get(), n, true);
    CHECK_SAME(sort(cells, {.descending = true}).get(), sorted_cells.get(), "keys");
    CHECK(bits_of(moved.get()) == bits_of(taken(stars, expected, n)));
    CHECK_SAME(taken(counted(n), expected, n), masses.get(), "values beside");
}

TEST_CASE("places by a comparison are those of a stable sort") {
    const SortKernel<std::int32_t> by_rest({.less_expr = "a % 10 < b % 10"});
    const Tuning blocks{.block = 32, .items_per_thread = 4};
    for (const Tuning& tuning : {Tuning{}, blocks})
        for (const auto& shape : {std::pair<std::size_t, std::size_t>{0, 3}, {1, 1}, {1, 129}, {1, 20011}, {5, 700}})
            for (const bool descending : {false, true}) {
                const auto rows = shape.first, length = shape.second;
                auto x = drawn<std::int32_t>(rows * length, 18, 0, 100000);
                std::vector<std::int32_t> rests = x;
                for (auto& rest : rests) rest %= 10;
                const GPUArray<std::int32_t> on = to_gpu(x).reshape({rows, length});
                CHECK_SAME(sorted_places<std::int32_t>(rests, length, descending),
                           by_rest.argsort(on, {.descending = descending, .tuning = tuning}).get(), rows, " x ",
                           length);
            }
    const GPUArray<std::int32_t> table = to_gpu(drawn<std::int32_t>(600, 19, 0, 1000)).reshape({20, 30});
    CHECK_SAME(by_rest.argsort(table, {.axis = 0}).transpose().copy().get(),
               by_rest.argsort(table.transpose(), {.axis = 1}).get(), "axis");
}

TEST_CASE("a comparison sorts arrays and rows of all lengths stably") {
    const SortKernel<std::int64_t> by_rest({.less_expr = "a % 100 < b % 100"});
    const Tuning blocks{.block = 32, .items_per_thread = 4};
    for (const Tuning& tuning : {Tuning{}, blocks})
        for (const auto& shape : {std::pair<std::size_t, std::size_t>{0, 3},
                                  {1, 1},
                                  {1, 127},
                                  {1, 128},
                                  {1, 129},
                                  {1, 20011},
                                  {40, 3},
                                  {5, 1000}}) {
            const auto rows = shape.first, length = shape.second;
            std::vector<std::int64_t> x(rows * length);
            std::mt19937 random(16);
            for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(100 * i + random() % 100);
            std::vector<std::int64_t> expected = x;
            for (std::size_t r = 0; r < rows; ++r)
                std::stable_sort(expected.begin() + static_cast<std::ptrdiff_t>(r * length),
                                 expected.begin() + static_cast<std::ptrdiff_t>((r + 1) * length),
                                 [](std::int64_t a, std::int64_t b) { return a % 100 < b % 100; });
            CHECK_SAME(expected, by_rest(to_gpu(x).reshape({rows, length}), {.tuning = tuning}).get(), rows, " x ",
                       length, " ", codegen::to_string(tuning));
        }
}

TEST_CASE("argsort of an array of rank 0 is a zero as in NumPy") {
    const GPUArray<std::int64_t> order = argsort(full<float>({}, 5), {.descending = true});
    CHECK(order.shape() == Shape{1});
    CHECK(order.get() == std::vector<std::int64_t>{0});
    CHECK_THROWS_WITH_AS(argsort(full<float>({}, 5), {.axis = 1}), doctest::Contains("axis 1"), ArgumentError);
}

TEST_CASE("keys and values are sorted into given arrays, and in place") {
    const std::vector<int> given{5, 1, 4, 1, 3, 9, 2, 6, 0, 7, 8, 1};
    const std::vector<float> numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    for (const Shape& shape : {Shape{12}, Shape{3, 4}}) {
        for (const int axis : {-1, 0}) {
            const auto fresh = [&] {
                return std::pair{to_gpu(given).reshape(shape).copy(), to_gpu(numbers).reshape(shape).copy()};
            };
            const auto [x, y] = fresh();
            const auto [keys, values] = sort_by_key({.axis = axis}, x, y);
            const GPUArray<int> a(current_context(), shape);
            const GPUArray<float> wide(current_context(), Shape{24});
            const GPUArray<float> b =
                shape.size() == 1 ? wide(slice({}, {}, 2)) : GPUArray<float>(current_context(), shape);
            const auto [same_a, same_b] = sort_by_key({.axis = axis, .outs = {a, b}}, x, y);
            CHECK(a.get() == keys.get());
            CHECK(b.get() == values.get());
            CHECK(AnyArray(same_a).is_view_of(a));
            CHECK(AnyArray(same_b).is_view_of(b));
            CHECK(x.get() == given);
            const auto [k, v] = fresh();
            sort_by_key({.axis = axis, .outs = {k, v}}, k, v);
            CHECK(k.get() == keys.get());
            CHECK(v.get() == values.get());
            // Results that change places with the inputs.
            const GPUArray<int> first = to_gpu(given).reshape(shape).copy(), second = first * 2 + 1;
            const auto [sorted_first, sorted_second] = sort_by_key({.axis = axis}, first, second);
            const auto before = sorted_second.get();
            sort_by_key({.axis = axis, .outs = {second, first}}, first, second);
            CHECK(second.get() == sorted_first.get());
            CHECK(first.get() == before);
        }
    }
    // Values that are gathered at the end.
    std::vector<science::Star> bodies(12);
    for (std::size_t k = 0; k < bodies.size(); ++k) bodies[k].cell = given[k];
    const GPUArray<int> k = to_gpu(given);
    const GPUArray<science::Star> stars = to_gpu(bodies);
    sort_by_key({.outs = {k, stars}}, k, stars);
    const auto sorted = k.get();
    CHECK(std::is_sorted(sorted.begin(), sorted.end()));
    const auto moved = stars.get();
    for (std::size_t j = 0; j < moved.size(); ++j) CHECK(moved[j].cell == sorted[j]);
}

TEST_CASE("results of sort_by_key need memory of their own") {
    const auto six = zeros<std::int32_t>({6});
    const GPUArray<std::int32_t> keys = to_gpu(std::vector<std::int32_t>{3, 1, 2}), values = 10 * keys;
    CHECK_THROWS_WITH_AS(sort_by_key({.outs = {six(slice(0, 3)), six(slice(2, 5))}}, keys, values),
                         doctest::Contains("sort_by_key: .outs[1] shares memory with .outs[0]"), ArgumentError);
    // Neither interleaved results nor windows side by side share any element.
    sort_by_key({.outs = {six(slice(0, {}, 2)), six(slice(1, {}, 2))}}, keys, values);
    CHECK(six.get() == std::vector<std::int32_t>{1, 10, 2, 20, 3, 30});
    const auto table = zeros<std::int32_t>({2, 6}), rows = keys.broadcast_to({2, 3}).copy();
    sort_by_key({.outs = {table(slice(), slice(3, 6)), table(slice(), slice(0, 3))}}, rows,
                GPUArray<std::int32_t>(10 * rows));
    CHECK(table.get() == std::vector<std::int32_t>{10, 20, 30, 1, 2, 3, 10, 20, 30, 1, 2, 3});
    CHECK_THROWS_WITH_AS(sort_by_key({.outs = {table(slice(), slice(2, 5)), table(slice(), slice(0, 3))}}, rows, rows),
                         doctest::Contains("shares memory"), ArgumentError);
}

TEST_CASE("what cannot be sorted is refused with the figures") {
    const GPUArray<float> x = zeros<float>({3, 4});
    const GPUArray<float> nothing;
    CHECK_THROWS_WITH_AS(sort(x, {.axis = 2}), doctest::Contains("axis 2 is out of range"), ArgumentError);
    CHECK_THROWS_WITH_AS(sort(x, {.axis = -3}), doctest::Contains("axis -3"), ArgumentError);
    CHECK_THROWS_WITH_AS(sort(sum(x)), doctest::Contains("sort: axis -1"), ArgumentError);
    CHECK_THROWS_WITH_AS(sort(nothing), doctest::Contains("empty handle"), ArgumentError);
    CHECK_THROWS_WITH_AS(sort(GPUArray<science::Body>(current_context(), Shape{2})), doctest::Contains("SortKernel"),
                         ArgumentError);
    CHECK_THROWS_WITH_AS(sort_by_key(x, zeros<int>({3, 5})),
                         doctest::Contains("the array of values 1 has the shape (3, 5), the keys have (3, 4)"),
                         ArgumentError);
    CHECK_THROWS_WITH_AS(sort(x, {.out = zeros<float>({12})}), doctest::Contains(".out has the shape"), ArgumentError);
    CHECK_THROWS_WITH_AS(argsort(x, {.out = x}), doctest::Contains(".out has elements of float"), ArgumentError);
    CHECK_THROWS_WITH_AS(sort(x, {.out = zeros<float>({4}).broadcast_to({3, 4})}), doctest::Contains("repeats"),
                         ArgumentError);
    CHECK_THROWS_WITH_AS(sort(x, {.outs = {x}}), doctest::Contains("sort: .outs is for sort_by_key"), ArgumentError);
    CHECK_THROWS_WITH_AS(sort_by_key({.out = x}, x, x), doctest::Contains("there are 2 results; give .outs"),
                         ArgumentError);
    CHECK_THROWS_WITH_AS(sort_by_key({.outs = {x}}, x, x), doctest::Contains(".outs has 1 array, expected 2"),
                         ArgumentError);
    CHECK_THROWS_WITH_AS(sort_by_key({.outs = {x, nothing}}, x, x), doctest::Contains(".outs[1] is an empty handle"),
                         ArgumentError);
    CHECK_THROWS_WITH_AS(sort_by_key({.outs = {x, zeros<int>({3, 4})}}, x, x),
                         doctest::Contains(".outs[1] has elements of int32"), ArgumentError);
    CHECK_THROWS_WITH_AS(lexsort(std::span<const AnyArray>()), doctest::Contains("there is no key"), ArgumentError);
    CHECK_THROWS_WITH_AS(lexsort({zeros<float>({})}), doctest::Contains("no axis"), ArgumentError);
    CHECK_THROWS_WITH_AS(lexsort({x}, 7), doctest::Contains("axis 7"), ArgumentError);
    CHECK_THROWS_WITH_AS(sort_segments(x.ravel(), zeros<float>({2})), doctest::Contains("integers"), ArgumentError);
    CHECK_THROWS_WITH_AS(SortKernel<science::Body>({}), doctest::Contains("give one of the two"), ArgumentError);
    CHECK_THROWS_WITH_AS(SortKernel<science::Body>({.key_expr = "a.x", .less_expr = "a.x < b.x"}),
                         doctest::Contains("both"), ArgumentError);
    CHECK_THROWS_WITH_AS(SortKernel<science::Body>({.key_expr = "cell"}),
                         doctest::Contains("does not name the element"), ArgumentError);
    CHECK_THROWS_WITH_AS(SortKernel<science::Body>({.less_expr = "a.x < 3"}),
                         doctest::Contains("does not name the element b"), ArgumentError);
    CHECK_THROWS_WITH_AS(SortKernel<science::Body>({.key_expr = "a.cell", .key_bits = 65}),
                         doctest::Contains("key_bits is 65"), ArgumentError);
    // The low bits of a float are no number.
    CHECK_THROWS_WITH_AS(SortKernel<science::Body>({.key_expr = "a.x", .key_bits = 8}),
                         doctest::Contains("key_bits is 8, but the key \"a.x\" is of float"), ArgumentError);
    CHECK_THROWS_WITH_AS(SortKernel<science::Body>({.key_expr = "a.weight", .key_bits = 8}),
                         doctest::Contains("is of float16_t"), ArgumentError);
    CHECK_THROWS_WITH_AS(SortKernel<science::Body>({.less_expr = "a.x < b.x", .name = "by x"}),
                         doctest::Contains("the name"), ArgumentError);
    const SortKernel<science::Body> wrong({.less_expr = "a.x < b.mass"});
    const GPUArray<science::Body> bodies(current_context(), Shape{4});
    CHECK_THROWS_AS(wrong(bodies), CompileError);
    // The context is usable afterwards.
    CHECK(sort(to_gpu(std::vector<int>{2, 1})).get() == std::vector<int>{1, 2});
}

TEST_SUITE_END();
