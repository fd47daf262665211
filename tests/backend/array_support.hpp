/// What the suites of arrays share.
#pragma once

#include <gemel/core/text.hpp>
#include <gemel/gemel.hpp>

#include "support.hpp"

#include <cstdint>
#include <vector>

namespace gemel::testing {

/// 0, 1, 2, ... in an array of that shape.
template <class T = std::int32_t>
GPUArray<T> counted(const Shape& shape, Order order = Order::C) {
    std::vector<HostElement<T>> values(shape.count());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(static_cast<float>(i));
    GPUArray<T> result(current_context(), shape, order);
    result.set(values);
    return result;
}

/// f of each element, or of each pair of elements.
template <class T, class F>
auto mapped(const std::vector<T>& a, const F& f) {
    std::vector<decltype(f(a[0]))> out;
    for (const T& value : a) out.push_back(f(value));
    return out;
}
template <class T, class U, class F>
auto mapped(const std::vector<T>& a, const std::vector<U>& b, const F& f) {
    std::vector<decltype(f(a[0], b[0]))> out;
    for (std::size_t i = 0; i < a.size(); ++i) out.push_back(f(a[i], b[i]));
    return out;
}

}  // namespace gemel::testing
