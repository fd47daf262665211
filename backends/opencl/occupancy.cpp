/// How many blocks a compute unit holds. OpenCL has no query for it: computed from known hardware data.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <charconv>
#include <sstream>

namespace gemel::plugin::opencl {
namespace {

/// NVIDIA's multiprocessors, from the table of compute capabilities in the CUDA programming guide.
struct Multiprocessor {
    int from;  ///< compute capability, 90 for 9.0
    std::size_t max_threads, max_blocks, shared_kib, reserved_bytes;
};
constexpr Multiprocessor multiprocessors[] = {
    {120, 1536, 24, 100, 1024}, {100, 2048, 32, 228, 1024}, {90, 2048, 32, 228, 1024}, {89, 1536, 24, 100, 1024},
    {87, 1536, 16, 164, 1024},  {86, 1536, 16, 100, 1024},  {80, 2048, 32, 164, 1024}, {75, 1024, 16, 64, 0},
    {70, 2048, 32, 96, 0},      {61, 2048, 32, 96, 0},      {60, 2048, 32, 64, 0},     {52, 2048, 32, 96, 0},
    {50, 2048, 32, 64, 0},
};

}  // namespace

std::optional<ComputeUnit> OpenClDevice::compute_unit() const {
    if (quirks_.has(Quirk::has_nvidia_attributes) && info_.architecture.starts_with("sm_")) {
        const int capability = std::atoi(info_.architecture.c_str() + 3);
        for (const Multiprocessor& known : multiprocessors)
            if (capability >= known.from)
                return ComputeUnit{.max_threads = known.max_threads,
                                   .max_blocks = known.max_blocks,
                                   .shared_bytes = known.shared_kib << 10,
                                   .shared_reserved_bytes = known.reserved_bytes,
                                   .shared_unit_bytes = known.from >= 75 ? 128u : 256u,
                                   .registers = 65536,
                                   .register_unit = 256};
    }
    // A core of a CPU runs one block at a time. Other devices have at least the resources of one block.
    return ComputeUnit{.max_threads = info_.max_threads_per_block,
                       .max_blocks = info_.type == DeviceInfo::Type::cpu ? 1 : std::size_t{info_.max_threads_per_block},
                       .shared_bytes = info_.shared_memory_per_block_bytes};
}

std::optional<std::uint32_t> registers_in_report(std::string_view report, const std::string& kernel) {
    // ptxas: "Compiling entry function 'k' for 'sm_90'", then lines about it, one with "Used 18 registers".
    const auto at = report.find(text("entry function '", kernel, "'"));
    if (at == std::string_view::npos) return std::nullopt;
    const auto end = report.find("entry function '", at + 1);
    const std::string_view part = report.substr(at, end == std::string_view::npos ? end : end - at);
    constexpr std::string_view word = "Used ";
    const auto used = part.find(word);
    if (used == std::string_view::npos) return std::nullopt;
    std::uint32_t registers = 0;
    const char* const begin = part.data() + used + word.size();
    const auto [stop, failure] = std::from_chars(begin, part.data() + part.size(), registers);
    return failure == std::errc() && stop != begin ? std::optional(registers) : std::nullopt;
}

std::optional<std::uint32_t> reported_registers(const Shared& shared, std::span<const std::byte> binary,
                                                const std::string& kernel, const std::string& built_with) {
    if (!shared.takes_assembler_options) return std::nullopt;
    const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
    const size_t size = binary.size();
    const cl_program program = cl.CreateProgramWithBinary(shared.context, 1, &shared.device, &size, &bytes, nullptr);
    std::string options = "-cl-nv-verbose", log;
    std::istringstream words(built_with);
    for (std::string word; words >> word;)
        if (word.starts_with(register_limit_option)) options += " " + word;
    if (cl.BuildProgram.status(program, 1, &shared.device, options.c_str(), nullptr, nullptr) == success)
        log = query_text(cl.GetProgramBuildInfo, CL_PROGRAM_BUILD_LOG, program, shared.device);
    cl.ReleaseProgram.quietly(program);
    return registers_in_report(log, kernel);
}

}  // namespace gemel::plugin::opencl
