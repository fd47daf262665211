#include "tune/record_file.hpp"

#include <gemel/core/disk_cache.hpp>
#include <gemel/core/environment.hpp>
#include <gemel/core/file_lock.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/process_folder.hpp>
#include <gemel/core/text.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <system_error>

namespace gemel {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view heading = "gemel tuning 1\t";

std::string one_line(std::string value) {
    for (char& c : value)
        if (c == '\n' || c == '\t' || c == '\r') c = ' ';
    return value;
}

std::string checksum(std::string_view body) { return digest(body).substr(0, 8); }

std::string line_of(const Record& record) {
    std::string body;
    for (const std::string& field : record) body += (body.empty() ? "" : "\t") + one_line(field);
    return checksum(body) + "\t" + body + "\n";
}

std::optional<Record> record_of(std::string_view line) {
    if (line.size() < 9 || line[8] != '\t') return std::nullopt;
    const std::string_view body = line.substr(9);
    if (checksum(body) != line.substr(0, 8)) return std::nullopt;
    Record record;
    for (std::size_t from = 0;;) {
        const std::size_t to = std::min(body.find('\t', from), body.size());
        record.emplace_back(body.substr(from, to - from));
        if (to == body.size()) return record;
        from = to + 1;
    }
}

/// A file descriptor, closed by the destructor.
struct Opened {
    explicit Opened(int number) : descriptor(number) {}
    ~Opened() {
        if (descriptor >= 0) ::close(descriptor);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    int descriptor;
};

std::optional<std::string> contents(const fs::path& path) {
    const Opened file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    if (file.descriptor < 0 || ::fstat(file.descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    std::string out;
    char piece[1 << 16];
    for (ssize_t n; (n = ::read(file.descriptor, piece, sizeof piece)) != 0;) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return std::nullopt;
        out.append(piece, static_cast<std::size_t>(n));
    }
    return out;
}

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

bool begins_with_heading(int descriptor) {
    std::string start(heading.size(), '\0');
    return ::pread(descriptor, start.data(), start.size(), 0) == static_cast<ssize_t>(start.size()) && start == heading;
}

/// Logs a message about a file once.
void warn_once(const fs::path& path, const std::string& what) {
    static std::mutex& mutex = *new std::mutex;
    static auto& warned = *new std::set<std::string>;
    const std::lock_guard lock(mutex);
    if (warned.insert(path.string()).second)
        logging::write(logging::Level::warn, "tune", text("the stored tunings in ", path.string(), ": ", what));
}

/// As for compiled kernels, folders and files of other users are not used.
bool is_trusted(const fs::path& path) {
    const std::string why = why_distrusted(path);
    if (!why.empty()) warn_once(path, text(why, "; they are not used"));
    return why.empty();
}

bool make_private(const fs::path& folder) {
    std::error_code failure;
    const fs::path above = folder.parent_path();
    if (!above.empty() && !fs::exists(above, failure) && !make_private(above)) return false;
    return ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
}

}  // namespace

bool uses_stored_tunings() { return env::get("GEMEL_TUNE").value_or("use") != "off"; }

std::optional<fs::path> RecordFile::folder() {
    const auto folder = DiskCache::default_folder();
    if (!folder || DiskCache::kernels().mode() == DiskCache::Mode::off) return std::nullopt;
    return *folder / "tuning";
}

RecordFile::RecordFile(const std::string& fingerprint) : fingerprint_(one_line(fingerprint)) {
    if (const auto where = folder()) path_ = *where / (digest(fingerprint) + ".tune");
}

RecordFile RecordFile::existing(const fs::path& file) {
    std::string fingerprint;
    if (const auto all = contents(file); all && all->starts_with(heading))
        fingerprint = all->substr(heading.size(), all->find('\n') - heading.size());
    return {file, fingerprint};
}

std::vector<RecordFile> RecordFile::all() {
    std::vector<RecordFile> files;
    const auto where = folder();
    std::error_code failure;
    if (!where) return files;
    for (const auto& entry : fs::directory_iterator(*where, failure))
        if (entry.path().extension() == ".tune")
            if (RecordFile file = existing(entry.path()); !file.fingerprint_.empty()) files.push_back(std::move(file));
    std::sort(files.begin(), files.end(),
              [](const RecordFile& a, const RecordFile& b) { return a.fingerprint_ < b.fingerprint_; });
    return files;
}

std::vector<Record> RecordFile::read() const {
    std::vector<Record> records;
    if (path_.empty() || !is_trusted(path_.parent_path()) || !is_trusted(path_)) return records;
    const auto all = contents(path_);
    if (!all) return records;
    if (!all->starts_with(heading)) {
        warn_once(path_, "the first line is not one of gemel's; they are not used, and none are stored there");
        return records;
    }
    std::size_t damaged = 0;
    for (std::size_t from = all->find('\n'); from != std::string::npos && from + 1 < all->size();) {
        const std::size_t to = std::min(all->find('\n', from + 1), all->size());
        const std::string_view line(all->data() + from + 1, to - from - 1);
        if (auto record = record_of(line)) {
            records.push_back(std::move(*record));
        } else if (!line.empty()) {
            ++damaged;
        }
        from = to;
    }
    if (damaged > 0) warn_once(path_, text(counted(damaged, "line"), " damaged, skipped; the others are used"));
    return records;
}

bool RecordFile::append(std::span<const Record> records) const {
    if (path_.empty() || DiskCache::kernels().mode() != DiskCache::Mode::on) return false;
    if (!make_private(path_.parent_path()) || !is_trusted(path_.parent_path())) return false;
    const FileLock lock(path_.parent_path() / "lock");
    const Opened file(
        ::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR));
    struct stat status {};
    const bool is_there = file.descriptor >= 0 && ::fstat(file.descriptor, &status) == 0;
    if (!is_there || !S_ISREG(status.st_mode)) {
        warn_once(path_, text("cannot be written: ", std::strerror(errno)));
        return false;
    }
    std::string lines;
    char last = '\n';
    if (status.st_size == 0)
        lines = text(heading, fingerprint_, "\n");
    else if (!begins_with_heading(file.descriptor)) {
        warn_once(path_, "the first line is not one of gemel's; nothing is stored there");
        return false;
    } else if (::pread(file.descriptor, &last, 1, status.st_size - 1) == 1 && last != '\n')
        lines = "\n";  // the previous line was written incompletely: it stays separate
    for (const Record& record : records) lines += line_of(record);
    if (write_all(file.descriptor, lines)) return true;
    warn_once(path_, text("cannot be written: ", std::strerror(errno)));
    return false;
}

std::size_t RecordFile::rewrite(bool (*keep)(const Record&, void*), void* function) const {
    if (path_.empty() || DiskCache::kernels().mode() != DiskCache::Mode::on) return 0;
    const FileLock lock(path_.parent_path() / "lock");
    const std::vector<Record> records = read();
    std::string lines = text(heading, fingerprint_, "\n");
    std::size_t kept = 0;
    for (const Record& record : records)
        if (keep(record, function)) lines += line_of(record), ++kept;
    if (kept == 0) {
        ::unlink(path_.c_str());
        return records.size();
    }
    const fs::path fresh = path_.string() + text(".", ::getpid(), ".new");
    {
        const Opened file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
        if (file.descriptor < 0 || !write_all(file.descriptor, lines)) {
            ::unlink(fresh.c_str());
            return 0;
        }
    }
    return ::rename(fresh.c_str(), path_.c_str()) == 0 ? records.size() - kept : 0;
}

}  // namespace gemel
