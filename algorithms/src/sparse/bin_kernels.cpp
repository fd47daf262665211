/// The kernels that make a matrix by windows of columns.
#include "sparse/kernels.hpp"
#include "sparse_kernels.hpp"

namespace gemel::sparse {

const ReductionKernel<std::int64_t>& apart_kernel() {
    static const auto& kernel = *new ReductionKernel<std::int64_t>(
        {.arguments = "const I *columns, int64_t group",
         .neutral = "0",
         .map_expr = "i == 0 || columns[i] / group != columns[i - 1] / group ? (int64_t)1 : (int64_t)0",
         .reduce_expr = "a + b",
         .name = "sparse_apart"});
    return kernel;
}

const ElementwiseKernel& bin_piece_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "uint32_t *pieces, const I *columns, const I *rows, int64_t width, int64_t windows, int64_t slab",
        "pieces[i] = (uint32_t)(((int64_t)i + rows[i]) / slab * windows + columns[i] / width)", "sparse_bin_pieces");
    return kernel;
}

const ElementwiseKernel& bin_run_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "int64_t *runs, const uint32_t *pieces, const I *order, const I *rows, int64_t tile, int64_t slab_tiles",
        "runs[i] = pieces[i] * slab_tiles + ((int64_t)order[i] + rows[order[i]]) / tile % slab_tiles",
        "sparse_bin_runs");
    return kernel;
}

const ElementwiseKernel& bin_group_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "int64_t *groups, const int64_t *begins, int64_t group",
        "groups[i] = (begins[(int64_t)i + 1] - begins[(int64_t)i] + group - 1) / group", "sparse_bin_groups");
    return kernel;
}

const ElementwiseKernel& bin_fill_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "const int64_t *runs, const I *order, const int64_t *begins, const int64_t *groups, const int64_t "
        "*window_ends, "
        "const int64_t *tile_ends, const I *columns, const T *values, const I *tile_rows, uint16_t *to_columns, "
        "T *to_values, uint16_t *positions, int64_t slab_tiles, int64_t windows, int64_t tile, int64_t width, int64_t "
        "group",
        sparse_kernels::bin_fill().render(), "sparse_bin_fill");
    return kernel;
}

const ElementwiseKernel& bin_source_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "const int64_t *groups, const int64_t *window_ends, const int64_t *tile_ends, const int64_t *shifts, I "
        "*sources, "
        "int64_t slab_tiles, int64_t windows",
        sparse_kernels::bin_sources().render(), "sparse_bin_sources");
    return kernel;
}

}  // namespace gemel::sparse
