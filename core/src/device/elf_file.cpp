#include "device/elf_file.hpp"

#include <gemel/core/text.hpp>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.hpp"

namespace gemel {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Dynamic = ElfW(Dyn);

constexpr unsigned own_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned own_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
#if defined(__x86_64__)
constexpr unsigned own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned own_machine = EM_AARCH64;
#else
constexpr unsigned own_machine = EM_NONE;  // not compared
#endif

constexpr std::size_t max_segments = 1024;
constexpr std::size_t max_dynamic_entries = 4096;
constexpr std::size_t longest_name = 4096;

std::string machine_name(unsigned machine) {
    switch (machine) {
        case EM_386: return "x86 (32 bits)";
        case EM_X86_64: return "x86-64";
        case EM_ARM: return "arm (32 bits)";
        case EM_AARCH64: return "arm64";
        case EM_PPC64: return "ppc64";
        case EM_RISCV: return "riscv";
        case EM_S390: return "s390x";
        default: return text("ELF machine ", machine);
    }
}

/// One file with its size; every read is inside it.
class Reader {
   public:
    explicit Reader(const std::filesystem::path& path)
        : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), failure_(file_ ? 0 : errno) {
        struct stat status {};
        if (file_ && ::fstat(file_.get(), &status) == 0 && S_ISREG(status.st_mode)) {
            size_ = static_cast<std::uint64_t>(status.st_size);
        } else if (failure_ == 0) {
            failure_ = EINVAL;
        }
    }
    int failure() const { return failure_; }
    std::uint64_t size() const { return size_; }
    bool holds(std::uint64_t offset, std::uint64_t bytes) const { return offset <= size_ && bytes <= size_ - offset; }
    bool read(std::uint64_t offset, void* to, std::size_t bytes) const {
        return holds(offset, bytes) &&
               ::pread(file_.get(), to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
    }

   private:
    File file_;
    int failure_;
    std::uint64_t size_ = 0;
};

std::string check_header(const Header& header) {
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "it is not a shared library: it has no ELF header";
    if (header.e_ident[EI_CLASS] != own_class || header.e_ident[EI_DATA] != own_order ||
        (own_machine != EM_NONE && header.e_machine != own_machine))
        return text("it was built for another machine: for ", machine_name(header.e_machine), ", and this is ",
                    machine_name(own_machine));
    if (header.e_type != ET_DYN || header.e_phentsize != sizeof(Segment))
        return "it is an ELF file, but not a shared library";
    return {};
}

/// The size that the file must have for its header's tables and its segments.
std::uint64_t bytes_needed(const Header& header, const std::vector<Segment>& segments) {
    const auto end = [](std::uint64_t offset, std::uint64_t bytes) {
        return bytes > UINT64_MAX - offset ? UINT64_MAX : offset + bytes;
    };
    std::uint64_t most = end(header.e_shoff, std::uint64_t{header.e_shentsize} * header.e_shnum);
    for (const Segment& segment : segments)
        if (segment.p_type != PT_NULL) most = std::max(most, end(segment.p_offset, segment.p_filesz));
    return most;
}

std::optional<std::uint64_t> offset_of(std::uint64_t address, const std::vector<Segment>& segments) {
    for (const Segment& segment : segments)
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
            return segment.p_offset + (address - segment.p_vaddr);
    return std::nullopt;
}

std::string string_at(const Reader& file, std::uint64_t offset) {
    std::string name;
    for (char c = 0; name.size() < longest_name && file.read(offset + name.size(), &c, 1) && c != '\0';) name += c;
    return name;
}

std::vector<std::string> read_needed(const Reader& file, const std::vector<Segment>& segments) {
    std::vector<std::uint64_t> offsets;
    std::optional<std::uint64_t> strings;
    for (const Segment& segment : segments) {
        if (segment.p_type != PT_DYNAMIC) continue;
        Dynamic entry{};
        for (std::size_t i = 0; i < max_dynamic_entries && (i + 1) * sizeof entry <= segment.p_filesz; ++i) {
            if (!file.read(segment.p_offset + i * sizeof entry, &entry, sizeof entry) || entry.d_tag == DT_NULL) break;
            if (entry.d_tag == DT_NEEDED) offsets.push_back(entry.d_un.d_val);
            if (entry.d_tag == DT_STRTAB) strings = offset_of(entry.d_un.d_ptr, segments);
        }
    }
    std::vector<std::string> names;
    if (strings)
        for (const std::uint64_t offset : offsets) names.push_back(string_at(file, *strings + offset));
    return names;
}

}  // namespace

ElfFile read_elf(const std::filesystem::path& path) {
    const Reader file(path);
    if (file.failure() == EINVAL) return {"it is not a file", {}};
    if (file.failure() != 0) return {std::generic_category().message(file.failure()), {}};
    Header header{};
    if (!file.read(0, &header, sizeof header))
        return {"it is not a shared library: it is too short for an ELF header", {}};
    if (std::string trouble = check_header(header); !trouble.empty()) return {std::move(trouble), {}};
    const auto cut = [&](std::uint64_t needed) {
        return ElfFile{text("it is cut short: it has ", file.size(), " bytes and needs ", needed), {}};
    };
    if (header.e_phnum > max_segments) return {"its ELF header is damaged", {}};
    std::vector<Segment> segments(header.e_phnum);
    const std::size_t table_bytes = segments.size() * sizeof(Segment);
    if (!file.read(header.e_phoff, segments.data(), table_bytes)) return cut(header.e_phoff + table_bytes);
    if (const std::uint64_t needed = bytes_needed(header, segments); needed > file.size()) return cut(needed);
    return {{}, read_needed(file, segments)};
}

std::string why_not_loadable(const std::filesystem::path& path) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> sanitizers{{
        {"libasan.so", "AddressSanitizer"},
        {"libtsan.so", "ThreadSanitizer"},
        {"liblsan.so", "LeakSanitizer"},
        {"libhwasan.so", "HWAddressSanitizer"},
    }};
    const ElfFile found = read_elf(path);
    if (!found.trouble.empty()) return found.trouble;
    for (const std::string& name : found.needed) {
        for (const auto& [library, sanitizer] : sanitizers) {
            if (!name.starts_with(library)) continue;
            if (void* const loaded = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
                ::dlclose(loaded);
                continue;
            }
            return text("it was built with ", sanitizer, ", whose ", name,
                        " must be in a process from its start; build the program with it too, or the plug-in without");
        }
    }
    return {};
}

}  // namespace gemel
