/// Copies between CUDA and OpenCL on one GPU, and between contexts of OpenCL, which go through device memory that both
/// see where the drivers share some. Where no GPU has both there is nothing to test, and it says so.
#include "array_support.hpp"
#include "device_copies.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

using namespace gemel;
using namespace gemel::testing;

namespace {

bool imports_memory(const Device& device) {
    const auto names = device.extensions();
    return std::find(names.begin(), names.end(), "cl_khr_external_memory_opaque_fd") != names.end();
}

bool is_one_gpu(const Device& one, const Device& other) { return one.info().identity == other.info().identity; }

/// Each GPU's device of one backend with its device of another, both ways round; with those of other GPUs, too, where
/// memory is imported: CUDA reaches it as a peer's.
std::vector<std::pair<Device, Device>> pairs() {
    std::vector<std::pair<Device, Device>> found;
    const auto all = all_devices();
    for (const Device& one : all)
        for (const Device& other : all)
            if (one.backend() != other.backend() && is_of_this_run(one, other) &&
                (is_one_gpu(one, other) || imports_memory(one) || imports_memory(other)))
                found.emplace_back(one, other);
    if (found.empty()) std::puts("skipped: no GPU here has two backends");
    return found;
}

/// Devices of one backend, the same or two, that import memory from another backend, and that one's device of the
/// first.
struct Relayed {
    Device one, other, maker;
};
std::vector<Relayed> relayed_pairs() {
    std::vector<Relayed> found;
    const auto all = all_devices();
    for (const Device& maker : all)
        for (const Device& one : all)
            for (const Device& other : all)
                if (maker.backend() != one.backend() && one.backend() == other.backend() && is_one_gpu(maker, one) &&
                    imports_memory(one) && imports_memory(other) &&
                    (is_of_this_run(one, other) || is_of_this_run(maker, maker)))
                    found.push_back({one, other, maker});
    if (found.empty()) std::puts("skipped: no device here imports memory of another backend");
    return found;
}

/// Whether copies of `maker` lead to the GPU of `other`.
bool reaches(const Device& maker, const Device& other) {
    const auto all = devices(maker.backend());
    return std::any_of(all.begin(), all.end(), [&](const Device& device) {
        return is_one_gpu(device, other) && (device == maker || maker.can_reach(device));
    });
}

/// The bytes of one of the two pieces that `maker` makes.
std::size_t piece_of(const Device& maker) {
    return std::clamp(std::bit_floor(maker.info().global_memory_bytes / 256), std::size_t{32} << 20,
                      std::size_t{256} << 20);
}

/// What core says about copies, for as long as it lives.
class Messages {
   public:
    Messages() {
        logging::set_levels("warn,copy=debug");
        logging::set_sink([this](logging::Level, std::string_view subsystem, std::string_view message) {
            const std::lock_guard lock(mutex_);
            if (subsystem == "copy") all_.append(message) += '\n';
        });
    }
    ~Messages() {
        logging::set_sink({});
        logging::set_levels("warn");
    }
    std::string all() {
        const std::lock_guard lock(mutex_);
        return all_;
    }

   private:
    std::mutex mutex_;
    std::string all_;
};

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("bytes of any number and offset go from one backend to the other on a GPU") {
    constexpr std::size_t piece = std::size_t{32} << 20, small = std::size_t{2} << 20;
    for (const auto& [one, other] : pairs()) {
        CAPTURE(one.id());
        CAPTURE(other.id());
        Messages messages;
        const Context source(one), target(other);
        for (const std::size_t n : {std::size_t{1}, small - 1, small, piece - 1, piece, piece + 1, 5 * piece + 12345}) {
            CAPTURE(n);
            CHECK(arrives(source, target, n));
        }
        INFO(messages.all());
        std::printf("%s to %s: %s", one.id().c_str(), other.id().c_str(), messages.all().c_str());
        if (is_one_gpu(one, other) && (imports_memory(one) || imports_memory(other)))
            CHECK(messages.all().find("share device memory") != std::string::npos);
        ::setenv("GEMEL_EXTERNAL_MEMORY", "off", 1);
        CHECK(arrives(source, target, piece + 1));
        ::unsetenv("GEMEL_EXTERNAL_MEMORY");
    }
}

TEST_CASE("a copy between backends comes after what both streams were told before, and again and again") {
    constexpr std::size_t n = std::size_t{80} << 20;
    for (const auto& [one, other] : pairs()) {
        CAPTURE(one.id());
        CHECK(copies_keep_order(Context(one), Context(other), n));
    }
}

TEST_CASE("a copy longer than both pieces of shared memory is right") {
    for (const auto& [one, other] : pairs()) {
        CAPTURE(one.id());
        CAPTURE(other.id());
        const Context here(one), there(other);
        const std::size_t piece = std::max(piece_of(one), piece_of(other));
        const auto n = static_cast<std::int64_t>(2 * piece / sizeof(std::int32_t) + 1001);
        const auto copied = arange<std::int32_t>(here, n).copy_to(there);
        CHECK(all(copied == arange<std::int32_t>(there, n)).get()[0] != 0);
    }
}

TEST_CASE("arrays with strides and windows of rows go from one backend to the other") {
    for (const auto& [one, other] : pairs()) {
        CAPTURE(one.id());
        const Context here(one), there(other);
        const auto a = arange<float>(here, 3000 * 4001).reshape({3000, 4001});
        const auto view = a.transpose()(slice({}, {}, -2), slice(1, 2999));
        const auto copied = view.copy_to(there);
        CHECK(copied.context() == there);
        CHECK(copied.get() == view.get());
        CHECK(copied(slice({}, {}, 3)).copy_to(here).get() == copied(slice({}, {}, 3)).get());
        const Buffer to = there.allocate(2000 * 4096);
        to.fill(std::uint8_t{0});
        there.default_stream().copy_rectangle(to, {.x_bytes = 5, .row = 7, .row_pitch_bytes = 4096}, a.buffer(),
                                              {.x_bytes = 13, .row = 100, .row_pitch_bytes = 4001 * sizeof(float)},
                                              {.width_bytes = 4000, .rows = 1500});
        const auto found = downloaded<std::uint8_t>(to);
        const auto all = downloaded<std::uint8_t>(a.buffer());
        bool is_same = true;
        for (std::size_t row = 0; row < 1500; ++row)
            is_same =
                is_same && std::equal(found.begin() + (row + 7) * 4096 + 5, found.begin() + (row + 7) * 4096 + 4005,
                                      all.begin() + (row + 100) * 4001 * sizeof(float) + 13);
        CHECK(is_same);
    }
}

TEST_CASE("two contexts of a backend that imports memory copy by way of the other backend") {
    constexpr std::size_t smallest = std::size_t{16} << 20, piece = std::size_t{32} << 20;
    for (const auto& [one, other, maker] : relayed_pairs()) {
        CAPTURE(one.id());
        CAPTURE(other.id());
        Messages messages;
        const Context in_use(maker);  // or the first copies would go through the host
        const Context here(one), there(other);
        for (const std::size_t n : {smallest - 1, smallest, piece + 1, 3 * piece + 12345}) {
            CAPTURE(n);
            CHECK(arrives(here, there, n));
            CHECK(arrives(there, here, n));
        }
        const std::string said = messages.all();
        INFO(said);
        std::printf("%s to %s: %s", one.id().c_str(), other.id().c_str(), said.c_str());
        if (reaches(maker, other)) {
            CHECK(said.find("copy by way of") != std::string::npos);
            CHECK(said.find("the host") == std::string::npos);
            CHECK(said.find("no memory") == std::string::npos);
        }
        CHECK(copies_keep_order(here, there, std::size_t{80} << 20));
        const auto n = static_cast<std::int64_t>(2 * piece_of(maker) / sizeof(std::int32_t) + 1001);
        const auto copied = arange<std::int32_t>(here, n).copy_to(there);
        CHECK(all(copied == arange<std::int32_t>(there, n)).get()[0] != 0);
    }
}

TEST_SUITE_END();
