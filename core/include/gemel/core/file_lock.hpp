/// A lock between processes, for work that must not be done twice at once on one machine.
#pragma once

#include <gemel/core/export.hpp>

#include <filesystem>

namespace gemel {

/// Held from construction to destruction, and by nobody else meanwhile: neither another process nor another thread with
/// an object of its own. A process that dies gives it back.
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
