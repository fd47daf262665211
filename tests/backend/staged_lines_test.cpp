/// Lines whose length 16 bytes do not divide: reductions and row programs copy them to shared memory as one piece, and
/// element-wise kernels read broadcast rows and columns beside wide accesses. All beside host loops.
#include "generator_support.hpp"

#include <gemel/arrays/lazy.hpp>
#include <gemel/arrays/stored_tuning.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace gemel;
using namespace gemel::testing;

namespace {

constexpr std::array<std::array<std::int64_t, 2>, 12> odd_shapes{{{37, 257},
                                                                  {1000, 31},
                                                                  {301, 7},
                                                                  {777, 50},
                                                                  {129, 1021},
                                                                  {10001, 10},
                                                                  {5, 3},
                                                                  {513, 2},
                                                                  {33, 2039},
                                                                  {1, 37},
                                                                  {4001, 1},
                                                                  {7, 4099}}};

/// Whole numbers from -11 to 11, so that sums of 16-bit floats are exact.
template <class T>
std::vector<T> numbers(std::size_t count) {
    std::vector<T> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<T>(static_cast<float>((i * 7919 + i / 13) % 23) - 11);
    return all;
}

template <class T>
double number(T value) {
    return static_cast<double>(static_cast<float>(value));
}
double number(double value) { return value; }

/// A matrix that begins at this element of a larger array, so at any position in 16 bytes.
template <class T>
struct Matrix {
    Matrix(std::int64_t row_count, std::int64_t length, std::int64_t first)
        : rows(row_count),
          columns(length),
          begin(first),
          host(numbers<T>(static_cast<std::size_t>(rows * columns + first))) {
        array = GPUArray<T>(to_gpu(host)(slice(begin, begin + rows * columns))).reshape({rows, columns});
    }
    double at(std::int64_t row, std::int64_t column) const {
        return number(host[static_cast<std::size_t>(begin + row * columns + column)]);
    }

    std::int64_t rows, columns, begin;
    std::vector<T> host;
    GPUArray<T> array{};
};

bool is_short() { return std::getenv("GEMEL_TEST_SHORT"); }

/// Calls `check` with matrices of all shapes, at three positions; with GEMEL_TEST_SHORT of six shapes at one position
/// each, and on CPU devices, which stage nothing and compile for longer, of four.
template <class T, class Check>
void for_matrices(const Check& check) {
    const bool is_cpu = default_context().device().info().type == DeviceInfo::Type::cpu;
    const std::size_t count = is_cpu ? 4 : is_short() ? 6 : odd_shapes.size();
    for (std::size_t k = 0; k < count; ++k) {
        const auto [rows, columns] = odd_shapes[k];
        for (std::int64_t first = 0; first < 3; ++first) {
            if ((is_cpu || is_short()) && first != static_cast<std::int64_t>(k % 3)) continue;
            CAPTURE(rows);
            CAPTURE(columns);
            CAPTURE(first);
            check(Matrix<T>(rows, columns, first));
        }
    }
}

template <class R>
bool is_near(const R& found, double expected, double precision) {
    return std::fabs(number(found) - expected) <= precision * std::max(1.0, std::fabs(expected));
}

/// Whether all elements are near what `expected` gives for their row and column.
template <class T, class Expected>
bool are_near(const GPUArray<T>& found, std::int64_t columns, double precision, const Expected& expected) {
    const std::vector<T> host = found.get();
    for (std::size_t i = 0; i < host.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        if (is_near(host[i], expected(at / columns, at % columns), precision)) continue;
        MESSAGE("element ", i, ": ", number(host[i]), ", expected ", expected(at / columns, at % columns));
        return false;
    }
    return true;
}

struct OfLine {
    double sum = 0, products = 0, squares = 0, largest = -100, exponentials = 0;
    std::int64_t place = 0, count = 0;

    void add(double value, double factor) {
        sum += value;
        products += value * factor;
        squares += value * value;
        exponentials += std::exp(value - 11);
        if (value > largest) largest = value, place = count;
        ++count;
    }
    double mean() const { return sum / static_cast<double>(count); }
    double variance() const { return squares / static_cast<double>(count) - mean() * mean(); }
    double softmax(double value) const { return std::exp(value - 11) / exponentials; }
};

/// Of each row (axis 1) or column (axis 0). The products are with the elements of row 0.
template <class T>
std::vector<OfLine> lines_of(const Matrix<T>& x, int axis) {
    std::vector<OfLine> lines(static_cast<std::size_t>(axis == 1 ? x.rows : x.columns));
    for (std::int64_t row = 0; row < x.rows; ++row)
        for (std::int64_t column = 0; column < x.columns; ++column)
            lines[static_cast<std::size_t>(axis == 1 ? row : column)].add(x.at(row, column), x.at(0, column));
    return lines;
}

template <class T>
void check_reductions(double precision) {
    for_matrices<T>([&](const Matrix<T>& x) {
        for (const int axis : {0, 1}) {
            CAPTURE(axis);
            const std::vector<OfLine> lines = lines_of(x, axis);
            const auto line = [&](std::int64_t k) { return lines[static_cast<std::size_t>(k)]; };
            const auto found = [&](const auto& array, double within, const auto& expected) {
                return are_near(array, 1, within, [&](std::int64_t k, std::int64_t) { return expected(line(k)); });
            };
            CHECK(found(sum(x.array, axis), precision, [](const OfLine& l) { return l.sum; }));
            CHECK(found(max(x.array, axis), 0, [](const OfLine& l) { return l.largest; }));
            CHECK(found(argmax(x.array, axis), 0, [](const OfLine& l) { return static_cast<double>(l.place); }));
            CHECK(found(var(x.array, axis), 2 * precision, [](const OfLine& l) { return l.variance(); }));
            const auto wide = astype<float>(x.array);
            CHECK(found(sum(wide * wide, axis), 1e-5, [](const OfLine& l) { return l.squares; }));
            const GPUArray<T> row = GPUArray<T>(x.array(slice(0, 1)));
            CHECK(found(sum(wide * row, axis), 1e-5, [](const OfLine& l) { return l.products; }));
        }
    });
}

template <class T>
void check_rows(double precision) {
    for_matrices<T>([&](const Matrix<T>& x) {
        const std::vector<OfLine> lines = lines_of(x, 1);
        const auto line = [&](std::int64_t row) { return lines[static_cast<std::size_t>(row)]; };
        const auto found = [&](const auto& array, double within, const auto& expected) {
            return are_near(array, x.columns, within, [&](std::int64_t row, std::int64_t column) {
                return expected(line(row), x.at(row, column));
            });
        };
        const auto softened = [](const OfLine& l, double value) { return l.softmax(value); };
        CHECK(found(GPUArray<T>(softmax(x.array, 1)), precision, softened));
        CHECK(found(GPUArray<T>(standardize(x.array, 1, 0.25)), 4 * precision,
                    [](const OfLine& l, double value) { return (value - l.mean()) / std::sqrt(l.variance() + 0.25); }));
        // In place: each block stores only rows that it has copied.
        GPUArray<T> y = x.array.copy();
        y = softmax(y, 1);
        CHECK(found(y, precision, softened));
        // Two arrays, at different positions in 16 bytes, and results that are stored once per row.
        y = x.array.copy();
        const auto [scaled, largest, place] =
            evaluate(x.array + y - lazy::max(x.array, 1), lazy::max(y, 1), lazy::argmax(x.array, 1));
        CHECK(
            found(GPUArray<T>(scaled), precision, [](const OfLine& l, double value) { return 2 * value - l.largest; }));
        const auto once = [&](const auto& array, const auto& expected) {
            return are_near(array, 1, 0, [&](std::int64_t row, std::int64_t) { return expected(line(row)); });
        };
        CHECK(once(GPUArray<T>(largest), [](const OfLine& l) { return l.largest; }));
        CHECK(once(GPUArray<std::int64_t>(place), [](const OfLine& l) { return static_cast<double>(l.place); }));
    });
}

/// Arrays of at least 2^22 elements, from which on rows and columns stand beside wide accesses.
template <class T>
void check_broadcasts(std::int64_t columns) {
    CAPTURE(columns);
    const Matrix<T> x((std::int64_t{1} << 22) / columns + 3, columns, 1);
    const GPUArray<T> row = GPUArray<T>(x.array(slice(2, 3))), column = GPUArray<T>(x.array(ellipsis, slice(0, 1)));
    const auto is_right = [&](const GPUArray<T>& found, const auto& expected) {
        return are_near(found, columns, 0,
                        [&](std::int64_t r, std::int64_t c) { return expected(x.at(r, c), x.at(2, c), x.at(r, 0)); });
    };
    CHECK(is_right(x.array + row, [](double a, double b, double) { return a + b; }));
    CHECK(is_right(x.array - column.copy(), [](double a, double, double c) { return a - c; }));
    CHECK(is_right(x.array * row.copy() + column, [](double a, double b, double c) { return a * b + c; }));
    CHECK(is_right(column * row, [](double, double b, double c) { return b * c; }));
    GPUArray<T> y = x.array.copy();
    y += row;
    CHECK(is_right(y, [](double a, double b, double) { return a + b; }));
}

/// Columns of matrices of at least 2^26 elements.
template <class T>
void check_large_columns(std::int64_t matrices, std::int64_t rows, std::int64_t columns) {
    CAPTURE(matrices);
    const std::vector<T> host = numbers<T>(static_cast<std::size_t>(matrices * rows * columns));
    const GPUArray<T> x = to_gpu(host, {matrices, rows, columns});
    std::vector<double> sums(static_cast<std::size_t>(matrices * columns)), largest(sums.size(), -100);
    std::size_t i = 0;
    for (std::int64_t matrix = 0; matrix < matrices; ++matrix)
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t column = 0; column < columns; ++column, ++i) {
                const auto k = static_cast<std::size_t>(matrix * columns + column);
                sums[k] += number(host[i]);
                largest[k] = std::max(largest[k], number(host[i]));
            }
    const auto is_right = [](const auto& found, const std::vector<double>& expected) {
        return are_near(found, 1, 0,
                        [&](std::int64_t k, std::int64_t) { return expected[static_cast<std::size_t>(k)]; });
    };
    CHECK(is_right(sum(x, 1), sums));
    CHECK(is_right(max(x, 1), largest));
}

}  // namespace

TEST_SUITE_BEGIN("staged");

TEST_CASE("reductions of rows and columns of odd lengths") {
    check_reductions<float>(1e-5);
    check_reductions<half>(2e-3);
    check_reductions<std::int8_t>(1e-5);
    if (!is_short()) check_reductions<double>(1e-12);
}

TEST_CASE("row programs of rows of odd lengths") {
    check_rows<float>(1e-5);
    check_rows<half>(4e-3);
    if (!is_short()) check_rows<bfloat16>(2e-2);
}

TEST_CASE("explain names rows that are copied as one piece") {
    const GPUArray<float> odd = zeros<float>({300, 31}), whole = zeros<float>({300, 32});
    const bool is_gpu = odd.context().device().info().type == DeviceInfo::Type::gpu;
    const auto is_staged = [](const GPUArray<float>& x) {
        return explain(softmax(x, 1)).find("to which the block's rows are copied as one piece") != std::string::npos;
    };
    CHECK(is_staged(odd) == is_gpu);
    CHECK(!is_staged(whole));
}

TEST_CASE("columns that no block can keep are no row program on a GPU") {
    const auto kernels = [](const GPUArray<float>& x) { return std::stoi(explain(softmax(x, 0))); };
    const GPUArray<float> kept = zeros<float>({4096, 257}), longer = zeros<float>({40000, 257});
    const bool is_gpu = kept.context().device().info().type == DeviceInfo::Type::gpu;
    CHECK(kernels(kept) == 1);
    CHECK((kernels(longer) > 1) == is_gpu);
}

TEST_CASE("rows and columns that are broadcast over large arrays") {
    for (const std::int64_t columns : {3, 10, 257, 4096}) {
        check_broadcasts<float>(columns);
        check_broadcasts<half>(columns);
    }
}

TEST_CASE("columns of large matrices of odd widths") {
    check_large_columns<std::int8_t>(1, 261127, 257);
    check_large_columns<std::int8_t>(67, 4099, 257);
}

TEST_CASE("running values of large blocks fit beside a stage, or nothing is staged") {
    if (default_context().device().info().type != DeviceInfo::Type::gpu) {
        MESSAGE("left out: a CPU device stages nothing");
        return;
    }
    const std::int64_t rows = 261127, columns = 257;
    const codegen::Workload work{.count = static_cast<std::size_t>(rows),
                                 .item_bytes = 1,
                                 .arrays = 1,
                                 .outputs = static_cast<std::size_t>(columns)};
    const GPUArray<std::int8_t> x = ones<std::int8_t>({rows, columns});
    for (const std::uint32_t block : {64, 512, 1024}) {
        CAPTURE(block);
        store_tuning(default_context(), work,
                     codegen::ReductionTuning{.block = block, .access_bytes = 16, .unroll = 4, .blocks_per_unit = 8});
        CHECK(min(sum(x, 0)).item() == rows);
        CHECK(max(sum(x, 0)).item() == rows);
    }
    store_tuning(default_context(), work, codegen::ReductionTuning{});
}

TEST_SUITE_END();
