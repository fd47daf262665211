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
struct HostSystem {
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
    static HostSystem dense(std::int64_t n, const std::vector<T>& a) {
        HostSystem matrix{.n = n};
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
    explicit DeviceMatrix(const HostSystem<T>& a, const Context& context = current_context()) : n_(a.n) {
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
    /// Of (n, k) too: what Columns::together wants.
    struct ForAllColumns {
        const DeviceMatrix matrix;
        Shape shape() const { return matrix.shape(); }
        void multiply_into(const GPUArray<T>& y, const GPUArray<T>& x) const {
            REQUIRE(x.rank() == 2);
            for (std::int64_t c = 0; c < x.shape()[1]; ++c) matrix.multiply_into(y(slice(), c), x(slice(), c));
        }
    };
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

enum class MatrixKind { positive, indefinite, general };

/// Some entries in each row, and a diagonal that dominates them.
template <class T>
HostSystem<T> random_matrix(std::int64_t n, MatrixKind kind, double dominance = 1.02) {
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> number(-1, 1);
    const auto element = [&] {
        if constexpr (gemel::is_complex<T>) {
            const double re = number(engine), im = number(engine);
            return T(static_cast<RealOf<T>>(re), static_cast<RealOf<T>>(im));
        } else {
            return static_cast<T>(number(engine));
        }
    };
    const auto size = static_cast<std::size_t>(n);
    std::vector<T> a(size * size);
    for (std::size_t i = 0; i < size; ++i)
        for (int k = 0; k < 4; ++k) {
            const std::size_t j = engine() % size;
            if (j == i) continue;
            a[i * size + j] = element();
            if (kind != MatrixKind::general) a[j * size + i] = host_conj(a[i * size + j]);
        }
    for (std::size_t i = 0; i < size; ++i) {
        double sum = 0.1 + 0.5 * std::abs(number(engine));
        for (std::size_t j = 0; j < size; ++j) sum += std::abs(a[i * size + j]);
        a[i * size + i] =
            static_cast<RealOf<T>>(dominance * (kind == MatrixKind::indefinite && i % 2 == 1 ? -sum : sum));
    }
    return HostSystem<T>::dense(n, a);
}

/// Minus the Laplacian of a square of points, and a little: positive definite, some hundred iterations.
inline HostSystem<double> laplacian(int width) {
    HostSystem<double> a{.n = width * width};
    for (int i = 0; i < width * width; ++i) {
        const int x = i % width, y = i / width;
        const auto entry = [&](int c, double v) { a.columns.push_back(c), a.values.push_back(v); };
        if (y > 0) entry(i - width, -1);
        if (x > 0) entry(i - 1, -1);
        entry(i, 4.001);
        if (x + 1 < width) entry(i + 1, -1);
        if (y + 1 < width) entry(i + width, -1);
        a.starts.push_back(static_cast<std::int32_t>(a.columns.size()));
    }
    return a;
}

template <class T>
std::vector<T> random_vector(std::int64_t n, unsigned seed = 3) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    std::vector<T> x(static_cast<std::size_t>(n));
    for (T& value : x) {
        if constexpr (gemel::is_complex<T>) {
            const double re = number(engine), im = number(engine);
            value = T(static_cast<RealOf<T>>(re), static_cast<RealOf<T>>(im));
        } else {
            value = static_cast<T>(number(engine));
        }
    }
    return x;
}

template <class T>
double host_norm(const std::vector<T>& x) {
    double sum = 0;
    for (const T& value : x) sum += static_cast<double>(std::norm(value));
    return std::sqrt(sum);
}

template <class T>
double host_residual(const HostSystem<T>& a, const std::vector<T>& b, const std::vector<T>& x) {
    std::vector<T> r = a * x;
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = b[i] - r[i];
    return host_norm(r);
}

/// Plain conjugate gradients: how many iterations they take.
template <class T>
int host_cg(const HostSystem<T>& a, const std::vector<T>& b, double tolerance) {
    std::vector<T> x(b.size()), r = b, p = b;
    double rr = host_norm(r) * host_norm(r);
    const double target = tolerance * host_norm(b);
    for (int iteration = 0;; ++iteration) {
        if (std::sqrt(rr) <= target) return iteration;
        const std::vector<T> s = a * p;
        double mu = 0;
        for (std::size_t i = 0; i < s.size(); ++i) mu += std::real(host_conj(p[i]) * s[i]);
        const auto alpha = static_cast<RealOf<T>>(rr / mu);
        for (std::size_t i = 0; i < s.size(); ++i) x[i] += alpha * p[i], r[i] -= alpha * s[i];
        const double next = host_norm(r) * host_norm(r);
        for (std::size_t i = 0; i < s.size(); ++i) p[i] = r[i] + static_cast<RealOf<T>>(next / rr) * p[i];
        rr = next;
    }
}

template <class T>
using Solve = solve::Result<T> (*)(const solve::LinearOperator<T>&, const GPUArray<T>&, const solve::Options<T>&);

}  // namespace gemel::testing
