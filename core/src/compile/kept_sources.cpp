#include "compile/kept_sources.hpp"

#include <gemel/core/disk_cache.hpp>
#include <gemel/core/environment.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include "compile/private_folder.hpp"

#include <cctype>
#include <system_error>

namespace gemel {

namespace fs = std::filesystem;

std::optional<fs::path> writable_cache_folder() {
    const auto folder = DiskCache::default_folder();
    if (!folder || env::get("GEMEL_CACHE").value_or("on") != "on") return std::nullopt;
    return why_distrusted(*folder).empty() ? folder : std::nullopt;
}

namespace {

/// A link without blanks in its name to a folder that has some; empty where none can be made.
fs::path alias_of(const std::string& name) {
    const auto kept = writable_cache_folder();
    const fs::path folder = kept ? *kept / "include" : process_folder("include"), alias = folder / digest(name);
    std::error_code failure;
    if (fs::read_symlink(alias, failure) == name) return alias;
    make_private_folder(folder);
    fs::create_directory_symlink(name, alias, failure);
    return fs::read_symlink(alias, failure) == name ? alias : fs::path();
}

}  // namespace

std::vector<fs::path> folders_without_spaces(std::vector<fs::path> folders) {
    for (auto& folder : folders) {
        if (folder.string().find_first_of(" \t\"'") == std::string::npos) continue;
        if (const fs::path alias = alias_of(folder.string()); !alias.empty()) folder = alias;
    }
    return folders;
}

std::string keep_source(const fs::path& folder, std::string_view source, const std::string& extension) {
    const fs::path file = folder / (digest(source).substr(0, 16) + extension);
    return write_private_file(file, source) ? file.string() : std::string();
}

void dump(const std::string& folder, const Dump& what) {
    std::string stem = fs::path(what.name).stem().string();
    for (char& c : stem)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '_';
    const fs::path base = fs::path(folder) / text(stem, "-", digest(text(what.source, what.options)).substr(0, 8));
    bool written = write_private_file(base.string() + std::string(what.extension), what.source);
    written &= write_private_file(base.string() + ".options", std::string(what.options) + "\n");
    written &= write_private_file(base.string() + ".log", what.log);
    written &= write_private_file(base.string() + ".bin",
                                  {reinterpret_cast<const char*>(what.binary.data()), what.binary.size()});
    if (!written) logging::write(logging::Level::warn, "dump", text("GEMEL_DUMP: cannot write ", base.string()));
}

}  // namespace gemel
