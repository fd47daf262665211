/// What copies cost beside the raw driver calls: pageable and page-locked host memory, device to device.
#include "harness.hpp"
#include "raw.hpp"

#include <numeric>

int main() try {
    gemel::Context context = gemel::default_context();
    const auto raw = bench::make_raw(context);
    const bool gpu = context.device().info().type == gemel::DeviceInfo::Type::gpu;
    for (const std::size_t mebibytes :
         gpu ? std::vector<std::size_t>{1, 16, 256} : std::vector<std::size_t>{1, 16, 64}) {
        const std::size_t bytes = mebibytes << 20;
        const int rounds = mebibytes > 64 ? 15 : mebibytes > 1 ? 40 : 200;
        gemel::Buffer a = context.allocate(bytes), b = context.allocate(bytes);
        std::vector<int> host(bytes / sizeof(int)), back(host.size());
        std::iota(host.begin(), host.end(), 1);
        gemel::HostBuffer<int> locked(context, host.size());
        std::iota(locked.begin(), locked.end(), 1);
        gemel::Stream stream = context.create_stream();
        const auto show = [&](const std::string& what, const std::vector<double>& times, double moved) {
            bench::report(context.device(), what + ", " + std::to_string(mebibytes) + " MiB", times[0], times[1], 1.02,
                          "ratio", moved);
        };
        const double moved = static_cast<double>(bytes);
        show("upload, pageable",
             bench::medians({[&] { a.upload(host); }, [&] { raw->upload(a, host.data(), bytes, false); }}, rounds),
             moved);
        show("download, pageable",
             bench::medians({[&] { a.download(back); }, [&] { raw->download(back.data(), a, bytes, false); }}, rounds),
             moved);
        if (back != host) throw gemel::Error("the copies lost something");
        show("upload, page-locked",
             bench::medians({[&] {
                                 stream.copy(a, locked);
                                 stream.synchronize();
                             },
                             [&] { raw->upload(a, locked.data(), bytes, true); }},
                            rounds),
             moved);
        show("download, page-locked",
             bench::medians({[&] {
                                 stream.copy(locked, a);
                                 stream.synchronize();
                             },
                             [&] { raw->download(locked.data(), a, bytes, true); }},
                            rounds),
             moved);
        show("device to device",
             bench::medians({[&] {
                                 stream.copy(b, a);
                                 stream.synchronize();
                             },
                             [&] { raw->copy(b, a, bytes); }},
                            rounds),
             2 * moved);
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
