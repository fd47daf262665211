/// RAII for open files.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace gemel {

/// A file descriptor, closed by the destructor.
class File {
   public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    ~File() { close(); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    explicit operator bool() const { return descriptor_ >= 0; }
    int get() const { return descriptor_; }
    /// Closes the file; some file systems report a full disk only here.
    bool close();
    /// Reads at most this many bytes: 0 at the end of the file, -1 with errno on failure.
    ssize_t read_some(void* to, std::size_t bytes) const;
    /// Writes all bytes, or returns false.
    bool read(void* to, std::size_t bytes) const;
    bool write(const void* from, std::size_t bytes) const;

   private:
    int descriptor_;
};

}  // namespace gemel
