/// Element-wise kernels beside CUB's DeviceTransform, or beside kernels written by hand where that is not: GB/s of
/// arrays read once and written once.
#include "generators.hpp"

#include <gemel/core/half.hpp>
#include <gemel/core/text.hpp>

#include <stdexcept>
#include <string>
#include <tuple>

namespace {

using namespace bench;

/// compare(), after both contestants have been seen to compute the same.
/// @param ours_to, raw_to  the arrays that a call with k = 0 leaves its result in
/// @throws std::runtime_error if they differ by more than roundings
template <class T, class Ours, class Peer>
void contest(const gemel::Context& context, const std::string& name, double bytes, Ours&& ours, Peer&& peer,
             const std::function<void(const gemel::Stream&, int)>& raw, const gemel::GPUArray<T>& ours_to,
             const gemel::GPUArray<T>& raw_to, double raw_promise = 1.05, bool want_peer = true) {
    {
        const gemel::Stream stream = context.create_stream();
        const gemel::StreamScope scope(stream);
        ours(stream, 0);
        const auto expected = ours_to.copy();
        raw_to.fill(static_cast<T>(0));
        raw(stream, 0);
        const float farthest =
            gemel::max(gemel::abs(gemel::astype<float>(expected) - gemel::astype<float>(raw_to))).item();
        if (!(farthest < 0.01f))
            throw std::runtime_error(name + ": the kernel by hand is off by " + std::to_string(farthest));
    }
    compare(context, name, bytes, ours, peer, 1 / 0.98, raw, raw_promise, want_peer);
}

/// One thread per element, as one writes it by hand, in blocks of 256.
class ByHand {
   public:
    ByHand(const gemel::Context& context, const std::string& parameters, const std::string& statement)
        : kernel_(context
                      .compile("KERNEL void by_hand(" + parameters + ", int n)\n{\n    const int i = GLOBAL_ID_0;\n" +
                               "    if (i < n) " + statement + ";\n}\n")
                      .kernel("by_hand")) {}
    template <class... A>
    void operator()(const gemel::Stream& stream, std::size_t n, const A&... arguments) const {
        kernel_({.block = {256}, .threads = {n}, .stream = stream}, arguments..., static_cast<int>(n));
    }

   private:
    gemel::Kernel kernel_;
};

/// axpy and axpby beside kernels written by hand with 16-byte accesses, one per thread, in blocks of two sizes.
void beside_float4(const gemel::Context& context, std::size_t n) {
    const auto kernel_of = [&](const std::string& name, const std::string& value, std::size_t block) {
        std::string body;
        for (const std::string lane : {"x", "y", "z", "w"}) {
            body += "        w." + lane + " = " + value + ";\n";
            for (std::size_t at; (at = body.find('#')) != std::string::npos;) body.replace(at, 1, lane);
        }
        return context
            .compile(
                gemel::text("KERNEL REQD_WG_SIZE(", block, ", 1, 1) void ", name) +
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
    for (const std::size_t block : {256, 1024}) {
        const gemel::Kernel axpy_by_hand = kernel_of("axpy_by_hand", "a * u.# + v.#", block),
                            axpby_by_hand = kernel_of("axpby_by_hand", "a * u.# + b * v.#", block);
        for (const auto& [name, generated, hand] :
             {std::tuple{"axpy", &axpy, &axpy_by_hand}, std::tuple{"axpby", &axpby, &axpby_by_hand}})
            contest(
                context,
                std::string(name) + " f32 beside float4 by hand, blocks of " + std::to_string(block) + ", 2^" +
                    std::to_string(log2_of(n)),
                3.0 * sizeof(float) * n,
                [&](const gemel::Stream& s, int k) {
                    (*generated)(gemel::CallOptions{.stream = s}, 5, 6, x[k], y[k], z[k]);
                },
                [](void*, int) {},
                [&](const gemel::Stream& s, int k) {
                    (*hand)({.block = {block}, .threads = {n / 4}, .stream = s}, 5.0f, 6.0f, x[k].buffer(),
                            y[k].buffer(), z[k].buffer(), static_cast<int>(n / 4));
                },
                z[0], z[0], 1 / 0.98, false);
    }
}

template <class T>
void axpy(const gemel::Context& context, std::size_t n, const std::string& type, peers::Type peer) {
    const std::string size = " 2^" + std::to_string(log2_of(n));
    const Rotation<T> x(context, n), y(context, n), z(context, n);
    const gemel::ElementwiseKernel kernel("float a, const T *x, const T *y, T *z", "z[i] = a * x[i] + y[i]", "axpy");
    const std::string name = gemel::DType(gemel::dtype_of<T>()).name();
    const ByHand by_hand(context,
                         std::string(sizeof(T) == 8 ? "double" : "float") + " a, GLOBAL_MEM const " + name +
                             " *x, GLOBAL_MEM const " + name + " *y, GLOBAL_MEM " + name + " *z",
                         sizeof(T) == 2 ? "z[i] = store_float16(a * load_float16(x[i]) + load_float16(y[i]))"
                                        : "z[i] = a * x[i] + y[i]");
    contest(
        context, "axpy " + type + size, 3.0 * sizeof(T) * n,
        [&](const gemel::Stream& s, int k) { kernel(gemel::CallOptions{.stream = s}, 2, x[k], y[k], z[k]); },
        [&](void* s, int k) { peers::axpy(peer, 2, address(x[k]), address(y[k]), address(z[k]), n, s); },
        [&](const gemel::Stream& s, int k) {
            by_hand(s, n, std::conditional_t<sizeof(T) == 8, double, float>(2), x[k], y[k], z[k]);
        },
        z[0], z[0]);
}

/// By a kernel, and by operators into a new array.
void axpby(const gemel::Context& context, std::size_t n) {
    const std::string size = " 2^" + std::to_string(log2_of(n));
    const Rotation<float> x(context, n), y(context, n), z(context, n);
    const ByHand by_hand(context,
                         "float a, GLOBAL_MEM const float *x, float b, GLOBAL_MEM const float *y, GLOBAL_MEM float *z",
                         "z[i] = a*x[i] + b*y[i]");
    const auto peer = [&](void* s, int k) { peers::axpby(5, address(x[k]), 6, address(y[k]), address(z[k]), n, s); };
    const auto raw = [&](const gemel::Stream& s, int k) { by_hand(s, n, 5.0f, x[k], 6.0f, y[k], z[k]); };
    const gemel::ElementwiseKernel kernel("float a, float *x, float b, float *y, float *z", "z[i] = a*x[i] + b*y[i]",
                                          "axpby");
    contest(
        context, "axpby f32" + size, 3.0 * sizeof(float) * n,
        [&](const gemel::Stream& s, int k) { kernel(gemel::CallOptions{.stream = s}, 5, x[k], 6, y[k], z[k]); }, peer,
        raw, z[0], z[0]);
    // The same by operators, into a new array.
    gemel::GPUArray<float> result;
    contest(
        context, "5*x + 6*y by operators" + size, 3.0 * sizeof(float) * n,
        [&](const gemel::Stream& s, int k) {
            const gemel::StreamScope scope(s);
            result = 5 * x[k] + 6 * y[k];
        },
        peer, raw, result, z[0]);
}

void five_inputs(const gemel::Context& context, std::size_t n) {
    const std::string size = " 2^" + std::to_string(log2_of(n));
    const Rotation<float> a(context, n), b(context, n), c(context, n), d(context, n), e(context, n), out(context, n);
    const gemel::ElementwiseKernel kernel(
        "const float *a, const float *b, const float *c, const float *d, const float *e, float *out",
        "out[i] = (a[i] + b[i] * c[i] - d[i]) * e[i]", "five");
    const ByHand by_hand(context,
                         "GLOBAL_MEM const float *a, GLOBAL_MEM const float *b, GLOBAL_MEM const float *c, "
                         "GLOBAL_MEM const float *d, GLOBAL_MEM const float *e, GLOBAL_MEM float *out",
                         "out[i] = (a[i] + b[i] * c[i] - d[i]) * e[i]");
    contest(
        context, "five inputs f32" + size, 6.0 * sizeof(float) * n,
        [&](const gemel::Stream& s, int k) {
            kernel(gemel::CallOptions{.stream = s}, a[k], b[k], c[k], d[k], e[k], out[k]);
        },
        [&](void* s, int k) {
            peers::five(address(a[k]), address(b[k]), address(c[k]), address(d[k]), address(e[k]), address(out[k]), n,
                        s);
        },
        [&](const gemel::Stream& s, int k) { by_hand(s, n, a[k], b[k], c[k], d[k], e[k], out[k]); }, out[0], out[0]);
}

}  // namespace

int main() try {
    const gemel::Context context = gemel::default_context();
    const std::size_t most = is_gpu(context) ? std::size_t{1} << 28 : std::size_t{1} << 24;
    if (is_gpu(context))
        for (const int log2 : {24, 28}) beside_float4(context, std::size_t{1} << log2);
    for (std::size_t n = std::size_t{1} << 16; n <= most; n <<= 4) {
        axpy<float>(context, n, "f32", peers::Type::f32);
        axpy<double>(context, n, "f64", peers::Type::f64);
        axpy<gemel::half>(context, n, "f16", peers::Type::f16);
        axpy<std::int8_t>(context, n, "i8", peers::Type::i8);
        axpby(context, n);
        five_inputs(context, n);
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
