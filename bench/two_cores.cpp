/// What NumPy's users do with 10^7 elements, and products of matrices, on the device that GEMEL_DEVICE names: median
/// wall time of a call with its result complete, one JSON line each, as the programs of the other libraries print
/// theirs. `scripts/two-cores` runs it.
#include "harness.hpp"

#include <cstdint>

int main() try {
    const gemel::Context context = gemel::default_context();
    const gemel::Stream stream = context.create_stream();
    const gemel::StreamScope scope(stream);
    const auto measure = [&](const std::string& name, const std::vector<std::function<void()>>& contestants) {
        std::vector<std::function<void()>> complete;
        for (const auto& call : contestants)
            complete.push_back([&stream, &call] {
                call();
                stream.synchronize();
            });
        const auto times = bench::medians(complete, 15, 3);
        for (std::size_t k = 0; k < times.size(); ++k)
            bench::print_line(
                {{"peer", k == 0 ? "gemel" : "by hand"}, {"name", name}, {"us", bench::rounded(times[k], 1)}});
    };
    const gemel::Kernel by_hand = context
                                      .compile(R"(KERNEL void by_hand(
            float a, GLOBAL_MEM const float *x, float b, GLOBAL_MEM const float *y, GLOBAL_MEM float *z, int n)
        {
            const int i = GLOBAL_ID_0;
            if (i < n) z[i] = a*x[i] + b*y[i];
        })")
                                      .kernel("by_hand");
    for (const int n : {10000000, 1000}) {
        const auto x = gemel::random::rand<float>(n), y = gemel::random::rand<float>(n);
        const gemel::GPUArray<float> z(context, gemel::Shape{n});
        const std::string size = n == 1000 ? " 1000" : " 10^7";
        gemel::GPUArray<float> result;
        measure("5*x + 6*y by operators" + size,
                {[&] { result = 5 * x + 6 * y; },
                 [&] { by_hand({.block = {256}, .threads = {n}, .stream = stream}, 5.0f, x, 6.0f, y, z, n); }});
        if (n == 1000) break;
        gemel::GPUArray<std::int64_t> place;
        const gemel::InclusiveScanKernel<float> scan("a+b");
        measure("sum(x*y) f32" + size, {[&] { result = gemel::sum(x * y); }});
        measure("sum f32" + size, {[&] { result = gemel::sum(x); }});
        measure("dot f32" + size, {[&] { result = gemel::vdot(x, y); }});
        measure("inclusive scan f32" + size, {[&] { scan(x, z); }});
        measure("argmax f32" + size, {[&] { place = gemel::argmax(x); }});
        const gemel::GPUArray<std::uint32_t> keys =
            gemel::astype<std::uint32_t>(gemel::random::rand<double>(n) * 4294967295.0);
        const gemel::GPUArray<std::uint32_t> values = gemel::arange<std::uint32_t>(n);
        const gemel::GPUArray<std::int32_t> groups = gemel::astype<std::int32_t>(x * 1000.0f);
        gemel::GPUArray<std::uint32_t> sorted;
        measure("sort u32" + size, {[&] { sorted = gemel::sort(keys); }});
        measure("sort f32" + size, {[&] { result = gemel::sort(x); }});
        measure("argsort u32" + size, {[&] { place = gemel::argsort(keys); }});
        measure("sort u32 with u32" + size, {[&] { gemel::sort_by_key(keys, values); }});
        measure("unique u32" + size, {[&] { gemel::unique(keys); }});
        measure("unique i32, 1000 values" + size, {[&] { gemel::unique(groups); }});
        measure("histogram f32, 256 bins" + size, {[&] { gemel::histogram(x, 256, 0.0, 1.0); }});
        measure("bincount i32, 1000 bins" + size, {[&] { place = gemel::bincount(groups); }});
    }
    const auto a = gemel::random::rand<float>({1024, 1024}), b = gemel::random::rand<float>({1024, 1024});
    gemel::GPUArray<float> product;
    measure("matmul f32 1024 x 1024", {[&] { product = gemel::matmul(a, b); }});
    measure("matmul f32 1024 x 1024, b transposed", {[&] { product = gemel::matmul(a, b.transpose()); }});
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
