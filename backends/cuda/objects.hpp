/// The classes of this plug-in; each is implemented in the file of its name.
#pragma once

#include "api.hpp"

#include <gemel/core/plugin.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gemel::plugin::cuda {

class CudaDevice;

/// The primary context of a device, with the state that everything made in it needs. Shared, so that it outlives them.
struct Shared {
    CUcontext context = nullptr;
    CUdevice device = 0;
    const DeviceInfo* info = nullptr;
    const std::uint64_t number = new_number();  ///< a context made later may have the same handle
    std::atomic<bool> dead{false};              ///< after a fault: nothing is released any more
    std::atomic<bool>* device_lost = nullptr;   ///< flag of the device, which outlives this

    /// Unused events with timing: a profile takes two for each command.
    CUevent take_timed_event();
    void give_back_timed_event(CUevent event) noexcept;

    /// A word of host memory that streams wait for. Its values only increase: so it can be reused as soon as it has
    /// been raised, even if a stream has not seen that yet.
    struct Word {
        std::atomic<std::uint32_t>* host = nullptr;
        CUdeviceptr device = 0;
        std::uint32_t value = 0;  ///< the next value to be set
    };
    Word take_word();
    void give_back_word(const Word& word) noexcept;

    /// Enables access to another device's memory, so that copies to it do not pass through the host. Requested once
    /// for each context; if the driver refuses, copies are staged as before. This context is current.
    void reach_for_copies(const Shared& peer);

    ~Shared();

   private:
    static std::uint64_t new_number() {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }

    std::mutex events_mutex_;
    std::vector<CUevent> idle_events_;
    std::mutex words_mutex_;
    std::vector<Word> idle_words_;
    std::vector<void*> word_pages_;
    std::mutex peers_mutex_;
    std::vector<std::uint64_t> peers_;  ///< their `number`
};

/// Makes a context current for the calls of one function, and restores another one that was current before.
class Current {
   public:
    explicit Current(const Shared& shared);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    bool pushed_ = false;
};

class CudaEvent final : public Event {
   public:
    enum class Kind : std::uint8_t { untimed, timed, foreign };  ///< what to do with the driver's event at the end
    CudaEvent(std::shared_ptr<Shared> shared, CUevent event, Kind kind);
    ~CudaEvent() override;
    void wait() override;
    bool done() override;
    double milliseconds_since(const Event& start) const override;
    std::uint64_t native() const override;
    bool call_when_done(void (*function)(void*), void* data) override;

    CUevent event() const { return event_; }

   private:
    std::shared_ptr<Shared> shared_;
    CUevent event_;
    Kind kind_;
};

/// An event that the host completes: streams wait for a word of host memory.
class CudaUserEvent final : public Event {
   public:
    explicit CudaUserEvent(std::shared_ptr<Shared> shared);
    ~CudaUserEvent() override;
    void wait() override;
    bool done() override;
    double milliseconds_since(const Event& start) const override;
    std::uint64_t native() const override;
    void complete() noexcept override;
    bool call_when_done(void (*function)(void*), void* data) override;

    /// Commands enqueued later start only after complete(). The context is current.
    void let_wait(CUstream stream) const;

   private:
    std::shared_ptr<Shared> shared_;
    Shared::Word word_;
};

class CudaStream final : public Stream {
   public:
    CudaStream(std::shared_ptr<Shared> shared, CUstream stream, bool foreign);
    ~CudaStream() override;
    void upload(const Place& to, const void* host, std::size_t bytes, bool blocking) override;
    void download(void* host, const Place& from, std::size_t bytes, bool blocking) override;
    void copy(const Place& to, const Place& from, std::size_t bytes, Context& target_context, bool blocking) override;
    void copy_rectangle(const RectSide& to, const RectSide& from, std::array<std::size_t, 3> extent,
                        bool blocking) override;
    bool fill(const Place& to, const void* pattern, std::size_t pattern_bytes, std::size_t count) override;
    void copy_image(const ImageRegion& image, const Place& memory, bool to_image) override;
    void copy_images(const ImageRegion& to, const ImageRegion& from) override;
    void* map(const Place& from, std::size_t bytes) override;
    void unmap(const Memory& memory, void* host) override;
    std::unique_ptr<Event> record(bool timed) override;
    void wait(Event& event) override;
    void synchronize() override;
    bool idle() override;
    void flush() override;
    void call_host(void (*function)(void*), void* data) override;
    std::uint64_t native() override;
    std::unique_ptr<Event> record_blocking() override;
    void prefetch(const Place& place, std::size_t bytes, bool to_host) override;
    std::unique_ptr<Event> record_interprocess() override;

    CUstream stream() const { return stream_; }

   private:
    /// @param flags  of the event, besides the one that disables timing
    std::unique_ptr<Event> record_untimed(unsigned flags);

    std::shared_ptr<Shared> shared_;
    CUstream stream_;
    bool foreign_;
};

class CudaModule final : public Module {
   public:
    /// @param is_foreign  others have loaded it and unload it; there is no binary
    CudaModule(std::shared_ptr<Shared> shared, CUmodule module, std::vector<std::byte> binary, bool is_foreign = false);
    ~CudaModule() override;
    std::unique_ptr<Kernel> kernel(const std::string& name) override;
    std::vector<std::string> kernel_names() const override;
    std::vector<std::byte> binary() const override;
    bool finishes_at_first_launch() const override;
    Global global(const std::string& name) override;
    std::uint64_t native() const override;

   private:
    std::shared_ptr<Shared> shared_;
    CUmodule module_;
    const bool overlaps_;  ///< kernels may begin while the one before runs
    std::vector<std::byte> binary_;
    const bool is_foreign_;
};

/// The storage of an array's image, and an image over storage that others made.
ImageShape shape_of_array(CUarray array);
std::unique_ptr<Image> image_over(std::shared_ptr<Shared> shared, const ImageShape& shape, CUarray array);

class CudaContext final : public Context {
   public:
    explicit CudaContext(std::shared_ptr<Shared> shared);
    ~CudaContext() override;

    Memory allocate(std::size_t bytes, MemoryKind kind) override;
    void release(const Memory& memory) noexcept override;
    Memory wrap_memory(std::uint64_t handle, std::size_t bytes) override;
    Memory allocate_host(std::size_t bytes) override;
    void release_host(const Memory& memory) noexcept override;
    Memory register_host(void* host, std::size_t bytes) override;
    std::uint64_t argument(const Place& place, std::size_t bytes) override;
    void release_argument(const Place& place, std::uint64_t argument) noexcept override;
    bool addresses_are_linear() const override;
    bool has_image_format(const ImageShape& shape) override;
    std::unique_ptr<Image> create_image(const ImageShape& shape) override;
    TextureHandles plain_texture(unsigned dimensions, bool is_layered) override;
    std::optional<std::pair<std::size_t, std::size_t>> memory_info() override;
    bool copies_directly_to(const Context& other) const override;
    bool starts_grids_whole() const override { return true; }

    std::unique_ptr<Stream> create_stream() override;
    std::unique_ptr<Stream> wrap_stream(std::uint64_t handle) override;

    std::vector<std::string> compiler_options(const CompileOptions& options) const override;
    BuildResult build(const BuildRequest& request) override;
    std::vector<std::byte> compile(const BuildRequest& request, std::string& log) override;
    std::string binary_target(const CompileOptions& options) const override;
    int fit_of(std::string_view target) const override;
    BuildResult link(std::span<const BuildRequest> units) override;
    bool logs_follow_line_directives() const override;
    std::string build_lock() const override;
    std::unique_ptr<Module> load(std::span<const std::byte> binary) override;
    BuildResult load_with(std::span<const std::byte> binary, const JitOptions& jit) override;

    std::unique_ptr<Graph> make_graph(std::span<const GraphCommand> commands) override;

    void synchronize() override;
    void let_profilers_collect(bool on) noexcept override;
    void abandon() noexcept override;
    std::uint64_t native() const override;

    std::unique_ptr<Stream> create_stream_of(StreamPriority priority) override;
    std::unique_ptr<Event> create_user_event() override;
    bool waits_for_all_events() const override;
    void reach(Context& other) override;
    Memory reached_memory(const Memory& memory) override;
    std::optional<std::size_t> limit(ContextLimit which) override;
    bool set_limit(ContextLimit which, std::size_t bytes) override;
    Memory allocate_write_combined(std::size_t bytes) override;
    void advise(const Place& place, std::size_t bytes, MemoryAdvice advice) override;
    ExportedMemory export_memory(const Memory& memory) override;
    Memory import_memory(const ExportedMemory& from, std::size_t bytes) override;
    std::vector<std::byte> export_event(const Event& event) override;
    std::unique_ptr<Event> import_event(std::span<const std::byte> handle) override;
    std::unique_ptr<ExternalMemory> make_external(const std::string& identity, std::size_t bytes) override;
    std::unique_ptr<Event> wrap_event(std::uint64_t handle) override;
    std::optional<AddressRange> address_range(std::uint64_t address) override;
    std::unique_ptr<Image> image_of_memory(const Place& place, const ImageShape& shape,
                                           std::size_t row_pitch_bytes) override;
    TensorMap tensor_map(const Place& place, const TensorMapShape& shape) override;
    std::unique_ptr<GlObject> share_gl(const GlName& name) override;
    std::unique_ptr<Module> wrap_module(std::uint64_t handle) override;
    ImageShape shape_of_image(std::uint64_t handle) override;
    std::unique_ptr<Image> wrap_image(std::uint64_t handle, const ImageShape& shape) override;

    const Shared& shared() const { return *shared_; }

   private:
    std::shared_ptr<Shared> shared_;
};

class CudaDevice final : public Device {
   public:
    explicit CudaDevice(CUdevice device);
    const DeviceInfo& info() const override;
    std::unique_ptr<Context> create_context() override;
    std::unique_ptr<Context> wrap_context(std::uint64_t handle) override;
    std::string fingerprint() const override;
    std::uint64_t native() const override;
    std::vector<std::pair<std::string, std::string>> attributes() const override;
    bool can_reach(std::uint64_t other) const override;
    bool shares_gl() const override;
    std::unique_ptr<Context> create_gl_context() override;
    std::vector<std::shared_ptr<Device>> partition(const DevicePartition& how) override;

   private:
    void give_up_primary();

    CUdevice device_;
    DeviceInfo info_;
    std::string fingerprint_;
    std::mutex primary_mutex_;
    std::weak_ptr<Shared> primary_;  ///< one retained context for all contexts of the device
    std::atomic<bool> lost_{false};  ///< the last one was lost: it must be reset before it can be retained again
};

class CudaPlugin final : public Plugin {
   public:
    std::string name() const override;
    std::string dialect() const override;
    int priority() const override;
    std::vector<std::shared_ptr<Device>> devices() override;
    std::string why_unavailable() const override;
    std::vector<Library> libraries() const override;
    void push_range(const char* name) noexcept override;
    void pop_range() noexcept override;
    std::vector<std::byte> compile_offline(std::string_view text, std::string_view architecture,
                                           const CompileOptions& options) override;

   private:
    std::string why_;
};

inline constexpr std::string_view elf_mark = "\177ELF", fatbin_mark = "\x50\xed\x55\xba";

/// Options of one call that assembles PTX, with buffers for the assembler's messages. It must not move: the driver
/// writes into it.
class JitCall {
   public:
    explicit JitCall(const JitOptions& jit);
    JitCall(const JitCall&) = delete;
    JitCall& operator=(const JitCall&) = delete;
    unsigned count() const { return count_; }
    CUjit_option* options() { return options_.data(); }
    void** values() { return values_.data(); }
    const char* errors() const { return errors_.data(); }
    const char* said() const { return said_.data(); }

   private:
    std::array<char, 8192> errors_{}, said_{};
    std::array<CUjit_option, 10> options_{};
    std::array<void*, 10> values_{};
    unsigned count_ = 0;
};

/// The driver's structure for a window of bytes x rows x slices.
CUDA_MEMCPY3D copy_parameters(const RectSide& to, const RectSide& from, std::array<std::size_t, 3> extent);
/// A kernel of this plug-in, with its limit of dynamic shared memory raised to `shared_bytes`.
CUfunction function_allowed(Kernel& kernel, std::uint32_t shared_bytes);
/// Whether the kernel waits for the one before it, so that it may be launched before that one has ended.
bool overlaps(Kernel& kernel);
/// Whether the driver can launch a kernel while the previous one still runs, and GEMEL_OVERLAP allows it.
bool may_overlap_kernels();
/// The argument for the arena parameter, which only OpenCL uses.
inline constexpr int no_arena = 0;

/// Options for NVRTC. @param architecture  "sm_90" or "compute_90"
std::vector<std::string> build_options(const CompileOptions& options, const std::string& architecture);
/// Runs NVRTC: a cubin for a real architecture ("sm_90"), PTX for a virtual one ("compute_90").
/// @throws BuildFailure with the log; BackendUnavailable if there is no NVRTC
std::vector<std::byte> run_compiler(std::string_view text, std::string_view name,
                                    const std::vector<std::string>& options, std::string& log);
/// The target for NVRTC: the device itself, or the highest virtual architecture that this NVRTC knows, as PTX.
/// @throws BackendUnavailable if the device is older than all targets
std::string target_architecture(const std::string& device_architecture);

}  // namespace gemel::plugin::cuda
