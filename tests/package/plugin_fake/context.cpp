/// The fake device's memory, streams and events. Every command is done when its call returns.
#include "context.hpp"

#include <gemel/core/error.hpp>

#include <cstdlib>
#include <cstring>
#include <new>

namespace fake {
namespace {

namespace plugin = gemel::plugin;

std::byte* bytes_at(const plugin::Place& place) {
    return reinterpret_cast<std::byte*>(place.memory->handle) + place.offset_bytes;
}

std::byte* bytes_of(const plugin::RectSide& side) {
    std::byte* base = side.host ? side.host : reinterpret_cast<std::byte*>(side.device->handle);
    return base + side.offset_bytes;
}

class Event final : public plugin::Event {
   public:
    void wait() override {}
    bool done() override { return true; }
    double milliseconds_since(const plugin::Event&) const override { return 0; }
    std::uint64_t native() const override { return 0; }
};

class Stream final : public plugin::Stream {
   public:
    void upload(const plugin::Place& to, const void* host, std::size_t bytes, bool) override {
        std::memcpy(bytes_at(to), host, bytes);
    }
    void download(void* host, const plugin::Place& from, std::size_t bytes, bool) override {
        std::memcpy(host, bytes_at(from), bytes);
    }
    void copy(const plugin::Place& to, const plugin::Place& from, std::size_t bytes, plugin::Context&, bool) override {
        std::memcpy(bytes_at(to), bytes_at(from), bytes);
    }
    void copy_rectangle(const plugin::RectSide& to, const plugin::RectSide& from, std::array<std::size_t, 3> extent,
                        bool) override {
        for (std::size_t slice = 0; slice < extent[2]; ++slice)
            for (std::size_t row = 0; row < extent[1]; ++row)
                std::memcpy(bytes_of(to) + slice * to.slice_pitch_bytes + row * to.row_pitch_bytes,
                            bytes_of(from) + slice * from.slice_pitch_bytes + row * from.row_pitch_bytes, extent[0]);
    }
    bool fill(const plugin::Place& to, const void* pattern, std::size_t pattern_bytes, std::size_t count) override {
        for (std::size_t i = 0; i < count; ++i) std::memcpy(bytes_at(to) + i * pattern_bytes, pattern, pattern_bytes);
        return true;
    }
    void copy_image(const plugin::ImageRegion&, const plugin::Place&, bool) override {}  // there are no images
    void copy_images(const plugin::ImageRegion&, const plugin::ImageRegion&) override {}
    void* map(const plugin::Place& from, std::size_t) override { return bytes_at(from); }
    void unmap(const plugin::Memory&, void*) override {}
    std::unique_ptr<plugin::Event> record(bool) override { return std::make_unique<Event>(); }
    void wait(plugin::Event&) override {}
    void synchronize() override {}
    bool idle() override { return true; }
    void flush() override {}
    void call_host(void (*function)(void*), void* data) override { function(data); }
    std::uint64_t native() override { return 0; }
};

class Context final : public plugin::Context {
   public:
    plugin::Memory allocate(std::size_t bytes, plugin::MemoryKind kind) override { return reserve(bytes, kind); }
    void release(const plugin::Memory& memory) noexcept override {
        if (!memory.foreign) std::free(reinterpret_cast<void*>(memory.handle));
    }
    plugin::Memory wrap_memory(std::uint64_t handle, std::size_t bytes) override {
        return {.handle = handle,
                .host = nullptr,
                .bytes = bytes,
                .kind = plugin::MemoryKind::device,
                .owner = nullptr,
                .foreign = true};
    }
    plugin::Memory allocate_host(std::size_t bytes) override { return reserve(bytes, plugin::MemoryKind::mapped); }
    void release_host(const plugin::Memory& memory) noexcept override { release(memory); }
    std::uint64_t argument(const plugin::Place& place, std::size_t) override {
        return reinterpret_cast<std::uint64_t>(bytes_at(place));
    }
    void release_argument(const plugin::Place&, std::uint64_t) noexcept override {}
    bool has_image_format(const plugin::ImageShape&) override { return false; }
    std::unique_ptr<plugin::Image> create_image(const plugin::ImageShape&) override { throw gemel::Error("no images"); }
    plugin::TextureHandles plain_texture(unsigned, bool) override { return {}; }
    std::optional<std::pair<std::size_t, std::size_t>> memory_info() override { return std::nullopt; }
    bool copies_directly_to(const plugin::Context&) const override { return false; }
    std::unique_ptr<plugin::Stream> create_stream() override { return std::make_unique<Stream>(); }
    std::unique_ptr<plugin::Stream> wrap_stream(std::uint64_t) override {
        throw gemel::ArgumentError("the fake device has no foreign streams");
    }
    std::vector<std::string> compiler_options(const gemel::CompileOptions&) const override { return {}; }
    plugin::BuildResult build(const plugin::BuildRequest&) override {
        throw plugin::BuildFailure("the fake device has no compiler");
    }
    std::unique_ptr<plugin::Module> load(std::span<const std::byte>) override {
        throw gemel::Error("the fake device runs no programs");
    }
    std::unique_ptr<plugin::Graph> make_graph(std::span<const plugin::GraphCommand>) override { return nullptr; }
    void synchronize() override {}
    bool addresses_are_linear() const override { return true; }
    bool logs_follow_line_directives() const override { return true; }
    std::string build_lock() const override { return {}; }
    void abandon() noexcept override {}
    std::uint64_t native() const override { return 0; }

   private:
    static plugin::Memory reserve(std::size_t bytes, plugin::MemoryKind kind) {
        void* const block = std::malloc(bytes);
        if (!block) throw gemel::OutOfMemory("the fake device has no " + std::to_string(bytes) + " bytes left");
        return {.handle = reinterpret_cast<std::uint64_t>(block),
                .host = block,
                .bytes = bytes,
                .kind = kind,
                .owner = nullptr,
                .foreign = false};
    }
};

}  // namespace

std::unique_ptr<gemel::plugin::Context> make_context() { return std::make_unique<Context>(); }

}  // namespace fake
