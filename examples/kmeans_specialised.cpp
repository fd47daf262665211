/// k-means by a kernel that is generated for the number of clusters and of dimensions: the loops over both are
/// unrolled, and a point lies in registers. Writes kmeans_specialised.ppm, the points in the colours of their clusters.
#include <gemel/gemel.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

// The nearest centre of each point. Points lie by dimension, so that neighbouring threads read neighbouring numbers.
constexpr const char* text = R"(
KERNEL void nearest(GLOBAL_MEM int32_t *label, GLOBAL_MEM const float *points, GLOBAL_MEM const float *centres, int32_t n)
{
    const int32_t i = (int32_t)GLOBAL_ID_0;
    if (i >= n) return;
    {%- for d in range(dimensions) %}
    const float x{{ d }} = points[{{ d }} * n + i];
    {%- endfor %}
    float least = INFINITY;
    int32_t which = 0;
    {%- for c in range(clusters) %}
    {
        float distance = 0, gap;
        {%- for d in range(dimensions) %}
        gap = x{{ d }} - centres[{{ c * dimensions + d }}];
        distance += gap * gap;
        {%- endfor %}
        if (distance < least) least = distance, which = {{ c }};
    }
    {%- endfor %}
    label[i] = which;
})";

constexpr int clusters = 5, dimensions = 2, side = 240;
constexpr std::int32_t n = 20000;

/// Which of its own kind of picture: a dot for each point.
static bool save(const std::vector<float>& points, const std::vector<std::int32_t>& labels, const char* path) {
    constexpr std::uint8_t colours[clusters][3] = {
        {230, 80, 60}, {60, 160, 230}, {80, 190, 90}, {240, 190, 50}, {170, 90, 200}};
    std::vector<std::uint8_t> pixels(side * side * 3, 16);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto place = [&](std::size_t d) {
            return std::clamp(static_cast<int>((points[d * n + i] + 8) * side / 16), 0, side - 1);
        };
        const auto at = static_cast<std::size_t>(place(1) * side + place(0)) * 3;
        std::copy_n(colours[labels[i]], 3, pixels.begin() + static_cast<std::ptrdiff_t>(at));
    }
    std::ofstream file(path, std::ios::binary);
    file << "P6 " << side << ' ' << side << " 255\n";
    file.write(reinterpret_cast<const char*>(pixels.data()), static_cast<std::streamsize>(pixels.size()));
    return file.good();
}

int main() {
    // Clouds around the corners of a pentagon, and centres that begin off them.
    std::vector<float> middles, begin;
    for (int c = 0; c < clusters; ++c) {
        const float angle = 6.2831853f * static_cast<float>(c) / clusters;
        for (const float radius : {5.0f * std::cos(angle), 5.0f * std::sin(angle)}) {
            middles.push_back(radius);
            begin.push_back(0.6f * radius + 0.3f);
        }
    }
    const gemel::random::Philox generator(/*seed=*/11);
    const auto of = gemel::arange<std::int32_t>(n) % clusters;
    gemel::GPUArray<float> points = generator.normal<float>({dimensions, n}, 0, 0.8f);
    points += gemel::take(gemel::to_gpu(middles, {clusters, dimensions}).transpose().copy(),
                          gemel::GPUArray<std::int32_t>(of), 1);

    const gemel::codegen::Template specialised(text, "nearest");
    const gemel::Kernel nearest = gemel::default_context()
                                      .compile(specialised.with({{"clusters", clusters}, {"dimensions", dimensions}}))
                                      .kernel("nearest");
    const gemel::GPUArray<std::int32_t> label = gemel::empty<std::int32_t>({n});
    const gemel::GPUArray<float> centres = gemel::to_gpu(begin, {clusters, dimensions});
    for (int round = 0; round < 12; ++round) {
        nearest({.block = {128}, .threads = {n}}, label, points, centres, n);
        const auto counts = gemel::bincount(label, {.length = clusters});
        for (int d = 0; d < dimensions; ++d) {
            const auto sums = gemel::bincount(label, points(d), {.length = clusters});
            centres(gemel::slice(), d).assign(gemel::astype<float>(sums / gemel::maximum(counts, 1)));
        }
    }

    // The mean of 4000 points with deviation 0.8 lies within 5 * 0.8 / sqrt(4000) of the middle.
    const float furthest = gemel::max(gemel::abs(centres - gemel::to_gpu(middles, {clusters, dimensions}))).item();
    const bool good = save(points.get(), label.get(), "kmeans_specialised.ppm") && furthest < 4 / std::sqrt(4000.0f);
    std::printf("%s: %d clusters of %d dimensions, the furthest coordinate is off by %.4f; kmeans_specialised.ppm\n",
                good ? "ok" : "wrong", clusters, dimensions, static_cast<double>(furthest));
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
