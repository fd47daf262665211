/// The kernel that computes Sobol' sequences.
#include <gemel/codegen/sobol.hpp>

#include "sobol_kernels.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

namespace gemel::codegen {

namespace {

/// The types of vectors and elements in memory.
std::string lane(DType element) {
    if (element.size_bytes() == 2) return "ushort";
    if (element.is_integer()) return element.size_bytes() == 4 ? "uint" : "ulong";
    return element.name();
}

/// Converts the bits of a point to an element: truncated, so that 1 is never reached and points stay in their interval.
std::string converted(DType element, const std::string& x) {
    if (element.is_integer()) return x;
    if (element.kind() == DType::Kind::bfloat) return text("store_bfloat16((float)(", x, " >> 24) * 3.90625e-3f).bits");
    switch (element.size_bytes()) {
        case 2: return text("store_float16((float)(", x, " >> 21) * 4.8828125e-4f).bits");
        case 4: return text("(float)(", x, " >> 8) * 5.9604644775390625e-8f");
        default: return text("(double)(", x, " >> 11) * 1.1102230246251565e-16");
    }
}

}  // namespace

int sobol_bits(DType element) {
    const std::uint32_t bytes = element.size_bytes();
    const bool is_real = element.is_floating() && bytes <= 8;
    if (element.lanes() > 1 || !(is_real || (element.kind() == DType::Kind::unsigned_integer && bytes >= 4)))
        throw ArgumentError(
            text("Sobol: expected half, bfloat16, float, double, uint32_t or uint64_t, got ", element.name()));
    return bytes == 8 ? 64 : 32;
}

SobolTuning sobol_tuning(const DeviceInfo& info, DType element) {
    if (info.type == DeviceInfo::Type::cpu) return {.block = 1, .per_thread = 32, .wide_stores = false};
    return {.per_thread = element.size_bytes() == 8 ? 2 : 4};
}

std::string SobolFill::source(const Dialect& dialect) const {
    const int bits = sobol_bits(element);
    std::vector<std::string> all;
    for (int e = 0; e < tuning.per_thread; ++e) all.push_back(converted(element, text("x[", e, "]")));
    KernelText kernel(dialect);
    return kernel.finish(kernel.fill(sobol_kernels::fill(), {{"bits", bits},
                                                             {"word", text("uint", bits, "_t")},
                                                             {"element", element.name()},
                                                             {"lane", lane(element)},
                                                             {"n", tuning.per_thread},
                                                             {"wide_stores", tuning.wide_stores},
                                                             {"converted", converted(element, "x[e]")},
                                                             {"all_converted", join(all)}}));
}

}  // namespace gemel::codegen
