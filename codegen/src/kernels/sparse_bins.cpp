/// Products of the entries of a sparse matrix, window by window of columns.
#include "sparse_bins.hpp"

#include "sparse_kernels.hpp"

#include <gemel/codegen/block.hpp>
#include <gemel/codegen/sparse.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace gemel::codegen {
namespace {

/// The 16-bit numbers beside 16 bytes of values. They are shifted out of words: NVIDIA's OpenCL compiler keeps unions
/// of words and short elements in memory.
struct BinAccess {
    std::string type;             ///< of place[u], the numbers of one access
    std::vector<std::string> at;  ///< each number
};

BinAccess bin_access(DType value) {
    switch (16 / value.size_bytes()) {
        case 4: return {"uint2", {"place[u].x & 65535", "place[u].x >> 16", "place[u].y & 65535", "place[u].y >> 16"}};
        case 2: return {"uint", {"place[u] & 65535", "place[u] >> 16"}};
        default: return {"uint16_t", {"place[u]"}};
    }
}

}  // namespace

void fill_bins(Values& values, DType value, KernelText& kernel) {
    const BinAccess access = bin_access(value);
    const bool is_complex = value.kind() == DType::Kind::complex;
    std::vector<std::string> multiply, move;
    for (std::size_t e = 0; e < access.at.size(); ++e) {
        const std::string own = text("value[u].e[", e, "]"), other = text("products[", access.at[e], "]");
        multiply.push_back(
            text(own, " = ", is_complex ? text("c_mul(", own, ", ", other, ");") : text(own, " * ", other, ";")));
        move.push_back(text("if ((", access.at[e], ") != ", sparse_bin_padding, ") ", other, " = ", own, ";"));
    }
    values["lanes"] = static_cast<int>(access.at.size());
    values["places"] = access.type;
    values["columns"] = static_cast<int>(sparse_bin_columns(value));
    values["places_of_block"] = static_cast<int>(std::max(sparse_bin_columns(value), sparse_bin_tile(value) + 1));
    values["multiply"] = multiply;
    values["move"] = move;
    values["words"] = static_cast<int>(sparse_bin_words);
    values["wait"] = pieces::WaitForCount{}.text(kernel);
    values["deal_tile"] = pieces::DealTile{}.text(kernel);
    values["chunk"] = kernel.fill(sparse_kernels::bins(), values);
    values["staged"] = kernel.fill(sparse_kernels::binned(), values);
}

}  // namespace gemel::codegen
