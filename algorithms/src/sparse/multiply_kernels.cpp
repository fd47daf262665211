/// Kernels that plan products of matrices: weights of rows, and the starts of tiles.
#include "sparse/kernels.hpp"
#include "sparse_kernels.hpp"

#include <gemel/codegen/sparse_multiply.hpp>
#include <gemel/core/text.hpp>

#include <string>

namespace gemel::sparse {
namespace {

/// The weight of row i: a constant, plus its entries, plus the products that they make.
std::string row_weight() {
    return text(codegen::sparse_row_weight,
                " + (int64_t)(row_ends[i] - begins[i]) + (row_ends[i] > begins[i] ? ends[row_ends[i] - 1] - "
                "(begins[i] > 0 ? ends[begins[i] - 1] : (int64_t)0) : (int64_t)0)");
}

}  // namespace

const ReductionKernel<std::int64_t>& heaviest_kernel() {
    static const std::string& weight = *new std::string(row_weight());
    static const auto& kernel =
        *new ReductionKernel<std::int64_t>({.arguments = "const I *begins, const I *row_ends, const int64_t *ends",
                                            .neutral = "0",
                                            .map_expr = weight,
                                            .reduce_expr = "a > b ? a : b",
                                            .name = "sparse_heaviest"});
    return kernel;
}

const ElementwiseKernel& heavy_row_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "uint8_t *is_heavy, const I *begins, const I *row_ends, const int64_t *ends, int64_t limit",
        "is_heavy[i] = (uint8_t)(" + row_weight() + " > limit)", "sparse_heavy_rows");
    return kernel;
}

const ElementwiseKernel& multiply_tile_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "I *tile_rows, const I *starts, const int64_t *ends, int64_t tile, int64_t rows",
        sparse_kernels::multiply_tiles().render({{"row_weight", codegen::sparse_row_weight}}), "sparse_multiply_tiles");
    return kernel;
}

const ElementwiseKernel& product_length_kernel() {
    static const auto& kernel =
        *new ElementwiseKernel("const I *columns, const I *starts, int64_t *lengths",
                               "lengths[i] = starts[columns[i] + 1] - starts[columns[i]]", "sparse_product_lengths");
    return kernel;
}

}  // namespace gemel::sparse
