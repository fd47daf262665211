/// Device memory that another API made, imported by a file descriptor (cl_khr_external_memory_opaque_fd).
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <fcntl.h>
#include <unistd.h>

#pragma weak clCreateBufferWithProperties  // OpenCL 3.0's: null where the loader is older

namespace gemel::plugin::opencl {
namespace {

// By number: headers older than the extension lack them, and newer headers have renamed the list of devices.
constexpr cl_mem_properties external_memory_handle_opaque_fd = 0x2060, mem_device_handle_list = 0x2051,
                            mem_device_handle_list_end = 0;

using Enqueue = Status(cl_command_queue, cl_uint, const cl_mem*, cl_uint, const cl_event*, cl_event*);

Entry<Enqueue> find_enqueue(cl_device_id device, const char* name) {
    const auto platform = query<cl_platform_id>(cl.GetDeviceInfo, CL_DEVICE_PLATFORM, device);
    return {name, reinterpret_cast<Enqueue*>(clGetExtensionFunctionAddressForPlatform(platform, name))};
}

class OpenClExternalMemory final : public ExternalMemory {
   public:
    explicit OpenClExternalMemory(std::shared_ptr<Shared> shared)
        : shared_(std::move(shared)),
          acquire_(find_enqueue(shared_->device, "clEnqueueAcquireExternalMemObjectsKHR")),
          release_(find_enqueue(shared_->device, "clEnqueueReleaseExternalMemObjectsKHR")) {}
    ~OpenClExternalMemory() override {
        if (shared_->dead || !buffer_) return;
        shared_->releases.fetch_add(1, std::memory_order_relaxed);
        cl.ReleaseMemObject.quietly(buffer_);
    }

    /// @returns false where the driver or the loader lacks a function
    bool open(int file, std::size_t bytes);
    const Memory& memory() const override { return memory_; }
    void acquire(Stream& stream) override { enqueue(acquire_, stream); }
    void release(Stream& stream) override { enqueue(release_, stream); }

   private:
    void enqueue(const Entry<Enqueue>& entry, Stream& stream) {
        entry(OpenClStream::Turn(dynamic_cast<OpenClStream&>(stream)), 1, &buffer_, 0, nullptr, nullptr);
    }

    std::shared_ptr<Shared> shared_;
    Entry<Enqueue> acquire_, release_;
    cl_mem buffer_ = nullptr;
    Memory memory_;
};

bool OpenClExternalMemory::open(int file, std::size_t bytes) {
    if (!&clCreateBufferWithProperties || !acquire_ || !release_) return false;
    const Maker<cl_mem, cl_context, const cl_mem_properties*, cl_mem_flags, size_t, void*> make{
        "clCreateBufferWithProperties", &clCreateBufferWithProperties};
    const int own = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        throw Error(
            "import_external: the process has no free file descriptor to import memory; raise the limit (ulimit -n)");
    std::vector<cl_mem_properties> properties{external_memory_handle_opaque_fd, static_cast<cl_mem_properties>(own)};
    // In a context with several devices the driver must know whose memory it is.
    if (query<cl_uint>(cl.GetContextInfo, CL_CONTEXT_NUM_DEVICES, shared_->context) > 1)
        properties.insert(
            properties.end(),
            {mem_device_handle_list, reinterpret_cast<cl_mem_properties>(shared_->device), mem_device_handle_list_end});
    properties.push_back(0);
    Status status = success;
    buffer_ = make.make(status, shared_->context, properties.data(), CL_MEM_READ_WRITE, bytes, nullptr);
    if (status != success) {
        ::close(own);
        throw Error(text(make.name(), " does not import memory: ", error_name(status), " (", status, ")"));
    }
    memory_ = {.handle = reinterpret_cast<std::uint64_t>(buffer_), .bytes = bytes, .foreign = true};
    return true;  // the driver owns the descriptor now
}

}  // namespace

std::unique_ptr<ExternalMemory> OpenClContext::import_external(int file, std::size_t bytes) {
    if (!shared_->imports_files) return nullptr;
    auto memory = std::make_unique<OpenClExternalMemory>(shared_);
    return memory->open(file, bytes) ? std::move(memory) : nullptr;
}

// No OpenCL implementation makes memory that CUDA imports.

}  // namespace gemel::plugin::opencl
