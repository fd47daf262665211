/// Reductions of arrays and expressions whose types are known only at run time: what the typed ones give.
#include "array_support.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

using namespace gemel;
using namespace gemel::testing;

namespace {

template <class T>
using Values = std::vector<T>;

/// Of one type, one shape and the same values; NaN equals NaN.
template <class T>
void check_same(const GPUArray<T>& typed, const AnyArray& untyped) {
    REQUIRE(untyped.dtype() == dtype_of<T>());
    CHECK(untyped.shape() == typed.shape());
    const auto expected = typed.get(), found = GPUArray<T>(untyped).get();
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto is_nan = [](const auto& v) { return !(v == v); };
        CHECK(((found[i] == expected[i]) || (is_nan(found[i]) && is_nan(expected[i]))));
    }
}

template <class T>
void check_spread(const GPUArray<T>& x) {
    const AnyArray a = x;
    INFO(a.dtype().name());
    check_same(mean(x), mean(a));
    check_same(var(x), var(a));
    check_same(var(x, 1, true, 1), var(a, 1, true, 1));
    check_same(stddev(x, {0, 1}), stddev(a, {0, 1}));
    check_same(stddev(x, 0, false, 1), stddev(a, 0, false, 1));
    check_same(norm(x), norm(a));
    check_same(norm(x, -1, true), norm(a, -1, true));
    check_same(vdot(x, x), vdot(a, a));
    check_same(inner(x, x(1)), inner(a, a(1)));
    check_same(inner(x, x), inner(a, x));
    check_same(sum(x, 0, false, 3), sum(a, 0, false, 3));
    check_same(prod(x, {}, true, 2), prod(a, {}, true, 2));
    check_same(sum<double>(x != 0, 0, false, 0.5), sum(a != 0, 0, false, 0.5, dtype_of<double>()));
}

template <class T>
void check_extremes(const GPUArray<T>& x) {
    const AnyArray a = x;
    INFO(a.dtype().name());
    for (const int initial : {0, 1}) {
        check_same(min(x, {}, false, initial), min(a, {}, false, initial));
        check_same(max(x, 1, true, initial), max(a, 1, true, initial));
        check_same(min(x(slice(0)), 0, false, initial), min(a(slice(0)), 0, false, initial));
    }
    CHECK_THROWS_AS(min(a(slice(0))), ArgumentError);
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("untyped variances and norms and products are those of typed arrays") {
    const Values<float> values{1, -2, 3.5f, 0, 7, 1};
    const auto f = to_gpu(values, {2, 3});
    check_spread(f);
    check_spread(f.astype<double>());
    check_spread(f.astype<half>());
    check_spread(f.astype<bfloat16>());
    check_spread(f.astype<std::int8_t>());
    check_spread(f.astype<std::int32_t>());
    check_spread(abs(f).eval().astype<std::uint16_t>());
    check_spread(f.astype<bool>());
    check_extremes(f);
    check_extremes(f.astype<half>());
    check_extremes(f.astype<std::int8_t>());
    check_extremes(abs(f).eval().astype<std::uint64_t>());
    check_extremes(f.astype<bool>());
}

TEST_CASE("untyped variances and norms and products of complex numbers") {
    const auto z = to_gpu(Values<cfloat>{{1, 2}, {0, -1}, {3, 0.5f}, {2, 2}}, {2, 2});
    const AnyArray a = z;
    check_same(var(z, 0), var(a, 0));
    check_same(stddev(z), stddev(a));
    check_same(norm(z), norm(a));
    check_same(vdot(z, z), vdot(a, a));
    check_same(inner(z, z), inner(a, a));
    check_same(sum(z, {}, false, cfloat(0, 1)), sum(a, {}, false, cdouble(0, 1)));
    CHECK(GPUArray<cfloat>(sum(a, {}, false, 1)).item() == cfloat(7, 3.5f));
    CHECK_THROWS_MENTIONING(ArgumentError, min(a, {}, false, 1), "min", "no order");
}

TEST_CASE("untyped expressions are reduced without being stored") {
    const Context context = current_context();
    const AnyArray x = counted<double>({1000});
    norm(x * 2 - 1);
    const Statistics before = context.statistics();
    const AnyArray found = norm(x * 2 - 1);
    CHECK(context.statistics().launches - before.launches <= 3);  // on CPU devices the sum takes two
    CHECK(context.statistics().compilations == before.compilations);
    CHECK(GPUArray<double>(found).item() == doctest::Approx(std::sqrt(1329337000.0)));
    CHECK(GPUArray<double>(var(x + 1e9)).item() == doctest::Approx(83333.25));
    CHECK(GPUArray<double>(vdot(x, full<float>({1}, 2))).item() == 999000);
    CHECK(GPUArray<double>(inner(x + 0, full<double>({1000}, 0.5) * 2)).item() == 499500);
    CHECK(inner(x, AnyArray(full<float>({1}, 2)(0))).shape() == Shape{1000});
}

TEST_CASE("a number to begin with is one that the untyped result has") {
    const AnyArray n = to_gpu(Values<std::int8_t>{1, 2}), f = to_gpu(Values<float>{1, 2});
    CHECK(GPUArray<std::int64_t>(sum(n, {}, false, 4.0)).item() == 7);
    CHECK(GPUArray<std::int8_t>(sum(n, {}, false, 1, dtype_of<std::int8_t>())).item() == 4);
    CHECK(GPUArray<std::uint64_t>(max(AnyArray(full<std::uint64_t>({2}, 1)), {}, false, UINT64_MAX)).item() ==
          UINT64_MAX);
    CHECK(std::isnan(GPUArray<float>(max(f, {}, false, NAN)).item()));
    CHECK(GPUArray<float>(min(AnyArray(empty<float>({0})), {}, false, 4)).item() == 4);
    CHECK_THROWS_MENTIONING(ArgumentError, sum(n, {}, false, 4.5), "4.5", "int64_t");
    CHECK_THROWS_MENTIONING(ArgumentError, min(n, {}, false, 300), "300", "int8_t");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(f, {}, false, cdouble(0, 1)), "float", "complex");
    CHECK_THROWS_MENTIONING(ArgumentError, inner(f, AnyArray(full<float>({3}, 1))), "(2,)", "(3,)");
    CHECK_THROWS_AS(var(f, 1), ArgumentError);
    CHECK_THROWS_MENTIONING(ArgumentError, sum(f, {}, false, dtype_of<float4>()), "sum: ", "float4");
    CHECK_THROWS_MENTIONING(ArgumentError, prod(AnyArray(zeros<cfloat>({2})), {}, false, dtype_of<float>()),
                            "prod: ", "cfloat", "float");
}

TEST_SUITE_END();
