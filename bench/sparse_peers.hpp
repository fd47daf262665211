/// NVIDIA's cuSPARSE and cuBLAS on gemel's memory and stream, to be timed in turns with gemel's sparse matrices.
#pragma once

#include <cstdint>
#include <memory>

namespace bench {

/// Compressed rows in device memory: 32-bit indices, values of float or double.
struct DeviceRows {
    std::int64_t rows, columns, entries;
    const void *starts, *numbers, *values;
    bool is_double;
};

/// One matrix as a good user of these libraries has it: descriptors, scratch memory and the analysis of its structure
/// are made beforehand. Members enqueue on the stream and return; arrays are device addresses.
class SparsePeer {
   public:
    virtual ~SparsePeer() = default;
    /// y = A x. @param analysed  with what cusparseSpMV_preprocess has found
    virtual void multiply(const void* x, void* y, bool analysed) = 0;
    /// The row of each entry, int32.
    virtual void to_coo(void* row_numbers) = 0;
    /// The transposed matrix.
    virtual void transpose(void* starts, void* numbers, void* values) = 0;
    /// From triples in any order, each place once: sorted by row and column.
    virtual void from_triples(const void* rows, const void* numbers, const void* values, void* starts,
                              void* sorted_numbers, void* sorted_values) = 0;
    /// C = A A with its memory, which is given back at once. @returns its entries @time waits
    virtual std::int64_t times_itself() = 0;
    /// Conjugate gradients from x = 0: one product, two dot products and three updates an iteration, scalars on the
    /// device, the residual read by the host every twenty iterations. @time waits
    /// @param as_graph  the twenty iterations are one CUDA graph
    virtual void conjugate_gradients(const void* b, void* x, int iterations, bool as_graph) = 0;
};

/// @param stream  a CUstream @returns null where the libraries are not built in
std::unique_ptr<SparsePeer> make_sparse_peer(const DeviceRows& matrix, void* stream);

}  // namespace bench
