/// Results of bench/axes.cpp found on the host from the formula of its elements, to check a device's by.
#pragma once

#include "axes_cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bench {

/// Element `i` of the memory that all operands lie in: a bit pattern that the device computes alike.
inline std::uint32_t bits_at(std::int64_t i) {
    std::uint32_t h = static_cast<std::uint32_t>(i) * 2654435761u + 1;
    h ^= h >> 15;
    h *= 2246822519u;
    return h ^ (h >> 13);
}

/// Whole numbers from -16 to 15, else odd multiples of 2^-11 between -0.5 and 0.5. Their sums are small, so that those
/// in float are all but exact in any order.
inline double element_at(std::int64_t i, bool is_integral) {
    const std::uint32_t h = bits_at(i);
    return is_integral ? static_cast<double>(h >> 27) - 16 : (2.0 * static_cast<double>(h >> 22) + 1) * 0x1p-11 - 0.5;
}

/// What one element of a cell's result must be.
class HostResult {
   public:
    explicit HostResult(const Cell& cell) : cell_(cell), is_integral_(cell.type == "int8") {
        const Extents shape = stored(cell);
        strides_.assign(shape.size(), 0);
        std::int64_t stride = 1;
        for (std::size_t k = shape.size(); k-- > 0; stride *= shape[k]) strides_[k] = shape[k] == 1 ? 0 : stride;
        if (cell.operand == Operand::transposed) std::reverse(strides_.begin(), strides_.end());
    }

    /// How many elements one result is made of.
    std::int64_t length() const {
        std::int64_t n = 1;
        for (const int axis : cell_.axes) n *= cell_.shape[static_cast<std::size_t>(axis)];
        return n;
    }

    /// @param index  over all axes; reduced ones are ignored, but for cumsum, which ends there
    /// @param row    where the elements of x*row begin
    double at(const Extents& index, std::int64_t row = 0) {
        sum_ = squares_ = 0, most_ = -std::numeric_limits<double>::infinity(), place_ = seen_ = 0;
        Extents at = index;
        const bool running = cell_.operation == "cumsum";
        const int last = cell_.axes.back();
        const std::int64_t count =
            running ? index[static_cast<std::size_t>(last)] + 1 : cell_.shape[static_cast<std::size_t>(last)];
        for (const int axis : cell_.axes) at[static_cast<std::size_t>(axis)] = 0;
        do {
            line(at, static_cast<std::size_t>(last), count, row);
        } while (next(at));
        if (cell_.operation == "max") return most_;
        if (cell_.operation == "argmax") return static_cast<double>(place_);
        const double n = static_cast<double>(seen_);
        return cell_.operation == "var" ? squares_ / n - (sum_ / n) * (sum_ / n) : sum_;
    }

    /// Is it what the host found, but for the rounding of its type?
    bool accepts(double got, double expected) const {
        if (cell_.operation == "max" || cell_.operation == "argmax" || is_integral_) return got == expected;
        const double rounding = cell_.type == "half" ? 1e-3 : 1e-5;
        const bool is_var = cell_.operation == "var";
        return std::abs(got - expected) <= (is_var ? 10 : 1) * rounding * std::abs(expected) + (is_var ? 1e-7 : 4e-3);
    }

   private:
    void line(const Extents& at, std::size_t axis, std::int64_t count, std::int64_t row) {
        std::int64_t from = 0;
        for (std::size_t k = 0; k < at.size(); ++k) from += at[k] * strides_[k];
        const bool exponential = cell_.operation == "sum of exp(x)", by_row = cell_.operation == "sum of x*row";
        const bool along_row = axis + 1 == at.size();
        for (std::int64_t k = 0; k < count; ++k, ++seen_) {
            double x = element_at(from + k * strides_[axis], is_integral_);
            if (exponential) x = std::exp(x);
            if (by_row) x *= element_at(row + (along_row ? k : at.back()), is_integral_);
            sum_ += x;
            squares_ += x * x;
            if (x > most_) most_ = x, place_ = seen_;
        }
    }
    /// The next index of the reduced axes before the last of them.
    bool next(Extents& at) const {
        for (std::size_t k = cell_.axes.size() - 1; k-- > 0;) {
            const auto axis = static_cast<std::size_t>(cell_.axes[k]);
            if (++at[axis] < cell_.shape[axis]) return true;
            at[axis] = 0;
        }
        return false;
    }

    Cell cell_;
    bool is_integral_;
    Extents strides_;
    double sum_ = 0, squares_ = 0, most_ = 0;
    std::int64_t place_ = 0, seen_ = 0;
};

}  // namespace bench
