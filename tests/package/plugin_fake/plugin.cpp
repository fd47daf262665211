/// A whole backend outside gemel's tree, from the installed headers alone: one device, or none with
/// GEMEL_FAKE_DEVICES=0.
#include "context.hpp"

#include <gemel/core/dialect.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/plugin.hpp>

#include <cstdlib>
#include <string_view>

namespace fake {
namespace {

namespace plugin = gemel::plugin;

class Device final : public plugin::Device {
   public:
    Device() {
        info_.name = "Fake device";
        info_.vendor = "nobody";
        info_.platform = "Host memory";
        info_.compute_units = 1;
        info_.global_memory_bytes = info_.max_allocation_bytes = std::size_t{1} << 30;
        info_.max_threads_per_block = 1;
        info_.max_block = {1, 1, 1};
        info_.max_grid = {1, 1, 1};
        info_.base_alignment_bytes = 16;
        info_.max_parameter_bytes = 256;
        info_.identity = "fake-0";
    }
    const gemel::DeviceInfo& info() const override { return info_; }
    std::unique_ptr<plugin::Context> create_context() override { return make_context(); }
    std::unique_ptr<plugin::Context> wrap_context(std::uint64_t) override {
        throw gemel::ArgumentError("the fake device has no foreign contexts");
    }
    std::string fingerprint() const override { return "fake 1"; }
    std::uint64_t native() const override { return 0; }

   private:
    gemel::DeviceInfo info_;
};

class Plugin final : public plugin::Plugin {
   public:
    Plugin() {
        gemel::Dialect dialect = gemel::Dialect::opencl();  // a language of its own name, spelt like one that exists
        dialect.name = "fake";
        gemel::Dialect::add(std::move(dialect));
    }
    std::string name() const override { return "fake"; }
    std::string dialect() const override { return "fake"; }
    int priority() const override { return -1; }
    std::vector<std::shared_ptr<plugin::Device>> devices() override {
        const char* wanted = std::getenv("GEMEL_FAKE_DEVICES");
        if (wanted && std::string_view(wanted) == "0") return {};
        return {std::make_shared<Device>()};
    }
    std::string why_unavailable() const override { return "GEMEL_FAKE_DEVICES is 0: unset it to get the fake device"; }
    std::vector<plugin::Library> libraries() const override { return {{"host", "none", "1"}}; }
    std::vector<std::byte> compile_offline(std::string_view, std::string_view, const gemel::CompileOptions&) override {
        throw gemel::BackendUnavailable("the fake device has no compiler");
    }
};

plugin::Plugin* create() { return new Plugin; }

constexpr plugin::PluginEntry entry{plugin::abi_version, GEMEL_BUILD_TAG, create};

}  // namespace
}  // namespace fake

extern "C" GEMEL_API const gemel::plugin::PluginEntry* gemel_plugin_entry() { return &fake::entry; }
