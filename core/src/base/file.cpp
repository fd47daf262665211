#include "base/file.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace gemel {

bool File::close() {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor < 0 || ::close(descriptor) == 0;
}

ssize_t File::read_some(void* to, std::size_t bytes) const {
    for (;;) {
        const ssize_t count = ::read(descriptor_, to, bytes);
        if (count >= 0 || errno != EINTR) {
            return count;
        }
    }
}

bool File::read(void* to, std::size_t bytes) const {
    auto* next = static_cast<char*>(to);
    while (bytes > 0) {
        const ssize_t count = read_some(next, bytes);
        if (count <= 0) {
            return false;
        }
        next += count;
        bytes -= static_cast<std::size_t>(count);
    }
    return true;
}

bool File::write(const void* from, std::size_t bytes) const {
    const auto* next = static_cast<const char*>(from);
    while (bytes > 0) {
        const ssize_t count = ::write(descriptor_, next, bytes);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        next += count;
        bytes -= static_cast<std::size_t>(count);
    }
    return true;
}

}  // namespace gemel
