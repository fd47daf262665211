/// The CUDA API for this plug-in: every entry point is an object that traces and checks its calls.
#pragma once

#include <cuda.h>
#include <nvrtc.h>

#include <gemel/core/error.hpp>
#include <gemel/core/trace.hpp>

#include <string>
#include <utility>
#include <vector>

namespace gemel::plugin::cuda {

using Status = CUresult;
inline constexpr Status success = CUDA_SUCCESS;

/// "CUDA_ERROR_INVALID_VALUE"
const char* error_name(Status status);
const char* error_name(nvrtcResult status);
/// Throws the exception for a failed call: OutOfMemory, DeviceLost or DeviceError.
[[noreturn]] void fail(const char* call, Status status);
[[noreturn]] void fail(const char* call, nvrtcResult status);
/// For destructors: logs a failed call, unless the driver has only been shut down.
void log_failure(const char* call, Status status) noexcept;
void log_failure(const char* call, nvrtcResult status) noexcept;

/// A driver function, found at run time. Calling it throws on failure; `status()` returns the code; `quietly()` logs.
template <class F>
class Entry;

template <class R, class... P>
class Entry<R(P...)> {
   public:
    using Function = R (*)(P...);
    explicit Entry(const char* name) : name_(name) {}
    explicit operator bool() const { return function_ != nullptr; }
    const char* name() const { return name_; }
    void bind(void* address) { function_ = reinterpret_cast<Function>(address); }

    R status(P... arguments) const {
        const R result = function_(arguments...);
        if (trace::enabled.load(std::memory_order_relaxed)) [[unlikely]]
            trace::write(name_, trace::arguments(result == R{}, arguments...), error_name(result));
        return result;
    }
    void operator()(P... arguments) const {
        if (const R result = status(arguments...); result != R{}) [[unlikely]]
            fail(name_, result);
    }
    void quietly(P... arguments) const noexcept {
        if (const R result = status(arguments...); result != R{}) log_failure(name_, result);
    }

   private:
    const char* name_;
    Function function_ = nullptr;
};

using HostFunction = void(CUDA_CB*)(void*);

/// The functions in use, each with the name that the library exports. cuda.h maps some short names to versioned ones,
/// and CUDA 13 maps more of them: the names here are those of a CUDA 12.0 driver. Functions marked optional are newer.
struct Driver {
#define GEMEL_CU(member, exported) \
    Entry<decltype(cu##member)> member { exported }
    GEMEL_CU(Init, "cuInit");
    GEMEL_CU(DriverGetVersion, "cuDriverGetVersion");
    GEMEL_CU(DeviceGetCount, "cuDeviceGetCount");
    GEMEL_CU(DeviceGet, "cuDeviceGet");
    GEMEL_CU(DeviceGetName, "cuDeviceGetName");
    GEMEL_CU(DeviceGetUuid, "cuDeviceGetUuid_v2");
    GEMEL_CU(DeviceTotalMem, "cuDeviceTotalMem_v2");
    GEMEL_CU(DeviceGetAttribute, "cuDeviceGetAttribute");
    GEMEL_CU(DeviceGetPCIBusId, "cuDeviceGetPCIBusId");
    GEMEL_CU(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    GEMEL_CU(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
    GEMEL_CU(DevicePrimaryCtxReset, "cuDevicePrimaryCtxReset_v2");
    GEMEL_CU(CtxGetCurrent, "cuCtxGetCurrent");
    GEMEL_CU(CtxSetCurrent, "cuCtxSetCurrent");
    GEMEL_CU(CtxPushCurrent, "cuCtxPushCurrent_v2");
    GEMEL_CU(CtxPopCurrent, "cuCtxPopCurrent_v2");
    Entry<CUresult()> CtxSynchronize{"cuCtxSynchronize"};
    GEMEL_CU(MemGetInfo, "cuMemGetInfo_v2");
    GEMEL_CU(MemAlloc, "cuMemAlloc_v2");
    GEMEL_CU(MemFree, "cuMemFree_v2");
    GEMEL_CU(MemAllocManaged, "cuMemAllocManaged");
    GEMEL_CU(MemHostAlloc, "cuMemHostAlloc");
    GEMEL_CU(MemFreeHost, "cuMemFreeHost");
    GEMEL_CU(MemHostRegister, "cuMemHostRegister_v2");
    GEMEL_CU(MemHostUnregister, "cuMemHostUnregister");
    GEMEL_CU(MemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2");
    GEMEL_CU(MemGetAddressRange, "cuMemGetAddressRange_v2");
    GEMEL_CU(PointerGetAttributes, "cuPointerGetAttributes");
    GEMEL_CU(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2");
    GEMEL_CU(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
    GEMEL_CU(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
    GEMEL_CU(MemcpyPeerAsync, "cuMemcpyPeerAsync");
    GEMEL_CU(Memcpy3DAsync, "cuMemcpy3DAsync_v2");
    GEMEL_CU(MemsetD8Async, "cuMemsetD8Async");
    GEMEL_CU(MemsetD16Async, "cuMemsetD16Async");
    GEMEL_CU(MemsetD32Async, "cuMemsetD32Async");
    GEMEL_CU(Array3DCreate, "cuArray3DCreate_v2");
    GEMEL_CU(ArrayDestroy, "cuArrayDestroy");
    GEMEL_CU(TexObjectCreate, "cuTexObjectCreate");
    GEMEL_CU(TexObjectDestroy, "cuTexObjectDestroy");
    GEMEL_CU(SurfObjectCreate, "cuSurfObjectCreate");
    GEMEL_CU(SurfObjectDestroy, "cuSurfObjectDestroy");
    GEMEL_CU(StreamCreate, "cuStreamCreate");
    GEMEL_CU(StreamDestroy, "cuStreamDestroy_v2");
    GEMEL_CU(StreamGetCtx, "cuStreamGetCtx");
    GEMEL_CU(StreamSynchronize, "cuStreamSynchronize");
    GEMEL_CU(StreamQuery, "cuStreamQuery");
    GEMEL_CU(StreamWaitEvent, "cuStreamWaitEvent");
    GEMEL_CU(EventCreate, "cuEventCreate");
    GEMEL_CU(EventDestroy, "cuEventDestroy_v2");
    GEMEL_CU(EventRecord, "cuEventRecord");
    GEMEL_CU(EventSynchronize, "cuEventSynchronize");
    GEMEL_CU(EventQuery, "cuEventQuery");
    Entry<CUresult(float*, CUevent, CUevent)> EventElapsedTime{"cuEventElapsedTime"};
    Entry<CUresult(CUstream, CUhostFn, void*)> LaunchHostFunc{"cuLaunchHostFunc"};
    GEMEL_CU(ModuleLoadDataEx, "cuModuleLoadDataEx");
    GEMEL_CU(LinkCreate, "cuLinkCreate_v2");
    GEMEL_CU(LinkAddData, "cuLinkAddData_v2");
    GEMEL_CU(LinkComplete, "cuLinkComplete");
    GEMEL_CU(LinkDestroy, "cuLinkDestroy");
    GEMEL_CU(ModuleUnload, "cuModuleUnload");
    GEMEL_CU(ModuleGetFunction, "cuModuleGetFunction");
    GEMEL_CU(ModuleGetGlobal, "cuModuleGetGlobal_v2");
    GEMEL_CU(FuncGetAttribute, "cuFuncGetAttribute");
    GEMEL_CU(FuncSetAttribute, "cuFuncSetAttribute");
    GEMEL_CU(FuncSetCacheConfig, "cuFuncSetCacheConfig");
    GEMEL_CU(OccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    GEMEL_CU(LaunchKernel, "cuLaunchKernel");
    GEMEL_CU(LaunchCooperativeKernel, "cuLaunchCooperativeKernel");
    GEMEL_CU(GraphCreate, "cuGraphCreate");
    GEMEL_CU(GraphDestroy, "cuGraphDestroy");
    Entry<CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, const CUDA_KERNEL_NODE_PARAMS_v2*)>
        GraphAddKernelNode{"cuGraphAddKernelNode_v2"};
    GEMEL_CU(GraphKernelNodeSetAttribute, "cuGraphKernelNodeSetAttribute");
    GEMEL_CU(GraphAddMemcpyNode, "cuGraphAddMemcpyNode");
    GEMEL_CU(GraphAddMemsetNode, "cuGraphAddMemsetNode");
    Entry<CUresult(CUgraphExec*, CUgraph, unsigned long long)> GraphInstantiate{"cuGraphInstantiateWithFlags"};
    Entry<CUresult(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v2*)> GraphExecKernelNodeSetParams{
        "cuGraphExecKernelNodeSetParams_v2"};
    GEMEL_CU(GraphExecDestroy, "cuGraphExecDestroy");
    Entry<CUresult(CUgraphExec, CUstream)> GraphLaunch{"cuGraphLaunch"};
#undef GEMEL_CU
    // Optional, and declared in a header of their own: for NVIDIA's profilers.
    Entry<CUresult()> ProfilerStart{"cuProfilerStart"}, ProfilerStop{"cuProfilerStop"};
    // Optional: since CUDA 12.3 and 12.4; written out because older headers do not declare them.
    Entry<CUresult(const char**, CUfunction)> FuncGetName{"cuFuncGetName"};
    Entry<CUresult(unsigned int*, CUmodule)> ModuleGetFunctionCount{"cuModuleGetFunctionCount"};
    Entry<CUresult(CUfunction*, unsigned int, CUmodule)> ModuleEnumerateFunctions{"cuModuleEnumerateFunctions"};
    Entry<CUresult(CUfunction, std::size_t, std::size_t*, std::size_t*)> FuncGetParamInfo{"cuFuncGetParamInfo"};

    // Optional: kernels that begin while the one before still runs; edges of graphs since CUDA 12.3.
    Entry<CUresult(const CUlaunchConfig*, CUfunction, void**, void**)> LaunchKernelEx{"cuLaunchKernelEx"};
    struct GraphEdge {
        unsigned char from_port, to_port, type, reserved[5];
    };
    Entry<CUresult(CUgraph, const CUgraphNode*, const CUgraphNode*, const GraphEdge*, std::size_t)>
        GraphAddDependencies{"cuGraphAddDependencies_v2"};
    // Optional: gemel's contexts need them only on demand; the signatures are those of CUDA 12.
    Entry<CUresult(CUstream*, unsigned, int)> StreamCreateWithPriority{"cuStreamCreateWithPriority"};
    Entry<CUresult(int*, int*)> CtxGetStreamPriorityRange{"cuCtxGetStreamPriorityRange"};
    Entry<CUresult(CUstream, CUdeviceptr, cuuint32_t, unsigned)> StreamWaitValue32{"cuStreamWaitValue32_v2"};
    Entry<CUresult(std::size_t*, CUlimit)> CtxGetLimit{"cuCtxGetLimit"};
    Entry<CUresult(CUlimit, std::size_t)> CtxSetLimit{"cuCtxSetLimit"};
    Entry<CUresult(int*, CUdevice, CUdevice)> DeviceCanAccessPeer{"cuDeviceCanAccessPeer"};
    Entry<CUresult(CUcontext, unsigned)> CtxEnablePeerAccess{"cuCtxEnablePeerAccess"};
    Entry<CUresult(CUdeviceptr, std::size_t, CUdevice, CUstream)> MemPrefetchAsync{"cuMemPrefetchAsync"};
    Entry<CUresult(CUdeviceptr, std::size_t, CUmem_advise, CUdevice)> MemAdvise{"cuMemAdvise"};
    Entry<CUresult(CUipcMemHandle*, CUdeviceptr)> IpcGetMemHandle{"cuIpcGetMemHandle"};
    Entry<CUresult(CUdeviceptr*, CUipcMemHandle, unsigned)> IpcOpenMemHandle{"cuIpcOpenMemHandle_v2"};
    Entry<CUresult(CUdeviceptr)> IpcCloseMemHandle{"cuIpcCloseMemHandle"};
    Entry<CUresult(CUipcEventHandle*, CUevent)> IpcGetEventHandle{"cuIpcGetEventHandle"};
    Entry<CUresult(CUevent*, CUipcEventHandle)> IpcOpenEventHandle{"cuIpcOpenEventHandle"};
    // Optional: memory that other APIs import.
    Entry<CUresult(std::size_t*, const CUmemAllocationProp*, CUmemAllocationGranularity_flags)>
        MemGetAllocationGranularity{"cuMemGetAllocationGranularity"};
    Entry<CUresult(CUmemGenericAllocationHandle*, std::size_t, const CUmemAllocationProp*, unsigned long long)>
        MemCreate{"cuMemCreate"};
    Entry<CUresult(CUmemGenericAllocationHandle)> MemRelease{"cuMemRelease"};
    Entry<CUresult(CUdeviceptr*, std::size_t, std::size_t, CUdeviceptr, unsigned long long)> MemAddressReserve{
        "cuMemAddressReserve"};
    Entry<CUresult(CUdeviceptr, std::size_t)> MemAddressFree{"cuMemAddressFree"}, MemUnmap{"cuMemUnmap"};
    Entry<CUresult(CUdeviceptr, std::size_t, std::size_t, CUmemGenericAllocationHandle, unsigned long long)> MemMap{
        "cuMemMap"};
    Entry<CUresult(CUdeviceptr, std::size_t, const CUmemAccessDesc*, std::size_t)> MemSetAccess{"cuMemSetAccess"};
    Entry<CUresult(void*, CUmemGenericAllocationHandle, CUmemAllocationHandleType, unsigned long long)>
        MemExportToShareableHandle{"cuMemExportToShareableHandle"};
    // Optional: descriptions of arrays from which kernels copy boxes, since CUDA 12.0.
    Entry<CUresult(void*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*, const std::uint32_t*,
                   const std::uint32_t*, int, int, int, int)>
        TensorMapEncodeTiled{"cuTensorMapEncodeTiled"};
    // Optional: OpenGL objects. Their header would need the OpenGL headers.
    Entry<CUresult(unsigned*, CUdevice*, unsigned, unsigned)> GLGetDevices{"cuGLGetDevices_v2"};
    Entry<CUresult(CUgraphicsResource*, unsigned, unsigned)> GraphicsGLRegisterBuffer{"cuGraphicsGLRegisterBuffer"};
    Entry<CUresult(CUgraphicsResource*, unsigned, unsigned, unsigned)> GraphicsGLRegisterImage{
        "cuGraphicsGLRegisterImage"};
    Entry<CUresult(CUgraphicsResource)> GraphicsUnregisterResource{"cuGraphicsUnregisterResource"};
    Entry<CUresult(unsigned, CUgraphicsResource*, CUstream)> GraphicsMapResources{"cuGraphicsMapResources"};
    Entry<CUresult(unsigned, CUgraphicsResource*, CUstream)> GraphicsUnmapResources{"cuGraphicsUnmapResources"};
    Entry<CUresult(CUdeviceptr*, std::size_t*, CUgraphicsResource)> GraphicsResourceGetMappedPointer{
        "cuGraphicsResourceGetMappedPointer_v2"};
    Entry<CUresult(CUarray*, CUgraphicsResource, unsigned, unsigned)> GraphicsSubResourceGetMappedArray{
        "cuGraphicsSubResourceGetMappedArray"};
    Entry<CUresult(CUDA_ARRAY3D_DESCRIPTOR*, CUarray)> Array3DGetDescriptor{"cuArray3DGetDescriptor_v2"};

    std::string path;     ///< of the library, or the names that were tried
    std::string trouble;  ///< why it could not be opened; empty if it was opened
    int version = 0;      ///< 13000 for CUDA 13.0
};

/// The run-time compiler.
struct Compiler {
    Entry<decltype(nvrtcVersion)> Version{"nvrtcVersion"};
    Entry<decltype(nvrtcGetNumSupportedArchs)> GetNumSupportedArchs{"nvrtcGetNumSupportedArchs"};
    Entry<decltype(nvrtcGetSupportedArchs)> GetSupportedArchs{"nvrtcGetSupportedArchs"};
    Entry<nvrtcResult(nvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*)>
        CreateProgram{"nvrtcCreateProgram"};
    Entry<decltype(nvrtcDestroyProgram)> DestroyProgram{"nvrtcDestroyProgram"};
    Entry<nvrtcResult(nvrtcProgram, int, const char* const*)> CompileProgram{"nvrtcCompileProgram"};
    Entry<decltype(nvrtcGetProgramLogSize)> GetProgramLogSize{"nvrtcGetProgramLogSize"};
    Entry<decltype(nvrtcGetProgramLog)> GetProgramLog{"nvrtcGetProgramLog"};
    Entry<decltype(nvrtcGetCUBINSize)> GetCUBINSize{"nvrtcGetCUBINSize"};
    Entry<decltype(nvrtcGetCUBIN)> GetCUBIN{"nvrtcGetCUBIN"};
    Entry<decltype(nvrtcGetPTXSize)> GetPTXSize{"nvrtcGetPTXSize"};
    Entry<decltype(nvrtcGetPTX)> GetPTX{"nvrtcGetPTX"};

    std::string path, trouble;
    int major = 0, minor = 0;
    std::string build;               ///< size and time of the library file: two builds of one version differ
    std::string include_folder;      ///< of the toolkit, with cuda_fp16.h and similar headers; empty if none was found
    std::vector<int> architectures;  ///< architectures that it compiles for: 75, 80, ..., ascending
};

/// Opened on first use, once per process.
const Driver& driver();
const Compiler& compiler();
/// driver(), for calls after it has been opened.
extern Driver cu;

}  // namespace gemel::plugin::cuda
