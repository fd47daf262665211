/// Slices and indices against Python's.
#include <gemel/arrays/slice.hpp>
#include <gemel/core/error.hpp>

#include "array/layout.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace gemel;

namespace {

std::vector<std::int64_t> positions(const Slice& slice, std::int64_t extent) {
    const SliceRange range = resolve(slice, extent);
    std::vector<std::int64_t> result;
    for (std::int64_t k = 0; k < range.count; ++k) result.push_back(range.start + k * range.step);
    return result;
}

struct Case {
    std::int64_t extent;
    Slice slice;
    std::vector<std::int64_t> expected;
};

/// What CPython 3.11 gives for list(range(extent)[slice]).
const Case cases[] = {
    {1, slice(4, INT64_MAX, 1), {}},
    {4, slice(-100, 1, 100), {0}},
    {5, slice(5, 0, 3), {}},
    {0, slice(1, {}, -3), {}},
    {5, slice(4, 100, {}), {4}},
    {5, slice(-4, 6, 3), {1, 4}},
    {0, slice(INT64_MIN, -1, {}), {}},
    {0, slice({}, 5, -100), {}},
    {0, slice(INT64_MIN, 0, INT64_MIN), {}},
    {1, slice(0, 6, {}), {0}},
    {1, slice(100, 1, 100), {}},
    {1, slice(-1, -5, INT64_MIN), {0}},
    {1, slice(100, 1, -1), {}},
    {0, slice(0, INT64_MAX, -100), {}},
    {0, slice(-6, 5, -1), {}},
    {0, slice(6, -1, -100), {}},
    {5, slice(3, INT64_MAX, INT64_MIN), {}},
    {1, slice(-4, -4, INT64_MAX), {}},
    {5, slice(INT64_MAX, 3, -3), {4}},
    {0, slice(1, -5, -3), {}},
    {5, slice(5, -6, -2), {4, 2, 0}},
    {4, slice(-100, 1, INT64_MIN), {}},
    {0, slice(100, -6, -100), {}},
    {5, slice(-1, 1, {}), {}},
    {5, slice({}, -4, INT64_MAX), {0}},
    {5, slice(5, -6, 2), {}},
    {1, slice({}, 100, 3), {0}},
    {1, slice(0, 3, -2), {}},
    {4, slice(1, INT64_MIN, -1), {1, 0}},
    {0, slice(0, 100, -100), {}},
    {1, slice(3, 100, -100), {}},
    {1, slice(0, {}, 100), {0}},
    {4, slice(4, 3, 3), {}},
    {5, slice(1, INT64_MAX, -2), {}},
    {5, slice(-1, {}, -100), {4}},
    {4, slice(1, 4, {}), {1, 2, 3}},
    {1, slice(5, -6, -100), {0}},
    {1, slice(INT64_MAX, -100, -100), {0}},
    {4, slice({}, INT64_MAX, INT64_MIN), {}},
    {0, slice(-100, INT64_MAX, {}), {}},
    {5, slice({}, 100, -1), {}},
    {1, slice(-4, -100, INT64_MAX), {}},
    {1, slice(-1, -4, 1), {}},
    {1, slice(-6, -4, -100), {}},
    {1, slice(5, -4, INT64_MIN), {0}},
    {4, slice(1, 6, -2), {}},
    {5, slice(1, -100, {}), {}},
    {4, slice(0, -1, -3), {}},
    {1, slice(-4, -100, -1), {}},
    {1, slice(4, 0, {}), {}},
    {1, slice({}, 0, 2), {}},
    {0, slice(6, -6, 100), {}},
    {5, slice(3, INT64_MAX, 3), {3}},
    {5, slice(-5, 3, INT64_MIN), {}},
    {0, slice(0, 5, INT64_MAX), {}},
    {4, slice(5, 5, -3), {}},
    {0, slice(6, -4, 2), {}},
    {1, slice(INT64_MIN, {}, -1), {}},
    {0, slice(INT64_MAX, -100, -1), {}},
    {4, slice(6, -6, -3), {3, 0}},
};

template <class... I>
Layout view(const Layout& from, const I&... indices) {
    const std::array<Index, sizeof...(I)> packed{Index(indices)...};
    return indexed(from, packed);
}

std::string message_of(const auto& call) {
    try {
        call();
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return {};
}

bool mentions(const std::string& message, const std::string& word) { return message.find(word) != std::string::npos; }

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("slices give the elements that Python's give") {
    for (const Case& c : cases) {
        INFO(to_string(c.slice), " of ", c.extent);
        CHECK(positions(c.slice, c.extent) == c.expected);
    }
}

TEST_CASE("slices of small arrays agree with walking along them") {
    // By definition: go from start in steps while before stop, and keep what lies inside; bounds that lie outside are
    // moved to the end first, as Python does.
    const auto walk = [](std::optional<int> start, std::optional<int> stop, int step, int n) {
        const auto bound = [&](std::optional<int> b, int otherwise) {
            if (!b) return otherwise;
            const int value = *b < 0 ? *b + n : *b;
            if (value < 0) return step < 0 ? -1 : 0;
            if (value >= n) return step < 0 ? n - 1 : n;
            return value;
        };
        const int first = bound(start, step < 0 ? n - 1 : 0), end = bound(stop, step < 0 ? -1 : n);
        std::vector<std::int64_t> result;
        for (int i = first; step < 0 ? i > end : i < end; i += step) result.push_back(i);
        return result;
    };
    std::vector<std::optional<int>> bounds{std::nullopt};
    for (int b = -7; b <= 7; ++b) bounds.emplace_back(b);
    for (int n = 0; n <= 5; ++n)
        for (const auto& start : bounds)
            for (const auto& stop : bounds)
                for (const int step : {-7, -3, -2, -1, 1, 2, 3, 7})
                    REQUIRE(positions(slice(start, stop, step), n) == walk(start, stop, step, n));
}

TEST_CASE("slices are written as in Python") {
    CHECK(slice(5) == slice({}, 5));
    CHECK(slice() == slice({}, {}));
    CHECK(slice(1, {}, 2) == Slice{.start = 1, .step = 2});
    CHECK(slice(std::size_t{2}, std::optional<int>{}) == slice(2, {}));
    CHECK(to_string(slice(1, {}, 2)) == "1::2");
    CHECK(to_string(slice({}, {}, -1)) == "::-1");
    CHECK(to_string(slice(0, 4)) == "0:4");
    CHECK(resolve(slice(0, ~std::uint64_t{0}), 5) == SliceRange{0, 5, 1});  // clamped, not wrapped around
    CHECK(mentions(message_of([] { (void)resolve(slice(0, 1, 0), 5); }), "step"));
}

TEST_CASE("integers take their axis away and slices keep it") {
    const Layout a{Shape{2, 3, 4}, Strides{12, 4, 1}, 0};
    const Layout row = view(a, 1, -1);
    CHECK(row.shape == Shape{4});
    CHECK(row.offset == 20);
    const Layout part = view(a, slice(), 1, slice({}, {}, -2));
    CHECK(part.shape == Shape{2, 2});
    CHECK(part.strides == Strides{12, -2});
    CHECK(part.offset == 7);
    CHECK(view(a).shape == a.shape);
    CHECK(view(a, 0, 0, 0).shape == Shape{});
    CHECK(view(a, slice(5, 2)).shape == Shape{0, 3, 4});
    CHECK(view(a, slice(5, 2)).offset == 0);
}

TEST_CASE("an ellipsis stands for the axes that are not named") {
    const Layout a{Shape{2, 3, 4}, Strides{12, 4, 1}, 0};
    CHECK(view(a, ellipsis, 1).shape == Shape{2, 3});
    CHECK(view(a, 1, ellipsis).shape == Shape{3, 4});
    CHECK(view(a, 1, ellipsis, 1).shape == Shape{3});
    CHECK(view(a, 1, 1, 1, ellipsis).shape == Shape{});
    CHECK(view(a, newaxis, ellipsis, newaxis, 1).shape == Shape{1, 2, 3, 1});
    CHECK(view(Layout{Shape{}, Strides{}, 0}, newaxis, ellipsis).shape == Shape{1});
}

TEST_CASE("indices that cannot be are refused with the figures") {
    const Layout a{Shape{1000, 3}, Strides{3, 1}, 0};
    const std::string message = message_of([&] { (void)view(a, 5000); });
    CHECK(mentions(message, "5000"));
    CHECK(mentions(message, "1000"));
    CHECK(mentions(message_of([&] { (void)view(a, 0, -4); }), "-4"));
    CHECK(mentions(message_of([&] { (void)view(a, 0, 0, 0); }), "(1000, 3)"));
    CHECK(mentions(message_of([&] { (void)view(a, ellipsis, ellipsis); }), "ellipsis"));
    CHECK(view(a, slice(0, 2000)).shape == Shape{1000, 3});
    CHECK(!message_of([] { (void)view(Layout{Shape{}, Strides{}, 0}, 0); }).empty());
}
