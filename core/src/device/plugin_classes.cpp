/// Key functions of the plug-in interface, so that only libgemel.so contains their type information; and the defaults
/// of optional functions.
#include <gemel/core/error.hpp>
#include <gemel/core/plugin.hpp>
#include <gemel/core/text.hpp>

namespace gemel::plugin {
namespace {

class EventTiming final : public Timing {
   public:
    explicit EventTiming(std::unique_ptr<Event> start) : start_(std::move(start)) {}
    void stop(std::unique_ptr<Event> event) { stop_ = std::move(event); }
    void wait() override { end().wait(); }
    bool done() override { return end().done(); }
    double milliseconds() const override { return end().milliseconds_since(*start_); }
    double milliseconds_since(const Timing& other) const override {
        return start_->milliseconds_since(*dynamic_cast<const EventTiming&>(other).start_);
    }

   private:
    Event& end() const { return *(stop_ ? stop_ : start_); }
    std::unique_ptr<Event> start_, stop_;
};

constexpr const char* no_foreign_images = "wrap_image: this backend takes no images of others; copy their elements";
constexpr const char* no_gl = "gl: this backend shares nothing with OpenGL; copy through the host";
constexpr const char* no_handles = "this backend has no handles that another process can open (CUDA has)";

}  // namespace

Timing::~Timing() = default;
Event::~Event() = default;
void Event::complete() noexcept {}
bool Event::call_when_done(void (*)(void*), void*) { return false; }
DeviceExtras::~DeviceExtras() = default;
std::string DeviceExtras::dialect() const { return {}; }
std::vector<std::pair<std::string, std::string>> DeviceExtras::attributes() const { return {}; }
std::vector<std::string> DeviceExtras::extensions() const { return {}; }
bool DeviceExtras::can_reach(std::uint64_t) const { return false; }
std::vector<std::shared_ptr<Device>> DeviceExtras::partition(const DevicePartition&) {
    throw Error("partition: this backend does not divide devices; make several streams on the whole one");
}
std::optional<ClockReading> DeviceExtras::read_clocks() const { return std::nullopt; }
std::vector<std::string> DeviceExtras::built_in_kernels() const { return {}; }
std::optional<ComputeUnit> DeviceExtras::compute_unit() const { return std::nullopt; }
bool DeviceExtras::shares_gl() const { return false; }
std::unique_ptr<Context> DeviceExtras::create_gl_context() { throw Error(no_gl); }
StreamExtras::~StreamExtras() = default;
std::unique_ptr<Event> StreamExtras::record_blocking() { return dynamic_cast<Stream&>(*this).record(false); }
void StreamExtras::prefetch(const Place&, std::size_t, bool) {}
std::unique_ptr<Event> StreamExtras::record_interprocess() {
    throw Error(text("Stream::record: ", no_handles, "; wait for an untimed event before the other process is told"));
}
bool StreamExtras::fill_image(const ImageRegion&, const void*) { return false; }
ContextExtras::~ContextExtras() = default;
std::unique_ptr<Image> ContextExtras::image_of_memory(const Place&, const ImageShape&, std::size_t) { return nullptr; }
TensorMap ContextExtras::tensor_map(const Place&, const TensorMapShape&) {
    throw Error("tensor_map: this backend's devices have no tensor maps");
}
std::unique_ptr<GlObject> ContextExtras::share_gl(const GlName&) { throw Error(no_gl); }
GlObject::~GlObject() = default;
std::unique_ptr<ExternalMemory> ContextExtras::make_external(const std::string&, std::size_t) { return nullptr; }
std::unique_ptr<ExternalMemory> ContextExtras::import_external(int, std::size_t) { return nullptr; }
ExternalMemory::~ExternalMemory() = default;
int ExternalMemory::export_file() {
    throw Error(
        "ExternalMemory::export_file: imported memory has no file descriptor; export the memory on the side that made "
        "it");
}
void ExternalMemory::acquire(Stream&) {}
void ExternalMemory::release(Stream&) {}
std::unique_ptr<Stream> ContextExtras::create_stream_of(StreamPriority) {
    return dynamic_cast<Context&>(*this).create_stream();
}
std::unique_ptr<Event> ContextExtras::create_user_event() { return nullptr; }
bool ContextExtras::waits_for_all_events() const { return false; }
void ContextExtras::reach(Context&) {
    throw Error("reach: this backend's kernels cannot read memory of other contexts; Buffer::copy_from copies it");
}
Memory ContextExtras::reached_memory(const Memory&) {
    throw Error("reach: this backend's kernels cannot read memory of other contexts; Buffer::copy_from copies it");
}
std::optional<std::size_t> ContextExtras::limit(ContextLimit) { return std::nullopt; }
bool ContextExtras::set_limit(ContextLimit, std::size_t) { return false; }
Memory ContextExtras::allocate_write_combined(std::size_t bytes) {
    return dynamic_cast<Context&>(*this).allocate_host(bytes);
}
void ContextExtras::advise(const Place&, std::size_t, MemoryAdvice) {}
ExportedMemory ContextExtras::export_memory(const Memory&) {
    throw Error(text("export_memory: ", no_handles, "; send the elements themselves"));
}
Memory ContextExtras::import_memory(const ExportedMemory&, std::size_t) {
    throw Error(text("import_memory: ", no_handles, "; send the elements themselves"));
}
std::vector<std::byte> ContextExtras::export_event(const Event&) {
    throw Error(text("export_event: ", no_handles, "; wait for the event before the other process is told"));
}
std::unique_ptr<Event> ContextExtras::import_event(std::span<const std::byte>) {
    throw Error(text("import_event: ", no_handles, "; let the other process wait before it tells this one"));
}
std::unique_ptr<Event> ContextExtras::wrap_event(std::uint64_t) {
    throw Error("wrap_event: this backend takes no foreign events; wait for them on the host");
}
std::unique_ptr<Module> ContextExtras::wrap_module(std::uint64_t) {
    throw Error("wrap_module: this backend takes no programs of others; load their binary");
}
ImageShape ContextExtras::shape_of_image(std::uint64_t) { throw Error(no_foreign_images); }
std::unique_ptr<Image> ContextExtras::wrap_image(std::uint64_t, const ImageShape&) { throw Error(no_foreign_images); }
std::optional<AddressRange> ContextExtras::address_range(std::uint64_t) { return std::nullopt; }
Stream::~Stream() = default;
Image::~Image() = default;
std::shared_ptr<Timing> Stream::start_timing() { return std::make_shared<EventTiming>(record(true)); }
void Stream::stop_timing(Timing& timing) { dynamic_cast<EventTiming&>(timing).stop(record(true)); }
BoundKernel::~BoundKernel() = default;
Kernel::~Kernel() = default;
std::uint64_t Kernel::max_cooperative_blocks(std::size_t, std::size_t) { return 1; }
bool Kernel::prefer_shared_memory(int) { return false; }
bool Kernel::prefer_cache(CachePreference) { return false; }
std::optional<std::uint32_t> Kernel::find_registers() { return facts().registers; }
Graph::~Graph() = default;
Module::~Module() = default;
BuildFailure::BuildFailure(std::string text, std::optional<std::size_t> number) : log(std::move(text)), unit(number) {}
BuildFailure::~BuildFailure() = default;
Context::~Context() = default;
Memory Context::register_host(void* host, std::size_t bytes) { return {.host = host, .bytes = bytes, .foreign = true}; }
BuildResult Context::link(std::span<const BuildRequest>) {
    throw Error("link: this backend has no linker; compile the units as one text");
}
std::vector<std::byte> Context::compile(const BuildRequest&, std::string&) {
    throw Error(
        "BundleRecorder: this backend compiles only for the device of a context; record on a device of that kind");
}
BuildResult Context::load_with(std::span<const std::byte> binary, const JitOptions&) { return {load(binary), {}}; }
std::unique_ptr<Module> Context::load_built_in(std::span<const std::string>) {
    throw Error("built_in_kernels: this backend's devices have none; compile a kernel instead");
}
std::string Context::binary_target(const CompileOptions&) const { return {}; }
bool Context::starts_grids_whole() const { return false; }
int Context::fit_of(std::string_view) const { return 0; }
void Context::let_profilers_collect(bool) noexcept {}
Device::~Device() = default;
Plugin::~Plugin() = default;
void Plugin::push_range(const char*) noexcept {}
void Plugin::pop_range() noexcept {}

}  // namespace gemel::plugin
