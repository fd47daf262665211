#include "compile/request.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/plugin.hpp>
#include <gemel/core/text.hpp>

#include "compile/kept_sources.hpp"
#include "compile/private_folder.hpp"
#include "compile/program_files.hpp"
#include "language/declaration.hpp"

#include <algorithm>
#include <system_error>

namespace gemel {
namespace {

namespace fs = std::filesystem;

/// The fields with their lengths, so that different lists give different keys.
void add_field(std::string& key, std::string_view field) {
    key += std::to_string(field.size());
    key += ':';
    key += field;
    key += '\n';
}

std::vector<fs::path> absolute_folders(const std::vector<fs::path>& folders) {
    std::vector<fs::path> result;
    for (const auto& folder : folders) {
        std::error_code failure;
        result.push_back(fs::absolute(folder, failure));
        if (folder.empty() || failure)
            throw ArgumentError(text("compile: include_directories names '", folder.string(),
                                     "', which is not a folder",
                                     failure ? text(": ", failure.message()) : std::string()));
    }
    return result;
}

constexpr const char* kernel_begin = "kernel_begin";

bool has_section(const Dialect& dialect, std::string_view name) {
    return std::any_of(dialect.sections.begin(), dialect.sections.end(),
                       [&](const Dialect::Section& section) { return section.name == name; });
}

}  // namespace

Request::Request(const plugin::Context& plugin, const std::string& marked, bool is_portable,
                 const CompileOptions& given, const fs::path& directory)
    : portable(is_portable), options(with_environment(given)) {
    check_program("compile", marked, options);
    source = without_mark(marked);
    options.include_directories = absolute_folders(options.include_directories);
    includes = files_of_program(plugin, source, options, directory);
    if (!directory.empty()) options.include_directories.insert(options.include_directories.begin(), directory);
    words = plugin.compiler_options(options);
}

std::string Request::memory_key() const {
    std::string key = portable ? "portable\n" : "native\n";
    for (const auto& word : words) add_field(key, word);
    for (const auto& [name, value] : options.defines) add_field(key, text(name, "=", value));
    add_field(key, text(options.fp_contract, options.debug, options.name));
    add_field(key, source);
    for (const auto& file : includes.files) add_field(key, text(file.path.string(), "\n", file.text));
    for (const auto& stamp : includes.stamps) add_field(key, stamp);
    return key;
}

std::string Request::begun_source() const {
    for (const auto& [name, value] : options.defines)
        if (mentions_kernel(value)) return source;
    for (const auto& file : includes.files)
        if (mentions_kernel(file.text)) return source;
    std::string begun;
    std::size_t from = 0;
    for (const std::size_t body : kernel_bodies(source)) {
        begun += source.substr(from, body - from) + " gemel_kernel_begin ";
        from = body;
    }
    return begun + source.substr(from);
}

WholeText Request::whole_text(const Dialect& dialect, bool is_whole_program) const {
    const std::string source =
        portable && is_whole_program && !options.debug && has_section(dialect, kernel_begin) ? begun_source() : this->source;
    WholeText whole{.text = {}, .shown_name = line_name(options.name), .kept = {}};
    if (!options.fp_contract && !dialect.fp_contract_off.empty()) whole.text += dialect.fp_contract_off + "\n";
    whole.text += define_lines(options);
    if (portable) {
        std::string program = with_includes(source);
        for (const auto& [name, value] : options.defines) program += text("\n", value);
        whole.text += prelude(dialect, program);
    }
    if (!options.debug) {
        whole.text += text("#line 1 \"", whole.shown_name, "\"\n", source);
        return whole;
    }
    // Debuggers need a file with the lines that the compiler read.
    whole.text += source;
    const auto folder = writable_cache_folder();
    whole.kept = keep_source(folder ? *folder / "src" : process_folder("src"), whole.text, dialect.file_extension);
    if (!whole.kept.empty()) whole.shown_name = whole.kept;
    logging::write(logging::Level::info, "debug", text("source of '", options.name, "' kept as ", whole.kept));
    return whole;
}

std::string Request::disk_key(const WholeText& whole, std::string_view device, std::string_view fingerprint) const {
    std::string key = text(options.name, " for ", device, "\n");
    add_field(key, "gemel kernel, format 3");
    add_field(key, fingerprint);
    for (const auto& word : words) add_field(key, word);
    add_field(key, whole.text);
    for (const auto& file : includes.files) add_field(key, text(file.path.filename().string(), "\n", file.text));
    for (const auto& name : includes.unresolved) add_field(key, name);
    for (const auto& stamp : includes.stamps) add_field(key, stamp);
    return key;
}

std::vector<KernelSignature> Request::signatures() const {
    std::vector<KernelSignature> all = parse_kernels(with_includes(source));
    if (portable) return all;
    const auto differs = [](DType t) {
        return t.lanes() == 3 || t.lanes() > 4 || (t.lanes() == 4 && t.size_bytes() > 16);
    };
    for (KernelSignature& kernel : all)
        for (Parameter& parameter : kernel.parameters)
            if (differs(parameter.dtype)) parameter.dtype = {};
    return all;
}

std::string Request::with_includes(const std::string& program) const {
    std::string all;
    for (const auto& file : includes.files) all += file.text + "\n";
    return all + program;
}

}  // namespace gemel
