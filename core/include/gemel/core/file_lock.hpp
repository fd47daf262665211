/// A lock between processes, for work that two processes of a machine must not do at the same time.
#pragma once

#include <gemel/core/export.hpp>

#include <filesystem>

namespace gemel {

/// An exclusive lock, held from construction to destruction. It excludes other processes, and other threads with their
/// own FileLock. The system releases it when the process dies.
class GEMEL_API FileLock {
   public:
    /// Waits for the lock; after one second it logs who holds it. Creates the file and its folder if necessary. If they
    /// cannot be created, nothing is locked: the guarded work must be correct without the lock.
    explicit FileLock(const std::filesystem::path& file) noexcept;
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    bool held() const { return descriptor_ >= 0; }

   private:
    int descriptor_ = -1;
};

}  // namespace gemel
