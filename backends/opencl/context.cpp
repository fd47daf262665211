/// Contexts: memory, streams, compilation, release.
#include "objects.hpp"
#include "required_block.hpp"
#include "sm_90a.hpp"
#include "value_sizes.hpp"

#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace gemel::plugin::opencl {
namespace {

bool can_open_files() {
    const int descriptor = ::open("/", O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) ::close(descriptor);
    return descriptor >= 0;
}

}  // namespace

cl_command_queue Shared::create_queue(bool timed) {
    const cl_command_queue queue =
        cl.CreateCommandQueue(context, device, timed ? cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE} : 0);
    cl.RetainCommandQueue(queue);
    std::lock_guard lock(queues_mutex);
    // Queues that only this list still holds are no longer in use.
    std::erase_if(queues, [](cl_command_queue known) {
        const bool ours_alone = query<cl_uint>(cl.GetCommandQueueInfo, CL_QUEUE_REFERENCE_COUNT, known) == 1;
        if (ours_alone) cl.ReleaseCommandQueue.quietly(known);
        return ours_alone;
    });
    queues.push_back(queue);
    return queue;
}

OpenClContext::OpenClContext(std::shared_ptr<Shared> shared)
    : shared_(std::move(shared)), service_(cl.CreateCommandQueue(shared_->context, shared_->device, 0)) {}

OpenClContext::~OpenClContext() {
    if (!shared_->dead) cl.ReleaseCommandQueue.quietly(service_);
}

std::optional<std::pair<std::size_t, std::size_t>> OpenClContext::memory_info() {
    return std::nullopt;  // OpenCL has no query for free memory
}

bool OpenClContext::copies_directly_to(const Context& other) const {
    const auto* context = dynamic_cast<const OpenClContext*>(&other);
    return context && context->shared_->context == shared_->context;
}

std::unique_ptr<Stream> OpenClContext::create_stream() {
    // Timing makes copies through NVIDIA's OpenCL 8 us slower: a stream begins to time when an event needs it.
    return std::make_unique<OpenClStream>(shared_, shared_->create_queue(false));
}

std::unique_ptr<Stream> OpenClContext::wrap_stream(std::uint64_t handle) {
    const auto queue = reinterpret_cast<cl_command_queue>(handle);
    if (!queue) throw ArgumentError("wrap_stream: the cl_command_queue is null");
    if (query<cl_context>(cl.GetCommandQueueInfo, CL_QUEUE_CONTEXT, queue) != shared_->context)
        throw ArgumentError("wrap_stream: the cl_command_queue belongs to another cl_context; wrap that context first");
    const bool is_unordered = query<cl_command_queue_properties>(cl.GetCommandQueueInfo, CL_QUEUE_PROPERTIES, queue) &
                              CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cl.RetainCommandQueue(queue);
    using Queue = OpenClStream::Queue;
    return std::make_unique<OpenClStream>(shared_, queue, is_unordered ? Queue::foreign_unordered : Queue::foreign);
}

std::vector<std::string> jit_words(const JitOptions& jit, const Shared& shared) {
    std::vector<std::string> words;
    if (jit.optimization_level == 0) words.push_back("-cl-opt-disable");
    if (!shared.takes_assembler_options) return words;
    if (jit.max_registers > 0) words.push_back(text(register_limit_option, "=", jit.max_registers));
    if (jit.optimization_level >= 0) words.push_back(text("-cl-nv-opt-level=", jit.optimization_level));
    if (jit.verbose) words.push_back("-cl-nv-verbose");
    return words;
}

namespace {

bool limits_registers(const std::vector<std::string>& options) {
    return std::any_of(options.begin(), options.end(),
                       [](const std::string& option) { return option.starts_with(register_limit_option); });
}

}  // namespace

std::vector<std::string> build_options(const CompileOptions& options, const Shared& shared) {
    std::vector<std::string> words = jit_words(options.jit, shared);
    if (options.debug) std::erase(words, "-cl-opt-disable");  // added below
    if (options.fast_math) words.push_back("-cl-fast-relaxed-math");
    if (!options.fp_contract && shared.rounds_correctly) words.push_back("-cl-fp32-correctly-rounded-divide-sqrt");
    if (options.debug || options.jit.debug) words.push_back("-g");
    if (options.debug) words.push_back("-cl-opt-disable");
    for (const auto& folder : options.include_directories) words.push_back("-I" + folder.string());
    words.insert(words.end(), options.extra.begin(), options.extra.end());
    return words;
}

std::vector<std::string> OpenClContext::compiler_options(const CompileOptions& options) const {
    if (!options.architecture.empty())
        throw ArgumentError(text("compile: the option `architecture` (", options.architecture,
                                 ") is CUDA's; leave it out, since OpenCL compiles for the device of the context"));
    if (shared_->uses_nvrtc) return nvrtc_options(options, *shared_);
    std::vector<std::string> words = build_options(options, *shared_);
    if (!shared_->info->has_double) words.push_back("-DGEMEL_NO_DOUBLE");
    // NVIDIA's compiler does not define it.
    constexpr std::string_view nvidia = "sm_";
    if (shared_->info->architecture.starts_with(nvidia))
        words.push_back(text("-DGEMEL_COMPUTE_CAPABILITY=", shared_->info->architecture.substr(nvidia.size())));
    return words;
}

BuildResult OpenClContext::build(const BuildRequest& request) {
    if (shared_->uses_nvrtc) return build_by_nvrtc(request);
    const std::string options = join(request.options, " ");
    // NVIDIA's compiler ignores a limit of registers in kernels that name their block, and gives them as few as let the
    // most blocks run at once: 32 for blocks of 512 threads, where such a limit would allow 64.
    std::string whole =
        limits_registers(request.options) ? without_required_block(request.text) : std::string(request.text);
    // The empty line ends a comment of the text that would continue.
    if (shared_->quirks.has(Quirk::needs_a_kernel)) whole += text("\n\n__kernel void ", filler_kernel, "(void) {}\n");
    if (const std::string probes = size_probes(request.text); !probes.empty()) {
        try {
            return for_sm_90a(build(whole + probes, options), request);
        } catch (const BuildFailure&) {
            // Build again without probes: the log is then about the program alone, and an unknown type in a probe is no
            // error.
        }
    }
    return for_sm_90a(build(whole, options), request);
}

BuildResult OpenClContext::for_sm_90a(BuildResult built, const BuildRequest& request) {
    if (!wants_sm_90a(request.text) || !shared_->info->has_warp_groups) return built;
    const std::vector<std::byte> binary = built.module->binary();
    const std::string ptx =
        ptx_for_sm_90a(std::string_view(reinterpret_cast<const char*>(binary.data()), binary.size()));
    BuildResult result = load_with(std::as_bytes(std::span(ptx)), request.jit);
    result.log += built.log;
    return result;
}

BuildResult OpenClContext::build(std::string_view text, const std::string& options) {
    const char* source = text.data();
    const size_t length = text.size();
    const cl_program program = cl.CreateProgramWithSource(shared_->context, 1, &source, &length);
    auto module = std::make_unique<OpenClModule>(shared_, program);  // releases it in every case
    const Status status = cl.BuildProgram.status(program, 1, &shared_->device, options.c_str(), nullptr, nullptr);
    std::string log = query_text(cl.GetProgramBuildInfo, CL_PROGRAM_BUILD_LOG, program, shared_->device);
    if (status == CL_BUILD_PROGRAM_FAILURE || status == CL_INVALID_BUILD_OPTIONS)
        throw BuildFailure(log.empty() ? gemel::text("clBuildProgram: ", error_name(status), ", options: ", options)
                                       : log);
    if (status == -9999 && shared_->quirks.has(Quirk::lost_without_descriptors) && !can_open_files())
        throw BuildFailure(gemel::text("clBuildProgram: ", error_name(status), "\n", log));
    if (status == CL_COMPILER_NOT_AVAILABLE)
        throw BackendUnavailable(
            "compile: this OpenCL device has no compiler; let GEMEL_BUNDLE name a bundle with the program");
    if (status != success) fail(cl.BuildProgram.name(), status);
    return {std::move(module), std::move(log)};
}

bool OpenClContext::logs_follow_line_directives() const {
    return shared_->uses_nvrtc || !shared_->quirks.has(Quirk::ignores_line_directives);
}

std::filesystem::path pocl_folder() {
    const auto folder = [](const char* variable) {
        const char* const value = std::getenv(variable);
        return value && *value ? std::filesystem::path(value) : std::filesystem::path();
    };
    if (const auto own = folder("POCL_CACHE_DIR"); !own.empty()) return own;
    if (const auto caches = folder("XDG_CACHE_HOME"); !caches.empty()) return caches / "pocl";
    if (const auto home = folder("HOME"); !home.empty()) return home / ".cache" / "pocl";
    return {};
}

std::string OpenClContext::build_lock() const {
    if (!shared_->quirks.has(Quirk::builds_collide) || pocl_has_own_folder) return {};
    const std::filesystem::path folder = pocl_folder();
    return folder.empty() ? std::string() : (folder / "gemel.lock").string();
}

void OpenClContext::synchronize() {
    std::vector<cl_command_queue> queues;
    {
        std::lock_guard lock(shared_->queues_mutex);
        queues = shared_->queues;
        for (cl_command_queue queue : queues) cl.RetainCommandQueue(queue);
    }
    Status worst = success;
    for (cl_command_queue queue : queues) {
        if (const Status status = cl.Finish.status(queue); status != success) worst = status;
        cl.ReleaseCommandQueue.quietly(queue);
    }
    if (worst != success) fail(cl.Finish.name(), worst);
}

void OpenClContext::abandon() noexcept { shared_->dead = true; }

std::uint64_t OpenClContext::native() const { return reinterpret_cast<std::uint64_t>(shared_->context); }

}  // namespace gemel::plugin::opencl
