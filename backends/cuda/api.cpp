/// Opens the driver and the compiler at run time; the meaning of their status codes, and which of them lose a context.
#include "api.hpp"

#include <gemel/core/environment.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace gemel::plugin::cuda {
namespace {

namespace fs = std::filesystem;

/// Opens the first library of a list that can be opened; the error of each failure is added to `trouble`.
void* open_first(const std::vector<std::string>& names, std::string& path, std::string& trouble) {
    std::vector<std::string> words;
    for (const auto& name : names) {
        if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
            trouble.clear();
            path = name;
            return library;
        }
        words.push_back(dlerror());
    }
    trouble = join(words, "; ");
    return nullptr;
}

/// Replaces the bare name of a library by the path of the file from which a function was loaded.
void resolve_path(void* function, std::string& path) {
    Dl_info info{};
    std::error_code error;
    if (dladdr(function, &info) && info.dli_fname)
        if (const auto full = fs::canonical(info.dli_fname, error); !error) path = full.string();
}

/// Binds entry points until a required one is missing; returns its name, or nothing.
template <class... E>
std::string bind_all(void* library, E&... entries) {
    std::string missing;
    const auto one = [&](auto& entry) {
        void* address = dlsym(library, entry.name());
        if (!address && missing.empty()) missing = entry.name();
        entry.bind(address);
    };
    (one(entries), ...);
    return missing;
}

void open_driver(Driver& d) {
    // WSL and containers keep the driver's library in other folders.
    void* library = open_first(
        {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}, d.path, d.trouble);
    if (!library) return;
    const std::string missing = bind_all(
        library, d.Init, d.DriverGetVersion, d.DeviceGetCount, d.DeviceGet, d.DeviceGetName, d.DeviceGetUuid,
        d.DeviceTotalMem, d.DeviceGetAttribute, d.DeviceGetPCIBusId, d.DevicePrimaryCtxRetain,
        d.DevicePrimaryCtxRelease, d.DevicePrimaryCtxReset, d.CtxGetCurrent, d.CtxSetCurrent, d.CtxPushCurrent,
        d.CtxPopCurrent, d.CtxSynchronize, d.MemGetInfo, d.MemAlloc, d.MemFree, d.MemAllocManaged, d.MemHostAlloc,
        d.MemFreeHost, d.MemHostRegister, d.MemHostUnregister, d.MemHostGetDevicePointer, d.MemGetAddressRange,
        d.PointerGetAttributes, d.MemcpyHtoDAsync, d.MemcpyDtoHAsync, d.MemcpyDtoDAsync, d.MemcpyPeerAsync,
        d.Memcpy3DAsync, d.MemsetD8Async, d.MemsetD16Async, d.MemsetD32Async, d.Array3DCreate, d.ArrayDestroy,
        d.TexObjectCreate, d.TexObjectDestroy, d.SurfObjectCreate, d.SurfObjectDestroy, d.StreamCreate, d.StreamDestroy,
        d.StreamGetCtx, d.StreamSynchronize, d.StreamQuery, d.StreamWaitEvent, d.EventCreate, d.EventDestroy,
        d.EventRecord, d.EventSynchronize, d.EventQuery, d.EventElapsedTime, d.LaunchHostFunc, d.ModuleLoadDataEx,
        d.LinkCreate, d.LinkAddData, d.LinkComplete, d.LinkDestroy, d.ModuleUnload, d.ModuleGetFunction,
        d.ModuleGetGlobal, d.FuncGetAttribute, d.FuncSetAttribute, d.FuncSetCacheConfig,
        d.OccupancyMaxActiveBlocksPerMultiprocessor, d.LaunchKernel, d.LaunchCooperativeKernel, d.GraphCreate,
        d.GraphDestroy, d.GraphAddKernelNode, d.GraphKernelNodeSetAttribute, d.GraphAddMemcpyNode, d.GraphAddMemsetNode,
        d.GraphInstantiate, d.GraphExecKernelNodeSetParams, d.GraphExecDestroy, d.GraphLaunch);
    if (!missing.empty()) {
        d.trouble = text(d.path, " lacks ", missing, ": the driver is older than CUDA 12.0; install a newer one");
        return;
    }
    bind_all(library, d.ProfilerStart, d.ProfilerStop, d.FuncGetName, d.ModuleGetFunctionCount,
             d.ModuleEnumerateFunctions, d.FuncGetParamInfo, d.LaunchKernelEx, d.GraphAddDependencies,
             d.StreamCreateWithPriority, d.CtxGetStreamPriorityRange, d.StreamWaitValue32, d.CtxGetLimit, d.CtxSetLimit,
             d.DeviceCanAccessPeer, d.CtxEnablePeerAccess, d.MemPrefetchAsync, d.MemAdvise, d.IpcGetMemHandle,
             d.IpcOpenMemHandle, d.IpcCloseMemHandle, d.IpcGetEventHandle, d.IpcOpenEventHandle,
             d.MemGetAllocationGranularity, d.MemCreate, d.MemRelease, d.MemAddressReserve, d.MemAddressFree,
             d.MemUnmap, d.MemMap, d.MemSetAccess, d.MemExportToShareableHandle, d.TensorMapEncodeTiled, d.GLGetDevices,
             d.GraphicsGLRegisterBuffer, d.GraphicsGLRegisterImage, d.GraphicsUnregisterResource,
             d.GraphicsMapResources, d.GraphicsUnmapResources, d.GraphicsResourceGetMappedPointer,
             d.GraphicsSubResourceGetMappedArray, d.Array3DGetDescriptor);
    resolve_path(dlsym(library, "cuInit"), d.path);
    if (const Status status = d.Init.status(0); status != success) {
        const char* words = nullptr;
        using Describe = CUresult (*)(CUresult, const char**);
        if (const auto describe = reinterpret_cast<Describe>(dlsym(library, "cuGetErrorString")))
            describe(status, &words);
        d.trouble =
            text("cuInit failed: ", error_name(status), words ? " (" : "", words ? words : "", words ? ")" : "");
        return;
    }
    d.DriverGetVersion(&d.version);
}

std::vector<std::string> compiler_candidates(int driver_version) {
    std::vector<std::string> names;
    if (const auto named = env::get("GEMEL_NVRTC")) return {*named};
    // A cubin needs a driver at least as new as its compiler's major version: the driver's own version is tried first.
    std::vector<std::string> majors{"13", "12"};
    if (driver_version && driver_version < 13000) std::swap(majors[0], majors[1]);
    std::vector<std::string> files;
    for (const auto& major : majors) files.push_back("libnvrtc.so." + major);
    files.push_back("libnvrtc.so");
    names = files;
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
        if (const char* root = ::secure_getenv(variable))
            for (const auto& file : files) names.push_back(text(root, "/lib64/", file));
    for (const auto& file : files) names.push_back("/usr/local/cuda/lib64/" + file);
    return names;
}

/// The toolkit's headers: next to the compiler, or in the usual folders.
std::string find_headers(const std::string& compiler_path) {
    std::vector<fs::path> folders;
    if (const char* root = ::secure_getenv("CUDA_PATH")) folders.push_back(fs::path(root) / "include");
    for (fs::path up = fs::path(compiler_path).parent_path(); up.has_relative_path(); up = up.parent_path())
        folders.push_back(up / "include");
    folders.push_back("/usr/local/cuda/include");
    std::error_code ignored;
    for (const auto& folder : folders)
        if (fs::exists(folder / "cuda_fp16.h", ignored)) return folder.string();
    return {};
}

void open_compiler(Compiler& c) {
    void* library = open_first(compiler_candidates(driver().version), c.path, c.trouble);
    if (!library) return;
    const std::string missing = bind_all(library, c.Version, c.GetNumSupportedArchs, c.GetSupportedArchs,
                                         c.CreateProgram, c.DestroyProgram, c.CompileProgram, c.GetProgramLogSize,
                                         c.GetProgramLog, c.GetCUBINSize, c.GetCUBIN, c.GetPTXSize, c.GetPTX);
    if (!missing.empty()) {
        c.trouble = text(c.path, " lacks ", missing, "; gemel needs NVRTC 12 or newer");
        return;
    }
    resolve_path(dlsym(library, "nvrtcVersion"), c.path);
    c.Version(&c.major, &c.minor);
    int count = 0;
    c.GetNumSupportedArchs(&count);
    c.architectures.resize(static_cast<std::size_t>(count));
    c.GetSupportedArchs(c.architectures.data());
    std::sort(c.architectures.begin(), c.architectures.end());
    struct stat file {};
    if (::stat(c.path.c_str(), &file) == 0) c.build = text(file.st_size, "@", file.st_mtim.tv_sec);
    c.include_folder = find_headers(c.path);
}

}  // namespace

Driver cu;

const Driver& driver() {
    static const bool once = (open_driver(cu), true);
    (void)once;
    return cu;
}

const Compiler& compiler() {
    static Compiler instance;
    static const bool once = (open_compiler(instance), true);
    (void)once;
    return instance;
}

const char* error_name(Status status) {
    switch (status) {
#define GEMEL_CODE(code) \
    case code: return #code
        GEMEL_CODE(CUDA_SUCCESS);
        GEMEL_CODE(CUDA_ERROR_INVALID_VALUE);
        GEMEL_CODE(CUDA_ERROR_OUT_OF_MEMORY);
        GEMEL_CODE(CUDA_ERROR_NOT_INITIALIZED);
        GEMEL_CODE(CUDA_ERROR_DEINITIALIZED);
        GEMEL_CODE(CUDA_ERROR_STUB_LIBRARY);
        GEMEL_CODE(CUDA_ERROR_DEVICE_UNAVAILABLE);
        GEMEL_CODE(CUDA_ERROR_NO_DEVICE);
        GEMEL_CODE(CUDA_ERROR_INVALID_DEVICE);
        GEMEL_CODE(CUDA_ERROR_INVALID_IMAGE);
        GEMEL_CODE(CUDA_ERROR_INVALID_CONTEXT);
        GEMEL_CODE(CUDA_ERROR_MAP_FAILED);
        GEMEL_CODE(CUDA_ERROR_NO_BINARY_FOR_GPU);
        GEMEL_CODE(CUDA_ERROR_ECC_UNCORRECTABLE);
        GEMEL_CODE(CUDA_ERROR_UNSUPPORTED_LIMIT);
        GEMEL_CODE(CUDA_ERROR_INVALID_PTX);
        GEMEL_CODE(CUDA_ERROR_NVLINK_UNCORRECTABLE);
        GEMEL_CODE(CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
        GEMEL_CODE(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
        GEMEL_CODE(CUDA_ERROR_INVALID_SOURCE);
        GEMEL_CODE(CUDA_ERROR_FILE_NOT_FOUND);
        GEMEL_CODE(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        GEMEL_CODE(CUDA_ERROR_OPERATING_SYSTEM);
        GEMEL_CODE(CUDA_ERROR_INVALID_HANDLE);
        GEMEL_CODE(CUDA_ERROR_ILLEGAL_STATE);
        GEMEL_CODE(CUDA_ERROR_NOT_FOUND);
        GEMEL_CODE(CUDA_ERROR_NOT_READY);
        GEMEL_CODE(CUDA_ERROR_ILLEGAL_ADDRESS);
        GEMEL_CODE(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
        GEMEL_CODE(CUDA_ERROR_LAUNCH_TIMEOUT);
        GEMEL_CODE(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        GEMEL_CODE(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
        GEMEL_CODE(CUDA_ERROR_ALREADY_MAPPED);
        GEMEL_CODE(CUDA_ERROR_NOT_MAPPED);
        GEMEL_CODE(CUDA_ERROR_NOT_MAPPED_AS_ARRAY);
        GEMEL_CODE(CUDA_ERROR_NOT_MAPPED_AS_POINTER);
        GEMEL_CODE(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE);
        GEMEL_CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED);
        GEMEL_CODE(CUDA_ERROR_ASSERT);
        GEMEL_CODE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
        GEMEL_CODE(CUDA_ERROR_HARDWARE_STACK_ERROR);
        GEMEL_CODE(CUDA_ERROR_ILLEGAL_INSTRUCTION);
        GEMEL_CODE(CUDA_ERROR_MISALIGNED_ADDRESS);
        GEMEL_CODE(CUDA_ERROR_INVALID_ADDRESS_SPACE);
        GEMEL_CODE(CUDA_ERROR_INVALID_PC);
        GEMEL_CODE(CUDA_ERROR_LAUNCH_FAILED);
        GEMEL_CODE(CUDA_ERROR_NOT_PERMITTED);
        GEMEL_CODE(CUDA_ERROR_NOT_SUPPORTED);
        GEMEL_CODE(CUDA_ERROR_SYSTEM_NOT_READY);
        GEMEL_CODE(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
        GEMEL_CODE(CUDA_ERROR_UNKNOWN);
#undef GEMEL_CODE
        default: return "an unknown CUDA code";
    }
}

const char* error_name(nvrtcResult status) {
    switch (status) {
#define GEMEL_CODE(code) \
    case code: return #code
        GEMEL_CODE(NVRTC_SUCCESS);
        GEMEL_CODE(NVRTC_ERROR_OUT_OF_MEMORY);
        GEMEL_CODE(NVRTC_ERROR_PROGRAM_CREATION_FAILURE);
        GEMEL_CODE(NVRTC_ERROR_INVALID_INPUT);
        GEMEL_CODE(NVRTC_ERROR_INVALID_PROGRAM);
        GEMEL_CODE(NVRTC_ERROR_INVALID_OPTION);
        GEMEL_CODE(NVRTC_ERROR_COMPILATION);
        GEMEL_CODE(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
        GEMEL_CODE(NVRTC_ERROR_INTERNAL_ERROR);
#undef GEMEL_CODE
        default: return "an unknown NVRTC code";
    }
}

void fail(const char* call, Status status) {
    const std::string message = text(call, " failed: ", error_name(status), " (", static_cast<int>(status), ")");
    switch (status) {
        case CUDA_ERROR_OUT_OF_MEMORY: throw OutOfMemory(message);
        // After these the driver returns the same code from every call in the context.
        case CUDA_ERROR_ILLEGAL_ADDRESS:
        case CUDA_ERROR_LAUNCH_TIMEOUT:
        case CUDA_ERROR_CONTEXT_IS_DESTROYED:
        case CUDA_ERROR_ASSERT:
        case CUDA_ERROR_HARDWARE_STACK_ERROR:
        case CUDA_ERROR_ILLEGAL_INSTRUCTION:
        case CUDA_ERROR_MISALIGNED_ADDRESS:
        case CUDA_ERROR_INVALID_ADDRESS_SPACE:
        case CUDA_ERROR_INVALID_PC:
        case CUDA_ERROR_LAUNCH_FAILED:
        case CUDA_ERROR_ECC_UNCORRECTABLE:
        case CUDA_ERROR_NVLINK_UNCORRECTABLE:
            throw DeviceLost(message, call, static_cast<int>(status), error_name(status));
        default: break;
    }
    throw DeviceError(message, call, static_cast<int>(status), error_name(status));
}

void fail(const char* call, nvrtcResult status) {
    throw DeviceError(text(call, " failed: ", error_name(status), " (", static_cast<int>(status), ")"), call,
                      static_cast<int>(status), error_name(status));
}

void log_failure(const char* call, Status status) noexcept {
    if (status == CUDA_ERROR_DEINITIALIZED) return;  // the process is ending: nothing is left to release
    logging::write(logging::Level::warn, "cuda", text(call, " failed while releasing: ", error_name(status)));
}

void log_failure(const char* call, nvrtcResult status) noexcept {
    logging::write(logging::Level::warn, "cuda", text(call, " failed while releasing: ", error_name(status)));
}

}  // namespace gemel::plugin::cuda
