/// What the CUDA plug-in asks of the driver for priorities, events of the host's, limits, peers, advice and mapping.
#include <doctest/doctest.h>

#include <gemel/core/core.hpp>

#include "stand_in.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <vector>

using namespace gemel;

namespace {

template <class F>
F* stand_in(const char* name) {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(library);
    void* const address = dlsym(library, name);
    REQUIRE(address);
    return reinterpret_cast<F*>(address);
}

/// Calls of a driver's function since the last time that it was asked.
unsigned long calls_of(const char* function) {
    const auto count = stand_in<StandInCalls>("stand_in_calls")(function);
    stand_in<StandInReset>("stand_in_reset")();
    return count;
}

}  // namespace

TEST_SUITE_BEGIN("extras");

TEST_CASE("streams of low and high priority are made as such") {
    const Context context = default_context();
    (void)calls_of("");
    const Stream high = context.create_stream(StreamPriority::high);
    CHECK(calls_of("high priority") == 1);
    const Stream low = context.create_stream(StreamPriority::low);
    CHECK(calls_of("low priority") == 1);
    const Stream normal = context.create_stream();
    CHECK(calls_of("cuStreamCreate") == 1);
}

TEST_CASE("an event of the host's is a word that streams wait for and that serves again") {
    const Context context = default_context();
    const Stream stream = context.create_stream();
    std::uint64_t first = 0;
    {
        const UserEvent event(context);
        first = event.native_handle();
        (void)calls_of("");
        stream.wait(event);
        CHECK(calls_of("cuStreamWaitValue32_v2") == 1);
        CHECK_FALSE(event.done());
        event.complete();
        CHECK(event.done());
    }
    const UserEvent next(context);
    CHECK(next.native_handle() == first);
    CHECK_FALSE(next.done());
    std::vector<UserEvent> many;
    for (int k = 0; k < 100; ++k) many.emplace_back(context);  // more than a page of words
    many[99].complete();
    CHECK(many[99].done());
    CHECK_FALSE(many[98].done());
}

TEST_CASE("a blocking event is made as such and an untimed one has no time") {
    const Context context = default_context();
    const Stream stream = context.create_stream();
    (void)calls_of("");
    const Event blocking = stream.record(EventKind::blocking);
    CHECK(calls_of("cuEventCreate") == 1);
    CHECK_THROWS_AS((void)elapsed_milliseconds(blocking, stream.record()), ArgumentError);
}

TEST_CASE("limits and advice and prefetches reach the driver") {
    const Context context = default_context();
    context.set_limit(ContextLimit::printf, 12345);
    CHECK(context.limit(ContextLimit::printf) == 12345);
    context.set_limit(ContextLimit::heap, 999);
    CHECK(context.limit(ContextLimit::printf) == 12345);
    const MappedBuffer<int> managed(context, 100, MappedKind::managed);
    const Buffer plain = context.allocate(400);
    const Stream stream = context.create_stream();
    (void)calls_of("");
    managed.buffer().advise(MemoryAdvice::prefer_host);
    plain.advise(MemoryAdvice::prefer_host);
    CHECK(calls_of("cuMemAdvise") == 1);
    stream.prefetch(managed.buffer(), true);
    stream.prefetch(plain, true);
    CHECK(calls_of("prefetch to host") == 1);
    stream.prefetch(managed.buffer());
    CHECK(calls_of("prefetch to device") == 1);
}

TEST_CASE("managed and mapped memory that a stream still uses goes to the driver when the stream is done") {
    const auto count = stand_in<StandInCalls>("stand_in_calls");
    const auto reset = stand_in<StandInReset>("stand_in_reset");
    for (const MappedKind kind : {MappedKind::managed, MappedKind::zero_copy}) {
        const char* const freed = kind == MappedKind::managed ? "cuMemFree_v2" : "cuMemFreeHost";
        const Context context(default_device());
        const Stream stream = context.create_stream();
        MappedBuffer<int> used(context, 100, kind);
        stream.fill(used.buffer(), 7);
        reset();
        stand_in<StandInFail>("stand_in_fail")("cuEventQuery", CUDA_ERROR_NOT_READY, 1);
        used = {};
        CHECK(count("cuEventRecord") == 1);
        CHECK(count("cuStreamSynchronize") == 0);
        { const MappedBuffer<int> unused(context, 100, kind); }
        CHECK(count(freed) == 1);  // of the other one
        reset();
        SUBCASE("the next that asks for such memory sees to it") { const MappedBuffer<int> next(context, 100, kind); }
        SUBCASE("synchronize() sees to it") { context.synchronize(); }
        SUBCASE("trim() sees to it") { context.pool().trim(); }
        CHECK(count(freed) >= 1);
        reset();
    }
    {
        const Context context(default_device());
        MappedBuffer<int> used(context, 100, MappedKind::managed), more(context, 100, MappedKind::managed);
        context.default_stream().fill(used.buffer(), 7);
        context.default_stream().fill(more.buffer(), 7);
        reset();
        stand_in<StandInFail>("stand_in_fail")("cuEventQuery", CUDA_ERROR_NOT_READY, 1);
        used = {};
        CHECK(count("cuMemFree_v2") == 0);
        stand_in<StandInFail>("stand_in_fail")("cuMemAllocManaged", CUDA_ERROR_OUT_OF_MEMORY, 1);
        CHECK_THROWS_AS(MappedBuffer<int>(context, 100, MappedKind::managed), OutOfMemory);
        CHECK(count("cuMemFree_v2") == 1);  // waited for, since the driver has none
        CHECK(count("cuStreamSynchronize") == 1);
        more = {};
    }
    CHECK(count("cuMemFree_v2") == 2);  // the context has gone
    reset();
}

TEST_CASE("plain memory is mapped by copies in the directions that the mode says") {
    const Context context = default_context();
    const Buffer buffer = context.allocate(40);
    buffer.fill(7);
    (void)calls_of("");
    {
        const MappedRange<int> part(buffer, 2, 3, MapMode::read);
        CHECK(std::count(part.begin(), part.end(), 7) == 3);
        CHECK(calls_of("cuMemcpyDtoHAsync_v2") == 1);
    }
    CHECK(calls_of("cuMemcpyHtoDAsync_v2") == 0);
    {
        const MappedRange<int> part(buffer, 2, 3, MapMode::write);
        std::fill(part.begin(), part.end(), 5);
        CHECK(calls_of("cuMemcpyDtoHAsync_v2") == 0);
    }
    std::vector<int> values(10);
    buffer.download(values);
    CHECK(values == std::vector<int>{7, 7, 5, 5, 5, 7, 7, 7, 7, 7});
}

TEST_CASE("attributes have the names of cuda.h") {
    const Device device = default_context().device();
    CHECK(device.attribute("CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT") == "132");
    CHECK(device.attribute("warp_size") == "32");
    CHECK(device.extensions().empty());
    CHECK(find_device_by_pci("01:00.0") == device);
    CHECK_FALSE(device.attribute("warp_sizes"));
}

/// Run by itself, with GEMEL_NVRTC naming a file that is not there.
TEST_CASE("without NVRTC programs are refused with the file and the next step, and the rest works" * doctest::skip()) {
    const Context context = default_context();
    CHECK_THROWS_WITH_AS((void)context.compile("KERNEL void nothing(int n) {}"),
                         doctest::Contains("/nowhere/libnvrtc.so"), BackendUnavailable);
    CHECK_THROWS_WITH((void)context.compile("KERNEL void nothing(int n) {}"), doctest::Contains("GEMEL_NVRTC"));
    const std::vector<int> values{1, 2, 3};
    const Buffer buffer = context.allocate(12);
    buffer.upload(values);
    std::vector<int> back(3);
    buffer.download(back);
    CHECK(back == values);
    bool is_named = false;
    for (const BackendStatus& backend : backends())
        for (const auto& library : backend.libraries)
            is_named = is_named || (library.name == "NVRTC" && !library.trouble.empty());
    CHECK(is_named);
}

TEST_SUITE_END();
