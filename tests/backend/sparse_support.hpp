/// Sparse matrices on the host, as what the suites of sparse matrices compare with. Values are small whole numbers, so
/// that sums in any order have the same bits.
#pragma once

#include "array_support.hpp"
#include "generator_support.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace gemel::testing {

/// Entries by place, and the triples that they came from.
template <class T>
struct HostMatrix {
    std::int64_t rows = 0, columns = 0;
    std::vector<std::int32_t> row_numbers = {}, column_numbers = {};
    std::vector<T> values = {};

    void add(std::int64_t row, std::int64_t column, T value) {
        row_numbers.push_back(static_cast<std::int32_t>(row));
        column_numbers.push_back(static_cast<std::int32_t>(column));
        values.push_back(value);
    }
    std::map<std::pair<std::int64_t, std::int64_t>, T> entries() const {
        std::map<std::pair<std::int64_t, std::int64_t>, T> all;
        for (std::size_t k = 0; k < values.size(); ++k) all[{row_numbers[k], column_numbers[k]}] += values[k];
        return all;
    }
    std::vector<T> dense() const {
        std::vector<T> all(static_cast<std::size_t>(rows * columns));
        for (const auto& [place, value] : entries())
            all[static_cast<std::size_t>(place.first * columns + place.second)] = value;
        return all;
    }
    /// (rows, vectors) from (columns, vectors).
    std::vector<T> times(const std::vector<T>& x, std::int64_t vectors = 1) const {
        std::vector<T> y(static_cast<std::size_t>(rows * vectors));
        for (std::size_t k = 0; k < values.size(); ++k)
            for (std::int64_t v = 0; v < vectors; ++v)
                y[static_cast<std::size_t>(row_numbers[k] * vectors + v)] +=
                    values[k] * x[static_cast<std::size_t>(column_numbers[k] * vectors + v)];
        return y;
    }
    sparse::Matrix<T> on_device(const sparse::MatrixOptions& options = {}) const {
        return sparse::coo<T>({rows, columns}, row_numbers, column_numbers, values, options);
    }
};

template <class T>
T whole(std::mt19937& random) {
    const auto number = [&] { return static_cast<float>(static_cast<int>(random() % 7) - 3); };
    if constexpr (is_complex<T>) {
        using R = typename T::value_type;
        const R re = number();
        return T(re, number());
    } else {
        return static_cast<T>(number());
    }
}

template <class T>
std::vector<T> whole_values(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<T> values(n);
    for (T& value : values) value = whole<T>(random);
    return values;
}

/// So many entries at places drawn, some twice; rows 5, 12, 19, ... have none.
template <class T>
HostMatrix<T> scattered(std::int64_t rows, std::int64_t columns, std::int64_t count, unsigned seed) {
    std::mt19937 random(seed);
    HostMatrix<T> matrix{rows, columns};
    while (static_cast<std::int64_t>(matrix.values.size()) < count) {
        const std::int64_t row = random() % static_cast<unsigned>(rows),
                           column = random() % static_cast<unsigned>(columns);
        if (row % 7 == 5) continue;
        matrix.add(row, column, whole<T>(random));
        if (random() % 8 == 0) matrix.add(row, column, whole<T>(random));
    }
    return matrix;
}

/// Diagonals, with places left out.
template <class T>
HostMatrix<T> banded(std::int64_t rows, std::int64_t columns, const std::vector<std::int64_t>& offsets, unsigned seed) {
    std::mt19937 random(seed);
    HostMatrix<T> matrix{rows, columns};
    for (std::int64_t row = 0; row < rows; ++row)
        for (const std::int64_t offset : offsets)
            if (row + offset >= 0 && row + offset < columns && random() % 10 != 0)
                matrix.add(row, row + offset, whole<T>(random));
    return matrix;
}

/// One row that is full, and a few entries elsewhere.
template <class T>
HostMatrix<T> with_giant_row(std::int64_t rows, std::int64_t columns, std::int64_t giant, unsigned seed) {
    HostMatrix<T> matrix = scattered<T>(rows, columns, rows, seed);
    std::mt19937 random(seed + 1);
    for (std::int64_t column = 0; column < columns; ++column) matrix.add(giant, column, whole<T>(random));
    return matrix;
}

/// Every shape that is special somehow.
template <class T>
std::vector<std::pair<std::string, HostMatrix<T>>> special_matrices() {
    return {{"0 x 0", {0, 0}},
            {"0 x 5", {0, 5}},
            {"5 x 0", {5, 0}},
            {"no entries", {40, 30}},
            {"one element", scattered<T>(1, 1, 1, 1)},
            {"wide", scattered<T>(3, 400, 150, 2)},
            {"tall", scattered<T>(700, 3, 900, 3)},
            {"square", scattered<T>(333, 333, 2500, 4)},
            {"banded", banded<T>(500, 520, {-30, -1, 0, 1, 25}, 5)},
            {"giant row", with_giant_row<T>(300, 5000, 77, 6)}};
}

inline constexpr std::array sparse_formats{sparse::Format::csr,    sparse::Format::coo,      sparse::Format::ell,
                                           sparse::Format::sell,   sparse::Format::dia,      sparse::Format::packeted,
                                           sparse::Format::binned, sparse::Format::automatic};

template <class T>
std::vector<T> combined(const std::vector<T>& product, T alpha, const std::vector<T>& y, T beta) {
    std::vector<T> out;
    for (std::size_t i = 0; i < product.size(); ++i) out.push_back(alpha * product[i] + beta * y[i]);
    return out;
}

/// Without the signs of zeros, which depend on the order of sums.
template <class T>
std::vector<T> unsigned_zeros(std::vector<T> values) {
    for (T& value : values) value += T(0);
    return values;
}

/// A x, and y = 2 A x - 3 y, of one matrix in its format.
template <class T>
void check_products(const std::string& name, const HostMatrix<T>& host, const sparse::Matrix<T>& a,
                    const sparse::ProductTuning& tuning = {}) {
    const std::vector<T> x = whole_values<T>(static_cast<std::size_t>(host.columns), 21),
                         y = whole_values<T>(static_cast<std::size_t>(host.rows), 22), product = host.times(x);
    const GPUArray<T> on_device = to_gpu(x), into = to_gpu(y);
    into.fill(NAN);
    a.multiply_into(into, on_device, {.tuning = tuning});
    CHECK_SAME(unsigned_zeros(product), unsigned_zeros(into.get()), name, " in ", sparse::to_string(a.format()), " of ",
               dtype_of<T>().name());
    into.set(y);
    a.multiply_into(into, on_device, {.alpha = T(2), .beta = T(-3), .tuning = tuning});
    CHECK_SAME(unsigned_zeros(combined(product, T(2), y, T(-3))), unsigned_zeros(into.get()), name, " in ",
               sparse::to_string(a.format()), " with alpha and beta");
}

}  // namespace gemel::testing
