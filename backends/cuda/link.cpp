/// Programs of several units: relocatable code from NVRTC, linked by the driver.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::plugin::cuda {
namespace {

/// A linker in use, with buffers for its messages.
class Linker {
   public:
    explicit Linker(const JitOptions& jit) : call_(jit) {
        cu.LinkCreate(call_.count(), call_.options(), call_.values(), &state_);
    }
    ~Linker() { cu.LinkDestroy.quietly(state_); }
    Linker(const Linker&) = delete;
    Linker& operator=(const Linker&) = delete;

    void add(std::vector<std::byte> code, const std::string& name, std::size_t unit) {
        const bool is_cubin =
            std::string_view(reinterpret_cast<const char*>(code.data()), code.size()).starts_with(elf_mark);
        if (!is_cubin) code.push_back(std::byte{0});  // PTX is a C string
        const Status status = cu.LinkAddData.status(state_, is_cubin ? CU_JIT_INPUT_CUBIN : CU_JIT_INPUT_PTX,
                                                    code.data(), code.size(), name.c_str(), 0, nullptr, nullptr);
        if (status != success) refuse(cu.LinkAddData.name(), status, unit);
    }
    std::vector<std::byte> complete() {
        void* program = nullptr;
        std::size_t bytes = 0;
        const Status status = cu.LinkComplete.status(state_, &program, &bytes);
        if (status != success) refuse(cu.LinkComplete.name(), status, {});
        const auto* begin = static_cast<const std::byte*>(program);
        return {begin, begin + bytes};
    }
    const char* said() const { return call_.said(); }

   private:
    /// Errors that the units did not cause are thrown by fail().
    [[noreturn]] void refuse(const char* call, Status status, std::optional<std::size_t> unit) const {
        switch (status) {
            case CUDA_ERROR_INVALID_IMAGE:
            case CUDA_ERROR_INVALID_PTX:
            case CUDA_ERROR_INVALID_SOURCE:
            case CUDA_ERROR_NO_BINARY_FOR_GPU:
            case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
            case CUDA_ERROR_INVALID_VALUE:
            case CUDA_ERROR_UNKNOWN:
                throw BuildFailure(text(call, ": ", error_name(status), *call_.errors() ? "\n" : "", call_.errors()),
                                   unit);
            default: fail(call, status);
        }
    }

    JitCall call_;
    CUlinkState state_ = nullptr;
};

}  // namespace

BuildResult CudaContext::link(std::span<const BuildRequest> units) {
    std::vector<std::vector<std::byte>> code;
    BuildResult result;
    for (std::size_t i = 0; i < units.size(); ++i) {
        std::vector<std::string> options = units[i].options;
        options.push_back("--relocatable-device-code=true");
        std::string log;
        try {
            code.push_back(run_compiler(units[i].text, units[i].name, options, log));
        } catch (const BuildFailure& refused) {
            throw BuildFailure(refused.log, i);
        }
        result.log += log;
    }
    Current current(*shared_);
    Linker linker(units.front().jit);
    for (std::size_t i = 0; i < units.size(); ++i) linker.add(std::move(code[i]), std::string(units[i].name), i);
    const std::vector<std::byte> program = linker.complete();
    result.log += linker.said();
    result.module = load(program);
    return result;
}

}  // namespace gemel::plugin::cuda
