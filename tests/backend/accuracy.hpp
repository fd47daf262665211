/// How far a device's results are from a reference: errors in units of the last place, inputs that are hard, and the
/// table that `GEMEL_ACCURACY_TABLE=<file>` asks for.
#pragma once

#include "quad.hpp"

#include <gemel/core/context.hpp>
#include <gemel/core/half.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace gemel::testing {

template <class R>
constexpr const char* name_of = std::is_same_v<R, float> ? "float" : "double";

/// The distance between the numbers of type R around `exact`, that of the smallest normal number below it.
template <class R>
Quad unit_in_the_last_place(Quad exact) {
    const int lowest = std::numeric_limits<R>::min_exponent - 1, digits = std::numeric_limits<R>::digits;
    const Quad size = quad::fabs(exact);
    const int exponent = size == 0 ? lowest : std::max(lowest, static_cast<int>(quad::logb(size)));
    return quad::ldexp(1, exponent - digits + 1);
}

/// |got - exact| in units of the last place of `exact`, or of `floor` where that is larger. An infinity counts as the
/// number that would come next after the largest. A NaN on one side only is an infinite error.
template <class R>
double error_in_ulp(R got, Quad exact, Quad floor = 0) {
    if (std::isnan(got) || quad::is_nan(exact))
        return std::isnan(got) && quad::is_nan(exact) ? 0 : std::numeric_limits<double>::infinity();
    const Quad beyond = quad::ldexp(1, std::numeric_limits<R>::max_exponent);
    const auto bounded = [&](Quad x) { return x > beyond ? beyond : x < -beyond ? -beyond : x; };
    const Quad difference = quad::fabs(bounded(static_cast<Quad>(got)) - bounded(exact));
    if (difference == 0) return 0;
    const Quad largest = static_cast<Quad>(std::numeric_limits<R>::max());
    const Quad at = quad::fmin(quad::fmax(quad::fabs(exact), floor), largest);
    return static_cast<double>(difference / unit_in_the_last_place<R>(at));
}

/// |got - exact| in units of the last place of a half at `exact`, or at `floor` where that is larger.
inline double error_of_half(half result, Quad exact, double floor) {
    const auto got = static_cast<float>(result);
    if (std::isnan(got) || quad::is_nan(exact)) return std::isnan(got) && quad::is_nan(exact) ? 0 : INFINITY;
    if (quad::is_infinite(exact) || std::isinf(got)) {
        // From there on the nearest half is infinite, as far as a float in between can tell.
        const bool overflows = std::isinf(got) && quad::fabs(exact) >= 65519;
        return overflows && std::signbit(got) == quad::is_negative(exact) ? 0 : INFINITY;
    }
    const Quad at = quad::fmax(quad::fabs(exact), floor);
    const int exponent = at == 0 ? -14 : std::max(-14, static_cast<int>(quad::logb(at)));
    return static_cast<double>(quad::fabs(static_cast<Quad>(got) - exact) / quad::ldexp(1, exponent - 10));
}

/// Random numbers of type R, always the same ones.
template <class R>
class Numbers {
   public:
    explicit Numbers(unsigned seed) : random_(seed) {}

    /// Any finite number: all exponents are equally likely.
    R any() {
        using Bits = std::conditional_t<std::is_same_v<R, float>, std::uint32_t, std::uint64_t>;
        for (;;) {
            const R value = std::bit_cast<R>(static_cast<Bits>(random_()));
            if (std::isfinite(value)) return value;
        }
    }
    R between(double low, double high) {
        return static_cast<R>(std::uniform_real_distribution<double>(low, high)(random_));
    }
    /// Either sign, a magnitude between powers of two: all exponents are equally likely.
    R of_exponent(double low, double high) {
        return static_cast<R>(std::exp2(between(low, high)) * (random_() & 1 ? 1 : -1));
    }
    /// The number of type R at `centre`, or some places beside it: near ones are the likeliest.
    R beside(Quad centre) {
        const double places = std::floor(std::exp2(between(-1, std::numeric_limits<R>::digits / 2)));
        const R at = static_cast<R>(centre);
        return static_cast<R>(static_cast<Quad>(at) +
                              unit_in_the_last_place<R>(centre) * static_cast<Quad>(random_() & 1 ? places : -places));
    }
    std::int64_t whole(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
    }

   private:
    std::mt19937_64 random_;
};

/// Calls `work(i)` for i below n from as many threads as there are processors.
inline void in_parallel(std::size_t n, const std::function<void(std::size_t)>& work) {
    const std::size_t count = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < count; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = t; i < n; i += count) work(i);
        });
    for (std::thread& thread : threads) thread.join();
}

/// Adds a line to the file that GEMEL_ACCURACY_TABLE names, if it does. Tabs between: function, type, unit, bound,
/// largest error, where it is.
inline void note_accuracy(const std::string& function, const std::string& type, const std::string& unit, double bound,
                          double error, const std::string& where) {
    const char* const file = std::getenv("GEMEL_ACCURACY_TABLE");
    if (!file || !*file) return;
    std::ofstream(file, std::ios::app) << function << '\t' << type << '\t' << unit << '\t' << bound << '\t' << error
                                       << '\t' << where << '\n';
}

/// Says so if it does: kernels with doubles do not run there.
inline bool lacks_double() {
    const bool lacks = !default_context().device().info().has_double;
    if (lacks) MESSAGE("not run: the device has no double precision");
    return lacks;
}

}  // namespace gemel::testing
