/// Finds, checks and loads plug-ins; lists devices; chooses one.
#include <gemel/core/registry.hpp>

#include <gemel/core/environment.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include "compile/diagnostics.hpp"
#include "compile/program_files.hpp"
#include "device/elf_file.hpp"
#include "device/lifetime.hpp"
#include "device/state.hpp"
#include "device/timed.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace gemel {
namespace {

namespace fs = std::filesystem;

struct Loaded {
    BackendStatus status;
    plugin::Plugin* plugin = nullptr;
    std::vector<Device> devices;
};

/// The state of the process. Leaked on purpose: drivers and handles live until the very end.
struct Registry {
    std::vector<std::string> search_path;
    std::vector<Loaded> backends;
};

std::string own_folder() {
    static const char anchor = 0;
    Dl_info info{};
    if (dladdr(&anchor, &info) == 0 || !info.dli_fname) return {};
    std::error_code error;
    const fs::path path = fs::weakly_canonical(info.dli_fname, error);
    return error ? std::string() : path.parent_path().string();
}

/// Determined while the library is loaded: its path may be relative to the current folder of that time.
const std::string& own_folder_when_loaded = *new std::string(own_folder());

/// Makes a relative folder absolute, since the program may change its current folder.
std::string absolute_folder(const std::string& folder) {
    std::error_code failure;
    const fs::path absolute = fs::absolute(folder, failure).lexically_normal();
    const std::string name = failure ? folder : absolute.string();
    return name.size() > 1 && name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
}

std::vector<std::string> search_path() {
    std::vector<std::string> folders;
    const auto add = [&](const std::string& folder) {
        if (!folder.empty() && std::find(folders.begin(), folders.end(), folder) == folders.end())
            folders.push_back(folder);
    };
    if (const auto path = env::get("GEMEL_PLUGIN_PATH")) {
        std::istringstream parts(*path);
        for (std::string folder; std::getline(parts, folder, ':');)
            if (!folder.empty()) add(absolute_folder(folder));
    }
    if (const std::string& own = own_folder_when_loaded; !own.empty()) {
        add(own + "/gemel");
        add(own);
    }
    return folders;
}

/// The backend's name from a file name: "cuda" from libgemel_cuda.so; empty for other files.
std::string name_of_file(const std::string& file) {
    constexpr std::string_view prefix = "libgemel_", suffix = ".so";
    if (file.size() <= prefix.size() + suffix.size() || !file.starts_with(prefix) || !file.ends_with(suffix)) return {};
    return file.substr(prefix.size(), file.size() - prefix.size() - suffix.size());
}

/// Loads one file. Returns why it cannot be used; empty on success.
std::string load(const std::string& path, plugin::Plugin*& result) {
    if (std::string why = why_not_loadable(path); !why.empty()) return why;
    dlerror();
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* why = dlerror();
        return why ? why : "the loader refused it and gave no reason";
    }
    const auto entry_function = reinterpret_cast<plugin::EntryFunction>(dlsym(library, plugin::entry_symbol));
    if (!entry_function) return text("it is not a gemel plug-in: it does not export ", plugin::entry_symbol);
    const plugin::PluginEntry* entry = entry_function();
    if (!entry) return text(plugin::entry_symbol, " returned nothing");
    if (entry->abi_version != plugin::abi_version)
        return text("it was built for plug-in interface ", entry->abi_version, ", this libgemel.so has interface ",
                    plugin::abi_version, "; build it against this gemel");
    const std::string tag = entry->build_tag ? entry->build_tag : "(none)";
    if (tag != plugin::library_build_tag())
        return text("it is of another build: its tag is '", tag, "', that of this libgemel.so '",
                    plugin::library_build_tag(), "'");
    try {
        result = entry->create();
        return result ? "" : "its create() returned nothing";
    } catch (const std::exception& error) {
        return text("it failed to start: ", error.what());
    }
}

void enumerate(Loaded& backend) {
    BackendStatus& status = backend.status;
    try {
        for (auto& device : backend.plugin->devices()) {
            auto* state = new Device::State;
            state->backend = status.name;
            state->index = static_cast<int>(backend.devices.size());
            const std::string own_dialect = device->dialect();
            state->dialect = own_dialect.empty() ? backend.plugin->dialect() : own_dialect;
            state->priority = backend.plugin->priority();
            state->device = std::move(device);
            backend.devices.push_back(Device(std::shared_ptr<const Device::State>(std::shared_ptr<void>(), state)));
        }
        if (backend.devices.empty()) status.reason = backend.plugin->why_unavailable();
    } catch (const std::exception& error) {
        status.reason = error.what();
    }
    status.device_count = backend.devices.size();
    status.available = !backend.devices.empty();
    if (!status.available && status.reason.empty()) status.reason = "it has no devices";
    status.libraries = backend.plugin->libraries();
}

Registry* build_registry() {
    auto* registry = new Registry;
    registry->search_path = search_path();
    for (const auto& folder : registry->search_path) {
        std::vector<std::string> files;
        std::error_code error;  // for folders that do not exist, or vanish
        for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
            if (!name_of_file(entry->path().filename().string()).empty()) files.push_back(entry->path().filename());
        std::sort(files.begin(), files.end());
        for (const auto& file : files) {
            const std::string path = folder + "/" + file, name = name_of_file(file);
            auto found = std::find_if(registry->backends.begin(), registry->backends.end(),
                                      [&](const Loaded& b) { return b.status.name == name; });
            if (found == registry->backends.end()) {
                registry->backends.emplace_back().status.name = name;
                found = std::prev(registry->backends.end());
            }
            if (found->plugin) {
                found->status.attempts.push_back({path, "not needed: already loaded from " + found->status.path});
                continue;
            }
            const std::string why = load(path, found->plugin);
            found->status.attempts.push_back({path, why.empty() ? "loaded" : why});
            logging::write(logging::Level::debug, "registry", text(path, ": ", why.empty() ? "loaded" : why));
            if (why.empty()) found->status.path = path;
        }
    }
    for (auto& backend : registry->backends) {
        if (backend.plugin) {
            enumerate(backend);
            continue;
        }
        std::vector<std::string> tried;
        for (const auto& attempt : backend.status.attempts) tried.push_back(text(attempt.path, ": ", attempt.outcome));
        backend.status.reason = "no plug-in could be loaded: " + join(tried, "; ");
    }
    std::stable_sort(registry->backends.begin(), registry->backends.end(), [](const Loaded& a, const Loaded& b) {
        return (a.plugin ? a.plugin->priority() : 0) > (b.plugin ? b.plugin->priority() : 0);
    });
    watch_process();
    return registry;
}

std::atomic<const Registry*> built{nullptr};

const Registry& registry() {
    static const Registry* const instance = [] {
        const Registry* made = build_registry();
        built = made;
        return made;
    }();
    return *instance;
}

bool same_letter(char a, char b) {
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return lower(a) == lower(b);
}

bool mentions(const std::string& where, std::string_view part) {
    return std::search(where.begin(), where.end(), part.begin(), part.end(), same_letter) != where.end();
}

/// Finds a backend by name; case-insensitive unless another backend has exactly this name.
const Loaded* find_backend(std::string_view name) {
    const Loaded* found = nullptr;
    for (const auto& loaded : registry().backends) {
        const std::string& own = loaded.status.name;
        if (own == name) return &loaded;
        if (std::equal(own.begin(), own.end(), name.begin(), name.end(), same_letter)) found = &loaded;
    }
    return found;
}

std::string list(const std::vector<Device>& devices) {
    if (devices.empty()) return "there is no device";
    std::vector<std::string> lines;
    for (const auto& device : devices) lines.push_back(text(device.id(), " ", device.name()));
    return "the devices are " + join(lines);
}

/// Why a named backend is unavailable, with everything that was tried.
std::string why_not(std::string_view backend) {
    const Registry& r = registry();
    if (const Loaded* loaded = find_backend(backend))
        return text("backend '", loaded->status.name, "' is not available: ", loaded->status.reason);
    std::vector<std::string> names;
    for (const auto& loaded : r.backends) names.push_back(loaded.status.name);
    return text("there is no backend '", backend, "': no libgemel_", backend, ".so in ",
                r.search_path.empty() ? "any folder" : join(r.search_path), "; ",
                names.empty() ? "no plug-in was found at all" : "plug-ins were found for " + join(names));
}

/// Adds the name of the variable that selected the device to an exception.
template <class Function>
auto asked_for_by(const char* variable, const Function& function) {
    try {
        return function();
    } catch (const BackendUnavailable& error) {
        throw BackendUnavailable(text(error.what(), " (asked for by ", variable, ")"));
    }
}

}  // namespace

const char* to_string(DeviceInfo::Type type) {
    switch (type) {
        case DeviceInfo::Type::gpu: return "gpu";
        case DeviceInfo::Type::cpu: return "cpu";
        case DeviceInfo::Type::accelerator: return "accelerator";
        default: return "other";
    }
}

const std::string& Device::backend() const { return state_->backend; }
int Device::index() const { return state_->index; }
std::string Device::id() const { return state_->id(); }
const std::string& Device::name() const { return state_->device->info().name; }
const DeviceInfo& Device::info() const { return state_->device->info(); }

std::vector<BackendStatus> backends() {
    std::vector<BackendStatus> all;
    for (const auto& loaded : registry().backends) all.push_back(loaded.status);
    const auto wanted = env::get("GEMEL_BACKEND");
    if (wanted && !find_backend(*wanted)) {
        BackendStatus status;
        status.name = *wanted;
        status.reason = why_not(*wanted) + " (asked for by GEMEL_BACKEND)";
        all.push_back(std::move(status));
    }
    return all;
}

bool push_range(const std::string& name) noexcept {
    const Registry* const known = built;
    if (!known) return false;
    for (const auto& loaded : known->backends)
        if (loaded.plugin) loaded.plugin->push_range(name.c_str());
    return true;
}

void pop_range() noexcept {
    for (const auto& loaded : built.load()->backends)
        if (loaded.plugin) loaded.plugin->pop_range();
}

std::vector<std::string> plugin_search_path() { return registry().search_path; }

std::vector<Device> all_devices() {
    std::vector<Device> all;
    for (const auto& loaded : registry().backends) all.insert(all.end(), loaded.devices.begin(), loaded.devices.end());
    const auto rank = [](const Device& d) {
        const auto type = d.info().type;
        return type == DeviceInfo::Type::gpu ? 0 : type == DeviceInfo::Type::accelerator ? 1 : 2;
    };
    std::stable_sort(all.begin(), all.end(), [&](const Device& a, const Device& b) {
        if (rank(a) != rank(b)) return rank(a) < rank(b);
        return a.state().priority > b.state().priority;
    });
    return all;
}

std::vector<Device> devices() {
    if (env::get("GEMEL_DEVICE")) return {default_device()};
    const auto backend = env::get("GEMEL_BACKEND");
    return backend ? asked_for_by("GEMEL_BACKEND", [&] { return devices(*backend); }) : all_devices();
}

std::vector<Platform> platforms() {
    std::vector<Platform> all;
    for (const Device& device : all_devices()) {
        const DeviceInfo& info = device.info();
        auto found = std::find_if(all.begin(), all.end(), [&](const Platform& platform) {
            return platform.backend == device.backend() && platform.name == info.platform;
        });
        if (found == all.end())
            found = all.insert(all.end(), {device.backend(), info.platform, info.vendor, info.driver_version, {}});
        found->devices.push_back(device);
    }
    return all;
}

std::vector<Device> devices(std::string_view backend) {
    const Loaded* const found = find_backend(backend);
    if (found && found->status.available) return found->devices;
    throw BackendUnavailable(text("devices: ", why_not(backend)));
}

Device find_device(std::string_view selection, std::string_view backend) {
    const std::string asked(selection);
    if (const auto colon = selection.find(':'); colon != std::string_view::npos) {
        const std::string_view named = selection.substr(0, colon), rest = selection.substr(colon + 1);
        const bool is_index =
            !rest.empty() && std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (is_index) {
            if (named.empty())
                throw BackendUnavailable(text("find_device: there is no device '", asked,
                                              "': no backend's name is before the colon; '", rest,
                                              "' alone counts within the default backend; ", list(all_devices())));
            if (!backend.empty() && find_backend(named) != find_backend(backend))
                throw BackendUnavailable(text("find_device: device '", asked, "' is not of the backend '", backend,
                                              "', which was also requested; make the two agree or leave one out"));
            return find_device(rest, named);
        }
    }
    const auto candidates = backend.empty() ? all_devices() : devices(backend);
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(selection.data(), selection.data() + selection.size(), index);
    if (error == std::errc() && end == selection.data() + selection.size()) {
        const auto of_backend =
            candidates.empty() ? candidates : devices(backend.empty() ? candidates.front().backend() : backend);
        if (index < of_backend.size()) return of_backend[index];
    } else if (selection.find_first_not_of(" \t:") != std::string_view::npos) {  // many device names contain blanks
        for (const auto& device : candidates)
            if (mentions(device.name(), selection) || mentions(device.info().platform, selection) ||
                mentions(device.info().vendor, selection))
                return device;
    }
    throw BackendUnavailable(text("find_device: there is no device '", asked, "'",
                                  backend.empty() ? "" : " of backend ", backend, "; ", list(candidates)));
}

Device default_device() {
    static const bool checked = (env::check_values(), true);
    (void)checked;
    const std::string backend = env::get("GEMEL_BACKEND").value_or("");
    // A named backend that fails is an error.
    if (!backend.empty()) asked_for_by("GEMEL_BACKEND", [&] { return devices(backend); });
    if (const auto device = env::get("GEMEL_DEVICE"))
        return asked_for_by("GEMEL_DEVICE", [&] { return find_device(*device, backend); });
    const auto all = backend.empty() ? all_devices() : devices(backend);
    if (!all.empty()) return all.front();
    std::vector<std::string> reasons;
    for (const auto& status : backends()) reasons.push_back(text(status.name, ": ", status.reason));
    throw BackendUnavailable(
        text("default_device: no device can be used: ",
             reasons.empty() ? "no plug-in was found in " + join(plugin_search_path()) : join(reasons, ". "),
             "; `gemel info` shows every path that was tried"));
}

std::vector<std::byte> compile_offline(std::string_view backend, std::string_view source, std::string_view architecture,
                                       const CompileOptions& given) {
    const CompileOptions options = with_environment(given);
    check_program("compile_offline", source, options);
    const Loaded* const found = find_backend(backend);
    if (!found || !found->plugin) throw BackendUnavailable(text("compile_offline: ", why_not(backend)));
    const std::string whole =
        text(define_lines(options), "#line 1 \"", line_name(options.name), "\"\n", without_mark(source));
    try {
        return found->plugin->compile_offline(whole, architecture, options);
    } catch (const plugin::BuildFailure& failure) {
        throw CompileError(render({.name = options.name,
                                   .device = std::string(architecture),
                                   .text = std::string(source),
                                   .log = failure.log,
                                   .options = join(options.extra, " "),
                                   .kept_source = {}}),
                           whole, failure.log);
    }
}

}  // namespace gemel
