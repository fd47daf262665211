/// The store of bytes on disk: what goes in comes out, and damage, limits and a disk that refuses cost no more than
/// entries.
#include <gemel/core/disk_cache.hpp>
#include <gemel/core/environment.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <thread>

#include "scratch.hpp"

using namespace gemel;
using namespace gemel::testing;
namespace fs = std::filesystem;

namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
    std::vector<std::byte> out;
    for (const char c : text) {
        out.push_back(static_cast<std::byte>(c));
    }
    return out;
}

bool put(DiskCache& cache, std::string_view key, std::string_view value) { return cache.put(key, bytes_of(value)); }

std::optional<std::string> get(const DiskCache& cache, std::string_view key) {
    const auto value = cache.get(key);
    return value ? std::optional<std::string>(std::string(reinterpret_cast<const char*>(value->data()), value->size()))
                 : std::nullopt;
}

fs::path file_of(const DiskCache& cache, std::string_view key) {
    return cache.folder() / digest(key).substr(0, 2) / digest(key);
}

void set_age(const fs::path& file, std::chrono::seconds age) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - age);
}

std::size_t count_files(const fs::path& folder) {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
}

/// The store's files that are no entries.
std::size_t count_others(const DiskCache& cache) { return count_files(cache.folder()) - cache.entries().size(); }

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("the disk cache returns what was stored") {
    const ScratchFolder scratch;
    DiskCache cache(scratch / "deep" / "cache");
    const std::string key("line one\nline two\0with a zero", 29);
    const std::string value("\0\xff bytes\n", 9);
    CHECK(put(cache, key, value));
    CHECK(get(cache, key) == value);
    CHECK(put(cache, key, "another"));
    CHECK(get(cache, key) == "another");
    CHECK(put(cache, "", ""));
    CHECK(get(cache, "") == "");
    CHECK_FALSE(get(cache, "line one"));
    // A second object sees the same.
    CHECK(get(DiskCache(cache.folder()), key) == "another");

    const DiskCache::Counters counters = cache.counters();
    CHECK(counters.stored == 3);
    CHECK(counters.hits == 3);
    CHECK(counters.misses == 1);
    CHECK(counters.damaged == 0);
}

TEST_CASE("the disk cache lists and removes entries") {
    const ScratchFolder scratch;
    DiskCache cache(scratch.path());
    put(cache, "old\nrest of the key", "1");
    put(cache, "young", "22");
    set_age(file_of(cache, "old\nrest of the key"), std::chrono::hours(5));
    const auto entries = cache.entries();
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].label == "young");
    CHECK(entries[1].label == "old");
    CHECK(entries[0].bytes == fs::file_size(entries[0].file));
    CHECK(entries[0].last_use - entries[1].last_use > std::chrono::hours(4));

    CHECK(cache.remove("young"));
    CHECK_FALSE(cache.remove("young"));
    CHECK_FALSE(get(cache, "young"));
    CHECK(cache.clear() == 1);
    CHECK(cache.entries().empty());
    CHECK(count_files(scratch.path()) == 0);
}

TEST_CASE("a damaged byte anywhere in an entry makes a miss and the entry is removed") {
    const ScratchFolder scratch;
    DiskCache cache(scratch.path());
    put(cache, "key", "payload");
    const fs::path file = file_of(cache, "key");
    const std::string good = read_file(file);
    REQUIRE(good.size() > 60);
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const int change : {0x01, 0x80, 0xff}) {
            CAPTURE(i);
            CAPTURE(change);
            std::string bad = good;
            bad[i] = static_cast<char>(bad[i] ^ change);
            write_file(file, bad);
            CHECK_FALSE(get(cache, "key"));
            CHECK_FALSE(fs::exists(file));
        }
    }
    CHECK(cache.counters().damaged == 3 * good.size());
    write_file(file, good);
    CHECK(get(cache, "key") == "payload");
}

TEST_CASE("an entry of any wrong length is a miss") {
    const ScratchFolder scratch;
    DiskCache cache(scratch.path());
    put(cache, "key", "payload");
    const fs::path file = file_of(cache, "key");
    const std::string good = read_file(file);
    for (std::size_t length = 0; length < good.size(); ++length) {
        CAPTURE(length);
        write_file(file, good.substr(0, length));
        CHECK(cache.entries().empty());
        CHECK_FALSE(get(cache, "key"));
        CHECK_FALSE(fs::exists(file));
    }
    write_file(file, good + "x");
    CHECK_FALSE(get(cache, "key"));
    CHECK(cache.counters().damaged == good.size() + 1);
}

TEST_CASE("an entry under the name of another key is a miss") {
    const ScratchFolder scratch;
    DiskCache cache(scratch.path());
    put(cache, "key", "payload");
    fs::create_directories(file_of(cache, "other").parent_path());
    fs::copy_file(file_of(cache, "key"), file_of(cache, "other"));
    CHECK(cache.entries().size() == 1);
    CHECK_FALSE(get(cache, "other"));
    CHECK(get(cache, "key") == "payload");
}

TEST_CASE("a pipe or a folder under the name of an entry is a miss") {
    const ScratchFolder scratch;
    DiskCache cache(scratch.path());
    fs::create_directories(file_of(cache, "pipe").parent_path());
    REQUIRE(::mkfifo(file_of(cache, "pipe").c_str(), 0600) == 0);
    CHECK_FALSE(get(cache, "pipe"));
    fs::create_directories(file_of(cache, "folder"));
    CHECK_FALSE(get(cache, "folder"));
}

TEST_CASE("the disk cache makes folders for this user only") {
    const ScratchFolder scratch;
    DiskCache cache(scratch / "a" / "b");
    CHECK_FALSE(fs::exists(scratch / "a"));
    put(cache, "key", "value");
    for (const fs::path& folder : {scratch / "a", scratch / "a" / "b", file_of(cache, "key").parent_path()}) {
        CHECK((fs::status(folder).permissions() & fs::perms::all) == fs::perms::owner_all);
    }
}

TEST_CASE("a folder that cannot be written costs entries and one warning") {
    const ScratchFolder scratch;
    write_file(scratch / "file", "in the way");
    DiskCache cache(scratch / "file" / "cache");
    int warnings = 0;
    logging::set_sink([&](logging::Level level, std::string_view subsystem, std::string_view message) {
        warnings += level == logging::Level::warn && subsystem == "cache" ? 1 : 0;
        CHECK(message.find((scratch / "file").string()) != std::string_view::npos);
    });
    CHECK_FALSE(put(cache, "a", "1"));
    CHECK_FALSE(put(cache, "b", "2"));
    logging::set_sink({});
    CHECK(warnings == 1);
    CHECK_FALSE(get(cache, "a"));
    CHECK(cache.entries().empty());
    CHECK(cache.clear() == 0);
    CHECK(cache.counters().stored == 0);
}

TEST_CASE("a full disk costs the entry and leaves the earlier one") {
    const ScratchFolder scratch;
    DiskCache cache(scratch.path());
    put(cache, "key", "before");
    // A limit on the size of files stops a write in the middle, as a full disk does.
    const pid_t child = in_child([&] {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1000, 1000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        logging::set_levels("off");
        return put(cache, "key", std::string(5000, 'x')) ? 1 : 0;
    });
    CHECK(status_of(child) == 0);
    CHECK(count_files(scratch.path()) == 1);
    CHECK(get(cache, "key") == "before");
}

TEST_CASE("the entries that were used longest ago go first") {
    const ScratchFolder scratch;
    // Twelve entries of about a thousand bytes, stored without a limit.
    {
        DiskCache unlimited(scratch.path());
        for (int i = 0; i < 12; ++i) {
            put(unlimited, text("key ", i), std::string(1000, 'x'));
            set_age(file_of(unlimited, text("key ", i)), std::chrono::hours(100 - i));
        }
    }
    DiskCache cache(scratch.path(), 6 * 1100);
    CHECK(get(cache, "key 3"));  // Young from here on.
    CHECK(put(cache, "key 12", std::string(1000, 'x')));
    const auto has = [&](int i) { return fs::exists(file_of(cache, text("key ", i))); };
    CHECK(has(12));
    CHECK(has(3));
    CHECK(has(11));
    CHECK(has(10));
    for (const int gone : {0, 1, 2, 4, 5, 6, 7}) {
        CAPTURE(gone);
        CHECK_FALSE(has(gone));
    }
    std::size_t total = 0;
    for (const auto& entry : cache.entries()) {
        total += entry.bytes;
    }
    CHECK(total <= cache.limit_bytes());
    CHECK(cache.counters().evicted == 13 - cache.entries().size());
}

TEST_CASE("the limit holds while entries are added") {
    const ScratchFolder scratch;
    DiskCache cache(scratch.path(), 20000);
    for (int i = 0; i < 100; ++i) {
        CHECK(put(cache, text("key ", i), std::string(1000, 'x')));
        std::size_t total = 0;
        for (const auto& entry : cache.entries()) {
            total += entry.bytes;
        }
        CHECK(total <= 20000);
        CHECK(fs::exists(file_of(cache, text("key ", i))));
    }
    CHECK(cache.entries().size() > 10);
}

TEST_CASE("a value that alone exceeds the limit is not stored") {
    const ScratchFolder scratch;
    DiskCache cache(scratch.path(), 2000);
    CHECK(put(cache, "small", std::string(100, 'x')));
    CHECK_FALSE(put(cache, "large", std::string(2000, 'x')));
    CHECK(get(cache, "small"));
    // Nearly as large as the limit: it stays, whatever else goes.
    CHECK(put(cache, "fits", std::string(1900, 'x')));
    CHECK(get(cache, "fits"));
    CHECK_FALSE(get(cache, "small"));
}

TEST_CASE("a hit makes an entry young but not more than once a minute") {
    const ScratchFolder scratch;
    DiskCache cache(scratch.path());
    put(cache, "key", "value");
    const fs::path file = file_of(cache, "key");
    set_age(file, std::chrono::seconds(20));
    const auto before = fs::last_write_time(file);
    CHECK(get(cache, "key"));
    CHECK(fs::last_write_time(file) == before);
    set_age(file, std::chrono::hours(2));
    CHECK(get(cache, "key"));
    CHECK(fs::last_write_time(file) > before);
}

TEST_CASE("a read-only disk cache reads and changes nothing") {
    const ScratchFolder scratch;
    DiskCache writer(scratch.path());
    put(writer, "key", "value");
    put(writer, "bad", "value");
    set_age(file_of(writer, "key"), std::chrono::hours(2));
    const std::string damaged = read_file(file_of(writer, "bad")) + "x";
    write_file(file_of(writer, "bad"), damaged);
    const auto before = fs::last_write_time(file_of(writer, "key"));

    DiskCache cache(scratch.path(), DiskCache::default_limit_bytes, DiskCache::Mode::readonly);
    CHECK(get(cache, "key") == "value");
    CHECK_FALSE(get(cache, "bad"));
    CHECK(cache.counters().damaged == 1);
    CHECK_FALSE(put(cache, "new", "value"));
    CHECK_FALSE(cache.remove("key"));
    CHECK(cache.clear() == 0);
    CHECK(fs::last_write_time(file_of(writer, "key")) == before);
    CHECK(read_file(file_of(writer, "bad")) == damaged);
    CHECK(count_files(scratch.path()) == 2);

    DiskCache nowhere(scratch / "missing", DiskCache::default_limit_bytes, DiskCache::Mode::readonly);
    CHECK_FALSE(get(nowhere, "key"));
    CHECK_FALSE(fs::exists(scratch / "missing"));
}

TEST_CASE("a disk cache that is off has nothing and keeps nothing") {
    const ScratchFolder scratch;
    DiskCache writer(scratch.path());
    put(writer, "key", "value");
    DiskCache cache(scratch.path(), DiskCache::default_limit_bytes, DiskCache::Mode::off);
    CHECK_FALSE(get(cache, "key"));
    CHECK_FALSE(put(cache, "new", "value"));
    CHECK(cache.entries().empty());
    CHECK(cache.counters().misses == 1);
    CHECK(count_files(scratch.path()) == 1);
}

TEST_CASE("files that killed writers left are removed after an hour and never taken for entries") {
    const ScratchFolder scratch;
    DiskCache cache(scratch.path());
    put(cache, "key", "value");
    // The default action of this signal kills the child in the middle of its write.
    const pid_t child = in_child([&] {
        const rlimit none{0, 0};
        ::setrlimit(RLIMIT_CORE, &none);
        const rlimit limit{1000, 1000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        put(cache, "key", std::string(5000, 'x'));
        return 0;
    });
    const int status = status_of(child);
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGXFSZ);
    CHECK(count_others(cache) == 1);
    CHECK(cache.entries().size() == 1);
    CHECK(get(cache, "key") == "value");

    CHECK(cache.clear() == 1);
    CHECK(count_files(scratch.path()) == 1);  // Its writer might be alive for all that is known.
    for (const auto& entry : fs::recursive_directory_iterator(scratch.path())) {
        if (entry.is_regular_file()) {
            set_age(entry.path(), std::chrono::hours(2));
        }
    }
    SUBCASE("by clear()") { CHECK(cache.clear() == 0); }
    SUBCASE("by the first put() of another process") {
        DiskCache later(scratch.path());
        CHECK(put(later, "another", "value"));
        CHECK(count_others(later) == 0);
        CHECK(later.clear() == 1);
    }
    CHECK(count_files(scratch.path()) == 0);
}

TEST_CASE("many threads may share a disk cache") {
    const ScratchFolder scratch;
    DiskCache cache(scratch.path(), 40000);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 100; ++i) {
                const std::string key = text("key ", (i + t) % 10);
                put(cache, key,
                    std::string(1000 + 300 * static_cast<std::size_t>(t), static_cast<char>('0' + (i + t) % 10)));
                const auto value = get(cache, key);
                if (value && (value->empty() || *value != std::string(value->size(), key.back()))) {
                    ++wrong;
                }
                if (i % 25 == 0) {
                    cache.entries();
                    cache.remove(key);
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(wrong == 0);
    CHECK(cache.counters().damaged == 0);
    CHECK(cache.counters().stored == 800);
    CHECK(cache.entries().size() <= 10);
    CHECK(count_others(cache) == 0);
}

TEST_CASE("processes killed while they write leave only whole entries") {
    const ScratchFolder scratch;
    DiskCache cache(scratch.path());
    // Every value says which key it belongs to and repeats one letter, so that a mixture of two shows.
    const auto key = [](int k) { return text("key ", k); };
    const auto value = [&](int k, int letter) {
        return key(k) + std::string(100000 + 1000 * static_cast<std::size_t>(letter), static_cast<char>('a' + letter));
    };
    const auto is_whole = [&](int k, const std::string& found) {
        return found.starts_with(key(k)) && found == value(k, found.back() - 'a');
    };
    std::size_t seen = 0;
    for (int round = 0; round < 15; ++round) {
        std::vector<pid_t> children;
        for (int c = 0; c < 4; ++c) {
            children.push_back(in_child([&]() -> int {
                for (int i = 0;; ++i) {
                    // Keys 0 to 3 belong to all, the others to one each.
                    const int k = i % 2 == 0 ? i / 2 % 4 : 4 + c;
                    put(cache, key(k), value(k, (i + c) % 20));
                }
            }));
        }
        while (cache.entries().empty()) {
            ::usleep(1000);
        }
        ::usleep(static_cast<useconds_t>(5000 + 3000 * round));
        for (const pid_t child : children) {
            ::kill(child, SIGKILL);
        }
        for (const pid_t child : children) {
            CHECK(WIFSIGNALED(status_of(child)));
        }
        const DiskCache reader(scratch.path());
        for (int k = 0; k < 8; ++k) {
            if (const auto found = get(reader, key(k))) {
                ++seen;
                CHECK(is_whole(k, *found));
            }
        }
        CHECK(reader.counters().damaged == 0);
        CHECK(reader.entries().size() <= 8);
    }
    CHECK(seen > 0);
    CHECK(cache.clear() > 0);
    CHECK(cache.entries().empty());
}

TEST_CASE("the cache of kernels follows the environment") {
    const ScratchFolder scratch;
    const ScopedVariable debug("GEMEL_DEBUG", std::nullopt);
    const ScopedVariable cache("GEMEL_CACHE", std::nullopt);
    const ScopedVariable folder("GEMEL_CACHE_DIR", std::nullopt);
    const ScopedVariable xdg("XDG_CACHE_HOME", std::nullopt);
    const ScopedVariable home("HOME", scratch.path().string());
    using Mode = DiskCache::Mode;
    CHECK(DiskCache::kernels().mode() == Mode::on);
    CHECK(DiskCache::kernels().folder() == scratch / ".cache" / "gemel");
    CHECK(DiskCache::kernels().limit_bytes() == DiskCache::default_limit_bytes);
    CHECK_FALSE(fs::exists(scratch / ".cache"));
    {
        const ScopedVariable other("XDG_CACHE_HOME", (scratch / "xdg").string());
        CHECK(DiskCache::kernels().folder() == scratch / "xdg" / "gemel");
        const ScopedVariable own("GEMEL_CACHE_DIR", (scratch / "own").string());
        CHECK(DiskCache::kernels().folder() == scratch / "own");
    }
    {
        const ScopedVariable relative("XDG_CACHE_HOME", "relative");
        CHECK(DiskCache::default_folder() == scratch / ".cache" / "gemel");
        const ScopedVariable own("GEMEL_CACHE_DIR", "relative");
        CHECK(DiskCache::default_folder() == fs::current_path() / "relative");
    }
    {
        const ScopedVariable wish("GEMEL_CACHE", "readonly");
        CHECK(DiskCache::kernels().mode() == Mode::readonly);
    }
    {
        const ScopedVariable wish("GEMEL_CACHE", "off");
        CHECK(DiskCache::kernels().mode() == Mode::off);
    }
    {
        const ScopedVariable wish("GEMEL_CACHE", "sometimes");
        CHECK_THROWS_AS(DiskCache::kernels(), ArgumentError);
    }
    {
        const ScopedVariable wish("GEMEL_DEBUG", "1");
        CHECK(DiskCache::kernels().mode() == Mode::off);
    }
    for (const auto& nowhere :
         {std::optional<std::string>(), std::optional<std::string>((scratch / "gone").string())}) {
        const ScopedVariable homeless("HOME", nowhere);
        CHECK_FALSE(DiskCache::default_folder());
        DiskCache off = DiskCache::kernels();
        CHECK(off.mode() == Mode::off);
        CHECK_FALSE(put(off, "key", "value"));
    }
}

TEST_SUITE_END();
