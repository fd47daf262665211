/// What the suites of arrays share.
#pragma once

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

}  // namespace gemel::testing
