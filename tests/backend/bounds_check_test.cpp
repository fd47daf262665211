/// GEMEL_CHECK=1: what a snippet's subscripts reach outside is reported and nothing is damaged.
#include "../null/scratch.hpp"
#include "generator_support.hpp"

#include <gemel/core/text.hpp>

using namespace gemel;
using namespace gemel::testing;

namespace {

/// Runs `body` in a context of its own whose generated kernels check.
template <class Body>
void checking(Body&& body) {
    const ScopedVariable check("GEMEL_CHECK", "1");
    const Context context(current_context().device());
    const ContextScope scope(context);
    body();
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("a checked element-wise kernel says which subscript is out of bounds and where") {
    const ElementwiseKernel before("const float *x, float *z", "z[i] = x[i - 1]", "before");
    const ElementwiseKernel scatter("const int *at, T *z", "z[at[i]] = 7", "scatter");
    checking([&] {
        const auto x = to_gpu(counting<float>(1001)), z = zeros<float>(1001);
        CHECK_THROWS_MENTIONING(Error, before(x, z), "ElementwiseKernel 'before'", "x[-1]", "at i = 0",
                                "x has 1001 elements");
        before({.range = IndexRange{.start = 1}}, x, z);  // the kernel stays usable
        CHECK(z.get()[1000] == x.get()[999]);
        // Strided: subscripts are counted in elements of the view.
        CHECK_THROWS_MENTIONING(Error, before(x(slice({}, {}, -2)), z(slice(0, 501))), "x[-1]", "x has 501 elements");
        const auto column = to_gpu(counting<float>(64)).reshape({8, 8}).transpose();
        CHECK_THROWS_MENTIONING(Error, before(column, zeros<float>({8, 8})), "x[-1]", "x has 64 elements");

        // Writes: the neighbours of the array in memory stay as they are.
        const auto memory = zeros<std::int16_t>(30);
        const auto at = to_gpu(std::vector<std::int32_t>{1, 5, 0});
        CHECK_THROWS_MENTIONING(Error, scatter(at, memory(slice(10, 13))), "'scatter'", "z[5]", "at i = 1",
                                "z has 3 elements");
        std::vector<std::int16_t> expected(30, 0);
        expected[10] = expected[11] = 7;
        CHECK(memory.get() == expected);
    });
}

TEST_CASE("subscripts before and after the elements are checked too") {
    const ElementwiseKernel first("const float *x, int at, float *z", "z[i] = s", "first",
                                  {.loop_prep = "float s = x[at];"});
    const ElementwiseKernel last("float *z, int at", "z[i] = 1", "last", {.after_loop = "z[at] = 5;"});
    checking([&] {
        const auto x = to_gpu(counting<float>(8)), z = zeros<float>(4);
        const auto all = to_gpu(counting<float>(8));
        CHECK_THROWS_MENTIONING(Error, first(x(slice({}, {}, 2)), 4, z), "'first'", "x[4]", "in loop_prep", "x has 4");
        first(x(slice({}, {}, 2)), 3, z);
        CHECK(z.get() == std::vector<float>(4, x.get()[6]));
        CHECK_THROWS_MENTIONING(Error, last(all(slice({}, {}, 2)), -1), "'last'", "z[-1]", "after_loop");
        CHECK(all.get()[7] == counting<float>(8)[7]);
    });
}

TEST_CASE("checked reductions and scans say the same") {
    const ReductionKernel<float> steps(
        {.arguments = "const float *x", .neutral = "0", .map_expr = "x[i + 1] - x[i]", .reduce_expr = "a + b"});
    const GenericScanKernel<double> pairs({.arguments = "const double *x, double *y",
                                           .input_expr = "x[i] + x[i - 1]",
                                           .scan_expr = "a + b",
                                           .neutral = "0",
                                           .output_statement = "y[i] = item"});
    const ElementwiseKernel shift("const int *x, int *z", "z[i] = i ? x[i - 1] : 0", "shift");
    checking([&] {
        for (const std::size_t n : {5, 100000}) {
            const auto x = zeros<float>(n);
            const std::string last = gemel::text("x[", n, "]"), where = gemel::text("at i = ", n - 1);
            CHECK_THROWS_MENTIONING(Error, steps(x), "ReductionKernel", last, where);
            const auto y = zeros<double>(n), out = zeros<double>(n);
            CHECK_THROWS_MENTIONING(Error, pairs(y, out), "ScanKernel", "x[-1]", "at i = 0");
        }
        CHECK_THROWS_MENTIONING(Error, steps({.axes = std::vector<int>{1}}, zeros<float>({4, 6})), "x[24]",
                                "at i = 23");
        const auto x = to_gpu(counting<int>(300)), z = zeros<int>(300);
        shift(x, z);  // nothing out of bounds: a result as ever
        CHECK(z.get()[299] == 298);
    });
}

TEST_SUITE_END();
