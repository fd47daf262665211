#include <gemel/codegen/chain.hpp>

#include "sparse_text.hpp"
#include "sweep_kernels.hpp"
#include "sweep_text.hpp"

#include <gemel/codegen/block.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace gemel::codegen {
namespace {

void require_chain(const ChainRequest& request, const SparseLayout& matrix) {
    const SweepRequest& step = request.step;
    const auto refuse = [&](const auto&... why) {
        throw ArgumentError(gemel::text("chain_source: '", step.name, "' ", why...));
    };
    if (step.joins != std::vector<std::string>{"mu", "delta", "gamma"})
        refuse("has ", step.joins.size(), " joins, expected mu, delta and gamma; name what the product sums");
    const bool can_be_part = matrix.form == SparseForm::rows || matrix.form == SparseForm::stream ||
                             matrix.form == SparseForm::slices || matrix.form == SparseForm::diagonals;
    if (!can_be_part || matrix.serial || matrix.scaled || matrix.sums == SparseSums::none)
        refuse(
            "has a product that cannot be chained, expected rows, stream, slices or diagonals that sum and are "
            "neither serial nor scaled; choose such a layout");
    if ((matrix.sums == SparseSums::scaled) != !request.factors.empty())
        refuse("has ", request.factors.empty() ? "no factors" : "factors", " and a product ",
               request.factors.empty() ? "with" : "without", " them; SparseSums::scaled and .factors belong together");
}

}  // namespace

std::string chain_source(const ChainRequest& request, const SparseLayout& matrix, std::uint32_t resident,
                         const Dialect& dialect) {
    require_chain(request, matrix);
    KernelText kernel(dialect);
    const SweepLayout layout{.dtype = request.step.dtype, .last_block = true};
    Values values = sweep_values(request.step, layout, {.block = matrix.block}, kernel);
    const SparsePart part = sparse_part(matrix, kernel);
    values["functions"] = part.functions;
    values["matrix_arrays"] = part.arrays;
    values["matrix_sizes"] = part.sizes;
    values["matrix_shared"] = part.shared;
    values["matrix_work"] = part.work;
    values["from"] = request.from;
    values["to"] = request.to;
    values["with"] = request.with;
    values["factors"] = request.factors;
    values["has_factors"] = !request.factors.empty();
    values["resident"] = pieces::ResidentBlocks{.block = static_cast<int>(matrix.block), .count = resident}.text();
    if (request.step.skip.empty()) values["skip"] = "0";
    return kernel.finish(kernel.fill(sweep_kernels::chain(), std::move(values)));
}

std::int64_t chain_blocks(const ChainWork& work) {
    const std::int64_t units = std::max<std::int64_t>(work.compute_units, 1);
    const std::int64_t wanted = units * (work.blocks_per_unit > 0 ? work.blocks_per_unit : chain_blocks_per_unit);
    const std::int64_t most = std::min(work.resident, wanted);
    if (work.asked == SweepChain::never || most < 1) return 0;
    if (work.asked == SweepChain::automatic) {
        // Fewer than 512 threads per compute unit do not hide the latency of its loads.
        const std::int64_t threads = most * work.block;
        if (threads < 512 * units || work.unknowns > 8 * threads || work.places > 64 * threads) return 0;
    }
    const std::int64_t rows = std::max<std::uint32_t>(work.rows_per_piece, 1);
    const std::int64_t pieces = std::max<std::int64_t>((work.unknowns + rows - 1) / rows, 1);
    // Every block reads the sums of all blocks: with little work per block, fewer blocks are faster.
    const std::int64_t least = work.blocks_per_unit > 0 ? most : std::min(most, 2 * units);
    const std::int64_t rounds =
        std::max((pieces + most - 1) / most, std::min<std::int64_t>((pieces + least - 1) / least, 4));
    return (pieces + rounds - 1) / rounds;
}

}  // namespace gemel::codegen
