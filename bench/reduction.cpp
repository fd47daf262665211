/// Reductions beside CUB's DeviceReduce: GB/s of arrays read once.
#include "generators.hpp"

struct Extreme {
    float value;
    std::int64_t index;
};
GEMEL_STRUCT(Extreme, value, index)

int main() try {
    using namespace bench;
    const gemel::Context context = gemel::default_context();
    const gemel::ContextScope scope(context);
    const std::size_t most = is_gpu(context) ? std::size_t{1} << 28 : std::size_t{1} << 24;
    const gemel::ReductionKernel<float> sum({.arguments = "const float *x", .neutral = "0", .reduce_expr = "a+b"});
    const gemel::ReductionKernel<double> sum64({.arguments = "const double *x", .neutral = "0", .reduce_expr = "a+b"});
    const gemel::ReductionKernel<float> dot(
        {.arguments = "const float *x, const float *y", .neutral = "0", .map_expr = "x[i]*y[i]", .reduce_expr = "a+b"});
    const gemel::ReductionKernel<Extreme> argmax(
        {.arguments = "const float *x",
         .neutral = "extreme(-INFINITY, 0)",
         .map_expr = "extreme(x[i], i)",
         .reduce_expr = "b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a",
         .replace_if = "b.value > a.value",
         .preamble = "WITHIN_KERNEL Extreme extreme(float value, int64_t index)\n"
                     "{\n    Extreme e;\n    e.value = value;\n    e.index = index;\n    return e;\n}\n"});
    const gemel::MultiReductionKernel<float, float> minmax(
        {.arguments = "const float *x",
         .results = {{"INFINITY", "x[i]", "fmin(a, b)"}, {"-INFINITY", "x[i]", "fmax(a, b)"}}});
    const gemel::GPUArray<float> out(context, gemel::Shape{4}), one(context, gemel::Shape{});
    gemel::GPUArray<float> product;
    gemel::GPUArray<std::int64_t> found;
    const gemel::GPUArray<double> one64(context, gemel::Shape{});
    const gemel::GPUArray<Extreme> place(context, gemel::Shape{});
    const gemel::GPUArray<std::int64_t> index(context, gemel::Shape{1});
    for (std::size_t n = std::size_t{1} << 16; n <= most; n <<= 4) {
        const std::string size = " 2^" + std::to_string(log2_of(n));
        const double bytes = sizeof(float) * static_cast<double>(n);
        const Rotation<float> x(context, n), y(context, n);
        compare(
            context, "sum f32" + size, bytes,
            [&](const gemel::Stream& s, int k) { sum({.out = &one, .stream = s}, x[k]); },
            [&](void* s, int k) { peers::sum(peers::Type::f32, address(x[k]), address(out), n, s); });
        compare(
            context, "dot f32" + size, 2 * bytes,
            [&](const gemel::Stream& s, int k) { dot({.out = &one, .stream = s}, x[k], y[k]); },
            [&](void* s, int k) { peers::dot(address(x[k]), address(y[k]), address(out), n, s); });
        compare(
            context, "sum(x*y) f32" + size, 2 * bytes,
            [&](const gemel::Stream& s, int k) {
                const gemel::StreamScope scope(s);
                product = gemel::sum(x[k] * y[k]);
            },
            [&](void* s, int k) { peers::dot(address(x[k]), address(y[k]), address(out), n, s); });
        compare(
            context, "argmax f32" + size, bytes,
            [&](const gemel::Stream& s, int k) { argmax({.out = &place, .stream = s}, x[k]); },
            [&](void* s, int k) { peers::argmax(address(x[k]), address(out), address(index), n, s); });
        compare(
            context, "argmax(x) f32" + size, bytes,
            [&](const gemel::Stream& s, int k) {
                const gemel::StreamScope scope(s);
                found = gemel::argmax(x[k]);
            },
            [&](void* s, int k) { peers::argmax(address(x[k]), address(out), address(index), n, s); });
        compare(
            context, "minimum and maximum f32" + size, bytes,
            [&](const gemel::Stream& s, int k) { minmax({.stream = s}, x[k]); },
            [&](void* s, int k) { peers::minmax(address(x[k]), address(out), n, s); });
        const Rotation<double> z(context, n);
        compare(
            context, "sum f64" + size, 2 * bytes,
            [&](const gemel::Stream& s, int k) { sum64({.out = &one64, .stream = s}, z[k]); },
            [&](void* s, int k) { peers::sum(peers::Type::f64, address(z[k]), address(one64), n, s); });
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
