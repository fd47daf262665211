/// The classes of this plug-in; each is implemented in the file of its name.
#pragma once

#include "api.hpp"
#include "quirks.hpp"

#include <gemel/core/plugin.hpp>

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gemel::plugin::opencl {

class OpenClDevice;
class CommandTiming;

/// A cl_context, with the state that everything made in it needs. Shared, so that it outlives them.
struct Shared {
    cl_context context = nullptr;
    cl_device_id device = nullptr;
    const DeviceInfo* info = nullptr;
    Quirks quirks;
    int version = 12;  ///< of the device, 12 for OpenCL 1.2: newer entry points are called only for higher versions
    bool rounds_correctly = false;         ///< supports correctly rounded division and square root
    bool takes_assembler_options = false;  ///< options of NVIDIA's ptxas (cl_nv_compiler_options)
    bool uses_nvrtc = false;               ///< NVRTC is the compiler
    bool imports_files = false;            ///< imports memory of other APIs by file descriptors
    std::atomic<bool> dead{false};         ///< after a fault: nothing is released any more
    /// Counts released memory objects: a remembered kernel argument is valid only while this does not change.
    std::atomic<std::uint64_t> releases{0};
    std::mutex queues_mutex;
    std::vector<cl_command_queue> queues;  ///< of gemel's streams, retained: synchronize() waits for them
    std::mutex images_mutex;
    std::array<cl_sampler, SamplerState::count> samplers{};  ///< made on first use
    std::array<cl_mem, 5> no_images{};                       ///< one element each, for textures over plain memory

    ~Shared();
    cl_command_queue create_queue(bool timed);
    cl_sampler sampler(const SamplerState& state);
};

class OpenClEvent final : public Event {
   public:
    /// @param is_foreign  the owner of a user event completes it
    OpenClEvent(std::shared_ptr<Shared> shared, cl_command_queue queue, cl_event event, bool is_foreign = false);
    ~OpenClEvent() override;
    void wait() override;
    bool done() override;
    double milliseconds_since(const Event& start) const override;
    std::uint64_t native() const override;
    void complete() noexcept override;
    bool call_when_done(void (*function)(void*), void* data) override;

    cl_event event() const { return event_; }
    cl_context context() const { return shared_->context; }
    cl_command_queue queue() const { return queue_; }  ///< null for a user event

   private:
    std::shared_ptr<Shared> shared_;
    cl_command_queue queue_;
    cl_event event_;
    bool flushed_ = false;
    std::atomic<bool> completed_{false};  ///< by the host
};

class OpenClStream final : public Stream {
   public:
    /// The owner of the queue, and whether its commands need a barrier between them to run in order.
    enum class Queue : std::uint8_t { own, foreign, foreign_unordered };
    OpenClStream(std::shared_ptr<Shared> shared, cl_command_queue queue, Queue kind = Queue::own);
    ~OpenClStream() override;
    void upload(const Place& to, const void* host, std::size_t bytes, bool blocking) override;
    void download(void* host, const Place& from, std::size_t bytes, bool blocking) override;
    void copy(const Place& to, const Place& from, std::size_t bytes, Context& target_context, bool blocking) override;
    void copy_rectangle(const RectSide& to, const RectSide& from, std::array<std::size_t, 3> extent,
                        bool blocking) override;
    bool fill(const Place& to, const void* pattern, std::size_t pattern_bytes, std::size_t count) override;
    void copy_image(const ImageRegion& image, const Place& memory, bool to_image) override;
    void copy_images(const ImageRegion& to, const ImageRegion& from) override;
    bool fill_image(const ImageRegion& image, const void* element) override;
    void copy_lines(const ImageRegion& image, const Place& memory, bool to_image);
    void* map(const Place& from, std::size_t bytes) override;
    void unmap(const Memory& memory, void* host) override;
    std::unique_ptr<Event> record(bool timed) override;
    void wait(Event& event) override;
    void synchronize() override;
    bool idle() override;
    void flush() override;
    void call_host(void (*function)(void*), void* data) override;
    void prefetch(const Place& place, std::size_t bytes, bool to_host) override;
    std::shared_ptr<Timing> start_timing() override;
    void stop_timing(Timing& timing) override;
    std::uint64_t native() override;

    /// Holds the queue while one command is enqueued.
    class Turn {
       public:
        explicit Turn(OpenClStream& stream) : lock_(stream.mutex_), queue_(stream.queue_) {
            ++stream.enqueued_;
            if (stream.is_unordered_) [[unlikely]]
                cl.EnqueueBarrierWithWaitList(queue_, 0, nullptr, nullptr);
        }
        operator cl_command_queue() const { return queue_; }

       private:
        std::lock_guard<std::mutex> lock_;
        cl_command_queue queue_;
    };
    /// Where to store the event of a command; null if nothing is timed.
    cl_event* event_of_command() {
        CommandTiming* const timing = timing_.load(std::memory_order_relaxed);
        return timing && timer_.load(std::memory_order_relaxed) == std::this_thread::get_id() ? next_event(*timing)
                                                                                              : nullptr;
    }
    /// The queue for a call that waits: other threads may enqueue meanwhile.
    cl_command_queue waiting_turn() { return Turn(*this); }

   private:
    void begin_timing();
    static cl_event* next_event(CommandTiming& timing);
    std::unique_ptr<OpenClEvent> make_marker();

    std::shared_ptr<Shared> shared_;
    std::mutex mutex_;
    cl_command_queue queue_;
    cl_command_queue retired_ = nullptr;  ///< the queue before the one with timing: a thread may still wait in it
    bool timed_;                          ///< the queue can time, or must not be replaced
    bool is_unordered_;                   ///< the queue runs out of order: a barrier stands before each command
    bool others_enqueue_;                 ///< wrapped or handed out: its contents are unknown
    std::uint64_t enqueued_ = 0;          ///< commands
    std::uint64_t finished_ = 0;          ///< commands that are certainly complete
    std::unique_ptr<OpenClEvent> probe_;  ///< of idle(), which queries it until it is done
    std::uint64_t probed_ = 0;            ///< number of commands before the probe
    std::atomic<CommandTiming*> timing_{nullptr};
    std::atomic<std::thread::id> timer_{};  ///< the thread whose commands are timed
};

class OpenClModule final : public Module {
   public:
    /// @param built_in  names of its kernels if the driver does not list them, as for a device's built-in kernels
    OpenClModule(std::shared_ptr<Shared> shared, cl_program program, std::vector<std::string> built_in = {});
    ~OpenClModule() override;
    std::unique_ptr<Kernel> kernel(const std::string& name) override;
    std::vector<std::string> kernel_names() const override;
    std::vector<std::byte> binary() const override;
    bool finishes_at_first_launch() const override;
    Global global(const std::string& name) override;
    std::uint64_t native() const override;

   private:
    std::shared_ptr<Shared> shared_;
    cl_program program_;
    std::vector<std::string> built_in_;
};

/// An image over storage that others made; keeps a reference.
std::unique_ptr<Image> image_over(std::shared_ptr<Shared> shared, const ImageShape& shape, cl_mem image);
/// The inverse of making an image; its integers may be normalised. @throws ArgumentError for formats that gemel lacks
ImageShape shape_of_image(cl_mem image, cl_mem_object_type type);

class OpenClContext final : public Context {
   public:
    explicit OpenClContext(std::shared_ptr<Shared> shared);
    ~OpenClContext() override;

    Memory allocate(std::size_t bytes, MemoryKind kind) override;
    void release(const Memory& memory) noexcept override;
    Memory wrap_memory(std::uint64_t handle, std::size_t bytes) override;
    Memory allocate_host(std::size_t bytes) override;
    void release_host(const Memory& memory) noexcept override;
    std::uint64_t argument(const Place& place, std::size_t bytes) override;
    void release_argument(const Place& place, std::uint64_t argument) noexcept override;
    bool addresses_are_linear() const override;
    bool has_image_format(const ImageShape& shape) override;
    std::unique_ptr<Image> create_image(const ImageShape& shape) override;
    TextureHandles plain_texture(unsigned dimensions, bool is_layered) override;
    std::optional<std::pair<std::size_t, std::size_t>> memory_info() override;
    bool copies_directly_to(const Context& other) const override;

    std::unique_ptr<Stream> create_stream() override;
    std::unique_ptr<Stream> wrap_stream(std::uint64_t handle) override;

    std::vector<std::string> compiler_options(const CompileOptions& options) const override;
    BuildResult build(const BuildRequest& request) override;
    BuildResult link(std::span<const BuildRequest> units) override;
    bool logs_follow_line_directives() const override;
    std::string build_lock() const override;
    std::unique_ptr<Module> load(std::span<const std::byte> binary) override;
    BuildResult load_with(std::span<const std::byte> binary, const JitOptions& jit) override;
    std::unique_ptr<Module> load_built_in(std::span<const std::string> names) override;

    std::unique_ptr<Graph> make_graph(std::span<const GraphCommand> commands) override;

    void synchronize() override;
    void abandon() noexcept override;
    std::uint64_t native() const override;

    std::unique_ptr<Event> create_user_event() override;
    std::unique_ptr<ExternalMemory> import_external(int file, std::size_t bytes) override;
    std::unique_ptr<Event> wrap_event(std::uint64_t handle) override;
    std::unique_ptr<GlObject> share_gl(const GlName& name) override;
    std::unique_ptr<Module> wrap_module(std::uint64_t handle) override;
    ImageShape shape_of_image(std::uint64_t handle) override;
    std::unique_ptr<Image> wrap_image(std::uint64_t handle, const ImageShape& shape) override;

   private:
    BuildResult build(std::string_view text, const std::string& options);
    BuildResult build_by_nvrtc(const BuildRequest& request);
    /// The program for sm_90a if its text asks for that, see sm_90a.hpp; otherwise the program as it is.
    BuildResult for_sm_90a(BuildResult built, const BuildRequest& request);
    /// @throws Error if the platform takes no SPIR-V
    cl_program program_of_spirv(std::span<const std::byte> words) const;
    std::shared_ptr<Shared> shared_;
    cl_command_queue service_;  ///< maps and unmaps page-locked memory
};

class OpenClDevice final : public Device {
   public:
    /// @param part  follows the identity of a part of a device; empty for a whole device
    OpenClDevice(cl_platform_id platform, cl_device_id device, int number, const std::string& part = {});
    const DeviceInfo& info() const override;
    std::unique_ptr<Context> create_context() override;
    std::unique_ptr<Context> wrap_context(std::uint64_t handle) override;
    std::string fingerprint() const override;
    std::uint64_t native() const override;
    std::vector<std::pair<std::string, std::string>> attributes() const override;
    std::vector<std::string> extensions() const override;
    std::vector<std::shared_ptr<Device>> partition(const DevicePartition& how) override;
    std::optional<ClockReading> read_clocks() const override;
    std::vector<std::string> built_in_kernels() const override;
    std::optional<ComputeUnit> compute_unit() const override;
    std::string dialect() const override;
    bool shares_gl() const override;
    std::unique_ptr<Context> create_gl_context() override;
    const Quirks& quirks() const { return quirks_; }

   private:
    std::shared_ptr<Shared> share(cl_context context) const;
    bool uses_nvrtc() const;

    cl_platform_id platform_;
    cl_device_id device_;
    int number_;
    DeviceInfo info_;
    Quirks quirks_;
    int version_ = 12;
    bool rounds_correctly_ = false;
    std::string fingerprint_;
};

class OpenClPlugin final : public Plugin {
   public:
    std::string name() const override;
    std::string dialect() const override;
    int priority() const override;
    std::vector<std::shared_ptr<Device>> devices() override;
    std::string why_unavailable() const override;
    std::vector<Library> libraries() const override;
    std::vector<std::byte> compile_offline(std::string_view text, std::string_view architecture,
                                           const CompileOptions& options) override;

   private:
    std::string why_;
    std::vector<Library> libraries_;
};

/// A kernel that does nothing, for drivers that reject programs without kernels; never listed.
inline constexpr const char* filler_kernel = "gemel_filler_kernel_";

/// PoCL's cache folder according to the environment; empty if it names none.
std::filesystem::path pocl_folder();
/// Whether PoCL's cache lies in a folder of this process alone.
extern bool pocl_has_own_folder;

/// Options for clBuildProgram that the device supports.
std::vector<std::string> build_options(const CompileOptions& options, const Shared& shared);
std::vector<std::string> jit_words(const JitOptions& jit, const Shared& shared);
/// For programs through NVRTC: the compiler, its target, then its options.
std::vector<std::string> nvrtc_options(const CompileOptions& options, const Shared& shared);

/// NVIDIA's option of JitOptions::max_registers.
inline constexpr std::string_view register_limit_option = "-cl-nv-maxrregcount";
/// The registers per thread of a kernel, from the report of NVIDIA's assembler, which is run once more for it; nothing
/// if it reports none (it does not report programs that it finds in its own cache).
/// @param built_with  the options that the program was built with
std::optional<std::uint32_t> reported_registers(const Shared& shared, std::span<const std::byte> binary,
                                                const std::string& kernel, const std::string& built_with);
/// The registers of one kernel in the assembler's report.
std::optional<std::uint32_t> registers_in_report(std::string_view report, const std::string& kernel);

}  // namespace gemel::plugin::opencl
