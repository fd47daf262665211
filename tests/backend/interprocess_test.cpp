/// Memory and events that two processes use.
#include "support.hpp"

#include "child.hpp"

#include <vector>

using namespace gemel;
using namespace gemel::testing;

namespace {

using Ints = std::vector<std::int32_t>;
constexpr std::size_t count = 3000;
constexpr std::size_t odd = 1000;  // elements before the view that is sent

bool has_handles() { return default_device().backend() == "cuda"; }

/// Adds 5 to what the other process sent, once it has been written there.
const Child adder("add_in_their_memory", [] {
    const Context context = default_context();
    const auto memory = bytes_of("GEMEL_TEST_MEMORY");
    const Buffer theirs = import_memory(context, memory);
    if (theirs.size_bytes() != (count - odd) * sizeof(std::int32_t)) return 2;
    const Stream stream = context.create_stream();
    stream.wait(import_event(context, bytes_of("GEMEL_TEST_EVENT")));
    const int n = static_cast<int>(count - odd);
    common_kernel(context, "add")({.block = {128}, .threads = {count - odd}, .stream = stream}, theirs, theirs, 5, n);
    stream.synchronize();
    Ints seen(count - odd);
    theirs.download(seen);
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (seen[i] != static_cast<std::int32_t>(i + odd) + 12) return 3;
    // A second handle to the same memory: each is closed for itself.
    const Buffer again = import_memory(context, memory);
    again.download(seen);
    return seen[0] == static_cast<std::int32_t>(odd) + 12 ? 0 : 4;
});

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a process writes memory of another after what that has enqueued there") {
    if (!has_handles()) return;
    const Context context = default_context();
    const Buffer before = context.allocate(100), ours = uploaded(context, Ints(count, 0));
    const Stream stream = context.create_stream();
    common_kernel(context, "set_all_slowly")({.block = {128}, .threads = {count}, .stream = stream}, ours, 7,
                                             static_cast<int>(count), 20000);
    const Event written = stream.record(EventKind::interprocess);
    const Buffer view = ours.view(odd * sizeof(std::int32_t), (count - odd) * sizeof(std::int32_t));
    const ChildResult child = run_child("add_in_their_memory", {{"GEMEL_TEST_MEMORY", hex_of(export_memory(view))},
                                                                {"GEMEL_TEST_EVENT", hex_of(export_event(written))}});
    INFO(child.output);
    REQUIRE_MESSAGE(child.exit_code == 0, child.output);
    const Ints now = downloaded<std::int32_t>(ours);
    CHECK(now[odd - 1] == static_cast<std::int32_t>(odd) - 1 + 7);
    CHECK(now[odd] == static_cast<std::int32_t>(odd) + 12);
    CHECK(now[count - 1] == static_cast<std::int32_t>(count) - 1 + 12);
}

TEST_CASE("handles between processes are refused with a reason where they cannot be") {
    const Context context = default_context();
    const Buffer buffer = uploaded(context, Ints(10, 1));
    CHECK_THROWS_MENTIONING(ArgumentError, export_memory(Buffer()), "export_memory", "empty");
    CHECK_THROWS_MENTIONING(ArgumentError, export_event(Event()), "export_event", "empty");
    CHECK_THROWS_MENTIONING(ArgumentError, export_event(context.default_stream().record()), "EventKind::interprocess");
    const std::vector<std::byte> nonsense(200);
    CHECK_THROWS_MENTIONING(ArgumentError, import_memory(context, nonsense), "import_memory", "export_memory()");
    CHECK_THROWS_MENTIONING(ArgumentError, import_event(context, std::span(nonsense).first(3)), "3 bytes");
    if (!has_handles()) {
        CHECK_THROWS_MENTIONING(Error, export_memory(buffer), "export_memory", "another process", "CUDA has");
        CHECK_THROWS_MENTIONING(Error, context.default_stream().record(EventKind::interprocess), "Stream::record",
                                "another process");
        return;
    }
    const auto handle = export_memory(buffer);
    CHECK(handle.size() < 256);
    CHECK_THROWS_MENTIONING(ArgumentError, import_memory(context, handle), "this very process");
    CHECK_THROWS_MENTIONING(ArgumentError, import_event(context, handle), "import_event", "other kind");
    CHECK_THROWS_MENTIONING(ArgumentError, import_memory(context, std::span(handle).first(handle.size() - 1)), "whole");
    auto elsewhere = handle;
    elsewhere[8] ^= std::byte{1};   // of another process
    elsewhere[40] ^= std::byte{1};  // and device
    CHECK_THROWS_MENTIONING(ArgumentError, import_memory(context, elsewhere), "device", context.device().id());
    const MappedBuffer<int> mapped(context, 10);
    CHECK_THROWS_MENTIONING(ArgumentError, export_memory(mapped.buffer()), "mapped");
}

TEST_CASE("the allocation in which an address lies is found") {
    const Context context = default_context();
    const Buffer buffer = context.allocate(1000);
    if (!context.addresses_are_linear()) {
        CHECK_FALSE(context.address_range(buffer.native_handle()));
        return;
    }
    const auto range = context.address_range(buffer.native_handle() + 999);
    REQUIRE(range);
    CHECK(range->address <= buffer.native_handle());
    CHECK(range->address + range->bytes >= buffer.native_handle() + 1000);
    CHECK_FALSE(context.address_range(16));
}

TEST_SUITE_END();
