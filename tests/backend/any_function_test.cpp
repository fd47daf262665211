/// The functions of expressions whose types are known only at run time, compiled for CUDA.
#include "../nvrtc.hpp"
#include "array_support.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace gemel;
using namespace gemel::testing;

TEST_SUITE_BEGIN("arrays");

TEST_CASE("every function compiles for CUDA") {
    if (!Nvrtc::instance()) {
        MESSAGE("there is no NVRTC");
        return;
    }
    const auto f = to_gpu(std::vector<float>{1}), g = to_gpu(std::vector<float>{2});
    const auto d = f.astype<double>();
    const auto h = f.astype<half>();
    const auto i = f.astype<std::int16_t>();
    const auto c = f.astype<cfloat>();
    const auto z = f.astype<cdouble>();
    std::size_t choice = 0;
    const auto check = [&choice](const std::string& text, const auto& x, const auto& y) {
        if (is_left_out(2, choice++)) return;
        const std::string kernel = source(expression(text, {{"x", x}, {"y", y}}), Dialect::cuda());
        const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), kernel) + kernel, "sm_80");
        CHECK_MESSAGE(result.succeeded, x.dtype().name(), "\n", result.log, "\n", kernel);
    };
    const std::string of_all =
        "(x + y - x * y / x == -x || x != y) * pow(x, y) + square(x) * sin(x) * cos(x) * tan(x) * sinh(x) * cosh(x) * "
        "tanh(x) * exp(x) * log(x) * sqrt(x) + asin(x) * acos(x) * atan(x) * asinh(x) * acosh(x) * atanh(x) * exp2(x) "
        "* "
        "expm1(x) * log2(x) * log10(x) * log1p(x) * rsqrt(x) + abs(x) * real(x) * imag(x) * conj(x) + where(x, y, 1)";
    check(of_all, c, c);
    check(of_all, z, z);
    check(of_all, f, c);
    const std::string of_real =
        " + cbrt(x) * erf(x) * erfc(x) * atan2(x, y) * hypot(x, y) * floor(x) * ceil(x) * trunc(x) * rint(x) + "
        "isnan(x) "
        "+ x % y + floor_divide(x, y) + minimum(x, y) * maximum(x, y) + (x < y) + (x >= y) + clip(x, 1, 2)";
    check(of_all + of_real, f, g);
    check(of_all + of_real, d, f);
    check(of_all + of_real, h, i);
    check(of_all + of_real + " + (x & y | x ^ ~y) + (x << 2 >> y) + !x + (x < 100000)", i, i);
}

TEST_SUITE_END();
