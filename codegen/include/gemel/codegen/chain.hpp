/// The text of chains. A chain runs many iterations of a solver in one launch: alternately a product with a sparse
/// matrix and a sweep.
#pragma once

#include <gemel/codegen/sparse.hpp>
#include <gemel/codegen/sweep.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <string>

namespace gemel::codegen {

/// A chain for one column. An iteration computes to = A * from, with the sums of sparse_source (`with` is their vector
/// w), and then the step, a sweep whose `joins` are these sums: mu, delta and gamma. `from`, `to` and `with` name
/// arrays of the step.
struct ChainRequest {
    SweepRequest step = {};  ///< its state is in shared memory: functions take `LOCAL_MEM_ARG sweep_state *`
    std::string from = "p", to = "s", with = "r";
    std::string factors = {};  ///< the diagonal of SparseSums::scaled
};

/// The kernel `<name of the step>`, which iterates until it has done `steps` iterations or the step's `skip` is true.
/// Launch it cooperatively with `matrix.block` threads per block; the arrays of sums have one entry per block.
/// Parameters: the matrix's arrays, the step's arrays, states, partials (one `real` per block and sum of the step),
/// sums (three per block), the matrix's sizes (int64_t, without the chunk), steps, packs (int32_t).
/// @param matrix    rows, stream, slices or diagonals; not serial; with `sums`
/// @param resident  minimum number of resident blocks per compute unit; 0: no minimum
/// @throws ArgumentError if the step or the matrix cannot be chained
GEMEL_API std::string chain_source(const ChainRequest& request, const SparseLayout& matrix, std::uint32_t resident,
                                   const Dialect& dialect);

/// The inputs of chain_blocks().
struct ChainWork {
    std::int64_t unknowns = 0;
    std::int64_t places = 0;    ///< values that the matrix stores, padding included
    std::int64_t resident = 0;  ///< blocks that run concurrently: Kernel::max_cooperative_blocks()
    std::int64_t compute_units = 1;
    std::uint32_t block = 256;
    std::uint32_t blocks_per_unit =
        0;  ///< maximum; 0: chain_blocks_per_unit, or 2 if blocks would get fewer than four pieces
    std::uint32_t rows_per_piece = 256;
    SweepChain asked = SweepChain::automatic;
};
/// More blocks hide load latency better but make barriers slower.
inline constexpr std::uint32_t chain_blocks_per_unit = 4;

/// The number of blocks that iterate together, each with the same number of pieces of rows; 0: launch the iterations
/// separately. With SweepChain::automatic it chains if the device runs at least 512 threads per compute unit at once,
/// and there are at most 8 unknowns and 64 places per thread. A device that guarantees one block per compute unit, such
/// as NVIDIA's OpenCL, needs large blocks; its cooperative launches exclude each other.
GEMEL_API std::int64_t chain_blocks(const ChainWork& work);

}  // namespace gemel::codegen
