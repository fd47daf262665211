/// Convolutions against plain host loops; tests/numpy_grid/numpy_dense.py compares hundreds with NumPy and SciPy.
#include <gemel/testing_doctest.hpp>

#include "array_support.hpp"

#include <complex>
#include <functional>
#include <random>
#include <type_traits>

using namespace gemel;
using namespace gemel::testing;

namespace {

/// Small whole numbers, of which sums are exact.
template <class T>
GPUArray<T> whole(const Shape& shape, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<HostElement<T>> values(shape.count());
    for (auto& value : values) {
        if constexpr (is_complex<T>) {
            value = T(static_cast<float>(random() % 5) - 2, static_cast<float>(random() % 3) - 1);
        } else {
            value = static_cast<HostElement<T>>(static_cast<float>(random() % 5) - 2);
        }
    }
    GPUArray<T> array(current_context(), shape);
    array.set(values);
    return array;
}

/// The index that a border stands for, -1 for the fill.
std::int64_t inside(std::int64_t c, std::int64_t n, PadMode border) {
    if (c >= 0 && c < n) return c;
    switch (border) {
        case PadMode::edge: return c < 0 ? 0 : n - 1;
        case PadMode::wrap: return ((c % n) + n) % n;
        case PadMode::symmetric: {
            const std::int64_t at = ((c % (2 * n)) + 2 * n) % (2 * n);
            return at < n ? at : 2 * n - 1 - at;
        }
        case PadMode::reflect: {
            const std::int64_t period = std::max<std::int64_t>(2 * (n - 1), 1), at = ((c % period) + period) % period;
            return at < n ? at : period - at;
        }
        default: return -1;
    }
}

/// (count, channels, rows, columns) and (bank, channels, rows, columns) by a loop, filters as they are.
template <class T>
std::vector<T> correlated(const GPUArray<T>& images, const GPUArray<T>& filters, const ConvolveOptions& options,
                          double fill = 0) {
    const auto x = images.get(), w = filters.get();
    const Shape a = images.shape(), b = filters.shape();
    const auto extent = [&](std::size_t axis, std::int64_t step) {
        const std::int64_t n = a[axis], k = b[axis];
        const std::int64_t count = options.mode == Boundary::full   ? n + k - 1
                                   : options.mode == Boundary::same ? n
                                                                    : n - k + 1;
        return (count + step - 1) / step;
    };
    const auto first = [&](std::int64_t k) {
        return options.mode == Boundary::full ? 1 - k : options.mode == Boundary::same ? -((k - 1) / 2) : 0;
    };
    const std::int64_t rows = extent(2, options.stride.rows), columns = extent(3, options.stride.columns);
    std::vector<T> out;
    for (std::int64_t image = 0; image < a[0]; ++image)
        for (std::int64_t f = 0; f < b[0]; ++f)
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t c = 0; c < columns; ++c) {
                    T sum{};
                    for (std::int64_t channel = 0; channel < a[1]; ++channel)
                        for (std::int64_t i = 0; i < b[2]; ++i)
                            for (std::int64_t j = 0; j < b[3]; ++j) {
                                const auto row =
                                    inside(r * options.stride.rows + first(b[2]) + i, a[2], options.border);
                                const auto column =
                                    inside(c * options.stride.columns + first(b[3]) + j, a[3], options.border);
                                const T value = row < 0 || column < 0
                                                    ? static_cast<T>(fill)
                                                    : x[static_cast<std::size_t>(
                                                          ((image * a[1] + channel) * a[2] + row) * a[3] + column)];
                                T weight = w[static_cast<std::size_t>(((f * a[1] + channel) * b[2] + i) * b[3] + j)];
                                if constexpr (is_complex<T>) weight = std::conj(weight);
                                sum = static_cast<T>(sum + value * weight);
                            }
                    out.push_back(sum);
                }
    return out;
}

template <class T>
void check(const Shape& image, const Shape& filter, ConvolveOptions options, double fill = 0) {
    INFO(dtype_of<T>().name(), " ", image, " ", filter, " mode ", static_cast<int>(options.mode), " border ",
         static_cast<int>(options.border), " serial ", options.tuning.serial);
    if (fill != 0) options.fill = fill;
    const auto images = whole<T>(image, 1), filters = whole<T>(filter, 2);
    CHECK(correlate2d(images, filters, options).get() == correlated(images, filters, options, fill));
}

std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return "nothing was refused";
}

constexpr ConvolveTuning blocks{.serial = 0}, threads{.serial = 1};

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("a bank of filters sums over channels") {
    const auto images = whole<float>({2, 3, 20, 33}, 1), filters = whole<float>({8, 3, 5, 5}, 2);
    const auto maps = correlate2d(images, filters, {.mode = Boundary::valid});
    CHECK(maps.shape() == Shape{2, 8, 16, 29});
    CHECK(maps.get() == correlated(images, filters, {.mode = Boundary::valid}));
    const float first = sum(images(0, slice(), slice(0, 5), slice(0, 5)) * filters(0)).item();
    CHECK(maps(0, 0, 0, 0).item() == first);
    CHECK(correlate2d(images(0), filters, {.mode = Boundary::valid}).get() == maps(0).get());
}

TEST_CASE("convolutions are the same by blocks and by serial threads") {
    for (const ConvolveTuning& tuning : {blocks, threads}) {
        check<float>({1, 2, 40, 37}, {11, 2, 3, 4}, {.tuning = tuning});
        check<float>({2, 1, 9, 70}, {1, 1, 4, 3},
                     {.mode = Boundary::same, .border = PadMode::symmetric, .stride = {2, 3}, .tuning = tuning});
        check<double>({1, 1, 5, 200}, {1, 1, 1, 37},
                      {.mode = Boundary::same, .border = PadMode::wrap, .tuning = tuning});
        check<cfloat>({1, 1, 12, 9}, {2, 1, 3, 3}, {.mode = Boundary::same, .tuning = tuning}, 2);
        check<std::int8_t>({1, 2, 16, 16}, {2, 2, 5, 5}, {.mode = Boundary::valid, .tuning = tuning});
    }
}

TEST_CASE("filters are taken in pieces that need not divide them") {
    for (const int serial : {0, 1}) {
        const ConvolveTuning pieces{.serial = serial, .filters = 2, .piece_rows = 3, .piece_columns = 2};
        check<float>({1, 2, 15, 20}, {3, 2, 7, 5}, {.tuning = pieces});
        const ConvolveTuning small{.serial = serial, .own = 3, .across = 4, .down = 2, .piece_columns = 4};
        check<std::int32_t>({1, 1, 3, 50}, {1, 1, 1, 11}, {.mode = Boundary::same, .tuning = small});
    }
    check<std::int32_t>({1, 1, 60, 3}, {1, 1, 1001, 1}, {});
}

TEST_CASE("what lies outside an image does not spoil results that do not need it") {
    auto image = full<float>({1, 1, 4, 40}, 1.0f);
    image(0, 0, 0, slice(0, 1)).fill(NAN);
    for (const int serial : {0, 1}) {
        const auto out = correlate2d(image, full<float>({1, 1, 1, 5}, 1.0f),
                                     {.mode = Boundary::valid, .tuning = {.serial = serial, .piece_columns = 3}});
        const auto values = out.get();
        CHECK(std::isnan(values[0]));
        CHECK(values[1] == 5);
        CHECK(values[36] == 5);
    }
}

TEST_CASE("borders repeat an image as often as a filter needs") {
    for (const PadMode border :
         {PadMode::constant, PadMode::edge, PadMode::reflect, PadMode::symmetric, PadMode::wrap}) {
        check<float>({1, 1, 2, 3}, {1, 1, 9, 8}, {.mode = Boundary::same, .border = border});
        check<float>({1, 1, 1, 1}, {1, 1, 3, 3}, {.mode = Boundary::full, .border = border});
    }
}

TEST_CASE("images and filters of any layout and of different types") {
    const auto images = whole<float>({3, 30, 20}, 1), filters = whole<float>({4, 3, 3}, 2);
    const ConvolveOptions same{.mode = Boundary::same};
    const auto expected = correlate2d(images, filters, same);
    CHECK(expected.shape() == Shape{3, 4, 30, 20});
    CHECK(correlate2d(images.copy(Order::F), filters.copy(Order::F), same).get() == expected.get());
    const auto turned = images.permute({0, 2, 1}).copy(Order::C).permute({0, 2, 1});
    CHECK(correlate2d(turned, flip(filters.copy(), {2})(ellipsis, slice({}, {}, -1)), same).get() == expected.get());
    CHECK(correlate2d(images.broadcast_to({2, 3, 30, 20}), filters, same)(1).get() == expected.get());
    const AnyArray bytes = filters.astype<std::int8_t>();
    CHECK(correlate2d(images, bytes, same).get<float>() == expected.get());
    static_assert(std::is_same_v<decltype(correlate2d(images, filters.astype<double>())), GPUArray<double>>);
    CHECK(correlate2d(2 * images, filters, same).get() == (2 * expected).get());
    const auto half_images = images.astype<half>();
    CHECK(correlate2d(half_images, filters.astype<half>(), same).astype<float>().get() == expected.get());
    const GPUArray<bool> p = images > 0, q = filters > 0;
    const GPUArray<bool> both = correlate2d(p, q, same);
    CHECK(both.get() == GPUArray<bool>(correlate2d(p.astype<int>(), q.astype<int>(), same) > 0).get());
    const auto beside = correlate2d(full<bool>({1, 1}, false), full<bool>({1, 2}, true), {.fill = true});
    CHECK(beside.get() == std::vector<std::uint8_t>{1, 1});
}

TEST_CASE("convolve2d turns filters round and does not conjugate") {
    const auto image = whole<cfloat>({9, 10}, 1), filter = whole<cfloat>({2, 4}, 2);
    for (const Boundary mode : {Boundary::full, Boundary::valid})
        CHECK(convolve2d(image, filter, {.mode = mode}).get() ==
              correlate2d(image, conj(flip(filter)).eval(), {.mode = mode}).get());
    const auto full_size = convolve2d(image, filter), same = convolve2d(image, filter, {.mode = Boundary::same});
    CHECK(same.get() == full_size(slice(0, 9), slice(1, 11)).get());
}

TEST_CASE("convolve is NumPy's along an axis") {
    const auto x = to_gpu(std::vector<float>{1, 2, 3}), k = to_gpu(std::vector<float>{0, 1, 0.5f});
    using V = std::vector<float>;
    CHECK(convolve(x, k).get() == V{0, 1, 2.5f, 4, 1.5f});
    CHECK(convolve(x, k, {.mode = Boundary::same}).get() == V{1, 2.5f, 4});
    CHECK(convolve(x, k, {.mode = Boundary::valid}).get() == V{2.5f});
    CHECK(convolve(k(slice(1, 3)), x, {.mode = Boundary::same}).get() ==
          convolve(x, k(slice(1, 3)), {.mode = Boundary::same}).get());
    const auto rows = whole<float>({4, 30, 5}, 3);
    const auto along = convolve(rows, k, {.mode = Boundary::same, .axis = 1});
    CHECK(along.shape() == rows.shape());
    CHECK(along(2, slice(), 3).get() == convolve(rows(2, slice(), 3), k, {.mode = Boundary::same}).get());
    CHECK(convolve(rows, k, {.mode = Boundary::same})(1, 2).get() ==
          convolve(rows(1, 2), k, {.mode = Boundary::same}).get());
    CHECK(convolve(rows(0), k, {.stride = 2, .axis = 0}).get() ==
          convolve(rows(0), k, {.axis = 0})(slice({}, {}, 2)).get());
    CHECK(convolve(zeros<float>({0, 10}), k).shape() == Shape{0, 12});
}

TEST_CASE("strides may be longer than the image and end within a full result") {
    for (const ConvolveTuning& tuning : {blocks, threads})
        for (const Boundary mode : {Boundary::full, Boundary::same, Boundary::valid})
            for (const std::int64_t stride : {3, 4, 5, 6, 7, 8, 1000000000}) {
                const ConvolveOptions options{
                    .mode = mode, .stride = {stride, 9 - std::min<std::int64_t>(stride, 8)}, .tuning = tuning};
                check<int>({1, 1, 3, 5}, {1, 1, mode == Boundary::valid ? 2 : 5, 4}, options);
            }
    check<float>({1, 1, 300, 300}, {1, 1, 4, 3}, {.stride = {302, 301}, .tuning = blocks});
    const auto image = ones<float>({5, 5}), filter = ones<float>({3, 3});
    for (const std::int64_t stride : {std::int64_t{1} << 40, INT64_MAX})
        CHECK(correlate2d(image, filter, {.stride = stride}).get() == std::vector<float>{1});
    check<float>({1, 1, 300, 300}, {1, 1, 4, 3},
                 {.border = PadMode::symmetric, .stride = {302, 301}, .tuning = threads});
    const auto x = to_gpu(std::vector<float>{1, 2, 3, 4, 5});
    CHECK(convolve(x, x, {.stride = 7}).get() == std::vector<float>{1, 40});
    CHECK(convolve(x, x, {.stride = 9}).get() == std::vector<float>{1});
}

TEST_CASE("a separable filter is a column times a row") {
    const auto image = whole<float>({2, 20, 31}, 1), column = whole<float>({5}, 2), row = whole<float>({4}, 3);
    const auto filter = (column(slice(), newaxis) * row).eval();
    for (const Boundary mode : {Boundary::full, Boundary::same, Boundary::valid}) {
        const ConvolveOptions options{.mode = mode, .border = PadMode::symmetric, .stride = {2, 1}};
        CHECK(convolve_separable(image, column, row, options).get() == convolve2d(image, filter, options).get());
    }
}

TEST_CASE("convolutions of nothing are empty or zero") {
    CHECK(correlate2d(zeros<float>({0, 3, 8, 8}), zeros<float>({2, 3, 3, 3})).shape() == Shape{0, 2, 10, 10});
    CHECK(correlate2d(zeros<float>({3, 8, 8}), zeros<float>({0, 3, 3, 3})).shape() == Shape{0, 10, 10});
    const auto no_channels = correlate2d(zeros<float>({0, 8, 8}), zeros<float>({2, 0, 3, 3}));
    CHECK(no_channels.get() == std::vector<float>(200, 0.0f));
}

TEST_CASE("convolutions refuse what does not fit") {
    const auto image = zeros<float>({3, 8, 8}), filter = zeros<float>({3, 3}), bank = zeros<float>({2, 4, 3, 3});
    CHECK(refusal([&] { correlate2d(image, bank); }) ==
          "correlate2d: an image of shape (3, 8, 8) and a filter of shape (2, 4, 3, 3): expected equal channels, "
          "got 3 and 4");
    CHECK(refusal([&] { convolve2d(image, zeros<float>({9, 3}), {.mode = Boundary::valid}); }) ==
          "convolve2d: an image of shape (3, 8, 8) and a filter of shape (9, 3): the filter is larger than the image; "
          "use "
          "Boundary::same or Boundary::full");
    CHECK(refusal([&] { convolve2d(image, zeros<float>({3})); }).find("expected filters (rows, columns)") !=
          std::string::npos);
    CHECK(refusal([&] {
              convolve2d(zeros<float>({8, 8}), bank);
          }).find("expected images (..., channels, rows, columns)") != std::string::npos);
    CHECK(refusal([&] { correlate2d(image, filter, {.stride = 0}); }) ==
          "correlate2d: expected strides of at least 1, got {0, 0}");
    CHECK(refusal([&] { correlate2d(image, GPUArray<float>()); }) ==
          "correlate2d: the filter is an empty handle; assign an array to it first");
    CHECK(refusal([&] { correlate2d(image, zeros<float>({0, 3})); }).find("expected at least one element in each") !=
          std::string::npos);
    CHECK(refusal([&] {
              correlate2d(image, filter, {.border = PadMode::wrap, .fill = 2});
          }).find("a fill needs the border PadMode::constant") != std::string::npos);
    CHECK(refusal([&] {
              correlate2d(image.astype<std::int8_t>(), filter.astype<std::int8_t>(), {.fill = 300});
          }).find("300 is not a value of int8_t") != std::string::npos);
    CHECK(refusal([&] { convolve(image, filter); }).find("at least one axis of the image and one axis of the filter") !=
          std::string::npos);
    CHECK(refusal([&] { convolve(image, filter(0), {.axis = 3}); }) ==
          "convolve: axis 3 is out of range for shape (3, 8, 8) with 3 axes");
    CHECK(refusal([&] { convolve_separable(image, filter(0), filter(0), {.fill = 1}); }).find("expected a fill of 0") !=
          std::string::npos);
    CHECK(sum(correlate2d(image, filter)).item() == 0);
}

TEST_SUITE_END();
