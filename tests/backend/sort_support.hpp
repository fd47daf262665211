/// What the suites of sorts share: values with all that is peculiar about a type, and std::stable_sort's order.
#pragma once

#include "generator_support.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace gemel::testing {

/// NumPy's order.
template <class T>
bool comes_before(const T& a, const T& b) {
    if constexpr (is_complex<T>) {
        const auto part = [](const T& z) { return z.real() != z.real() ? 2 : z.imag() != z.imag() ? 1 : 0; };
        if (part(a) != part(b)) return part(a) < part(b);
        if (comes_before(a.real(), b.real())) return true;
        return !comes_before(b.real(), a.real()) && comes_before(a.imag(), b.imag());
    } else if constexpr (SixteenBitFloat<T>) {
        return comes_before(static_cast<float>(a), static_cast<float>(b));
    } else {
        return a < b || (b != b && a == a);
    }
}

/// Values with many ties, and all that is peculiar about a type.
template <class T>
std::vector<HostElement<T>> peculiar(std::size_t n, unsigned seed, bool few = false) {
    std::mt19937_64 random(seed);
    std::vector<HostElement<T>> values(n);
    const auto number = [&]<class R>(R) {
        const std::uint64_t k = random();
        if constexpr (std::is_integral_v<R>) {
            return static_cast<R>(few ? k % 5 : k);
        } else {
            const float special[] = {std::numeric_limits<float>::quiet_NaN(), -0.0f, 0.0f,
                                     std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
            if (k % 8 == 0) return static_cast<R>(special[k / 8 % 5]);
            return static_cast<R>(static_cast<float>(static_cast<int>(k / 64 % 4001) - 2000) / (few ? 2000.0f : 8.0f));
        }
    };
    for (auto& value : values) {
        if constexpr (std::is_same_v<T, bool>) {
            value = static_cast<std::uint8_t>(random() & 1);
        } else if constexpr (is_complex<T>) {
            using R = typename T::value_type;
            const R re = number(R{});
            value = T(re, number(R{}));
        } else {
            value = number(T{});
        }
    }
    return values;
}

/// Where the elements of sorted rows come from.
template <class T>
std::vector<std::int64_t> sorted_places(const std::vector<HostElement<T>>& x, std::size_t length, bool descending) {
    std::vector<std::int64_t> places(x.size());
    for (std::size_t begin = 0; begin < x.size(); begin += length) {
        const auto row = places.begin() + static_cast<std::ptrdiff_t>(begin);
        std::iota(row, row + static_cast<std::ptrdiff_t>(length), 0);
        std::stable_sort(row, row + static_cast<std::ptrdiff_t>(length), [&](std::int64_t i, std::int64_t j) {
            const T a = static_cast<T>(x[begin + static_cast<std::size_t>(i)]),
                    b = static_cast<T>(x[begin + static_cast<std::size_t>(j)]);
            return descending ? comes_before(b, a) : comes_before(a, b);
        });
    }
    return places;
}
template <class E>
std::vector<E> taken(const std::vector<E>& x, const std::vector<std::int64_t>& places, std::size_t length) {
    std::vector<E> result(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) result[i] = x[i / length * length + static_cast<std::size_t>(places[i])];
    return result;
}
/// Bit by bit: a sort that swaps zeros or NaNs is seen.
template <class E>
std::string bits_of(const std::vector<E>& x) {
    return std::string(reinterpret_cast<const char*>(x.data()), x.size() * sizeof(E));
}

template <class T>
GPUArray<T> on_device(const std::vector<HostElement<T>>& values) {
    GPUArray<T> array(current_context(), Shape{values.size()});
    array.set(values);
    return array;
}

inline std::vector<std::int32_t> counted(std::size_t n) {
    std::vector<std::int32_t> values(n);
    std::iota(values.begin(), values.end(), 0);
    return values;
}

}  // namespace gemel::testing
