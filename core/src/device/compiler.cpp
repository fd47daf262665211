/// From text to a loaded program: memory, then disk, then the compiler; one build per key at a time.
#include <gemel/core/environment.hpp>
#include <gemel/core/file_lock.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>
#include <gemel/core/version.hpp>

#include "compile/private_folder.hpp"
#include "compile/diagnostics.hpp"
#include "compile/program_files.hpp"
#include "device/state.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>

namespace gemel {
namespace {

namespace fs = std::filesystem;

/// Fields with their lengths, so that no two lists of fields make the same key.
void add_field(std::string& key, std::string_view field) {
    key += std::to_string(field.size());
    key += ':';
    key += field;
    key += '\n';
}

/// The folder of the disk cache, if files may be written there: not with GEMEL_CACHE=off or readonly, nor if it is not
/// this user's alone.
std::optional<fs::path> writable_cache_folder() {
    const auto folder = DiskCache::default_folder();
    if (!folder || env::get("GEMEL_CACHE").value_or("on") != "on") return std::nullopt;
    return why_distrusted(*folder).empty() ? folder : std::nullopt;
}

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

std::vector<fs::path> absolute_folders(const std::vector<fs::path>& folders) {
    std::vector<fs::path> result;
    for (const auto& folder : folders) {
        std::error_code failure;
        result.push_back(fs::absolute(folder, failure));
        if (folder.empty() || failure)
            throw ArgumentError(text("compile: include_directories has '", folder.string(), "', which is no folder",
                                     failure ? text(": ", failure.message()) : std::string()));
    }
    return result;
}

/// Compilers take include folders as words of one line: a folder whose name has spaces gets an alias without.
std::vector<fs::path> folders_without_spaces(std::vector<fs::path> folders) {
    for (auto& folder : folders) {
        if (folder.string().find_first_of(" \t\"'") == std::string::npos) continue;
        if (const fs::path alias = alias_of(folder.string()); !alias.empty()) folder = alias;
    }
    return folders;
}

/// Keeps a text for people and debuggers. Returns where, or nothing if it could not be written.
std::string keep_source(const fs::path& folder, std::string_view source, const std::string& extension) {
    const fs::path file = folder / (digest(source).substr(0, 16) + extension);
    return write_private_file(file, source) ? file.string() : std::string();
}

/// Why the process can open no file at all, as when too many are open: then it is not the text that is at fault.
std::string why_no_file_opens() {
    const int descriptor = ::open("/", O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) ::close(descriptor);
    return descriptor < 0 && (errno == EMFILE || errno == ENFILE) ? std::generic_category().message(errno)
                                                                  : std::string();
}

void dump(const std::string& folder, const std::string& name, const std::string& extension, std::string_view source,
          const std::string& options, const std::string& log, std::span<const std::byte> binary) {
    std::string stem = fs::path(name).stem().string();
    for (char& c : stem)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '_';
    const fs::path base = fs::path(folder) / text(stem, "-", digest(text(source, options)).substr(0, 8));
    bool written = write_private_file(base.string() + extension, source);
    written &= write_private_file(base.string() + ".options", options + "\n");
    written &= write_private_file(base.string() + ".log", log);
    written &=
        write_private_file(base.string() + ".bin", {reinterpret_cast<const char*>(binary.data()), binary.size()});
    if (!written) logging::write(logging::Level::warn, "dump", text("GEMEL_DUMP: cannot write ", base.string()));
}

/// Threads that want the same program build it once.
class BuildTurn {
   public:
    explicit BuildTurn(std::string key) : key_(std::move(key)) {
        auto& s = shared();
        std::unique_lock lock(s.mutex);
        s.changed.wait(lock, [&] { return !s.busy.contains(key_); });
        s.busy.insert(key_);
    }
    ~BuildTurn() {
        auto& s = shared();
        {
            std::lock_guard lock(s.mutex);
            s.busy.erase(key_);
        }
        s.changed.notify_all();
    }
    BuildTurn(const BuildTurn&) = delete;
    BuildTurn& operator=(const BuildTurn&) = delete;

   private:
    struct Shared {
        std::mutex mutex;
        std::condition_variable changed;
        std::set<std::string> busy;
    };
    static Shared& shared() {
        static auto* const instance = new Shared;
        return *instance;
    }
    std::string key_;
};

std::shared_ptr<ModuleState> find_loaded(ContextState& context, const std::string& key, const DriverContext* driver) {
    std::lock_guard lock(context.modules_mutex);
    const auto found = context.module_index.find(key);
    if (found == context.module_index.end() || found->second->module->driver.get() != driver) return nullptr;
    context.modules.splice(context.modules.begin(), context.modules, found->second);
    return found->second->module;
}

void remember(ContextState& context, const std::string& key, std::shared_ptr<ModuleState> module) {
    std::lock_guard lock(context.modules_mutex);
    if (const auto found = context.module_index.find(key); found != context.module_index.end()) {
        context.modules.erase(found->second);
        context.module_index.erase(found);
    }
    context.modules.push_front({key, std::move(module)});
    context.module_index[key] = context.modules.begin();
    if (context.modules.size() > ContextState::loaded_limit) {
        context.module_index.erase(context.modules.back().key);
        context.modules.pop_back();
    }
}

/// The program with all that it includes, for whoever reads kernels or words out of it. Macros of included files come
/// before their use.
std::string with_includes(const std::string& source, const Includes& includes) {
    std::string all;
    for (const auto& file : includes.files) all += file.text + "\n";
    return all + source;
}

constexpr std::string_view container_magic = "gemel program 1\n";

struct Unpacked {
    std::vector<KernelSignature> signatures;
    std::span<const std::byte> binary;
};

/// Nothing if the bytes are no container of ours. @throws Error if they are, but damaged
std::optional<Unpacked> unpack_binary(std::span<const std::byte> bytes) {
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!all.starts_with(container_magic)) return std::nullopt;
    std::string_view rest = all.substr(container_magic.size());
    const auto damaged = [] { return Error("the binary is damaged or cut short; build it again"); };
    const auto line = [&] {
        const auto end = rest.find('\n');
        if (end == std::string_view::npos) throw damaged();
        const auto found = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        return found;
    };
    const std::string checksum(line());
    if (digest(rest) != checksum) throw damaged();
    const std::string_view number = line();
    std::size_t length = 0;
    const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), length);
    if (failure != std::errc() || end != number.data() + number.size() || length > rest.size()) throw damaged();
    return Unpacked{deserialize_signatures(rest.substr(0, length)), bytes.subspan(bytes.size() - rest.size() + length)};
}

}  // namespace

const std::string& NativeSource::text(const Dialect& dialect) const {
    const std::string* found = dialect.name == "cuda" ? &cuda : dialect.name == "opencl" ? &opencl : nullptr;
    if (!found)
        if (const auto at = other.find(dialect.name); at != other.end()) found = &at->second;
    if (found && !found->empty()) return *found;
    std::vector<std::string> given;
    if (!cuda.empty()) given.push_back("cuda");
    if (!opencl.empty()) given.push_back("opencl");
    for (const auto& [name, unused] : other) given.push_back(name);
    throw ArgumentError(gemel::text("this NativeSource has no text for the dialect '", dialect.name, "' of the context",
                                    given.empty() ? "" : "; it has " + join(given)));
}

std::vector<std::byte> pack_binary(const std::vector<KernelSignature>& signatures, std::span<const std::byte> binary) {
    const std::string described = serialize(signatures);
    std::string body = text(described.size(), "\n", described);
    body.append(reinterpret_cast<const char*>(binary.data()), binary.size());
    const std::string all = text(container_magic, digest(body), "\n", body);
    const auto* bytes = reinterpret_cast<const std::byte*>(all.data());
    return {bytes, bytes + all.size()};
}

std::string context_fingerprint(const Device::State& device) {
    return text("gemel ", GEMEL_VERSION, "; ", device.device->fingerprint());
}

std::shared_ptr<ModuleState> load_program(const std::shared_ptr<ContextState>& context,
                                          std::span<const std::byte> binary) {
    if (binary.empty()) throw ArgumentError("load_binary: there are no bytes");
    const auto driver = context->driver();
    return driver->call([&](plugin::Context& plugin) {
        auto module = share(new ModuleState);
        module->driver = driver;
        if (auto unpacked = unpack_binary(binary)) {
            module->signatures = std::move(unpacked->signatures);
            module->module = plugin.load(unpacked->binary);
        } else {
            module->module = plugin.load(binary);
        }
        return module;
    });
}

std::shared_ptr<ModuleState> compile_program(const std::shared_ptr<ContextState>& context, const std::string& marked,
                                             bool portable, const CompileOptions& given, const fs::path& directory) {
    const auto driver = context->driver();
    driver->check();
    const Dialect& dialect = *context->dialect;
    CompileOptions options = with_environment(given);
    check_program("compile", marked, options);
    const std::string source(without_mark(marked));
    options.include_directories = absolute_folders(options.include_directories);
    const Includes includes = files_of_program(*driver->plugin, source, options, directory);
    if (!directory.empty()) options.include_directories.insert(options.include_directories.begin(), directory);

    // Known already in this process?
    std::string memory_key = portable ? "portable\n" : "native\n";
    const std::vector<std::string> words = driver->plugin->compiler_options(options);
    for (const auto& word : words) add_field(memory_key, word);
    for (const auto& [name, value] : options.defines) add_field(memory_key, text(name, "=", value));
    add_field(memory_key, text(options.fp_contract, options.debug, options.name));
    add_field(memory_key, source);
    for (const auto& file : includes.files) add_field(memory_key, text(file.path.string(), "\n", file.text));
    for (const auto& stamp : includes.stamps) add_field(memory_key, stamp);
    const bool cacheable = includes.cacheable;
    if (cacheable) {
        if (auto module = find_loaded(*context, memory_key, driver.get())) {
            Counters::add(context->counters->memory_hits);
            return module;
        }
    } else {
        logging::write(logging::Level::info, "cache", text("'", options.name, "' is not cached: ", includes.why_not));
    }
    std::optional<BuildTurn> turn;
    if (cacheable) {
        turn.emplace(text(driver->id, "\n", memory_key));
        if (auto module = find_loaded(*context, memory_key, driver.get())) {
            Counters::add(context->counters->memory_hits);
            return module;
        }
    }

    // The whole text: what must come first, the portable words, then the user's lines numbered from 1.
    std::string whole;
    if (!options.fp_contract && !dialect.fp_contract_off.empty()) whole += dialect.fp_contract_off + "\n";
    whole += define_lines(options);
    if (portable) {
        std::string program = with_includes(source, includes);
        for (const auto& [name, value] : options.defines) program += text("\n", value);
        whole += prelude(dialect, program);
    }
    std::string shown_name = line_name(options.name);
    std::string kept;
    if (options.debug) {
        // Debuggers want a file whose lines are those that the compiler saw.
        whole += source;
        const auto folder = writable_cache_folder();
        kept = keep_source(folder ? *folder / "src" : process_folder("src"), whole, dialect.file_extension);
        if (!kept.empty()) shown_name = kept;
        logging::write(logging::Level::info, "debug", text("source of '", options.name, "' kept as ", kept));
    } else {
        whole += text("#line 1 \"", shown_name, "\"\n", source);
    }

    const std::string options_text = join(words, " ");
    std::string key = text(options.name, " for ", driver->info().name, "\n");
    add_field(key, "gemel kernel, format 1");
    add_field(key, context_fingerprint(*context->device));
    for (const auto& word : words) add_field(key, word);
    add_field(key, whole);
    for (const auto& file : includes.files) add_field(key, text(file.path.filename().string(), "\n", file.text));
    for (const auto& name : includes.unresolved) add_field(key, name);
    for (const auto& stamp : includes.stamps) add_field(key, stamp);

    auto module = share(new ModuleState);
    module->driver = driver;
    module->signatures = parse_kernels(with_includes(source, includes));
    const auto dump_folder = env::get("GEMEL_DUMP");
    std::size_t binary_bytes = 0;

    const auto cache = std::make_shared<DiskCache>(
        cacheable && !options.debug ? DiskCache::kernels() : DiskCache({}, 0, DiskCache::Mode::off));
    if (auto stored = cache->get(key)) {
        try {
            driver->call([&](plugin::Context& plugin) {
                const auto unpacked = unpack_binary(*stored);
                if (!unpacked) throw Error("an entry that is no program");
                module->module = plugin.load(unpacked->binary);
                binary_bytes = unpacked->binary.size();
                if (dump_folder)
                    dump(*dump_folder, options.name, dialect.file_extension, whole, options_text,
                         "(from the disk cache)\n", unpacked->binary);
            });
            Counters::add(context->counters->disk_hits);
            logging::write(logging::Level::debug, "cache", text("disk hit for '", options.name, "'"));
        } catch (const DeviceLost&) {
            throw;
        } catch (const Error& error) {
            logging::write(logging::Level::warn, "cache",
                           text("a stored program does not load and is built again: ", error.what()));
            cache->remove(key);
            module->module.reset();
        }
    }
    if (!module->module) {
        try {
            driver->call([&](plugin::Context& plugin) {
                std::optional<FileLock> alone;
                if (!driver->build_lock.empty()) alone.emplace(driver->build_lock);
                CompileOptions last = options;
                last.include_directories = folders_without_spaces(std::move(last.include_directories));
                auto result = plugin.build({whole, shown_name, plugin.compiler_options(last)});
                module->module = std::move(result.module);
                module->build_log = std::move(result.log);
            });
            static const bool watched = (watch_process(), true);
            (void)watched;
        } catch (const plugin::BuildFailure& refused) {
            if (const std::string why = why_no_file_opens(); !why.empty())
                throw Error(
                    text("cannot compile '", shown_name, "' for ", driver->description(), ": ", why,
                         "; the process needs a higher limit (ulimit -n) or must close some. The compiler said: ",
                         refused.log));
            plugin::BuildFailure failure = refused;
            if (!driver->plugin->logs_follow_line_directives()) failure.log = renumber_log(failure.log, whole);
            if (const auto folder = writable_cache_folder(); folder && kept.empty())
                kept = keep_source(*folder / "src", whole, dialect.file_extension);
            if (dump_folder)
                dump(*dump_folder, options.name, dialect.file_extension, whole, options_text, failure.log, {});
            throw CompileError(render({options.name, driver->description(), options.debug ? whole : source, failure.log,
                                       options_text, kept}),
                               whole, failure.log);
        }
        Counters::add(context->counters->compilations);
        if (module->build_log.find_first_not_of(" \t\r\n") != std::string::npos)
            logging::write(logging::Level::info, "compiler", text("'", options.name, "': ", module->build_log));
        if (cache->mode() == DiskCache::Mode::on || dump_folder) {
            driver->call([&](plugin::Context&) {
                const auto binary = module->module->binary();
                binary_bytes = binary.size();
                if (dump_folder)
                    dump(*dump_folder, options.name, dialect.file_extension, whole, options_text, module->build_log,
                         binary);
                if (cache->mode() == DiskCache::Mode::on) cache->put(key, pack_binary(module->signatures, binary));
            });
        }
    }
    if (module->module->finishes_at_first_launch() && cache->mode() == DiskCache::Mode::on) {
        // What the driver adds at a first launch is stored too, unless nothing was added.
        auto last_size = std::make_shared<std::size_t>(binary_bytes);
        module->refresh_binary = [cache, key, last_size, raw = module.get()] {
            try {
                const auto binary = raw->module->binary();
                if (binary.size() == std::exchange(*last_size, binary.size())) return;
                cache->put(key, pack_binary(raw->signatures, binary));
            } catch (const std::exception& error) {
                logging::write(logging::Level::warn, "cache", text("cannot store a completed program: ", error.what()));
            }
        };
    }
    if (cacheable) remember(*context, memory_key, module);
    return module;
}

}  // namespace gemel
