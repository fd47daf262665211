/// Reading, writing and finding the files of the disk cache.
#include "compile/cache_files.hpp"

#include <gemel/core/text.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <string_view>
#include <system_error>

namespace gemel::cache {

namespace fs = std::filesystem;
using std::chrono::system_clock;

namespace {

constexpr std::string_view magic = "gemelkv1";
constexpr std::string_view temporary_prefix = ".writing-";
constexpr std::chrono::hours temporary_lifetime{1};
constexpr std::size_t checksum_bytes = 40;
constexpr std::size_t fixed_bytes = 8 + 8 + 8 + checksum_bytes;

bool all_hexadecimal(std::string_view name) {
    return std::all_of(name.begin(), name.end(),
                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

int open_entry(const fs::path& file) { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW); }

std::string Header::bytes() const {
    const std::uint64_t key_bytes = key.size();
    std::string out(magic);
    out.append(reinterpret_cast<const char*>(&key_bytes), sizeof(key_bytes));
    out.append(reinterpret_cast<const char*>(&payload_bytes), sizeof(payload_bytes));
    return out + checksum + key;
}

std::optional<Header> Header::read(const File& file, std::uint64_t file_bytes, std::uint64_t max_key_bytes) {
    char fixed[fixed_bytes];
    if (file_bytes < fixed_bytes || !file.read(fixed, fixed_bytes) || std::string_view(fixed, magic.size()) != magic) {
        return std::nullopt;
    }
    Header header;
    std::uint64_t key_bytes = 0;
    std::memcpy(&key_bytes, fixed + 8, 8);
    std::memcpy(&header.payload_bytes, fixed + 16, 8);
    header.checksum.assign(fixed + 24, checksum_bytes);
    const std::uint64_t rest = file_bytes - fixed_bytes;
    if (key_bytes > max_key_bytes || key_bytes > rest || header.payload_bytes != rest - key_bytes) {
        return std::nullopt;
    }
    header.key.resize(key_bytes);
    return file.read(header.key.data(), key_bytes) ? std::optional<Header>(std::move(header)) : std::nullopt;
}

system_clock::time_point time_of(const struct stat& status) {
    return system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(
        std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec)));
}

Scan::Scan(const fs::path& folder) {
    std::error_code ignored;
    for (fs::directory_iterator level(folder, ignored), end; level != end; level.increment(ignored)) {
        const std::string digits = level->path().filename().string();
        if (digits.size() == 2 && all_hexadecimal(digits)) {
            read_level(level->path(), digits);
        }
    }
}

void Scan::read_level(const fs::path& level, const std::string& digits) {
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

void remove_kept(const fs::path& folder, std::size_t digits) {
    std::error_code ignored;
    std::vector<fs::path> kept;
    for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
        const std::string stem = it->path().stem().string();
        if (stem.size() == digits && all_hexadecimal(stem)) {
            kept.push_back(it->path());
        }
    }
    for (const fs::path& path : kept) {
        ::unlink(path.c_str());
    }
    ::rmdir(folder.c_str());
}

std::pair<int, fs::path> create_temporary(const fs::path& folder) {
    std::random_device random;
    for (;;) {
        fs::path path = folder / text(temporary_prefix, ::getpid(), "-", random(), "-", random());
        const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (descriptor >= 0 || errno != EEXIST) {
            return {descriptor, std::move(path)};
        }
    }
}

}  // namespace gemel::cache
