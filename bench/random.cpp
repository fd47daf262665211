/// Random numbers beside the limit: a kernel that stores as many bytes and computes nothing. GB/s of what is written.
#include "generators.hpp"

namespace {

using namespace bench;
using gemel::random::Philox;

std::string size_text(std::size_t n) { return " 2^" + std::to_string(log2_of(n)); }

/// Device time of one call in microseconds, the two in turns.
void show(const gemel::Context& context, const std::string& name, double bytes, const auto& draw, const auto& store) {
    const gemel::Stream stream = context.create_stream();
    const gemel::StreamScope stream_scope(stream);
    int next = 0;
    const auto time = [&](const auto& call, int calls) {
        const gemel::Event start = stream.record();
        for (int i = 0; i < calls; ++i) call(next++);
        return 1e3 * gemel::elapsed_milliseconds(start, stream.record()) / calls;
    };
    time(draw, 3), time(store, 3);
    const int calls = static_cast<int>(std::clamp(2000.0 / std::max(time(draw, 5), 0.5), 2.0, 200.0));
    std::vector<double> draws, stores;
    for (int round = 0; round < 21; ++round) draws.push_back(time(draw, calls)), stores.push_back(time(store, calls));
    const auto median = [](std::vector<double> times) {
        std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
        return times[times.size() / 2];
    };
    report(context.device(), name, median(draws), median(stores), 0, "ratio", bytes);
}

template <class T>
void distributions(const gemel::Context& context, const Philox& rng, std::size_t n, const std::string& type) {
    const std::string size = size_text(n);
    const Rotation<T> out(context, n);
    gemel::ElementwiseKernel kernel("T *x, T value", "x[i] = value", "store");
    const auto store = [&](int k) { kernel(out[k], 1); };
    const double bytes = static_cast<double>(sizeof(T)) * static_cast<double>(n);
    if constexpr (std::is_integral_v<T>) {
        show(context, "bits " + type + size, bytes, [&](int k) { rng.fill_bits(out[k]); }, store);
        show(context, "integers " + type + size, bytes, [&](int k) { rng.fill_integers(out[k], 0, 1000); }, store);
        show(context, "poisson(9) " + type + size, bytes, [&](int k) { rng.fill_poisson(out[k], 9); }, store);
        show(context, "permutation " + type + size, bytes, [&](int k) { rng.fill_permutation(out[k]); }, store);
    } else {
        show(context, "uniform " + type + size, bytes, [&](int k) { rng.fill_uniform(out[k]); }, store);
        show(context, "normal " + type + size, bytes, [&](int k) { rng.fill_normal(out[k]); }, store);
        show(context, "exponential " + type + size, bytes, [&](int k) { rng.fill_exponential(out[k]); }, store);
    }
}

void sobol_points(const gemel::Context& context, std::size_t n, std::int64_t dimensions) {
    const Rotation<float> points(context, n);
    const auto rows = static_cast<std::int64_t>(n) / dimensions;
    const auto matrix = [&](int k) {
        return points[k](gemel::slice({}, rows * dimensions)).reshape({rows, dimensions});
    };
    gemel::random::Sobol sobol(context, dimensions);
    const auto restart = [&] { sobol = gemel::random::Sobol(context, dimensions); };
    show(
        context, "sobol f32 " + std::to_string(dimensions) + " dimensions" + size_text(n),
        4.0 * static_cast<double>(rows * dimensions),
        [&](int k) {
            if (sobol.position() + rows > (std::uint64_t{1} << 32)) restart();
            sobol.fill(matrix(k));
        },
        [&](int k) { matrix(k).fill(1); });
}

}  // namespace

int main() try {
    const gemel::Context context = gemel::default_context();
    const gemel::ContextScope scope(context);
    const Philox rng(context, 2026);
    const std::size_t most = is_gpu(context) ? std::size_t{1} << 28 : std::size_t{1} << 24;
    for (std::size_t n = std::size_t{1} << 16; n <= most; n <<= 4) {
        distributions<float>(context, rng, n, "f32");
        if (context.device().info().has_double) distributions<double>(context, rng, n, "f64");
        distributions<std::int32_t>(context, rng, n, "i32");
        for (const std::int64_t dimensions : {1, 3, 32, 1000}) sobol_points(context, n, dimensions);
        // Behind an odd number of draws every counter is cut in two.
        const Rotation<float> out(context, n);
        const Philox shifted = rng.substream(1);
        shifted.skip(1);
        show(
            context, "uniform f32 from within a counter" + size_text(n), 4.0 * static_cast<double>(n),
            [&](int k) { shifted.fill_uniform(out[k]); }, [&](int k) { out[k].fill(1); });
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
