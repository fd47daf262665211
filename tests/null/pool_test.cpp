/// The pool's size classes and bins, and the order of uses on different streams, with streams that only take notes.
#include "device/pool.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace gemel;

namespace {

/// Notes who waits for whom. Used by several threads.
struct Diary {
    std::mutex mutex;
    std::vector<std::string> lines;

    void note(std::string line) {
        const std::lock_guard lock(mutex);
        lines.push_back(std::move(line));
    }
    std::vector<std::string> take() {
        const std::lock_guard lock(mutex);
        std::sort(lines.begin(), lines.end());
        return std::exchange(lines, {});
    }
};

struct FakeEvent final : plugin::Event {
    explicit FakeEvent(std::string stream) : stream_name(std::move(stream)) {}
    void wait() override {}
    bool done() override { return true; }
    double milliseconds_since(const Event&) const override { return 0; }
    std::uint64_t native() const override { return 0; }
    std::string stream_name;
};

struct FakeStream final : plugin::Stream {
    FakeStream(std::string name, Diary& diary) : name_(std::move(name)), diary_(diary) {}
    ~FakeStream() override { diary_.note(name_ + " destroyed"); }

    void upload(const plugin::Place&, const void*, std::size_t, bool) override {}
    void download(void*, const plugin::Place&, std::size_t, bool) override {}
    void copy(const plugin::Place&, const plugin::Place&, std::size_t, plugin::Context&, bool) override {}
    void copy_rectangle(const plugin::RectSide&, const plugin::RectSide&, std::array<std::size_t, 3>, bool) override {}
    bool fill(const plugin::Place&, const void*, std::size_t, std::size_t) override { return false; }
    void copy_image(const plugin::ImageRegion&, const plugin::Place&, bool) override {}
    void copy_images(const plugin::ImageRegion&, const plugin::ImageRegion&) override {}
    void* map(const plugin::Place&, std::size_t) override { return nullptr; }
    void unmap(const plugin::Memory&, void*) override {}
    std::unique_ptr<plugin::Event> record(bool) override { return std::make_unique<FakeEvent>(name_); }
    void wait(plugin::Event& event) override {
        diary_.note(name_ + " after " + dynamic_cast<FakeEvent&>(event).stream_name);
    }
    void synchronize() override { diary_.note("host after " + name_); }
    bool idle() override { return true; }
    void flush() override {}
    void call_host(void (*)(void*), void*) override {}
    std::uint64_t native() override { return 0; }

   private:
    std::string name_;
    Diary& diary_;
};

std::shared_ptr<StreamCore> fake_stream(const std::string& name, Diary& diary) {
    auto core = std::make_shared<StreamCore>();
    core->stream = std::make_unique<FakeStream>(name, diary);
    return core;
}

using Lines = std::vector<std::string>;

std::unique_ptr<Allocation> block_of(std::size_t bytes) {
    auto allocation = std::make_unique<Allocation>();
    allocation->size_class = size_class_of(bytes);
    allocation->memory.bytes = size_of_class(allocation->size_class);
    return allocation;
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a size class holds what was asked and wastes at most a sixteenth") {
    std::vector<std::size_t> sizes;
    for (std::size_t n = 1; n <= 5000; ++n) sizes.push_back(n);
    for (int exponent = 12; exponent <= 40; ++exponent)
        for (int offset = -5; offset <= 5; ++offset)
            sizes.push_back((std::size_t{1} << exponent) +
                            static_cast<std::size_t>(static_cast<std::ptrdiff_t>(offset)));
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> exponent(0, 40);
    for (int k = 0; k < 100000; ++k) sizes.push_back(static_cast<std::size_t>(std::exp2(exponent(random))));
    int wrong = 0;
    for (const std::size_t n : sizes) {
        const int size_class = size_class_of(n);
        const std::size_t block = size_of_class(size_class);
        wrong += block < n || static_cast<double>(block - n) > 0.0625 * static_cast<double>(n);
        wrong += size_class_of(block) != size_class;                    // a block fits its own class
        wrong += size_class > 0 && size_of_class(size_class - 1) >= n;  // and no smaller one would do
        wrong += size_class_of(block + 1) != size_class + 1;
    }
    CHECK(wrong == 0);
    CHECK(size_of_class(size_class_of(1)) == 1);
    CHECK(size_of_class(size_class_of(std::size_t{1} << 32)) == std::size_t{1} << 32);
}

TEST_CASE("uses on one stream never wait") {
    Diary diary;
    const auto a = fake_stream("a", diary);
    StreamUses uses;
    CHECK_FALSE(uses.any());
    for (const bool writes : {false, true, true, false, false, true}) uses.touch(a, writes);
    CHECK(uses.any());
    CHECK(diary.take().empty());
    uses.wait();
    CHECK(diary.take() == Lines{"host after a"});
    uses.forget();
    CHECK_FALSE(uses.any());
    uses.wait();
    CHECK(diary.take().empty());
}

TEST_CASE("memory remembers each stream once however often it is used") {
    Diary diary;
    const auto a = fake_stream("a", diary), b = fake_stream("b", diary), c = fake_stream("c", diary);
    StreamUses uses;
    for (int k = 0; k < 1000; ++k) uses.touch(a, true);
    CHECK(uses.record().size() == 1);
    for (int k = 0; k < 1000; ++k)
        for (const auto& reader : {b, c, a}) uses.touch(reader, false);
    CHECK(uses.record().size() == 3);  // three readers, of which one is the writer
    uses.wait();
    CHECK(diary.take() == Lines{"b after a", "c after a", "host after a", "host after b", "host after c"});
    uses.touch(b, true);
    CHECK(uses.record().size() == 1);
    CHECK(diary.take() == Lines{"b after a", "b after c"});
}

TEST_CASE("readers wait for the writer and a writer waits for all before it") {
    Diary diary;
    const auto a = fake_stream("a", diary), b = fake_stream("b", diary), c = fake_stream("c", diary);
    StreamUses uses;
    uses.touch(a, true);
    uses.touch(b, false);
    CHECK(diary.take() == Lines{"b after a"});
    uses.touch(b, false);
    CHECK(diary.take().empty());
    uses.touch(c, false);  // readers do not wait for each other
    CHECK(diary.take() == Lines{"c after a"});
    uses.touch(a, false);
    CHECK(diary.take().empty());
    uses.touch(b, true);
    CHECK(diary.take() == Lines{"b after a", "b after c"});  // a has written and has read since
    uses.touch(b, false);
    uses.touch(b, true);
    CHECK(diary.take().empty());
    uses.touch(a, true);
    CHECK(diary.take() == Lines{"a after b"});
}

TEST_CASE("a reader alone is waited for by the next writer") {
    Diary diary;
    const auto a = fake_stream("a", diary), b = fake_stream("b", diary);
    StreamUses uses;
    uses.touch(a, false);
    uses.touch(b, false);
    CHECK(diary.take().empty());
    uses.touch(a, true);
    CHECK(diary.take() == Lines{"a after b"});
}

TEST_CASE("a stream lives as long as memory remembers it") {
    Diary diary;
    auto uses = std::make_unique<StreamUses>();
    auto a = fake_stream("a", diary);
    uses->touch(a, true);
    a.reset();
    CHECK(diary.take().empty());
    const auto b = fake_stream("b", diary);
    uses->touch(b, true);
    CHECK(diary.take() == Lines{"a destroyed", "b after a"});
}

TEST_CASE("bins give back blocks of their class and the figures add up") {
    Pool pool(true);
    CHECK(pool.take(size_class_of(100)) == nullptr);
    auto first = block_of(1000), second = block_of(1000), third = block_of(70000);
    const std::size_t small = first->memory.bytes, large = third->memory.bytes;
    for (const auto* block : {first.get(), second.get(), third.get()}) pool.count_new(block->memory.bytes);
    CHECK(pool.statistics().active_bytes == 2 * small + large);
    const Allocation* const known = second.get();
    pool.give_back(std::move(first));
    pool.give_back(std::move(second));
    pool.give_back(std::move(third));
    CHECK(pool.statistics().active_blocks == 0);
    CHECK(pool.statistics().held_bytes == 2 * small + large);
    CHECK(pool.take(size_class_of(20000)) == nullptr);
    auto again = pool.take(size_class_of(999));
    CHECK(again.get() == known);  // the last that came back: its memory is warm
    CHECK(pool.statistics().active_blocks == 1);
    CHECK(pool.statistics().held_blocks == 2);
    pool.count_gone(again->memory.bytes);
    CHECK(pool.drain().size() == 2);
    const PoolStatistics end = pool.statistics();
    CHECK(end.active_blocks + end.held_blocks == 0);
    CHECK(end.active_bytes + end.held_bytes == 0);
    CHECK(end.peak_bytes == 2 * small + large);
}

TEST_CASE("a limit admits exactly what fits") {
    Pool pool(true);
    CHECK(pool.admits(~std::size_t{0}));
    pool.set_limit(1000);
    CHECK(pool.admits(1000));
    CHECK_FALSE(pool.admits(1001));
    CHECK_FALSE(pool.admits(~std::size_t{0}));
    pool.count_new(600);
    CHECK(pool.admits(400));
    CHECK_FALSE(pool.admits(401));
    pool.set_limit(100);  // below what is out already
    CHECK_FALSE(pool.admits(1));
}

TEST_CASE("threads share bins and histories") {
    Diary diary;
    Pool pool(true);
    constexpr int threads = 4, rounds = 2000;
    std::atomic<int> made{0};
    StreamUses shared;
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t) {
        workers.emplace_back([&, t] {
            const auto stream = fake_stream(std::to_string(t), diary);
            for (int k = 0; k < rounds; ++k) {
                const int size_class = size_class_of(static_cast<std::size_t>(100 + k % 7 * 100));
                auto block = pool.take(size_class);
                if (!block) {
                    block = block_of(size_of_class(size_class));
                    pool.count_new(block->memory.bytes);
                    ++made;
                }
                block->uses.touch(stream, true);
                shared.touch(stream, k % 3 == 0);
                pool.give_back(std::move(block));
            }
        });
    }
    for (auto& worker : workers) worker.join();
    CHECK(pool.statistics().active_blocks == 0);
    CHECK(pool.statistics().held_blocks == static_cast<std::size_t>(made));
    CHECK(made <= 7 * threads);
    shared.wait();
}

TEST_SUITE_END();
