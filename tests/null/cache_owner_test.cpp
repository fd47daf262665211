/// Who owns what the cache loads: nothing of another user's is read, and folders are this user's alone.
#include <gemel/core/disk_cache.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstring>

#include "compile/private_folder.hpp"
#include "scratch.hpp"

using namespace gemel;
using namespace gemel::testing;
namespace fs = std::filesystem;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

bool holds(const DiskCache& cache, std::string_view key) { return cache.get(key).has_value(); }

fs::path file_of(const DiskCache& cache, std::string_view key) {
    return cache.folder() / digest(key).substr(0, 2) / digest(key);
}

/// Warnings of the cache meanwhile.
struct Warnings {
    std::vector<std::string> lines;
    Warnings() {
        logging::set_sink([this](logging::Level level, std::string_view, std::string_view message) {
            if (level == logging::Level::warn) lines.emplace_back(message);
        });
    }
    ~Warnings() { logging::set_sink({}); }
};

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a cache folder that others may write to is not used and one warning says so") {
    for (const mode_t mode : {0770, 0707, 0777, 01777}) {
        CAPTURE(mode);
        const ScratchFolder scratch;
        const fs::path folder = scratch / "cache";
        REQUIRE(DiskCache(folder).put("key", bytes_of("value")));
        REQUIRE(::chmod(folder.c_str(), mode) == 0);
        const Warnings warnings;
        DiskCache cache(folder);
        CHECK_FALSE(holds(cache, "key"));
        CHECK_FALSE(holds(cache, "key"));
        CHECK_FALSE(cache.put("other", bytes_of("value")));
        CHECK_FALSE(fs::exists(file_of(cache, "other")));
        CHECK(cache.entries().empty());
        REQUIRE(warnings.lines.size() == 1);
        CHECK(warnings.lines[0].find(folder.string()) != std::string::npos);
        CHECK(warnings.lines[0].find("chmod go-w") != std::string::npos);
        CHECK(cache.counters().misses == 2);
        // What it held is there again when the folder is put right.
        REQUIRE(::chmod(folder.c_str(), 0755) == 0);
        CHECK(holds(DiskCache(folder), "key"));
    }
}

TEST_CASE("an entry that others may write to is a miss and is removed") {
    const ScratchFolder scratch;
    DiskCache cache(scratch / "cache");
    for (const mode_t mode : {0660, 0606, 0666}) {
        CAPTURE(mode);
        REQUIRE(cache.put("key", bytes_of("value")));
        REQUIRE(::chmod(file_of(cache, "key").c_str(), mode) == 0);
        CHECK_FALSE(holds(cache, "key"));
        CHECK_FALSE(fs::exists(file_of(cache, "key")));
    }
    REQUIRE(cache.put("key", bytes_of("value")));
    REQUIRE(::chmod(file_of(cache, "key").c_str(), 0644) == 0);
    CHECK(holds(cache, "key"));
}

TEST_CASE("an entry that is a link is a miss and what it points to stays") {
    const ScratchFolder scratch;
    DiskCache cache(scratch / "cache");
    REQUIRE(cache.put("key", bytes_of("value")));
    fs::rename(file_of(cache, "key"), scratch / "elsewhere");
    fs::create_symlink(scratch / "elsewhere", file_of(cache, "key"));
    CHECK_FALSE(holds(cache, "key"));
    CHECK(fs::exists(scratch / "elsewhere"));
    CHECK(cache.put("key", bytes_of("new")));
    CHECK(holds(cache, "key"));
    CHECK_FALSE(fs::is_symlink(file_of(cache, "key")));
}

TEST_CASE("another user's folder and entries are not read") {
    if (::geteuid() != 0) {
        MESSAGE("SKIPPED: only root can make another user's folder");
        return;
    }
    constexpr uid_t nobody = 65534;
    const ScratchFolder scratch;
    DiskCache cache(scratch / "cache");
    REQUIRE(cache.put("key", bytes_of("value")));
    REQUIRE(::chown(file_of(cache, "key").c_str(), nobody, nobody) == 0);
    CHECK_FALSE(holds(cache, "key"));

    REQUIRE(cache.put("key", bytes_of("value")));
    REQUIRE(::chown(cache.folder().c_str(), nobody, nobody) == 0);
    const Warnings warnings;
    DiskCache again(cache.folder());
    CHECK_FALSE(holds(again, "key"));
    REQUIRE(warnings.lines.size() == 1);
    CHECK(warnings.lines[0].find("65534") != std::string::npos);

    // Root's own is another's for everybody else, and yet trusted: what root wants to happen happens.
    REQUIRE(::chown(cache.folder().c_str(), 0, 0) == 0);
    for (const fs::path& folder : {scratch.path(), cache.folder(), file_of(cache, "key").parent_path()})
        REQUIRE(::chmod(folder.c_str(), 0755) == 0);
    REQUIRE(::chmod(file_of(cache, "key").c_str(), 0644) == 0);
    const pid_t child = in_child([&] {
        if (::setgid(nobody) != 0 || ::setuid(nobody) != 0) return 2;
        return holds(DiskCache(cache.folder(), DiskCache::default_limit_bytes, DiskCache::Mode::readonly), "key") ? 0
                                                                                                                  : 1;
    });
    CHECK(status_of(child) == 0);
}

TEST_CASE("an entry of terabytes is a miss and is removed") {
    const ScratchFolder scratch;
    DiskCache cache(scratch / "cache");
    const auto spoil = [&](std::uint64_t key_bytes, std::uint64_t payload_bytes) {
        REQUIRE(cache.put("key", bytes_of("value")));
        std::string head = read_file(file_of(cache, "key"));
        std::memcpy(head.data() + 8, &key_bytes, 8);
        std::memcpy(head.data() + 16, &payload_bytes, 8);
        write_file(file_of(cache, "key"), head);
        fs::resize_file(file_of(cache, "key"), 64 + key_bytes + payload_bytes);
        CHECK(cache.entries().empty());
        CHECK_FALSE(holds(cache, "key"));
        CHECK_FALSE(fs::exists(file_of(cache, "key")));
    };
    spoil(3, std::uint64_t{1} << 42);
    spoil(std::uint64_t{1} << 42, 5);
    CHECK(cache.counters().damaged == 2);
}

TEST_CASE("a file is written beside and never through a link") {
    const ScratchFolder scratch;
    write_file(scratch / "victim", "precious");
    fs::create_symlink(scratch / "victim", scratch / "name");
    CHECK(write_private_file(scratch / "name", "text"));
    CHECK(read_file(scratch / "victim") == "precious");
    CHECK(read_file(scratch / "name") == "text");
    struct stat status {};
    REQUIRE(::lstat((scratch / "name").c_str(), &status) == 0);
    CHECK(S_ISREG(status.st_mode));
    CHECK((status.st_mode & 0777) == 0600);
    CHECK_FALSE(write_private_file(scratch / "victim" / "name", "text"));
}

TEST_CASE("a process has a folder that nobody can foresee and that goes with it") {
    const ScratchFolder scratch;
    write_file(scratch / "names", "");
    const auto one = [&] {
        const pid_t child = ::fork();
        if (child == 0) {
            ::setenv("TMPDIR", scratch.path().c_str(), 1);
            const fs::path folder = process_folder("include");
            write_file(folder / "deep" / "file", "text");
            struct stat status {};
            const bool is_private = ::lstat(folder.c_str(), &status) == 0 && (status.st_mode & 0777) == 0700;
            write_file(scratch / "name", folder.string());
            // A child of the child leaves it alone.
            if (const pid_t grandchild = ::fork(); grandchild == 0) std::exit(0);
            ::wait(nullptr);
            std::exit(is_private && fs::exists(folder / "deep" / "file") ? 0 : 1);
        }
        CHECK(status_of(child) == 0);
        return fs::path(read_file(scratch / "name"));
    };
    const fs::path first = one(), second = one();
    CHECK(first != second);
    CHECK(first.string().starts_with(scratch.path().string()));
    CHECK_FALSE(fs::exists(first.parent_path()));
    CHECK_FALSE(fs::exists(second.parent_path()));
}

TEST_SUITE_END();
