/// The plug-in: its platforms and devices, and the one exported function.
#include "objects.hpp"

#include <gemel/core/environment.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/process_folder.hpp>
#include <gemel/core/text.hpp>

#include <dlfcn.h>
#include <sys/auxv.h>

#include <cstdlib>
#include <optional>

namespace gemel::plugin::opencl {
namespace {

std::string path_of(const void* function) {
    Dl_info info{};
    return dladdr(function, &info) && info.dli_fname ? info.dli_fname : "libOpenCL.so.1";
}

/// Whether caches may be written. An unknown value does not mean off here: the first compilation rejects it, and
/// devices can be listed until then.
bool may_write() {
    try {
        return env::get("GEMEL_CACHE").value_or("on") == "on";
    } catch (const ArgumentError&) {
        return true;
    }
}

/// Sets PoCL's cache to a folder of this process until PoCL has read the variable; child processes must not inherit it.
class OwnPoclFolder {
   public:
    OwnPoclFolder() {
        if (const char* given = std::getenv(variable)) given_ = given;
        ::setenv(variable, process_folder("pocl").c_str(), 1);
        pocl_has_own_folder = true;
    }
    ~OwnPoclFolder() {
        if (given_) {
            ::setenv(variable, given_->c_str(), 1);
        } else {
            ::unsetenv(variable);
        }
    }
    OwnPoclFolder(const OwnPoclFolder&) = delete;

   private:
    static constexpr const char* variable = "POCL_CACHE_DIR";
    std::optional<std::string> given_;
};

/// Sets the variables that drivers and the ICD loader read when they start.
void tell_drivers(std::optional<OwnPoclFolder>& pocl) {
    set_driver_settings(may_write());
    const char* const given = std::getenv("POCL_CACHE_DIR");
    // A process with more rights than its caller must load no compiled kernels and no drivers of the caller.
    const bool privileged = ::getauxval(AT_SECURE) != 0;
    if (privileged)
        for (const char* name : {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"}) ::unsetenv(name);
    const std::filesystem::path folder = pocl_folder();
    const std::string why = folder.empty() ? std::string() : why_distrusted(folder);
    if (!why.empty())
        logging::write(logging::Level::warn, "opencl",
                       text("PoCL's folder ", folder.string(), " is not used: ", why,
                            ", and PoCL would load programs from it. `chmod go-w` it if it is yours, or let "
                            "POCL_CACHE_DIR name another."));
    if (!privileged && why.empty() && (may_write() || (given && *given))) return;
    try {
        pocl.emplace();
    } catch (const Error& error) {
        logging::write(logging::Level::warn, "opencl", error.what());
    }
}

}  // namespace

bool pocl_has_own_folder = false;

std::string OpenClPlugin::name() const { return "opencl"; }
std::string OpenClPlugin::dialect() const { return "opencl"; }
int OpenClPlugin::priority() const { return 10; }

std::vector<std::shared_ptr<Device>> OpenClPlugin::devices() {
    std::optional<OwnPoclFolder> pocl_folder;
    tell_drivers(pocl_folder);
    libraries_.push_back({"ICD loader", path_of(reinterpret_cast<const void*>(&clGetPlatformIDs)), ""});
    cl_uint count = 0;
    const Status status = cl.GetPlatformIDs.status(0, nullptr, &count);
    if (status != success || count == 0) {
        why_ = text("the ICD loader found no OpenCL platform (", error_name(status),
                    "); install a driver (pocl-opencl-icd runs OpenCL on any CPU) or name one in /etc/OpenCL/vendors");
        return {};
    }
    std::vector<cl_platform_id> platforms(count);
    cl.GetPlatformIDs(count, platforms.data(), nullptr);
    std::vector<std::shared_ptr<Device>> gpus, others;
    std::vector<std::string> troubles;
    for (const cl_platform_id platform : platforms) {
        const std::string name = query_text(cl.GetPlatformInfo, CL_PLATFORM_NAME, platform);
        libraries_.push_back({"platform", name, query_text(cl.GetPlatformInfo, CL_PLATFORM_VERSION, platform)});
        cl_uint device_count = 0;
        const Status found = cl.GetDeviceIDs.status(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &device_count);
        if (found != success || device_count == 0) {
            troubles.push_back(text("platform '", name, "' has no device (", error_name(found), ")"));
            continue;
        }
        std::vector<cl_device_id> devices(device_count);
        cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, device_count, devices.data(), nullptr);
        for (std::size_t i = 0; i < devices.size(); ++i) {
            try {
                if (!query<cl_bool>(cl.GetDeviceInfo, CL_DEVICE_AVAILABLE, devices[i]))
                    throw Error("it is not available");
                auto device = std::make_shared<OpenClDevice>(platform, devices[i], static_cast<int>(i));
                logging::write(logging::Level::debug, "opencl",
                               text("device ", i, " of platform '", name,
                                    "' has these quirks (backends/opencl/quirks.cpp): ", device->quirks().names()));
                auto& list = device->info().type == DeviceInfo::Type::gpu ? gpus : others;
                list.push_back(std::move(device));
            } catch (const std::exception& error) {
                troubles.push_back(text("device ", i, " of platform '", name, "': ", error.what()));
            }
        }
    }
    for (const auto& trouble : troubles) logging::write(logging::Level::debug, "opencl", trouble);
    why_ = join(troubles, "; ");
    gpus.insert(gpus.end(), others.begin(), others.end());
    return gpus;
}

std::string OpenClPlugin::why_unavailable() const { return why_; }
std::vector<Library> OpenClPlugin::libraries() const { return libraries_; }

std::vector<std::byte> OpenClPlugin::compile_offline(std::string_view, std::string_view, const CompileOptions&) {
    throw BackendUnavailable("OpenCL has no compiler without a device: make a Context on one and use Module::binary()");
}

}  // namespace gemel::plugin::opencl

extern "C" __attribute__((visibility("default"))) const gemel::plugin::PluginEntry* gemel_plugin_entry() {
    static const gemel::plugin::PluginEntry entry{
        gemel::plugin::abi_version, GEMEL_BUILD_TAG,
        []() -> gemel::plugin::Plugin* { return new gemel::plugin::opencl::OpenClPlugin; }};
    return &entry;
}
