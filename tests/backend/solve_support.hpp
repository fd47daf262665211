/// Matrices for tests of solvers: on the host, and on the device by a plain kernel over rows in CSR form.
#pragma once

#include <gemel/algorithms/solve/preconditioners.hpp>
#include <gemel/algorithms/solve/solvers.hpp>
#include <gemel/gemel.hpp>

#include "support.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <vector>

namespace gemel::testing {

template <class T>
T host_conj(const T& a) {
    if constexpr (gemel::is_complex<T>) {
        return std::conj(a);
    } else {
        return a;
    }
}

/// Rows of a matrix on the host.
template <class T>
struct HostMatrix {
    std::int64_t n = 0;
    std::vector<std::int32_t> starts{0}, columns{};
    std::vector<T> values{};

    std::vector<T> operator*(const std::vector<T>& x) const {
        std::vector<T> y(x.size());
        for (std::size_t i = 0; i < y.size(); ++i)
            for (auto e = static_cast<std::size_t>(starts[i]); e < static_cast<std::size_t>(starts[i + 1]); ++e)
                y[i] += values[e] * x[static_cast<std::size_t>(columns[e])];
        return y;
    }
    static HostMatrix dense(std::int64_t n, const std::vector<T>& a) {
        HostMatrix matrix{.n = n};
        for (std::int64_t i = 0; i < n; ++i) {
            for (std::int64_t j = 0; j < n; ++j)
                if (a[static_cast<std::size_t>(i * n + j)] != T{}) {
                    matrix.columns.push_back(static_cast<std::int32_t>(j));
                    matrix.values.push_back(a[static_cast<std::size_t>(i * n + j)]);
                }
            matrix.starts.push_back(static_cast<std::int32_t>(matrix.columns.size()));
        }
        return matrix;
    }
};

/// Multiplies and has a diagonal: all that solvers ask of a matrix.
template <class T>
class DeviceMatrix {
   public:
    explicit DeviceMatrix(const HostMatrix<T>& a, const Context& context = current_context()) : n_(a.n) {
        const ContextScope scope(context);
        starts_ = to_gpu(a.starts);
        columns_ = to_gpu(a.columns);
        values_ = to_gpu(a.values);
        std::vector<T> diagonal(static_cast<std::size_t>(n_));
        for (std::size_t i = 0; i < diagonal.size(); ++i)
            for (auto e = static_cast<std::size_t>(a.starts[i]); e < static_cast<std::size_t>(a.starts[i + 1]); ++e)
                if (a.columns[e] == static_cast<std::int32_t>(i)) diagonal[i] += a.values[e];
        diagonal_ = to_gpu(diagonal);
    }
    Shape shape() const { return {n_, n_}; }
    const GPUArray<T>& diagonal() const { return diagonal_; }
    void multiply_into(const GPUArray<T>& y, const GPUArray<T>& x) const {
        static const std::string add = gemel::is_complex<T> ? "sum = c_add(sum, c_mul(values[e], x[columns[e]]));"
                                                            : "sum += values[e] * x[columns[e]];";
        static const ElementwiseKernel product(
            "T *y, const int *starts, const int *columns, const T *values, const T *x, T zero",
            "T sum = zero; const int row = i; for (int e = starts[row]; e < starts[row + 1]; ++e) { " + add +
                " } y[i] = sum;",
            "csr_product");
        product({.range = IndexRange{.stop = n_}}, y, starts_, columns_, values_, x, T{});
    }
    GPUArray<T> operator*(const GPUArray<T>& x) const {
        const GPUArray<T> y(x.context(), x.shape());
        multiply_into(y, x);
        return y;
    }

   private:
    std::int64_t n_;
    GPUArray<std::int32_t> starts_, columns_;
    GPUArray<T> values_, diagonal_;
};

}  // namespace gemel::testing
