/// Masks: what they select, what is written through them, where they hold.
#include "array_support.hpp"
#include "generator_support.hpp"

#include <gemel/core/text.hpp>

using namespace gemel;
using namespace gemel::testing;

namespace science {
struct Event {
    float energy;
    std::int32_t channel;
    std::int32_t run;
};
GEMEL_STRUCT(Event, energy, channel, run)
}  // namespace science

namespace {

using Ints = std::vector<std::int32_t>;
using Longs = std::vector<std::int64_t>;

std::vector<std::uint8_t> random_mask(std::size_t n, unsigned one_in, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> mask(n);
    for (auto& m : mask) m = random() % one_in == 0;
    return mask;
}

/// Every layout is one variant more to compile.
template <class T>
void check_masks(const char* what,
                 const std::vector<std::pair<Form, Form>>& layouts = {{Form::C, Form::C}, {Form::strided, Form::F}}) {
    for (const Shape& shape : {Shape{4, 3, 5}, Shape{2000}})
        for (const auto& layout : layouts) {
            const Form form = layout.first, mask_form = layout.second;
            const std::size_t n = shape.count();
            GPUArray<T> x;
            const auto values = fill_in<T>(form, shape, x, small_values<T>(n, 1));
            GPUArray<bool> mask;
            const auto holds = fill_in<bool>(mask_form, shape, mask, random_mask(n, 3, 2));
            std::vector<HostElement<T>> selected;
            for (std::size_t i = 0; i < n; ++i)
                if (holds[i]) selected.push_back(values[i]);
            CHECK_SAME(selected, compress(x, mask).get(), "compress ", what, " ", name_of(form), " ",
                       name_of(mask_form));
            if (form == Form::broadcast) continue;
            // Through the mask: one each, fewer, one after the other.
            const auto given = small_values<T>(n, 9);
            const GPUArray<T> each(current_context(), shape);
            each.set(given);
            auto expected = values;
            for (std::size_t i = 0; i < n; ++i)
                if (holds[i]) expected[i] = given[i];
            put_mask(x, mask, each);
            CHECK_SAME(expected, x.get(), "put_mask ", what, " ", name_of(form), " ", name_of(mask_form));
            const GPUArray<T> row = each.ravel()(slice(7));
            for (std::size_t i = 0; i < n; ++i)
                if (holds[i]) expected[i] = given[i % 7];
            put_mask(x, mask, row);
            CHECK_SAME(expected, x.get(), "put_mask of seven ", what, " ", name_of(form));
            std::size_t next = 0;
            for (std::size_t i = 0; i < n; ++i)
                if (holds[i]) expected[i] = given[2 * (next++ % 6)];
            place(x, mask, each.ravel()(slice(0, 12, 2)));
            CHECK_SAME(expected, x.get(), "place ", what, " ", name_of(form), " ", name_of(mask_form));
        }
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("masks select and are written through for every element type") {
    check_masks<std::int8_t>("int8");
    check_masks<bool>("bool");
    check_masks<half>("half");
    std::vector<std::pair<Form, Form>> layouts;
    for (const Form form : forms) layouts.emplace_back(form, layouts.size() % 2 ? Form::C : Form::reversed);
    check_masks<float>("float", layouts);
    check_masks<cfloat>("cfloat");
    if (!lacks_double()) check_masks<double>("double");
}

TEST_CASE("expressions are masks") {
    const auto x = counted({3, 4});
    CHECK(compress(x, x % 3 == 1).get() == Ints{1, 4, 7, 10});
    CHECK(compress(2 * x, (x > 2) & (x < 6)).get() == Ints{6, 8, 10});
    put_mask(x, x > 6, 0);
    CHECK(x.get() == Ints{0, 1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0});
    put_mask(x, x == 0, -x - 1);
    CHECK(x.get() == Ints{-1, 1, 2, 3, 4, 5, 6, -1, -1, -1, -1, -1});
    place(x, x < 0, to_gpu(Ints{7, 8, 9}));
    CHECK(x.get() == Ints{7, 1, 2, 3, 4, 5, 6, 8, 9, 7, 8, 9});
}

TEST_CASE("many elements keep their order") {
    for (const std::size_t n : {1, 255, 1025, 100003}) {
        const auto holds = random_mask(n, 4, 3);
        Ints expected;
        for (std::size_t i = 0; i < n; ++i)
            if (holds[i]) expected.push_back(static_cast<std::int32_t>(i));
        const auto mask = placed<bool>(holds, 1);
        CHECK_SAME(expected, compress(counted({n}), mask).get(), n);
        CHECK_SAME(Longs(expected.begin(), expected.end()), flatnonzero(mask).get(), n);
    }
}

TEST_CASE("a mask of the first axes selects rows") {
    const auto x = counted({3, 4});
    const auto rows = to_gpu(std::vector<bool>{true, false, true});
    CHECK(compress(x, rows).shape() == Shape{2, 4});
    CHECK(compress(x, rows).get() == Ints{0, 1, 2, 3, 8, 9, 10, 11});
    const auto cube = counted({2, 3, 2}).permute({2, 1, 0});
    const auto two = to_gpu(std::vector<bool>{false, true, false, false, true, true}, {2, 3});
    CHECK(compress(cube, two).get() == Ints{2, 8, 3, 9, 5, 11});
    CHECK(compress(x, to_gpu(std::vector<bool>{true})(0)).shape() == Shape{1, 3, 4});
    CHECK(compress(x, to_gpu(std::vector<bool>{false})(0)).shape() == Shape{0, 3, 4});
}

TEST_CASE("a mask along an axis may be short") {
    const auto x = counted({3, 4});
    CHECK(compress(x, to_gpu(std::vector<bool>{false, true, true}), 1).get() == Ints{1, 2, 5, 6, 9, 10});
    CHECK(compress(x, to_gpu(std::vector<bool>{false, true}), -2).get() == Ints{4, 5, 6, 7});
    CHECK(compress(x, zeros<bool>({0}), 0).shape() == Shape{0, 4});
    CHECK_THROWS_MENTIONING(ArgumentError, compress(x, zeros<bool>({5}), 1), "(5,)", "(3, 4)");
    CHECK_THROWS_AS(compress(x, zeros<bool>({3}), 2), ArgumentError);
}

TEST_CASE("places of what is not zero") {
    const auto x = to_gpu(std::vector<float>{0, 2, 0, -1, 0, 0.5f}, {2, 3});
    CHECK(flatnonzero(x).get() == Longs{1, 3, 5});
    const auto axes = nonzero(x);
    REQUIRE(axes.size() == 2);
    CHECK(axes[0].get() == Longs{0, 1, 1});
    CHECK(axes[1].get() == Longs{1, 0, 2});
    CHECK(nonzero(counted({2, 2, 2}) > 4)[1].get() == Longs{0, 1, 1});
    CHECK(nonzero(x.transpose())[0].get() == Longs{0, 1, 2});
    CHECK(nonzero(counted({3}))[0].get() == Longs{1, 2});
    CHECK(flatnonzero(to_gpu(std::vector<cfloat>{{0, 0}, {0, 1}})).get() == Longs{1});
    CHECK(flatnonzero(counted({2})(1)).get() == Longs{0});
    CHECK(nonzero(zeros<float>({2, 0, 3})).size() == 3);
    CHECK(nonzero(zeros<float>({2, 2}))[1].size() == 0);
    CHECK_THROWS_MENTIONING(ArgumentError, nonzero(counted({2})(1)), "item()");
}

TEST_CASE("structs go through masks") {
    std::vector<science::Event> events;
    for (int k = 0; k < 9; ++k) events.push_back({0.5f * static_cast<float>(k), k, -k});
    const auto x = to_gpu(events, {3, 3});
    const auto mask = counted({3, 3}) % 4 == 0;
    const auto selected = compress(x.transpose(), mask).get();
    REQUIRE(selected.size() == 3);
    CHECK(selected[1].channel == 4);
    CHECK(selected[2].energy == 4.0f);
    put_mask(x, mask, science::Event{1, 77, 3});
    CHECK(x(1, 1).item().channel == 77);
    CHECK(x(1, 2).item().channel == 5);
    place(x, mask, to_gpu(events)(slice(1, 3)));
    CHECK(x(2, 2).item().channel == 1);
}

TEST_CASE("values may lie in what is written") {
    const auto x = counted({6});
    put_mask(x(slice(1, {})), zeros<bool>({5}) == false, x(slice(-1)));
    CHECK(x.get() == Ints{0, 0, 1, 2, 3, 4});
    place(x, x > 0, x(slice({}, {}, -1)));
    CHECK(x.get() == Ints{0, 0, 4, 3, 2, 1});
}

TEST_CASE("writing through masks waits for nothing") {
    const auto x = counted({1000});
    const auto mask = (x % 2 == 0).eval();
    const auto values = counted({10});
    put_mask(x, mask, 1);
    place(x, mask, values);
    const auto before = current_context().statistics();
    put_mask(x, mask, 2);
    put_mask(x, mask, values);
    place(x, mask, values);
    const auto after = current_context().statistics();
    CHECK(after.downloaded_bytes == before.downloaded_bytes);
}

TEST_CASE("masks that do not fit are refused") {
    const auto x = counted({3, 4});
    CHECK_THROWS_MENTIONING(ArgumentError, compress(x, zeros<bool>({4})), "(4,)", "(3, 4)", "first axes");
    CHECK_THROWS_MENTIONING(ArgumentError, compress(x, zeros<bool>({3, 4, 1})), "(3, 4, 1)");
    CHECK_THROWS_MENTIONING(ArgumentError, put_mask(x, zeros<bool>({4}), 1), "(4,)", "broadcast_to");
    CHECK_THROWS_MENTIONING(ArgumentError, put_mask(x, x > 1, zeros<std::int32_t>({0})), "at least one value");
    CHECK_THROWS_MENTIONING(ArgumentError, place(x, x > 1, zeros<std::int32_t>({0})), "at least one value");
    CHECK_THROWS_MENTIONING(ArgumentError, compress(static_cast<const AnyArray&>(x), static_cast<const AnyArray&>(x)),
                            "int32_t", "bool");
    CHECK_THROWS_MENTIONING(ArgumentError, put_mask(x(0).broadcast_to({2, 4}), zeros<bool>({2, 4}), 1), "repeats");
    const Context other(x.context().device());
    CHECK_THROWS_MENTIONING(ArgumentError, compress(x, zeros<bool>(other, {3, 4})), "context");
    CHECK(compress(zeros<float>({0, 3}), zeros<bool>({0, 3})).shape() == Shape{0});
    put_mask(zeros<float>({0}), zeros<bool>({0}), 1);
    CHECK(compress(x, zeros<bool>({3, 4})).shape() == Shape{0});
}

TEST_CASE("values written through masks are converted within their kind") {
    const auto x = zeros<float>({4});
    const auto mask = to_gpu(std::vector<bool>{true, false, true, true});
    put_mask(x, mask, counted<std::int16_t>({4}) + 1);
    CHECK(x.get() == std::vector<float>{1, 0, 3, 4});
    place(x, mask, counted<std::int64_t>({2}) + 5);
    CHECK(x.get() == std::vector<float>{5, 0, 6, 5});
    place(x, x > 5, 2.5);
    CHECK(x.get() == std::vector<float>{5, 0, 2.5, 5});
    const auto n = counted<std::int8_t>({4});
    place(n, mask, AnyArray(counted<std::int64_t>({3}) + 7));
    CHECK(n.get() == std::vector<std::int8_t>{7, 1, 8, 9});
    put_mask(AnyArray(n), mask, 3);
    place(AnyArray(n), to_gpu(std::vector<bool>{false, true, false, false}), 4);
    CHECK(n.get() == std::vector<std::int8_t>{3, 4, 3, 3});
    const AnyArray any_mask = mask;
    put_mask(n, any_mask, 5);
    CHECK(n.get() == std::vector<std::int8_t>{5, 4, 5, 5});
    place(n, any_mask, 6);
    CHECK(n.get() == std::vector<std::int8_t>{6, 4, 6, 6});
    CHECK_THROWS_MENTIONING(ArgumentError, put_mask(n, mask, AnyArray(x)), "put_mask", "float", "int8_t", "astype");
    CHECK_THROWS_MENTIONING(ArgumentError, place(n, mask, AnyArray(x)), "place", "float", "int8_t", "astype");
    CHECK_THROWS_MENTIONING(ArgumentError, put_mask(AnyArray(n), mask, 300), "put_mask", "300", "int8_t");
    CHECK_THROWS_MENTIONING(ArgumentError, place(AnyArray(n), mask, 300), "place", "300", "int8_t");
    CHECK_THROWS_MENTIONING(ArgumentError, place(n, zeros<bool>({3}), 1), "place: the mask has shape (3,)");
}

TEST_CASE("places along many axes are found") {
    Shape shape;
    while (shape.rank() < 30) shape.push_back(shape.rank() % 3 == 0 ? 2 : 1);
    const auto x = zeros<float>(shape);
    put(x, to_gpu(std::vector<std::int32_t>{5, 1022}), 1);  // 0000000101 and 1111111110 in the ten axes of extent 2
    const auto found = nonzero(x);
    REQUIRE(found.size() == 30);
    for (std::int64_t axis = 0; axis < 30; ++axis) {
        const std::int64_t bit = axis % 3 == 0 ? 9 - axis / 3 : 10;
        CHECK(found[static_cast<std::size_t>(axis)].get() == std::vector<std::int64_t>{5 >> bit & 1, 1022 >> bit & 1});
    }
}

TEST_CASE("elements that are no numbers are never zero") {
    const AnyArray points(current_context(), dtype_of<float4>(), Shape{2, 2});
    CHECK_THROWS_MENTIONING(ArgumentError, nonzero(points), "nonzero: ", "float4");
    CHECK_THROWS_MENTIONING(ArgumentError, flatnonzero(points), "flatnonzero: ", "float4");
}

TEST_SUITE_END();
