/// All operators with GEMEL_GRID_LEFT as their left operand, beside GEMEL_GRID_TYPES; see numpy_grid.hpp.
#include "numpy_grid.hpp"

#include "../left_out.hpp"

#include <array>
#include <complex>
#include <concepts>

namespace gemel::grid {
namespace {

template <class T>
std::string numpy_name() {
    if (std::is_same_v<T, bool>) return "bool";
    const std::string bits = std::to_string(8 * sizeof(T));
    if (is_complex<T>) return "complex" + bits;
    return (std::is_unsigned_v<T> ? "uint" : std::is_integral_v<T> ? "int" : "float") + bits;
}

using A = GEMEL_GRID_LEFT;
template <class... T>
struct Types {};

/// A view of the same elements with gaps between them, and of numbers the number.
template <class T>
GPUArray<T> spread(const GPUArray<T>& x, int step) {
    const GPUArray<T> view = zeros<T>(Shape{2 * x.size()})(slice({}, {}, step));
    view.assign(x);
    return view;
}
/// What an operand becomes in other layouts: indexed, or repeated along a new first axis.
template <class T, class... I>
GPUArray<T> at(const GPUArray<T>& x, const I&... indices) {
    return x(indices...);
}
template <class T>
GPUArray<T> repeated(const GPUArray<T>& x) {
    return x.broadcast_to(Shape{3, static_cast<std::int64_t>(x.size())});
}
template <class V>
    requires(!std::derived_from<V, AnyArray>)
V spread(V number, int) {
    return number;
}
template <class V, class... I>
    requires(!std::derived_from<V, AnyArray>)
V at(V number, const I&...) {
    return number;
}

/// The operands with gaps, without elements, of rank 0, and one of them broadcast against the other: all four in the
/// whole grid, else one after the other, case by case; in the check every other case has one.
template <class Call, class X, class Y>
void check_layouts(Report& report, const std::string& name, const AnyArray& expected, double ulps, const Call& call,
                   const X& x, const Y& y) {
    const bool all = GEMEL_GRID_ALL_LAYOUTS;
    const std::size_t turn = ++report.turns, half_turn = turn / 4 + turn;
    if (!all && gemel::testing::is_left_out(2, half_turn)) return;
    if (all || turn % 4 == 0)
        report.compare(name + ", strided", call(spread(x, 2), spread(y, -2)).eval(), expected, ulps);
    if (all || turn % 4 == 1)
        report.compare(name + ", empty", call(at(x, slice(0)), at(y, slice(0))).eval(),
                       expected.view(std::array<Index, 1>{slice(0)}), ulps);
    if (all || turn % 4 == 2)
        report.compare(name + ", rank 0", call(at(x, 3), at(y, 3)).eval(), expected.view(std::array<Index, 1>{3}),
                       ulps);
    if (!all && turn % 4 != 3) return;
    const AnyArray rows = expected.broadcast_to(Shape{3, expected.shape()[0]}).copy();
    if constexpr (std::derived_from<X, AnyArray>)
        report.compare(name + ", broadcast", call(repeated(x), at(y, newaxis, ellipsis)).eval(), rows, ulps);
    else
        report.compare(name + ", broadcast", call(x, repeated(y)).eval(), rows, ulps);
}

/// The case `key` of a file, by a function of the operands.
template <bool stated, class Call, class... X>
void check(Report& report, const std::string& where, const NpzFile& file, const std::string& key, double ulps,
           const Call& call, const X&... operands) {
    const std::string name = where + " " + key;
    const bool has = file.contains(key + ".out");
    if constexpr (stated) {
        report.missing(name, has, true);
    } else if constexpr (requires { call(operands...); }) {
        if (!has) return;  // what only gemel defines
        try {
            const AnyArray expected = file.load(current_context(), key + ".out");
            report.compare(name, call(operands...).eval(), expected, ulps);
            if constexpr (sizeof...(X) == 2) check_layouts(report, name, expected, ulps, call, operands...);
        } catch (const Error& error) {
            std::printf("%s: %s\n", name.c_str(), error.what());
            ++report.cases, ++report.differences;
        }
    } else {
        report.missing(name, has, false);
    }
}

#define GEMEL_CALL(expression) \
    [](const auto& x, const auto& y) \
        requires requires { expression; } \
    { return expression; }
#define GEMEL_CALL_ONE(expression) \
    [](const auto& x) \
        requires requires { expression; } \
    { return expression; }

template <class B>
void pair(const std::filesystem::path& folder, Report& report) {
    const std::string where = numpy_name<A>() + " " + numpy_name<B>();
    const NpzFile file(folder / (numpy_name<A>() + "_" + numpy_name<B>() + ".npz"));
    const auto a = [&](const std::string& key) {
        return file.contains(key + ".a") ? file.load<A>(key + ".a") : GPUArray<A>();
    };
    const auto b = [&](const std::string& key) {
        return file.contains(key + ".b") ? file.load<B>(key + ".b") : GPUArray<B>();
    };
    // Complex numbers have no order here: stated in docs/numpy-differences.md.
    constexpr bool any_complex = is_complex<A> || is_complex<B>;
#define GEMEL_CASE(key, stated, ulps, expression) \
    check<stated>(report, where, file, key, ulps, GEMEL_CALL(expression), a(key), b(key))
    GEMEL_CASE("add", false, 1, x + y);
    GEMEL_CASE("subtract", false, 1, x - y);
    GEMEL_CASE("multiply", false, 2, x * y);
    GEMEL_CASE("divide", false, 8, x / y);
    GEMEL_CASE("floor_divide", any_complex, 1, floor_divide(x, y));
    GEMEL_CASE("remainder", any_complex, 1, x % y);
    GEMEL_CASE("power", false, 200, pow(x, y));
    GEMEL_CASE("minimum", any_complex, 0, minimum(x, y));
    GEMEL_CASE("maximum", any_complex, 0, maximum(x, y));
    GEMEL_CASE("equal", false, 0, x == y);
    GEMEL_CASE("not_equal", false, 0, x != y);
    GEMEL_CASE("less", any_complex, 0, x < y);
    GEMEL_CASE("less_equal", any_complex, 0, x <= y);
    GEMEL_CASE("greater", any_complex, 0, x > y);
    GEMEL_CASE("greater_equal", any_complex, 0, x >= y);
    GEMEL_CASE("and", false, 0, x & y);
    GEMEL_CASE("or", false, 0, x | y);
    GEMEL_CASE("xor", false, 0, x ^ y);
    GEMEL_CASE("left_shift", false, 0, x << y);
    GEMEL_CASE("right_shift", false, 0, x >> y);
    GEMEL_CASE("logical_and", false, 0, logical_and(x, y));
    GEMEL_CASE("logical_or", false, 0, logical_or(x, y));
    GEMEL_CASE("atan2", false, 8, atan2(x, y));
    GEMEL_CASE("hypot", false, 8, hypot(x, y));
    GEMEL_CASE("ldexp", false, 0, ldexp(x, y));
#undef GEMEL_CASE
}

/// A number beside an array, on either side.
/// In the check each operator takes two of the six kinds of numbers, others with the next type.
template <class V>
void weak(const NpzFile& file, const std::string& kind, V number, Report& report) {
    const std::string where = numpy_name<A>();
    constexpr bool any_complex = is_complex<A> || is_complex<V>;
    const auto a = [&](const std::string& key) {
        return file.contains(key + ".a") ? file.load<A>(key + ".a") : GPUArray<A>();
    };
    std::size_t choice = report.numbers++ + where.size();
#define GEMEL_CASE(op, stated, ulps, expression) \
    if (!gemel::testing::is_left_out(3, choice++)) \
    check<stated>(report, where, file, op "/" + kind, ulps, GEMEL_CALL(expression), a(op "/" + kind), number)
#define GEMEL_BOTH(op, stated, ulps, expression) \
    GEMEL_CASE(op, stated, ulps, expression); \
    if (!gemel::testing::is_left_out(3, choice)) \
    check<stated>(report, where, file, op "/" + kind + " first", ulps, GEMEL_CALL(expression), number, \
                  a(op "/" + kind + " first"))
    GEMEL_BOTH("add", false, 1, x + y);
    GEMEL_BOTH("subtract", false, 1, x - y);
    GEMEL_BOTH("multiply", false, 2, x * y);
    GEMEL_BOTH("divide", false, 8, x / y);
    GEMEL_BOTH("floor_divide", any_complex, 1, floor_divide(x, y));
    GEMEL_BOTH("remainder", any_complex, 1, x % y);
    GEMEL_BOTH("minimum", any_complex, 0, minimum(x, y));
    GEMEL_BOTH("maximum", any_complex, 0, maximum(x, y));
    GEMEL_BOTH("equal", false, 0, x == y);
    GEMEL_BOTH("not_equal", false, 0, x != y);
    GEMEL_BOTH("less", any_complex, 0, x < y);
    GEMEL_BOTH("less_equal", any_complex, 0, x <= y);
    GEMEL_BOTH("greater", any_complex, 0, x > y);
    GEMEL_BOTH("greater_equal", any_complex, 0, x >= y);
    GEMEL_BOTH("and", false, 0, x & y);
    GEMEL_BOTH("or", false, 0, x | y);
    GEMEL_BOTH("xor", false, 0, x ^ y);
    GEMEL_BOTH("logical_and", false, 0, logical_and(x, y));
    GEMEL_BOTH("logical_or", false, 0, logical_or(x, y));
    GEMEL_BOTH("atan2", false, 8, atan2(x, y));
    GEMEL_BOTH("hypot", false, 8, hypot(x, y));
    GEMEL_CASE("power", false, 200, pow(x, y));
    GEMEL_CASE("left_shift", false, 0, x << y);
    GEMEL_CASE("right_shift", false, 0, x >> y);
    GEMEL_CASE("ldexp", false, 0, ldexp(x, y));
#undef GEMEL_BOTH
#undef GEMEL_CASE
}

void alone(const std::filesystem::path& folder, Report& report) {
    const std::string where = numpy_name<A>();
    const NpzFile file(folder / (where + ".npz"));
    const auto a = [&](const std::string& key) {
        return file.contains(key + ".a") ? file.load<A>(key + ".a") : GPUArray<A>();
    };
#define GEMEL_CASE(key, ulps, expression) \
    check<false>(report, where, file, key, ulps, GEMEL_CALL_ONE(expression), a(key))
    GEMEL_CASE("negative", 0, -x);
    GEMEL_CASE("positive", 0, +x);
    GEMEL_CASE("invert", 0, ~x);
    GEMEL_CASE("abs", 2, abs(x));
    GEMEL_CASE("logical_not", 0, logical_not(x));
    GEMEL_CASE("square", 2, square(x));
    GEMEL_CASE("real", 0, real(x));
    GEMEL_CASE("imag", 0, imag(x));
    GEMEL_CASE("conj", 0, conj(x));
    GEMEL_CASE("isnan", 0, isnan(x));
    GEMEL_CASE("floor", 0, floor(x));
    GEMEL_CASE("ceil", 0, ceil(x));
    GEMEL_CASE("trunc", 0, trunc(x));
    GEMEL_CASE("sin", 8, sin(x));
    GEMEL_CASE("exp", 8, exp(x));
    GEMEL_CASE("sqrt", 8, sqrt(x));
    GEMEL_CASE("frexp_mantissa", 0, frexp(x).first);
    GEMEL_CASE("frexp_exponent", 0, frexp(x).second);
    GEMEL_CASE("modf_fraction", 0, modf(x).first);
    GEMEL_CASE("modf_whole", 0, modf(x).second);
#undef GEMEL_CASE
}

template <class... B>
void all(Types<B...>, const std::filesystem::path& folder, Report& report) {
    (pair<B>(folder, report), ...);
    const NpzFile file(folder / (numpy_name<A>() + "_weak.npz"));
    weak(file, "true", true, report);
    weak(file, "int", 3, report);
    weak(file, "float", 2.5, report);
    weak(file, "complex", cdouble(1.5, -2), report);
    weak(file, "large", 16777217, report);
    weak(file, "huge", 1e300, report);
    alone(folder, report);
}

[[maybe_unused]] const int added = add_left_type(
    numpy_name<A>(),
    [](const std::filesystem::path& folder, Report& report) { all(Types<GEMEL_GRID_TYPES>(), folder, report); });

}  // namespace
}  // namespace gemel::grid
