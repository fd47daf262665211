/// Element-wise kernels beside CUB's DeviceTransform: GB/s of arrays read once and written once.
#include "generators.hpp"

#include <gemel/core/half.hpp>

#include <string>
#include <tuple>

namespace {

using namespace bench;

/// The same beside kernels written by hand with 16-byte accesses, one per thread, in blocks of two sizes.
void by_hand(const gemel::Context& context, std::size_t n) {
    const auto kernel_of = [&](const std::string& name, const std::string& value) {
        std::string body;
        for (const std::string lane : {"x", "y", "z", "w"}) {
            body += "        w." + lane + " = " + value + ";\n";
            for (std::size_t at; (at = body.find('#')) != std::string::npos;) body.replace(at, 1, lane);
        }
        return context
            .compile(
                "KERNEL void " + name +
                "(float a, float b, GLOBAL_MEM const float4 *x, GLOBAL_MEM const float4 *y, GLOBAL_MEM float4 *z, "
                "int packs)\n{\n    const int i = GLOBAL_ID_0;\n    if (i < packs) {\n        const float4 u = x[i], v "
                "= y[i];\n        float4 w;\n" +
                body + "        z[i] = w;\n    }\n}\n")
            .kernel(name);
    };
    const Rotation<float> x(context, n), y(context, n), z(context, n);
    const gemel::ElementwiseKernel axpy("float a, float b, const float *x, const float *y, float *z",
                                        "z[i] = a*x[i] + y[i]", "axpy"),
        axpby("float a, float b, const float *x, const float *y, float *z", "z[i] = a*x[i] + b*y[i]", "axpby");
    const gemel::Kernel axpy_by_hand = kernel_of("axpy_by_hand", "a * u.# + v.#"),
                        axpby_by_hand = kernel_of("axpby_by_hand", "a * u.# + b * v.#");
    for (const std::size_t block : {256, 1024})
        for (const auto& [name, generated, hand] :
             {std::tuple{"axpy", &axpy, &axpy_by_hand}, std::tuple{"axpby", &axpby, &axpby_by_hand}})
            compare(
                context,
                std::string(name) + " f32 beside float4 by hand, blocks of " + std::to_string(block) + ", 2^" +
                    std::to_string(log2_of(n)),
                3.0 * sizeof(float) * n,
                [&](const gemel::Stream& s, int k) {
                    (*generated)(gemel::CallOptions{.stream = s}, 5, 6, x[k], y[k], z[k]);
                },
                [](void*, int) {}, 0,
                [&](const gemel::Stream& s, int k) {
                    (*hand)({.block = {block}, .threads = {n / 4}, .stream = s}, 5.0f, 6.0f, x[k].buffer(),
                            y[k].buffer(), z[k].buffer(), static_cast<int>(n / 4));
                },
                1 / 0.98, false);
}

}  // namespace

int main() try {
    const gemel::Context context = gemel::default_context();
    const std::size_t most = is_gpu(context) ? std::size_t{1} << 28 : std::size_t{1} << 24;
    if (is_gpu(context))
        for (const int log2 : {24, 28}) by_hand(context, std::size_t{1} << log2);
    for (std::size_t n = std::size_t{1} << 16; n <= most; n <<= 4) {
        const std::string size = " 2^" + std::to_string(log2_of(n));
        const auto axpy = [&]<class T>(const std::string& type, peers::Type peer, T) {
            Rotation<T> x(context, n), y(context, n), z(context, n);
            gemel::ElementwiseKernel kernel("float a, const T *x, const T *y, T *z", "z[i] = a * x[i] + y[i]", "axpy");
            // One thread per element, as one writes it by hand; 16-bit floats are left out there.
            std::function<void(const gemel::Stream&, int)> raw;
            const std::string name = gemel::DType(gemel::dtype_of<T>()).name();
            const gemel::Kernel by_hand =
                context
                    .compile("KERNEL void axpy(" + std::string(sizeof(T) == 8 ? "double" : "float") +
                             " a, GLOBAL_MEM const " + name + " *x, GLOBAL_MEM const " + name + " *y, GLOBAL_MEM " +
                             name + " *z, int n)\n{\n    int i = GLOBAL_ID_0;\n" +
                             (sizeof(T) == 2 ? "" : "    if (i < n) z[i] = a * x[i] + y[i];\n") + "}")
                    .kernel("axpy");
            if (sizeof(T) != 2)
                raw = [&](const gemel::Stream& s, int k) {
                    const gemel::LaunchConfig config{.block = {256}, .threads = {n}, .stream = s};
                    if constexpr (sizeof(T) == 8) {
                        by_hand(config, 2.0, x[k], y[k], z[k], static_cast<int>(n));
                    } else {
                        by_hand(config, 2.0f, x[k], y[k], z[k], static_cast<int>(n));
                    }
                };
            compare(
                context, "axpy " + type + size, 3.0 * sizeof(T) * n,
                [&](const gemel::Stream& s, int k) { kernel(gemel::CallOptions{.stream = s}, 2, x[k], y[k], z[k]); },
                [&](void* s, int k) { peers::axpy(peer, 2, address(x[k]), address(y[k]), address(z[k]), n, s); },
                1 / 0.98, raw);
        };
        axpy("f32", peers::Type::f32, float{});
        axpy("f64", peers::Type::f64, double{});
        axpy("f16", peers::Type::f16, gemel::half{});
        axpy("i8", peers::Type::i8, std::int8_t{});
        {
            Rotation<float> x(context, n), y(context, n), z(context, n);
            gemel::ElementwiseKernel kernel("float a, float *x, float b, float *y, float *z", "z[i] = a*x[i] + b*y[i]",
                                            "axpby");
            compare(
                context, "axpby f32" + size, 3.0 * sizeof(float) * n,
                [&](const gemel::Stream& s, int k) { kernel(gemel::CallOptions{.stream = s}, 5, x[k], 6, y[k], z[k]); },
                [&](void* s, int k) { peers::axpby(5, address(x[k]), 6, address(y[k]), address(z[k]), n, s); });
        }
        {
            // The same by operators, into a new array.
            Rotation<float> x(context, n), y(context, n), z(context, n);
            gemel::GPUArray<float> result;
            compare(
                context, "5*x + 6*y by operators" + size, 3.0 * sizeof(float) * n,
                [&](const gemel::Stream& s, int k) {
                    const gemel::StreamScope scope(s);
                    result = 5 * x[k] + 6 * y[k];
                },
                [&](void* s, int k) { peers::axpby(5, address(x[k]), 6, address(y[k]), address(z[k]), n, s); });
        }
        {
            Rotation<float> a(context, n), b(context, n), c(context, n), d(context, n), e(context, n), out(context, n);
            gemel::ElementwiseKernel kernel(
                "const float *a, const float *b, const float *c, const float *d, const float *e, float *out",
                "out[i] = (a[i] + b[i] * c[i] - d[i]) * e[i]", "five");
            compare(
                context, "five inputs f32" + size, 6.0 * sizeof(float) * n,
                [&](const gemel::Stream& s, int k) {
                    kernel(gemel::CallOptions{.stream = s}, a[k], b[k], c[k], d[k], e[k], out[k]);
                },
                [&](void* s, int k) {
                    peers::five(address(a[k]), address(b[k]), address(c[k]), address(d[k]), address(e[k]),
                                address(out[k]), n, s);
                });
        }
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
