/// A product of matrices in four steps: an element by each thread, tiles in shared memory, tiles of a size that a tuner
/// finds, and the library's own. Writes matmul_steps.html, the plot of what the tuner tried.
#include <gemel/gemel.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>

constexpr const char* simple_text = R"(
KERNEL void simple(GLOBAL_MEM float *c, GLOBAL_MEM const float *a, GLOBAL_MEM const float *b, int32_t n)
{
    const int32_t column = (int32_t)GLOBAL_ID_0, row = (int32_t)GLOBAL_ID_1;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int32_t k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
})";

// A block computes a square of `tile` rows and columns; a thread `own` rows of one column. Where `tile` divides n.
constexpr const char* tiled_text = R"(
KERNEL void tiled(GLOBAL_MEM float *c, GLOBAL_MEM const float *a, GLOBAL_MEM const float *b, int32_t n)
{
    LOCAL_MEM float a_tile[{{ tile }}][{{ tile }}], b_tile[{{ tile }}][{{ tile }}];
    const int32_t column = GID_0 * {{ tile }} + LID_0, first_row = GID_1 * {{ tile }};
    float sums[{{ own }}];
    for (int32_t r = 0; r < {{ own }}; ++r) sums[r] = 0;
    for (int32_t begin = 0; begin < n; begin += {{ tile }}) {
        for (int32_t r = LID_1; r < {{ tile }}; r += {{ tile // own }}) {
            a_tile[r][LID_0] = a[(first_row + r) * n + begin + LID_0];
            b_tile[r][LID_0] = b[(begin + r) * n + column];
        }
        local_barrier();
        for (int32_t k = 0; k < {{ tile }}; ++k) {
            {%- for r in range(own) %}
            sums[{{ r }}] += a_tile[LID_1 + {{ r * (tile // own) }}][k] * b_tile[k][LID_0];
            {%- endfor %}
        }
        local_barrier();
    }
    {%- for r in range(own) %}
    c[(first_row + LID_1 + {{ r * (tile // own) }}) * n + column] = sums[{{ r }}];
    {%- endfor %}
})";

int main() {
    const gemel::Context context = gemel::default_context();
    const bool is_gpu = context.device().info().type == gemel::DeviceInfo::Type::gpu;
    const std::int32_t n = is_gpu ? 1024 : 128;
    // Small integers: every sum is exact in float, in any order.
    const gemel::random::Philox generator(/*seed=*/3);
    const gemel::GPUArray<float> a = gemel::astype<float>(generator.integers<std::int32_t>({n, n}, -4, 5)),
                                 b = gemel::astype<float>(generator.integers<std::int32_t>({n, n}, -4, 5));
    const gemel::GPUArray<float> c = gemel::zeros<float>({n, n}), expected = gemel::einsum("ik,kj->ij", a, b);
    const auto is_right = [&] { return gemel::all(c == expected).item(); };

    bool good = true;
    const auto row = [&](const char* name, const std::function<void()>& multiply) {
        c.fill(0);
        multiply();  // compiles
        good &= is_right();
        const gemel::Stream stream = context.default_stream();
        constexpr int times = 5;
        const gemel::Event start = stream.record();
        for (int k = 0; k < times; ++k) multiply();
        const double milliseconds = gemel::elapsed_milliseconds(start, stream.record()) / times;
        std::printf("%-16s %9.3f ms %9.1f GFLOP/s\n", name, milliseconds, 2e-6 * n * n * n / milliseconds);
    };
    std::printf("%d x %d floats\n", n, n);
    const gemel::Kernel simple = context.compile(simple_text).kernel("simple");
    row("simple", [&] { simple({.block = {16, 16}, .threads = {n, n}}, c, a, b, n); });

    const auto launch = [=](const gemel::tune::Point& p) {
        const auto blocks = n / p["tile"];
        return gemel::LaunchConfig{.grid = {blocks, blocks}, .block = {p["tile"], p["tile"] / p["own"]}};
    };
    const gemel::codegen::Template tiled(tiled_text, "tiled");
    const gemel::tune::Point usual({{"tile", 16}, {"own", 1}});
    const gemel::Kernel by_tiles = context.compile(tiled.with({{"tile", 16}, {"own", 1}})).kernel("tiled");
    row("tiled", [&] { by_tiles(launch(usual), c, a, b, n); });

    const gemel::tune::Tuner tuner({
        .name = "matmul_steps",
        .parameters = {{"tile", {8, 16, 32, 64}}, {"own", {1, 2, 4, 8, 16}}},
        .constraints = {"own <= tile", "tile * (tile // own) <= device.max_threads_per_block",
                        "2 * 4 * tile * tile <= device.shared_memory_per_block_bytes"},
        .source = tiled_text,
        .kernel = "tiled",
        .launch = launch,
        .start = usual,
    });
    const gemel::tune::Result best = tuner.run({.trials = is_gpu ? 18u : 6u, .check = is_right}, c, a, b, n);
    best.save_page("matmul_steps.html");
    row("tuned", [&] { best.kernel(best.config, c, a, b, n); });
    std::printf("                 (%s)\n", gemel::tune::to_string(best.point).c_str());
    row("matmul", [&] { gemel::matmul_into(c, a, b); });
    std::printf("%s: a product of %d x %d matrices in four steps; matmul_steps.html shows the search\n",
                good ? "ok" : "wrong", n, n);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
