/// A program that has more rights than its caller takes no file names from the caller's environment. Runs itself with
/// the rights of another group, which the system shows as AT_SECURE; 77 where it cannot.
#include <gemel/core/disk_cache.hpp>
#include <gemel/core/environment.hpp>
#include <gemel/core/process_folder.hpp>

#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "scratch.hpp"

using namespace gemel;
using namespace gemel::testing;
namespace fs = std::filesystem;

namespace {

constexpr int cannot = 77;
constexpr const char* file_variables[] = {"GEMEL_PLUGIN_PATH", "GEMEL_NVRTC", "GEMEL_CACHE_DIR", "GEMEL_DUMP",
                                          "GEMEL_BUILD_OPTIONS"};

int failures = 0;
void check(bool good, const char* what) {
    if (good) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

/// What the environment decides, with and without rights of another's.
[[noreturn]] void look(bool privileged) {
    if ((::getauxval(AT_SECURE) != 0) != privileged) ::_exit(cannot);
    for (const char* const name : file_variables) check(env::get(name).has_value() == !privileged, name);
    for (const EnvironmentVariable& variable : environment())
        if (variable.name == "GEMEL_DUMP") check(variable.current.has_value() == !privileged, "the table's GEMEL_DUMP");
    check(env::get("GEMEL_LOG") == "warn", "GEMEL_LOG names no file and is read");
    const auto folder = DiskCache::default_folder();
    check(privileged ? !folder : folder == "/given/cache", "the cache's folder");
    const fs::path mine = process_folder("x");
    check((mine.parent_path().parent_path() == "/tmp") == privileged, "the process's folder");
    fs::remove_all(mine.parent_path());
    std::fflush(stdout);
    // Without the end that leak checkers put there: they cannot look into such a process.
    ::_exit(failures == 0 ? 0 : 1);
}

int run(const std::string& program, const char* how, const fs::path& folder) {
    return status_of(in_child([&] {
        std::vector<std::string> variables{"GEMEL_LOG=warn", "GEMEL_CACHE_DIR=/given/cache", "HOME=/root",
                                           "XDG_CACHE_HOME=/given", "TMPDIR=" + folder.string()};
        for (const char* const name : {"GEMEL_PLUGIN_PATH", "GEMEL_NVRTC", "GEMEL_DUMP", "GEMEL_BUILD_OPTIONS"})
            variables.push_back(std::string(name) + "=/given");
        std::vector<char*> pointers;
        for (std::string& variable : variables) pointers.push_back(variable.data());
        pointers.push_back(nullptr);
        ::execle(program.c_str(), program.c_str(), how, nullptr, pointers.data());
        return cannot;
    }));
}

/// A group that this process may give a file to and is not running as.
gid_t other_group() {
    if (::geteuid() == 0) return 65534;
    std::vector<gid_t> groups(256);
    const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
    for (int i = 0; i < count; ++i)
        if (groups[static_cast<std::size_t>(i)] != ::getegid()) return groups[static_cast<std::size_t>(i)];
    return ::getegid();
}

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 1; }

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2) {
        look(std::string(argv[1]) == "privileged");
    }
    const ScratchFolder scratch;
    const fs::path copy = scratch / "program";
    fs::copy_file("/proc/self/exe", copy);
    const int plain = exit_code(run(copy.string(), "plain", scratch.path()));
    if (plain != 0) {
        std::printf("without more rights: exit code %d\n", plain);
        return plain == cannot ? 1 : plain;
    }
    const gid_t group = other_group();
    ::chmod(scratch.path().c_str(), 0755);
    if (group == ::getegid() || ::chown(copy.c_str(), static_cast<uid_t>(-1), group) != 0 ||
        ::chmod(copy.c_str(), 02755) != 0) {
        std::puts("skipped: no other group to run as");
        return cannot;
    }
    const int privileged = exit_code(run(copy.string(), "privileged", scratch.path()));
    if (privileged == cannot) std::puts("skipped: this file system gives no rights with a file");
    return privileged;
}
