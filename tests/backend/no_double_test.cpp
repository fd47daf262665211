/// Devices without double precision: single precision works, and what needs double is refused with the next step.
#include "array_support.hpp"

#include "child.hpp"

#include <gemel/gemel.hpp>

#include <cmath>
#include <cstdio>
#include <numeric>

using namespace gemel;
using namespace gemel::testing;

namespace {

int failures = 0;

void expect(bool right, const char* what) {
    if (right) return;
    ++failures;
    std::printf("wrong: %s\n", what);
}

/// Runs a piece of a program; what it throws is shown.
void attempt(const char* what, const std::function<bool()>& piece) {
    try {
        expect(piece(), what);
    } catch (const std::exception& error) {
        ++failures;
        std::printf("threw: %s: %s\n", what, error.what());
    }
}

bool near(double value, double expected) { return std::abs(value - expected) <= 1e-5 * std::abs(expected) + 1e-6; }

void use_single_precision() {
    const Context context = default_context();
    constexpr int n = 5000;
    const auto x = arange<float>(context, n);
    const double last = n - 1, sum_of_squares = last * n * (2 * last + 1) / 6;
    attempt("a double of the host's beside floats", [&] {
        const GPUArray<float> y = x * 2.0 + 0.5;
        return y.get()[10] == 20.5f;
    });
    attempt("functions", [&] {
        const GPUArray<float> y = sin(x) * sin(x) + cos(x) * cos(x);
        return near(y.get()[4321], 1) && near(GPUArray<float>(pow(x, 0.5f)).get()[4], 2);
    });
    attempt("sum", [&] { return near(sum(x).item(), last * n / 2); });
    attempt("sum along an axis", [&] { return near(sum(x.reshape({50, 100}), 1).get()[0], 4950); });
    attempt("mean", [&] { return near(mean(x).item(), last / 2); });
    attempt("var", [&] { return near(var(x).item(), sum_of_squares / n - last * last / 4); });
    attempt("norm", [&] { return near(norm(x).item(), std::sqrt(sum_of_squares)); });
    attempt("argmax", [&] { return argmax(x).item() == n - 1; });
    attempt("cumsum", [&] { return near(cumsum(x).get()[100], 5050); });
    attempt("linspace", [&] { return near(linspace<float>(context, 0.f, 1.f, 11).get()[3], 0.3); });
    attempt("random numbers", [&] {
        const auto drawn = random::rand<float>(context, {n});
        return min(drawn).item() >= 0 && max(drawn).item() < 1;
    });
    attempt("sort", [&] {
        const GPUArray<float> turned = flip(x).copy();
        return sort(turned).get()[7] == 7;
    });
    attempt("product of matrices", [&] {
        const auto a = full<float>(context, {40, 30}, 2.f), b = full<float>(context, {30, 20}, 0.5f);
        return matmul(a, b).get()[5] == 30;
    });
    attempt("an element-wise kernel", [&] {
        GPUArray<float> z(context, {n});
        ElementwiseKernel("float a, float *x, float *z", "z[i] = a * x[i]", "scale")(3.0, x, z);
        return z.get()[9] == 27;
    });
    attempt("doubles that are only moved", [&] {
        const auto doubles = to_gpu(context, std::vector<double>{1, 2, 3, 4, 5, 6}).reshape({2, 3});
        return doubles.transpose().copy().get()[1] == 4;
    });
}

/// What a refusal says: who, that it is double, and what to do.
bool is_refused(const char* what, const std::string& message) {
    const bool good = mentions(message, {"double", default_device().name()}) &&
                      (mentions(message, {"float"}) || mentions(message, {"astype"}));
    std::printf("%s: %s\n", what, message.substr(0, 1500).c_str());
    return good;
}

const Child without("without_double", [] {
    const Device device = default_device();
    if (device.info().has_double) return 2;
    const Context context = default_context();
    use_single_precision();
    const auto doubles = to_gpu(context, std::vector<double>(10, 1.0));
    const auto refused = [&](const char* what, const std::function<void()>& piece) {
        expect(is_refused(what, message_of<Error>(piece)), what);
    };
    refused("an expression", [&] { (void)GPUArray<double>(doubles * 2 + doubles).get(); });
    refused("a generated kernel", [&] {
        GPUArray<double> z(context, {10});
        ElementwiseKernel("double *x, double *z", "z[i] = x[i]*x[i]", "square")(doubles, z);
    });
    refused("a hand-written kernel", [&] {
        (void)context.compile("KERNEL void halve(GLOBAL_MEM double *x) { x[GLOBAL_ID_0] *= 0.5; }").kernel("halve");
    });
    return failures == 0 ? 0 : 3;
});

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("a device without double computes in single precision and refuses kernels in double") {
    if (default_device().backend() != "opencl") return;  // every GPU that CUDA knows has double
    const ChildResult child = run_child("without_double", {{"GEMEL_DOUBLE", "off"}});
    INFO(child.output);
    CHECK_MESSAGE(child.exit_code == 0, child.output);
}

TEST_SUITE_END();
