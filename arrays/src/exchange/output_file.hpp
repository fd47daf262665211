/// OutputFile: writes a temporary file and renames it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gemel::npy {

/// Writes a temporary file in the target's folder and renames it at the end, so that an older file is unchanged if
/// anything fails. Links are followed, and permissions are those that opening the file for writing would give. Devices,
/// pipes, and files in folders that allow no new files are written in place.
class OutputFile {
   public:
    /// @throws Error naming the file, as do all members
    explicit OutputFile(std::filesystem::path path);
    /// Removes the temporary file unless close() has renamed it.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(const void* data, std::size_t bytes);
    void close();
    std::uint64_t written_bytes() const { return written_; }

   private:
    [[noreturn]] void refuse() const;
    void open_beside(const std::filesystem::path& target, unsigned mode, bool is_there);
    void flush();
    void put(const std::byte* data, std::size_t bytes);

    std::filesystem::path path_;       ///< as given by the user
    std::filesystem::path target_;     ///< with links resolved
    std::filesystem::path temporary_;  ///< empty: written in place
    int file_ = -1;
    std::vector<std::byte> buffer_;
    std::uint64_t written_ = 0;
};

}  // namespace gemel::npy
