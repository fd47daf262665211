/// Random expressions for the property tests: the text of a snippet beside its evaluation on the host.
#pragma once

#include "generator_support.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <type_traits>

namespace gemel::testing {

class Random {
   public:
    explicit Random(unsigned seed) : random_(seed) {}
    int pick(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }

   private:
    std::mt19937 random_;
};

/// A complex number and how far from it the device may be.
struct Bounded {
    std::complex<long double> value;
    long double error = 0;
};

/// What the host computes with where a snippet has an element of T.
template <class T>
using Held = std::conditional_t<is_complex<T>, Bounded, std::conditional_t<SixteenBitFloat<T>, float, T>>;

template <class T>
Held<T> held(const HostElement<T>& element) {
    if constexpr (is_complex<T>)
        return {{element.real(), element.imag()}};
    else
        return static_cast<Held<T>>(element);
}

/// What snippets call that type.
template <class T>
std::string held_name() {
    return SixteenBitFloat<T> ? "float" : DType(dtype_of<T>()).name();
}

/// An expression of x, y, a and i over the values that snippets have of T.
template <class T>
struct Node {
    std::string text;
    std::function<Held<T>(Held<T> x, Held<T> y, Held<T> a, std::int64_t i)> value;
};

/// An operand, a number or the index.
template <class T>
Node<T> real_leaf(Random& random) {
    using V = Held<T>;
    const std::string type = held_name<T>();
    switch (random.pick(0, 4)) {
        case 0: return {"x[i]", [](V x, V, V, std::int64_t) { return x; }};
        case 1: return {"y[i]", [](V, V y, V, std::int64_t) { return y; }};
        case 2: return {"a", [](V, V, V a, std::int64_t) { return a; }};
        case 3: {
            const int k = random.pick(0, 9);
            return {text("(", type, ")", k), [k](V, V, V, std::int64_t) { return static_cast<V>(k); }};
        }
        default: return {"(" + type + ")(i % 16)", [](V, V, V, std::int64_t i) { return static_cast<V>(i % 16); }};
    }
}

/// Only operations that IEEE defines to the last bit, or that integers wrap in.
template <class T>
Node<T> real_tree(Random& random, int depth) {
    using N = Node<T>;
    using V = Held<T>;
    constexpr bool floats = std::is_floating_point_v<V>;
    const std::string type = held_name<T>();
    if (depth == 0) return real_leaf<T>(random);
    const N l = real_tree<T>(random, depth - 1), r = real_tree<T>(random, random.pick(0, depth - 1));
    const auto join = [&](const char* op, auto f) {
        return N{"((" + type + ")(" + l.text + " " + op + " " + r.text + "))",
                 [l, r, f](V x, V y, V a, std::int64_t i) {
                     return static_cast<V>(f(l.value(x, y, a, i), r.value(x, y, a, i)));
                 }};
    };
    // Unsigned arithmetic on the host, which wraps as the devices do.
    const auto wrapped = [](auto f) {
        return [f](V a, V b) {
            if constexpr (floats)
                return f(a, b);
            else
                return f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
        };
    };
    switch (random.pick(0, 6)) {
        case 0: return join("+", wrapped([](auto a, auto b) { return a + b; }));
        case 1: return join("-", wrapped([](auto a, auto b) { return a - b; }));
        case 2: return join("*", wrapped([](auto a, auto b) { return a * b; }));
        case 3: {
            const N c = real_tree<T>(random, 0);
            const int k = std::is_same_v<V, bool> ? 0 : 3;
            return {text("(", c.text, " > (", type, ")", k, " ? ", l.text, " : ", r.text, ")"),
                    [c, l, r, k](V x, V y, V a, std::int64_t i) {
                        return c.value(x, y, a, i) > static_cast<V>(k) ? l.value(x, y, a, i) : r.value(x, y, a, i);
                    }};
        }
        case 4:
            switch (random.pick(0, 4)) {
                case 0: return join("<", [](V a, V b) { return a < b; });
                case 1: return join("==", [](V a, V b) { return a == b; });
                case 2: return join(">=", [](V a, V b) { return a >= b; });
                case 3: return join("&&", [](V a, V b) { return a && b; });
                default: return join("||", [](V a, V b) { return a || b; });
            }
        case 5:
            if constexpr (floats)
                return {"sqrt(fabs(" + l.text + "))",
                        [l](V x, V y, V a, std::int64_t i) { return std::sqrt(std::fabs(l.value(x, y, a, i))); }};
            else
                return join("^", [](V a, V b) { return a ^ b; });
        default:
            // By what is never zero: |r| + 1.
            if constexpr (floats)
                return {"(" + l.text + " / (fabs(" + r.text + ") + (" + type + ")1))",
                        [l, r](V x, V y, V a, std::int64_t i) {
                            return l.value(x, y, a, i) / (std::fabs(r.value(x, y, a, i)) + V(1));
                        }};
            else
                return join("&", [](V a, V b) { return a & b; });
    }
}

/// As real_leaf(), with numbers up to `max_part` in each part.
template <class T>
Node<T> complex_leaf(Random& random, int max_part) {
    using Complex = std::complex<long double>;
    const std::string type = DType(dtype_of<T>()).name(), real = type == "cfloat" ? "float" : "double";
    switch (random.pick(0, 4)) {
        case 0: return {"x[i]", [](Bounded x, Bounded, Bounded, std::int64_t) { return x; }};
        case 1: return {"y[i]", [](Bounded, Bounded y, Bounded, std::int64_t) { return y; }};
        case 2: return {"a", [](Bounded, Bounded, Bounded a, std::int64_t) { return a; }};
        case 3: {
            const int re = random.pick(-max_part, max_part), im = random.pick(-max_part, max_part);
            return {gemel::text(type, "_new(", re, ", ", im, ")"),
                    [re, im](Bounded, Bounded, Bounded, std::int64_t) { return Bounded{Complex(re, im)}; }};
        }
        default:
            return {gemel::text(type, "_new((", real, ")(i % ", max_part + 1, "), 1)"),
                    [max_part](Bounded, Bounded, Bounded, std::int64_t i) {
                        return Bounded{Complex(i % (max_part + 1), 1)};
                    }};
    }
}

/// Complex arithmetic with a bound of its error.
/// @param whole  only what is exact for whole numbers, from small ones, so that results stay below 2^8
template <class T>
Node<T> complex_tree(Random& random, int depth, bool whole) {
    using N = Node<T>;
    using Complex = std::complex<long double>;
    const std::string type = DType(dtype_of<T>()).name(), real = type == "cfloat" ? "float" : "double";
    if (depth == 0) return complex_leaf<T>(random, whole ? 2 : 9);
    const N l = complex_tree<T>(random, depth - 1, whole),
            r = complex_tree<T>(random, random.pick(0, depth - 1), whole);
    // Each operation may be off by eight units of its result's size, the stated accuracy and a little.
    const auto rounded = [](Complex value, long double error) {
        return Bounded{value, error + 8 * std::numeric_limits<typename T::value_type>::epsilon() * std::abs(value)};
    };
    const auto times = [rounded](Bounded a, Bounded b) {
        return rounded(a.value * b.value,
                       std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error);
    };
    const auto join = [&](const std::string& text, auto f) {
        return N{text, [l, r, f](Bounded x, Bounded y, Bounded a, std::int64_t i) {
                     return f(l.value(x, y, a, i), r.value(x, y, a, i));
                 }};
    };
    switch (random.pick(0, whole ? 5 : 7)) {
        case 0:
            return join("c_add(" + l.text + ", " + r.text + ")",
                        [=](Bounded a, Bounded b) { return rounded(a.value + b.value, a.error + b.error); });
        case 1:
            return join("c_sub(" + l.text + ", " + r.text + ")",
                        [=](Bounded a, Bounded b) { return rounded(a.value - b.value, a.error + b.error); });
        case 2: return join("c_mul(" + l.text + ", " + r.text + ")", times);
        case 3:
            return join("c_mul(c_real(" + l.text + "), c_conj(" + r.text + "))", [=](Bounded a, Bounded b) {
                return times({a.value.real(), a.error}, {std::conj(b.value), b.error});
            });
        case 4: {
            // Of a leaf, which is exact.
            const N c = complex_tree<T>(random, 0, whole);
            return {"(" + c.text + ".im > 0 ? " + l.text + " : " + r.text + ")",
                    [c, l, r](Bounded x, Bounded y, Bounded a, std::int64_t i) {
                        return c.value(x, y, a, i).value.imag() > 0 ? l.value(x, y, a, i) : r.value(x, y, a, i);
                    }};
        }
        case 5:
            return join("c_neg(c_sub(" + r.text + ", (" + real + ")1))",
                        [=](Bounded, Bounded b) { return rounded(Complex(1) - b.value, b.error); });
        case 6:
            return join(type + "_new(c_abs(" + l.text + "), c_imag(" + r.text + "))", [=](Bounded a, Bounded b) {
                return rounded({std::abs(a.value), b.value.imag()}, a.error + b.error);
            });
        default:
            // By what is never near zero: |r| + 1 and an imaginary part.
            return join("c_div(" + l.text + ", " + type + "_new(c_abs(" + r.text + ") + 1, c_imag(" + r.text + ")))",
                        [=](Bounded a, Bounded b) {
                            const Complex by(std::abs(b.value) + 1, b.value.imag());
                            const Bounded under = rounded(by, 2 * b.error);
                            const Complex quotient = a.value / under.value;
                            return rounded(quotient, (a.error + std::abs(quotient) * under.error) /
                                                         (std::abs(under.value) - under.error));
                        });
    }
}

template <class T>
Node<T> random_tree(Random& random, int depth, bool whole = false) {
    if constexpr (is_complex<T>)
        return complex_tree<T>(random, depth, whole);
    else
        return real_tree<T>(random, depth);
}

}  // namespace gemel::testing
