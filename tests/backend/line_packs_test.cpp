/// Large arrays that are not contiguous: broadcasts of any axes, slices, arrays read backwards or in steps, and results
/// written into slices, beside host loops. These are the sizes at which kernels access such arrays by packs.
#include "generator_support.hpp"

#include <gemel/arrays/rearrange.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>

using namespace gemel;
using namespace gemel::testing;

namespace lines {
struct Pair {
    float x, y;
};
GEMEL_STRUCT(Pair, x, y)
}  // namespace lines

namespace {

using Place = std::array<std::int64_t, 3>;

/// Whole numbers from -5 to 5, so that products of three are exact in all types.
double number_at(std::int64_t i, std::int64_t kind) {
    return static_cast<double>((i * 31 + i / 7 + kind * 5) % 11 - 5);
}

template <class T>
T as(double value) {
    return static_cast<T>(static_cast<float>(value));
}

template <class T>
double number(T value) {
    return static_cast<double>(static_cast<float>(value));
}

/// An array of up to three axes, and what is at a place of the whole shape.
template <class T>
struct Operand {
    Operand(const Place& shape, std::int64_t which) : kind(which), extents(shape) {
        std::vector<T> host(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
        for (std::size_t i = 0; i < host.size(); ++i) host[i] = as<T>(number_at(static_cast<std::int64_t>(i), which));
        array = to_gpu(host).reshape({shape[0], shape[1], shape[2]});
    }
    double at(const Place& place) const {
        std::int64_t position = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
            position = position * extents[axis] + (extents[axis] == 1 ? 0 : place[axis]);
        return number_at(position, kind);
    }

    std::int64_t kind;
    Place extents;
    GPUArray<T> array{};
};

/// Compares an array of three axes with a function of the place.
template <class T>
void compare(const char* what, const GPUArray<T>& result, const std::function<double(const Place&)>& expected) {
    CAPTURE(what);
    const auto host = result.get();
    const std::int64_t rows = result.shape()[1], columns = result.shape()[2];
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < host.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        wrong += number(host[i]) != expected({at / (rows * columns), at / columns % rows, at % columns});
    }
    CHECK(wrong == 0);
}

constexpr std::array<Place, 5> shapes{
    {{17, 61, 4112}, {67, 1337, 49}, {2, 1501, 1401}, {1029, 1, 4099}, {301, 4801, 3}}};

/// How many of the shapes a short run has.
std::size_t shape_count() { return std::getenv("GEMEL_TEST_SHORT") ? 2 : shapes.size(); }

template <class T>
void check_broadcasts(const Place& s) {
    const Operand<T> x(s, 0), factor({1, s[1], 1}, 1), row({1, 1, s[2]}, 2), column({s[0], s[1], 1}, 3),
        lines({s[0], 1, s[2]}, 4), number_of_each({s[0], 1, 1}, 5), one({1, 1, 1}, 6), matrix({1, s[1], s[2]}, 7);
    using Result = const GPUArray<T>;
    compare("a factor per row", Result(x.array * factor.array),
            [&](const Place& at) { return x.at(at) * factor.at(at); });
    compare("factor, row and lines", Result((x.array - factor.array) * row.array + lines.array),
            [&](const Place& at) { return (x.at(at) - factor.at(at)) * row.at(at) + lines.at(at); });
    compare("a column, and a number per matrix", Result(x.array * column.array + number_of_each.array),
            [&](const Place& at) { return x.at(at) * column.at(at) + number_of_each.at(at); });
    compare("one element, and a matrix", Result(x.array * one.array - matrix.array),
            [&](const Place& at) { return x.at(at) * one.at(at) - matrix.at(at); });
    compare("nothing that is contiguous", Result(column.array * row.array),
            [&](const Place& at) { return column.at(at) * row.at(at); });
    compare("two axes each", Result(lines.array + factor.array),
            [&](const Place& at) { return lines.at(at) + factor.at(at); });
}

Slice all() { return slice(); }

/// Part of an operand, and the place of its elements in it.
template <class T>
struct Part {
    const char* name;
    GPUArray<T> array;
    std::function<Place(const Place&)> place;
};

/// Parts of one array by which it can be read and written.
template <class T>
std::vector<Part<T>> parts_of(const GPUArray<T>& x, const Place& s) {
    std::vector<Part<T>> parts;
    const auto add = [&](const char* name, const GPUArray<T>& array, const std::function<Place(const Place&)>& place) {
        if (array.size() > 0) parts.push_back({name, array, place});
    };
    add("without the first column", x(all(), all(), slice(1, s[2])),
        [](const Place& at) -> Place { return {at[0], at[1], at[2] + 1}; });
    add("the first columns", x(all(), all(), slice(0, s[2] / 8 * 8)), [](const Place& at) { return at; });
    add("without the first row", x(all(), slice(1, s[1])),
        [](const Place& at) -> Place { return {at[0], at[1] + 1, at[2]}; });
    add("each second row", x(all(), slice(0, s[1], 2)),
        [](const Place& at) -> Place { return {at[0], 2 * at[1], at[2]}; });
    add("each second column", x(all(), all(), slice(0, s[2], 2)),
        [](const Place& at) -> Place { return {at[0], at[1], 2 * at[2]}; });
    add("columns backwards", flip(x, 2), [=](const Place& at) -> Place { return {at[0], at[1], s[2] - 1 - at[2]}; });
    add("matrices backwards", flip(x, 0), [=](const Place& at) -> Place { return {s[0] - 1 - at[0], at[1], at[2]}; });
    return parts;
}

template <class T>
void check_parts(const Place& s) {
    const Operand<T> x(s, 0);
    for (const Part<T>& part : parts_of(x.array, s)) {
        CAPTURE(part.name);
        compare("read", GPUArray<T>(part.array + as<T>(1)), [&](const Place& at) { return x.at(part.place(at)) + 1; });
        // The rest of an array that is written in part stays.
        const GPUArray<T> y = full_like(x.array, as<T>(7));
        std::vector<bool> is_written(x.array.size());
        const auto target = parts_of(y, s);
        const auto& to = *std::find_if(target.begin(), target.end(),
                                       [&](const Part<T>& p) { return std::string(p.name) == part.name; });
        to.array.assign(part.array * as<T>(2));
        for (std::int64_t a = 0; a < part.array.shape()[0]; ++a)
            for (std::int64_t b = 0; b < part.array.shape()[1]; ++b)
                for (std::int64_t c = 0; c < part.array.shape()[2]; ++c) {
                    const Place at = part.place({a, b, c});
                    is_written[static_cast<std::size_t>((at[0] * s[1] + at[1]) * s[2] + at[2])] = true;
                }
        compare("written", y, [&](const Place& at) {
            return is_written[static_cast<std::size_t>((at[0] * s[1] + at[1]) * s[2] + at[2])] ? 2 * x.at(at) : 7;
        });
    }
}

template <class T>
void check_all(const Place& shape) {
    CAPTURE(shape[2]);
    CAPTURE(dtype_of<T>().name());
    check_broadcasts<T>(shape);
    check_parts<T>(shape);
}

}  // namespace

TEST_SUITE_BEGIN("backend");

TEST_CASE("broadcasts and parts of large arrays of floats") {
    for (std::size_t k = 0; k < shape_count(); ++k) check_all<float>(shapes[k]);
}

TEST_CASE("broadcasts and parts of large arrays of other sizes") {
    check_all<std::int8_t>(shapes[0]);
    check_all<half>(shapes[1]);
    if (shape_count() < shapes.size()) return;
    check_all<std::int8_t>(shapes[2]);
    check_all<half>(shapes[2]);
    check_all<std::int16_t>(shapes[4]);
}

TEST_CASE("kernels of large slices: elements that are not written, neighbours, and positions") {
    const std::int64_t rows = 1601, columns = 3200, pitch = 3208;
    std::vector<float> values(static_cast<std::size_t>(rows * pitch));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(number_at(static_cast<std::int64_t>(i), 3));
    const GPUArray<float> x = to_gpu(values).reshape({rows, pitch}), y = full<float>({rows, pitch}, 100.0f);
    const auto part = [&](const GPUArray<float>& array) { return array(slice(), slice(4, 4 + columns)); };
    const ElementwiseKernel positive("const float *x, float *y", "if (x[i] > 0) y[i] = x[i]", "positive_only");
    positive(part(x), part(y));
    const ElementwiseKernel steps("const float *x, float *y", "y[i] = i > 0 ? x[i] - x[i - 1] + i % 5 : 0", "steps");
    const GPUArray<float> z = empty<float>({rows, columns});
    steps(part(x), z);
    const auto written = y.get(), differences = z.get();
    const auto at = [&](std::int64_t i) {
        return values[static_cast<std::size_t>(i / columns * pitch + 4 + i % columns)];
    };
    std::size_t wrong = 0;
    for (std::int64_t i = 0; i < rows * pitch; ++i) {
        const bool is_inside = i % pitch >= 4 && i % pitch < 4 + columns;
        const float value = values[static_cast<std::size_t>(i)];
        wrong += written[static_cast<std::size_t>(i)] != (is_inside && value > 0 ? value : 100.0f);
    }
    CHECK(wrong == 0);
    for (std::int64_t i = 0; i < rows * columns; ++i)
        wrong +=
            differences[static_cast<std::size_t>(i)] != (i > 0 ? at(i) - at(i - 1) + static_cast<float>(i % 5) : 0.0f);
    CHECK(wrong == 0);
}

TEST_CASE("structs in large arrays with gaps") {
    using Pair = std::complex<float>;
    const std::int64_t rows = 2100, columns = 2001;
    std::vector<Pair> values(static_cast<std::size_t>(rows * columns));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        values[i] = {static_cast<float>(number_at(at, 1)), static_cast<float>(number_at(at, 2))};
    }
    const GPUArray<Pair> x = to_gpu(values).reshape({rows, columns});
    const GPUArray<Pair> part = x(slice(), slice(1, columns)) * x(slice(), slice(0, 1));
    const auto host = part.get();
    std::size_t wrong = 0;
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 1; column < columns; ++column) {
            const auto at = [&](std::int64_t k) { return values[static_cast<std::size_t>(row * columns + k)]; };
            wrong += host[static_cast<std::size_t>(row * (columns - 1) + column - 1)] != at(column) * at(0);
        }
    CHECK(wrong == 0);
}

TEST_CASE("structs beside a factor that is broadcast") {
    using lines::Pair;
    const std::int64_t rows = 2100, columns = 2004;
    std::vector<Pair> values(static_cast<std::size_t>(rows * columns));
    std::vector<float> factors(static_cast<std::size_t>(columns));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = {static_cast<float>(number_at(static_cast<std::int64_t>(i), 1)), static_cast<float>(i % 1000)};
    for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = static_cast<float>(i % 7);
    const GPUArray<Pair> x = to_gpu(values).reshape({rows, columns}), y(default_context(), {rows, columns});
    const ElementwiseKernel scale("const Pair *x, const float *f, Pair *y", "y[i].x = f[i] * x[i].x; y[i].y = x[i].y",
                                  "scale_pairs");
    scale(x, to_gpu(factors).broadcast_to({rows, columns}), y);
    const auto host = y.get();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        wrong += host[i].x != factors[i % factors.size()] * values[i].x || host[i].y != values[i].y;
    CHECK(wrong == 0);
}

TEST_SUITE_END();
