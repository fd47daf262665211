#include "exchange/output_file.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace gemel::npy {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t buffer_bytes = std::size_t{64} << 10;

/// Resolves the links of a path; the file need not exist.
fs::path followed(fs::path path) {
    std::error_code error;
    for (int links = 0; links < 40 && fs::is_symlink(path, error); ++links) {
        const fs::path to = fs::read_symlink(path, error);
        if (error) break;
        path = to.is_absolute() ? to : path.parent_path() / to;
    }
    return path;
}

}  // namespace

OutputFile::OutputFile(fs::path path) : path_(std::move(path)), target_(followed(path_)) {
    struct stat old {};
    const bool is_there = ::stat(target_.c_str(), &old) == 0;
    if (!is_there && errno != ENOENT) refuse();
    if (!is_there || S_ISREG(old.st_mode)) {
        // A file without write permission is not replaced.
        if (is_there && ::access(target_.c_str(), W_OK) != 0) refuse();
        open_beside(target_, is_there ? old.st_mode & 07777 : 0666, is_there);
    }
    if (file_ < 0) file_ = ::open(target_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) refuse();
    buffer_.reserve(buffer_bytes);
}

void OutputFile::open_beside(const fs::path& target, unsigned mode, bool is_there) {
    static std::atomic<unsigned> count{0};
    const std::string name = target.filename().string().substr(0, 200);
    for (int attempt = 0; attempt < 100 && file_ < 0; ++attempt) {
        temporary_ = target.parent_path() / text(".", name, ".", ::getpid(), ".", count++, ".part");
        file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777);
        if (file_ < 0 && errno != EEXIST) break;
    }
    if (file_ >= 0) {
        // The process's umask applies to new files only.
        if (is_there && ::fchmod(file_, static_cast<mode_t>(mode)) != 0) errno = 0;
        return;
    }
    temporary_.clear();
    if (!is_there) refuse();
}

OutputFile::~OutputFile() {
    if (file_ >= 0) ::close(file_);
    if (file_ >= 0 && !temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::refuse() const {
    throw Error(text("'", path_.string(), "' cannot be written: ", std::generic_category().message(errno),
                     "; write to a folder that exists, has room, and may be written"));
}

void OutputFile::write(const void* data, std::size_t bytes) {
    const auto* const first = static_cast<const std::byte*>(data);
    written_ += bytes;
    if (buffer_.size() + bytes > buffer_bytes) flush();
    if (bytes >= buffer_bytes) return put(first, bytes);
    buffer_.insert(buffer_.end(), first, first + bytes);
}

void OutputFile::flush() {
    put(buffer_.data(), buffer_.size());
    buffer_.clear();
}

void OutputFile::put(const std::byte* data, std::size_t bytes) {
    constexpr std::size_t most = std::size_t{1} << 30;  // what one call writes is less than 2^31 bytes
    while (bytes > 0) {
        const ssize_t done = ::write(file_, data, std::min(bytes, most));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) refuse();
        data += done;
        bytes -= static_cast<std::size_t>(done);
    }
}

void OutputFile::close() {
    flush();
    const int file = std::exchange(file_, -1);
    const bool is_closed = ::close(file) == 0;
    if (is_closed && (temporary_.empty() || ::rename(temporary_.c_str(), target_.c_str()) == 0)) return;
    const int failure = errno;
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    errno = failure;
    refuse();
}

}  // namespace gemel::npy
