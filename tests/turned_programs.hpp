/// Layouts and requests that programs of the generators are made of, and the element-wise ones whose operands' axes lie
/// in another order than the result's.
#pragma once

#include "codegen_programs.hpp"

#include <gemel/arrays/call_argument.hpp>

#include <string>
#include <utility>
#include <vector>

namespace generator_programs {

namespace cg = gemel::codegen;
using gemel::Dialect;
using gemel::DType;
using gemel::dtype_of;
using Programs = std::vector<std::pair<std::string, std::string>>;

inline cg::KernelLayout layout(const std::vector<cg::ArgumentLayout>& arguments, int rank = 0, bool wide = false,
                               bool sliced = false) {
    return {.arguments = {arguments.begin(), arguments.end()}, .rank = rank, .wide_index = wide, .sliced = sliced};
}
inline cg::ArgumentLayout as(cg::Access access, bool offset = false) { return {access, offset}; }

/// Tiles in which arrays are turned round.
inline cg::KernelLayout turned_layout(const std::vector<cg::ArgumentLayout>& arguments, int rank, int columns, int rows,
                                      int vector, int group) {
    cg::KernelLayout all = layout(arguments, rank);
    all.tile_width = columns;
    all.tile_rows = rows;
    all.tile_vector = vector;
    all.tile_group = group;
    return all;
}
inline cg::ArgumentLayout turned(std::uint8_t vector, bool offset = false) {
    return {.access = cg::Access::strided, .offset = offset, .turned = vector};
}
inline cg::ArgumentLayout along(bool wide, cg::LastStep step = cg::LastStep::one) {
    return {.access = cg::Access::strided, .last_step = step, .wide = wide};
}

inline cg::ElementwiseRequest elementwise(const std::string& name, const std::string& arguments,
                                          const std::string& operation) {
    return {.name = name, .arguments = gemel::parse_declarations(arguments), .operation = cg::Snippet(operation)};
}

/// Operands whose axes lie in another order than the result's.
inline Programs turned_programs(const Dialect& dialect) {
    using enum cg::Access;
    Programs all;
    const auto add = [&](const std::string& variant, const cg::ElementwiseRequest& request,
                         const cg::KernelLayout& layout) {
        all.emplace_back(variant,
                         cg::elementwise_source(request, layout, cg::ElementwiseTuning{.block = 256}, dialect));
    };
    const auto axpy = elementwise("axpy", "float a, const float *x, const float *y, float *z", "z[i] = a*x[i] + y[i]");
    auto aligned = turned_layout({as(none), turned(4, true), along(true), along(true)}, 3, 64, 64, 4, 1);
    add("axpy_turned", axpy, aligned);
    aligned.wide_index = true;
    add("axpy_turned_wide", axpy, aligned);
    const auto bytes = elementwise("bytes", "const uint8_t *x, uint8_t *y", "y[i] = x[i]");
    add("bytes_turned", bytes, turned_layout({turned(16), along(true)}, 2, 128, 64, 8, 4));
    add("bytes_turned_misaligned", bytes, turned_layout({turned(1), along(false)}, 2, 128, 64, 1, 4));
    const auto mixed =
        elementwise("mixed", "const half *x, const cdouble *y, const float *w, cdouble *z, half *v, const int *d",
                    "if (w[i] < 0) continue;\nz[i].re += y[i].im + x[i] + d[i - 1];\nv[i] = x[i] * i");
    add("mixed_turned", mixed,
        turned_layout({turned(8), turned(1), along(false, cg::LastStep::zero), along(false), along(false),
                       along(false, cg::LastStep::any)},
                      3, 32, 32, 1, 2));
    return all;
}

}  // namespace generator_programs
