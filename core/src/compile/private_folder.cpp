#include "compile/private_folder.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <system_error>

#include "compile/cache_files.hpp"

namespace gemel {

namespace fs = std::filesystem;

bool make_private_folder(const fs::path& folder) {
    if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) {
        return true;
    }
    const fs::path above = folder.parent_path();
    return errno == ENOENT && above != folder && !above.empty() && make_private_folder(above) &&
           (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST);
}

std::string why_distrusted(const struct stat& status) {
    if (status.st_uid != ::geteuid() && status.st_uid != 0) {
        return text("it belongs to another user (number ", status.st_uid, ")");
    }
    return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 ? "other users may write to it" : "";
}

std::string why_distrusted(const fs::path& folder) {
    struct stat status {};
    return ::stat(folder.c_str(), &status) == 0 ? why_distrusted(status) : std::string();
}

bool write_private_file(const fs::path& path, std::string_view contents) {
    const fs::path folder = path.parent_path();
    if (!folder.empty() && !make_private_folder(folder)) {
        return false;
    }
    const auto [descriptor, temporary] = cache::create_temporary(folder);
    if (descriptor < 0) {
        return false;
    }
    File file(descriptor);
    if (file.write(contents.data(), contents.size()) && file.close() &&
        ::rename(temporary.c_str(), path.c_str()) == 0) {
        return true;
    }
    ::unlink(temporary.c_str());
    return false;
}

namespace {

/// Leaked on purpose: used and removed at exit.
struct ProcessFolder {
    std::mutex mutex;
    fs::path path;
    pid_t owner = 0;
};
ProcessFolder& shared() {
    static auto* const instance = new ProcessFolder;
    return *instance;
}

void remove_process_folder() {
    ProcessFolder& s = shared();
    if (s.owner == ::getpid()) {  // a forked child has the name, but does not own the folder
        std::error_code ignored;
        fs::remove_all(s.path, ignored);
    }
}

}  // namespace

fs::path process_folder(std::string_view name) {
    ProcessFolder& s = shared();
    const std::lock_guard lock(s.mutex);
    if (s.owner != ::getpid()) {
        const char* const wish = ::secure_getenv("TMPDIR");
        const fs::path parent = wish != nullptr && fs::path(wish).is_absolute() ? wish : "/tmp";
        std::string pattern = (parent / "gemel-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) {
            throw Error(text("process_folder: cannot create a folder in ", parent.string(), ": ",
                             std::generic_category().message(errno), "; set TMPDIR to a writable folder"));
        }
        const bool first = s.owner == 0;
        s.path = pattern;
        s.owner = ::getpid();
        if (first) {
            std::atexit(remove_process_folder);
        }
    }
    const fs::path folder = s.path / name;
    make_private_folder(folder);
    return folder;
}

}  // namespace gemel
