/// What copies cost beside the raw driver calls: pageable and page-locked host memory, device to device, to other
/// devices and contexts of the backend, and to and from another backend on the same GPU beside a copy within it.
/// Arguments are sizes in MiB, instead of its own.
#include "harness.hpp"
#include "raw.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

namespace {

/// GB/s of bytes that arrive, in both columns. With and without memory that both backends see.
void show_other_backends(const gemel::Context& context, bench::Raw& raw, std::size_t mebibytes, int rounds) {
    const std::size_t bytes = mebibytes << 20;
    for (const gemel::Device& device : gemel::all_devices()) {
        if (device.backend() == context.device().backend()) continue;
        if (device.info().identity != context.device().info().identity) continue;
        const gemel::Context other(device);
        const gemel::Buffer here = context.allocate(bytes), too = context.allocate(bytes),
                            there = other.allocate(bytes);
        here.fill(std::uint8_t{1});
        for (const bool shared : {true, false}) {
            ::setenv("GEMEL_EXTERNAL_MEMORY", shared ? "on" : "off", 1);
            const auto show = [&](const char* direction, const gemel::Buffer& to, const gemel::Buffer& from) {
                const auto times = bench::medians({[&] { to.copy_from(from); }, [&] { raw.copy(too, here, bytes); }},
                                                  shared ? rounds : 5);
                bench::report(context.device(),
                              std::string(direction) + device.id() + " on one GPU" + (shared ? "" : " by the host") +
                                  ", " + std::to_string(mebibytes) + " MiB",
                              times[0], times[1], 0, "ratio", static_cast<double>(bytes));
            };
            show("to ", there, here);
            show("from ", here, there);
        }
        ::unsetenv("GEMEL_EXTERNAL_MEMORY");
    }
}

/// GB/s of bytes that arrive. Beside cuMemcpyPeer; OpenCL has no such call: beside a copy within the device, with and
/// without memory that CUDA makes, and to another context of this device, too.
void show_other_devices(const gemel::Context& context, bench::Raw& raw, std::size_t mebibytes, int rounds) {
    const std::size_t bytes = mebibytes << 20;
    const gemel::Device own = context.device();
    const bool is_cuda = own.backend() == "cuda";  // whose contexts of a device are one, and copy directly to others
    // Copies by way of CUDA begin at once where the program has a context of it, else after some GiB.
    std::vector<gemel::Context> makers;
    for (const gemel::Device& device : gemel::all_devices())
        if (!is_cuda && device.backend() != own.backend() && device.info().identity == own.info().identity)
            makers.emplace_back(device);
    for (const gemel::Device& device : gemel::devices(own.backend())) {
        if (device == own && makers.empty()) continue;
        const gemel::Context other(device);
        const gemel::Buffer here = context.allocate(bytes), too = context.allocate(bytes),
                            there = other.allocate(bytes);
        here.fill(std::uint8_t{1});
        there.copy_from(here);  // asks for access to the peer's memory
        const bool has_call = raw.copy_to_peer(there, here, bytes);
        for (const bool shared : {true, false}) {
            if (!shared && makers.empty()) continue;
            if (!makers.empty()) ::setenv("GEMEL_EXTERNAL_MEMORY", shared ? "on" : "off", 1);
            const auto times = bench::medians({[&] { there.copy_from(here); },
                                               [&] {
                                                   if (!raw.copy_to_peer(there, here, bytes))
                                                       raw.copy(too, here, bytes);
                                               }},
                                              shared ? rounds : std::min(rounds, 5));
            bench::report(own,
                          "to " + (device == own ? "another context of " : std::string()) + device.id() +
                              (shared ? "" : " by the host") + ", " + std::to_string(mebibytes) + " MiB",
                          times[0], times[1], has_call ? 1 / 0.9 : 0, "ratio", static_cast<double>(bytes));
        }
        ::unsetenv("GEMEL_EXTERNAL_MEMORY");
    }
}

}  // namespace

int main(int count, char** arguments) try {
    gemel::Context context = gemel::default_context();
    const auto raw = bench::make_raw(context);
    const bool gpu = context.device().info().type == gemel::DeviceInfo::Type::gpu;
    std::vector<std::size_t> sizes{1, 16, gpu ? std::size_t{256} : 64};
    if (count > 1) sizes.clear();
    for (int k = 1; k < count; ++k) sizes.push_back(std::stoul(arguments[k]));
    for (const std::size_t mebibytes : sizes) {
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
        show_other_devices(context, *raw, mebibytes, rounds);
        show_other_backends(context, *raw, mebibytes, rounds);
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
