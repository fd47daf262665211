/// Operands of matrix products, and what host loops find.
#pragma once

#include "array_support.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace gemel::testing {

template <class T>
using Values = std::vector<T>;

/// Whether float is multiplied in parts on tensor cores (Precision::split).
inline bool has_split_products() {
    const std::string& name = current_context().device().info().architecture;
    return name.starts_with("sm_") && std::stoi(name.substr(3)) >= 80;
}

/// Whether warp groups multiply packed floats.
inline bool has_packed_products() {
    const DeviceInfo device = current_context().device().info();
    return device.has_warp_groups && (device.has_tensor_maps || device.shared_memory_static_bytes);
}

/// Small whole numbers: every sum is exact, or wraps around in the same way.
template <class T>
GPUArray<T> whole(const Shape& shape, unsigned seed) {
    std::mt19937 random(seed);
    Values<HostElement<T>> values(shape.count());
    for (auto& value : values) {
        if constexpr (std::is_same_v<T, bool>) {
            value = random() % 4 == 0;
        } else if constexpr (is_complex<T>) {
            value = T(static_cast<float>(random() % 7) - 3, static_cast<float>(random() % 5) - 2);
        } else {
            value = static_cast<T>(static_cast<float>(random() % 7) - (std::is_unsigned_v<T> ? 0 : 3));
        }
    }
    GPUArray<T> array(current_context(), shape);
    array.set(values);
    return array;
}

/// What a loop finds, in T (in float for 16-bit floats).
template <class T>
Values<HostElement<T>> expected_product(const GPUArray<T>& a, const GPUArray<T>& b) {
    using Sum = std::conditional_t<SixteenBitFloat<T>, float, T>;
    const auto x = a.get(), y = b.get();
    const auto n = static_cast<std::size_t>(a.shape()[0]), k = static_cast<std::size_t>(a.shape()[1]),
               m = static_cast<std::size_t>(b.shape()[1]);
    Values<HostElement<T>> out(n * m);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) {
            Sum sum{};
            for (std::size_t l = 0; l < k; ++l)
                sum = static_cast<Sum>(sum + static_cast<Sum>(x[i * k + l]) * static_cast<Sum>(y[l * m + j]));
            out[i * m + j] = static_cast<HostElement<T>>(sum);
        }
    return out;
}

/// Numbers of both signs.
inline std::vector<float> numbers(std::size_t count, unsigned seed, float scale = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, scale);
    std::vector<float> all(count);
    for (float& x : all) x = normal(random);
    return all;
}
template <class T>
GPUArray<T> matrix(std::int64_t rows, std::int64_t columns, unsigned seed) {
    return to_gpu(numbers(static_cast<std::size_t>(rows * columns), seed))
        .reshape({rows, columns})
        .template astype<T>();
}

/// The largest error, in units of the sum of |a| |b| of the same element.
template <class T>
double error_of(const GPUArray<T>& c, const GPUArray<T>& a, const GPUArray<T>& b) {
    const auto x = a.template astype<double>().get(), y = b.template astype<double>().get(),
               z = c.template astype<double>().get();
    const std::size_t n = static_cast<std::size_t>(a.shape()[0]), k = static_cast<std::size_t>(a.shape()[1]),
                      m = static_cast<std::size_t>(b.shape()[1]);
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) {
            double sum = 0, size = 1e-300;
            for (std::size_t l = 0; l < k; ++l) {
                const double product = x[i * k + l] * y[l * m + j];
                sum += product, size += std::abs(product);
            }
            worst = std::max(worst, std::abs(z[i * m + j] - sum) / size);
        }
    return worst;
}

/// Rows and columns with a pitch that is a multiple of 16 bytes, between NaN, in either order.
template <class T>
GPUArray<T> padded(const GPUArray<T>& x, bool is_turned) {
    const std::int64_t rows = x.shape()[0], columns = x.shape()[1], down = is_turned ? columns : rows,
                       pitch = ((is_turned ? rows : columns) + 7) / 8 * 8 + 8;
    GPUArray<T> whole(current_context(), Shape{down + 2, pitch});
    whole.fill(T(std::numeric_limits<float>::quiet_NaN()));
    const GPUArray<T> inner = whole(slice(1, down + 1), slice(0, is_turned ? rows : columns));
    const GPUArray<T> view = is_turned ? GPUArray<T>(inner.transpose()) : inner;
    view.assign(x);
    return view;
}

/// Products of small whole numbers, which are exact.
template <class T>
void check_exact(const codegen::MatmulTuning& tuning, const std::array<std::int64_t, 3>& extents, int layout) {
    const auto [n, k, m] = extents;
    INFO(dtype_of<T>().name(), " ", n, " x ", k, " x ", m, ", layout ", layout, ", ", to_string(tuning));
    const auto a = whole<T>({n, k}, 1), b = whole<T>({k, m}, 2);
    const auto expected = expected_product(a, b);
    const GPUArray<T> x = padded(a, layout / 2 != 0), y = padded(b, layout % 2 != 0);
    const MatmulOptions options{.precision = Precision::tensor, .tuning = tuning};
    CHECK(matmul(x, y, options).get() == expected);
    // A result whose neighbours cannot be stored together.
    const GPUArray<T> wide = zeros<T>({n, m + 3});
    const GPUArray<T> odd = wide(slice(), slice(1, m + 1));
    matmul_into(odd, x, y, options);
    CHECK(odd.copy(Order::C).get() == expected);
    CHECK(wide(slice(), slice(0, 1)).copy(Order::C).get() == zeros<T>({n, 1}).get());
    CHECK(wide(slice(), slice(m + 1, {})).copy(Order::C).get() == zeros<T>({n, 2}).get());
}

}  // namespace gemel::testing
