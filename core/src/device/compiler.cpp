/// From text to a loaded program: from memory, from disk, or by the compiler; one build per key at a time.
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
#include "device/bundled.hpp"
#include "device/state.hpp"
#include "device/timed.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <filesystem>
#include <set>
#include <system_error>

namespace gemel {
namespace {

/// Why the process can open no files, for example because too many are open. Then the text is not at fault.
std::string why_no_file_opens() {
    const int descriptor = ::open("/", O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) ::close(descriptor);
    return descriptor < 0 && (errno == EMFILE || errno == ENFILE) ? std::generic_category().message(errno)
                                                                  : std::string();
}

/// Threads that request the same program build it once.
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

/// A program that is loaded in this life of the context, or null.
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

bool are_cacheable(std::span<const Request> units) {
    return std::all_of(units.begin(), units.end(),
                       [](const Request& unit) { return unit.includes.cacheable && unit.options.use_cache; });
}

/// "unit 1, unit 2"
std::string joined_name(std::span<const Request> units) {
    std::vector<std::string> names;
    for (const Request& unit : units) names.push_back(unit.options.name);
    return join(names);
}

/// A key from the keys of several units, with their lengths, so that different lists give different keys.
std::string joined_key(const std::vector<std::string>& keys, const std::string& label) {
    if (keys.size() == 1) return keys.front();
    std::string all = label + "\n";
    for (const std::string& key : keys) all += text("unit of ", key.size(), "\n", key);
    return all;
}

/// Builds one program from one request, or from several that are linked, and loads it. The context may be lost at each
/// step; `driver->call` reports that.
class Compilation {
   public:
    Compilation(ContextState& context, std::shared_ptr<DriverContext> driver, std::span<const Request> units)
        : context_(context),
          driver_(std::move(driver)),
          units_(units),
          name_(joined_name(units)),
          options_(join(units.front().words, " ")),
          dump_folder_(env::get("GEMEL_DUMP")),
          cache_(std::make_shared<DiskCache>(are_cacheable(units) && !units.front().options.debug
                                                 ? DiskCache::kernels()
                                                 : DiskCache({}, 0, DiskCache::Mode::off))),
          module_(share(new ModuleState)) {
        module_->driver = driver_;
        std::vector<std::string> keys;
        for (const Request& unit : units) {
            whole_.push_back(unit.whole_text(*context.dialect, units.size() == 1));
            keys.push_back(unit.disk_key(whole_.back(), driver_->info().name, context_fingerprint(*context.device)));
            for (auto& signature : unit.signatures()) module_->signatures.push_back(std::move(signature));
        }
        if (units.size() == 1) module_->text = {units.front().portable, units.front().source, units.front().options};
        key_ = joined_key(keys, text(name_, " for ", driver_->info().name));
    }

    std::shared_ptr<ModuleState> run() {
        const auto profile = collecting();
        const double begin_us = profile ? profile->now_us() : 0;
        const bool is_bundled = units_.front().options.use_cache && load_bundled(), found = is_bundled || load();
        if (!found) {
            build();
            store();
        }
        if (anyone_records()) record();
        if (profile) note_program(*profile, *driver_, name_, found ? "found on disk" : "compiled", begin_us);
        if (!is_bundled) store_again_after_launch();
        return module_;
    }

   private:
    /// Loads from a bundle in use. @returns false if none has the program
    bool load_bundled() {
        const std::string key = bundle_key(units_, whole_, context_.dialect->name);
        return driver_->call([&](plugin::Context& plugin) {
            const auto bundled = fitting_program(*driver_, plugin, key, context_.dialect->name);
            if (!bundled) return false;
            take(plugin, bundled->program);
            bundled_target_ = bundled->target;
            logging::write(logging::Level::debug, "bundle",
                           text("'", name_, "' comes from a bundle, for ", bundled->target));
            return true;
        });
    }

    void take(plugin::Context& plugin, std::span<const std::byte> stored) {
        auto unpacked = unpack_binary(stored);
        if (!unpacked) throw Error("an entry that is not a program");
        module_->module = plugin.load_with(unpacked->binary, units_.front().options.jit).module;
        module_->build_log = std::move(unpacked->log);
        binary_bytes_ = unpacked->binary.size();
        dump_program("(not compiled: from a cache or a bundle)\n", unpacked->binary);
        show_log();
    }

    /// Warnings are shown even if the program was compiled earlier.
    void show_log() const {
        if (module_->build_log.find_first_not_of(" \t\r\n") != std::string::npos)
            logging::write(logging::Level::info, "compiler", text("'", name_, "': ", module_->build_log));
    }

    void record() {
        driver_->call([&](plugin::Context& plugin) {
            record_for_bundle(*driver_, plugin,
                              {.key = bundle_key(units_, whole_, context_.dialect->name),
                               .name = name_,
                               .dialect = context_.dialect->name,
                               .target = bundled_target_,
                               .program = packed(module_->module->binary())},
                              units_.front().options, requests(plugin), module_->signatures);
        });
    }

    std::vector<std::byte> packed(std::span<const std::byte> binary) const {
        return pack_binary(module_->signatures, module_->build_log, binary);
    }

    std::vector<plugin::BuildRequest> requests(const plugin::Context& plugin) const {
        std::vector<plugin::BuildRequest> all;
        for (std::size_t i = 0; i < units_.size(); ++i) {
            CompileOptions last = units_[i].options;
            last.include_directories = folders_without_spaces(last.include_directories);
            const WholeText& whole = whole_[i];
            all.push_back({whole.text, whole.shown_name, plugin.compiler_options(last), last.jit, module_->signatures});
        }
        return all;
    }

    /// Loads from the disk cache. @returns false if it is not there
    bool load() {
        const auto stored = cache_->get(key_);
        if (!stored) return false;
        try {
            driver_->call([&](plugin::Context& plugin) { take(plugin, *stored); });
            Counters::add(context_.counters->disk_hits);
            logging::write(logging::Level::debug, "cache", text("disk hit for '", name_, "'"));
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

    /// Compiles with the driver's compiler. @throws CompileError if that fails
    void build() {
        if (env::get("GEMEL_COMPILE") == "off")
            throw BackendUnavailable(text("compile: GEMEL_COMPILE=off forbids compilers, and '", name_,
                                          "' is in no bundle and no cache for ", driver_->description(),
                                          "; record it with GEMEL_BUNDLE_RECORD on a device of that kind"));
        try {
            driver_->call([&](plugin::Context& plugin) {
                std::optional<FileLock> alone;
                if (!driver_->build_lock.empty()) alone.emplace(driver_->build_lock);
                const auto all = requests(plugin);
                auto result = all.size() > 1 ? plugin.link(all) : plugin.build(all.front());
                module_->module = std::move(result.module);
                module_->build_log = std::move(result.log);
            });
            [[maybe_unused]] static const bool watched = (watch_process(), true);
        } catch (const plugin::BuildFailure& refused) {
            refuse_without_files(refused.log);
            explain(refused);
        } catch (const Error& refused) {
            refuse_without_files(refused.what());
            throw;
        }
        Counters::add(context_.counters->compilations);
        show_log();
    }

    /// Compilers and drivers open files themselves, and report misleading errors if they cannot.
    void refuse_without_files(std::string_view said) {
        if (const std::string why = why_no_file_opens(); !why.empty())
            throw Error(text("compile: cannot compile '", name_, "' for ", driver_->description(), ": ", why,
                             "; raise the limit (ulimit -n) or close some files. The driver said: ", said));
    }

    [[noreturn]] void explain(const plugin::BuildFailure& refused) {
        dump_program(refused.log, {});
        const std::optional<std::size_t> at = units_.size() == 1 ? 0 : refused.unit;
        if (!at)
            throw CompileError(
                text("link: the units ", name_, " do not link into one program for ", driver_->description(),
                     "; define each function that is called in exactly one unit. The linker says:\n", refused.log),
                whole_text(), refused.log);
        const WholeText& whole = whole_[*at];
        const Request& unit = units_[*at];
        std::string log = refused.log, kept = whole.kept;
        if (!driver_->plugin->logs_follow_line_directives()) log = renumber_log(log, whole.text);
        if (const auto folder = writable_cache_folder(); folder && kept.empty())
            kept = keep_source(*folder / "src", whole.text, context_.dialect->file_extension);
        const std::string& shown = unit.options.debug ? whole.text : unit.source;
        const std::string note =
            driver_->info().has_double ? "" : note_of_double(unit.options.name, driver_->description(), unit.source);
        throw CompileError(render({unit.options.name, driver_->description(), shown, log, options_, kept}) + note,
                           whole.text, log);
    }

    /// Of all units.
    std::string whole_text() const {
        std::string all;
        for (const WholeText& whole : whole_) all += (all.empty() ? "" : "\n") + whole.text;
        return all;
    }

    void store() {
        const bool cached = cache_->mode() == DiskCache::Mode::on;
        if (!cached && !dump_folder_) return;
        driver_->call([&](plugin::Context&) {
            const auto binary = module_->module->binary();
            binary_bytes_ = binary.size();
            dump_program(module_->build_log, binary);
            if (cached) cache_->put(key_, packed(binary));
        });
    }

    /// Stores the binary again if the driver has extended it at a first launch.
    void store_again_after_launch() {
        if (!module_->module->finishes_at_first_launch() || cache_->mode() != DiskCache::Mode::on) return;
        auto last_size = std::make_shared<std::size_t>(binary_bytes_);
        module_->refresh_binary = [cache = cache_, key = key_, last_size, raw = module_.get()] {
            try {
                const auto binary = raw->module->binary();
                if (binary.size() == std::exchange(*last_size, binary.size())) return;
                cache->put(key, pack_binary(raw->signatures, raw->build_log, binary));
            } catch (const std::exception& error) {
                logging::write(logging::Level::warn, "cache", text("cannot store a completed program: ", error.what()));
            }
        };
    }

    void dump_program(const std::string& log, std::span<const std::byte> binary) {
        if (dump_folder_)
            dump(*dump_folder_, {.name = name_,
                                 .extension = context_.dialect->file_extension,
                                 .source = whole_text(),
                                 .options = options_,
                                 .log = log,
                                 .binary = binary});
    }

    ContextState& context_;
    std::shared_ptr<DriverContext> driver_;
    std::span<const Request> units_;
    std::vector<WholeText> whole_;  ///< one per unit
    std::string name_;
    std::string key_;
    std::string options_;
    std::optional<std::string> dump_folder_;
    std::shared_ptr<DiskCache> cache_;
    std::shared_ptr<ModuleState> module_;
    std::string bundled_target_;    ///< the target, if it came from a bundle
    std::size_t binary_bytes_ = 0;  ///< stored in the disk cache
};

}  // namespace

std::string context_fingerprint(const Device::State& device) {
    return text("gemel ", GEMEL_VERSION, "; ", device.device->fingerprint());
}

/// From memory, or by one thread while others wait.
static std::shared_ptr<ModuleState> find_or_compile(ContextState& context, const std::shared_ptr<DriverContext>& driver,
                                                    std::span<const Request> units) {
    std::vector<std::string> keys;
    for (const Request& unit : units) {
        if (!unit.includes.cacheable || !unit.options.use_cache) {
            logging::write(
                logging::Level::info, "cache",
                text("'", unit.options.name, "' is not cached: ",
                     unit.options.use_cache ? unit.includes.why_not : std::string("its options ask for that")));
            return Compilation(context, driver, units).run();
        }
        keys.push_back(unit.memory_key());
    }
    const std::string key = joined_key(keys, "linked");
    if (auto module = find_loaded(context, key, driver.get())) return module;
    const BuildTurn turn(text(driver->id, "\n", key));
    if (auto module = find_loaded(context, key, driver.get())) return module;
    auto module = Compilation(context, driver, units).run();
    remember(context, key, module);
    return module;
}

std::shared_ptr<ModuleState> compile_program(const std::shared_ptr<ContextState>& context, const std::string& marked,
                                             bool portable, const CompileOptions& given,
                                             const std::filesystem::path& directory) {
    const auto driver = context->driver();
    driver->check();
    const std::array units{Request(*driver->plugin, marked, portable, given, directory)};
    return find_or_compile(*context, driver, units);
}

std::shared_ptr<ModuleState> link_program(const std::shared_ptr<ContextState>& context, std::span<const UnitText> texts,
                                          const CompileOptions& given) {
    const auto driver = context->driver();
    driver->check();
    std::vector<Request> units;
    for (const UnitText& unit : texts) {
        CompileOptions options = given;
        options.name = unit.name;
        units.emplace_back(*driver->plugin, unit.text, unit.is_portable, options, std::filesystem::path());
    }
    return find_or_compile(*context, driver, units);
}

}  // namespace gemel
