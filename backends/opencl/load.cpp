/// Compiled programs: the platform's binaries, SPIR-V, and a device's built-in kernels.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <cstring>

namespace gemel::plugin::opencl {
namespace {

/// The first word of SPIR-V, in either order of bytes.
bool is_spirv(std::span<const std::byte> binary) {
    std::uint32_t mark = 0;
    if (binary.size() >= sizeof mark) std::memcpy(&mark, binary.data(), sizeof mark);
    return mark == 0x07230203u || mark == 0x03022307u;
}

std::string build_log(const Shared& shared, cl_program program) {
    return query_text(cl.GetProgramBuildInfo, CL_PROGRAM_BUILD_LOG, program, shared.device);
}

}  // namespace

cl_program OpenClContext::program_of_spirv(std::span<const std::byte> words) const {
    // OpenCL 2.1 and cl_khr_il_program use the same number for this query.
    const std::string taken = query_text(cl.GetDeviceInfo, CL_DEVICE_IL_VERSION, shared_->device);
    if (taken.find("SPIR-V") == std::string::npos)
        throw Error(text("load_binary: ", shared_->info->platform, " takes no SPIR-V on ", shared_->info->name,
                         " (that needs cl_khr_il_program, or OpenCL 2.1 and a CL_DEVICE_IL_VERSION, which is '", taken,
                         "' here); compile the kernel's text instead"));
    if (shared_->version >= 21) return cl.CreateProgramWithIL(shared_->context, words.data(), words.size());
    const auto platform = query<cl_platform_id>(cl.GetDeviceInfo, CL_DEVICE_PLATFORM, shared_->device);
    using Function = cl_program (*)(cl_context, const void*, size_t, cl_int*);
    const auto function =
        reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(platform, "clCreateProgramWithILKHR"));
    if (!function)
        throw Error(text("load_binary: ", shared_->info->platform,
                         " names cl_khr_il_program and lacks its clCreateProgramWithILKHR; compile the kernel's text "
                         "instead"));
    return Maker<cl_program, cl_context, const void*, size_t>("clCreateProgramWithILKHR", function)(
        shared_->context, words.data(), words.size());
}

std::unique_ptr<Module> OpenClContext::load(std::span<const std::byte> binary) { return load_with(binary, {}).module; }

BuildResult OpenClContext::load_with(std::span<const std::byte> binary, const JitOptions& jit) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
    const size_t size = binary.size();
    const std::string_view program_text(reinterpret_cast<const char*>(bytes), size);
    BuildResult result;
    cl_program program = nullptr;
    if (is_spirv(binary)) {
        program = program_of_spirv(binary);
        result.module = std::make_unique<OpenClModule>(shared_, program);
    } else {
        if (shared_->quirks.has(Quirk::loads_any_binary) && !program_text.starts_with("poclbin"))
            throw Error("load_binary: expected a program binary of PoCL, got another file; build it for this device");
        // NVIDIA's program binaries are PTX.
        if (shared_->quirks.has(Quirk::needs_a_kernel) && program_text.find(".version") != std::string_view::npos &&
            program_text.find(".entry") == std::string_view::npos)
            throw Error("load_binary: expected at least one kernel, got a program binary without any; build it again");
        cl_int binary_status = CL_SUCCESS;
        program = cl.CreateProgramWithBinary(shared_->context, 1, &shared_->device, &size, &bytes, &binary_status);
        result.module = std::make_unique<OpenClModule>(shared_, program);  // releases it in every case
        if (binary_status != CL_SUCCESS)
            throw Error(text("load_binary: the driver refuses the program binary: ", error_name(binary_status),
                             "; build it for this device and driver"));
    }
    // Other compilers take no options for a binary.
    const std::string options = shared_->takes_assembler_options ? join(jit_words(jit, *shared_), " ") : std::string();
    const Status status = cl.BuildProgram.status(program, 1, &shared_->device, options.c_str(), nullptr, nullptr);
    const std::string log = build_log(*shared_, program);
    if (status != success)
        throw Error(text("load_binary: the driver refuses the program binary: ", error_name(status), " ", log,
                         "; build it for this device and driver"));
    if (jit.verbose) result.log = log;
    return result;
}

std::unique_ptr<Module> OpenClContext::load_built_in(std::span<const std::string> names) {
    std::vector<std::string> all(names.begin(), names.end());
    const std::string list = join(all, ";");
    const cl_program program = cl.CreateProgramWithBuiltInKernels(shared_->context, 1, &shared_->device, list.c_str());
    auto module = std::make_unique<OpenClModule>(shared_, program, std::move(all));
    Status status = success;
    if (const cl_kernel kernel = cl.CreateKernel.make(status, program, names.front().c_str()); status == success) {
        cl.ReleaseKernel.quietly(kernel);
        return module;
    }
    // PoCL requires that such programs are built. Debian's PoCL 3.1 lists kernels that it does not have, and fails.
    status = cl.BuildProgram.status(program, 1, &shared_->device, "", nullptr, nullptr);
    if (status != success)
        throw Error(text("built_in_kernels: ", shared_->info->platform, " lists ", list, " for ", shared_->info->name,
                         " and cannot make it: ", error_name(status), " ", build_log(*shared_, program),
                         "; compile a kernel that does the same"));
    return module;
}

}  // namespace gemel::plugin::opencl
