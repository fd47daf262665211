/// The plug-in: its devices, and the one exported function.
#include "objects.hpp"

#include <gemel/core/environment.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <cstdlib>

namespace gemel::plugin::cuda {
namespace {

/// Whether caches may be written. An unknown value does not mean off here: the first compilation rejects it, and
/// devices can be listed until then.
bool may_write() {
    try {
        return env::get("GEMEL_CACHE").value_or("on") == "on";
    } catch (const ArgumentError&) {
        return true;
    }
}

}  // namespace

std::string CudaPlugin::name() const { return "cuda"; }
std::string CudaPlugin::dialect() const { return "cuda"; }
int CudaPlugin::priority() const { return 20; }

std::vector<std::shared_ptr<Device>> CudaPlugin::devices() {
    // GEMEL_CACHE=off or readonly applies to the driver's own cache too. The driver reads this variable when it starts.
    if (!may_write()) ::setenv("CUDA_CACHE_DISABLE", "1", 0);
    if (!driver().trouble.empty()) {
        why_ = text("the NVIDIA driver cannot be used: ", driver().trouble);
        return {};
    }
    int count = 0;
    const Status status = cu.DeviceGetCount.status(&count);
    if (status != success || count == 0) {
        why_ = text("the NVIDIA driver is there, but no device is (", error_name(status),
                    "); CUDA_VISIBLE_DEVICES may hide them");
        return {};
    }
    std::vector<std::shared_ptr<Device>> devices;
    std::vector<std::string> troubles;
    for (int i = 0; i < count; ++i) {
        try {
            CUdevice device = 0;
            cu.DeviceGet(&device, i);
            devices.push_back(std::make_shared<CudaDevice>(device));
        } catch (const std::exception& error) {
            troubles.push_back(text("device ", i, ": ", error.what()));
        }
    }
    for (const auto& trouble : troubles) logging::write(logging::Level::debug, "cuda", trouble);
    why_ = join(troubles, "; ");
    return devices;
}

std::string CudaPlugin::why_unavailable() const { return why_; }

std::vector<Library> CudaPlugin::libraries() const {
    const auto version = [](int major, int minor) { return text(major, ".", minor); };
    const Driver& d = driver();
    const Compiler& c = compiler();
    std::vector<Library> all;
    all.push_back(
        {"driver", d.path, d.version ? "CUDA " + version(d.version / 1000, d.version % 1000 / 10) : "", d.trouble});
    all.push_back({"NVRTC", c.path, c.major ? version(c.major, c.minor) : "", c.trouble});
    if (!compiler().include_folder.empty()) all.push_back({"headers", compiler().include_folder, ""});
    all.push_back({"built with", "cuda.h", version(CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10)});
    return all;
}

std::vector<std::byte> CudaPlugin::compile_offline(std::string_view source, std::string_view architecture,
                                                   const CompileOptions& options) {
    std::string log;
    return run_compiler(source, options.name, build_options(options, std::string(architecture)), log);
}

}  // namespace gemel::plugin::cuda

extern "C" __attribute__((visibility("default"))) const gemel::plugin::PluginEntry* gemel_plugin_entry() {
    static const gemel::plugin::PluginEntry entry{
        gemel::plugin::abi_version, GEMEL_BUILD_TAG,
        []() -> gemel::plugin::Plugin* { return new gemel::plugin::cuda::CudaPlugin; }};
    return &entry;
}
