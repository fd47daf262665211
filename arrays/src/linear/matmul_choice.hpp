/// The tile of a matrix product, remembered per context.
#pragma once

#include "generated/kernel_cache.hpp"
#include "linear/matmul_layout.hpp"

#include <cstdint>
#include <memory>

namespace gemel {

struct MatmulChoice : Variant {
    codegen::MatmulTuning tile;      ///< matmul_heuristic()
    codegen::MatmulTuning unsliced;  ///< the same without slices and further blocks, which suit only this tile
    bool may_group = false;          ///< whether MatmulForm::mapped or grouped can multiply the operands
};

/// The tile for these operands if no numbers are given. @time a lookup after the first call for such operands:
/// comparing a dozen tiles takes as long as half a launch
std::shared_ptr<const MatmulChoice> matmul_choice(KernelCache& cache, DType dtype, codegen::MatmulForm form,
                                                  const AnyArray& a, const AnyArray& b, std::uint32_t unit_warps);

/// Sums of 32 to 64 terms are exact instead of split, unless a tuning is given.
Precision precision_for(Precision asked, const codegen::MatmulTuning& given, std::int64_t inner);

}  // namespace gemel
