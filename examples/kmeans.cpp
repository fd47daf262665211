/// k-means clustering from broadcasting, reductions along axes and argmin: no kernel is written by hand.
#include <gemel/gemel.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main() {
    using gemel::newaxis, gemel::slice;
    constexpr std::int64_t clusters = 4, per_cluster = 5000;
    const std::vector<float> middles{0, 0, 10, 0, 0, 10, 10, 10};

    // Points around four middles: shape (clusters, per_cluster, 2), then one row per point.
    const gemel::random::Philox generator(/*seed=*/7);
    const gemel::GPUArray<float> clouds = generator.normal<float>({clusters, per_cluster, 2}, 0, 1);
    clouds += gemel::to_gpu(middles, {clusters, 1, 2});
    const gemel::GPUArray<float> points = clouds.reshape({clusters * per_cluster, 2});

    const gemel::GPUArray<float> centres = gemel::to_gpu(std::vector<float>{3, 3, 8, 2, 2, 8, 7, 7}, {clusters, 2});
    const auto names = gemel::arange<std::int64_t>(clusters);
    const auto each = points(slice(), newaxis, slice());  // (points, 1, 2): broadcasts against the centres
    for (int round = 0; round < 10; ++round) {
        // The differences, (points, clusters, 2), exist only inside the kernel.
        const gemel::GPUArray<float> distances = gemel::sum(gemel::square(each - centres), 2);
        const auto nearest = gemel::argmin(distances, 1);
        const gemel::GPUArray<bool> belongs = nearest(slice(), newaxis) == names;
        const auto counts = gemel::sum(belongs, 0);
        const auto sums = gemel::sum(gemel::where(belongs(slice(), slice(), newaxis), each, 0.0f), 0);
        centres.assign(sums / gemel::astype<float>(counts(slice(), newaxis)));
    }

    // The mean of 5000 points with deviation 1 lies within 5 / sqrt(5000) of the middle.
    const float furthest = gemel::max(gemel::abs(centres - gemel::to_gpu(middles, {clusters, 2}))).item();
    const bool good = furthest < 5 / std::sqrt(static_cast<float>(per_cluster));
    std::printf("%s: all centres found, the furthest coordinate is off by %.4f\n", good ? "ok" : "wrong",
                static_cast<double>(furthest));
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
