#include "base/text_file.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "base/file.hpp"

namespace gemel {

std::optional<std::string> read_text_file(const std::filesystem::path& path) {
    // Without O_NONBLOCK, a pipe of that name would block the caller.
    const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) {
        if (errno == EMFILE || errno == ENFILE) {
            throw Error(text("compile: cannot read ", path.string(), ": ", std::generic_category().message(errno),
                             "; raise the limit (ulimit -n) or close some files"));
        }
        return std::nullopt;
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) {
        return std::nullopt;
    }
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return std::nullopt;
    }
    if (static_cast<std::uint64_t>(status.st_size) > largest_text_bytes) {
        throw Error(text("compile: expected at most ", readable_bytes(largest_text_bytes), " of text, got ",
                         readable_bytes(status.st_size), " in ", path.string(), "; split the program"));
    }
    std::string content;
    char piece[1 << 16];
    for (;;) {
        const ssize_t count = file.read_some(piece, sizeof piece);
        if (count < 0) {
            return std::nullopt;
        }
        if (count == 0) {
            return content;
        }
        content.append(piece, static_cast<std::size_t>(count));
        if (content.size() > largest_text_bytes) {
            throw Error(text("compile: expected at most ", readable_bytes(largest_text_bytes), " of text, got more in ",
                             path.string(), "; split the program"));
        }
    }
}

}  // namespace gemel
