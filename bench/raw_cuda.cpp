/// The CUDA driver by hand.
#include "raw.hpp"

#include <gemel/interop/cuda.hpp>

#include <dlfcn.h>
#include <nvrtc.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace bench {
namespace {

void* open(std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    throw std::runtime_error(std::string("cannot open ") + *names.begin());
}

template <class F>
F* find(void* library, const char* name) {
    void* address = dlsym(library, name);
    if (!address) throw std::runtime_error(std::string("no ") + name);
    return reinterpret_cast<F*>(address);
}

void check(int status, const char* call) {
    if (status) throw std::runtime_error(std::string(call) + " gave " + std::to_string(status));
}

struct Functions {
    void* cuda = open({"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1"});
    void* nvrtc = open({"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"});
#define CU(member, name) decltype(cu##member)* member = find<decltype(cu##member)>(cuda, name)
    CU(CtxSetCurrent, "cuCtxSetCurrent");
    CU(StreamCreate, "cuStreamCreate");
    CU(StreamSynchronize, "cuStreamSynchronize");
    CU(StreamBeginCapture, "cuStreamBeginCapture_v2");
    CU(StreamEndCapture, "cuStreamEndCapture");
    using Instantiate = CUresult(CUgraphExec*, CUgraph, unsigned long long);
    Instantiate* GraphInstantiate = find<Instantiate>(cuda, "cuGraphInstantiateWithFlags");
    CU(GraphLaunch, "cuGraphLaunch");
    CU(GraphExecDestroy, "cuGraphExecDestroy");
    CU(GraphDestroy, "cuGraphDestroy");
    CU(LaunchKernel, "cuLaunchKernel");
    CU(MemcpyHtoD, "cuMemcpyHtoD_v2");
    CU(MemcpyDtoH, "cuMemcpyDtoH_v2");
    CU(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2");
    CU(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
    CU(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
    CU(MemcpyPeerAsync, "cuMemcpyPeerAsync");
    CU(CtxEnablePeerAccess, "cuCtxEnablePeerAccess");
    CU(MemAlloc, "cuMemAlloc_v2");
    CU(MemFree, "cuMemFree_v2");
    CU(MemAllocAsync, "cuMemAllocAsync");
    CU(MemFreeAsync, "cuMemFreeAsync");
    CU(ModuleLoadData, "cuModuleLoadData");
    CU(ModuleUnload, "cuModuleUnload");
    CU(ModuleGetFunction, "cuModuleGetFunction");
#undef CU
#define RTC(member) decltype(nvrtc##member)* member = find<decltype(nvrtc##member)>(nvrtc, "nvrtc" #member)
    RTC(CreateProgram);
    RTC(CompileProgram);
    RTC(GetCUBINSize);
    RTC(GetCUBIN);
    RTC(DestroyProgram);
#undef RTC
};

class RawCuda final : public Raw {
   public:
    explicit RawCuda(const gemel::Context& context)
        : architecture_("--gpu-architecture=" + context.device().info().architecture),
          context_(gemel::cuda::native(context)) {
        check(f_.CtxSetCurrent(context_), "cuCtxSetCurrent");
        check(f_.StreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    }
    void use(const gemel::Kernel& kernel) override { function_ = reinterpret_cast<CUfunction>(kernel.native_handle()); }
    void launch(unsigned grid, unsigned block, const gemel::Buffer* to, const gemel::Buffer* from, float factor,
                int count) override {
        if (to) {
            to_ = to->native_handle();
            from_ = from->native_handle();
            factor_ = factor;
            count_ = count;
        }
        void* arguments[] = {&to_, &from_, &factor_, &count_};
        check(f_.LaunchKernel(function_, grid, 1, 1, block, 1, 1, 0, stream_, to ? arguments : nullptr, nullptr),
              "cuLaunchKernel");
        with_arguments_ = to != nullptr;
    }
    void launch_again(unsigned grid, unsigned block) override {
        void* arguments[] = {&to_, &from_, &factor_, &count_};
        check(f_.LaunchKernel(function_, grid, 1, 1, block, 1, 1, 0, stream_, with_arguments_ ? arguments : nullptr,
                              nullptr),
              "cuLaunchKernel");
    }
    void synchronize() override { check(f_.StreamSynchronize(stream_), "cuStreamSynchronize"); }
    bool make_graph(const std::function<void()>& launches) override {
        if (graph_) check(f_.GraphExecDestroy(graph_), "cuGraphExecDestroy");
        CUgraph recorded = nullptr;
        check(f_.StreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "cuStreamBeginCapture");
        launches();
        check(f_.StreamEndCapture(stream_, &recorded), "cuStreamEndCapture");
        check(f_.GraphInstantiate(&graph_, recorded, 0), "cuGraphInstantiateWithFlags");
        check(f_.GraphDestroy(recorded), "cuGraphDestroy");
        return true;
    }
    void launch_graph() override { check(f_.GraphLaunch(graph_, stream_), "cuGraphLaunch"); }

    void upload(const gemel::Buffer& to, const void* host, std::size_t bytes, bool page_locked) override {
        if (!page_locked) return check(f_.MemcpyHtoD(to.native_handle(), host, bytes), "cuMemcpyHtoD");
        check(f_.MemcpyHtoDAsync(to.native_handle(), host, bytes, stream_), "cuMemcpyHtoDAsync");
        synchronize();
    }
    void download(void* host, const gemel::Buffer& from, std::size_t bytes, bool page_locked) override {
        if (!page_locked) return check(f_.MemcpyDtoH(host, from.native_handle(), bytes), "cuMemcpyDtoH");
        check(f_.MemcpyDtoHAsync(host, from.native_handle(), bytes, stream_), "cuMemcpyDtoHAsync");
        synchronize();
    }
    void copy(const gemel::Buffer& to, const gemel::Buffer& from, std::size_t bytes) override {
        check(f_.MemcpyDtoDAsync(to.native_handle(), from.native_handle(), bytes, stream_), "cuMemcpyDtoDAsync");
        synchronize();
    }
    bool copy_to_peer(const gemel::Buffer& to, const gemel::Buffer& from, std::size_t bytes) override {
        const CUcontext peer = gemel::cuda::native(to.context());
        if (peer != reached_) f_.CtxEnablePeerAccess(peer, 0);  // not all pairs can, and some have already
        reached_ = peer;
        check(f_.MemcpyPeerAsync(to.native_handle(), peer, from.native_handle(), context_, bytes, stream_),
              "cuMemcpyPeerAsync");
        synchronize();
        return true;
    }

    void allocate_and_free(std::size_t bytes) override {
        CUdeviceptr address = 0;
        check(f_.MemAlloc(&address, bytes), "cuMemAlloc");
        check(f_.MemFree(address), "cuMemFree");
    }
    bool allocate_and_free_pooled(std::size_t bytes) override {
        CUdeviceptr address = 0;
        check(f_.MemAllocAsync(&address, bytes, stream_), "cuMemAllocAsync");
        check(f_.MemFreeAsync(address, stream_), "cuMemFreeAsync");
        return true;
    }

    void compile(const std::string& text, const std::string& kernel) override {
        nvrtcProgram program = nullptr;
        check(f_.CreateProgram(&program, text.c_str(), "raw", 0, nullptr, nullptr), "nvrtcCreateProgram");
        const char* options[] = {architecture_.c_str(), "--std=c++17", "-default-device"};
        check(f_.CompileProgram(program, 3, options), "nvrtcCompileProgram");
        std::size_t size = 0;
        check(f_.GetCUBINSize(program, &size), "nvrtcGetCUBINSize");
        binary_.resize(size);
        check(f_.GetCUBIN(program, reinterpret_cast<char*>(binary_.data())), "nvrtcGetCUBIN");
        f_.DestroyProgram(&program);
        load(kernel);
    }
    void load(const std::string& kernel) override {
        CUmodule module = nullptr;
        CUfunction function = nullptr;
        check(f_.ModuleLoadData(&module, binary_.data()), "cuModuleLoadData");
        check(f_.ModuleGetFunction(&function, module, kernel.c_str()), "cuModuleGetFunction");
        check(f_.ModuleUnload(module), "cuModuleUnload");
    }
    void set_binary(const std::vector<std::byte>& binary) override { binary_ = binary; }
    std::vector<std::byte> binary() const override { return binary_; }

   private:
    Functions f_;
    std::string architecture_;
    CUcontext context_ = nullptr, reached_ = nullptr;
    CUgraphExec graph_ = nullptr;
    CUstream stream_ = nullptr;
    CUfunction function_ = nullptr;
    CUdeviceptr to_ = 0, from_ = 0;
    float factor_ = 0;
    int count_ = 0;
    bool with_arguments_ = false;
    std::vector<std::byte> binary_;
};

}  // namespace

std::unique_ptr<Raw> make_raw_cuda(const gemel::Context& context) { return std::make_unique<RawCuda>(context); }

}  // namespace bench
