/// `gemel info`: the report as aligned text or as JSON.
#include "commands.hpp"
#include "facts.hpp"
#include "info_report.hpp"
#include "table.hpp"

#include <gemel/core/text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace gemel::tools {
namespace {

using Json = nlohmann::ordered_json;

/// Indents every line after the first.
std::string indented(const std::string& text, const std::string& by) {
    std::string out;
    for (const char c : text) {
        out += c;
        if (c == '\n') out += by;
    }
    return out;
}

void print_backends(const InfoReport& report) {
    std::puts("\nPlug-ins, looked for in");
    for (const std::string& folder : report.search_path) std::printf("  %s\n", folder.c_str());
    if (report.backends.empty())
        std::puts("  none found: set GEMEL_PLUGIN_PATH to the folder that holds libgemel_*.so");
    for (const BackendStatus& backend : report.backends) {
        const std::string state = backend.available ? counted(backend.device_count, "device", "devices")
                                                    : "not available: " + indented(backend.reason, "    ");
        std::printf("\n  %s: %s\n", backend.name.c_str(), state.c_str());
        Table details(4);
        for (const BackendStatus::Attempt& attempt : backend.attempts)
            details.row({"plug-in", attempt.path + ": " + indented(attempt.outcome, "      ")});
        for (const plugin::Library& library : backend.libraries)
            details.row({library.name, library.path + (library.path.empty() ? "" : "  ") +
                                           (library.trouble.empty() ? library.version : library.trouble)});
        std::fputs(details.text().c_str(), stdout);
    }
}

bool is_excluded(const InfoReport& report, const Device& device) {
    const std::vector<Device>& excluded = report.excluded_devices;
    return std::find(excluded.begin(), excluded.end(), device) != excluded.end();
}

void print_device(const Device& device, const char* mark, bool all) {
    std::printf("\n%s %-10s %s\n", mark, device.id().c_str(), device.name().c_str());
    Table table(4);
    for (const Fact& fact : facts(device.info()))
        if (!fact.text.empty()) table.row({fact.label, fact.text});
    std::vector<std::string> has, lacks;
    for (const Fact& capability : capabilities(device.info()))
        (capability.value.get<bool>() ? has : lacks).push_back(capability.label);
    if (!has.empty()) table.row({"has", join(has)});
    if (!lacks.empty()) table.row({"lacks", join(lacks)});
    if (all) {
        for (const auto& [name, value] : device.attributes()) table.row({name, value});
        if (const auto extensions = device.extensions(); !extensions.empty())
            table.row({"extensions", join(extensions)});
    }
    std::fputs(table.text().c_str(), stdout);
}

void print_devices(const InfoReport& report, bool all) {
    std::printf(
        "\nDevices, best first (* the default; %sGEMEL_DEVICE takes cuda:0, a number within GEMEL_BACKEND, or part of "
        "a "
        "name)\n",
        report.excluded_devices.empty() ? "" : "- excluded by GEMEL_BACKEND or GEMEL_DEVICE; ");
    if (report.devices.empty()) std::puts("  none");
    for (const Device& device : report.devices)
        print_device(device, report.default_device == device ? "*" : is_excluded(report, device) ? "-" : " ", all);
    if (!report.default_device) std::printf("\n  no default device: %s\n", indented(report.no_default, "    ").c_str());
}

void print_text(const InfoReport& report, bool all) {
    std::printf("gemel %s\n", report.version.c_str());
    Table head;
    head.row({"build", report.build_tag});
    head.row({"library", report.library});
    head.row({"system", report.system});
    std::fputs(head.text().c_str(), stdout);

    print_backends(report);
    print_devices(report, all);

    std::puts("\nKernel cache");
    Table cache;
    cache.row({"folder", report.cache.folder.value_or("none: there is no home folder (set GEMEL_CACHE_DIR)")});
    cache.row({"mode", report.cache.mode});
    cache.row({"holds", counted(report.cache.entries, "entry", "entries") + ", " + readable_bytes(report.cache.bytes) +
                            " of at most " + readable_bytes(report.cache.limit_bytes)});
    std::fputs(cache.text().c_str(), stdout);

    std::puts("\nEnvironment");
    Table environment;
    for (const EnvironmentVariable& variable : report.environment)
        if (variable.current) environment.row({variable.name, *variable.current});
    for (const auto& [name, value] : report.foreign) environment.row({name, value});
    std::fputs(environment.empty() ? "  no variable of gemel, of a driver or of a loader is set\n"
                                   : environment.text().c_str(),
               stdout);
}

Json json_of(const BackendStatus& backend) {
    Json out{{"name", backend.name},      {"available", backend.available},       {"reason", backend.reason},
             {"path", backend.path},      {"device_count", backend.device_count}, {"attempts", Json::array()},
             {"libraries", Json::array()}};
    for (const BackendStatus::Attempt& attempt : backend.attempts)
        out["attempts"].push_back({{"path", attempt.path}, {"outcome", attempt.outcome}});
    for (const plugin::Library& library : backend.libraries)
        out["libraries"].push_back({{"name", library.name},
                                    {"path", library.path},
                                    {"version", library.version},
                                    {"trouble", library.trouble}});
    return out;
}

Json json_of(const Device& device, bool all) {
    Json out{{"id", device.id()}, {"backend", device.backend()}, {"index", device.index()}, {"name", device.name()}};
    for (const Fact& fact : facts(device.info())) out[fact.key] = fact.value;
    for (const Fact& capability : capabilities(device.info())) out[capability.key] = capability.value;
    if (!all) return out;
    out["attributes"] = Json::object();
    for (const auto& [name, value] : device.attributes()) out["attributes"][name] = value;
    out["extensions"] = device.extensions();
    return out;
}

void print_json(const InfoReport& report, bool all) {
    Json out{{"version", report.version},
             {"build_tag", report.build_tag},
             {"library", report.library},
             {"system", report.system},
             {"plugin_search_path", report.search_path},
             {"backends", Json::array()},
             {"devices", Json::array()},
             {"default_device", nullptr},
             {"no_default_device_because", nullptr}};
    for (const BackendStatus& backend : report.backends) out["backends"].push_back(json_of(backend));
    for (const Device& device : report.devices) {
        out["devices"].push_back(json_of(device, all));
        out["devices"].back()["excluded"] = is_excluded(report, device);
    }
    if (report.default_device) {
        out["default_device"] = report.default_device->id();
    } else {
        out["no_default_device_because"] = report.no_default;
    }
    out["cache"] = {{"folder", report.cache.folder ? Json(*report.cache.folder) : Json(nullptr)},
                    {"mode", report.cache.mode},
                    {"entries", report.cache.entries},
                    {"bytes", report.cache.bytes},
                    {"limit_bytes", report.cache.limit_bytes}};
    out["environment"] = Json::object();
    for (const EnvironmentVariable& variable : report.environment)
        if (variable.current) out["environment"][variable.name] = *variable.current;
    for (const auto& [name, value] : report.foreign) out["environment"][name] = value;
    // Texts of drivers or of the environment may contain bytes that are not UTF-8.
    std::puts(out.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

}  // namespace

int info(bool as_json, bool all) {
    const InfoReport report = info_report();
    as_json ? print_json(report, all) : print_text(report, all);
    return 0;
}

}  // namespace gemel::tools
