/// Programs of several units: each compiled on its own, then linked by the driver.
#include "objects.hpp"
#include "value_sizes.hpp"

#include <gemel/core/text.hpp>

namespace gemel::plugin::opencl {
namespace {

/// A program that is released in every case.
class Held {
   public:
    explicit Held(cl_program program) : program_(program) {}
    Held(Held&& other) noexcept : program_(std::exchange(other.program_, nullptr)) {}
    Held& operator=(Held&&) = delete;
    ~Held() {
        if (program_) cl.ReleaseProgram.quietly(program_);
    }
    cl_program get() const { return program_; }

   private:
    cl_program program_;
};

Held compiled(const Shared& shared, const std::string& text, const std::string& options, std::string& log) {
    const char* source = text.data();
    const size_t length = text.size();
    Held unit(cl.CreateProgramWithSource(shared.context, 1, &source, &length));
    const Status status =
        cl.CompileProgram.status(unit.get(), 1, &shared.device, options.c_str(), 0, nullptr, nullptr, nullptr, nullptr);
    log = query_text(cl.GetProgramBuildInfo, CL_PROGRAM_BUILD_LOG, unit.get(), shared.device);
    if (status == CL_COMPILE_PROGRAM_FAILURE || status == CL_BUILD_PROGRAM_FAILURE ||
        status == CL_INVALID_COMPILER_OPTIONS || status == CL_INVALID_BUILD_OPTIONS)
        throw BuildFailure(log.empty() ? gemel::text("clCompileProgram: ", error_name(status), ", options: ", options)
                                       : log);
    if (status != success) fail(cl.CompileProgram.name(), status);
    return unit;
}

/// With probes for the sizes of parameters, if they compile.
Held compiled(const Shared& shared, const BuildRequest& unit, bool with_filler, std::string& log) {
    const std::string options = join(unit.options, " ");
    std::string whole(unit.text);
    if (with_filler) whole += text("\n\n__kernel void ", filler_kernel, "(void) {}\n");
    if (const std::string probes = size_probes(unit.text); !probes.empty()) {
        try {
            return compiled(shared, whole + probes, options, log);
        } catch (const BuildFailure&) {
            // Compile again without probes, so that the log is about the unit alone.
        }
    }
    return compiled(shared, whole, options, log);
}

}  // namespace

BuildResult OpenClContext::link(std::span<const BuildRequest> units) {
    if (shared_->uses_nvrtc)
        throw Error("link: with GEMEL_OPENCL_COMPILER=nvrtc programs are of one unit; compile the units as one text");
    cl_bool has_linker = CL_TRUE;
    if (query_if_known(has_linker, cl.GetDeviceInfo, CL_DEVICE_LINKER_AVAILABLE, shared_->device) && !has_linker)
        throw Error("link: this OpenCL device has no linker; compile the units as one text");
    std::vector<Held> parts;
    std::vector<cl_program> programs;
    BuildResult result;
    for (std::size_t i = 0; i < units.size(); ++i) {
        std::string log;
        try {
            parts.push_back(compiled(*shared_, units[i], i == 0 && shared_->quirks.has(Quirk::needs_a_kernel), log));
        } catch (const BuildFailure& refused) {
            throw BuildFailure(refused.log, i);
        }
        programs.push_back(parts.back().get());
        result.log += log;
    }
    Status status = success;
    const cl_program program =
        cl.LinkProgram.make(status, shared_->context, 1, &shared_->device, "", static_cast<cl_uint>(programs.size()),
                            programs.data(), nullptr, nullptr);
    std::string log;
    if (program) {
        result.module = std::make_unique<OpenClModule>(shared_, program);  // releases it in every case
        log = query_text(cl.GetProgramBuildInfo, CL_PROGRAM_BUILD_LOG, program, shared_->device);
    }
    if (status == CL_LINK_PROGRAM_FAILURE || status == CL_INVALID_LINKER_OPTIONS || status == CL_BUILD_PROGRAM_FAILURE)
        throw BuildFailure(gemel::text(cl.LinkProgram.name(), ": ", error_name(status), log.empty() ? "" : "\n", log));
    if (status != success) fail(cl.LinkProgram.name(), status);
    result.log += log;
    return result;
}

}  // namespace gemel::plugin::opencl
