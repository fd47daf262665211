/// Programs and kernels.
#include "objects.hpp"

#include <gemel/core/environment.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace gemel::plugin::cuda {
namespace {

int attribute(CUfunction function, CUfunction_attribute which) {
    int value = 0;
    cu.FuncGetAttribute(&value, which, function);
    return value;
}

KernelFacts read_facts(CUfunction function, const DeviceInfo& info) {
    KernelFacts facts;
    facts.max_threads_per_block =
        static_cast<std::size_t>(attribute(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
    facts.registers = static_cast<std::uint32_t>(attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS));
    facts.shared_bytes = static_cast<std::size_t>(attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    facts.local_bytes = static_cast<std::size_t>(attribute(function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    facts.constant_bytes = static_cast<std::size_t>(attribute(function, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
    facts.preferred_multiple = info.warp_size;
    facts.binary_architecture = text("sm_", attribute(function, CU_FUNC_ATTRIBUTE_BINARY_VERSION));
    if (cu.FuncGetParamInfo) {
        std::vector<std::size_t> sizes;
        for (std::size_t i = 0;; ++i) {
            std::size_t offset = 0, bytes = 0;
            if (cu.FuncGetParamInfo.status(function, i, &offset, &bytes) != success) break;
            sizes.push_back(bytes);
        }
        facts.parameter_count = sizes.size();
        facts.parameter_bytes = std::move(sizes);
    }
    return facts;
}

/// Dynamic shared memory above the default limit must be allowed for each kernel.
void allow_shared_bytes(CUfunction function, std::atomic<std::uint32_t>& allowed, std::uint32_t bytes) {
    if (bytes <= allowed.load(std::memory_order_relaxed)) return;
    cu.FuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes));
    allowed.store(bytes, std::memory_order_relaxed);
}

/// A kernel that waits by itself for the one before it in the stream: its launch overlaps with that one's end.
/// @source CUDA Programming Guide, "Programmatic Dependent Launch and Synchronization"
void enqueue_overlapping(CUstream stream, CUfunction function, const LaunchShape& shape, void** arguments) {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    CUlaunchConfig config{};
    config.gridDimX = shape.grid[0];
    config.gridDimY = shape.grid[1];
    config.gridDimZ = shape.grid[2];
    config.blockDimX = shape.block[0];
    config.blockDimY = shape.block[1];
    config.blockDimZ = shape.block[2];
    config.sharedMemBytes = shape.shared_bytes;
    config.hStream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cu.LaunchKernelEx(&config, function, arguments, nullptr);
}

void enqueue(CUstream stream, CUfunction function, const LaunchShape& shape, void** arguments, bool overlaps) {
    if (overlaps && shape.overlap && !shape.cooperative) return enqueue_overlapping(stream, function, shape, arguments);
    if (shape.cooperative) [[unlikely]]
        return cu.LaunchCooperativeKernel(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                                          shape.block[1], shape.block[2], shape.shared_bytes, stream, arguments);
    cu.LaunchKernel(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
                    shape.block[2], shape.shared_bytes, stream, arguments, nullptr);
}

/// Copies of the arguments, with the pointers to them that a launch takes.
class CudaBoundKernel final : public BoundKernel {
   public:
    CudaBoundKernel(std::shared_ptr<Shared> shared, CUfunction function, bool overlaps,
                    std::atomic<std::uint32_t>& allowed, std::span<const ArgumentView> arguments, int arena)
        : shared_(std::move(shared)),
          function_(function),
          overlaps_(overlaps),
          allowed_(allowed),
          values_(arguments.size()) {
        for (std::size_t i = 0; i < arguments.size(); ++i)
            set(i, static_cast<int>(i) == arena ? ArgumentView{&no_arena, sizeof no_arena} : arguments[i]);
    }
    void set(std::size_t index, const ArgumentView& argument) override {
        const auto* bytes = static_cast<const std::byte*>(argument.data);
        values_[index].assign(bytes, bytes + argument.bytes);
        pointers_.clear();
        for (auto& value : values_) pointers_.push_back(value.data());
    }
    void launch(Stream& stream, const LaunchShape& shape) override {
        Current current(*shared_);
        allow_shared_bytes(function_, allowed_, shape.shared_bytes);
        enqueue(static_cast<CudaStream&>(stream).stream(), function_, shape, pointers_.data(), overlaps_);
    }

   private:
    std::shared_ptr<Shared> shared_;
    CUfunction function_;
    const bool overlaps_;
    std::atomic<std::uint32_t>& allowed_;  ///< of the kernel, which a prepared launch keeps alive
    std::vector<std::vector<std::byte>> values_;
    std::vector<void*> pointers_;
};

class CudaKernel final : public Kernel {
   public:
    CudaKernel(std::shared_ptr<Shared> shared, CUfunction function, bool overlaps)
        : shared_(std::move(shared)),
          function_(function),
          overlaps_(overlaps),
          facts_(read_facts(function, *shared_->info)) {
        const std::size_t usual = shared_->info->shared_memory_per_block_bytes;
        allowed_ = static_cast<std::uint32_t>(usual > *facts_.shared_bytes ? usual - *facts_.shared_bytes : 0);
    }

    const KernelFacts& facts() const override { return facts_; }

    void launch(Stream& stream, const LaunchShape& shape, std::span<const ArgumentView> arguments, int arena) override {
        Current current(*shared_);
        allow_shared_bytes(function_, allowed_, shape.shared_bytes);
        void* pointers[max_arguments];
        for (std::size_t i = 0; i < arguments.size(); ++i)
            pointers[i] = const_cast<void*>(static_cast<int>(i) == arena ? &no_arena : arguments[i].data);
        enqueue(static_cast<CudaStream&>(stream).stream(), function_, shape, pointers, overlaps_);
    }

    bool has_begun() override {
        return true;  // compiled when it was built or loaded
    }

    std::unique_ptr<BoundKernel> bind(std::span<const ArgumentView> arguments, int arena) override {
        return std::make_unique<CudaBoundKernel>(shared_, function_, overlaps_, allowed_, arguments, arena);
    }

    std::uint64_t max_cooperative_blocks(std::size_t threads_per_block, std::size_t dynamic_shared_bytes) override {
        Current current(*shared_);
        allow_shared_bytes(function_, allowed_, static_cast<std::uint32_t>(dynamic_shared_bytes));
        return std::uint64_t{*blocks_per_compute_unit(threads_per_block, dynamic_shared_bytes)} *
               shared_->info->compute_units;
    }

    bool prefer_shared_memory(int percent) override {
        Current current(*shared_);
        cu.FuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, percent);
        return true;
    }

    bool prefer_cache(CachePreference preference) override {
        constexpr std::array words{CU_FUNC_CACHE_PREFER_NONE, CU_FUNC_CACHE_PREFER_SHARED, CU_FUNC_CACHE_PREFER_L1,
                                   CU_FUNC_CACHE_PREFER_EQUAL};
        Current current(*shared_);
        cu.FuncSetCacheConfig(function_, words[static_cast<std::size_t>(preference)]);
        return true;
    }

    std::optional<std::uint32_t> blocks_per_compute_unit(std::size_t threads_per_block,
                                                         std::size_t dynamic_shared_bytes) override {
        Current current(*shared_);
        int blocks = 0;
        cu.OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_, static_cast<int>(threads_per_block),
                                                     dynamic_shared_bytes);
        return static_cast<std::uint32_t>(blocks);
    }

    std::uint64_t native() const override { return reinterpret_cast<std::uint64_t>(function_); }

    CUfunction allowed(std::uint32_t shared_bytes) {
        allow_shared_bytes(function_, allowed_, shared_bytes);
        return function_;
    }
    bool overlaps() const { return overlaps_; }

   private:
    std::shared_ptr<Shared> shared_;
    CUfunction function_;
    const bool overlaps_;  ///< a launch may begin while the kernel before it runs
    KernelFacts facts_;
    std::atomic<std::uint32_t> allowed_{0};  ///< dynamic shared memory that is allowed already
};

}  // namespace

CUfunction function_allowed(Kernel& kernel, std::uint32_t shared_bytes) {
    return static_cast<CudaKernel&>(kernel).allowed(shared_bytes);
}

bool overlaps(Kernel& kernel) { return static_cast<CudaKernel&>(kernel).overlaps(); }
bool may_overlap_kernels() { return cu.LaunchKernelEx && env::flag("GEMEL_OVERLAP", true); }

namespace {

/// Whether all kernels of a program wait for the kernel before: core compiles them so, and says it by a variable.
bool kernels_wait(CUmodule module) {
    if (!may_overlap_kernels()) return false;
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    return cu.ModuleGetGlobal.status(&address, &bytes, module, "gemel_kernels_wait") == success;
}

}  // namespace

CudaModule::CudaModule(std::shared_ptr<Shared> shared, CUmodule module, std::vector<std::byte> binary, bool is_foreign)
    : shared_(std::move(shared)),
      module_(module),
      overlaps_(kernels_wait(module)),
      binary_(std::move(binary)),
      is_foreign_(is_foreign) {}

CudaModule::~CudaModule() {
    if (shared_->dead || is_foreign_) return;
    try {
        Current current(*shared_);
        cu.ModuleUnload.quietly(module_);
    } catch (...) {  // the context has just been lost: its modules went with it
    }
}

std::unique_ptr<Kernel> CudaModule::kernel(const std::string& name) {
    Current current(*shared_);
    CUfunction function = nullptr;
    const Status status = cu.ModuleGetFunction.status(&function, module_, name.c_str());
    if (status == CUDA_ERROR_NOT_FOUND) return nullptr;
    if (status != success) fail(cu.ModuleGetFunction.name(), status);
    return std::make_unique<CudaKernel>(shared_, function, overlaps_);
}

std::vector<std::string> CudaModule::kernel_names() const {
    std::vector<std::string> names;
    if (!cu.ModuleGetFunctionCount || !cu.ModuleEnumerateFunctions || !cu.FuncGetName) return names;
    Current current(*shared_);
    unsigned count = 0;
    cu.ModuleGetFunctionCount(&count, module_);
    std::vector<CUfunction> functions(count);
    if (count) cu.ModuleEnumerateFunctions(functions.data(), count, module_);
    for (const CUfunction function : functions) {
        const char* name = nullptr;
        cu.FuncGetName(&name, function);
        names.push_back(name);
    }
    return names;
}

std::vector<std::byte> CudaModule::binary() const {
    if (is_foreign_)
        throw Error("Module::binary: CUDA does not give the binary of a module that others have loaded; keep theirs");
    return binary_;
}

bool CudaModule::finishes_at_first_launch() const { return false; }

Global CudaModule::global(const std::string& name) {
    Current current(*shared_);
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    const Status status = cu.ModuleGetGlobal.status(&address, &bytes, module_, name.c_str());
    if (status == CUDA_ERROR_NOT_FOUND)
        throw Error(text("Module::global: there is no variable '", name,
                         "' in this program (it needs extern \"C\" to keep its name)"));
    if (status != success) fail(cu.ModuleGetGlobal.name(), status);
    return {{.handle = address, .bytes = bytes, .foreign = true}};
}

std::uint64_t CudaModule::native() const { return reinterpret_cast<std::uint64_t>(module_); }

}  // namespace gemel::plugin::cuda
