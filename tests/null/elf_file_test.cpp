/// Files that the dynamic loader must not see: cut short, of another machine, with a sanitizer of their own.
#include "device/elf_file.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>

#include "scratch.hpp"

using namespace gemel;
using namespace gemel::testing;

namespace {

/// A shared library that every process has: the one of cos().
std::string some_library() {
    Dl_info info{};
    double (*const function)(double) = std::cos;
    REQUIRE(::dladdr(reinterpret_cast<const void*>(function), &info) != 0);
    return read_file(info.dli_fname);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a whole shared library is loadable and its needed libraries are read") {
    const ScratchFolder scratch;
    write_file(scratch / "lib.so", some_library());
    const ElfFile found = read_elf(scratch / "lib.so");
    CHECK(found.trouble.empty());
    CHECK(std::find(found.needed.begin(), found.needed.end(), "libc.so.6") != found.needed.end());
    CHECK(why_not_loadable(scratch / "lib.so").empty());
}

TEST_CASE("a library that is cut short anywhere is refused before it is loaded") {
    const ScratchFolder scratch;
    const std::string whole = some_library();
    const auto refusal_at = [&](std::size_t length) {
        write_file(scratch / "lib.so", std::string_view(whole).substr(0, length));
        return why_not_loadable(scratch / "lib.so");
    };
    for (std::size_t length = 0; length < 1024; length += length < 80 ? 1 : 61) {
        CAPTURE(length);
        CHECK_FALSE(refusal_at(length).empty());
    }
    for (std::size_t length = 1024; length < whole.size(); length += whole.size() / 23) {
        CAPTURE(length);
        CHECK(has(refusal_at(length), "it is cut short: it has " + std::to_string(length) + " bytes and needs "));
    }
    CHECK(has(refusal_at(whole.size() - 1), "cut short"));
    CHECK(refusal_at(whole.size()).empty());
}

TEST_CASE("a library with any damaged header is read inside its bounds") {
    const ScratchFolder scratch;
    const std::string whole = some_library();
    for (std::size_t i = 0; i < 64 + 4 * 56; ++i) {
        for (const int change : {0x01, 0x80, 0xff}) {
            std::string bad = whole;
            bad[i] = static_cast<char>(bad[i] ^ change);
            write_file(scratch / "lib.so", bad);
            (void)why_not_loadable(scratch / "lib.so");  // no crash; some bytes mean nothing
        }
    }
    std::string bad = whole;
    std::fill(bad.begin() + 32, bad.begin() + 64, '\xff');
    write_file(scratch / "lib.so", bad);
    CHECK_FALSE(why_not_loadable(scratch / "lib.so").empty());
}

TEST_CASE("a library of another machine is refused by that name") {
    const ScratchFolder scratch;
    std::string other = some_library();
    const auto set_machine = [&](std::uint16_t machine) {
        other[18] = static_cast<char>(machine & 0xff);
        other[19] = static_cast<char>(machine >> 8);
        write_file(scratch / "lib.so", other);
        return why_not_loadable(scratch / "lib.so");
    };
#if defined(__x86_64__)
    CHECK(set_machine(EM_AARCH64) == "it was built for another machine: for arm64, and this is x86-64");
    CHECK(has(set_machine(EM_S390), "s390x"));
#else
    CHECK(has(set_machine(EM_X86_64), "another machine: for x86-64"));
#endif
    other = some_library();
    other[4] = ELFCLASS32;
    write_file(scratch / "lib.so", other);
    CHECK(has(why_not_loadable(scratch / "lib.so"), "another machine"));
}

TEST_CASE("text and folders and programs and pipes are no libraries") {
    const ScratchFolder scratch;
    write_file(scratch / "text.so", std::string(1000, 'x'));
    CHECK(has(why_not_loadable(scratch / "text.so"), "no ELF header"));
    CHECK(why_not_loadable(scratch.path()) == "it is not a file");
    CHECK(why_not_loadable(scratch / "absent.so") == "No such file or directory");
    REQUIRE(::mkfifo((scratch / "pipe.so").c_str(), 0600) == 0);
    CHECK(why_not_loadable(scratch / "pipe.so") == "it is not a file");
}

TEST_CASE("a library with a sanitizer that the process has not is refused by its name") {
    const ScratchFolder scratch;
    write_file(scratch / "plugin.cpp", "extern \"C\" int f(int* p) { return *p; }\n");
    const std::string library = (scratch / "plugin.so").string();
    const auto build = [&](const std::string& options) {
        return std::system((GEMEL_CXX " -shared -fPIC " + options + " '" + (scratch / "plugin.cpp").string() +
                            "' -o '" + library + "' 2>/dev/null")
                               .c_str()) == 0;
    };
    REQUIRE(build(""));
    CHECK(why_not_loadable(library).empty());
    // clang links its sanitizers statically unless it is told otherwise.
    const bool built = build("-fsanitize=address -shared-libasan") || build("-fsanitize=address");
    const auto needed = built ? read_elf(library).needed : std::vector<std::string>{};
    if (std::none_of(needed.begin(), needed.end(), [](const auto& n) { return n.starts_with("libasan.so"); })) {
        MESSAGE("SKIPPED: this compiler has no shared AddressSanitizer");
        return;
    }
    if (void* const present = ::dlopen(needed.front().c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
        ::dlclose(present);
        CHECK(why_not_loadable(library).empty());
    } else {
        CHECK(has(why_not_loadable(library), "AddressSanitizer"));
    }
}

TEST_SUITE_END();
