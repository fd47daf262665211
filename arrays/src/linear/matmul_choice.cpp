#include "linear/matmul_choice.hpp"

#include "linear/matmul_maps.hpp"

namespace gemel {
namespace {

/// All that the choice depends on, besides the device.
struct ChoiceKey {
    DType dtype = {};
    codegen::MatmulLayout layout = {};  ///< without a tile
    MatmulShape shape = {};
    std::uint32_t unit_warps = 0;
    Mapped mapped = Mapped::no;
    friend bool operator==(const ChoiceKey&, const ChoiceKey&) = default;
};

}  // namespace

std::shared_ptr<const MatmulChoice> matmul_choice(KernelCache& cache, DType dtype, codegen::MatmulForm form,
                                                  const AnyArray& a, const AnyArray& b, std::uint32_t unit_warps) {
    const DeviceInfo& device = cache.info();
    const Mapped mapped = how_mapped(device, dtype, form, a, b);
    const bool has_slots = form >= codegen::MatmulForm::threads;
    const codegen::MatmulLayout layout =
        has_slots ? matmul_layout(device, dtype, form, a, b, {}) : codegen::MatmulLayout{};
    const auto choose = [&] {
        auto choice = std::make_shared<MatmulChoice>();
        choice->tile = choice->unsliced = matmul_heuristic(device, dtype, form, a, b, unit_warps);
        choice->unsliced.slices = 0;
        if (choice->tile.unit_warps == 4) choice->unsliced.resident_blocks = 1;
        choice->may_group = mapped != Mapped::no || can_group(device, dtype, layout);
        return choice;
    };
    if (!has_slots) return choose();
    const ChoiceKey key{.dtype = dtype,
                        .layout = layout,
                        .shape = {a.shape()[0], a.shape()[1], a.shape()[2], b.shape()[2]},
                        .unit_warps = unit_warps,
                        .mapped = mapped};
    return cache.find<MatmulChoice>(key, choose);
}

// Splitting numbers takes longer than it saves if each is used a few times. 65536 x 64 x 64 on an H200, us: split 33,
// fused multiply-adds 26; 4096 x 16 x 4096 on CUDA and OpenCL, split 58 and 57, fused 53 and 96.
Precision precision_for(Precision asked, const codegen::MatmulTuning& given, std::int64_t inner) {
    const bool is_short = inner >= 32 && inner <= 64 && given == codegen::MatmulTuning{};
    return asked == Precision::split && is_short ? Precision::exact : asked;
}

}  // namespace gemel
