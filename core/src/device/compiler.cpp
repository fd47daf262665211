/// From text to a loaded program: memory, then disk, then the compiler; one build per key at a time.
#include <gemel/core/disk_cache.hpp>
#include <gemel/core/environment.hpp>
#include <gemel/core/file_lock.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>
#include <gemel/core/version.hpp>

#include "compile/compiler_log.hpp"
#include "compile/diagnostics.hpp"
#include "compile/kept_sources.hpp"
#include "compile/program_binary.hpp"
#include "compile/request.hpp"
#include "device/state.hpp"
#include "device/timed.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <filesystem>
#include <set>
#include <system_error>

namespace gemel {
namespace {

/// Why the process can open no file at all, as when too many are open: then it is not the text that is at fault.
std::string why_no_file_opens() {
    const int descriptor = ::open("/", O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) ::close(descriptor);
    return descriptor < 0 && (errno == EMFILE || errno == ENFILE) ? std::generic_category().message(errno)
                                                                  : std::string();
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

/// A program that this life of the context has loaded, or null.
std::shared_ptr<ModuleState> find_loaded(ContextState& context, const std::string& key, const DriverContext* driver) {
    std::lock_guard lock(context.modules_mutex);
    const auto found = context.module_index.find(key);
    if (found == context.module_index.end() || found->second->module->driver.get() != driver) return nullptr;
    context.modules.splice(context.modules.begin(), context.modules, found->second);
    Counters::add(context.counters->memory_hits);
    if (anyone_profiles()) note_memory_hit(*driver);
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

/// One program on its way from a request to a loaded module. A context may be lost at each step: `driver->call` says
/// so.
class Compilation {
   public:
    Compilation(ContextState& context, std::shared_ptr<DriverContext> driver, const Request& request)
        : context_(context),
          driver_(std::move(driver)),
          request_(request),
          whole_(request.whole_text(*context.dialect)),
          key_(request.disk_key(whole_, driver_->info().name, context_fingerprint(*context.device))),
          options_(join(request.words, " ")),
          dump_folder_(env::get("GEMEL_DUMP")),
          cache_(std::make_shared<DiskCache>(request.includes.cacheable && !request.options.debug
                                                 ? DiskCache::kernels()
                                                 : DiskCache({}, 0, DiskCache::Mode::off))),
          module_(share(new ModuleState)) {
        module_->driver = driver_;
        module_->signatures = parse_kernels(request.with_includes());
    }

    std::shared_ptr<ModuleState> run() {
        const auto profile = collecting();
        const double begin_us = profile ? profile->now_us() : 0;
        const bool found = load();
        if (!found) {
            build();
            store();
        }
        if (profile)
            note_program(*profile, *driver_, request_.options.name, found ? "found on disk" : "compiled", begin_us);
        store_again_after_launch();
        return module_;
    }

   private:
    /// From the disk cache. @returns whether it was there
    bool load() {
        const auto stored = cache_->get(key_);
        if (!stored) return false;
        try {
            driver_->call([&](plugin::Context& plugin) {
                const auto unpacked = unpack_binary(*stored);
                if (!unpacked) throw Error("an entry that is not a program");
                module_->module = plugin.load(unpacked->binary);
                binary_bytes_ = unpacked->binary.size();
                dump_program("(from the disk cache)\n", unpacked->binary);
            });
            Counters::add(context_.counters->disk_hits);
            logging::write(logging::Level::debug, "cache", text("disk hit for '", request_.options.name, "'"));
            return true;
        } catch (const DeviceLost&) {
            throw;
        } catch (const Error& error) {
            logging::write(logging::Level::warn, "cache",
                           text("a stored program does not load and is built again: ", error.what()));
            cache_->remove(key_);
            module_->module.reset();
            return false;
        }
    }

    /// With the driver's compiler. @throws CompileError if it refuses the program
    void build() {
        try {
            driver_->call([&](plugin::Context& plugin) {
                std::optional<FileLock> alone;
                if (!driver_->build_lock.empty()) alone.emplace(driver_->build_lock);
                CompileOptions last = request_.options;
                last.include_directories = folders_without_spaces(std::move(last.include_directories));
                auto result = plugin.build({whole_.text, whole_.shown_name, plugin.compiler_options(last)});
                module_->module = std::move(result.module);
                module_->build_log = std::move(result.log);
            });
            static const bool watched = (watch_process(), true);
            (void)watched;
        } catch (const plugin::BuildFailure& refused) {
            refuse_without_files(refused.log);
            explain(refused);
        } catch (const Error& refused) {
            refuse_without_files(refused.what());
            throw;
        }
        Counters::add(context_.counters->compilations);
        if (module_->build_log.find_first_not_of(" \t\r\n") != std::string::npos)
            logging::write(logging::Level::info, "compiler",
                           text("'", request_.options.name, "': ", module_->build_log));
    }

    /// Compilers and drivers open files of their own, and blame other things when they cannot.
    void refuse_without_files(std::string_view said) {
        if (const std::string why = why_no_file_opens(); !why.empty())
            throw Error(
                text("cannot compile '", whole_.shown_name, "' for ", driver_->description(), ": ", why,
                     "; the process needs a higher limit (ulimit -n) or must close some. The driver said: ", said));
    }

    [[noreturn]] void explain(const plugin::BuildFailure& refused) {
        std::string log = refused.log, kept = whole_.kept;
        if (!driver_->plugin->logs_follow_line_directives()) log = renumber_log(log, whole_.text);
        if (const auto folder = writable_cache_folder(); folder && kept.empty())
            kept = keep_source(*folder / "src", whole_.text, context_.dialect->file_extension);
        dump_program(log, {});
        const std::string& shown = request_.options.debug ? whole_.text : request_.source;
        throw CompileError(render({request_.options.name, driver_->description(), shown, log, options_, kept}),
                           whole_.text, log);
    }

    void store() {
        const bool cached = cache_->mode() == DiskCache::Mode::on;
        if (!cached && !dump_folder_) return;
        driver_->call([&](plugin::Context&) {
            const auto binary = module_->module->binary();
            binary_bytes_ = binary.size();
            dump_program(module_->build_log, binary);
            if (cached) cache_->put(key_, pack_binary(module_->signatures, binary));
        });
    }

    /// Stores the binary again if the driver has added to it at a first launch.
    void store_again_after_launch() {
        if (!module_->module->finishes_at_first_launch() || cache_->mode() != DiskCache::Mode::on) return;
        auto last_size = std::make_shared<std::size_t>(binary_bytes_);
        module_->refresh_binary = [cache = cache_, key = key_, last_size, raw = module_.get()] {
            try {
                const auto binary = raw->module->binary();
                if (binary.size() == std::exchange(*last_size, binary.size())) return;
                cache->put(key, pack_binary(raw->signatures, binary));
            } catch (const std::exception& error) {
                logging::write(logging::Level::warn, "cache", text("cannot store a completed program: ", error.what()));
            }
        };
    }

    void dump_program(const std::string& log, std::span<const std::byte> binary) {
        if (dump_folder_)
            dump(*dump_folder_, {.name = request_.options.name,
                                 .extension = context_.dialect->file_extension,
                                 .source = whole_.text,
                                 .options = options_,
                                 .log = log,
                                 .binary = binary});
    }

    ContextState& context_;
    std::shared_ptr<DriverContext> driver_;
    const Request& request_;
    WholeText whole_;
    std::string key_;
    std::string options_;
    std::optional<std::string> dump_folder_;
    std::shared_ptr<DiskCache> cache_;
    std::shared_ptr<ModuleState> module_;
    std::size_t binary_bytes_ = 0;  ///< of what the disk cache holds
};

}  // namespace

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
                                             bool portable, const CompileOptions& given,
                                             const std::filesystem::path& directory) {
    const auto driver = context->driver();
    driver->check();
    const Request request(*driver->plugin, marked, portable, given, directory);
    if (!request.includes.cacheable) {
        logging::write(logging::Level::info, "cache",
                       text("'", request.options.name, "' is not cached: ", request.includes.why_not));
        return Compilation(*context, driver, request).run();
    }
    const std::string key = request.memory_key();
    if (auto module = find_loaded(*context, key, driver.get())) return module;
    const BuildTurn turn(text(driver->id, "\n", key));
    if (auto module = find_loaded(*context, key, driver.get())) return module;
    auto module = Compilation(*context, driver, request).run();
    remember(*context, key, module);
    return module;
}

}  // namespace gemel
