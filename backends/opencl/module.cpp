/// Programs and kernels.
#include "launch_order.hpp"
#include "nvrtc_ptx.hpp"
#include "objects.hpp"
#include "value_sizes.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace gemel::plugin::opencl {
namespace {

KernelFacts read_facts(cl_kernel kernel, cl_device_id device) {
    KernelFacts facts;
    facts.max_threads_per_block = query<size_t>(cl.GetKernelWorkGroupInfo, CL_KERNEL_WORK_GROUP_SIZE, kernel, device);
    facts.shared_bytes = query<cl_ulong>(cl.GetKernelWorkGroupInfo, CL_KERNEL_LOCAL_MEM_SIZE, kernel, device);
    facts.local_bytes = query<cl_ulong>(cl.GetKernelWorkGroupInfo, CL_KERNEL_PRIVATE_MEM_SIZE, kernel, device);
    size_t multiple = 0;
    if (query_if_known(multiple, cl.GetKernelWorkGroupInfo, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, kernel,
                       device))
        facts.preferred_multiple = static_cast<std::uint32_t>(multiple);
    std::array<size_t, 3> required{};
    cl.GetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required.data(),
                              nullptr);
    if (required[0] != 0)
        facts.required_block = {{static_cast<std::uint32_t>(required[0]), static_cast<std::uint32_t>(required[1]),
                                 static_cast<std::uint32_t>(required[2])}};
    facts.parameter_count = query<cl_uint>(cl.GetKernelInfo, CL_KERNEL_NUM_ARGS, kernel);
    return facts;
}

/// NVIDIA's driver (580) counts one byte for each pointer to shared memory that is not set yet, which is not memory
/// that the kernel declares: so all of them are set, and the sum of their sizes is subtracted. With an arena the driver
/// adds as much as its alignment requires: of 49152 bytes an arena of 49136 can be launched, one of 49151 cannot.
void correct_shared_bytes(KernelFacts& facts, cl_kernel kernel, cl_device_id device) {
    constexpr std::size_t unit = 16;
    std::size_t set = 0;
    for (cl_uint i = 0; i < *facts.parameter_count; ++i)
        if (cl.SetKernelArg.status(kernel, i, unit, nullptr) == success) set += unit;
    const auto all = query<cl_ulong>(cl.GetKernelWorkGroupInfo, CL_KERNEL_LOCAL_MEM_SIZE, kernel, device);
    if (all >= set) facts.shared_bytes = all - set;
    if (set > 0) facts.arena_overhead_bytes = unit;
}

std::vector<std::string> names_in(cl_program program) {
    return listed_names(query_text(cl.GetProgramInfo, CL_PROGRAM_KERNEL_NAMES, program));
}

std::vector<std::byte> binary_of(cl_program program) {
    // A program of a wrapped context may be for several devices; the one of this device has a binary.
    const auto count = query<cl_uint>(cl.GetProgramInfo, CL_PROGRAM_NUM_DEVICES, program);
    std::vector<size_t> sizes(count);
    cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, count * sizeof(size_t), sizes.data(), nullptr);
    std::vector<std::vector<std::byte>> binaries;
    std::vector<std::byte*> pointers;
    for (const size_t size : sizes) binaries.emplace_back(size);
    for (auto& binary : binaries) pointers.push_back(binary.empty() ? nullptr : binary.data());
    cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof(pointers[0]), pointers.data(), nullptr);
    for (auto& binary : binaries)
        if (!binary.empty()) return std::move(binary);
    throw Error("the driver has no binary of this program");
}

/// Reads NVRTC's PTX, which has more information than the driver: that reports 256 as the largest block of all kernels.
void read_ptx(KernelFacts& facts, const std::vector<std::byte>& binary, const std::string& kernel) {
    const std::string_view ptx(reinterpret_cast<const char*>(binary.data()), binary.size());
    if (const auto threads = largest_block_in_ptx(ptx, kernel)) facts.max_threads_per_block = *threads;
    if (auto bytes = parameter_bytes_in_ptx(ptx, kernel); !bytes.empty()) facts.parameter_bytes = std::move(bytes);
}

/// Enqueues in `order`, if there is one. Stores its event in `timed`, if that is not null.
void enqueue(cl_context context, cl_command_queue queue, cl_kernel kernel, const LaunchShape& shape, LaunchOrder* order,
             cl_event* timed) {
    const size_t global[3] = {size_t{shape.grid[0]} * shape.block[0], size_t{shape.grid[1]} * shape.block[1],
                              size_t{shape.grid[2]} * shape.block[2]};
    const size_t local[3] = {shape.block[0], shape.block[1], shape.block[2]};
    const cl_uint axes = global[2] > 1 || shape.offset[2] ? 3 : global[1] > 1 || shape.offset[1] ? 2 : 1;
    const size_t offset[3] = {shape.offset[0], shape.offset[1], shape.offset[2]};
    if (order) return order->enqueue(context, queue, kernel, axes, offset, global, local, timed);
    cl.EnqueueNDRangeKernel(queue, kernel, axes, offset, global, local, 0, nullptr, timed);
}

/// OpenCL rejects shared memory of 0 bytes.
size_t arena_bytes(const LaunchShape& shape) { return std::max<size_t>(shape.shared_bytes, 16); }

/// An OpenCL kernel object holds its arguments: this one belongs to one prepared launch.
class OpenClBoundKernel final : public BoundKernel {
   public:
    OpenClBoundKernel(std::shared_ptr<Shared> shared, cl_kernel kernel, std::span<const ArgumentView> arguments,
                      int arena, std::shared_ptr<LaunchOrder> order)
        : shared_(std::move(shared)), kernel_(kernel), arena_(arena), order_(std::move(order)) {
        for (std::size_t i = 0; i < arguments.size(); ++i)
            if (static_cast<int>(i) != arena) set(i, arguments[i]);
    }
    ~OpenClBoundKernel() override {
        if (!shared_->dead) cl.ReleaseKernel.quietly(kernel_);
    }
    void set(std::size_t index, const ArgumentView& argument) override {
        cl.SetKernelArg(kernel_, static_cast<cl_uint>(index), argument.bytes, argument.data);
    }
    void launch(Stream& stream, const LaunchShape& shape) override {
        if (arena_ >= 0 && arena_bytes_ != arena_bytes(shape)) {
            arena_bytes_ = 0;
            cl.SetKernelArg(kernel_, static_cast<cl_uint>(arena_), arena_bytes(shape), nullptr);
            arena_bytes_ = arena_bytes(shape);
        }
        auto& own = static_cast<OpenClStream&>(stream);
        enqueue(shared_->context, OpenClStream::Turn(own), kernel_, shape, order_.get(), own.event_of_command());
    }

   private:
    std::shared_ptr<Shared> shared_;
    cl_kernel kernel_;
    int arena_;
    size_t arena_bytes_ = 0;  ///< the last size set
    std::shared_ptr<LaunchOrder> order_;
};

class OpenClKernel final : public Kernel {
   public:
    OpenClKernel(std::shared_ptr<Shared> shared, cl_program program, cl_kernel kernel, std::string name,
                 const std::vector<std::string>& names)
        : shared_(std::move(shared)),
          program_(program),
          kernel_(kernel),
          name_(std::move(name)),
          facts_(read_facts(kernel, shared_->device)),
          known_(*facts_.parameter_count) {
        if (shared_->quirks.has(Quirk::launches_collide)) order_ = LaunchOrder::of(name_);
        if (shared_->quirks.has(Quirk::counts_shared_pointers) && facts_.shared_bytes > 0)
            correct_shared_bytes(facts_, kernel_, shared_->device);
        if (shared_->uses_nvrtc)
            read_ptx(facts_, binary_of(program_), name_);
        else
            facts_.parameter_bytes = value_sizes(program_, shared_->device, names, name_, *facts_.parameter_count);
    }
    ~OpenClKernel() override {
        if (!shared_->dead) cl.ReleaseKernel.quietly(kernel_);
    }

    const KernelFacts& facts() const override { return facts_; }

    void launch(Stream& stream, const LaunchShape& shape, std::span<const ArgumentView> arguments, int arena) override {
        // The kernel object holds its arguments: no other thread may set them before this launch is enqueued.
        std::lock_guard lock(mutex_);
        // Handles of memory objects can be compared only while none is released: a new one may get an old one's
        // address.
        const auto releases = shared_->releases.load(std::memory_order_relaxed);
        const bool comparable = releases == known_at_;
        known_at_ = never;  // until all are set: after a failed call the arguments are unknown
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            ArgumentView argument = arguments[i];
            if (static_cast<int>(i) == arena) argument = {nullptr, arena_bytes(shape)};
            if (!remember(known_[i], argument) || !comparable)
                cl.SetKernelArg(kernel_, static_cast<cl_uint>(i), argument.bytes, argument.data);
        }
        known_at_ = releases;
        auto& own = static_cast<OpenClStream&>(stream);
        enqueue(shared_->context, OpenClStream::Turn(own), kernel_, shape, order_.get(), own.event_of_command());
    }

    bool has_begun() override { return !order_ || order_->has_begun(); }

    std::unique_ptr<BoundKernel> bind(std::span<const ArgumentView> arguments, int arena) override {
        return std::make_unique<OpenClBoundKernel>(shared_, cl.CreateKernel(program_, name_.c_str()), arguments, arena,
                                                   order_);
    }

    std::optional<std::uint32_t> blocks_per_compute_unit(std::size_t, std::size_t) override {
        return std::nullopt;  // OpenCL has no query for it
    }

    std::optional<std::uint32_t> find_registers() override {
        std::lock_guard lock(mutex_);
        if (!asked_for_registers_)
            registers_ = reported_registers(
                *shared_, binary_of(program_), name_,
                query_text(cl.GetProgramBuildInfo, CL_PROGRAM_BUILD_OPTIONS, program_, shared_->device));
        asked_for_registers_ = true;
        return registers_;
    }

    /// OpenCL guarantees nothing; but if blocks see each other's writes, each multiprocessor holds at least one block.
    std::uint64_t max_cooperative_blocks(std::size_t, std::size_t) override {
        return shared_->quirks.has(Quirk::takes_inline_ptx)
                   ? query<cl_uint>(cl.GetDeviceInfo, CL_DEVICE_MAX_COMPUTE_UNITS, shared_->device)
                   : 1;
    }

    std::uint64_t native() const override { return reinterpret_cast<std::uint64_t>(kernel_); }

   private:
    /// The last value of an argument, if it is small: setting it again costs more than comparing.
    struct Known {
        std::array<std::byte, 16> value;
        std::size_t bytes = 0;
        bool set = false, null = false;
    };
    /// Whether the argument has this value already; if not, remembers it.
    static bool remember(Known& known, const ArgumentView& argument) {
        if (argument.data && argument.bytes > sizeof known.value) return known.set = false;
        const bool null = argument.data == nullptr;
        if (known.set && known.null == null && known.bytes == argument.bytes &&
            (null || std::memcmp(known.value.data(), argument.data, argument.bytes) == 0))
            return true;
        known.set = true;
        known.null = null;
        known.bytes = argument.bytes;
        if (!null) std::memcpy(known.value.data(), argument.data, argument.bytes);
        return false;
    }

    std::shared_ptr<Shared> shared_;
    cl_program program_;
    cl_kernel kernel_;
    std::string name_;
    std::shared_ptr<LaunchOrder> order_;
    KernelFacts facts_;
    std::mutex mutex_;
    bool asked_for_registers_ = false;
    std::optional<std::uint32_t> registers_;
    std::vector<Known> known_;
    static constexpr std::uint64_t never = ~std::uint64_t{0};
    std::uint64_t known_at_ = never;
};

/// A kernel that OpenClContext::build() added to the user's text.
bool is_added(const std::string& kernel) { return is_size_probe(kernel) || kernel == filler_kernel; }

}  // namespace

OpenClModule::OpenClModule(std::shared_ptr<Shared> shared, cl_program program, std::vector<std::string> built_in)
    : shared_(std::move(shared)), program_(program), built_in_(std::move(built_in)) {}

OpenClModule::~OpenClModule() {
    if (!shared_->dead) cl.ReleaseProgram.quietly(program_);
}

std::unique_ptr<Kernel> OpenClModule::kernel(const std::string& name) {
    const auto names = built_in_.empty() ? names_in(program_) : built_in_;
    if (std::find(names.begin(), names.end(), name) == names.end() || is_added(name)) return nullptr;
    return std::make_unique<OpenClKernel>(shared_, program_, cl.CreateKernel(program_, name.c_str()), name, names);
}

std::vector<std::string> OpenClModule::kernel_names() const {
    if (!built_in_.empty()) return built_in_;
    std::vector<std::string> names = names_in(program_);
    std::erase_if(names, is_added);
    return names;
}

std::vector<std::byte> OpenClModule::binary() const { return binary_of(program_); }

bool OpenClModule::finishes_at_first_launch() const { return shared_->quirks.has(Quirk::compiles_at_first_launch); }

Global OpenClModule::global(const std::string& name) {
    throw Error(
        text("Module::global: '", name,
             "': OpenCL 1.2 has no variables at file scope that the host can write; pass a ConstantBuffer (or a "
             "Buffer) as an argument instead"));
}

std::uint64_t OpenClModule::native() const { return reinterpret_cast<std::uint64_t>(program_); }

}  // namespace gemel::plugin::opencl
