/// What the suites of the generators share: arrays in every layout beside what they hold, and comparisons.
#pragma once

#include <gemel/core/text.hpp>
#include <gemel/gemel.hpp>

#include "../any_tuning.hpp"
#include "support.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace gemel::testing {

/// Text shaped for a GPU, run on a CPU device too: short blocks, wide accesses, two of them in flight.
inline const AnyTuning gpu_shaped{
    .block = 64, .access_bytes = 16, .unroll = 2, .tile_block = 64, .tile_width = 8, .tile_rows = 16};

/// Text that is compiled as it stands.
struct PlainText {
    std::string text;
    std::string source(const Dialect&) const { return text; }
};

inline bool lacks_double() {
    const bool lacks = !current_context().device().info().has_double;
    if (lacks) MESSAGE("not run: the device has no double");
    return lacks;
}

/// Small whole numbers, which every type has and whose sums and products of a few are exact in all of them.
template <class T>
std::vector<HostElement<T>> small_values(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<HostElement<T>> values(n);
    for (auto& value : values) {
        const int k = static_cast<int>(random() % 8);
        if constexpr (std::is_same_v<T, bool>) {
            value = static_cast<std::uint8_t>(k & 1);
        } else if constexpr (is_complex<T>) {
            value = T(static_cast<typename T::value_type>(k), static_cast<typename T::value_type>(random() % 8));
        } else {
            value = static_cast<T>(static_cast<float>(k));
        }
    }
    return values;
}

/// Numbers from `low` to `high` that a seed decides, divided by `parts` where T has fractions; a bool is whether one is
/// odd.
template <class T>
std::vector<HostElement<T>> drawn(std::size_t n, unsigned seed, int low, int high, int parts = 1) {
    std::mt19937 random(seed);
    const auto number = [&] { return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)); };
    std::vector<HostElement<T>> values(n);
    for (auto& value : values) {
        const int k = number();
        if constexpr (std::is_same_v<T, bool>) {
            value = static_cast<std::uint8_t>(k & 1);
        } else if constexpr (std::is_integral_v<T>) {
            value = static_cast<T>(k);
        } else if constexpr (is_complex<T>) {
            using R = typename T::value_type;
            value = T(static_cast<R>(k) / static_cast<R>(parts), static_cast<R>(number()) / static_cast<R>(parts));
        } else {
            value = static_cast<T>(static_cast<float>(k) / static_cast<float>(parts));
        }
    }
    return values;
}

/// The first place where the bits differ, or nothing. NaN equals NaN.
template <class T>
std::string difference(const std::vector<T>& expected, const std::vector<T>& actual) {
    if (expected.size() != actual.size()) return text(actual.size(), " elements instead of ", expected.size());
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        bool same = std::memcmp(&expected[i], &actual[i], sizeof(T)) == 0;
        if constexpr (std::is_floating_point_v<T>)
            same |= expected[i] == actual[i] || (std::isnan(expected[i]) && std::isnan(actual[i]));
        if (same) continue;
        if (wrong++ == 0) first = i;
    }
    if (wrong == 0) return {};
    std::string values;
    if constexpr (std::is_arithmetic_v<T>) values = text(": ", +actual[first], " instead of ", +expected[first]);
    return text(wrong, " of ", expected.size(), " wrong, first element ", first, values);
}

/// Fails with the first difference. Bits must agree: what is compared has one right answer.
#define CHECK_SAME(expected, actual, ...) \
    do { \
        const std::string difference_ = gemel::testing::difference(expected, actual); \
        CHECK_MESSAGE(difference_.empty(), gemel::text(__VA_ARGS__), ": ", difference_); \
    } while (false)

/// These values, beginning `offset` elements into their buffer, with one element behind them.
template <class T>
GPUArray<T> placed(const std::vector<HostElement<T>>& values, std::size_t offset) {
    const GPUArray<T> whole(current_context(), Shape{values.size() + offset + 1});
    const GPUArray<T> view = whole(slice(offset, offset + values.size()));
    view.set(values);
    return view;
}

enum class Form { C, F, permuted, reversed, strided, broadcast };
inline constexpr std::array forms{Form::C, Form::F, Form::permuted, Form::reversed, Form::strided, Form::broadcast};
inline const char* name_of(Form form) {
    return std::array{"C", "F", "permuted", "reversed", "strided", "broadcast"}[static_cast<std::size_t>(form)];
}

/// An uninitialised array of this shape whose elements lie in memory as the form says.
template <class T>
GPUArray<T> array_in(Form form, const Shape& shape) {
    const Context context = current_context();
    const std::size_t rank = shape.rank();
    std::vector<Index> indices;
    switch (form) {
        case Form::F: return GPUArray<T>(context, shape, Order::F);
        case Form::permuted: {
            if (rank < 2) return GPUArray<T>(context, shape);
            // The last axis lies first in memory.
            Shape memory;
            memory.push_back(shape[rank - 1]);
            Axes axes;
            for (std::size_t axis = 0; axis + 1 < rank; ++axis) {
                memory.push_back(shape[axis]);
                axes.push_back(static_cast<int>(axis + 1));
            }
            axes.push_back(0);
            return GPUArray<T>(context, memory).permute(axes);
        }
        case Form::reversed:
            indices.assign(rank, Index(slice({}, {}, -1)));
            return GPUArray<T>(context, shape).view(indices);
        case Form::strided: {
            Shape memory;
            for (std::size_t axis = 0; axis < rank; ++axis) memory.push_back(2 * shape[axis] + 1);
            indices.assign(rank, Index(slice(1, {}, 2)));
            return GPUArray<T>(context, memory).view(indices);
        }
        case Form::broadcast: {
            if (rank == 0) return GPUArray<T>(context, shape);
            Shape memory = shape;
            memory[0] = 1;
            return GPUArray<T>(context, memory).broadcast_to(shape);
        }
        default: return GPUArray<T>(context, shape);
    }
}

/// The same with these elements, in C order of the indices; a broadcast array takes those of its first row. Returns
/// what it holds.
template <class T>
std::vector<HostElement<T>> fill_in(Form form, const Shape& shape, GPUArray<T>& array,
                                    std::vector<HostElement<T>> values) {
    array = array_in<T>(form, shape);
    if (form == Form::broadcast && shape.rank() > 0 && shape.count() > 0) {
        const std::size_t row = shape.count() / static_cast<std::size_t>(shape[0]);
        for (std::size_t i = row; i < values.size(); ++i) values[i] = values[i % row];
        Shape one = shape;
        one[0] = 1;
        // The one row that there is, as an array that may be written.
        const GPUArray<T> memory(array.buffer(), one, contiguous_strides(one), array.offset_bytes());
        memory.set(std::vector<HostElement<T>>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(row)));
    } else {
        array.set(values);
    }
    return values;
}

}  // namespace gemel::testing
