/// Copies between two contexts of OpenCL through memory that the CUDA plug-in makes, where there is no GPU: as in
/// external_test.cpp, a layer over PoCL imports pages that the stand-in for NVIDIA's driver has made.
#include <doctest/doctest.h>

#include "external_support.hpp"

#include <atomic>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace external;

namespace {

constexpr std::size_t smallest = std::size_t{16} << 20;  // that goes through shared memory
constexpr std::size_t smallest_between_devices = std::size_t{4} << 20;

/// Two contexts of OpenCL, on two devices where there are two, and drivers that do as they are told.
struct Contexts {
    std::optional<Context> cuda{find_device("cuda:0")};  ///< the program's own: another is made at once
    Context one{pocl_devices().front()}, other{pocl_devices().back()};
    Contexts() {
        reset_driver();
        (void)layer::take_counts();
    }
    ~Contexts() {
        reset_driver();
        layer::settings = {};
    }
    bool arrives_both_ways(std::size_t n) const { return arrives(one, other, n) && arrives(other, one, n); }
};

}  // namespace

TEST_SUITE_BEGIN("relay");

TEST_CASE("two contexts of one device copy through memory that both import") {
    const Contexts contexts;
    Messages messages;
    CHECK(contexts.arrives_both_ways(smallest - 1));
    CHECK(layer::take_counts().imports == 0);
    unsigned trial = 2 * acquires_of_trial;  // of two links
    for (const std::size_t n : {smallest, piece, 3 * piece + 5}) {
        CAPTURE(n);
        const auto pieces = static_cast<unsigned>((n + piece - 1) / piece);
        CHECK(contexts.arrives_both_ways(n));
        const layer::Counts counts = layer::take_counts();
        CHECK(counts.acquires == trial + 4 * pieces);  // in both directions each is written and read
        CHECK(counts.releases == counts.acquires);
        trial = 0;
    }
    CHECK(calls_of("cuMemCreate") == 2);
    CHECK(calls_of("cuMemcpyDtoDAsync_v2") == 0);
    CHECK(messages.mention("copy by way of"));
    CHECK(contexts.one.statistics().copied_bytes == contexts.other.statistics().copied_bytes);
    ::setenv("GEMEL_EXTERNAL_MEMORY", "off", 1);
    CHECK(contexts.arrives_both_ways(piece));
    ::unsetenv("GEMEL_EXTERNAL_MEMORY");
    CHECK(layer::take_counts().acquires == 0);
}

TEST_CASE("a program without CUDA gets none of it before copies have taken as long as its start does") {
    Contexts contexts;
    contexts.cuda.reset();
    Messages messages;
    constexpr std::size_t n = std::size_t{128} << 20, before = std::size_t{4} << 30;
    const Buffer from = contexts.one.allocate(n), to = contexts.other.allocate(n);
    from.fill(std::uint8_t{1});
    for (std::size_t copied = 0; copied < before; copied += n) to.copy_from(from);
    CHECK(calls_of("cuMemCreate") == 0);
    CHECK(layer::take_counts().imports == 0);
    from.fill(std::uint8_t{2});
    to.copy_from(from);
    CHECK(calls_of("cuMemCreate") == 2);
    CHECK(layer::take_counts().imports == 4);
    CHECK(messages.mention("copy by way of"));
    Bytes found(n);
    to.download(found);
    CHECK(found == Bytes(n, 2));
}

TEST_CASE("no side writes or reads before the other is done") {
    const Contexts contexts;
    CHECK(contexts.arrives_both_ways(piece));
    layer::settings.delay = std::chrono::milliseconds(30);
    CHECK(contexts.arrives_both_ways(3 * piece - 3));
}

TEST_CASE("where one cannot import, the host stands between them, and nothing is left behind") {
    const auto files = open_files();
    {
        bool fails_to_make = false, fails_to_begin = false;
        SUBCASE("it has no such calls") { layer::settings.has_extension = false; }
        SUBCASE("it refuses") { layer::settings.import_status = CL_INVALID_VALUE; }
        SUBCASE("it imports something else") { layer::settings.imports_other_memory = true; }
        SUBCASE("CUDA's driver makes none") { fails_to_make = true; }
        SUBCASE("CUDA has no context") { fails_to_begin = true; }
        const Contexts contexts;
        Messages messages;
        if (fails_to_make) fail("cuMemCreate", CUDA_ERROR_NOT_SUPPORTED);
        if (fails_to_begin) fail("cuStreamCreate", CUDA_ERROR_OUT_OF_MEMORY);
        CHECK(contexts.arrives_both_ways(smallest));
        CHECK(messages.mention("copies go through the host"));
        const auto calls = calls_of(nullptr);
        CHECK(contexts.arrives_both_ways(smallest));
        CHECK(calls_of(nullptr) == calls);  // not tried again
        CHECK(open_files() == files);
    }
    CHECK(open_files() == files);
}

TEST_CASE("the memory goes with the contexts that import it") {
    const auto files = open_files();
    {
        Contexts contexts;
        CHECK(contexts.arrives_both_ways(piece));
        {
            const Context another(contexts.other.device());
            CHECK(arrives(contexts.one, another, piece));
            CHECK(arrives(another, contexts.other, piece));
            CHECK(layer::take_counts().imports == 6);
        }
        CHECK(layer::take_counts().freed == 2);
        CHECK(calls_of("cuMemRelease") == 0);
        contexts.one.reset();  // the older one, which has asked for it
        contexts.other.reset();
        CHECK(layer::take_counts().freed == 4);
        CHECK(calls_of("cuMemRelease") == calls_of("cuMemCreate"));
        CHECK(open_files() == files);
        CHECK(contexts.arrives_both_ways(piece));
        CHECK(layer::take_counts().imports == 4);
    }
    CHECK(open_files() == files);
    CHECK(calls_of("cuMemRelease") == 2);
}

TEST_CASE("copies of several threads in both directions are right") {
    const Contexts contexts;
    CHECK(contexts.arrives_both_ways(piece));
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([&, k] {
            const Context& source = k % 2 ? contexts.one : contexts.other;
            const Context& target = k % 2 ? contexts.other : contexts.one;
            const Stream own = source.create_stream();
            const StreamScope scope(own);
            for (int round = 0; round < 2; ++round) right += arrives(source, target, piece + 1);
        });
    for (auto& thread : threads) thread.join();
    CHECK(right == 8);
}

/// Run by themselves with two of PoCL's devices, which are two stand-ins for GPUs to OpenCL as to CUDA.
TEST_CASE("between two devices: memory of each, and CUDA's copies from one to the other" * doctest::skip()) {
    REQUIRE(pocl_devices().front().info().identity != pocl_devices().back().info().identity);
    const Contexts contexts;
    Messages messages;
    CHECK(contexts.arrives_both_ways(smallest_between_devices - 1));
    CHECK(layer::take_counts().imports == 0);
    unsigned trial = 2 * acquires_of_trial_between_devices;
    unsigned long sent = 0;
    const std::vector<std::pair<std::size_t, unsigned>> pieces_of_bytes{
        {smallest_between_devices, 1}, {smallest, 2}, {piece + 1, 3}, {4 * piece + 7, 7}};
    for (const auto& [n, pieces] : pieces_of_bytes) {
        CAPTURE(n);
        CHECK(contexts.arrives_both_ways(n));
        const layer::Counts counts = layer::take_counts();
        CHECK(counts.acquires == trial + 4 * pieces);
        CHECK(counts.releases == counts.acquires);
        CHECK(calls_of("cuMemcpyDtoDAsync_v2") == (sent += 2 * pieces));
        trial = 0;
    }
    CHECK(calls_of("memory of device 0") == 3);
    CHECK(calls_of("memory of device 1") == 3);
    layer::settings.delay = std::chrono::milliseconds(30);
    CHECK(contexts.arrives_both_ways(4 * piece - 3));
}

TEST_CASE("between two devices: the environment sets the size of pieces" * doctest::skip()) {
    const std::vector<std::pair<const char*, unsigned long>> pieces_of_size{
        {"8M", 4}, {"2M", 16}, {"64M", 3}};  // the last are 8, 12 and 12 MiB
    for (const auto& [value, pieces] : pieces_of_size) {
        CAPTURE(value);
        ::setenv("GEMEL_COPY_PIECE", value, 1);
        const Contexts contexts;
        CHECK(contexts.arrives_both_ways(piece));
        CHECK(calls_of("cuMemcpyDtoDAsync_v2") == 2 * pieces);
        ::setenv("GEMEL_COPY_PIECE", "1G", 1);  // more than there is memory for now
        CHECK(contexts.arrives_both_ways(piece));
        CHECK(calls_of("cuMemcpyDtoDAsync_v2") == 4 * pieces);
        ::setenv("GEMEL_COPY_PIECE", "much", 1);
        CHECK_THROWS_WITH_AS(arrives(contexts.one, contexts.other, piece), doctest::Contains("GEMEL_COPY_PIECE"),
                             ArgumentError);
        ::unsetenv("GEMEL_COPY_PIECE");
    }
}

TEST_CASE("between two devices: when CUDA fails in the middle the host copies all of it" * doctest::skip()) {
    const auto files = open_files();
    for (const CUresult result : {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_ILLEGAL_ADDRESS}) {
        CAPTURE(static_cast<int>(result));
        const Contexts contexts;
        Messages messages;
        CHECK(contexts.arrives_both_ways(piece));
        layer::settings.delay = std::chrono::milliseconds(100);  // the other side is still reading when the third fails
        fail("cuMemcpyDtoDAsync_v2", result, 3);
        CHECK(arrives(contexts.one, contexts.other, 3 * piece));
        CHECK(messages.mention("copies go through the host"));
        layer::settings.delay = {};
        reset_driver();
        (void)layer::take_counts();
        CHECK(contexts.arrives_both_ways(2 * piece));
        CHECK(layer::take_counts().acquires == 0);
        // Memory of a lost context is gone, but not the stand-in's files.
        if (result == CUDA_ERROR_INVALID_VALUE) CHECK(open_files() == files);
    }
}

TEST_SUITE_END();
