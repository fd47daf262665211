/// The tuner beside an exhaustive search, on a product of matrices by tiles: how near its best comes in 30 points, and
/// in what time. It comes first, so that its kernels are not compiled yet (with an empty cache). Exhaustive times are
/// stored, so that a run that was ended goes on. From the recorded times 40 searches with other seeds are replayed
/// without the device.
///
///     bench_tune [--points N | --search | --compile I/N | --save FILE]
///
/// --points: a random sample of N points instead of all; --search: the tuner only; --compile: compiles the points I,
/// I + N, ... and times nothing, so that N processes can share the compilation; --save: writes all exhaustive trials to
/// FILE (JSON).
#include "harness.hpp"

#include <gemel/codegen/tuning_search.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

namespace {

namespace tune = gemel::tune;

const char* const text = R"(
// c = a * b for square matrices: a block has a tile of bm x bn results, a thread tm x tn of them.
KERNEL REQD_WG_SIZE({{ threads }}, 1, 1) void tiled_product(GLOBAL_MEM float *c, GLOBAL_MEM const float *a, GLOBAL_MEM const float *b, int32_t n)
{
    LOCAL_MEM float a_tile[{{ bk * (bm + pad) }}];
    LOCAL_MEM float b_tile[{{ bk * (bn + pad) }}];
    const int32_t thread = LID_0, row = thread / {{ bn // tn }}, column = thread % {{ bn // tn }};
    const int32_t first_row = GID_1 * {{ bm }}, first_column = GID_0 * {{ bn }};
    float sum[{{ tm * tn }}];
    for (int32_t i = 0; i < {{ tm * tn }}; ++i) sum[i] = 0;
    for (int32_t k0 = 0; k0 < n; k0 += {{ bk }}) {
        for (int32_t i = thread; i < {{ bm * bk }}; i += {{ threads }})
            a_tile[i % {{ bk }} * {{ bm + pad }} + i / {{ bk }}] = a[(first_row + i / {{ bk }}) * n + k0 + i % {{ bk }}];
        for (int32_t i = thread; i < {{ bn * bk }}; i += {{ threads }})
            b_tile[i / {{ bn }} * {{ bn + pad }} + i % {{ bn }}] = b[(k0 + i / {{ bn }}) * n + first_column + i % {{ bn }}];
        local_barrier();
        for (int32_t k = 0; k < {{ bk }}; ++k) {
{%- for i in range(tm) %}
            const float a{{ i }} = a_tile[k * {{ bm + pad }} + row * {{ tm }} + {{ i }}];
{%- endfor %}
{%- for j in range(tn) %}
            const float b{{ j }} = b_tile[k * {{ bn + pad }} + column * {{ tn }} + {{ j }}];
{%- endfor %}
{%- for i in range(tm) %}{% for j in range(tn) %}
            sum[{{ i * tn + j }}] += a{{ i }} * b{{ j }};
{%- endfor %}{% endfor %}
        }
        local_barrier();
    }
{%- for i in range(tm) %}{% for j in range(tn) %}
    c[(first_row + row * {{ tm }} + {{ i }}) * n + first_column + column * {{ tn }} + {{ j }}] = sum[{{ i * tn + j }}];
{%- endfor %}{% endfor %}
})";

std::string text_at(const tune::Point& point) {
    gemel::codegen::Values values{point.values().begin(), point.values().end()};
    values["threads"] = point["bm"] / point["tm"] * (point["bn"] / point["tn"]);
    return gemel::codegen::render(text, values);
}

tune::Tuner make_tuner(std::int32_t n) {
    return tune::Tuner(
        {.name = "tiled_product",
         .parameters = {{"bm", {16, 32, 64, 128}},
                        {"bn", {16, 32, 64, 128}},
                        {"bk", {8, 16, 32}},
                        {"tm", {1, 2, 4, 8}},
                        {"tn", {1, 2, 4, 8}},
                        {"pad", {0, 4}}},
         .constraints = {"(bm // tm) * (bn // tn) >= 16", "(bm // tm) * (bn // tn) <= device.max_threads_per_block",
                         "(bm // tm) * (bn // tn) <= 1024",
                         "(bm + bn + 2 * pad) * bk * 4 <= device.shared_memory_per_block_bytes"},
         .source = text_at,
         .kernel = "tiled_product",
         .launch = [n](const tune::Point& p) {
             return gemel::LaunchConfig{.grid = {n / p["bn"], n / p["bm"]},
                                        .block = {p["bm"] / p["tm"] * (p["bn"] / p["tn"])}};
         }});
}

struct PlainText {
    std::string text;
    const std::string& source(const gemel::Dialect&) const { return text; }
};

/// Compiles every `step`-th point from `first`. Programs that do not compile are points that fail in the search.
void compile(const tune::Space& space, std::size_t first, std::size_t step) {
    const gemel::Context context = gemel::default_context();
    std::size_t refused = 0, compiled = 0;
    for (std::size_t i = first; i < space.size(); i += step) try {
            context.compile(PlainText{text_at(space.point(i))}, {.name = "tiled_product"}).kernel("tiled_product");
            ++compiled;
        } catch (const gemel::CompileError&) {
            ++refused;
        }
    bench::print_line({{"name", "compiled"}, {"points", compiled}, {"refused", refused}});
}

/// How far above the best of all each of some searches ends.
void replay(const tune::Space& space, const std::vector<tune::Trial>& history, double best) {
    std::map<std::size_t, std::optional<double>> recorded;
    for (const tune::Trial& trial : history)
        if (const auto point = space.find(trial.point)) recorded[*point] = trial.milliseconds;
    if (recorded.size() < space.size()) return;
    for (const tune::Strategy strategy : {tune::Strategy::neighbours, tune::Strategy::random}) {
        std::vector<double> excess;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            tune::Search search(space, strategy, seed);
            for (int i = 0; i < 30; ++i) {
                const std::size_t point = search.next().front();
                search.tell(point, recorded.at(point));
            }
            excess.push_back(search.best_milliseconds() / best);
        }
        std::sort(excess.begin(), excess.end());
        bench::print_line(
            {{"name", "replayed"},
             {"strategy", tune::to_string(strategy)},
             {"seeds", 40},
             {"trials", 30},
             {"median_over_best", bench::rounded(excess[20], 3)},
             {"worst_over_best", bench::rounded(excess[39], 3)},
             {"within_5_percent", std::count_if(excess.begin(), excess.end(), [](double e) { return e <= 1.05; })}});
    }
}

}  // namespace

int main(int argc, char** argv) try {
    const std::string option = argc > 1 ? argv[1] : "", value = argc > 2 ? argv[2] : "";
    const std::size_t points = option == "--points" ? std::stoul(value) : 0;
    const gemel::Device device = gemel::default_device();
    const std::int32_t n = device.info().type == gemel::DeviceInfo::Type::cpu ? 128 : 2048;
    const gemel::GPUArray<float> a = gemel::random::rand<float>({n, n}), b = gemel::random::rand<float>({n, n});
    const gemel::GPUArray<float> c = gemel::zeros_like(a), wanted = gemel::matmul(a, b);
    const auto is_right = [&] { return gemel::max(gemel::abs(c - wanted)).item() < 1e-2f; };
    const tune::Tuner tuner = make_tuner(n);
    const tune::Space space = tuner.space(device);
    if (option == "--compile") {
        compile(space, std::stoul(value), std::stoul(value.substr(value.find('/') + 1)));
        return 0;
    }
    const auto report = [&](const char* name, const tune::Result& result) {
        bench::print_line({{"name", name},
                           {"points", result.points},
                           {"timed", result.trials},
                           {"seconds", bench::rounded(result.seconds, 1)},
                           {"ms", bench::rounded(result.milliseconds, 4)},
                           {"best", tune::to_string(result.point)}});
    };
    const tune::Result found =
        tuner.run({.trials = 30, .seconds = 20, .progress = true, .check = is_right, .again = true}, c, a, b, n);
    report("neighbours", found);
    if (option == "--search") return 0;
    const tune::Result all = tuner.run({.trials = points ? points : space.size(),
                                        .strategy = points ? tune::Strategy::random : tune::Strategy::exhaustive,
                                        .progress = true,
                                        .check = is_right},
                                       c, a, b, n);
    report(points ? "random sample" : "exhaustive", all);
    if (option == "--save") all.save_json(value);
    // Both once more, in turns.
    const auto times = bench::medians({[&] {
                                           all.kernel(all.config, c, a, b, n);
                                           a.context().synchronize();
                                       },
                                       [&] {
                                           found.kernel(found.config, c, a, b, n);
                                           a.context().synchronize();
                                       }},
                                      31, 1);
    bench::print_line({{"name", "neighbours over exhaustive"}, {"ratio", bench::rounded(times[1] / times[0], 3)}});
    double best = all.milliseconds;
    for (const tune::Trial& trial : all.history)
        if (trial.milliseconds) best = std::min(best, *trial.milliseconds);
    replay(space, all.history, best);
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
