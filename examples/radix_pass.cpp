/// One pass of a radix sort, made of the pieces of the block layer: keys, with a value each, are brought into the order
/// of one digit of 8 bits, and stay as they are among equals. Four passes sort 32 bits.
#include <gemel/codegen/block.hpp>
#include <gemel/core/text.hpp>
#include <gemel/gemel.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>

using namespace gemel;
namespace {

constexpr int block = 256, items = 8, tile = block * items;

/// Where blocks see each other's writes: how often each digit occurs, then one kernel that reads and writes once.
const codegen::Template in_tiles(R"(
KERNEL REQD_WG_SIZE({{ block }}, 1, 1) void count_digits(GLOBAL_MEM const uint32_t *keys, GLOBAL_MEM int *totals, int shift, int n)
{
    LOCAL_MEM int counts[256];
    counts[LID_0] = 0;
    local_barrier();
    for (int i = GID_0 * {{ tile }} + LID_0; i < n && i < (GID_0 + 1) * {{ tile }}; i += {{ block }})
        atomic_add(&counts[keys[i] >> shift & 255], 1);
    local_barrier();
    atomic_add(&totals[LID_0], counts[LID_0]);
}
WITHIN_KERNEL int count_scan(int a, int b) { return a + b; }
{{ exchange }}
KERNEL REQD_WG_SIZE({{ block }}, 1, 1) void move(
        GLOBAL_MEM const uint32_t *keys, GLOBAL_MEM const uint32_t *values, GLOBAL_MEM uint32_t *to_keys,
        GLOBAL_MEM uint32_t *to_values, GLOBAL_MEM const int *totals, volatile GLOBAL_MEM uint64_t *states,
        GLOBAL_MEM uint32_t *ticket, uint32_t first_ticket, uint32_t epoch, int shift, int n)
{
    LOCAL_MEM int dealt[1], warp_totals[{{ block // 32 }}], digit_counts[{{ block * 8 }}], target[256], places[{{ tile }}];
    LOCAL_MEM uint32_t staged[{{ tile }}];
    const int thread = LID_0, warp = thread / 32, lane = thread % 32;
    {{ deal_tile }}
    const int first = tile * {{ tile }} + warp * {{ 32 * items }} + lane;
    const int count = n - tile * {{ tile }} < {{ tile }} ? n - tile * {{ tile }} : {{ tile }};
    uint32_t key[{{ items }}], value[{{ items }}];
    int digit[{{ items }}], place[{{ items }}];
UNROLL
    for (int k = 0; k < {{ items }}; ++k) {
        const int i = first + 32 * k < n ? first + 32 * k : n - 1;
        key[k] = keys[i];
        value[k] = values[i];
        digit[k] = first + 32 * k < n ? (int)(key[k] >> shift & 255) : 256;
    }
    {{ rank }}
    // Where the thread's digit begins: in the tile's order, and in that of all keys.
    int in_tile, in_all;
    {
        int v[1];
        v[0] = digit_total;
        {{ scan }}
        in_tile = (warp > 0 ? before_warp : 0) + (lane > 0 ? before[0] : 0);
    }
    local_barrier();
    {
        int v[1];
        v[0] = totals[thread];
        {{ scan }}
        in_all = (warp > 0 ? before_warp : 0) + (lane > 0 ? before[0] : 0);
    }
    const int column = thread, total = digit_total;
    {{ look_back }}
    target[thread] = in_all + (tile > 0 ? so_far : 0) - in_tile;
UNROLL
    for (int w = 0; w < {{ block // 32 }}; ++w) digit_counts[256 * w + thread] += in_tile;
    local_barrier();
UNROLL
    for (int k = 0; k < {{ items }}; ++k) place[k] = digit[k] < 256 ? digit_counts[256 * warp + digit[k]] + rank[k] : -1;
    {{ move_keys }}
    {{ move_values }}
}
)",
                                 "radix_pass", codegen::kernel_template_options);

/// Elsewhere, as on CPU devices: one thread per chunk.
const char* const in_chunks = R"(
KERNEL void count_digits(GLOBAL_MEM const uint32_t *keys, GLOBAL_MEM int *counts, int shift, int n, int chunk)
{
    int mine[256];
    for (int d = 0; d < 256; ++d) mine[d] = 0;
    for (int i = GID_0 * chunk; i < n && i < (GID_0 + 1) * chunk; ++i) ++mine[keys[i] >> shift & 255];
    for (int d = 0; d < 256; ++d) counts[d * GDIM_0 + GID_0] = mine[d];
}
KERNEL void move(GLOBAL_MEM const uint32_t *keys, GLOBAL_MEM const uint32_t *values, GLOBAL_MEM uint32_t *to_keys,
                 GLOBAL_MEM uint32_t *to_values, GLOBAL_MEM const int *counts, int shift, int n, int chunk)
{
    int next[256];
    for (int d = 0; d < 256; ++d) next[d] = counts[d * GDIM_0 + GID_0];
    for (int i = GID_0 * chunk; i < n && i < (GID_0 + 1) * chunk; ++i) {
        const int place = next[keys[i] >> shift & 255]++;
        to_keys[place] = keys[i];
        to_values[place] = values[i];
    }
}
)";

struct RadixPass {
    bool tiles;

    std::string source(const Dialect& dialect) const {  // all that a context asks of what it compiles
        namespace pieces = codegen::pieces;
        codegen::KernelText text(dialect);
        if (!tiles) return text.finish(in_chunks);
        const pieces::Item count{.name = "count", .type = "int", .bytes = 4};
        const pieces::Scatter keys{
            .block = block,
            .items = items,
            .type = "uint32_t",
            .value = "key[k]",
            .store = "places[j] = target[moved >> shift & 255] + j;\nto_keys[places[j]] = moved;"},
            values{.block = block,
                   .items = items,
                   .type = "uint32_t",
                   .value = "value[k]",
                   .store = "to_values[places[j]] = moved;"};
        return text.finish(
            text.fill(in_tiles, {{"block", block},
                                 {"items", items},
                                 {"tile", tile},
                                 {"exchange", pieces::Exchange{count}.text(text)},
                                 {"deal_tile", pieces::DealTile{}.text(text)},
                                 {"rank", pieces::RankByDigit{.block = block, .items = items}.text(text)},
                                 {"scan", pieces::ScanByShuffles{.item = count, .block = block}.text(text)},
                                 {"look_back", pieces::LookBack{.item = count, .columns = 256}.text(text)},
                                 {"move_keys", keys.text(text)},
                                 {"move_values", values.text(text)}}));
    }
};

using Keys = GPUArray<std::uint32_t>;

void sort(Keys& keys, Keys& values) {
    const Context context = keys.context();
    const DeviceInfo info = context.device().info();
    const RadixPass pass{info.has_cross_block_visibility};
    const Module module = context.compile(pass);
    const Kernel count_digits = module.kernel("count_digits"), move = module.kernel("move");
    const int n = static_cast<int>(keys.size());
    Keys to_keys(context, keys.shape()), to_values(context, keys.shape());
    const int chunk = pass.tiles ? tile : std::max(n / (4 * static_cast<int>(info.compute_units)), 1024);
    const int blocks = (n + chunk - 1) / chunk;
    const auto states = zeros<std::uint64_t>(Shape{pass.tiles ? 256 * blocks : 1});
    const auto ticket = zeros<std::uint32_t>(Shape{1});
    const ExclusiveScanKernel<int> before("a + b", "0");
    for (int shift = 0; shift < 32; shift += 8, std::swap(keys, to_keys), std::swap(values, to_values)) {
        const auto counts = zeros<int>(Shape{pass.tiles ? 256 : 256 * blocks});
        const auto number = static_cast<std::uint32_t>(shift / 8);
        if (pass.tiles) {
            count_digits({.grid = {blocks}, .block = {block}}, keys, counts, shift, n);
            move({.grid = {blocks}, .block = {block}}, keys, values, to_keys, to_values, counts, states, ticket,
                 number * static_cast<std::uint32_t>(blocks), number + 1, shift, n);
        } else {
            count_digits({.grid = {blocks}, .block = {1}}, keys, counts, shift, n, chunk);
            before(counts, counts);
            move({.grid = {blocks}, .block = {1}}, keys, values, to_keys, to_values, counts, shift, n, chunk);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) return std::fputs(RadixPass{true}.source(Dialect::find(argv[1])).c_str(), stdout) < 0;
    for (const std::size_t n : {1, 31, 2048, 2049, 100'003, 1'000'000}) {
        std::mt19937 random(static_cast<unsigned>(n));
        std::vector<std::uint32_t> keys(n), values(n);
        std::iota(values.begin(), values.end(), 0u);
        for (auto& key : keys)
            key = static_cast<std::uint32_t>(random()) & (n % 2 ? 0xff00ffffu : 0x3u);  // with equals
        Keys x = to_gpu(keys), order = to_gpu(values);
        sort(x, order);
        std::stable_sort(values.begin(), values.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
        std::sort(keys.begin(), keys.end());
        if (x.get() != keys || order.get() != values) return std::printf("%zu keys are out of order\n", n);
    }
    std::puts("ok");
}
