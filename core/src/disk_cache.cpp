/// One file per entry, written beside and renamed, so that processes need no lock between them.
///
/// A file holds, in the byte order of the machine:
///   8 bytes   "gemelkv1": what it is, and the number of this format
///   8 bytes   length of the key
///   8 bytes   length of the payload
///   40 bytes  SHA-1 of the payload, as text
///   the key, the payload, and nothing after it
/// It is named after the digest of its key, in a folder named after the first two digits of that.
#include <gemel/core/disk_cache.hpp>
#include <gemel/core/environment.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <system_error>
#include <tuple>
#include <utility>

#include "private_folder.hpp"

namespace gemel {

namespace fs = std::filesystem;
using std::chrono::system_clock;

namespace {

constexpr std::string_view magic = "gemelkv1";
constexpr std::string_view temporary_prefix = ".writing-";
constexpr std::chrono::minutes refresh_interval{1};
constexpr std::chrono::hours temporary_lifetime{1};

/// A file descriptor that is closed at the end.
class File {
 public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    ~File() { close(); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    explicit operator bool() const { return descriptor_ >= 0; }
    int get() const { return descriptor_; }
    /// Some file systems report a full disk only here.
    bool close() {
        const int descriptor = std::exchange(descriptor_, -1);
        return descriptor < 0 || ::close(descriptor) == 0;
    }

    bool read(void* to, std::size_t bytes) const {
        auto* next = static_cast<char*>(to);
        while (bytes > 0) {
            const ssize_t count = ::read(descriptor_, next, bytes);
            if (count < 0 && errno == EINTR) {
                continue;
            }
            if (count <= 0) {
                return false;
            }
            next += count;
            bytes -= static_cast<std::size_t>(count);
        }
        return true;
    }

    bool write(const void* from, std::size_t bytes) const {
        const auto* next = static_cast<const char*>(from);
        while (bytes > 0) {
            const ssize_t count = ::write(descriptor_, next, bytes);
            if (count < 0 && errno == EINTR) {
                continue;
            }
            if (count <= 0) {
                return false;
            }
            next += count;
            bytes -= static_cast<std::size_t>(count);
        }
        return true;
    }

 private:
    int descriptor_;
};

system_clock::time_point time_of(const struct stat& status) {
    return system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(
        std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec)));
}

/// The part of a file before the payload.
struct Header {
    std::string key;
    std::uint64_t payload_bytes = 0;
    std::string checksum;

    static constexpr std::size_t fixed_bytes = 8 + 8 + 8 + 40;

    std::string bytes() const {
        const std::uint64_t key_bytes = key.size();
        std::string out(magic);
        out.append(reinterpret_cast<const char*>(&key_bytes), sizeof(key_bytes));
        out.append(reinterpret_cast<const char*>(&payload_bytes), sizeof(payload_bytes));
        return out + checksum + key;
    }

    /// Nothing unless the lengths add up to the file's.
    static std::optional<Header> read(const File& file, std::uint64_t file_bytes) {
        char fixed[fixed_bytes];
        if (file_bytes < fixed_bytes || !file.read(fixed, fixed_bytes) ||
            std::string_view(fixed, magic.size()) != magic) {
            return std::nullopt;
        }
        Header header;
        std::uint64_t key_bytes = 0;
        std::memcpy(&key_bytes, fixed + 8, 8);
        std::memcpy(&header.payload_bytes, fixed + 16, 8);
        header.checksum.assign(fixed + 24, 40);
        const std::uint64_t rest = file_bytes - fixed_bytes;
        if (key_bytes > rest || header.payload_bytes != rest - key_bytes) {
            return std::nullopt;
        }
        header.key.resize(key_bytes);
        return file.read(header.key.data(), key_bytes) ? std::optional<Header>(std::move(header)) : std::nullopt;
    }
};

bool all_hexadecimal(std::string_view name) {
    return std::all_of(name.begin(), name.end(),
                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Files of the store and what writers have left, by their names alone.
struct Scan {
    struct Found {
        fs::path file;
        std::uint64_t bytes;
        system_clock::time_point last_use;
    };
    std::vector<Found> entries;
    std::vector<fs::path> abandoned;  ///< temporary files that are too old to have a living writer
    std::uint64_t bytes = 0;

    explicit Scan(const fs::path& folder) {
        std::error_code ignored;
        for (fs::directory_iterator level(folder, ignored), end; level != end; level.increment(ignored)) {
            const std::string digits = level->path().filename().string();
            if (digits.size() == 2 && all_hexadecimal(digits)) {
                read_level(level->path(), digits);
            }
        }
    }

 private:
    void read_level(const fs::path& level, const std::string& digits) {
        std::error_code ignored;
        for (fs::directory_iterator it(level, ignored), end; it != end; it.increment(ignored)) {
            const std::string name = it->path().filename().string();
            struct stat status {};
            const bool entry = name.size() == 40 && all_hexadecimal(name) && name.starts_with(digits);
            if ((entry || name.starts_with(temporary_prefix)) && ::lstat(it->path().c_str(), &status) == 0 &&
                S_ISREG(status.st_mode)) {
                if (entry) {
                    entries.push_back({it->path(), static_cast<std::uint64_t>(status.st_size), time_of(status)});
                    bytes += entries.back().bytes;
                } else if (system_clock::now() - time_of(status) > temporary_lifetime) {
                    abandoned.push_back(it->path());
                }
            }
        }
    }
};

/// Creates a file that no other writer has, in any process on any machine that shares the folder.
std::pair<int, fs::path> create_temporary(const fs::path& folder) {
    thread_local std::random_device random;
    for (;;) {
        fs::path path = folder / text(temporary_prefix, ::getpid(), "-", random(), "-", random());
        const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (descriptor >= 0 || errno != EEXIST) {
            return {descriptor, std::move(path)};
        }
    }
}

}  // namespace

struct DiskCache::State {
    State(fs::path where, std::size_t limit, Mode how) : folder(std::move(where)), limit_bytes(limit), mode(how) {}

    const fs::path folder;
    const std::size_t limit_bytes;
    const Mode mode;

    std::atomic<std::uint64_t> hits{0}, misses{0}, damaged{0}, stored{0}, evicted{0};
    std::atomic<bool> complained{false};
    std::mutex eviction_mutex;
    /// What the store holds, by the last scan and what was put since; nothing before the first scan.
    std::optional<std::uint64_t> estimated_bytes;

    fs::path file_of(std::string_view key) const {
        const std::string name = digest(key);
        return folder / name.substr(0, 2) / name;
    }

    std::optional<std::vector<std::byte>> miss() {
        ++misses;
        return std::nullopt;
    }

    std::optional<std::vector<std::byte>> read(std::string_view key) {
        const fs::path path = file_of(key);
        // Not to be held up by a pipe that has the name of an entry.
        const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        struct stat status {};
        if (!file || ::fstat(file.get(), &status) != 0) {
            return miss();
        }
        if (S_ISREG(status.st_mode)) {
            const std::optional<Header> header = Header::read(file, static_cast<std::uint64_t>(status.st_size));
            if (header && header->key == key) {
                std::vector<std::byte> value(header->payload_bytes);
                if (file.read(value.data(), value.size()) &&
                    digest({reinterpret_cast<const char*>(value.data()), value.size()}) == header->checksum) {
                    ++hits;
                    refresh(file, status);
                    return value;
                }
            }
        }
        ++damaged;
        log::write(log::Level::debug, "cache", text("damaged entry ", path.string()));
        if (mode == Mode::on) {
            ::unlink(path.c_str());
        }
        return miss();
    }

    void refresh(const File& file, const struct stat& status) const {
        const auto age = system_clock::now() - time_of(status);
        if (mode == Mode::on && (age > refresh_interval || age < -refresh_interval)) {
            // Fails on a read-only file system and on another user's file, where there is nothing to evict either.
            ::futimens(file.get(), nullptr);
        }
    }

    /// Returns 0, or the errno that says why the disk does not take it.
    int write(std::span<const std::byte> value, const fs::path& path, const std::string& head) {
        const fs::path level = path.parent_path();
        auto [descriptor, temporary] = create_temporary(level);
        // Another process may remove the folder at any moment; then it is made again.
        for (int attempt = 0; descriptor < 0 && errno == ENOENT && attempt < 3; ++attempt) {
            if (!make_private_folder(level)) {
                return errno;
            }
            std::tie(descriptor, temporary) = create_temporary(level);
        }
        if (descriptor < 0) {
            return errno;
        }
        File file(descriptor);
        if (file.write(head.data(), head.size()) && file.write(value.data(), value.size()) && file.close() &&
            ::rename(temporary.c_str(), path.c_str()) == 0) {
            return 0;
        }
        const int failure = errno;
        ::unlink(temporary.c_str());
        return failure;
    }

    void complain(const fs::path& where, int failure) {
        if (!complained.exchange(true)) {
            log::write(log::Level::warn, "cache",
                       text("cannot write to ", where.string(), ": ", std::generic_category().message(failure),
                            ". What cannot be kept is made again next time; GEMEL_CACHE_DIR chooses another folder, "
                            "GEMEL_CACHE=off silences this."));
        }
    }

    /// Keeps the store below its limit after `file` has joined it.
    void account(const fs::path& file, std::uint64_t bytes) {
        const std::lock_guard lock(eviction_mutex);
        if (estimated_bytes && *estimated_bytes + bytes <= limit_bytes) {
            *estimated_bytes += bytes;
        } else {
            estimated_bytes = evict(file);
        }
    }

    /// Returns what is left.
    std::uint64_t evict(const fs::path& kept) {
        Scan scan(folder);
        remove_abandoned(scan);
        if (scan.bytes <= limit_bytes) {
            return scan.bytes;
        }
        // Below the limit by some, so that a full store is not read again at every put.
        const std::uint64_t goal = limit_bytes - limit_bytes / 16;
        std::sort(scan.entries.begin(), scan.entries.end(),
                  [](const auto& a, const auto& b) { return a.last_use < b.last_use; });
        for (const Scan::Found& entry : scan.entries) {
            if (scan.bytes <= goal) {
                break;
            }
            if (entry.file == kept) {
                continue;
            }
            if (::unlink(entry.file.c_str()) == 0) {
                ++evicted;
            } else if (errno != ENOENT) {  // ENOENT: another process was first.
                continue;
            }
            scan.bytes -= entry.bytes;
        }
        return scan.bytes;
    }

    static void remove_abandoned(const Scan& scan) {
        for (const fs::path& file : scan.abandoned) {
            ::unlink(file.c_str());
        }
    }
};

DiskCache::DiskCache(fs::path folder, std::size_t limit_bytes, Mode mode)
    : state_(std::make_unique<State>(std::move(folder), limit_bytes, mode)) {}
DiskCache::~DiskCache() = default;
DiskCache::DiskCache(DiskCache&&) noexcept = default;
DiskCache& DiskCache::operator=(DiskCache&&) noexcept = default;

std::optional<std::vector<std::byte>> DiskCache::get(std::string_view key) const {
    if (mode() == Mode::off) {
        return state_->miss();
    }
    return state_->read(key);
}

bool DiskCache::put(std::string_view key, std::span<const std::byte> value) {
    if (mode() != Mode::on) {
        return false;
    }
    const Header header{std::string(key), value.size(),
                        digest({reinterpret_cast<const char*>(value.data()), value.size()})};
    const std::string head = header.bytes();
    if (value.size() > limit_bytes() || head.size() > limit_bytes() - value.size()) {
        return false;
    }
    const fs::path path = state_->file_of(key);
    if (const int failure = state_->write(value, path, head); failure != 0) {
        state_->complain(state_->folder, failure);
        return false;
    }
    ++state_->stored;
    state_->account(path, head.size() + value.size());
    return true;
}

bool DiskCache::remove(std::string_view key) {
    return mode() == Mode::on && ::unlink(state_->file_of(key).c_str()) == 0;
}

std::size_t DiskCache::clear() {
    if (mode() != Mode::on) {
        return 0;
    }
    const Scan scan(folder());
    State::remove_abandoned(scan);
    const auto count = std::count_if(scan.entries.begin(), scan.entries.end(),
                                     [](const auto& entry) { return ::unlink(entry.file.c_str()) == 0; });
    const std::lock_guard lock(state_->eviction_mutex);
    state_->estimated_bytes.reset();
    return static_cast<std::size_t>(count);
}

std::vector<DiskCache::Entry> DiskCache::entries() const {
    std::vector<Entry> out;
    if (mode() == Mode::off) {
        return out;
    }
    for (const Scan::Found& found : Scan(folder()).entries) {
        const File file(::open(found.file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        if (!file) {
            continue;
        }
        const std::optional<Header> header = Header::read(file, found.bytes);
        if (header && found.file.filename() == digest(header->key)) {
            out.push_back({found.file, header->key.substr(0, header->key.find('\n')), found.bytes, found.last_use});
        }
    }
    std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return a.last_use > b.last_use; });
    return out;
}

DiskCache::Counters DiskCache::counters() const {
    return {state_->hits, state_->misses, state_->damaged, state_->stored, state_->evicted};
}

const fs::path& DiskCache::folder() const { return state_->folder; }
std::size_t DiskCache::limit_bytes() const { return state_->limit_bytes; }
DiskCache::Mode DiskCache::mode() const { return state_->mode; }

DiskCache DiskCache::kernels() {
    const std::string wish = env::get("GEMEL_CACHE").value_or("on");
    const std::optional<fs::path> folder = default_folder();
    const Mode mode = wish == "off" || !folder || env::flag("GEMEL_DEBUG") ? Mode::off
                      : wish == "readonly"                                 ? Mode::readonly
                                                                           : Mode::on;
    return DiskCache(folder.value_or(fs::path()), default_limit_bytes, mode);
}

std::optional<fs::path> DiskCache::default_folder() {
    if (const std::optional<std::string> own = env::get("GEMEL_CACHE_DIR")) {
        std::error_code failure;
        const fs::path folder = fs::absolute(*own, failure);
        return failure ? fs::path(*own) : folder;
    }
    // The XDG rules: a relative path there counts for nothing.
    if (const char* const xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && fs::path(xdg).is_absolute()) {
        return fs::path(xdg) / "gemel";
    }
    const char* const home = std::getenv("HOME");
    std::error_code ignored;
    if (home != nullptr && fs::path(home).is_absolute() && fs::is_directory(home, ignored)) {
        return fs::path(home) / ".cache" / "gemel";
    }
    return std::nullopt;
}

}  // namespace gemel
