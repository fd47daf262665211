/// Contexts: memory, streams, compilation, release.
#include "objects.hpp"

#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace gemel::plugin::cuda {
namespace {

[[noreturn]] void refuse_dead() {
    throw DeviceLost("the device's primary context was lost through another context of this process", "",
                     CUDA_ERROR_CONTEXT_IS_DESTROYED, error_name(CUDA_ERROR_CONTEXT_IS_DESTROYED));
}

}  // namespace

Current::Current(const Shared& shared) {
    if (shared.dead.load(std::memory_order_relaxed)) [[unlikely]]
        refuse_dead();
    CUcontext current = nullptr;
    cu.CtxGetCurrent(&current);
    if (current == shared.context) return;
    if (!current) {  // no context of others was current: ours stays current for the next call
        cu.CtxSetCurrent(shared.context);
        return;
    }
    cu.CtxPushCurrent(shared.context);
    pushed_ = true;
}

Current::~Current() {
    CUcontext ours = nullptr;
    if (pushed_) cu.CtxPopCurrent.quietly(&ours);
}

CudaContext::CudaContext(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

CudaContext::~CudaContext() = default;  // the primary context is released with its last user

std::optional<std::pair<std::size_t, std::size_t>> CudaContext::memory_info() {
    Current current(*shared_);
    std::size_t free = 0, total = 0;
    cu.MemGetInfo(&free, &total);
    return std::pair(free, total);
}

bool CudaContext::copies_directly_to(const Context& other) const {
    return dynamic_cast<const CudaContext*>(&other) != nullptr;  // one address space; the driver may stage the copy
}

std::unique_ptr<Stream> CudaContext::create_stream() {
    Current current(*shared_);
    CUstream stream = nullptr;
    cu.StreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    return std::make_unique<CudaStream>(shared_, stream, false);
}

std::unique_ptr<Stream> CudaContext::wrap_stream(std::uint64_t handle) {
    Current current(*shared_);
    const auto stream = reinterpret_cast<CUstream>(handle);
    CUcontext context = nullptr;
    cu.StreamGetCtx(stream, &context);
    if (context != shared_->context)
        throw ArgumentError(
            "wrap_stream: the CUstream belongs to another CUcontext; gemel works in the device's primary one");
    return std::make_unique<CudaStream>(shared_, stream, true);
}

std::string target_architecture(const std::string& device_architecture) {
    const Compiler& nvrtc = compiler();
    if (nvrtc.architectures.empty()) return device_architecture;
    const int wanted = std::atoi(device_architecture.c_str() + std::strlen("sm_"));
    if (wanted < nvrtc.architectures.front())
        throw BackendUnavailable(text("compile: NVRTC ", nvrtc.major, ".", nvrtc.minor, " no longer compiles for ",
                                      device_architecture, " (it begins at sm_", nvrtc.architectures.front(),
                                      "); name an older one with GEMEL_NVRTC"));
    if (std::binary_search(nvrtc.architectures.begin(), nvrtc.architectures.end(), wanted)) return device_architecture;
    // Newer than the compiler: PTX for the highest virtual architecture that it knows; the driver assembles it.
    const auto above = std::upper_bound(nvrtc.architectures.begin(), nvrtc.architectures.end(), wanted);
    return text("compute_", *std::prev(above));
}

/// Options of the assembler that makes a cubin. PTX is assembled at load time, with the same options.
static void add_jit_words(std::vector<std::string>& words, const CompileOptions& options) {
    const JitOptions& jit = options.jit;
    if (jit.max_registers > 0) words.push_back(text("--maxrregcount=", jit.max_registers));
    if (jit.optimization_level >= 0) words.push_back(text("--ptxas-options=--opt-level=", jit.optimization_level));
    if (jit.debug && !options.debug) words.push_back("--device-debug");
    if (jit.line_info && !options.debug) words.push_back("--generate-line-info");
    if (jit.verbose) words.push_back("--ptxas-options=--verbose");
    if (jit.load_caching != JitOptions::LoadCaching::driver)
        words.push_back(jit.load_caching == JitOptions::LoadCaching::l2 ? "--ptxas-options=--def-load-cache=cg"
                                                                        : "--ptxas-options=--def-load-cache=ca");
}

std::vector<std::string> build_options(const CompileOptions& options, const std::string& architecture) {
    std::vector<std::string> words{"--gpu-architecture=" + architecture, "--std=c++17", "-default-device"};
    if (options.fast_math) words.push_back("--use_fast_math");
    if (!options.fp_contract) words.insert(words.end(), {"--fmad=false", "--prec-div=true", "--prec-sqrt=true"});
    if (options.debug) words.insert(words.end(), {"--device-debug", "--generate-line-info"});
    add_jit_words(words, options);
    for (const auto& folder : options.include_directories) words.push_back("--include-path=" + folder.string());
    if (!compiler().include_folder.empty()) words.push_back("--include-path=" + compiler().include_folder);
    words.insert(words.end(), options.extra.begin(), options.extra.end());
    return words;
}

std::vector<std::string> CudaContext::compiler_options(const CompileOptions& options) const {
    const std::string& architecture = options.architecture;
    return build_options(options,
                         architecture.empty() ? target_architecture(shared_->info->architecture) : architecture);
}

std::vector<std::byte> run_compiler(std::string_view source, std::string_view name,
                                    const std::vector<std::string>& options, std::string& log) {
    const Compiler& nvrtc = compiler();
    if (!nvrtc.trouble.empty())
        throw BackendUnavailable(text("compile: CUDA text cannot be compiled: no NVRTC. ", nvrtc.trouble,
                                      "; install the CUDA toolkit's libnvrtc, or name the file with GEMEL_NVRTC, or "
                                      "let GEMEL_BUNDLE name a bundle with the program"));
    nvrtcProgram program = nullptr;
    nvrtc.CreateProgram(&program, std::string(source).c_str(), std::string(name).c_str(), 0, nullptr, nullptr);
    struct Destroy {
        nvrtcProgram program;
        ~Destroy() { compiler().DestroyProgram.quietly(&program); }
    } destroy{program};
    // Instructions of one generation of devices only must be compiled for exactly that architecture.
    const bool is_special = source.find("wgmma.") != std::string_view::npos;
    std::vector<const char*> words;
    for (const auto& option : options) {
        const bool is_ptx = option == "--gpu-architecture=compute_90";
        words.push_back(is_special && is_ptx                                 ? "--gpu-architecture=compute_90a"
                        : is_special && option == "--gpu-architecture=sm_90" ? "--gpu-architecture=sm_90a"
                                                                             : option.c_str());
    }
    const nvrtcResult result = nvrtc.CompileProgram.status(program, static_cast<int>(words.size()), words.data());
    std::size_t size = 0;
    nvrtc.GetProgramLogSize(program, &size);
    log.assign(size, '\0');
    if (size) nvrtc.GetProgramLog(program, log.data());
    while (!log.empty() && log.back() == '\0') log.pop_back();
    if (result == NVRTC_ERROR_COMPILATION || result == NVRTC_ERROR_INVALID_OPTION)
        throw BuildFailure(log.empty() ? text("NVRTC: ", error_name(result), ", options: ", join(options, " ")) : log);
    if (result != NVRTC_SUCCESS) fail(nvrtc.CompileProgram.name(), result);
    const auto is_virtual = [](const std::string& option) {
        return option.find("architecture=compute_") != std::string::npos;
    };
    const bool ptx = std::any_of(options.begin(), options.end(), is_virtual);
    if (ptx) {
        nvrtc.GetPTXSize(program, &size);
    } else {
        nvrtc.GetCUBINSize(program, &size);
    }
    std::vector<std::byte> binary(size);
    if (ptx) {
        nvrtc.GetPTX(program, reinterpret_cast<char*>(binary.data()));
    } else {
        nvrtc.GetCUBIN(program, reinterpret_cast<char*>(binary.data()));
    }
    return binary;
}

BuildResult CudaContext::build(const BuildRequest& request) {
    BuildResult result;
    const auto program = run_compiler(request.text, request.name, request.options, result.log);
    BuildResult loaded = load_with(program, request.jit);
    result.module = std::move(loaded.module);
    result.log += loaded.log;
    return result;
}

std::vector<std::byte> CudaContext::compile(const BuildRequest& request, std::string& log) {
    return run_compiler(request.text, request.name, request.options, log);
}

std::string CudaContext::binary_target(const CompileOptions& options) const {
    return options.architecture.empty() ? target_architecture(shared_->info->architecture) : options.architecture;
}

int CudaContext::fit_of(std::string_view target) const {
    const std::string& own = shared_->info->architecture;
    const int ours = std::atoi(own.c_str() + std::strlen("sm_"));
    constexpr int cubin = 100000;
    if (target == own) return 2 * cubin;
    const bool is_ptx = target.starts_with("compute_");
    const auto digits = target.find_first_of("0123456789");
    if (digits == std::string_view::npos || (!is_ptx && !target.starts_with("sm_"))) return 0;
    const int theirs = std::atoi(std::string(target.substr(digits)).c_str());
    const bool is_of_one = target.find_first_not_of("0123456789", digits) != std::string_view::npos;  // sm_90a
    if (is_of_one) return theirs == ours ? (is_ptx ? theirs : cubin + theirs) : 0;
    if (is_ptx) return theirs <= ours ? theirs : 0;
    return theirs / 10 == ours / 10 && theirs <= ours ? cubin + theirs : 0;
}

bool CudaContext::logs_follow_line_directives() const { return true; }

std::string CudaContext::build_lock() const {
    return {};  // NVRTC keeps no cache folder
}

void CudaContext::synchronize() {
    Current current(*shared_);
    cu.CtxSynchronize();
}

void CudaContext::abandon() noexcept {
    shared_->dead = true;
    *shared_->device_lost = true;
}

std::uint64_t CudaContext::native() const { return reinterpret_cast<std::uint64_t>(shared_->context); }

}  // namespace gemel::plugin::cuda
