/// A lock by flock(2) on a file that is never removed.
#include <gemel/core/file_lock.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "compile/private_folder.hpp"

namespace gemel {

namespace {

/// Returns a descriptor, or a negative number with errno.
int open_lock_file(const std::filesystem::path& file) {
    const auto open_once = [&] { return ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600); };
    int descriptor = open_once();
    if (descriptor < 0 && errno == ENOENT && file.has_parent_path()) {
        descriptor = make_private_folder(file.parent_path()) ? open_once() : -1;
    }
    return descriptor;
}

/// The process id that the holder wrote into the file.
std::string holder_of(int descriptor) {
    char number[24] = {};
    const ssize_t count = ::pread(descriptor, number, sizeof number - 1, 0);
    const std::string_view found(number, count > 0 ? static_cast<std::size_t>(count) : 0);
    return found.empty() || found.find_first_not_of("0123456789") != std::string_view::npos
               ? std::string("another process")
               : text("process ", found);
}

void sign(int descriptor) {
    const std::string number = std::to_string(::getpid());
    // The id is informative; the lock holds without it.
    if (::ftruncate(descriptor, 0) == 0) {
        (void)!::pwrite(descriptor, number.data(), number.size(), 0);
    }
}

bool lock(int descriptor, int how) {
    while (::flock(descriptor, LOCK_EX | how) != 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/// Waits; logs a message after a second.
bool wait_for(int descriptor, const std::filesystem::path& file) {
    const auto silent_until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    for (std::chrono::microseconds pause{100}; std::chrono::steady_clock::now() < silent_until;) {
        if (lock(descriptor, LOCK_NB)) {
            return true;
        }
        if (errno != EWOULDBLOCK) {
            return false;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(10000));
    }
    logging::write(logging::Level::info, "cache",
                   text("waiting for ", file.string(), ", which ", holder_of(descriptor), " has locked"));
    return lock(descriptor, 0);
}

/// Whether the locked file still has that name; the folder may have been emptied while this thread waited.
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
        // A folder that vanishes this often is being removed.
        for (int attempt = 0; attempt < 100 && descriptor_ < 0; ++attempt) {
            const int descriptor = open_lock_file(file);
            if (descriptor < 0 || !wait_for(descriptor, file)) {
                failure = errno;
                if (descriptor >= 0) {
                    ::close(descriptor);
                }
                break;
            }
            if (still_there(descriptor, file)) {
                descriptor_ = descriptor;
                sign(descriptor);
            } else {
                ::close(descriptor);
            }
        }
        if (descriptor_ < 0) {
            logging::write(logging::Level::debug, "cache",
                           text("no lock on ", file.string(), ": ", std::generic_category().message(failure)));
        }
    } catch (...) {  // Out of memory while a path or a message was built: nothing is locked.
    }
}

FileLock::~FileLock() {
    if (descriptor_ >= 0) {
        // Closing would not release the lock, since children forked meanwhile hold the descriptor.
        ::flock(descriptor_, LOCK_UN);
        ::close(descriptor_);
    }
}

}  // namespace gemel
