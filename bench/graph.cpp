/// What a node of a graph costs: chains of 1 to 1000 small kernels beside the raw driver's graph and a raw loop.
#include "harness.hpp"
#include "raw.hpp"

namespace {

constexpr int n = 256;

const char* const kernels = R"(
        KERNEL void scale(GLOBAL_MEM float *to, GLOBAL_MEM const float *from, float factor, int count)
        {
            int i = GLOBAL_ID_0;
            if (i < count) to[i] = factor * from[i];
        })";

}  // namespace

int main() try {
    gemel::Context context = gemel::default_context();
    const auto raw = bench::make_raw(context);
    const gemel::Kernel scale = context.compile(kernels).kernel("scale");
    const gemel::Buffer a = context.allocate(n * sizeof(float)), b = context.allocate(n * sizeof(float));
    a.fill(1.0f);
    context.synchronize();
    const gemel::Stream stream = context.create_stream();
    const gemel::LaunchConfig config{.grid = {1}, .block = {n}, .stream = stream};
    raw->use(scale);
    for (const int nodes : {1, 10, 100, 1000}) {
        const auto by_hand = [&] {
            for (int k = 0; k < nodes; ++k) raw->launch(1, n, k % 2 ? &a : &b, k % 2 ? &b : &a, 0.5f, n);
        };
        const auto ours = [&] {
            for (int k = 0; k < nodes; ++k) scale(config, k % 2 ? a : b, k % 2 ? b : a, 0.5f, n);
        };
        const gemel::Graph graph = gemel::capture(stream, ours);
        const int launches = std::max(1, 1000 / nodes), rounds = 40;
        const auto repeat = [&](auto one, auto synchronize) {
            return [=] {
                for (int k = 0; k < launches; ++k) one();
                synchronize();
            };
        };
        const auto wait = [&] { stream.synchronize(); };
        const auto raw_wait = [&] { raw->synchronize(); };
        std::vector<std::function<void()>> contestants{repeat([&] { graph.launch(); }, wait), repeat(ours, wait),
                                                       repeat(by_hand, raw_wait)};
        const bool has_graph = raw->make_graph(by_hand);
        if (has_graph) contestants.push_back(repeat([&] { raw->launch_graph(); }, raw_wait));
        const std::vector<double> times = bench::medians(contestants, rounds);
        const double all = static_cast<double>(launches) * nodes;
        nlohmann::ordered_json line = {{"benchmark", "graph, a node of " + std::to_string(nodes)},
                                       {"device", context.device().id()},
                                       {"name", context.device().name()},
                                       {"graph_us", bench::rounded(times[0] / all, 3)},
                                       {"launches_us", bench::rounded(times[1] / all, 3)},
                                       {"raw_launches_us", bench::rounded(times[2] / all, 3)}};
        if (has_graph) line["raw_graph_us"] = bench::rounded(times[3] / all, 3);
        if (nodes == 100) {
            line["promise"] = has_graph ? "0.7 us" : "raw launches";
            line["kept"] = has_graph ? times[0] / all <= 0.7 : times[0] <= times[2];
        }
        bench::print_line(line);
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
