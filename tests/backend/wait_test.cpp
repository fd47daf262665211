/// Events that the host completes, waits for several events and across contexts, kinds of events, priorities.
#include "support.hpp"

#include <atomic>
#include <chrono>
#include <thread>

using namespace gemel;
using namespace gemel::testing;

namespace {

using Ints = std::vector<std::int32_t>;

constexpr std::size_t count = 1000;
const Ints zeros(count, 0);

/// Enqueues, by the driver alone: the first launch of a kernel waits on PoCL until it has run.
void write_sevens(const Stream& stream, const Buffer& buffer) { stream.fill(buffer, std::int32_t{7}); }
const Ints sevens(count, 7);

UserEvent user_event(const Context& context) { return UserEvent(context); }

bool has_user_events(const Context& context) {
    try {
        (void)user_event(context);
        return true;
    } catch (const Error& error) {
        CHECK(mentions(error.what(), {"UserEvent"}));
        return false;
    }
}

}  // namespace

TEST_SUITE_BEGIN("wait");

TEST_CASE("a stream waits for an event that the host completes") {
    const Context context = current_context();
    if (!has_user_events(context)) return;
    const Buffer buffer = uploaded(context, zeros);
    const Stream stream = context.create_stream(), other = context.create_stream();
    const UserEvent event(context);
    stream.wait(event);
    write_sevens(stream, buffer);
    stream.flush();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_FALSE(stream.idle());
    CHECK_FALSE(event.done());
    CHECK(other.idle());
    event.complete();
    event.complete();
    CHECK(event.done());
    event.wait();
    stream.synchronize();
    CHECK(downloaded<std::int32_t>(buffer) == sevens);
    stream.wait(event);  // of the past
    stream.synchronize();
}

TEST_CASE("an event whose last handle dies lets go on what waits for it") {
    const Context context = current_context();
    if (!has_user_events(context)) return;
    const Stream stream = context.create_stream();
    {
        const UserEvent event(context);
        stream.wait(event);
    }
    stream.synchronize();
    // The next one does not inherit that it was completed.
    const UserEvent next(context);
    CHECK_FALSE(next.done());
}

TEST_CASE("a thread that waits for the host's event goes on when another completes it") {
    const Context context = current_context();
    if (!has_user_events(context)) return;
    const UserEvent event(context);
    std::atomic<bool> has_waited{false};
    std::thread waiter([&] {
        event.wait();
        has_waited = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK_FALSE(has_waited.load());
    event.complete();
    waiter.join();
    CHECK(has_waited);
    CHECK_THROWS_MENTIONING(ArgumentError, elapsed_milliseconds(event, event), "timed");
}

TEST_CASE("a stream waits for a stream of another context without blocking the host") {
    const Context first = current_context(), second(first.device());
    if (!has_user_events(first)) return;
    const Buffer here = uploaded(first, zeros), there = uploaded(second, zeros);
    const Stream from = first.create_stream(), to = second.create_stream();
    const UserEvent gate(first);
    from.wait(gate);
    write_sevens(from, here);
    const Event written = from.record();
    to.wait(written);  // the host would wait for ever
    write_sevens(to, there);
    to.flush();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_FALSE(to.idle());
    gate.complete();
    to.synchronize();
    CHECK(written.done());
    CHECK(downloaded<std::int32_t>(there) == sevens);
}

TEST_CASE("a stream of another context waits for an event that the host completes") {
    const Context first = current_context(), second(first.device());
    if (!has_user_events(first)) return;
    const Stream stream = second.create_stream();
    for (int round = 0; round < 20; ++round) {
        const UserEvent gate(first);
        stream.wait(gate);
        CHECK_FALSE(stream.record(EventKind::untimed).done());
        gate.complete();
        stream.synchronize();
    }
}

TEST_CASE("a stream waits for several events and so does the host") {
    const Context context = current_context();
    const Buffer a = uploaded(context, zeros), b = uploaded(context, zeros), c = uploaded(context, zeros);
    const Stream one = context.create_stream(), two = context.create_stream(), last = context.create_stream();
    write_sevens(one, a);
    write_sevens(two, b);
    const std::vector<Event> events{one.record(EventKind::untimed), two.record(EventKind::blocking), Event()};
    last.wait(events);
    write_sevens(last, c);
    wait_all(events);
    CHECK(events[0].done());
    CHECK(events[1].done());
    last.synchronize();
    CHECK(downloaded<std::int32_t>(c) == sevens);
    CHECK_THROWS_MENTIONING(ArgumentError, elapsed_milliseconds(events[0], events[1]), "timed");
}

TEST_CASE("waiting for an array takes as long as what was enqueued with it and no longer") {
    const Context context = current_context();
    if (!has_user_events(context)) return;
    const Buffer held = uploaded(context, zeros), free = uploaded(context, zeros);
    const Stream stream = context.create_stream(), other = context.create_stream();
    const UserEvent gate(context);
    stream.wait(gate);
    write_sevens(stream, held);
    stream.flush();
    write_sevens(other, free);
    free.wait();  // whatever the other stream waits for
    CHECK(other.idle());
    CHECK_FALSE(gate.done());
    std::atomic<bool> has_waited{false};
    std::thread waiting([&] {
        held.wait();
        has_waited = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK_FALSE(has_waited.load());
    gate.complete();
    waiting.join();
    CHECK(stream.idle());
    held.wait();  // of the past
    CHECK(downloaded<std::int32_t>(held) == sevens);
}

TEST_CASE("streams of any priority run commands and a scope can end with an empty stream") {
    const Context context = current_context();
    for (const StreamPriority priority : {StreamPriority::low, StreamPriority::normal, StreamPriority::high}) {
        const Buffer buffer = uploaded(context, zeros);
        const Stream stream = context.create_stream(priority);
        {
            const StreamScope scope(stream, StreamScope::AtEnd::synchronize);
            write_sevens(stream, buffer);
        }
        CHECK(stream.idle());
        CHECK(downloaded<std::int32_t>(buffer) == sevens);
    }
}

TEST_SUITE_END();
