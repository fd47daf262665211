/// flock(2) on a file that stays where it is.
#include <gemel/core/file_lock.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "private_folder.hpp"

namespace gemel {

namespace {

/// A descriptor, or a negative number with errno.
int open_lock_file(const std::filesystem::path& file) {
    const auto open_once = [&] { return ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600); };
    int descriptor = open_once();
    if (descriptor < 0 && errno == ENOENT && file.has_parent_path()) {
        descriptor = make_private_folder(file.parent_path()) ? open_once() : -1;
    }
    return descriptor;
}

bool wait_for(int descriptor) {
    while (::flock(descriptor, LOCK_EX) != 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/// Whether the locked file is still the one of that name; someone may have emptied the folder while this thread waited.
bool still_there(int descriptor, const std::filesystem::path& file) {
    struct stat opened {};
    struct stat named {};
    return ::fstat(descriptor, &opened) == 0 && ::stat(file.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& file) noexcept {
    try {
        int failure = 0;
        // A folder that vanishes this often is being torn down.
        for (int attempt = 0; attempt < 100 && descriptor_ < 0; ++attempt) {
            const int descriptor = open_lock_file(file);
            if (descriptor < 0 || !wait_for(descriptor)) {
                failure = errno;
                if (descriptor >= 0) {
                    ::close(descriptor);
                }
                break;
            }
            if (still_there(descriptor, file)) {
                descriptor_ = descriptor;
            } else {
                ::close(descriptor);
            }
        }
        if (descriptor_ < 0) {
            logging::write(logging::Level::debug, "cache",
                           text("no lock on ", file.string(), ": ", std::generic_category().message(failure)));
        }
    } catch (...) {  // Out of memory while a path or a message was put together: nothing is held.
    }
}

FileLock::~FileLock() {
    if (descriptor_ >= 0) {
        // Closing alone would leave the lock with children that were forked meanwhile.
        ::flock(descriptor_, LOCK_UN);
        ::close(descriptor_);
    }
}

}  // namespace gemel
