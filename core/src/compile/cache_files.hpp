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

/// For reading; never held up, not even by a pipe that has the name of an entry, and never through a link.
int open_entry(const std::filesystem::path& file);

/// The part of an entry before the payload.
struct Header {
    std::string key;
    std::uint64_t payload_bytes = 0;
    std::string checksum;

    std::string bytes() const;
    /// Nothing unless the lengths add up to the file's and the key is no longer than that.
    static std::optional<Header> read(const File& file, std::uint64_t file_bytes, std::uint64_t max_key_bytes);
};

/// When an entry was last used.
std::chrono::system_clock::time_point time_of(const struct stat& status);

/// Entries of a store and what writers have left behind, told apart by their names.
struct Scan {
    struct Found {
        std::filesystem::path file;
        std::uint64_t bytes;
        std::chrono::system_clock::time_point last_use;
    };
    std::vector<Found> entries;
    std::vector<std::filesystem::path> abandoned;  ///< temporary files that are too old to have a living writer
    std::uint64_t bytes = 0;                       ///< of all entries

    explicit Scan(const std::filesystem::path& folder);

   private:
    void read_level(const std::filesystem::path& level, const std::string& digits);
};

/// Removes what the compiler of kernels keeps in a folder beside the entries, files and links whose names begin with so
/// many hexadecimal digits, and the folder if nothing else is in it.
void remove_kept(const std::filesystem::path& folder, std::size_t digits);

/// Creates a file that no other writer has, in any process on any machine that shares the folder.
/// Returns its descriptor, or a negative number with errno.
std::pair<int, std::filesystem::path> create_temporary(const std::filesystem::path& folder);

}  // namespace gemel::cache
