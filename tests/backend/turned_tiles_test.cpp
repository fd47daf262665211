/// Operands whose axes lie in another order than the result's: tiles that are turned round in shared memory, beside
/// host loops.
#include "generator_support.hpp"

#include "../left_out.hpp"

#include <algorithm>

using namespace gemel;
using namespace gemel::testing;

namespace optics {
struct Ray {
    float x, y, z;
};
GEMEL_STRUCT(Ray, x, y, z)
struct Point {
    float x, y;
};
GEMEL_STRUCT(Point, x, y)
struct Beam {
    float x, y, z;
    std::int32_t order;
};
GEMEL_STRUCT(Beam, x, y, z, order)
}  // namespace optics

namespace {

using codegen::ElementwiseTuning;
using codegen::TileStrategy;

const ElementwiseTuning turned{.tiles = TileStrategy::turned};
/// Small tiles, so that small arrays have several along each axis.
const ElementwiseTuning small_tiles{.block = 64,
                                    .access_bytes = 16,
                                    .tile_block = 64,
                                    .tiles = TileStrategy::turned,
                                    .turned_width = 16,
                                    .turned_rows = 8};

/// A view of an array, and what its memory holds.
template <class T>
struct Seen {
    std::vector<HostElement<T>> memory;
    GPUArray<T> array;
    std::int64_t first = 0;  ///< element of the memory
    GPUArray<T> whole = {};

    /// The element at a place in C order.
    HostElement<T> operator[](std::size_t flat) const {
        std::int64_t at = first;
        for (std::size_t axis = array.rank(); axis-- > 0;) {
            const auto extent = static_cast<std::size_t>(array.shape()[axis]);
            at += static_cast<std::int64_t>(flat % extent) * array.strides()[axis];
            flat /= extent;
        }
        return memory[static_cast<std::size_t>(at)];
    }
};

/// A new array of `shape` whose axes lie in memory in the order `axes`, `gap` elements behind each row of it and `skip`
/// before the first; `flipped` runs backwards along that axis.
template <class T>
Seen<T> make(const Shape& shape, const Axes& axes, unsigned seed, std::int64_t gap = 0, std::int64_t skip = 0,
             int flipped = -1) {
    Shape lying;
    Axes back(axes);
    for (std::size_t k = 0; k < axes.size(); ++k) {
        lying.push_back(shape[static_cast<std::size_t>(axes[k])]);
        back[static_cast<std::size_t>(axes[k])] = static_cast<int>(k);
    }
    const std::int64_t row = lying.empty() ? 1 : lying[lying.rank() - 1];
    Shape wide = lying;
    if (!wide.empty()) wide[wide.rank() - 1] = row + gap;
    std::size_t count = static_cast<std::size_t>(skip);
    std::size_t inner = 1;
    for (const std::int64_t extent : wide) inner *= static_cast<std::size_t>(extent);
    count += inner;
    std::vector<HostElement<T>> memory = small_values<T>(std::max<std::size_t>(count, 1), seed);
    const GPUArray<T> whole(current_context(), Shape{memory.size()});
    whole.set(memory);
    GPUArray<T> all = whole(slice(skip, static_cast<std::int64_t>(count))).reshape(wide);
    std::vector<Index> cut(wide.rank(), slice());
    if (!cut.empty() && gap) cut.back() = slice(row);
    if (flipped >= 0) cut[static_cast<std::size_t>(flipped)] = slice(std::nullopt, std::nullopt, -1);
    all = GPUArray<T>(all.view(cut)).permute(back);
    const auto offset = static_cast<std::int64_t>((all.offset_bytes() - whole.offset_bytes()) / sizeof(HostElement<T>));
    return {std::move(memory), all, offset, whole};
}

Axes in_order(std::size_t rank) {
    Axes axes;
    for (std::size_t k = 0; k < rank; ++k) axes.push_back(static_cast<int>(k));
    return axes;
}

const ElementwiseKernel& add() {
    static const ElementwiseKernel kernel("const T *x, const T *y, T *z", "z[i] = x[i] + y[i]", "add_turned");
    return kernel;
}

const ElementwiseKernel& copy() {
    static const ElementwiseKernel kernel("const T *x, T *z", "z[i] = x[i]", "copy_turned");
    return kernel;
}

template <class T>
void check_copy(const ElementwiseTuning& tuning, const Seen<T>& x, const Axes& result) {
    const Seen<T> z = make<T>(x.array.shape(), result, 9);
    copy()(CallOptions{.tuning = tuning}, x.array, z.array);
    const auto got = z.array.copy(Order::C).get();
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < got.size(); ++k) wrong += !(got[k] == x[k]);
    CHECK(wrong == 0);
}

/// Copies into a part of a larger array, of which nothing else may change.
void check_part(const Seen<float>& x, std::int64_t gap, std::int64_t skip) {
    const Seen<float> z = make<float>(x.array.shape(), {0, 1}, 9, gap, skip);
    copy()(CallOptions{.tuning = turned}, x.array, z.array);
    std::vector<float> expected = z.memory;
    const auto columns = static_cast<std::size_t>(x.array.shape()[1]);
    for (std::size_t k = 0; k < x.array.size(); ++k)
        expected[static_cast<std::size_t>(skip) + k / columns * (columns + static_cast<std::size_t>(gap)) +
                 k % columns] = x[k];
    CHECK(z.whole.get() == expected);
}

template <class T>
void check_add(const ElementwiseTuning& tuning, const Seen<T>& x, const Seen<T>& y, const GPUArray<T>& z) {
    add()(CallOptions{.tuning = tuning}, x.array, y.array, z);
    const auto got = z.get();
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < got.size(); ++k) wrong += !(got[k] == static_cast<HostElement<T>>(x[k] + y[k]));
    CHECK(wrong == 0);
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("a tuning says whether operands of another order are turned round") {
    // A thread with a tile by itself is the first of its block; threads that share one are not.
    const ElementwiseKernel who("const float *x, int *z", "z[i] = x[i] >= 0 ? LID_0 : -1", "who_turned");
    const Seen<float> x = make<float>({40, 56}, {1, 0}, 1);
    const GPUArray<std::int32_t> z(current_context(), Shape{40, 56});
    const auto last = [&](const ElementwiseTuning& tuning) {
        who(CallOptions{.tuning = tuning}, x.array, z);
        const auto got = z.get();
        return *std::max_element(got.begin(), got.end());
    };
    CHECK(last({.block = 1, .tile_block = 1, .tiles = TileStrategy::direct}) == 0);
    CHECK(last(turned) > 0);
    CHECK(last({.tile_block = 64, .tiles = TileStrategy::turned}) == 63);
    CHECK(codegen::parse_tuning<ElementwiseTuning>("tiles=turned turned_width=16").tiles == TileStrategy::turned);
}

TEST_CASE("operands of every order of axes are added") {
    const std::vector<Shape> shapes{{37, 50}, {5, 33, 20}, {3, 18, 4, 17}};
    std::size_t number = 0;
    for (const Shape& shape : shapes) {
        Axes axes = in_order(shape.rank());
        do {
            if (is_left_out(3, number++)) continue;
            CAPTURE(to_string(shape));
            const Seen<float> x = make<float>(shape, axes, 1), y = make<float>(shape, in_order(shape.rank()), 2);
            check_add<float>(small_tiles, x, y, GPUArray<float>(current_context(), shape));
        } while (std::next_permutation(axes.begin(), axes.end()));
    }
}

TEST_CASE("extents from 0 to beyond a tile are turned along either axis") {
    std::size_t number = 0;
    for (const std::int64_t rows : {0, 1, 2, 3, 4, 8, 31, 130})
        for (const std::int64_t columns : {1, 2, 3, 4, 9, 16, 65, 260}) {
            if (is_left_out(5, number++)) continue;
            CAPTURE(rows);
            CAPTURE(columns);
            check_copy(turned, make<float>({rows, columns}, {1, 0}, 3), {0, 1});
        }
}

TEST_CASE("long and short axes are turned") {
    check_copy(turned, make<float>({4, 5000}, {1, 0}, 3), {0, 1});
    check_copy(turned, make<float>({5000, 4}, {1, 0}, 3), {0, 1});
    check_copy(turned, make<std::uint8_t>({3, 4000}, {1, 0}, 3), {0, 1});
    check_copy(turned, make<std::uint8_t>({4000, 3}, {1, 0}, 3), {0, 1});
    check_copy(turned, make<float>({5, 7, 300}, {1, 2, 0}, 3), {0, 1, 2});
    check_copy(turned, make<float>({300, 5, 7}, {0, 2, 1}, 3), {0, 1, 2});
}

TEST_CASE("elements of every size are turned") {
    const auto check = [](auto zero, std::int64_t rows, std::int64_t columns) {
        using T = decltype(zero);
        CAPTURE(sizeof(T));
        for (const ElementwiseTuning& tuning : {turned, small_tiles})
            check_copy(tuning, make<T>({rows, columns}, {1, 0}, 3), {0, 1});
    };
    for (const std::int64_t more : {0, 1}) {  // aligned rows and others
        check(std::uint8_t{}, 144 + more, 160 + more);
        check(std::int16_t{}, 72 + more, 80 + more);
        check(half{}, 72 + more, 80 + more);
        check(bool{}, 72 + more, 80 + more);
        check(std::complex<float>{}, 40 + more, 36 + more);
        if (lacks_double()) continue;
        check(double{}, 40 + more, 36 + more);
        check(std::complex<double>{}, 40 + more, 36 + more);
    }
}

TEST_CASE("structs are turned") {
    std::vector<optics::Ray> rays(60 * 44);
    for (std::size_t k = 0; k < rays.size(); ++k) rays[k] = {float(k), float(k) + 1, -float(k)};
    const auto x = to_gpu(rays).reshape({60, 44});
    const GPUArray<float> z(current_context(), Shape{44, 60});
    const ElementwiseKernel sum({VectorArg(x.dtype(), "ray", true), VectorArg(z.dtype(), "z")},
                                "z[i] = ray[i].x + ray[i].y * 2 + ray[i].z", "sum_of_rays");
    sum(CallOptions{.tuning = turned}, x.transpose(), z);
    const auto got = z.get();
    for (const std::size_t at : {0, 1, 61, 44 * 60 - 1}) {
        const optics::Ray& ray = rays[at % 60 * 44 + at / 60];
        CHECK(got[at] == ray.x + ray.y * 2 + ray.z);
    }
    const GPUArray<optics::Ray> copied = x.transpose().copy(Order::C);
    CHECK(copied.get()[61].x == rays[45].x);
}

TEST_CASE("structs are copied in words as wide as they lie") {
    const auto check = [](auto zero, std::int64_t first) {
        using T = decltype(zero);
        std::vector<T> all(41 * 30 + 1);
        for (std::size_t k = 0; k < all.size(); ++k)
            all[k].x = static_cast<float>(k), all[k].y = -static_cast<float>(k);
        const auto x = to_gpu(all)(slice(first, first + 41 * 30)).reshape({41, 30});
        const auto got = x.transpose().copy(Order::C).get();
        std::size_t wrong = 0;
        for (std::size_t k = 0; k < got.size(); ++k) {
            const T& expected = all[static_cast<std::size_t>(first) + k % 41 * 30 + k / 41];
            wrong += got[k].x != expected.x || got[k].y != expected.y;
        }
        CHECK(wrong == 0);
    };
    for (const std::int64_t first : {0, 1}) {
        check(optics::Point{}, first);
        check(optics::Ray{}, first);
        check(optics::Beam{}, first);
    }
}

TEST_CASE("gaps, offsets and steps backwards are turned") {
    const Shape shape{50, 70};
    const Axes turn{1, 0};
    for (const std::int64_t gap : {0, 2, 4})
        for (const std::int64_t skip : {0, 1, 4}) {
            if (is_left_out(3, static_cast<std::size_t>(gap / 2 + skip))) continue;
            CAPTURE(gap);
            CAPTURE(skip);
            check_copy(turned, make<float>(shape, turn, 3, gap, skip), {0, 1});
            check_part(make<float>(shape, turn, 3, gap, skip), gap, skip);
            check_add<float>(turned, make<float>(shape, turn, 3, gap, skip), make<float>(shape, {0, 1}, 4, gap, skip),
                             GPUArray<float>(current_context(), shape));
        }
    check_copy(turned, make<float>(shape, turn, 3, 0, 0, 0), {0, 1});
    check_copy(turned, make<float>(shape, turn, 3, 0, 0, 1), {0, 1});
    check_copy(turned, make<std::uint8_t>(shape, turn, 3, 0, 0, 1), {0, 1});
    check_copy(turned, make<float>(shape, {0, 1}, 3), {1, 0});  // the result's axes decide
}

TEST_CASE("several operands are turned and others are not") {
    const Shape shape{66, 83};
    const Seen<float> x = make<float>(shape, {1, 0}, 1), row = make<float>(Shape{83}, {0}, 3);
    const Seen<std::uint8_t> y = make<std::uint8_t>(shape, {1, 0}, 2);
    const Seen<std::int16_t> w = make<std::int16_t>(shape, {0, 1}, 4);
    const GPUArray<float> z = to_gpu(std::vector<float>(66 * 83, 2.0f)).reshape(shape);
    const GPUArray<std::uint8_t> odd(current_context(), shape);
    const ElementwiseKernel mix(
        "float a, const float *x, const uint8_t *y, const float *row, const int16_t *w, float *z, uint8_t *odd",
        "odd[i] = (uint8_t)(i & 1);\n"
        "if (y[i] == 3) continue;\n"
        "z[i] += a * x[i] + y[i] * row[i];\n"
        "if (w[i] > 2) z[i] -= w[i];\n",
        "mix_turned");
    for (const ElementwiseTuning& tuning : {turned, small_tiles}) {
        const auto before = z.get();
        mix(CallOptions{.tuning = tuning}, 3, x.array, y.array, row.array.broadcast_to(shape), w.array, z, odd);
        const auto got = z.get();
        const auto parity = odd.get();
        std::size_t wrong = 0;
        for (std::size_t k = 0; k < got.size(); ++k) {
            float value = before[k];
            if (y[k] != 3) {
                value += 3 * x[k] + static_cast<float>(y[k]) * row.memory[k % 83];
                if (w[k] > 2) value -= static_cast<float>(w[k]);
            }
            wrong += got[k] != value || parity[k] != (k & 1);
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("neighbours and addresses are reached beside what is turned") {
    const Shape shape{40, 48};
    const Seen<float> x = make<float>(shape, {1, 0}, 1), y = make<float>(shape, {1, 0}, 2),
                      v = make<float>(shape, {1, 0}, 3);
    const GPUArray<float> z(current_context(), shape);
    const ElementwiseKernel kernel("const float *x, const float *y, const float *v, float *z",
                                   "z[i] = x[i] + (i + 1 < n ? y[i + 1] : 0) + *(&v[i])", "neighbours_turned");
    kernel(CallOptions{.tuning = turned}, x.array, y.array, v.array, z);
    const auto got = z.get();
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < got.size(); ++k) wrong += got[k] != x[k] + (k + 1 < got.size() ? y[k + 1] : 0) + v[k];
    CHECK(wrong == 0);
}

TEST_CASE("hooks run once per thread around turned tiles") {
    const Seen<float> x = make<float>({40, 56}, {1, 0}, 1);
    const GPUArray<float> z(current_context(), Shape{40, 56});
    const GPUArray<std::int32_t> count = zeros<std::int32_t>(1);
    const ElementwiseKernel kernel("const float *x, float *z, int *count", "z[i] = x[i]; ++mine", "hooks_turned",
                                   {.loop_prep = "int mine = 0;", .after_loop = "atomic_add(&count[0], mine)"});
    kernel(CallOptions{.tuning = turned}, x.array, z, count);
    CHECK(count.get()[0] == 40 * 56);
}

TEST_CASE("copies, conversions and assignments turn their operands") {
    // As chosen for the device, and turned round by a stored tuning.
    const Shape shape{70, 12, 33};
    const Axes orders[] = {{0, 2, 1}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}};
    for (const Axes& axes : orders) {
        const Seen<float> x = make<float>(shape, axes, 5), y = make<float>(shape, {0, 1, 2}, 6);
        const auto same = [&](const std::vector<float>& got, auto expected) {
            std::size_t wrong = 0;
            for (std::size_t k = 0; k < got.size(); ++k) wrong += got[k] != expected(k);
            CHECK(wrong == 0);
        };
        same(x.array.copy(Order::C).get(), [&](std::size_t k) { return x[k]; });
        same(x.array.astype<std::int16_t>().astype<float>().get(), [&](std::size_t k) { return x[k]; });
        const GPUArray<float> sum = x.array + y.array;
        same(sum.get(), [&](std::size_t k) { return x[k] + y[k]; });
        const Seen<float> to = make<float>(shape, axes, 7);
        to.array.assign(y.array);
        same(to.array.copy(Order::C).get(), [&](std::size_t k) { return y[k]; });
    }
}

TEST_SUITE_END();
