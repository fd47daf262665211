/// pad in all modes, against NumPy's examples and a loop on the host.
#include "array_support.hpp"
#include "generator_support.hpp"

#include <gemel/core/text.hpp>

using namespace gemel;
using namespace gemel::testing;

namespace science {
struct Cell {
    float mass;
    std::int32_t kind, owner;
};
GEMEL_STRUCT(Cell, mass, kind, owner)
}  // namespace science

namespace {

using Ints = std::vector<std::int32_t>;

/// The index inside n elements that stands at c, walking step by step; -1 for a constant.
std::int64_t inside(std::int64_t c, std::int64_t n, PadMode mode) {
    if (c >= 0 && c < n) return c;
    switch (mode) {
        case PadMode::edge: return c < 0 ? 0 : n - 1;
        case PadMode::wrap: return inside(c < 0 ? c + n : c - n, n, mode);
        case PadMode::reflect: return n == 1 ? 0 : inside(c < 0 ? -c : 2 * (n - 1) - c, n, mode);
        case PadMode::symmetric: return inside(c < 0 ? -1 - c : 2 * n - 1 - c, n, mode);
        default: return -1;
    }
}

template <class T>
void check_pad(const char* type, std::initializer_list<PadMode> modes) {
    const Shape shape{3, 1, 4};
    const std::vector<PadWidth> widths[] = {
        {{1, 2}, {0, 0}, {0, 0}}, {{0, 0}, {2, 1}, {5, 9}}, {{2, 0}, {0, 3}, {1, 1}}, {{0, 0}, {0, 0}, {0, 0}}};
    const T value = detail::element_of<T>(1);
    for (const Form form : forms)
        for (const PadMode mode : modes)
            for (const auto& width : widths) {
                GPUArray<T> x;
                const auto values = fill_in<T>(form, shape, x, small_values<T>(12, 3));
                Shape result = shape;
                for (std::size_t axis = 0; axis < 3; ++axis) result[axis] += width[axis].before + width[axis].after;
                std::vector<HostElement<T>> expected;
                for (std::int64_t a = 0; a < result[0]; ++a)
                    for (std::int64_t b = 0; b < result[1]; ++b)
                        for (std::int64_t c = 0; c < result[2]; ++c) {
                            const std::int64_t p = inside(a - width[0].before, shape[0], mode),
                                               q = inside(b - width[1].before, shape[1], mode),
                                               r = inside(c - width[2].before, shape[2], mode);
                            expected.push_back(
                                p < 0 || q < 0 || r < 0
                                    ? static_cast<HostElement<T>>(value)
                                    : values[static_cast<std::size_t>((p * shape[1] + q) * shape[2] + r)]);
                        }
                const GPUArray<T> padded = pad(x, width, mode, 1);
                CHECK(padded.shape() == result);
                CHECK_SAME(expected, padded.get(), type, " ", name_of(form), " mode ", static_cast<int>(mode));
            }
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("borders of every mode for every type and layout") {
    check_pad<std::int8_t>("int8", {PadMode::constant, PadMode::wrap});
    check_pad<bool>("bool", {PadMode::constant, PadMode::wrap});
    check_pad<half>("half", {PadMode::constant, PadMode::wrap});
    check_pad<float>("float", {PadMode::constant, PadMode::edge, PadMode::reflect, PadMode::symmetric, PadMode::wrap});
    check_pad<cfloat>("cfloat", {PadMode::constant, PadMode::wrap});
    if (!lacks_double()) check_pad<double>("double", {PadMode::reflect});
}

TEST_CASE("borders are NumPy's") {
    const auto x = to_gpu(Ints{1, 2, 3, 4});
    CHECK(pad(x, {{2, 3}}).get() == Ints{0, 0, 1, 2, 3, 4, 0, 0, 0});
    CHECK(pad(x, {{1, 1}}, PadMode::constant, 9).get() == Ints{9, 1, 2, 3, 4, 9});
    CHECK(pad(x, {{2, 1}}, PadMode::edge).get() == Ints{1, 1, 1, 2, 3, 4, 4});
    CHECK(pad(x, {{2, 1}}, PadMode::reflect).get() == Ints{3, 2, 1, 2, 3, 4, 3});
    CHECK(pad(x, {{2, 1}}, PadMode::symmetric).get() == Ints{2, 1, 1, 2, 3, 4, 4});
    CHECK(pad(x, {{2, 1}}, PadMode::wrap).get() == Ints{3, 4, 1, 2, 3, 4, 1});
    // np.pad([1, 2, 3], (7, 8), 'reflect')
    CHECK(pad(x(slice(3)), {{7, 8}}, PadMode::reflect).get() ==
          Ints{2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3});
    CHECK(pad(x.reshape({2, 2}), 1).get() == Ints{0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0});
    CHECK(pad(2 * x, {{1, 0}}).get() == Ints{0, 2, 4, 6, 8});
    CHECK(pad(x.reshape({2, 2}), {{0, 1}, {1, 0}}, PadMode::edge).get() == Ints{1, 1, 2, 3, 3, 4, 3, 3, 4});
}

TEST_CASE("borders around nothing and around single values") {
    CHECK(pad(zeros<float>({0, 2}), {{1, 0}, {0, 1}}, PadMode::constant, 3).get() == std::vector<float>{3, 3, 3});
    CHECK(pad(zeros<float>({0, 2}), {{0, 0}, {0, 1}}, PadMode::edge).shape() == Shape{0, 3});
    CHECK(pad(counted({3})(2), 4).item() == 2);
    CHECK_THROWS_MENTIONING(ArgumentError, pad(zeros<float>({0, 2}), 1, PadMode::wrap), "axis 0", "constant");
}

TEST_CASE("structs get a border of structs") {
    const auto x = to_gpu(std::vector<science::Cell>{{1, 2, 3}, {4, 5, 6}});
    const auto padded = pad(x, {{1, 2}}, PadMode::constant, science::Cell{7, 8, 9}).get();
    CHECK(padded[0].owner == 9);
    CHECK(padded[2].mass == 4);
    CHECK(padded[4].kind == 8);
    CHECK(pad(x, {{1, 2}}).get()[4].kind == 0);
    CHECK(pad(x, {{1, 0}}, PadMode::reflect).get()[0].kind == 5);
}

TEST_CASE("many axes get a border") {
    Shape shape;
    for (int axis = 0; axis < 12; ++axis) shape.push_back(1);
    const auto padded = pad(ones<float>(shape), {{0, 1}}, PadMode::symmetric);
    CHECK(padded.size() == 4096);
    CHECK(sum(padded).item() == 4096);
    CHECK(sum(pad(ones<float>(shape), {{1, 0}})).item() == 1);
    while (shape.rank() < 17) shape.push_back(1);
    const auto behind = pad(ones<std::int8_t>(shape), std::vector<PadWidth>(17, {0, 1}), PadMode::edge);
    CHECK(behind.size() == 1 << 17);
    CHECK(sum(behind).item() == 1 << 17);
}

TEST_CASE("borders that lie together or apart among many axes are found") {
    for (const bool together : {true, false}) {
        Shape shape;
        std::vector<PadWidth> widths;
        for (int axis = 0; axis < 26; ++axis) {
            const bool has_border = together ? axis >= 13 : axis % 2 == 1;
            shape.push_back(axis < 4 ? 2 : 1);
            widths.push_back(has_border ? PadWidth{1, 0} : PadWidth{});
        }
        const auto padded = pad(ones<std::int8_t>(shape), widths, PadMode::constant, 2);
        CHECK(padded.rank() == 26);
        CHECK(sum(padded).item() == 2 * static_cast<std::int64_t>(padded.size()) - 16);
    }
    // No borders at all, along axes that cannot be joined.
    Shape shape;
    for (int axis = 0; axis < 20; ++axis) shape.push_back(2);
    const auto x = zeros<std::int8_t>(shape).transpose();
    x.fill(1);
    CHECK(sum(pad(x, std::vector<PadWidth>(20))).item() == 1 << 20);
}

TEST_CASE("borders that cannot be are refused") {
    const auto x = counted({2, 3});
    CHECK_THROWS_MENTIONING(ArgumentError, pad(x, {{1, 1}, {-1, 0}}), "axis 1", "negative");
    CHECK_THROWS_MENTIONING(ArgumentError, pad(x, {{1, 1}, {1, 1}, {1, 1}}), "3 widths", "(2, 3)");
    CHECK_THROWS_MENTIONING(ArgumentError, pad(x, 1, PadMode::constant, 1.5), "1.5", "int32_t");
    CHECK_THROWS_MENTIONING(ArgumentError, pad(GPUArray<float>(), 1), "pad", "empty handle");
    CHECK_THROWS_MENTIONING(ArgumentError, pad(x, INT64_MAX), "pad: ", "9223372036854775807", "64 bits");
    CHECK_THROWS_MENTIONING(ArgumentError, pad(x, std::int64_t{1} << 62), "pad: ", "64 bits");
}

TEST_CASE("arrays of unknown type get borders of zeros or a number") {
    const AnyArray x = counted<std::int8_t>({2});
    CHECK(pad(x, 1).get<std::int8_t>() == std::vector<std::int8_t>{0, 0, 1, 0});
    CHECK(pad(x, {{1, 2}}, PadMode::constant, 7).get<std::int8_t>() == std::vector<std::int8_t>{7, 0, 1, 7, 7});
    CHECK(pad(x, 1, PadMode::edge).get<std::int8_t>() == std::vector<std::int8_t>{0, 0, 1, 1});
    CHECK_THROWS_MENTIONING(ArgumentError, pad(x, 1, PadMode::constant, 300), "300", "int8_t");
}

TEST_SUITE_END();
