/// Views: the same memory under another shape.
#include "array_support.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <complex>
#include <random>
#include <set>
#include <type_traits>
#include <utility>

using namespace gemel;
using gemel::testing::counted;

namespace {

using Ints = std::vector<std::int32_t>;

template <class Target, class Source>
concept AssignableFrom = requires(Target (*target)(), Source source) { target() = source; };

static_assert(!AssignableFrom<GPUArray<float>, GPUArray<float>>, "writing to a temporary view must not compile");
static_assert(!AssignableFrom<AnyArray, AnyArray>);
static_assert(AssignableFrom<GPUArray<float>&, GPUArray<float>>);
static_assert(!std::is_convertible_v<GPUArray<float>, bool>);
static_assert(!std::is_convertible_v<AnyArray, GPUArray<float>>);
static_assert(std::is_nothrow_move_constructible_v<GPUArray<float>>);

template <class Array, class... I>
concept IndexableBy = requires(const Array& array, const I&... indices) { array(indices...); };
static_assert(IndexableBy<GPUArray<float>, std::size_t, char, Slice, NewAxis, Ellipsis>);
static_assert(!IndexableBy<GPUArray<float>, bool>, "a mask is no index");
static_assert(!IndexableBy<GPUArray<float>, double>);

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("indices and slices select what they select in Python") {
    const auto a = counted({2, 3, 4});
    CHECK(a(1, 2, 3).item() == 23);
    CHECK(a(-1, -3, -4).item() == 12);
    CHECK(a(1).get() == Ints{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
    CHECK(a(slice(), 1, slice(1, 3)).get() == Ints{5, 6, 17, 18});
    CHECK(a(ellipsis, slice({}, {}, -2)).get() == Ints{3, 1, 7, 5, 11, 9, 15, 13, 19, 17, 23, 21});
    CHECK(a(0, newaxis, slice({}, {}, -1), 0).shape() == Shape{1, 3});
    CHECK(a(0, newaxis, slice({}, {}, -1), 0).get() == Ints{8, 4, 0});
    CHECK(a(slice(2, 2)).get().empty());
    CHECK(a().shape() == a.shape());
    CHECK_THROWS_MENTIONING(ArgumentError, a(0, 3), "3", "axis 1");
    CHECK_THROWS_AS(a(0, 0, 0, 0), ArgumentError);
    const auto x = counted({1000});
    CHECK(x(slice(0, 2000)).size() == 1000);
    CHECK_THROWS_MENTIONING(ArgumentError, x(5000), "5000", "1000");
}

TEST_CASE("writing through a view shows in the array and in all other views") {
    const auto a = counted({4, 4});
    const auto view = a(slice(1, {}, 2), slice({}, {}, -1));
    view.fill(7);
    CHECK(a.get() == Ints{0, 1, 2, 3, 7, 7, 7, 7, 8, 9, 10, 11, 7, 7, 7, 7});
    a.transpose()(0).set(Ints{20, 21, 22, 23});
    CHECK(view.get() == Ints{7, 7, 7, 21, 7, 7, 7, 23});
    a.diagonal().fill(0);
    a.reshape({2, 2, 2, 2})(1, 1, 1).fill(1);
    a.ravel()(slice(2, 4)).set(Ints{-1, -2});
    CHECK(a.get() == Ints{0, 1, -1, -2, 21, 0, 7, 7, 22, 9, 0, 11, 23, 7, 1, 1});
}

TEST_CASE("reshape is a view where it can be and a copy elsewhere") {
    const auto a = counted({3, 4});
    CHECK(a.reshape({2, -1}).is_view_of(a));
    CHECK(a.reshape({12}).get() == a.get());
    const auto moved = a.transpose().reshape({12});
    CHECK(!moved.is_view_of(a));
    CHECK(moved.get() == Ints{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    CHECK(a.transpose().reshape({12}, Order::F).is_view_of(a));
    CHECK(a.reshape({4, 3}, Order::F).get() == Ints{0, 5, 10, 4, 9, 3, 8, 2, 7, 1, 6, 11});
    CHECK(a.ravel(Order::F).get() == Ints{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    CHECK(a(0, 0).reshape({1, 1, 1}).shape() == Shape{1, 1, 1});
    CHECK(a(slice(), slice({}, {}, 2)).ravel().get() == Ints{0, 2, 4, 6, 8, 10});
    CHECK_THROWS_MENTIONING(ArgumentError, a.reshape({5, 2}), "12", "10");
    CHECK_THROWS_AS(a.reshape({-1, 5}), ArgumentError);
    CHECK(zeros<float>({0, 3}).reshape({7, 0, 2}).size() == 0);
}

TEST_CASE("axes are permuted and squeezed and repeated") {
    const auto a = counted({2, 3, 4});
    CHECK(a.transpose().shape() == Shape{4, 3, 2});
    CHECK(a.transpose()(3, 2, 1).item() == 23);
    const auto p = a.permute({1, -1, 0});
    CHECK(p.shape() == Shape{3, 4, 2});
    CHECK(p(1, 2, 1).item() == 18);
    CHECK_THROWS_MENTIONING(ArgumentError, a.permute({0, 0, 1}), "twice");
    CHECK_THROWS_AS(a.permute({0, 1}), ArgumentError);
    CHECK_THROWS_AS(a.permute({0, 1, 3}), ArgumentError);
    const auto b = a.reshape({2, 1, 12, 1});
    CHECK(b.squeeze().shape() == Shape{2, 12});
    CHECK(b.squeeze({-1}).shape() == Shape{2, 1, 12});
    CHECK_THROWS_MENTIONING(ArgumentError, b.squeeze({0}), "2");
    const auto row = counted({3});
    const auto r = row.broadcast_to({2, 3});
    CHECK(r.get() == Ints{0, 1, 2, 0, 1, 2});
    CHECK(r.repeats());
    CHECK(row(slice(), newaxis).broadcast_to({3, 2}).get() == Ints{0, 0, 1, 1, 2, 2});
    CHECK(row(1).broadcast_to({4}).get() == Ints(4, 1));
    CHECK(row.broadcast_to({0, 3}).size() == 0);
    CHECK_THROWS_MENTIONING(ArgumentError, row.broadcast_to({3, 2}), "(3,)", "(3, 2)");
    CHECK_THROWS_AS(a.broadcast_to({3, 4}), ArgumentError);
    CHECK_THROWS_MENTIONING(ArgumentError, r.fill(1), "repeats");
    CHECK_THROWS_AS(r.assign(row), ArgumentError);
    CHECK_THROWS_AS(r.set(Ints(6)), ArgumentError);
}

TEST_CASE("strides that lead twice to one element are found") {
    const auto a = counted({400});
    std::mt19937 random(11);
    const auto below = [&](std::size_t n) { return static_cast<std::int64_t>(random() % n); };
    int repeating = 0;
    for (int round = 0; round < 3000; ++round) {
        Shape shape;
        Strides strides;
        std::int64_t first = 0;
        std::vector<std::int64_t> places{0};
        for (std::int64_t axis = below(5); axis-- > 0;) {
            const std::int64_t extent = 1 + below(4), step = below(31) - 15 + (below(3) ? 0 : 14);
            shape.push_back(extent);
            strides.push_back(step);
            first -= std::min<std::int64_t>(step * (extent - 1), 0);
            std::vector<std::int64_t> spread;
            for (const std::int64_t place : places)
                for (std::int64_t k = 0; k < extent; ++k) spread.push_back(place + k * step);
            places = spread;
        }
        const bool repeats = std::set(places.begin(), places.end()).size() < places.size();
        repeating += repeats;
        const AnyArray view(a.buffer(), a.dtype(), shape, strides, static_cast<std::size_t>(first) * sizeof(int));
        CHECK_MESSAGE(view.repeats() == repeats, to_string(shape), " ", to_string(strides));
    }
    CHECK(repeating > 500);
    CHECK(repeating < 2500);
}

TEST_CASE("overlapping windows are read and not written") {
    const auto a = counted({6});
    GPUArray<std::int32_t> windows(a.buffer(), Shape{4, 3}, Strides{1, 1}, 0);
    CHECK(windows.repeats());
    CHECK(sum(windows, 1).get() == std::vector<std::int64_t>{3, 6, 9, 12});
    CHECK_THROWS_MENTIONING(ArgumentError, windows.fill(1), "repeats", "(1, 1)");
    CHECK_THROWS_MENTIONING(ArgumentError, windows += 1, "written", "(4, 3)", "(1, 1)", "copy()");
    CHECK_THROWS_MENTIONING(ArgumentError, put(windows, to_gpu(Ints{0}), 1), "repeats");
    const GPUArray<std::int32_t> apart(a.buffer(), Shape{2, 3}, Strides{1, 2}, 0);
    CHECK(!apart.repeats());
    apart.fill(7);
    CHECK(a.get() == Ints(6, 7));
}

TEST_CASE("diagonals are read and written") {
    const auto a = counted({3, 4});
    CHECK(a.diagonal().get() == Ints{0, 5, 10});
    CHECK(a.diagonal(2).get() == Ints{2, 7});
    CHECK(a.diagonal(-2).get() == Ints{8});
    CHECK(a.diagonal(9).get().empty());
    CHECK(counted({2, 2, 2}).diagonal().get() == Ints{0, 6, 1, 7});  // the diagonal comes last
    CHECK(counted({2, 2, 2}).diagonal(0, 1, 2).get() == Ints{0, 3, 4, 7});
}

TEST_CASE("real and imaginary parts are views of complex arrays") {
    const auto z = to_gpu(std::vector<cfloat>{{1, 2}, {3, 4}, {5, 6}, {7, 8}}, {2, 2});
    CHECK(z.real().get() == std::vector<float>{1, 3, 5, 7});
    CHECK(z.imag().get() == std::vector<float>{2, 4, 6, 8});
    static_assert(std::is_same_v<decltype(z.real()), GPUArray<float>>);
    z.transpose().imag()(0).fill(0);
    CHECK(z.get() == std::vector<cfloat>{{1, 0}, {3, 4}, {5, 0}, {7, 8}});
    const auto d = counted<double>({3});
    CHECK(d.real().is_view_of(d));
    CHECK(d.imag().get() == std::vector<double>(3, 0.0));
    CHECK(!d.imag().is_view_of(d));
    CHECK(to_gpu(std::vector<cdouble>{{1, -2}})(0).imag().item() == -2);
}

TEST_CASE("the same bytes are seen as another type") {
    const auto a = to_gpu(std::vector<float>{1, 2, 3, 4}, {2, 2});
    CHECK(a.view_as<std::uint32_t>().get()[0] == 0x3f800000u);
    CHECK(a.view_as<cfloat>().shape() == Shape{2, 1});
    CHECK(a.view_as<cfloat>().get() == std::vector<cfloat>{{1, 2}, {3, 4}});
    CHECK(a.view_as<std::uint8_t>().shape() == Shape{2, 8});
    CHECK(a(slice(), 1).view_as<std::int32_t>().shape() == Shape{2});  // same size: any layout
    CHECK(a(1).view_as<double>().size() == 1);
    CHECK_THROWS_MENTIONING(ArgumentError, a(slice(), slice(0, 1)).view_as<double>(), "float", "double", "4 bytes");
    CHECK_THROWS_AS(a.transpose().view_as<double>(), ArgumentError);
    CHECK_THROWS_AS(a(0, 0).view_as<std::uint8_t>(), ArgumentError);
    const auto bytes = zeros<std::uint8_t>({16});
    CHECK_THROWS_MENTIONING(ArgumentError, bytes(slice(1, 5)).view_as<float>(), "multiples of 4");
    CHECK(bytes(slice(4, 8)).view_as<float>().item() == 0);
    CHECK(zeros<float4>({3}).view_as<float>().shape() == Shape{12});
}

TEST_CASE("arrays of no axis and of no element work everywhere") {
    const auto before = default_context().statistics();
    const auto scalar = full<double>({}, 2.5);
    CHECK(scalar.rank() == 0);
    CHECK(scalar.size() == 1);
    CHECK(scalar.transpose().reshape({}).squeeze().copy().astype<float>().item() == 2.5f);
    CHECK(scalar(newaxis, newaxis).shape() == Shape{1, 1});
    CHECK(scalar(ellipsis).item() == 2.5);
    CHECK(scalar.broadcast_to({2}).get() == std::vector<double>{2.5, 2.5});
    const auto none = zeros<float>({3, 0});
    const auto launches = default_context().statistics().launches;
    CHECK(none.transpose().copy().astype<std::int32_t>().get().empty());
    none.fill(1);
    none.assign(none);
    none.assign(zeros<float>({}));
    CHECK(none(1).size() == 0);
    CHECK(none.copy_to(Context(default_device())).shape() == Shape{3, 0});
    CHECK(none.real().imag().size() == 0);
    CHECK_THROWS_AS(none(slice(), 0), ArgumentError);
    CHECK(default_context().statistics().launches == launches);
    (void)before;
}

TEST_CASE("an empty handle says so") {
    const GPUArray<float> nothing;
    CHECK(nothing.empty());
    CHECK(nothing.dtype() == dtype_of<float>());
    CHECK_THROWS_AS(nothing.context(), ArgumentError);
    CHECK_THROWS_MENTIONING(ArgumentError, nothing.copy(), "empty");
    CHECK_THROWS_AS(nothing.fill(1), ArgumentError);
    CHECK_THROWS_AS(zeros<float>({1}).assign(nothing), ArgumentError);
    auto a = zeros<float>({3});
    auto b = std::move(a);
    CHECK(a.empty());  // NOLINT: this is what is tested
    CHECK(a.rank() == 0);
    CHECK(b.get() == std::vector<float>(3));
    const auto c = b;
    b.release();
    CHECK(b.empty());
    CHECK_THROWS_AS(c.get(), ArgumentError);
}

TEST_CASE("handles of a type known only at run time can be asked for it") {
    const AnyArray any = counted<float>({3});
    CHECK(GPUArray<float>(any).is_view_of(any));
    CHECK_THROWS_MENTIONING(ArgumentError, GPUArray<double>(any), "float", "double");
    CHECK(GPUArray<double>(any.astype(dtype_of<double>())).get() == std::vector<double>{0, 1, 2});
    CHECK(GPUArray<float>(any(slice({}, {}, -1))).get() == std::vector<float>{2, 1, 0});
    CHECK_THROWS_AS(AnyArray(any.buffer(), any.dtype(), Shape{4}, Strides{1}), ArgumentError);
    CHECK_THROWS_AS(AnyArray(any.buffer(), any.dtype(), Shape{2}, Strides{-1}), ArgumentError);
    CHECK_THROWS_AS(AnyArray(any.buffer(), any.dtype(), Shape{2}, Strides{1}, 2), ArgumentError);
    CHECK_THROWS_AS(AnyArray(any.buffer(), any.dtype(), Shape{2}, Strides{1, 1}), ArgumentError);
}

TEST_CASE("more axes than eight are no exception") {
    Shape shape;
    Axes axes;
    for (int i = 0; i < 12; ++i) {
        shape.push_back(2);
        axes.push_back((i * 5 + 3) % 12);
    }
    const auto a = counted(shape);
    const auto p = a.permute(axes);
    const auto values = p.get();
    for (const int probe : {0, 1, 77, 2048, 4095}) {
        int expected = 0;
        for (int k = 0; k < 12; ++k)
            if (probe >> (11 - k) & 1) expected |= 1 << (11 - axes[k]);
        CHECK(values[probe] == expected);
    }
    p.copy().transpose().assign(a);
}

TEST_CASE("a contiguous array is an argument of a hand-written kernel and one with gaps is not") {
    const auto a = counted({2, 1024});  // rows lie at multiples of what devices ask of a sub-buffer
    const Kernel kernel = gemel::testing::common_kernel(default_context(), "set_all");
    kernel({.block = {32}, .threads = {1024}}, a(1), 100, 1024);
    CHECK(a(1, 1023).item() == 1123);
    CHECK(a(0, 1023).item() == 1023);
    CHECK_THROWS_MENTIONING(ArgumentError, kernel({.grid = {1}, .block = {32}}, a(slice(), slice({}, {}, 2)), 1, 2),
                            "expected a contiguous array", "strides (1024, 2)");
    CHECK_THROWS_MENTIONING(ArgumentError, kernel({.grid = {1}, .block = {32}}, counted<float>({4}), 1, 2), "int");
}
