/// Kernels that use memory of another device, in this process and by handles of another one. A host with two GPUs that
/// reach each other runs it; elsewhere there is nothing to test, and it says so.
#include "support.hpp"

#include "child.hpp"

#include <cstdio>
#include <utility>

using namespace gemel;
using namespace gemel::testing;

namespace {

using Ints = std::vector<std::int32_t>;
constexpr std::size_t count = (std::size_t{1} << 17) + 77;
constexpr int n = static_cast<int>(count);
constexpr std::size_t odd = 999;  // elements before a view, which begins where no access of several words does

/// The one's kernels may use the other's memory.
std::vector<std::pair<Device, Device>> pairs() {
    std::vector<std::pair<Device, Device>> found;
    const auto all = devices(default_device().backend());  // also beside the one that GEMEL_DEVICE names
    for (const Device& one : all)
        for (const Device& other : all)
            if (one != other && one.can_reach(other)) found.emplace_back(one, other);
    if (found.empty()) std::puts("skipped: no two GPUs here reach each other");
    return found;
}

void check_counting_from(std::int32_t first, const Ints& found) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != first + static_cast<std::int32_t>(i);
    CHECK(wrong == 0);
}

Buffer tail_of(const Buffer& buffer) {
    return buffer.view(odd * sizeof(std::int32_t), buffer.size_bytes() - odd * sizeof(std::int32_t));
}

/// On another device than the memory's: waits for what was written there, adds 5 in place, and copies it to its own.
const Child adder("add_in_memory_of_another_device", [] {
    const Context context = default_context();
    const Buffer theirs = import_memory(context, bytes_of("GEMEL_TEST_MEMORY"));
    const Stream stream = context.create_stream();
    stream.wait(import_event(context, bytes_of("GEMEL_TEST_EVENT")));
    const int rest = n - static_cast<int>(odd);
    common_kernel(context, "add")({.block = {128}, .threads = {count - odd}, .stream = stream}, theirs, theirs, 5,
                                  rest);
    const Buffer own = context.allocate(theirs.size_bytes());
    stream.copy(own, theirs);
    stream.synchronize();
    const Ints seen = downloaded<std::int32_t>(own);
    if (seen.size() != count - odd) return 2;
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (seen[i] != static_cast<std::int32_t>(i + odd) + 12) return 3;
    return 0;
});

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a kernel of one device reads and writes memory of another") {
    for (const auto& [one, other] : pairs()) {
        CAPTURE(one.id());
        CAPTURE(other.id());
        const Context here(one), there(other);
        const Buffer theirs = uploaded(there, counting<std::int32_t>(count));
        CHECK_THROWS_MENTIONING(ArgumentError, here.peer_view(theirs), "peer_view", "reach()");
        here.reach(there);
        here.reach(there);  // a second time is harmless
        const Buffer seen = here.peer_view(theirs), read = here.allocate(count * sizeof(std::int32_t));
        CHECK(seen.context() == here);
        common_kernel(here, "add")({.block = {128}, .threads = {count}}, read, seen, 5, n);
        check_counting_from(5, downloaded<std::int32_t>(read));
        common_kernel(here, "set_all")({.block = {128}, .threads = {count - odd}}, tail_of(seen), -7,
                                       n - static_cast<int>(odd));
        here.synchronize();
        const Ints written = downloaded<std::int32_t>(theirs);
        check_counting_from(0, Ints(written.begin(), written.begin() + odd));
        check_counting_from(-7, Ints(written.begin() + odd, written.end()));
    }
}

TEST_CASE("events order kernels of two devices on one memory without the host") {
    for (const auto& [one, other] : pairs()) {
        CAPTURE(one.id());
        const Context here(one), there(other);
        here.reach(there);
        const Stream mine = here.create_stream(), his = there.create_stream();
        const Buffer theirs = uploaded(there, Ints(count, 0)), seen = here.peer_view(theirs);
        const Kernel slowly = common_kernel(there, "set_all_slowly"), add_there = common_kernel(there, "add"),
                     add_here = common_kernel(here, "add");
        for (int round = 1; round <= 10; ++round) {
            slowly({.block = {128}, .threads = {count}, .stream = his}, theirs, round, n, 2000);
            mine.wait(his.record(EventKind::untimed));
            add_here({.block = {128}, .threads = {count}, .stream = mine}, seen, seen, 100, n);
            his.wait(mine.record(EventKind::untimed));
            add_there({.block = {128}, .threads = {count}, .stream = his}, theirs, theirs, 1000, n);
            his.synchronize();
            check_counting_from(round + 1100, downloaded<std::int32_t>(theirs));
        }
    }
}

TEST_CASE("what a device sees of another's memory keeps that memory") {
    for (const auto& [one, other] : pairs()) {
        CAPTURE(one.id());
        const Context here(one);
        Buffer seen;
        {
            const Context there(other);
            here.reach(there);
            seen = tail_of(here.peer_view(uploaded(there, counting<std::int32_t>(count))));
            for (int k = 0; k < 4; ++k) there.allocate(count * sizeof(std::int32_t)).fill(std::int32_t{-1});
            there.synchronize();
        }
        check_counting_from(static_cast<std::int32_t>(odd), downloaded<std::int32_t>(seen));
    }
}

TEST_CASE("a process on one device writes memory that another process has on the other") {
    for (const auto& [one, other] : pairs()) {
        CAPTURE(one.id());
        CAPTURE(other.id());
        const Context there(other);
        const Buffer ours = uploaded(there, Ints(count, 0));
        const Stream stream = there.create_stream();
        common_kernel(there, "set_all_slowly")({.block = {128}, .threads = {count}, .stream = stream}, ours, 7, n,
                                               2000);
        const Event written = stream.record(EventKind::interprocess);
        const ChildResult child =
            run_child("add_in_memory_of_another_device", {{"GEMEL_DEVICE", one.id()},
                                                          {"GEMEL_TEST_MEMORY", hex_of(export_memory(tail_of(ours)))},
                                                          {"GEMEL_TEST_EVENT", hex_of(export_event(written))}});
        REQUIRE_MESSAGE(child.exit_code == 0, child.output);
        const Ints now = downloaded<std::int32_t>(ours);
        check_counting_from(7, Ints(now.begin(), now.begin() + odd));
        check_counting_from(static_cast<std::int32_t>(odd) + 12, Ints(now.begin() + odd, now.end()));
    }
}

TEST_SUITE_END();
