/// One file per entry, written to a temporary file and renamed, so that processes need no lock.
#include <gemel/core/disk_cache.hpp>
#include <gemel/core/environment.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>
#include <system_error>
#include <tuple>
#include <utility>

#include "compile/cache_files.hpp"
#include "compile/private_folder.hpp"

namespace gemel {

namespace fs = std::filesystem;
using cache::Header;
using cache::Scan;
using std::chrono::system_clock;

namespace {

constexpr std::chrono::minutes refresh_interval{1};

std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

struct DiskCache::State {
    /// The state of a folder between two calls of put().
    struct Watch {
        std::mutex mutex;
        /// From the last scan and later puts; empty before the first scan.
        std::optional<std::uint64_t> estimated_bytes;
        std::atomic<bool> complained{false};
    };

    State(fs::path where, std::size_t limit, Mode how) : folder(std::move(where)), limit_bytes(limit), mode(how) {}

    const fs::path folder;
    const std::size_t limit_bytes;
    const Mode mode;

    std::atomic<std::uint64_t> hits{0}, misses{0}, damaged{0}, stored{0}, evicted{0};
    std::shared_ptr<Watch> watch = std::make_shared<Watch>();

    fs::path file_of(std::string_view key) const {
        const std::string name = digest(key);
        return folder / name.substr(0, 2) / name;
    }

    std::optional<std::vector<std::byte>> miss() {
        ++misses;
        return std::nullopt;
    }

    /// Whether only this user may write to the folder, or it does not exist yet.
    bool usable() {
        const std::string why = why_distrusted(folder);
        if (!why.empty() && !watch->complained.exchange(true)) {
            logging::write(logging::Level::warn, "cache",
                           text("the folder ", folder.string(), " is not used: ", why,
                                ", and could put programs there that run as you. `chmod go-w` it if it is yours, or "
                                "let GEMEL_CACHE_DIR choose another; until then programs are kept in memory alone."));
        }
        return why.empty();
    }

    std::optional<std::vector<std::byte>> read(std::string_view key) {
        if (!usable()) {
            return miss();
        }
        const fs::path path = file_of(key);
        const File file(cache::open_entry(path));
        struct stat status {};
        if (!file && errno != ELOOP) {  // ELOOP: a link, which gemel did not create
            return miss();
        }
        if (file && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && why_distrusted(status).empty() &&
            static_cast<std::uint64_t>(status.st_size) <= limit_bytes) {
            const std::optional<Header> header =
                Header::read(file, static_cast<std::uint64_t>(status.st_size), key.size());
            if (header && header->key == key) {
                std::vector<std::byte> value(header->payload_bytes);
                if (file.read(value.data(), value.size()) && digest(as_text(value)) == header->checksum) {
                    ++hits;
                    refresh(file, status);
                    return value;
                }
            }
        }
        ++damaged;
        logging::write(logging::Level::debug, "cache", text("damaged or foreign entry ", path.string()));
        if (mode == Mode::on) {
            ::unlink(path.c_str());
        }
        return miss();
    }

    void refresh(const File& file, const struct stat& status) const {
        const auto age = system_clock::now() - cache::time_of(status);
        if (mode == Mode::on && (age > refresh_interval || age < -refresh_interval)) {
            // Fails on a read-only file system and for another user's file, which this process does not evict anyway.
            ::futimens(file.get(), nullptr);
        }
    }

    /// Returns 0, or the errno of the failure.
    int write(std::span<const std::byte> value, const fs::path& path, const std::string& head) {
        const fs::path level = path.parent_path();
        auto [descriptor, temporary] = cache::create_temporary(level);
        // Another process may remove the folder at any time; then it is created again.
        for (int attempt = 0; descriptor < 0 && errno == ENOENT && attempt < 3; ++attempt) {
            if (!make_private_folder(level)) {
                return errno;
            }
            std::tie(descriptor, temporary) = cache::create_temporary(level);
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
        if (!watch->complained.exchange(true)) {
            logging::write(
                logging::Level::warn, "cache",
                text("cannot write to ", where.string(), ": ", std::generic_category().message(failure),
                     ". What cannot be kept is made again next time; GEMEL_CACHE_DIR chooses another folder, "
                     "GEMEL_CACHE=off silences this."));
        }
    }

    /// Evicts entries after `file` was added, so that the store stays below its limit.
    void account(const fs::path& file, std::uint64_t bytes) {
        const std::lock_guard lock(watch->mutex);
        if (watch->estimated_bytes && *watch->estimated_bytes + bytes <= limit_bytes) {
            *watch->estimated_bytes += bytes;
        } else {
            watch->estimated_bytes = evict(file);
        }
    }

    /// Returns the remaining bytes.
    std::uint64_t evict(const fs::path& kept) {
        Scan scan(folder);
        remove_abandoned(scan);
        // Removes files above the limit, which gemel did not write, so that they displace no useful entries.
        std::erase_if(scan.entries, [&](const Scan::Found& entry) {
            const bool removed = entry.bytes > limit_bytes && ::unlink(entry.file.c_str()) == 0;
            scan.bytes -= removed ? entry.bytes : 0;
            return removed;
        });
        if (scan.bytes <= limit_bytes) {
            return scan.bytes;
        }
        // Evicts somewhat more, so that a full store is not scanned at every put.
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
            } else if (errno != ENOENT) {  // ENOENT: another process was faster.
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
    const Header header{std::string(key), value.size(), digest(as_text(value))};
    const std::string head = header.bytes();
    if (value.size() > limit_bytes() || head.size() > limit_bytes() - value.size()) {
        return false;
    }
    if (!state_->usable()) {
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
    return mode() == Mode::on && state_->usable() && ::unlink(state_->file_of(key).c_str()) == 0;
}

std::size_t DiskCache::clear() {
    if (mode() != Mode::on || !state_->usable()) {
        return 0;
    }
    const Scan scan(folder());
    State::remove_abandoned(scan);
    if (folder() == default_folder()) {
        cache::remove_kept(folder() / "src", 16);
        cache::remove_kept(folder() / "include", 40);
    }
    const auto count = std::count_if(scan.entries.begin(), scan.entries.end(),
                                     [](const auto& entry) { return ::unlink(entry.file.c_str()) == 0; });
    const std::lock_guard lock(state_->watch->mutex);
    state_->watch->estimated_bytes.reset();
    return static_cast<std::size_t>(count);
}

std::vector<DiskCache::Entry> DiskCache::entries() const {
    std::vector<Entry> out;
    if (mode() == Mode::off || !state_->usable()) {
        return out;
    }
    for (const Scan::Found& found : Scan(folder()).entries) {
        const File file(cache::open_entry(found.file));
        if (!file) {
            continue;
        }
        const std::optional<Header> header =
            found.bytes <= limit_bytes() ? Header::read(file, found.bytes, found.bytes) : std::nullopt;
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
    DiskCache cache(folder.value_or(fs::path()), default_limit_bytes, mode);
    // Objects may be created for every kernel. The folder is still scanned once, and a full disk reported once.
    static std::mutex& mutex = *new std::mutex;
    static auto& watches = *new std::map<fs::path, std::shared_ptr<State::Watch>>;
    const std::lock_guard lock(mutex);
    cache.state_->watch = watches.try_emplace(cache.folder(), cache.state_->watch).first->second;
    return cache;
}

std::optional<fs::path> DiskCache::default_folder() {
    if (const std::optional<std::string> own = env::get("GEMEL_CACHE_DIR")) {
        std::error_code failure;
        const fs::path folder = fs::absolute(*own, failure);
        return failure ? fs::path(*own) : folder;
    }
    // By the XDG specification, relative paths are ignored.
    if (const char* const xdg = ::secure_getenv("XDG_CACHE_HOME"); xdg != nullptr && fs::path(xdg).is_absolute()) {
        return fs::path(xdg) / "gemel";
    }
    const char* const home = ::secure_getenv("HOME");
    std::error_code ignored;
    if (home != nullptr && fs::path(home).is_absolute() && fs::is_directory(home, ignored)) {
        return fs::path(home) / ".cache" / "gemel";
    }
    return std::nullopt;
}

}  // namespace gemel
