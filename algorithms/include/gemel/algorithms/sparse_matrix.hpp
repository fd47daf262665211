/// Sparse matrices: built from COO triples, CSR, CSC or a dense array; multiplied in the format that suits the matrix.
#pragma once

#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/arrays/take.hpp>
#include <gemel/codegen/sparse.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

namespace gemel::sparse {

/// How a matrix is stored for its products.
enum class Format : std::uint8_t {
    automatic,  ///< argument of to(): selects one of the others for the matrix; format() never returns it
    csr,        ///< compressed rows: values, their columns, and the start of each row
    coo,        ///< a row and a column index per value; products by a segmented scan
    ell,        ///< all rows padded to the longest, stored column by column
    sell,       ///< SELL-32-1024: ell by slices of 32 rows, sorted by length within 1024 rows
    dia,        ///< by diagonals, without indices
    packeted,   ///< packets of 256 rows with 16-bit column offsets within a window; entries outside are kept as csr
    binned,     ///< by windows of columns that fit into shared memory, for columns all over a long vector
};
GEMEL_API std::string to_string(Format format);

/// How a csr matrix multiplies a vector: automatic, rows, stream or merge.
using ProductStrategy = codegen::SparseStrategy;
/// Members given here override the library's choice.
struct ProductTuning {
    ProductStrategy strategy = ProductStrategy::automatic;
    int serial = -1;          ///< 1: each thread computes many rows, as on CPU devices; 0: as on GPUs; -1: not given
    std::uint32_t width = 0;  ///< threads per row: 1, 2, 4, 8, 16 or 32
    std::uint32_t block = 0;  ///< threads of a block: a power of 2, at most 256
    friend bool operator==(const ProductTuning&, const ProductTuning&) = default;
};

struct MatrixOptions {
    bool wide_indices = false;  ///< always 64-bit indices; otherwise 32-bit ones where rows, columns and entries fit
};

/// Element types of matrices.
template <class T>
concept MatrixElement =
    std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, cfloat> || std::same_as<T, cdouble>;

/// MultiplyOptions for an AnyMatrix.
struct AnyMultiply {
    AnyNumber alpha = std::int64_t{1}, beta = std::int64_t{0};
    AnyArray dot_with = {}, dot = {};
    Stream stream = {};
    ProductTuning tuning = {};
};

struct MatrixState;

/// A matrix whose element type is known at run time only. Its members are documented at Matrix<T>.
class GEMEL_API AnyMatrix {
   public:
    AnyMatrix() = default;
    explicit AnyMatrix(std::shared_ptr<const MatrixState> state) : state_(std::move(state)) {}

    bool empty() const { return state_ == nullptr; }
    Shape shape() const;
    std::int64_t nonzeros() const;
    Format format() const;
    DType dtype() const;
    Context context() const;
    AnyArray row_starts() const;
    AnyArray column_indices() const;
    AnyArray row_indices() const;
    AnyArray values() const;
    std::string explain() const;

    AnyMatrix to(Format format) const;
    AnyArray to_dense() const;
    AnyMatrix transpose() const;
    AnyArray diagonal(Integer offset = 0) const;
    AnyMatrix rows(const Slice& slice) const;
    AnyMatrix rows(const AnyArray& numbers) const;
    AnyMatrix permute(const AnyArray& rows, const AnyArray& columns) const;
    AnyMatrix scaled(const AnyNumber& factor) const;
    AnyMatrix scale_rows(const AnyArray& factors) const;
    AnyMatrix scale_columns(const AnyArray& factors) const;
    AnyMatrix plus(const AnyMatrix& other, const AnyNumber& factor) const;
    AnyMatrix times(const AnyMatrix& other) const;
    AnyArray times(const AnyArray& x) const;
    void multiply_into(const AnyArray& y, const AnyArray& x, const AnyMultiply& options = {}) const;

    /// @throws ArgumentError in the name of `who` if the handle is empty
    const MatrixState& state(const char* who) const;
    /// What handles share.
    const std::shared_ptr<const MatrixState>& shared_state() const { return state_; }

   private:
    std::shared_ptr<const MatrixState> state_;
};

/// @throws ArgumentError if the elements are of another type
GEMEL_API void require_matrix_type(const AnyMatrix& matrix, DType dtype);

/// Options of one product y = alpha A x + beta y.
template <MatrixElement T>
struct MultiplyOptions {
    T alpha = T(1);
    T beta = T(0);  ///< if zero, y is not read and may be uninitialised
    /// For solvers: `dot`, of rank 0, receives vdot(dot_with, y) for the new y. Kernels that store each row of y once
    /// compute it in the same pass. For one vector x only.
    GPUArray<T> dot_with = {};
    GPUArray<T> dot = {};
    Stream stream = {};
    ProductTuning tuning = {};
};

/// A sparse matrix on a device. A cheap handle: copies share the memory. A matrix is immutable.
///
/// Every matrix stores its entries as csr, with ascending columns in each row and no duplicates. If format() is another
/// format, the matrix stores that form too and uses it for products; to(Format::csr) drops it. Stored zeros count as
/// entries, as in SciPy. Indices have 32 bits if rows, columns and entries fit, else 64.
template <MatrixElement T>
class Matrix {
   public:
    using value_type = T;

    Matrix() = default;
    /// The same matrix as a typed handle. @throws ArgumentError if the elements are of another type
    explicit Matrix(AnyMatrix matrix) : matrix_(std::move(matrix)) { require_type(); }

    bool empty() const { return matrix_.empty(); }
    /// (rows, columns)
    Shape shape() const { return matrix_.shape(); }
    /// The number of stored entries.
    std::int64_t nonzeros() const { return matrix_.nonzeros(); }
    Format format() const { return matrix_.format(); }
    Context context() const { return matrix_.context(); }
    /// The start of each row, shape (rows + 1,), int32 or int64. This array and the two below are the matrix's own
    /// memory: do not write to them.
    AnyArray row_starts() const { return matrix_.row_starts(); }
    AnyArray column_indices() const { return matrix_.column_indices(); }  ///< shape (nonzeros,)
    GPUArray<T> values() const { return GPUArray<T>(matrix_.values()); }  ///< shape (nonzeros,)
    /// The row of each entry, a new array of shape (nonzeros,). @time one launch, two on GPUs
    AnyArray row_indices() const { return matrix_.row_indices(); }
    /// A text for humans: the format, why it was chosen, and the size of the matrix in the other formats.
    std::string explain() const { return matrix_.explain(); }

    /// The same matrix in another format. `automatic` decides by the lengths of the rows and the occupied diagonals,
    /// which it finds on the device.
    /// @throws ArgumentError if ell or dia would store more than 2^31 elements and more than 64 per entry
    /// @time waits for the size of the new format; a few passes over the matrix
    Matrix to(Format format) const { return Matrix(matrix_.to(format)); }
    /// A dense array of shape (rows, columns). @time enqueued
    GPUArray<T> to_dense() const { return GPUArray<T>(matrix_.to_dense()); }
    /// The transpose, as csr; complex values are not conjugated. @time waits once; one stable sort by column; on CPU
    /// devices two passes over the entries
    Matrix transpose() const { return Matrix(matrix_.transpose()); }
    /// The elements (i, i + offset), with zeros for absent entries: a new array of the length of that diagonal.
    /// @time one launch, enqueued
    GPUArray<T> diagonal(Integer offset = 0) const { return GPUArray<T>(matrix_.diagonal(offset)); }
    /// A matrix of selected rows, as csr: by a slice, or by an array of row indices, in any order and with repetitions.
    /// @throws ArgumentError if a row does not exist @time waits for the number of entries
    Matrix rows(const Slice& slice) const { return Matrix(matrix_.rows(slice)); }
    template <IndexOperand I>
    Matrix rows(const I& numbers) const {
        return Matrix(matrix_.rows(gemel::detail::evaluated(numbers)));
    }
    /// Permutes rows and columns: element (i, j) of the result is element (rows[i], columns[j]), as SciPy's
    /// a[rows][:, columns]. @throws ArgumentError unless both are permutations @time waits for that check, then a sort
    template <IndexOperand R, IndexOperand C>
    Matrix permute(const R& rows, const C& columns) const {
        return Matrix(matrix_.permute(gemel::detail::evaluated(rows), gemel::detail::evaluated(columns)));
    }
    /// Multiplies row i, or column i, by factors[i]. @param factors  shape (rows,), or (columns,)
    /// @throws ArgumentError if the shape differs @time one launch, and the conversion to format()
    Matrix scale_rows(const GPUArray<T>& factors) const { return Matrix(matrix_.scale_rows(factors)); }
    Matrix scale_columns(const GPUArray<T>& factors) const { return Matrix(matrix_.scale_columns(factors)); }

    /// y = alpha A x + beta y, for one vector or for the columns of a dense matrix.
    ///
    ///     a.multiply_into(y, x, {.alpha = 2, .beta = 1});
    ///
    /// The result has the same bits in every run on one device.
    /// @param x,y  shapes (columns,) and (rows,), or (columns, k) and (rows, k); any strides; y may be x
    /// @throws ArgumentError if shapes or contexts differ, or y has several indices for one element (a broadcast array)
    /// @time enqueued, one launch; two for csr with rows of very different lengths, for coo, and for packeted with
    ///       entries outside the windows. A copy more per array that is not in C order. With several vectors every
    ///       format multiplies by its csr rows. `dot` adds a launch, two on CPU devices
    void multiply_into(const GPUArray<T>& y, const GPUArray<T>& x, const MultiplyOptions<T>& options = {}) const {
        AnyMultiply any{.alpha = gemel::detail::widest(options.alpha), .beta = gemel::detail::widest(options.beta)};
        if (!options.dot.empty() || !options.dot_with.empty()) any.dot_with = options.dot_with, any.dot = options.dot;
        any.stream = options.stream;
        any.tuning = options.tuning;
        matrix_.multiply_into(y, x, any);
    }
    /// A x as a new array. @param x  an array, or an expression of T, which is evaluated first
    template <ArrayOrExpression X>
        requires std::same_as<typename OperandElement<std::remove_cvref_t<X>>::type, T>
    friend GPUArray<T> operator*(const Matrix& a, const X& x) {
        return GPUArray<T>(a.matrix_.times(gemel::detail::evaluated(x)));
    }
    /// The product of two sparse matrices, as csr. Sums that are zero stay as entries.
    /// @throws ArgumentError if the inner extents differ
    /// @time waits twice. GPUs: memory for all products of two entries, and a sort of them. CPU devices: memory for the
    ///       result, and two passes over the products
    /// @source GPUs: Bell, Dalton and Olson, "Exposing Fine-Grained Parallelism in Algebraic Multigrid Methods". CPU
    ///         devices: Gustavson, "Two Fast Algorithms for Sparse Matrices: Multiplication and Permuted Transposition"
    friend Matrix operator*(const Matrix& a, const Matrix& b) { return Matrix(a.matrix_.times(b.matrix_)); }
    /// Sum and difference, as csr; sums that are zero stay as entries. @throws ArgumentError if the shapes differ
    /// @time waits for the number of entries; a sort
    friend Matrix operator+(const Matrix& a, const Matrix& b) {
        return Matrix(a.matrix_.plus(b.matrix_, std::int64_t{1}));
    }
    friend Matrix operator-(const Matrix& a, const Matrix& b) {
        return Matrix(a.matrix_.plus(b.matrix_, std::int64_t{-1}));
    }
    /// All values times a number, in the same format. @time one launch, and the conversion to the format
    friend Matrix operator*(const std::type_identity_t<T>& factor, const Matrix& a) {
        return Matrix(a.matrix_.scaled(gemel::detail::widest(factor)));
    }
    friend Matrix operator*(const Matrix& a, const std::type_identity_t<T>& factor) { return factor * a; }
    Matrix operator-() const { return Matrix(matrix_.scaled(std::int64_t{-1})); }

    const AnyMatrix& untyped() const { return matrix_; }

   private:
    void require_type() const {
        if (!matrix_.empty()) require_matrix_type(matrix_, dtype_of<T>());
    }
    AnyMatrix matrix_;
};

/// Integers of any width: a contiguous host range, an array, or an expression.
template <class R>
concept IndexSource = IndexOperand<R> || (HostRange<R> && IntegerType<std::remove_cv_t<std::ranges::range_value_t<R>>>);
/// Values of type T: a contiguous host range, an array, or an expression.
template <class R, class T>
concept ValueSource =
    (ArrayOrExpression<R> && std::same_as<typename OperandElement<std::remove_cvref_t<R>>::type, T>) ||
    (HostRange<R> && std::same_as<std::remove_cv_t<std::ranges::range_value_t<R>>, T>);

namespace detail {

GEMEL_API AnyMatrix coo(const Shape& shape, const AnyArray& rows, const AnyArray& columns, const AnyArray& values,
                        const MatrixOptions& options);
/// @param by_columns  compressed columns, and row numbers
GEMEL_API AnyMatrix compressed(bool by_columns, const Shape& shape, const AnyArray& starts, const AnyArray& numbers,
                               const AnyArray& values, const MatrixOptions& options);
GEMEL_API AnyMatrix dense(const AnyArray& array, const MatrixOptions& options);

/// An array on the device, from a host range, an array or an expression.
template <class R>
AnyArray uploaded(const Context& context, const R& given) {
    if constexpr (ArrayOrExpression<R>) {
        return gemel::detail::evaluated(given);
    } else {
        return to_gpu(context, given);
    }
}
/// The context of the first array among them, else the thread's current one.
template <class R, class... More>
Context context_of(const R& first, const More&... more) {
    if constexpr (std::derived_from<R, AnyArray>) {
        if (!first.empty()) return first.context();
    }
    if constexpr (sizeof...(More) > 0) {
        return context_of(more...);
    } else {
        return current_context();
    }
}

}  // namespace detail

/// A matrix from COO triples: values[k] is the entry at (rows[k], columns[k]). Triples may be in any order; those of
/// equal indices are summed, in the order given.
///
///     sparse::Matrix<float> a = sparse::coo<float>({n, n}, rows, columns, values);
///
/// @throws ArgumentError if lengths or contexts differ, or an index is outside the shape; the message names the first
///         such entry
/// @time waits for the check and for the number of entries; a sort by row and column, unless they ascend already
template <MatrixElement T, IndexSource R, IndexSource C, ValueSource<T> V>
Matrix<T> coo(const Context& context, const Shape& shape, const R& rows, const C& columns, const V& values,
              const MatrixOptions& options = {}) {
    return Matrix<T>(detail::coo(shape, detail::uploaded(context, rows), detail::uploaded(context, columns),
                                 detail::uploaded(context, values), options));
}
template <MatrixElement T, IndexSource R, IndexSource C, ValueSource<T> V>
Matrix<T> coo(const Shape& shape, const R& rows, const C& columns, const V& values, const MatrixOptions& options = {}) {
    return coo<T>(detail::context_of(rows, columns, values), shape, rows, columns, values, options);
}

/// A matrix from CSR arrays, which are copied: row i has columns[k] and values[k] for starts[i] <= k < starts[i + 1].
/// Columns may be unsorted and repeated within a row; they are then sorted, and repeated ones summed.
/// @throws ArgumentError if the lengths do not match, if starts do not ascend from 0 to the number of entries, or if a
///         column is outside the shape; the message names the entry
/// @time waits for the check; a sort if columns do not ascend
template <MatrixElement T, IndexSource S, IndexSource C, ValueSource<T> V>
Matrix<T> csr(const Context& context, const Shape& shape, const S& starts, const C& columns, const V& values,
              const MatrixOptions& options = {}) {
    return Matrix<T>(detail::compressed(false, shape, detail::uploaded(context, starts),
                                        detail::uploaded(context, columns), detail::uploaded(context, values),
                                        options));
}
template <MatrixElement T, IndexSource S, IndexSource C, ValueSource<T> V>
Matrix<T> csr(const Shape& shape, const S& starts, const C& columns, const V& values,
              const MatrixOptions& options = {}) {
    return csr<T>(detail::context_of(starts, columns, values), shape, starts, columns, values, options);
}

/// A matrix from CSC arrays. @throws as csr() @time as csr(), and a transposition
template <MatrixElement T, IndexSource S, IndexSource R, ValueSource<T> V>
Matrix<T> csc(const Context& context, const Shape& shape, const S& starts, const R& rows, const V& values,
              const MatrixOptions& options = {}) {
    return Matrix<T>(detail::compressed(true, shape, detail::uploaded(context, starts), detail::uploaded(context, rows),
                                        detail::uploaded(context, values), options));
}
template <MatrixElement T, IndexSource S, IndexSource R, ValueSource<T> V>
Matrix<T> csc(const Shape& shape, const S& starts, const R& rows, const V& values, const MatrixOptions& options = {}) {
    return csc<T>(detail::context_of(starts, rows, values), shape, starts, rows, values, options);
}

/// A matrix of the nonzero elements of a dense array of shape (rows, columns). @throws ArgumentError for other ranks
/// @time waits for the number of nonzero elements
template <ArrayOrExpression X>
    requires MatrixElement<typename OperandElement<std::remove_cvref_t<X>>::type>
auto dense(const X& array, const MatrixOptions& options = {}) {
    return Matrix<typename OperandElement<std::remove_cvref_t<X>>::type>(
        detail::dense(gemel::detail::evaluated(array), options));
}

}  // namespace gemel::sparse
