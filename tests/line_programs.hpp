/// Element-wise programs with packs beside arrays that are not contiguous, or of them.
#pragma once

#include "turned_programs.hpp"

namespace generator_programs {

/// A strided array that is accessed by packs.
inline cg::ArgumentLayout in_packs(bool offset = false, cg::LastStep step = cg::LastStep::one) {
    return {.access = cg::Access::strided, .offset = offset, .last_step = step, .wide = true};
}

inline Programs line_programs(const Dialect& dialect) {
    using enum cg::Access;
    Programs all;
    const auto add = [&](const std::string& variant, const cg::ElementwiseRequest& request, cg::KernelLayout layout,
                         int line_width = 0) {
        layout.line_width = line_width;
        const cg::ElementwiseTuning tuning{.block = 256, .access_bytes = 16, .unroll = 2};
        all.emplace_back(variant, cg::elementwise_source(request, layout, tuning, dialect));
    };
    const auto axpy = elementwise("axpy", "float a, const float *x, const float *y, float *z", "z[i] = a*x[i] + y[i]");
    const cg::ArgumentLayout row{.access = strided, .last_step = cg::LastStep::one},
        factor{.access = strided, .last_step = cg::LastStep::zero};
    add("axpy_row_beside_packs", axpy, layout({as(none), row, as(packed), as(packed)}, 2));
    add("axpy_factor_beside_packs", axpy, layout({as(none), factor, as(packed), as(packed)}, 3));
    add("axpy_line_packs", axpy, layout({as(none), in_packs(), as(strided), in_packs(true)}, 3), 4);
    const cg::ArgumentLayout one = in_packs(false, cg::LastStep::any);
    add("axpy_packs_of_one", axpy, layout({as(none), one, as(packed), one}, 2), 1);
    auto neighbours =
        elementwise("neighbours", "const float *x, float *z, int *count",
                    "if (i == 0 || i == n - 1) continue;\nz[i] = x[i-1] + x[i+1];\natomic_add(&count[0], 1)");
    neighbours.loop_prep = "int mine = 0;";
    neighbours.after_loop = "if (mine) atomic_add(&count[1], mine);";
    add("neighbours_in_lines", neighbours, layout({in_packs(), in_packs(), as(pointer)}, 2), 4);
    return all;
}

}  // namespace generator_programs
