/// Compiled programs: cubins, fatbins, and PTX, which the driver assembles.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <cstring>

namespace gemel::plugin::cuda {
namespace {

bool begins(std::span<const std::byte> bytes, std::string_view with) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).starts_with(with);
}

template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t offset) {
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

/// The driver trusts the sizes in headers: it must not get a truncated file.
void check_whole(std::span<const std::byte> bytes) {
    if (begins(bytes, elf_mark)) {
        constexpr std::size_t header_bytes = 64;
        const auto sections_at = bytes.size() < header_bytes ? 0 : number_at<std::uint64_t>(bytes, 40);
        const std::uint64_t sections_bytes =
            bytes.size() < header_bytes
                ? 0
                : std::uint64_t{number_at<std::uint16_t>(bytes, 58)} * number_at<std::uint16_t>(bytes, 60);
        if (bytes.size() < header_bytes || sections_at > bytes.size() || sections_bytes > bytes.size() - sections_at)
            throw Error("load_binary: the cubin is truncated; write the file again");
        return;
    }
    if (begins(bytes, fatbin_mark)) {
        // Mark, version and size of the header, then 64 bits with the size of what follows (fatbinary_section.h names
        // the mark; the sizes are what fatbinary of CUDA 11 to 13 writes).
        constexpr std::size_t header_bytes = 16;
        const std::size_t header = bytes.size() < header_bytes ? 0 : number_at<std::uint16_t>(bytes, 6);
        if (header < header_bytes || header > bytes.size() ||
            number_at<std::uint64_t>(bytes, 8) > bytes.size() - header)
            throw Error("load_binary: the fatbin is truncated; write the file again");
        return;
    }
    if (begins(bytes, std::string_view("\x03\x02\x23\x07", 4)) ||
        begins(bytes, std::string_view("\x07\x23\x02\x03", 4)))
        throw Error(
            "load_binary: this is SPIR-V, which CUDA does not accept; load it on an OpenCL device with "
            "cl_khr_il_program, or "
            "compile the text for CUDA");
    if (std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).find(".version") ==
        std::string_view::npos)
        throw Error("load_binary: expected a cubin, PTX or a fatbin");
}

}  // namespace

JitCall::JitCall(const JitOptions& jit) {
    const auto add = [this](CUjit_option option, std::size_t value) {
        options_[count_] = option;
        values_[count_++] = reinterpret_cast<void*>(value);
    };
    add(CU_JIT_ERROR_LOG_BUFFER, reinterpret_cast<std::size_t>(errors_.data()));
    add(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, errors_.size());
    add(CU_JIT_INFO_LOG_BUFFER, reinterpret_cast<std::size_t>(said_.data()));
    add(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, said_.size());
    if (jit.max_registers > 0) add(CU_JIT_MAX_REGISTERS, static_cast<std::size_t>(jit.max_registers));
    if (jit.optimization_level >= 0) add(CU_JIT_OPTIMIZATION_LEVEL, static_cast<std::size_t>(jit.optimization_level));
    if (jit.debug) add(CU_JIT_GENERATE_DEBUG_INFO, 1);
    if (jit.line_info) add(CU_JIT_GENERATE_LINE_INFO, 1);
    if (jit.verbose) add(CU_JIT_LOG_VERBOSE, 1);
    if (jit.load_caching != JitOptions::LoadCaching::driver)
        add(CU_JIT_CACHE_MODE,
            jit.load_caching == JitOptions::LoadCaching::l2 ? CU_JIT_CACHE_OPTION_CG : CU_JIT_CACHE_OPTION_CA);
}

std::unique_ptr<Module> CudaContext::load(std::span<const std::byte> binary) { return load_with(binary, {}).module; }

BuildResult CudaContext::load_with(std::span<const std::byte> binary, const JitOptions& jit) {
    check_whole(binary);
    Current current(*shared_);
    std::vector<std::byte> bytes(binary.begin(), binary.end());
    bytes.push_back(std::byte{0});  // PTX is a C string
    JitCall call(jit);
    CUmodule module = nullptr;
    const Status status =
        cu.ModuleLoadDataEx.status(&module, bytes.data(), call.count(), call.options(), call.values());
    switch (status) {
        case CUDA_SUCCESS: break;
        case CUDA_ERROR_INVALID_IMAGE:
        case CUDA_ERROR_NO_BINARY_FOR_GPU:
        case CUDA_ERROR_INVALID_PTX:
        case CUDA_ERROR_INVALID_SOURCE:
        case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
        case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
            throw Error(text("load_binary: the driver refuses the program binary on ", shared_->info->name, " (",
                             shared_->info->architecture, "): ", error_name(status), *call.errors() ? ": " : "",
                             call.errors(), "; build it for this device and driver"));
        default: fail(cu.ModuleLoadDataEx.name(), status);
    }
    bytes.pop_back();
    return {std::make_unique<CudaModule>(shared_, module, std::move(bytes)), call.said()};
}

}  // namespace gemel::plugin::cuda
