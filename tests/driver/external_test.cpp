/// Copies between the CUDA and the OpenCL plug-in through memory that both see, where there is no GPU: the stand-in for
/// NVIDIA's driver makes pages of a file, and a layer over PoCL imports them. What is copied goes through these pages.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "external_support.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using namespace external;

namespace {

constexpr std::size_t smallest = std::size_t{2} << 20;  // that goes through shared memory

/// A context of each plug-in, and drivers that do as they are told.
struct Pair {
    Context cuda{find_device("cuda:0")}, opencl{pocl_devices().front()};
    Pair() {
        reset_driver();
        (void)layer::take_counts();
    }
    ~Pair() {
        reset_driver();
        layer::settings = {};
    }
};

/// OpenCL asks with a command of its own, which takes a moment to complete.
bool becomes_idle(const Stream& stream, std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!stream.idle())
        if (std::chrono::steady_clock::now() > end) return false;
    return true;
}

}  // namespace

TEST_SUITE_BEGIN("external");

TEST_CASE("copies in both directions go through the memory that both see, a piece after the other") {
    const Pair pair;
    Messages messages;
    unsigned trial = acquires_of_trial;
    for (const std::size_t n : {smallest, piece - 1, piece, piece + 1, 3 * piece + 5}) {
        CAPTURE(n);
        const auto pieces = static_cast<unsigned>((n + piece - 1) / piece);
        for (const bool from_cuda : {true, false}) {
            CHECK(arrives(from_cuda ? pair.cuda : pair.opencl, from_cuda ? pair.opencl : pair.cuda, n));
            const layer::Counts counts = layer::take_counts();
            CHECK(counts.acquires == trial + pieces);
            CHECK(counts.releases == counts.acquires);
            if (pieces == 4) CHECK(counts.repeats == 0);  // one is written while the other is read
            trial = 0;
        }
    }
    CHECK(calls_of("cuMemCreate") == 2);
    CHECK(calls_of("cuMemcpyDtoDAsync_v2") == 2 * (1 + 1 + 1 + 2 + 4));
    CHECK(calls_of("memory of device 0") == 2);
    CHECK(messages.mention("share device memory"));
    CHECK(pair.cuda.statistics().copied_bytes == pair.opencl.statistics().copied_bytes);
}

TEST_CASE("small copies and those that are told so go through the host") {
    const Pair pair;
    CHECK(arrives(pair.cuda, pair.opencl, smallest - 1));
    ::setenv("GEMEL_EXTERNAL_MEMORY", "off", 1);
    CHECK(arrives(pair.cuda, pair.opencl, piece));
    ::unsetenv("GEMEL_EXTERNAL_MEMORY");
    CHECK(calls_of("cuMemCreate") == 0);
    CHECK(calls_of("cuMemcpyDtoHAsync_v2") > 0);
    CHECK(layer::take_counts().imports == 0);
    CHECK(arrives(pair.cuda, pair.opencl, piece));
    CHECK(layer::take_counts().imports == 2);
}

TEST_CASE("neither side writes or reads before the other is done") {
    const Pair pair;
    CHECK(arrives(pair.cuda, pair.opencl, piece));  // the trial waits for no delays
    layer::settings.delay = std::chrono::milliseconds(30);
    CHECK(arrives(pair.cuda, pair.opencl, 4 * piece - 3));
    CHECK(arrives(pair.opencl, pair.cuda, 4 * piece - 3));
    // Also after what the streams were told before, and until all is done.
    const Buffer from = pair.opencl.allocate(piece), to = pair.cuda.allocate(piece), back = pair.opencl.allocate(piece);
    from.fill(std::uint8_t{1});
    to.copy_from(from);
    from.fill(std::uint8_t{2});
    // Far longer than a stream takes to tell that it is idle.
    layer::settings.delay = std::chrono::milliseconds(500);
    back.copy_from(to);
    CHECK(becomes_idle(pair.opencl.default_stream(), std::chrono::milliseconds(250)));
    Bytes found(piece);
    back.download(found);
    CHECK(found == Bytes(piece, 1));
}

TEST_CASE("where one side cannot, the host stands between them, it is not tried again and nothing is left behind") {
    const auto files = open_files();
    const std::size_t n = smallest + 100;
    const auto check = [&](const Pair& pair, const char* why, unsigned imports) {
        CAPTURE(why);
        Messages messages;
        CHECK(arrives(pair.cuda, pair.opencl, n));
        CHECK(messages.mention("shares no memory"));
        CHECK(messages.mention(why));
        const auto made = calls_of("cuMemCreate");
        CHECK(arrives(pair.opencl, pair.cuda, n));
        CHECK(arrives(pair.cuda, pair.opencl, n));
        CHECK(calls_of("cuMemCreate") == made);
        CHECK(layer::take_counts().imports == imports);
        CHECK(open_files() == files);
    };
    SUBCASE("the device of OpenCL imports none") {
        layer::settings.has_extension = false;
        const Pair pair;
        check(pair, "imports none", 0);
        CHECK(calls_of("cuMemRelease") == 2);
    }
    SUBCASE("its driver refuses") {
        const Pair pair;
        layer::settings.import_status = CL_INVALID_VALUE;
        check(pair, "CL_INVALID_VALUE (-30)", 1);
        CHECK(calls_of("cuMemRelease") == 2);
        CHECK(calls_of("cuMemUnmap") == 2);
        CHECK(calls_of("cuMemAddressFree") == 2);
    }
    SUBCASE("its driver imports something else") {
        const Pair pair;
        layer::settings.imports_other_memory = true;
        check(pair, "did not read", 2);
    }
    SUBCASE("its driver refuses the use, with a code that would lose a context elsewhere") {
        const Pair pair;
        layer::settings.acquire_status = CL_OUT_OF_RESOURCES;
        check(pair, "clEnqueueAcquireExternalMemObjectsKHR", 2);
    }
    for (const char* const function : {"cuMemGetAllocationGranularity", "cuMemCreate", "cuMemAddressReserve",
                                       "cuMemMap", "cuMemSetAccess", "cuMemExportToShareableHandle"}) {
        SUBCASE(function) {
            const Pair pair;
            fail(function, CUDA_ERROR_NOT_SUPPORTED);
            check(pair, function, 0);
            if (std::string(function) != "cuMemCreate") CHECK(calls_of("cuMemRelease") == calls_of("cuMemCreate"));
        }
    }
    SUBCASE("the pool's limit leaves no room") {
        const Pair pair;
        pair.cuda.pool().set_limit(piece);
        check(pair, "limit", 0);
        CHECK(calls_of("cuMemCreate") == 0);
    }
    CHECK(open_files() == files);
}

TEST_CASE("a failure in the middle is an error, and the next copy is right") {
    const Pair pair;
    CHECK(arrives(pair.cuda, pair.opencl, piece));
    fail("cuMemcpyDtoDAsync_v2", CUDA_ERROR_INVALID_VALUE, 2);
    CHECK_THROWS_AS(arrives(pair.cuda, pair.opencl, 4 * piece), DeviceError);
    reset_driver();
    layer::settings.delay = std::chrono::milliseconds(100);  // the third is still being written when the second fails
    fail("cuMemcpyDtoDAsync_v2", CUDA_ERROR_INVALID_VALUE, 2);
    CHECK_THROWS_AS(arrives(pair.opencl, pair.cuda, 4 * piece), DeviceError);
    CHECK(pair.opencl.default_stream().idle());
    layer::settings.delay = {};
    reset_driver();
    (void)layer::take_counts();
    layer::settings.acquire_status = CL_OUT_OF_RESOURCES;
    layer::settings.acquires_before_status = 1;
    CHECK_THROWS_WITH_AS(arrives(pair.cuda, pair.opencl, 4 * piece), doctest::Contains("AcquireExternalMemObjects"),
                         DeviceError);
    layer::settings = {};
    (void)layer::take_counts();
    CHECK(arrives(pair.opencl, pair.cuda, 2 * piece));
    CHECK(arrives(pair.cuda, pair.opencl, 2 * piece));
    CHECK(layer::take_counts().acquires == 4);
}

TEST_CASE("the memory is one for all who import it, and goes with them or with its maker") {
    const auto files = open_files();
    {
        Pair pair;
        CHECK(arrives(pair.cuda, pair.opencl, piece));
        {
            const Context another(pair.opencl.device());
            CHECK(arrives(another, pair.cuda, piece));
            CHECK(calls_of("cuMemCreate") == 2);
            CHECK(layer::take_counts().imports == 4);
        }
        CHECK(layer::take_counts().freed == 2);
        CHECK(calls_of("cuMemRelease") == 0);
        CHECK(arrives(pair.cuda, pair.opencl, piece));
        pair.cuda = Context(find_device("cuda:0"));  // the maker dies
        CHECK(layer::take_counts().freed == 2);
        CHECK(calls_of("cuMemRelease") == 2);
        CHECK(open_files() == files);
        CHECK(arrives(pair.opencl, pair.cuda, piece));
        pair.opencl.reset();
        CHECK(arrives(pair.opencl, pair.cuda, piece));
        CHECK(layer::take_counts().imports == 4);
    }
    CHECK(open_files() == files);
}

/// Run by itself with two devices of PoCL's, of which the "basic" one does not wait for barriers.
TEST_CASE("a context of several devices says whose memory it is" * doctest::skip()) {
    const auto pocl = pocl_devices();
    REQUIRE(pocl.size() == 2);
    const std::vector<cl_device_id> both{reinterpret_cast<cl_device_id>(pocl[0].native_handle()),
                                         reinterpret_cast<cl_device_id>(pocl[1].native_handle())};
    const cl_context native = clCreateContext(nullptr, 2, both.data(), nullptr, nullptr, nullptr);
    REQUIRE(native);
    {
        Pair pair;
        pair.opencl = Context::wrap(pocl[1], reinterpret_cast<std::uint64_t>(native));
        CHECK(arrives(pair.cuda, pair.opencl, piece));
        const layer::Counts counts = layer::take_counts();
        CHECK(counts.imports == 2);
        CHECK(counts.with_device_list == 2);
        CHECK(counts.acquires == acquires_of_trial + 1);
    }
    clReleaseContext(native);
}

TEST_CASE("copies of several threads are all right, and one that would wait for long goes through the host") {
    const Pair pair;
    CHECK(arrives(pair.cuda, pair.opencl, piece));
    std::atomic<int> right{0};
    const auto together = [&](std::size_t n) {
        std::vector<std::thread> threads;
        for (int k = 0; k < 4; ++k)
            threads.emplace_back([&, k] {
                const Stream own = (k % 2 ? pair.cuda : pair.opencl).create_stream();
                const StreamScope scope(own);
                right += k % 2 ? arrives(pair.cuda, pair.opencl, n) : arrives(pair.opencl, pair.cuda, n);
            });
        for (auto& thread : threads) thread.join();
    };
    together(2 * piece + 1);
    CHECK(right == 4);
    // How much of them is at the same time depends on the machine: the longer each takes, the more.
    Messages messages;
    int expected = 4;
    for (int delay = 80; !messages.mention("in use") && delay < 10000; delay *= 4) {
        layer::settings.delay = std::chrono::milliseconds(delay);
        together(4 * piece);
        CHECK(right == (expected += 4));
    }
    layer::settings.delay = {};
    CHECK(messages.mention("in use"));
}

/// Run by itself with two stand-ins for GPUs, of which OpenCL's device is the second.
TEST_CASE("memory on another GPU is made there by the one that reaches it" * doctest::skip()) {
    const Pair pair;
    CHECK(arrives(pair.cuda, pair.opencl, piece + 1));
    CHECK(arrives(pair.opencl, pair.cuda, piece + 1));
    CHECK(calls_of("memory of device 1") == 3);
    CHECK(calls_of("memory of device 0") == 0);
    CHECK(layer::take_counts().acquires == acquires_of_trial_between_devices + 2 * 3);  // of 8, 13 and 11 MiB
}

TEST_SUITE_END();

int main(int argc, char** argv) {
    if (const char* const uuid = std::getenv("LAYER_UUID"))
        layer::settings.uuid = static_cast<unsigned char>(std::atoi(uuid));
    if (pocl_devices().empty()) {
        std::puts("skipped: there is no device of PoCL's");
        return 77;
    }
    return doctest::Context(argc, argv).run();
}
