/// A file that is written beside the one that it replaces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gemel::npy {

/// Writes beside a file and renames at the end: whatever goes wrong before, an older file stays as it was. Links are
/// followed, and the permissions are those that opening the file for writing gives. What is no plain file (a device, a
/// pipe), and a file in a folder where nothing can be made, is written in place.
class OutputFile {
   public:
    /// @throws Error naming the file, here and below
    explicit OutputFile(std::filesystem::path path);
    /// Removes what was written, unless close() has put it in its place.
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

    std::filesystem::path path_;       ///< as the user named it
    std::filesystem::path target_;     ///< where the links lead
    std::filesystem::path temporary_;  ///< empty: written in place
    int file_ = -1;
    std::vector<std::byte> buffer_;
    std::uint64_t written_ = 0;
};

}  // namespace gemel::npy
