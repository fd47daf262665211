/// An element-wise kernel from a line of C (figure 4 of PyCUDA's paper): with types as written, with types found at run
/// time, and beside it the expression that becomes one such kernel by itself.
#include <gemel/gemel.hpp>

#include <cstdio>
#include <cstdlib>

int main() {
    using gemel::ScalarArg, gemel::VectorArg;
    const gemel::GPUArray<float> x = gemel::random::rand<float>({500000}), y = gemel::random::rand<float>({500000});
    const gemel::GPUArray<float> written = gemel::empty_like(x), found = gemel::empty_like(x);

    const gemel::ElementwiseKernel lin_comb("float a, float *x, float b, float *y, float *z", "z[i] = a*x[i] + b*y[i]");
    lin_comb(5, x, 6, y, written);

    const gemel::ElementwiseKernel of_any_type(
        {ScalarArg(x.dtype(), "a"), VectorArg(x.dtype(), "x"), ScalarArg(y.dtype(), "b"), VectorArg(y.dtype(), "y"),
         VectorArg(x.dtype(), "z")},
        "z[i] = a*x[i] + b*y[i]");
    of_any_type(5, x, 6, y, found);

    const gemel::GPUArray<float> expression = 5 * x + 6 * y;

    const float difference = gemel::max(gemel::abs(written - found)).item();
    const float rounding = gemel::max(gemel::abs(written - expression)).item();
    const bool good = difference == 0 && rounding < 1e-5f;  // products may be fused with sums in one and not the other
    std::printf("%s: three ways to 5 x + 6 y, at most %.1e apart\n", good ? "ok" : "wrong",
                static_cast<double>(rounding));
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
