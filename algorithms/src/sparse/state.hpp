/// The state of a matrix: its entries as csr, and the format of its products.
#pragma once

#include <gemel/algorithms/sparse_matrix.hpp>
#include <gemel/arrays/any_array.hpp>
#include <gemel/codegen/sparse.hpp>
#include <gemel/core/argument.hpp>
#include <gemel/core/buffer.hpp>
#include <gemel/core/context.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace gemel::sparse {

/// Entries by rows, columns ascending within each row, without duplicates. All arrays begin at the start of their
/// memory.
struct Entries {
    Context context;
    std::int64_t rows = 0, columns = 0, count = 0;
    AnyArray starts = {};   ///< int32 or int64, rows + 1 elements
    AnyArray numbers = {};  ///< column of each entry, of the type of starts
    AnyArray values = {};
    std::int64_t longest_row = 0;

    DType index() const { return starts.dtype(); }
    DType value() const { return values.dtype(); }
    Shape shape() const { return {rows, columns}; }
    double mean_row() const { return rows == 0 ? 0 : static_cast<double>(count) / static_cast<double>(rows); }
};

/// The first row of each tile of equal work, computed by the first product that needs it.
struct MergePlan {
    std::int64_t tile = 0, tiles = 0;
    AnyArray tile_rows = {};
};
/// @param tile  the number of rows and entries together
MergePlan plan_of(const Entries& entries, std::int64_t tile);

/// What a product by windows of columns reads besides columns and values; see codegen::SparseForm::binned.
struct Bins {
    MergePlan plan = {};
    AnyArray positions = {}, sources = {};
    AnyArray work = {};  ///< chunks and tiles, in the order in which blocks begin them
    std::int64_t windows = 0;
    std::int64_t slabs = 0, slab_tiles = 0;
    std::int64_t slots = 0;  ///< products in memory at a time
    /// Where each launch begins in `work`, and the end. One launch where its blocks can wait for each other; elsewhere
    /// one of all chunks and one of all tiles.
    std::vector<std::int64_t> launches = {};
};

/// The arrays of a format; arrays that the format does not have are empty handles.
struct Form {
    AnyArray row_numbers = {};   ///< coo
    AnyArray lengths = {};       ///< ell, sell: of rows, in the order of storage
    AnyArray numbers = {};       ///< ell, sell: padded columns; packeted, binned: 16-bit columns within their windows
    AnyArray values = {};        ///< ell, sell, dia, binned; packeted with a rest
    AnyArray slice_starts = {};  ///< sell
    AnyArray order = {};         ///< sell: the row stored at each position
    AnyArray offsets = {};       ///< dia: column minus row
    AnyArray starts = {};        ///< packeted with a rest
    std::int64_t diagonals = 0;
    std::shared_ptr<const MatrixState> rest = {};  ///< packeted: the entries outside the windows
    std::shared_ptr<const Bins> bins = {};         ///< binned
    std::int64_t slots = 0;                        ///< stored values, including padding
};

struct MatrixState {
    MatrixState(Entries of, Format as, Form in, std::string why)
        : entries(std::move(of)), format(as), form(std::move(in)), reason(std::move(why)) {}

    const Entries entries;
    const Format format;
    const Form form;
    const std::string reason;  ///< why `automatic` chose the format; empty if the caller chose it

    /// @param tile  the number of rows and entries together
    MergePlan plan(std::int64_t tile) const;

    /// A choice of tuning, kept for repeated products.
    struct Chosen {
        std::uint64_t version = 0;  ///< version of the store of measurements
        std::uint32_t kind = 0;
        codegen::SparseTuning given = {}, tuning = {};
    };
    std::optional<codegen::SparseTuning> chosen(std::uint64_t version, std::uint32_t kind,
                                                const codegen::SparseTuning& given) const {
        const std::lock_guard lock(mutex_);
        if (chosen_.version != version || chosen_.kind != kind || !(chosen_.given == given)) return std::nullopt;
        return chosen_.tuning;
    }
    void keep(const Chosen& choice) const {
        const std::lock_guard lock(mutex_);
        chosen_ = choice;
    }

   private:
    mutable std::mutex mutex_;
    mutable Chosen chosen_;
    mutable std::vector<MergePlan> plans_;
};

/// Rejects formats whose padding needs much more memory than the entries. @throws ArgumentError
void require_room(const Entries& entries, Format format, double slots);
/// A matrix in csr.
AnyMatrix as_matrix(Entries entries);
AnyMatrix in_format(const Entries& entries, Format format, std::string reason = {});

// build.cpp

/// The type of positions in a matrix of that shape. @throws ArgumentError if it has too many positions for any
DType key_type(const char* who, std::int64_t rows, std::int64_t columns);
/// row * columns + column of each entry, of key_type(); sorts entries.
AnyArray keys_of(const char* who, const Entries& entries);
/// Entries from their positions, in any order; values of equal positions are added in the given order. @time waits
Entries from_keys(const Context& context, const Shape& shape, const AnyArray& keys, const AnyArray& values, bool wide);
/// The same with given starts of rows.
Entries with_starts(const Context& context, const Shape& shape, AnyArray starts, AnyArray numbers, AnyArray values);
/// @throws ArgumentError unless both extents are given and not negative
void require_shape(const char* who, const Shape& shape);

// bins.cpp

/// Whether the device has the threads and the shared memory for products by windows; otherwise they are those of csr.
bool can_multiply_bins(const DeviceInfo& device, DType value);
/// The entries by windows of columns. @throws ArgumentError if there are too many windows and tiles @time waits
Form binned_form(const Entries& entries);
/// The share of entries whose column is not in the 32 bytes of x that the entry before it reads. @time waits
double scatter_of(const Entries& entries);

// row_numbers.cpp

/// The row of each entry.
AnyArray row_numbers_of(const Entries& entries);

// algebra.cpp

/// Zeros at the entries of the pattern on and below the diagonal; csr.
AnyMatrix lower_part(const AnyMatrix& pattern);

// multiply_rows.cpp

/// a * b on CPU devices. Empty for other devices, for indices of different types, and if there would be more marks than
/// entries. @source Gustavson, "Two Fast Algorithms for Sparse Matrices" (1978) @time waits for the number of entries
std::optional<Entries> multiply_by_rows(const Entries& a, const Entries& b);

// multiply_tiles.cpp

/// a * b on GPUs, in tiles of rows that fit into shared memory; other rows are expanded and sorted. Empty for other
/// devices, and if the result needs wider indices. Both matrices have one index type. @time waits for the heaviest row,
/// and for the numbers of products and of entries
std::optional<Entries> multiply_by_tiles(const Entries& a, const Entries& b);
/// a * b by storing all products, sorting and combining them. @time waits twice
Entries multiply_by_sorting(const Entries& a, const Entries& b);

// product.cpp

void multiply(const MatrixState& matrix, const AnyArray& y, const AnyArray& x, const AnyMultiply& options);

/// Sums that a product y = A x computes for a solver while it has the elements of y: the real parts of x* y, (M w)* y
/// and (M y)* y. M is a diagonal matrix or 1. Each block stores three sums, as doubles if the device has them.
struct SolverSums {
    AnyArray with;                              ///< w, of y's shape
    AnyArray diagonal = {};                     ///< M; an empty handle means 1
    Buffer sums;                                ///< three numbers for each block
    std::int64_t sums_begin = 0, capacity = 1;  ///< index of the first sum, and the maximum number of blocks
    Buffer skip;                                ///< 32-bit integers; only serial kernels and those with warps read it
    std::int64_t skip_at = 0;                   ///< index in `skip`: if that integer is not 0, nothing is computed
};
/// Whether products with this matrix can compute such sums: they need a single launch.
bool can_sum(const MatrixState& matrix);
/// Such a product as a part of another kernel: see codegen/chain.hpp.
struct ProductPart {
    codegen::SparseLayout layout = {};
    std::vector<Argument> arrays = {};     ///< of the matrix, which must outlive this
    std::vector<std::int64_t> sizes = {};  ///< without the chunk size
    std::int64_t slots = 0;                ///< the number of values that are read
};
/// For blocks of many threads, also on CPU devices; requires can_sum(matrix). @param is_scaled  there is a diagonal
ProductPart summing_part(const MatrixState& matrix, bool is_scaled);
/// @param x,y  contiguous vectors that share no memory @returns the number of blocks with sums, at most `capacity`
std::int64_t multiply_summing(const MatrixState& matrix, const AnyArray& y, const AnyArray& x, const SolverSums& sums);

}  // namespace gemel::sparse
