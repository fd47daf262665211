#include <gemel/codegen/sparse_multiply.hpp>

#include "sparse_kernels.hpp"

#include <gemel/codegen/block.hpp>

namespace gemel::codegen {

std::string sparse_multiply_source(const SparseMultiplyLayout& layout, const Dialect& dialect) {
    const bool is_complex = layout.value.kind() == DType::Kind::complex;
    const int block = static_cast<int>(sparse_multiply_block), items = static_cast<int>(layout.items);
    KernelText kernel(dialect);
    const pieces::CountByShuffles heads{.block = block, .rows = items};
    Values values{
        {"type", layout.value.name()},
        {"index", layout.index.name()},
        {"block", block},
        {"items", items},
        {"tile", block * items},
        {"rows", block * items / static_cast<int>(sparse_row_weight)},
        {"width", static_cast<int>(layout.width)},
        {"multiply", is_complex ? "c_mul(factor, other_values[from + k])" : "factor * other_values[from + k]"},
        {"add", is_complex ? "c_add(sum, product[source[q]])" : "sum + product[source[q]]"},
        {"count_heads", heads.text(kernel)}};
    const std::string multiply = kernel.fill(sparse_kernels::multiply(), values);
    return kernel.finish(multiply + "\n" + kernel.fill(sparse_kernels::multiply_copy(), values));
}

}  // namespace gemel::codegen
