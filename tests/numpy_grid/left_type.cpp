/// All operators with GEMEL_GRID_LEFT as their left operand, beside GEMEL_GRID_TYPES; see numpy_grid.hpp.
#include "numpy_grid.hpp"

#include <complex>

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
            report.compare(name, call(operands...).eval(), file.load(current_context(), key + ".out"), ulps);
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
    { \
        return expression; \
    }
#define GEMEL_CALL_ONE(expression) \
    [](const auto& x) \
        requires requires { expression; } \
    { \
        return expression; \
    }

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
    if constexpr (std::is_same_v<A, B>) {
        const GPUArray<A> l = a("add");
        const GPUArray<B> r = b("add");
        const auto add = GEMEL_CALL(x + y);
        check<false>(report, where, file, "add/strided", 1, add, l(slice({}, {}, 2)), r(slice({}, {}, -2)));
        check<false>(report, where, file, "add/broadcast", 1, add, l(ellipsis, newaxis), r(newaxis, ellipsis));
        check<false>(report, where, file, "add/empty", 1, add, l(slice(0)), r(slice(0)));
        check<false>(report, where, file, "add/rank 0", 1, add, l(3), r(2));
    }
#undef GEMEL_CASE
}

template <class V>
void weak(const NpzFile& file, const std::string& kind, V number, Report& report) {
    const std::string where = numpy_name<A>();
    constexpr bool any_complex = is_complex<A> || is_complex<V>;
    const GPUArray<A> a = file.load<A>("equal/" + kind + ".a");
#define GEMEL_CASE(op, stated, ulps, expression) \
    check<stated>(report, where, file, op "/" + kind, ulps, GEMEL_CALL(expression), a, number)
    GEMEL_CASE("add", false, 1, x + y);
    GEMEL_CASE("subtract", false, 1, x - y);
    GEMEL_CASE("multiply", false, 2, x * y);
    GEMEL_CASE("divide", false, 8, x / y);
    GEMEL_CASE("floor_divide", any_complex, 1, floor_divide(x, y));
    GEMEL_CASE("remainder", any_complex, 1, x % y);
    GEMEL_CASE("maximum", any_complex, 0, maximum(x, y));
    GEMEL_CASE("equal", false, 0, x == y);
    GEMEL_CASE("less", any_complex, 0, x < y);
#undef GEMEL_CASE
    check<false>(report, where, file, "subtract/" + kind + " first", 1, GEMEL_CALL(y - x), a, number);
    check<false>(report, where, file, "divide/" + kind + " first", 8, GEMEL_CALL(y / x), a, number);
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
    alone(folder, report);
}

[[maybe_unused]] const int added = add_left_type(
    [](const std::filesystem::path& folder, Report& report) { all(Types<GEMEL_GRID_TYPES>(), folder, report); });

}  // namespace
}  // namespace gemel::grid
