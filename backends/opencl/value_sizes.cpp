#include "value_sizes.hpp"

#include <gemel/core/signature.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace gemel::plugin::opencl {
namespace {

constexpr std::string_view mark = "gemel_size_";
/// If each extent is at most this, a block fits every device: 4 * 4 * 4 threads.
constexpr std::size_t base = 4;
constexpr std::size_t digits = 3;  ///< base-4 digits of the size that one kernel encodes
constexpr std::size_t probes = 3;  ///< kernels per parameter: sizes below 4^9

std::string probe_name(std::size_t slot, std::size_t part, std::string_view kernel) {
    return text(mark, slot, "_", part, "_", kernel);
}

/// Types of objects; the driver knows their sizes.
bool is_opaque(std::string_view type) {
    return type.starts_with("image") || type.starts_with("sampler") || type.starts_with("event") ||
           type.starts_with("queue") || type.starts_with("pipe") || type.find("::") != std::string_view::npos ||
           type.find('<') != std::string_view::npos;
}

/// The layouts of a generated kernel's arrays: gemel knows their size, and probes would cost each such kernel about 30
/// ms on PoCL, which compiles them for the binary.
bool is_generated_layout(std::string_view type, std::string_view program) {
    constexpr std::string_view begin = "typedef struct {\n";
    const auto end = program.find(text("} ", type, ";"));
    const auto start = end == std::string_view::npos ? end : program.rfind(begin, end);
    if (start == std::string_view::npos || type.find("_layout") == std::string_view::npos) return false;
    const std::string_view members = program.substr(start + begin.size());
    return members.starts_with("    int extent[") || members.starts_with("    int64_t extent[");
}

}  // namespace

std::string size_probes(std::string_view program) {
    std::string added;
    for (const KernelSignature& kernel : parse_kernels(program))
        for (std::size_t slot = 0; slot < kernel.parameters.size(); ++slot) {
            const Parameter& p = kernel.parameters[slot];
            if (p.is_pointer || p.space >= Parameter::Space::barrier || !p.dtype.empty() || is_opaque(p.type) ||
                is_generated_layout(p.type, program))
                continue;
            std::size_t weight = 1;
            for (std::size_t part = 0; part < probes; ++part) {
                std::vector<std::string> extents;
                for (std::size_t k = 0; k < digits; ++k, weight *= base)
                    extents.push_back(text("1 + sizeof(", p.type, ") / ", weight, " % ", base));
                added += text("\n__kernel __attribute__((reqd_work_group_size(", join(extents), "))) void ",
                              probe_name(slot, part, kernel.name), "(void) {}");
            }
        }
    return added.empty() ? added : added + "\n";
}

bool is_size_probe(std::string_view kernel) { return kernel.starts_with(mark); }

std::optional<std::vector<std::size_t>> value_sizes(cl_program program, cl_device_id device,
                                                    const std::vector<std::string>& kernels, std::string_view kernel,
                                                    std::size_t parameters) {
    std::optional<std::vector<std::size_t>> sizes;
    for (std::size_t slot = 0; slot < parameters; ++slot) {
        std::size_t bytes = 0, weight = 1;
        for (std::size_t part = 0; part < probes; ++part) {
            const std::string name = probe_name(slot, part, kernel);
            if (std::find(kernels.begin(), kernels.end(), name) == kernels.end()) break;
            const cl_kernel probe = cl.CreateKernel(program, name.c_str());
            std::array<size_t, 3> extents{};
            const Status status = cl.GetKernelWorkGroupInfo.status(probe, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                                                   sizeof extents, extents.data(), nullptr);
            cl.ReleaseKernel.quietly(probe);
            if (status != success || extents[0] == 0) {  // this driver does not store it
                bytes = 0;
                break;
            }
            for (const size_t extent : extents) bytes += (extent - 1) * weight, weight *= base;
        }
        if (bytes == 0) continue;
        if (!sizes) sizes.emplace(parameters);
        (*sizes)[slot] = bytes;
    }
    return sizes;
}

}  // namespace gemel::plugin::opencl
