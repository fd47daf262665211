/// Inclusive scans beside CUB's DeviceScan: GB/s of an array read once and written once.
#include "generators.hpp"

int main() try {
    using namespace bench;
    const gemel::Context context = gemel::default_context();
    const gemel::ContextScope scope(context);
    const std::size_t most = is_gpu(context) ? std::size_t{1} << 28 : std::size_t{1} << 24;
    for (std::size_t n = std::size_t{1} << 16; n <= most; n <<= 4) {
        const std::string size = " 2^" + std::to_string(log2_of(n));
        const auto scan = [&]<class T>(const std::string& type, peers::Type peer, T) {
            const gemel::InclusiveScanKernel<T> sums("a+b");
            const Rotation<T> x(context, n), y(context, n);
            const double bytes = 2.0 * sizeof(T) * static_cast<double>(n);
            compare(
                context, "inclusive scan " + type + size, bytes,
                [&](const gemel::Stream& s, int k) { sums(x[k], y[k], {.stream = s}); },
                [&](void* s, int k) { peers::scan(peer, address(x[k]), address(y[k]), n, s); }, 1.0);
            if (is_gpu(context))
                compare(
                    context, "inclusive scan, deterministic, " + type + size, bytes,
                    [&](const gemel::Stream& s, int k) { sums(x[k], y[k], {.deterministic = true, .stream = s}); },
                    [&](void* s, int k) { peers::scan(peer, address(x[k]), address(y[k]), n, s); }, 0);
        };
        scan("f32", peers::Type::f32, float{});
        scan("f64", peers::Type::f64, double{});
        if (!is_gpu(context)) scan("i32", peers::Type::f32, std::int32_t{});
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
