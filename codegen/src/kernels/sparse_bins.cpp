/// Products of the entries of a sparse matrix, window by window of columns.
#include <gemel/codegen/sparse.hpp>

#include "sparse_bins.hpp"
#include "sparse_kernels.hpp"

#include <gemel/codegen/block.hpp>
#include <gemel/codegen/kernel_text.hpp>
#include <gemel/core/text.hpp>

#include <string>
#include <vector>

namespace gemel::codegen {

BinAccess bin_access(DType value) {
    switch (16 / value.size_bytes()) {
        case 4: return {"uint2", {"place[u].x & 65535", "place[u].x >> 16", "place[u].y & 65535", "place[u].y >> 16"}};
        case 2: return {"uint", {"place[u] & 65535", "place[u] >> 16"}};
        default: return {"uint16_t", {"place[u]"}};
    }
}

std::string sparse_bins_source(DType value, const Dialect& dialect) {
    KernelText kernel(dialect);
    const BinAccess access = bin_access(value);
    const bool is_complex = value.kind() == DType::Kind::complex;
    std::vector<std::string> multiply;
    for (std::size_t e = 0; e < access.at.size(); ++e) {
        const std::string own = text("value[u].e[", e, "]"), other = text("window[", access.at[e], "]");
        multiply.push_back(
            text(own, " = ", is_complex ? text("c_mul(", own, ", ", other, ");") : text(own, " * ", other, ";")));
    }
    // With 48 KiB each, blocks of all threads that a multiprocessor holds.
    const pieces::ResidentBlocks resident{.block = static_cast<int>(sparse_bin_gather_block), .count = 2};
    return kernel.finish(kernel.fill(sparse_kernels::bins(), {{"type", value.name()},
                                                              {"lanes", static_cast<int>(access.at.size())},
                                                              {"places", access.type},
                                                              {"block", static_cast<int>(sparse_bin_gather_block)},
                                                              {"columns", static_cast<int>(sparse_bin_columns(value))},
                                                              {"resident", resident.text()},
                                                              {"multiply", multiply}}));
}

}  // namespace gemel::codegen
