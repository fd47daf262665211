/// What the warm call of a generated kernel costs beside the raw driver call of a kernel with the same arguments.
#include "harness.hpp"
#include "raw.hpp"

#include <functional>

namespace {

constexpr int n = 1000, block = 256, calls = 1000, rounds = 40;

const char* const scale_text =
    R"(KERNEL void scale(GLOBAL_MEM float *to, GLOBAL_MEM const float *from, float factor, int count)
        {
            int i = GLOBAL_ID_0;
            if (i < count) to[i] = factor * from[i];
        })";

const char* const sum_text =
    R"(KERNEL REQD_WG_SIZE(256, 1, 1) void total(GLOBAL_MEM float *to, GLOBAL_MEM const float *from, float factor, int count)
        {
            LOCAL_MEM float shared[256];
            float sum = 0;
            for (int i = LID_0; i < count; i += 256) sum += factor * from[i];
            shared[LID_0] = sum;
            local_barrier();
            for (int width = 128; width > 0; width /= 2) {
                if (LID_0 < width) shared[LID_0] += shared[LID_0 + width];
                local_barrier();
            }
            if (LID_0 == 0) to[0] = shared[0];
        })";

auto repeat(auto call, auto synchronize) {
    return [=] {
        for (int k = 0; k < calls; ++k) call(k);
        synchronize();
    };
}

}  // namespace

int main() try {
    gemel::Context context = gemel::default_context();
    const gemel::ContextScope scope(context);
    const auto raw = bench::make_raw(context);
    gemel::GPUArray<float> from(context, gemel::Shape{n}), to(context, gemel::Shape{n}), sum(context, gemel::Shape{});
    from.buffer().fill(1.0f);
    context.synchronize();
    gemel::Stream stream = context.create_stream();
    gemel::Kernel scale = context.compile(scale_text).kernel("scale");
    raw->use(scale);
    std::function<void()> theirs =
        repeat([&](int k) { raw->launch((n + block - 1) / block, block, &to.buffer(), &from.buffer(), 0.5f * k, n); },
               [&] { raw->synchronize(); });
    const auto show = [&](const std::string& name, auto&& call, double promise) {
        const auto times = bench::medians({repeat(call, [&] { stream.synchronize(); }), theirs}, rounds);
        bench::report(context.device(), name, times[0] / calls, times[1] / calls, promise);
    };
    const gemel::ElementwiseKernel elementwise("float *to, const float *from, float factor", "to[i] = factor * from[i]",
                                               "scale");
    const gemel::CallOptions scalar{.stream = stream, .tuning = {.block = block, .access_bytes = 1}},
        plain{.stream = stream};
    show("element-wise call, the same arguments", [&](int k) { elementwise(scalar, to, from, 0.5f * k); }, 1.15);
    show("element-wise call", [&](int k) { elementwise(plain, to, from, 0.5f * k); }, 1.15);
    const gemel::GPUArray<float> a(from.buffer(), gemel::Shape{20, 50}, gemel::Strides{1, 20}),
        b(to.buffer(), gemel::Shape{20, 50}, gemel::Strides{50, 1});
    show("element-wise call, transposed", [&](int k) { elementwise(plain, b, a, 0.5f * k); }, 0);
    const gemel::StreamScope stream_scope(stream);
    const gemel::GPUArray<float> x(context, gemel::Shape{n}), y(context, gemel::Shape{n});
    x.fill(1.0f);
    y.fill(2.0f);
    gemel::GPUArray<float> z;
    show("expression 5*x + 6*y, with its new array", [&](int k) { z = 0.5f * k * x + 6 * y; }, 1.5);
    show("expression 5*x + 6*y, assigned", [&](int k) { to.assign(0.5f * k * x + 6 * y); }, 1.5);
    gemel::GPUArray<float> total;
    show("sum(x*y), 1000 elements", [&](int) { total = gemel::sum(x * y); }, 0);
    // Beside a sum by hand: the device takes longer for one than for the kernel above.
    gemel::Kernel sum_by_hand = context.compile(sum_text).kernel("total");
    raw->use(sum_by_hand);
    theirs =
        repeat([&](int) { raw->launch(1, block, &sum.buffer(), &from.buffer(), 1, n); }, [&] { raw->synchronize(); });
    const gemel::ReductionKernel<float> reduction(
        {.arguments = "const float *x", .neutral = "0", .reduce_expr = "a+b"});
    show("reduction call", [&](int) { reduction({.out = &sum, .stream = stream}, from); }, 1.15);
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
