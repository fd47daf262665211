/// A lock between processes, for work that must not be done twice at once on one machine.
#pragma once

#include <gemel/core/export.hpp>

#include <filesystem>

namespace gemel {

/// An exclusive lock, held from construction to destruction, against other processes and against other threads with an
/// object of their own. The system releases it when a process dies.
class GEMEL_API FileLock {
   public:
    /// Waits for the lock; the log says so after a second, and who holds it. The file and its folder are made if need
    /// be. Where they cannot be, nothing is held: the lock is there to help, and what it guards must work without.
    explicit FileLock(const std::filesystem::path& file) noexcept;
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    bool held() const { return descriptor_ >= 0; }

   private:
    int descriptor_ = -1;
};

}  // namespace gemel
