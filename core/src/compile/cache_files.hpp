/// Files of the disk cache: the layout of an entry and the contents of a folder.
///
/// An entry holds, in the byte order of the machine:
///   8 bytes   "gemelkv1": what it is, and the number of this format
///   8 bytes   length of the key
///   8 bytes   length of the payload
///   40 bytes  SHA-1 of the payload, as text
///   the key, the payload, and nothing after it
/// It is named after the digest of its key, in a folder named after the first two digits of that.
#pragma once

#include "base/file.hpp"

#include <sys/stat.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gemel::cache {

/// Opens a file for reading. Never blocks, even on a pipe, and follows no link.
int open_entry(const std::filesystem::path& file);

/// The part of an entry before the payload.
struct Header {
    std::string key;
    std::uint64_t payload_bytes = 0;
    std::string checksum;

    std::string bytes() const;
    /// Empty unless the lengths add up to the file's size and the key has at most this length.
    static std::optional<Header> read(const File& file, std::uint64_t file_bytes, std::uint64_t max_key_bytes);
};

/// The time of last use of an entry.
std::chrono::system_clock::time_point time_of(const struct stat& status);

/// The entries of a store and the leftovers of writers, told apart by name.
struct Scan {
    struct Found {
        std::filesystem::path file;
        std::uint64_t bytes;
        std::chrono::system_clock::time_point last_use;
    };
    std::vector<Found> entries;
    std::vector<std::filesystem::path> abandoned;  ///< temporary files too old to belong to a running writer
    std::uint64_t bytes = 0;                       ///< of all entries

    explicit Scan(const std::filesystem::path& folder);

   private:
    void read_level(const std::filesystem::path& level, const std::string& digits);
};

/// Removes the other files that compilations keep in a folder of entries: files and links whose names begin with this
/// many hexadecimal digits; then the folder, if it is empty.
void remove_kept(const std::filesystem::path& folder, std::size_t digits);

/// Creates a file with a name unique among all processes and machines that share the folder. Returns its descriptor, or
/// a negative number with errno.
std::pair<int, std::filesystem::path> create_temporary(const std::filesystem::path& folder);

}  // namespace gemel::cache
