/// Memory beyond plain buffers: mapped ranges, asynchronous windows of host memory, pitches, advice, allocators, the
/// log.
#include "support.hpp"

#include <algorithm>
#include <thread>

using namespace gemel;
using namespace gemel::testing;

namespace {

using Ints = std::vector<std::int32_t>;

}  // namespace

TEST_SUITE_BEGIN("memory");

TEST_CASE("any range of any buffer is mapped as elements of the host's") {
    const Context context = current_context();
    const Buffer buffer = uploaded(context, counting<std::int32_t>(100));
    {
        const MappedRange<std::int32_t> part(buffer, 10, 5);
        REQUIRE(part.size() == 5);
        CHECK(Ints(part.begin(), part.end()) == Ints{10, 11, 12, 13, 14});
        part[1] = -1;
    }
    {
        const MappedRange<std::int32_t> all(buffer.view(64, 32), MapMode::read);
        CHECK(all.size() == 8);
        CHECK(all[0] == 16);
    }
    {
        const MappedRange<std::int32_t> written(buffer, 98, 2, MapMode::write), copy = written;
        written[0] = 7;
        copy[1] = 8;
    }
    Ints expected = counting<std::int32_t>(100);
    expected[11] = -1;
    expected[98] = 7;
    expected[99] = 8;
    CHECK(downloaded<std::int32_t>(buffer) == expected);
    CHECK(MappedRange<std::int32_t>(buffer, 3, 0).size() == 0);
    CHECK_THROWS_AS((MappedRange<std::int32_t>(buffer, 99, 2)), ArgumentError);
}

TEST_CASE("mapping waits for what streams do with the memory") {
    const Context context = current_context();
    const Buffer buffer = context.allocate(1000 * 4);
    const Stream stream = context.create_stream();
    common_kernel(context, "set_all_slowly")({.block = {64}, .threads = {1000}, .stream = stream}, buffer, 5,
                                             std::int32_t{1000}, 200000);
    const MappedRange<std::int32_t> all(buffer, MapMode::read);
    CHECK(Ints(all.begin(), all.end()) == counting<std::int32_t>(1000, 5));
}

TEST_CASE("windows of page-locked memory are copied asynchronously either way") {
    const Context context = current_context();
    const Stream stream = context.create_stream();
    HostBuffer<std::int32_t> whole(context, 6 * 8 + 2), back(context, 3 * 4);
    const auto host = whole.part(2, 6 * 8);
    for (std::size_t k = 0; k < host.size(); ++k) host[k] = static_cast<std::int32_t>(k);
    const PitchedBuffer rows = context.allocate_pitched(10 * 4, 5);
    const Buffer& buffer = rows.buffer;
    const std::size_t pitch = rows.pitch_bytes;
    stream.fill(buffer, std::int32_t{-1});
    // Three rows of four elements, from row 2, column 1.
    stream.copy_rectangle(buffer, {.x_bytes = 8, .row = 1, .row_pitch_bytes = pitch}, host,
                          {.x_bytes = 4, .row = 2, .row_pitch_bytes = 32}, {16, 3});
    stream.copy_rectangle(back, {}, buffer, {.x_bytes = 4, .row = 1, .row_pitch_bytes = pitch}, {16, 3});
    back.wait();
    CHECK(Ints(back.begin(), back.end()) == Ints{-1, 17, 18, 19, -1, 25, 26, 27, -1, 33, 34, 35});
    CHECK_THROWS_MENTIONING(ArgumentError, stream.copy_rectangle(back, {.row = 1}, buffer, {}, {16, 3}), "host buffer",
                            "48");
    CHECK_THROWS_AS(stream.copy_rectangle(buffer, {}, HostBuffer<int>(), {}, {16, 3}), ArgumentError);
}

TEST_CASE("rows of pitched memory begin where the device reads best") {
    const Context context = current_context();
    const std::size_t step = context.device().info().base_alignment_bytes;
    const PitchedBuffer rows = context.allocate_pitched(step + 1, 3);
    CHECK(rows.pitch_bytes == 2 * step);
    CHECK(rows.buffer.size_bytes() == 6 * step);
    CHECK(context.allocate_pitched(step, 2).pitch_bytes == step);
    CHECK_THROWS_AS((void)context.allocate_pitched(~std::size_t{0}, 2), OutOfMemory);
    CHECK_THROWS_AS((void)context.allocate_pitched(std::size_t{1} << 40, std::size_t{1} << 40), OutOfMemory);
}

TEST_CASE("write-combined memory is copied from and is not held") {
    const Context context = current_context();
    const std::size_t held = context.host_pool().statistics().held_blocks;
    const Buffer buffer = context.allocate(400);
    {
        const HostBuffer<std::int32_t> host(context, 100, HostMemoryKind::write_combined);
        for (std::size_t k = 0; k < host.size(); ++k) host[k] = static_cast<std::int32_t>(k) * 3;
        context.default_stream().copy(buffer, host);
        CHECK(HostBuffer<int>(context, 0, HostMemoryKind::write_combined).size() == 0);
    }
    CHECK(downloaded<std::int32_t>(buffer)[99] == 297);
    CHECK(context.host_pool().statistics().held_blocks == held);
}

TEST_CASE("the pool of page-locked memory has figures and reuses blocks") {
    const Context context(current_context().device());
    const void* first = nullptr;
    {
        const HostBuffer<char> host(context, 5000);
        first = host.data();
        CHECK(context.host_pool().statistics().active_blocks == 1);
    }
    CHECK(context.host_pool().statistics().held_blocks == 1);
    CHECK(HostBuffer<char>(context, 5000).data() == first);
    CHECK(context.host_pool().trim() >= 5000);
    CHECK(context.host_pool().statistics().held_bytes == 0);
}

TEST_CASE("a pool that holds nothing gives blocks back at once") {
    const Context context(current_context().device());
    const MemoryPool pool = context.pool();
    { const Buffer buffer = context.allocate(10000); }
    CHECK(pool.statistics().held_blocks == 1);
    const Buffer living = context.allocate(10000), second = context.allocate(20000);
    CHECK(pool.statistics().peak_active_bytes >= 30000);
    pool.stop_holding();
    { const Buffer buffer = context.allocate(30000); }
    PoolStatistics figures = pool.statistics();
    CHECK(figures.held_blocks == 0);
    CHECK(figures.active_blocks == 2);
    Buffer(living).release();
    figures = pool.statistics();
    CHECK(figures.held_blocks == 0);
    CHECK(figures.active_blocks == 1);
    pool.resume_holding();
    Buffer(second).release();
    CHECK(pool.statistics().held_blocks == 1);
    CHECK(pool.statistics().active_bytes == 0);
}

TEST_CASE("allocations are counted by the place that makes them") {
    const Context context(current_context().device());
    const MemoryPool pool = context.pool();
    const Buffer before = context.allocate(100);
    pool.watch(true);
    const auto of_site = [&](const char* name) {
        for (const AllocationFigures& each : pool.allocations())
            if (each.site.find(name) != std::string::npos) return each;
        return AllocationFigures{};
    };
    {
        const AllocationSite site("solver");
        const Buffer kept = context.allocate(1000);
        { const Buffer dies = context.allocate(500); }
        const AllocationFigures figures = of_site("solver");
        CHECK(mentions(figures.site, {"memory_test.cpp:"}));
        CHECK(figures.live_bytes == 1000);
        CHECK(figures.live_blocks == 1);
        CHECK(figures.peak_bytes == 1500);
        CHECK(figures.total_blocks == 2);
        CHECK(figures.total_bytes == 1500);
        const AllocationSite inner("inner");
        (void)context.allocate(7);
    }
    CHECK(of_site("inner").total_bytes == 7);
    CHECK(of_site("solver").live_bytes == 0);
    const Buffer here = context.allocate(64);
    CHECK(of_site("memory_test.cpp").total_blocks >= 1);
    CHECK(pool.allocations().front().live_bytes == 64);
    pool.watch(false);
    const std::size_t places = pool.allocations().size();
    { const Buffer unseen = context.allocate(64); }
    CHECK(pool.allocations().size() == places);
    CHECK(pool.allocations().front().live_bytes == 64);
}

TEST_CASE("device memory comes from the user's allocator") {
    const Context context(current_context().device());
    std::size_t taken = 0, given_back = 0;
    // From its own driver, before the allocator is set: a cl_mem must be of the very cl_context.
    const Buffer big = context.allocate(4096);
    context.set_allocator({[&](std::size_t bytes) -> std::uint64_t {
                               ++taken;
                               return bytes <= 4096 ? big.native_handle() : 0;
                           },
                           [&](std::uint64_t handle, std::size_t) { given_back += handle == big.native_handle(); }});
    {
        const Buffer buffer = context.allocate(4000);
        CHECK(buffer.native_handle() == big.native_handle());
        buffer.upload(counting<std::int32_t>(1000));
        CHECK(downloaded<std::int32_t>(buffer) == counting<std::int32_t>(1000));
    }
    CHECK(taken == 1);
    CHECK(given_back == 0);  // held by the pool
    CHECK_THROWS_MENTIONING(OutOfMemory, context.allocate(100000), "user's allocator");
    CHECK(given_back == 1);  // the pool gave up what it held first
    { const Buffer again = context.allocate(4000); }
    CHECK(taken == 4);
    {
        const Buffer living = context.allocate(4000);
        context.set_allocator({});
        CHECK(given_back == 1);
    }
    CHECK(given_back == 2);  // not held for those who come
    const std::size_t before = taken;
    { const Buffer from_driver = context.allocate(100000); }
    CHECK(taken == before);
    CHECK_THROWS_MENTIONING(ArgumentError, context.set_allocator({[](std::size_t) { return std::uint64_t{0}; }, {}}),
                            "two functions");
}

TEST_CASE("advice and prefetches leave managed and mapped memory as it is") {
    const Context context = current_context();
    const auto check = [&](const Buffer& buffer) {
        buffer.fill(std::int32_t{4});
        for (const MemoryAdvice advice :
             {MemoryAdvice::mostly_read, MemoryAdvice::not_mostly_read, MemoryAdvice::prefer_device,
              MemoryAdvice::prefer_host, MemoryAdvice::no_preference})
            buffer.advise(advice);
        const Stream stream = context.create_stream();
        stream.prefetch(buffer);
        stream.prefetch(buffer, true);
        buffer.wait();
        CHECK(stream.idle());
        CHECK(downloaded<std::int32_t>(buffer) == Ints(100, 4));
    };
    check(context.allocate(400));
    check(MappedBuffer<std::int32_t>(context, 100).buffer());
    if (context.device().info().has_managed_memory)
        check(MappedBuffer<std::int32_t>(context, 100, MappedKind::managed).buffer());
}

TEST_CASE("managed memory is the host's and a kernel's in turns and may be empty") {
    const Context context = default_context();
    if (!context.device().info().has_managed_memory) return;  // backend/buffer has what it says then
    const MappedBuffer<std::int32_t> managed(context, 256, MappedKind::managed), none(context, 0, MappedKind::managed);
    CHECK(none.size() == 0);
    CHECK(none.map().size() == 0);
    managed.buffer().fill(1);
    for (int turn = 0; turn < 3; ++turn) {
        common_kernel(context, "add")({.block = {64}, .threads = {256}}, managed.buffer(), managed.buffer(), 5, 256);
        const auto view = managed.map();
        CHECK(view[255] == 1 + turn * 105 + 5);
        for (auto& element : view) element += 100;
    }
    {
        const MappedRange<std::int32_t> part(managed.buffer(), 8, 4, MapMode::read);
        CHECK(part[3] == 1 + 3 * 105);
    }
    // A part of it is a copy's source.
    const Buffer copy = context.allocate(16);
    copy.copy_from(managed.buffer().view(32, 16));
    CHECK(downloaded<std::int32_t>(copy) == Ints(4, 316));
}

TEST_CASE("the release of managed and mapped memory waits for its stream and not the host") {
    const Context context = current_context();
    for (const MappedKind kind : {MappedKind::zero_copy, MappedKind::managed}) {
        if (kind == MappedKind::managed && !context.device().info().has_managed_memory) continue;
        CAPTURE(static_cast<int>(kind));
        constexpr std::size_t n = 1000;
        const Stream stream = context.create_stream();
        const Buffer result = context.allocate(n * sizeof(std::int32_t));
        const UserEvent gate(context);
        {
            const MappedBuffer<std::int32_t> released(context, n, kind);
            stream.wait(gate);
            stream.fill(released.buffer(), std::int32_t{5});
            stream.copy(result, released.buffer());
            stream.flush();
        }
        CHECK_FALSE(gate.done());  // the host would wait for ever
        gate.complete();
        stream.synchronize();
        CHECK(downloaded<std::int32_t>(result) == Ints(n, 5));
    }
}

TEST_CASE("attributes and extensions are known by the driver's names") {
    const Device device = current_context().device();
    const auto all = device.attributes();
    CHECK(all.size() > 20);
    CHECK(device.attribute("no_such_thing") == std::nullopt);
    const bool is_cuda = device.backend() == "cuda";
    const auto units = device.attribute(is_cuda ? "MULTIPROCESSOR_COUNT" : "CL_DEVICE_MAX_COMPUTE_UNITS");
    REQUIRE(units);
    CHECK(*units == std::to_string(device.info().compute_units));
    CHECK(device.attribute(is_cuda ? "cu_device_attribute_multiprocessor_count" : "max_compute_units") == units);
    if (!is_cuda) {
        CHECK(device.attribute("NAME") == device.info().name);
        CHECK(device.attribute("ENDIAN_LITTLE") == (device.info().is_little_endian ? "true" : "false"));
        CHECK(device.has_extension("cl_khr_global_int32_base_atomics"));
    }
    CHECK_FALSE(device.has_extension("cl_khr_no_such_thing"));
}

TEST_CASE("devices are found by the driver's handle and by their PCI address") {
    const Device device = current_context().device();
    CHECK(find_device_by_handle(device.backend(), device.native_handle()) == device);
    CHECK_THROWS_MENTIONING(BackendUnavailable, find_device_by_handle(device.backend(), 0x1234567), "handle");
    if (device.info().pci_bus_id) {
        std::string address = *device.info().pci_bus_id;
        std::transform(address.begin(), address.end(), address.begin(),
                       [](unsigned char c) { return std::toupper(c); });
        CHECK(find_device_by_pci(address, device.backend()).info().pci_bus_id == device.info().pci_bus_id);
    }
    CHECK_THROWS_MENTIONING(BackendUnavailable, find_device_by_pci("ffff:ff:1f.7"), "ffff:ff:1f.7");
}

TEST_CASE("limits are known on CUDA and refused elsewhere") {
    const Context context = current_context();
    const auto stack = context.limit(ContextLimit::stack);
    if (context.device().backend() == "cuda") {
        REQUIRE(stack);
        context.set_limit(ContextLimit::stack, *stack + 1024);
        CHECK(*context.limit(ContextLimit::stack) >= *stack + 1024);
        context.set_limit(ContextLimit::stack, *stack);
    } else {
        CHECK(stack == std::nullopt);
        CHECK_THROWS_MENTIONING(Error, context.set_limit(ContextLimit::printf, 1 << 20), "printf");
    }
}

TEST_CASE("contexts of one device reach each other where addresses are shared") {
    const Context first = current_context(), second(first.device());
    CHECK(first.device().can_reach(second.device()));
    const Buffer buffer = uploaded(second, Ints(1000, 6));
    CHECK(second.peer_view(buffer).block() == buffer.block());
    if (!first.addresses_are_linear()) {
        CHECK_THROWS_MENTIONING(Error, first.reach(second), "copy_from");
        return;
    }
    first.reach(second);
    const Buffer seen = first.peer_view(buffer), out = first.allocate(4000);
    common_kernel(first, "add")({.block = {64}, .threads = {1000}}, out, seen, 1, std::int32_t{1000});
    CHECK(downloaded<std::int32_t>(out) == Ints(1000, 7));
}

TEST_CASE("ranges beyond what addresses count are refused") {
    const Buffer buffer = current_context().allocate(400);
    constexpr std::size_t far = std::size_t{1} << 62;
    CHECK_THROWS_AS((MappedRange<std::int32_t>(buffer, far, 1)), ArgumentError);
    CHECK_THROWS_AS((MappedRange<std::int32_t>(buffer, 0, far + 1)), ArgumentError);
}

TEST_SUITE_END();
