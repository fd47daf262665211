/// What a launch costs beside the raw driver call: an empty kernel, a kernel with four arguments, prepared launches.
#include "harness.hpp"
#include "raw.hpp"

namespace {

constexpr int n = 256, launches = 1000, rounds = 40;

const char* const kernels = R"(
        KERNEL void empty() {}
        KERNEL void scale(GLOBAL_MEM float *to, GLOBAL_MEM const float *from, float factor, int count)
        {
            int i = GLOBAL_ID_0;
            if (i < count) to[i] = factor * from[i];
        })";

auto repeat(auto launch, auto synchronize) {
    return [=] {
        for (int k = 0; k < launches; ++k) launch(k);
        synchronize();
    };
}

}  // namespace

int main() try {
    gemel::Context context = gemel::default_context();
    const auto raw = bench::make_raw(context);
    gemel::Module module = context.compile(kernels);
    gemel::Kernel empty = module.kernel("empty"), scale = module.kernel("scale");
    gemel::Buffer from = context.allocate(n * sizeof(float)), to = context.allocate(n * sizeof(float));
    from.fill(1.0f);
    context.synchronize();
    gemel::Stream stream = context.create_stream();
    const gemel::LaunchConfig config{.grid = {1}, .block = {n}, .stream = stream};

    const auto ours = [&] { stream.synchronize(); };
    const auto theirs = [&] { raw->synchronize(); };
    const auto show = [&](const std::string& name, const std::vector<double>& times, double promise) {
        bench::report(context.device(), name, times[0] / launches, times[1] / launches, promise);
    };

    raw->use(empty);
    show("launch, no arguments",
         bench::medians({repeat([&](int) { empty(config); }, ours),
                         repeat([&](int) { raw->launch(1, n, nullptr, nullptr, 0, 0); }, theirs)},
                        rounds),
         1.15);
    gemel::PreparedLaunch prepared_empty = empty.prepare(config);
    show("prepared launch, no arguments",
         bench::medians(
             {repeat([&](int) { prepared_empty(); }, ours), repeat([&](int) { raw->launch_again(1, n); }, theirs)},
             rounds),
         1.15);
    raw->use(scale);
    // The value changes from launch to launch, as it does in programs.
    show("launch, 4 arguments",
         bench::medians({repeat([&](int k) { scale(config, to, from, 0.5f * k, n); }, ours),
                         repeat([&](int k) { raw->launch(1, n, &to, &from, 0.5f * k, n); }, theirs)},
                        rounds),
         1.15);
    raw->launch(1, n, &to, &from, 2.0f, n);
    gemel::PreparedLaunch prepared = scale.prepare(config, to, from, 2.0f, n);
    show("prepared launch, 4 arguments",
         bench::medians({repeat([&](int) { prepared(); }, ours), repeat([&](int) { raw->launch_again(1, n); }, theirs)},
                        rounds),
         1.15);
    show("launch and wait, 4 arguments",
         bench::medians({repeat(
                             [&](int k) {
                                 scale(config, to, from, 0.5f * k, n);
                                 stream.synchronize();
                             },
                             ours),
                         repeat(
                             [&](int k) {
                                 raw->launch(1, n, &to, &from, 0.5f * k, n);
                                 raw->synchronize();
                             },
                             theirs)},
                        rounds / 4),
         1.15);
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
