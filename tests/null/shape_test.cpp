/// Shapes, strides, and the arithmetic of layouts.
#include <gemel/arrays/host_view.hpp>
#include <gemel/arrays/shape.hpp>
#include <gemel/core/error.hpp>

#include "array/layout.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

using namespace gemel;

namespace {

std::string message_of(const auto& call) {
    try {
        call();
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return {};
}

bool mentions(const std::string& message, const std::string& word) { return message.find(word) != std::string::npos; }

Layout contiguous(const Shape& shape, Order order = Order::C) { return {shape, contiguous_strides(shape, order), 0}; }

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("shapes take any integers and refuse those beyond 63 bits") {
    CHECK(Shape{std::int8_t{3}, std::uint64_t{4}, 5L}.count() == 60);
    CHECK(Shape{}.count() == 1);
    CHECK(Shape{3, 0, 5}.count() == 0);
    CHECK(mentions(message_of([] { (void)Shape{~std::uint64_t{0}}; }), "18446744073709551615"));
    CHECK(mentions(message_of([] { (void)Shape{2, -3}.count(); }), "(2, -3)"));
    CHECK(!message_of([] { (void)Shape{std::int64_t{1} << 40, std::int64_t{1} << 40}.count(); }).empty());
    CHECK(!message_of([] { (void)Shape{std::int64_t{1} << 40, 0, std::int64_t{1} << 40}.count(); }).empty());
}

TEST_CASE("shapes grow and shrink across their inline size") {
    Shape shape;
    for (int i = 0; i < 20; ++i) shape.push_back(i + 1);
    CHECK(shape.size() == 20);
    for (int i = 0; i < 20; ++i) CHECK(shape[i] == i + 1);
    shape.insert(3, 99);
    CHECK(shape[3] == 99);
    CHECK(shape[4] == 4);
    shape.erase(3);
    while (shape.size() > 5) shape.erase(0);
    CHECK(shape == Shape{16, 17, 18, 19, 20});
    shape.resize(7, -1);
    CHECK(shape == Shape{16, 17, 18, 19, 20, -1, -1});
}

TEST_CASE("moving leaves an empty shape behind") {
    for (const int rank : {1, 8, 9, 30}) {
        Shape shape;
        for (int i = 0; i < rank; ++i) shape.push_back(i);
        const Shape kept = shape;
        Shape moved = std::move(shape);
        CHECK(moved == kept);
        CHECK(shape.empty());  // NOLINT: this is what is tested
        shape = std::move(moved);
        CHECK(shape == kept);
        CHECK(moved.empty());  // NOLINT
        CHECK(moved.begin() == moved.end());
    }
}

TEST_CASE("shapes print as Python tuples") {
    CHECK(to_string(Shape{}) == "()");
    CHECK(to_string(Shape{5}) == "(5,)");
    std::ostringstream out;
    out << Shape{3, 4};
    CHECK(out.str() == "(3, 4)");
}

TEST_CASE("contiguity ignores extents of one and empty arrays") {
    CHECK(contiguous_strides(Shape{2, 3, 4}) == Strides{12, 4, 1});
    CHECK(contiguous_strides(Shape{2, 3, 4}, Order::F) == Strides{1, 2, 6});
    CHECK(is_contiguous(Shape{1, 3, 1}, Strides{77, 1, -5}));
    CHECK(is_contiguous(Shape{1, 3, 1}, Strides{77, 1, -5}, Order::F));
    CHECK(is_contiguous(Shape{3, 0}, Strides{5, 5}));
    CHECK(!is_contiguous(Shape{3, 2}, Strides{1, 3}));
    CHECK(is_contiguous(Shape{3, 2}, Strides{1, 3}, Order::F));
    CHECK(!is_contiguous(Shape{3}, Strides{-1}));
    CHECK(is_contiguous(Shape{}, Strides{}));
}

TEST_CASE("shapes broadcast from their last axis") {
    CHECK(broadcast_shape(Shape{3, 1}, Shape{4}) == Shape{3, 4});
    CHECK(broadcast_shape(Shape{}, Shape{2, 2}) == Shape{2, 2});
    CHECK(broadcast_shape(Shape{0}, Shape{1}) == Shape{0});
    CHECK(broadcast_shape(Shape{5, 1, 7}, Shape{6, 1}) == Shape{5, 6, 7});
    const std::string message = message_of([] { (void)broadcast_shape(Shape{3, 2}, Shape{3}); });
    CHECK(mentions(message, "(3, 2)"));
    CHECK(mentions(message, "(3,)"));
    CHECK(!message_of([] { (void)broadcast_shape(Shape{0}, Shape{2}); }).empty());
}

TEST_CASE("reshaping finds a view exactly where NumPy does") {
    CHECK(reshaped(contiguous(Shape{2, 3, 4}), Shape{6, 4}, Order::C)->strides == Strides{4, 1});
    CHECK(reshaped(contiguous(Shape{2, 3, 4}), Shape{4, 3, 2}, Order::C)->strides == Strides{6, 2, 1});
    // Rows with gaps can be split, not joined.
    const Layout rows{Shape{4, 6}, Strides{10, 1}, 0};
    CHECK(reshaped(rows, Shape{2, 2, 3, 2}, Order::C)->strides == Strides{20, 10, 2, 1});
    CHECK(!reshaped(rows, Shape{24}, Order::C));
    CHECK(!reshaped(rows, Shape{6, 4}, Order::C));
    // Backwards, every other, repeated.
    CHECK(reshaped(Layout{Shape{12}, Strides{-2}, 22}, Shape{3, 4}, Order::C)->strides == Strides{-8, -2});
    CHECK(reshaped(Layout{Shape{4, 6}, Strides{0, 0}, 0}, Shape{24}, Order::C)->strides == Strides{0});
    CHECK(!reshaped(contiguous(Shape{2, 3}, Order::F), Shape{6}, Order::C));
    CHECK(reshaped(contiguous(Shape{2, 3}, Order::F), Shape{6}, Order::F)->strides == Strides{1});
    CHECK(reshaped(contiguous(Shape{2, 3}), Shape{1, 2, 1, 3, 1}, Order::C).has_value());
    CHECK(reshaped(Layout{Shape{1, 1}, Strides{7, 9}, 0}, Shape{}, Order::C).has_value());
    CHECK(reshaped(Layout{Shape{0, 3}, Strides{7, 9}, 0}, Shape{5, 0}, Order::C)->strides == Strides{1, 1});
}

TEST_CASE("an open extent is what is left and there is one at most") {
    CHECK(completed(Shape{-1}, Shape{2, 3}) == Shape{6});
    CHECK(completed(Shape{2, -1, 2}, Shape{8}) == Shape{2, 2, 2});
    CHECK(completed(Shape{0}, Shape{3, 0}) == Shape{0});
    CHECK(completed(Shape{-1, 3}, Shape{0, 3}) == Shape{0, 3});
    const std::string message = message_of([] { (void)completed(Shape{3, 4}, Shape{10}); });
    CHECK(mentions(message, "10"));
    CHECK(mentions(message, "12"));
    CHECK(mentions(message_of([] { (void)completed(Shape{-1, 4}, Shape{10}); }), "10"));
    CHECK(mentions(message_of([] { (void)completed(Shape{-1, -1}, Shape{10}); }), "one"));
    CHECK(!message_of([] { (void)completed(Shape{-1, 0}, Shape{0}); }).empty());
    CHECK(!message_of([] { (void)completed(Shape{-2}, Shape{2}); }).empty());
}

TEST_CASE("layouts join into the fewest axes") {
    const Layout a = contiguous(Shape{2, 3, 4});
    CHECK(merge_axes(a, a).shape == Shape{24});
    CHECK(merge_axes(permuted(a, {2, 0, 1}), permuted(a, {2, 0, 1})).shape == Shape{24});
    const MergedLayouts transposed = merge_axes(a, Layout{Shape{2, 3, 4}, Strides{1, 2, 6}, 0});
    CHECK(transposed.shape == Shape{2, 3, 4});
    // Backwards in both: forwards from the other end.
    const MergedLayouts backwards = merge_axes(Layout{Shape{5}, Strides{-1}, 4}, Layout{Shape{5}, Strides{-2}, 8});
    CHECK(backwards.to == Strides{1});
    CHECK(backwards.to_offset == 0);
    CHECK(backwards.from == Strides{2});
    CHECK(backwards.from_offset == 0);
    CHECK(merge_axes(contiguous(Shape{}), contiguous(Shape{})).shape == Shape{});
}

TEST_CASE("arrays without gaps are recognised in any order of axes") {
    CHECK(dense_range(contiguous(Shape{3, 4}, Order::F)).dense);
    CHECK(dense_range(permuted(contiguous(Shape{2, 3, 4}), {1, 2, 0})).dense);
    const DenseRange backwards = dense_range(Layout{Shape{3, 4}, Strides{-4, 1}, 8});
    CHECK(backwards.dense);
    CHECK(backwards.first == -8);
    CHECK(!dense_range(Layout{Shape{3, 4}, Strides{8, 1}, 0}).dense);
    CHECK(!dense_range(Layout{Shape{3, 4}, Strides{0, 1}, 0}).dense);
    CHECK(strides_like(Shape{2, 3, 4}, Strides{1, 8, 2}) == Strides{1, 8, 2});
    CHECK(strides_like(Shape{3, 4}, Strides{-4, 1}) == Strides{4, 1});
    CHECK(strides_like(Shape{3, 4}, Strides{1, -3}) == Strides{1, 3});
    CHECK(strides_like(Shape{3, 4}, Strides{8, 2}) == Strides{4, 1});
}

TEST_CASE("diagonals of any offset and axes stay inside") {
    const Layout a = contiguous(Shape{3, 4});
    CHECK(diagonal_of(a, 0, 0, 1).shape == Shape{3});
    CHECK(diagonal_of(a, 0, 0, 1).strides == Strides{5});
    CHECK(diagonal_of(a, 2, 0, 1).shape == Shape{2});
    CHECK(diagonal_of(a, 2, 0, 1).offset == 2);
    CHECK(diagonal_of(a, -1, 0, 1).offset == 4);
    CHECK(diagonal_of(a, 4, 0, 1).shape == Shape{0});
    CHECK(diagonal_of(a, std::numeric_limits<std::int64_t>::min(), 0, 1).shape == Shape{0});
    CHECK(diagonal_of(a, std::numeric_limits<std::int64_t>::max(), 0, 1).shape == Shape{0});
    CHECK(diagonal_of(a, 1, 1, 0).offset == 4);
    CHECK(diagonal_of(contiguous(Shape{2, 3, 4}), 0, -1, 0).shape == Shape{3, 2});
    CHECK(!message_of([&] { (void)diagonal_of(a, 0, 1, 1); }).empty());
    CHECK(!message_of([&] { (void)diagonal_of(a, 0, 0, 2); }).empty());
    CHECK(!message_of([] { (void)diagonal_of(contiguous(Shape{3}), 0, 0, 1); }).empty());
}

TEST_CASE("extents and steps that 64 bits cannot multiply are refused or lie nowhere") {
    constexpr std::int64_t huge = std::int64_t{1} << 62, most = std::numeric_limits<std::int64_t>::max(),
                           least = std::numeric_limits<std::int64_t>::min();
    CHECK(message_of([&] { (void)contiguous_strides(Shape{4, huge, 4}); }).find("64 bits") != std::string::npos);
    CHECK(message_of([&] { (void)contiguous_strides(Shape{0, huge, 4}); }).find("64 bits") != std::string::npos);
    CHECK(!is_contiguous(Shape{4, huge, 4}, Strides{most, 4, 1}));
    CHECK(is_contiguous(Shape{4, huge, 0}, Strides{most, 4, 1}));
    const ElementBounds far = element_bounds(Shape{3, 3, 2}, Strides{most, least, most});
    CHECK(far.highest == __int128{most} * 3);
    CHECK(far.lowest == __int128{least} * 2);
    CHECK(element_bounds(Shape{3, 3}, Strides{-2, 5}).lowest == -4);
    CHECK(element_bounds(Shape{1, 1}, Strides{most, least}).highest == 0);
    float from[4] = {1, 2, 3, 4}, to[4] = {};
    // One step further than the last element nothing is multiplied, and along one element no step is made.
    gather(to, from, Shape{1, 4}, Strides{most, 1}, sizeof(float));
    CHECK(to[3] == 4);
    scatter(to + 2, Shape{2, 1, 2}, Strides{-2, least, 1}, from, sizeof(float));
    CHECK(to[0] == 3);
    CHECK(to[2] == 1);
    for (const Strides& strides : {Strides{most, 1}, Strides{least, 1}, Strides{huge, huge}, Strides{most / 4, 1}})
        CHECK(message_of([&] { gather(to, from, Shape{2, 2}, strides, sizeof(float)); }).find("64 bits") !=
              std::string::npos);
}
