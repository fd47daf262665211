/// The row of each entry of a sparse matrix.
#include <gemel/codegen/sparse.hpp>

#include "sparse_kernels.hpp"

#include <gemel/codegen/block.hpp>

namespace gemel::codegen {

std::string sparse_row_numbers_source(DType index, const Dialect& dialect) {
    constexpr int block = static_cast<int>(sparse_row_block);
    const int pack = static_cast<int>(16 / index.size_bytes());
    static_assert(sparse_row_tile % (block * 4) == 0);
    KernelText kernel(dialect);
    const pieces::Item item{.name = "row", .type = index.name(), .bytes = index.size_bytes()};
    const int runs = static_cast<int>(sparse_row_tile) / (block * pack);
    const pieces::ScanByShuffles scan{.item = item, .block = block, .vector_width = pack, .rows = runs};
    return kernel.finish(kernel.fill(sparse_kernels::row_numbers(), {{"index", index.name()},
                                                                     {"block", block},
                                                                     {"tile", static_cast<int>(sparse_row_tile)},
                                                                     {"pack", pack},
                                                                     {"runs", runs},
                                                                     {"exchange", pieces::Exchange{item}.text(kernel)},
                                                                     {"scan", scan.text(kernel)}}));
}

std::string sparse_long_row_numbers_source(DType index, const Dialect& dialect) {
    KernelText kernel(dialect);
    return kernel.finish(
        kernel.fill(sparse_kernels::row_numbers_long(), {{"index", index.name()},
                                                         {"block", static_cast<int>(sparse_row_block)},
                                                         {"chunk", static_cast<int>(sparse_row_tile)},
                                                         {"pack", static_cast<int>(16 / index.size_bytes())}}));
}

}  // namespace gemel::codegen
