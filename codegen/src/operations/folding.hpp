/// Operations on host numbers: a function for each kind of number, named in the operation's row.
#pragma once

#include <gemel/codegen/operations.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <optional>

namespace gemel::codegen {

__extension__ typedef __int128 Wide;  // holds sums and products of 64-bit integers, except of the largest unsigned ones

/// For unary operations, the second operand equals the first. Null if the operation is not defined for the kind, or not
/// evaluated on the host; integers are then tried as real numbers.
struct Folding {
    /// @param name  of the operation, for messages. Empty result: evaluated as real numbers
    std::optional<AnyNumber> (*whole)(const char* name, Wide a, Wide b) = nullptr;
    AnyNumber (*real)(double a, double b) = nullptr;
    AnyNumber (*complex)(cdouble a, cdouble b) = nullptr;
};

namespace folding {

/// @throws ArgumentError if the value does not fit 64 bits
AnyNumber narrowed(Wide value);
Wide product(Wide a, Wide b);
std::optional<AnyNumber> whole_power(const char* name, Wide base, Wide exponent);
std::optional<AnyNumber> whole_quotient(const char* name, Wide a, Wide b);
std::optional<AnyNumber> whole_remainder(const char* name, Wide a, Wide b);
std::optional<AnyNumber> shifted_left(const char* name, Wide a, Wide count);
std::optional<AnyNumber> shifted_right(const char* name, Wide a, Wide count);
/// As floor_divide() and remainder() in kernels.
AnyNumber real_quotient(double a, double b);
AnyNumber real_remainder(double a, double b);

using Optional = std::optional<AnyNumber>;

/// Integers by F, other numbers by G.
template <class F>
Optional whole_by(const char*, Wide a, Wide b) {
    return narrowed(F{}(a, b));
}
template <class F>
AnyNumber real_by(double a, double b) {
    return F{}(a, b);
}
template <class F>
AnyNumber complex_by(cdouble a, cdouble b) {
    return F{}(a, b);
}
template <class F>
Optional whole_truth(const char*, Wide a, Wide b) {
    return F{}(a, b);
}
inline Optional whole_itself(const char*, Wide a, Wide) { return narrowed(a); }
inline AnyNumber real_itself(double a, double) { return a; }

template <double (*f)(double)>
constexpr Folding function{.real = [](double a, double) -> AnyNumber { return f(a); }};
template <double (*f)(double)>
constexpr Folding rounding{.whole = whole_itself, .real = [](double a, double) -> AnyNumber { return f(a); }};
template <double (*f)(double, double)>
constexpr Folding function_of_two{.real = [](double a, double b) -> AnyNumber { return f(a, b); }};
/// The truth value of any kind of number.
template <class F>
constexpr Folding truth{whole_truth<F>, real_by<F>, complex_by<F>};
template <class F>
constexpr Folding order{whole_truth<F>, real_by<F>};
template <class F>
constexpr Folding bitwise{whole_by<F>};

struct Both {
    bool operator()(auto a, auto b) const { return a != decltype(a){} && b != decltype(b){}; }
};
struct Either {
    bool operator()(auto a, auto b) const { return a != decltype(a){} || b != decltype(b){}; }
};
struct OneOf {
    bool operator()(auto a, auto b) const { return (a != decltype(a){}) != (b != decltype(b){}); }
};
struct None {
    bool operator()(auto a, auto) const { return a == decltype(a){}; }
};
struct Opposite {
    auto operator()(auto a, auto) const { return -a; }
};
struct Complement {
    auto operator()(auto a, auto) const { return ~a; }
};
struct Least {
    Wide operator()(Wide a, Wide b) const { return std::min(a, b); }
    double operator()(double a, double b) const { return a < b || std::isnan(a) ? a : b; }
};
struct Greatest {
    Wide operator()(Wide a, Wide b) const { return std::max(a, b); }
    double operator()(double a, double b) const { return a > b || std::isnan(a) ? a : b; }
};
struct Product {
    Wide operator()(Wide a, Wide b) const { return product(a, b); }
};

constexpr Folding nothing{};
constexpr Folding whole_alone{.whole = whole_itself};
constexpr Folding add{whole_by<std::plus<>>, real_by<std::plus<>>, complex_by<std::plus<>>};
constexpr Folding subtract{whole_by<std::minus<>>, real_by<std::minus<>>, complex_by<std::minus<>>};
constexpr Folding multiply{whole_by<Product>, real_by<std::multiplies<>>, complex_by<std::multiplies<>>};
constexpr Folding divide{.real = real_by<std::divides<>>, .complex = complex_by<std::divides<>>};
constexpr Folding negate{whole_by<Opposite>, real_by<Opposite>, complex_by<Opposite>};
constexpr Folding plus{whole_itself, real_itself, [](cdouble a, cdouble) -> AnyNumber { return a; }};
constexpr Folding invert = bitwise<Complement>, bit_and = bitwise<std::bit_and<>>, bit_or = bitwise<std::bit_or<>>,
                  bit_xor = bitwise<std::bit_xor<>>;
constexpr Folding shift_left{.whole = shifted_left}, shift_right{.whole = shifted_right};
constexpr Folding equal = truth<std::equal_to<>>, not_equal = truth<std::not_equal_to<>>;
constexpr Folding less = order<std::less<>>, greater = order<std::greater<>>, less_equal = order<std::less_equal<>>,
                  greater_equal = order<std::greater_equal<>>;
constexpr Folding logical_and = truth<Both>, logical_or = truth<Either>, logical_xor = truth<OneOf>,
                  logical_not = truth<None>;
constexpr Folding floor_divide{whole_quotient, real_quotient}, remainder{whole_remainder, real_remainder};
constexpr Folding power{whole_power, [](double a, double b) -> AnyNumber { return std::pow(a, b); },
                        [](cdouble a, cdouble b) -> AnyNumber { return std::pow(a, b); }};
constexpr Folding minimum{whole_by<Least>, real_by<Least>}, maximum{whole_by<Greatest>, real_by<Greatest>};
constexpr Folding magnitude{[](const char*, Wide a, Wide) -> Optional { return narrowed(a < 0 ? -a : a); },
                            [](double a, double) -> AnyNumber { return std::fabs(a); },
                            [](cdouble a, cdouble) -> AnyNumber { return std::abs(a); }};
constexpr Folding real_part{whole_itself, real_itself, [](cdouble a, cdouble) -> AnyNumber { return a.real(); }};
constexpr Folding imaginary_part{nullptr, [](double, double) -> AnyNumber { return 0.0; },
                                 [](cdouble a, cdouble) -> AnyNumber { return a.imag(); }};
constexpr Folding conjugate{whole_itself, real_itself, [](cdouble a, cdouble) -> AnyNumber { return std::conj(a); }};
constexpr Folding square{[](const char*, Wide a, Wide) -> Optional { return narrowed(product(a, a)); },
                         [](double a, double) -> AnyNumber { return a * a; },
                         [](cdouble a, cdouble) -> AnyNumber { return a * a; }};
constexpr Folding floor = rounding<std::floor>, ceil = rounding<std::ceil>, trunc = rounding<std::trunc>,
                  rint = rounding<std::nearbyint>;

}  // namespace folding
}  // namespace gemel::codegen
