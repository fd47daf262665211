/// The stand-in for NVIDIA's driver: programs, linked or not, and launches.
#include "cuda_driver.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::atomic<void (*)(void**)> launch_seen{nullptr};

/// A program that the stand-in for NVRTC has made; null for what is for a GPU, which is taken and not run.
struct Module {
    void* program = nullptr;
    bool kernels_wait = false;  ///< has a variable of that name
};

/// Whether a cubin or PTX names the variable.
bool has_kernels_wait(const void* image) {
    const char* const begin = static_cast<const char*>(image);
    std::size_t bytes = 0;
    if (std::strncmp(begin, ELFMAG, SELFMAG) == 0) {
        Elf64_Ehdr header;
        std::memcpy(&header, image, sizeof header);
        bytes = header.e_shoff + std::size_t{header.e_shentsize} * header.e_shnum;
    } else {
        bytes = std::strlen(begin);
    }
    return std::string_view(begin, bytes).find("gemel_kernels_wait") != std::string_view::npos;
}

/// Loads a shared object from memory, whose end its header tells. Programs stay loaded.
void* opened(const void* image) {
    Elf64_Ehdr header;
    if (std::strncmp(static_cast<const char*>(image), ELFMAG, SELFMAG) != 0) return nullptr;  // PTX, which may be short
    std::memcpy(&header, image, sizeof header);
    if (header.e_machine != EM_X86_64) return nullptr;
    const std::size_t bytes = header.e_shoff + std::size_t{header.e_shentsize} * header.e_shnum;
    char path[] = "/tmp/gemel-program-XXXXXX";
    const int file = ::mkstemp(path);
    const bool written = file >= 0 && ::write(file, image, bytes) == static_cast<ssize_t>(bytes);
    if (file >= 0) ::close(file);
    void* const program = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
    ::unlink(path);
    if (!program) {
        std::fprintf(stderr, "stand-in: %s\n", dlerror());
        return nullptr;
    }
    if (void* const runtime = dlsym(program, "gemel_runtime"))
        *static_cast<const emulation::Runtime**>(runtime) = &emulation::runtime();
    return program;
}

/// Units of a program that the stand-in for NVRTC has made.
struct Link {
    std::vector<std::string> objects;
    std::string program;
    char* log = nullptr;  ///< of the caller's, for what the linker says
    std::size_t log_bytes = 0;
};

/// With the host's linker.
bool linked(Link& link) {
    char folder[] = "/tmp/gemel-linked-XXXXXX";
    if (!::mkdtemp(folder)) return false;
    const std::filesystem::path in = folder;
    std::string command = GEMEL_HOST_COMPILER " -shared -Wl,-Bsymbolic,-z,defs -o " + (in / "program.so").string();
    for (const std::string& object : link.objects) {
        const std::string name = (in / (std::to_string(command.size()) + ".o")).string();
        std::ofstream(name, std::ios::binary) << object;
        command += " " + name;
    }
    const bool made = std::system((command + " 2>" + (in / "log").string()).c_str()) == 0;
    if (link.log) std::ifstream(in / "log").get(link.log, static_cast<std::streamsize>(link.log_bytes), '\0');
    std::ifstream file(in / "program.so", std::ios::binary);
    link.program.assign(std::istreambuf_iterator<char>(file), {});
    std::error_code ignored;
    std::filesystem::remove_all(in, ignored);
    return made;
}

}  // namespace

/// Counts the assembler's options as calls, "max registers 24", and says what it would, if it shall be verbose.
static void assemble(unsigned count, const CUjit_option* options, void* const* values) {
    char* log = nullptr;
    std::size_t bytes = 0;
    std::string said;
    for (unsigned k = 0; k < count; ++k) {
        const auto value = reinterpret_cast<std::size_t>(values[k]);
        const auto with = [&](const char* option) { called((option + std::to_string(value)).c_str()); };
        switch (options[k]) {
            case CU_JIT_INFO_LOG_BUFFER: log = static_cast<char*>(values[k]); break;
            case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: bytes = value; break;
            case CU_JIT_MAX_REGISTERS: with("max registers "); break;
            case CU_JIT_OPTIMIZATION_LEVEL: with("optimization level "); break;
            case CU_JIT_CACHE_MODE: with("cache mode "); break;
            case CU_JIT_GENERATE_DEBUG_INFO: with("debug info "); break;
            case CU_JIT_GENERATE_LINE_INFO: with("line info "); break;
            case CU_JIT_LOG_VERBOSE: said = "ptxas info    : Used 24 registers"; break;
            default: break;
        }
    }
    if (log && bytes > said.size()) std::memcpy(log, said.c_str(), said.size() + 1);
}

CUresult run_kernel(CUfunction function, void** arguments, std::array<unsigned, 3> grid, std::array<unsigned, 3> block,
                    bool is_cooperative) {
    const emulation::Kernel run = reinterpret_cast<Function*>(function)->run;
    if (!run) return CUDA_SUCCESS;
    try {
        emulation::run(run, arguments, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, is_cooperative);
        return CUDA_SUCCESS;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "stand-in: %s\n", error.what());
        return CUDA_ERROR_LAUNCH_FAILED;
    }
}

extern "C" {

void stand_in_on_launch(void (*seen)(void**)) { launch_seen = seen; }

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values) {
    GEMEL_CALLED("cuModuleLoadDataEx");
    assemble(count, options, values);
    *module = reinterpret_cast<CUmodule>(new Module{opened(image), has_kernels_wait(image)});
    return CUDA_SUCCESS;
}
CUresult cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
    GEMEL_CALLED("cuLinkCreate_v2");
    auto* const link = new Link;
    assemble(count, options, values);
    for (unsigned k = 0; k < count; ++k) {
        if (options[k] == CU_JIT_ERROR_LOG_BUFFER) link->log = static_cast<char*>(values[k]);
        if (options[k] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            link->log_bytes = reinterpret_cast<std::size_t>(values[k]);
    }
    *state = reinterpret_cast<CUlinkState>(link);
    return CUDA_SUCCESS;
}
CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType, void* data, std::size_t bytes, const char*, unsigned,
                          CUjit_option*, void**) {
    GEMEL_CALLED("cuLinkAddData_v2");
    reinterpret_cast<Link*>(state)->objects.emplace_back(static_cast<const char*>(data), bytes);
    return CUDA_SUCCESS;
}
CUresult cuLinkComplete(CUlinkState state, void** program, std::size_t* bytes) {
    GEMEL_CALLED("cuLinkComplete");
    Link& link = *reinterpret_cast<Link*>(state);
    if (!linked(link)) return CUDA_ERROR_INVALID_IMAGE;
    *program = link.program.data();
    *bytes = link.program.size();
    return CUDA_SUCCESS;
}
CUresult cuLinkDestroy(CUlinkState state) {
    delete reinterpret_cast<Link*>(state);
    return called("cuLinkDestroy");
}
CUresult cuModuleUnload(CUmodule module) {
    delete reinterpret_cast<Module*>(module);  // its program stays: a kernel's text may be shared
    return called("cuModuleUnload");
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    GEMEL_CALLED("cuModuleGetFunction");
    void* const program = reinterpret_cast<Module*>(module)->program;
    static auto& functions = *new std::deque<Function>;  // kernels are few, and live as long as the process
    static std::mutex functions_mutex;
    const std::lock_guard lock(functions_mutex);
    Function* const made = &functions.emplace_back();
    if (program)
        made->run = reinterpret_cast<emulation::Kernel>(dlsym(program, (std::string("gemel_run_") + name).c_str()));
    if (program && !made->run) return CUDA_ERROR_NOT_FOUND;
    if (program)
        made->argument_bytes = reinterpret_cast<std::size_t (*)(std::size_t)>(
            dlsym(program, (std::string("gemel_bytes_") + name).c_str()));
    *function = reinterpret_cast<CUfunction>(made);
    return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr*, std::size_t*, CUmodule module, const char* name) {
    const bool is_there =
        reinterpret_cast<Module*>(module)->kernels_wait && std::strcmp(name, "gemel_kernels_wait") == 0;
    return is_there ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction) {
    *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024
             : which == CU_FUNC_ATTRIBUTE_BINARY_VERSION      ? 90
             : which == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 32
                                                              : 0;
    return called("cuFuncGetAttribute");
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return called("cuFuncSetAttribute"); }
CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache which) {
    return called(("cache config " + std::to_string(which)).c_str()), called("cuFuncSetCacheConfig");
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, std::size_t) {
    return *blocks = 4, called("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned, CUstream, void** arguments, void**) {
    GEMEL_CALLED("cuLaunchKernel");
    if (auto* const seen = launch_seen.load()) seen(arguments);
    return run_kernel(function, arguments, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z});
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void**) {
    GEMEL_CALLED("cuLaunchKernelEx");
    // For kernels that may begin early; others have the plain call.
    if (config->numAttrs != 1 || config->attrs->id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION ||
        !config->attrs->value.programmaticStreamSerializationAllowed)
        return CUDA_ERROR_INVALID_VALUE;
    if (auto* const seen = launch_seen.load()) seen(arguments);
    return run_kernel(function, arguments, {config->gridDimX, config->gridDimY, config->gridDimZ},
                      {config->blockDimX, config->blockDimY, config->blockDimZ});
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned, CUstream,
                                   void** arguments) {
    GEMEL_CALLED("cuLaunchCooperativeKernel");
    return run_kernel(function, arguments, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, true);
}

}  // extern "C"
