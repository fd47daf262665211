/// Sparse matrices: made from triples, compressed rows or columns, or a dense array; multiplied in the format that
/// suits them.
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
    automatic,  ///< to(): whichever of the others suits the matrix; no matrix says it of itself
    csr,        ///< rows one after another: values and their columns, and where each row begins
    coo,        ///< a row and a column for each value, summed by a segmented scan
    ell,        ///< every row as long as the longest, entries of neighbouring rows side by side
    sell,       ///< the same for 32 rows at a time, of rows sorted by length 1024 at a time
    dia,        ///< by diagonals, without indices
    packeted,   ///< packets of 256 rows with 16-bit columns within a window; what lies outside is kept as csr
};
GEMEL_API std::string to_string(Format format);

/// How a matrix in csr multiplies a vector: automatic, rows, stream or merge.
using ProductStrategy = codegen::SparseStrategy;
/// Overrides what gemel would choose, member by member.
struct ProductTuning {
    ProductStrategy strategy = ProductStrategy::automatic;
    int serial = -1;          ///< 1: threads that take many rows each, as on CPU devices; 0: threads as on GPUs
    std::uint32_t width = 0;  ///< threads for each row: 1, 2, 4, 8, 16 or 32
    std::uint32_t block = 0;  ///< threads of a block: a power of 2, at most 256
    friend bool operator==(const ProductTuning&, const ProductTuning&) = default;
};

struct MatrixOptions {
    bool wide_indices = false;  ///< 64-bit indices also where 32 bits would do
};

/// Element types of matrices.
template <class T>
concept MatrixElement =
    std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, cfloat> || std::same_as<T, cdouble>;

/// How one product of an AnyMatrix differs from the others; see MultiplyOptions.
struct AnyMultiply {
    AnyNumber alpha = std::int64_t{1}, beta = std::int64_t{0};
    AnyArray dot_with = {}, dot = {};
    Stream stream = {};
    ProductTuning tuning = {};
};

struct MatrixState;

/// A matrix whose element type is known only at run time: what Matrix<T> is made of. The members mean what they mean
/// there.
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

/// How one product differs from the others: y = alpha A x + beta y.
template <MatrixElement T>
struct MultiplyOptions {
    T alpha = T(1);
    T beta = T(0);  ///< if zero, y is not read, and may hold anything
    /// What solvers need besides: `dot`, an array of one element, becomes vdot(dot_with, y) with the new y. Where a
    /// kernel stores each row once it is summed there, without another reading of y.
    GPUArray<T> dot_with = {};
    GPUArray<T> dot = {};
    Stream stream = {};
    ProductTuning tuning = {};
};

/// A sparse matrix on a device. A cheap handle: copies share the memory, and a matrix never changes.
///
/// Every matrix has its entries by rows, columns ascending within each, without duplicates; products use the form that
/// format() says, which is kept beside them: to(Format::csr) lets go of it. Stored zeros count as entries, as in SciPy.
/// Indices have 32 bits where rows, columns and entries allow it, else 64.
template <MatrixElement T>
class Matrix {
   public:
    using value_type = T;

    Matrix() = default;
    /// The same handle with its type known. @throws ArgumentError if the elements are of another type
    explicit Matrix(AnyMatrix matrix) : matrix_(std::move(matrix)) { require_type(); }

    bool empty() const { return matrix_.empty(); }
    /// (rows, columns)
    Shape shape() const { return matrix_.shape(); }
    /// Stored entries.
    std::int64_t nonzeros() const { return matrix_.nonzeros(); }
    Format format() const { return matrix_.format(); }
    Context context() const { return matrix_.context(); }
    /// Where each row begins, and where the last one ends; int32 or int64. Shared with the matrix: to be read only, as
    /// are the following.
    AnyArray row_starts() const { return matrix_.row_starts(); }
    AnyArray column_indices() const { return matrix_.column_indices(); }
    GPUArray<T> values() const { return GPUArray<T>(matrix_.values()); }
    /// The row of each entry: a new array. @time one launch, two on GPUs
    AnyArray row_indices() const { return matrix_.row_indices(); }
    /// Which format the matrix has, why, and what others would hold.
    std::string explain() const { return matrix_.explain(); }

    /// The same matrix in another format. `automatic` looks at the lengths of rows and at the diagonals, on the device.
    /// @throws ArgumentError if the padding of ell or the places of dia were more than 2^31 and 64 for each entry
    /// @time waits for what the new format holds; a few readings of the matrix
    Matrix to(Format format) const { return Matrix(matrix_.to(format)); }
    /// A dense array, zero where there is no entry. @time enqueued
    GPUArray<T> to_dense() const { return GPUArray<T>(matrix_.to_dense()); }
    /// The transposed matrix, as csr; complex values are not conjugated. @time enqueued but for a wait: one stable sort
    /// by column; on CPU devices two readings of the entries
    Matrix transpose() const { return Matrix(matrix_.transpose()); }
    /// The values at (i, i + offset), zero where there is no entry. @returns a new array of as many as fit @time one
    /// launch
    GPUArray<T> diagonal(Integer offset = 0) const { return GPUArray<T>(matrix_.diagonal(offset)); }
    /// Some rows, by a slice or by their numbers in any order, repeated or not; as csr. @throws ArgumentError if there
    /// is no such row @time waits for the number of entries
    Matrix rows(const Slice& slice) const { return Matrix(matrix_.rows(slice)); }
    template <IndexOperand I>
    Matrix rows(const I& numbers) const {
        return Matrix(matrix_.rows(gemel::detail::evaluated(numbers)));
    }
    /// Row k of the result is row rows[k], column k column columns[k]; SciPy's a[rows][:, columns].
    /// @throws ArgumentError unless both are permutations @time waits for that; then a sort
    template <IndexOperand R, IndexOperand C>
    Matrix permute(const R& rows, const C& columns) const {
        return Matrix(matrix_.permute(gemel::detail::evaluated(rows), gemel::detail::evaluated(columns)));
    }
    /// Each row times its factor, each column times its. @throws ArgumentError if the number of factors differs
    Matrix scale_rows(const GPUArray<T>& factors) const { return Matrix(matrix_.scale_rows(factors)); }
    Matrix scale_columns(const GPUArray<T>& factors) const { return Matrix(matrix_.scale_columns(factors)); }

    /// y = alpha A x + beta y, for a vector, or for several: the columns of a dense matrix.
    ///
    ///     a.multiply_into(y, x, {.alpha = 2, .beta = 1});
    ///
    /// @param x,y  shapes (columns,) and (rows,), or (columns, k) and (rows, k); any strides; y may be x
    /// @throws ArgumentError if shapes or contexts differ, or y repeats elements
    /// @time enqueued, one launch: two of csr with rows of very different lengths, of coo, and of packeted with entries
    ///       outside the windows. Strides other than C order's cost a copy. The bits of the result are the same every
    ///       time on one device. Of several vectors each format multiplies by its rows. `dot` adds a launch, two on CPU
    ///       devices
    void multiply_into(const GPUArray<T>& y, const GPUArray<T>& x, const MultiplyOptions<T>& options = {}) const {
        AnyMultiply any{.alpha = widest(options.alpha), .beta = widest(options.beta)};
        if (!options.dot.empty() || !options.dot_with.empty()) any.dot_with = options.dot_with, any.dot = options.dot;
        any.stream = options.stream;
        any.tuning = options.tuning;
        matrix_.multiply_into(y, x, any);
    }
    /// The same into a new array. @param x  an array or an expression of T, which is evaluated first
    template <ArrayOrExpression X>
        requires std::same_as<typename OperandElement<std::remove_cvref_t<X>>::type, T>
    friend GPUArray<T> operator*(const Matrix& a, const X& x) {
        return GPUArray<T>(a.matrix_.times(gemel::detail::evaluated(x)));
    }
    /// The product of two sparse matrices, as csr; sums that come to zero stay as entries.
    /// @throws ArgumentError if the inner extents differ @time waits twice; memory for every product of two entries,
    /// and a sort of them; on CPU devices memory for the result, and two passes over the products
    /// @source Bell, Dalton and Olson, "Exposing Fine-Grained Parallelism in Algebraic Multigrid Methods"; on CPU
    /// devices
    ///         Gustavson, "Two Fast Algorithms for Sparse Matrices: Multiplication and Permuted Transposition"
    friend Matrix operator*(const Matrix& a, const Matrix& b) { return Matrix(a.matrix_.times(b.matrix_)); }
    /// Sums, as csr; entries that cancel stay. @throws ArgumentError if the shapes differ @time waits; a sort
    friend Matrix operator+(const Matrix& a, const Matrix& b) {
        return Matrix(a.matrix_.plus(b.matrix_, std::int64_t{1}));
    }
    friend Matrix operator-(const Matrix& a, const Matrix& b) {
        return Matrix(a.matrix_.plus(b.matrix_, std::int64_t{-1}));
    }
    /// Every value times a number, in the same format. @time one launch, and what the format takes
    friend Matrix operator*(const std::type_identity_t<T>& factor, const Matrix& a) {
        return Matrix(a.matrix_.scaled(widest(factor)));
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

/// What was given, on the device.
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

/// A matrix from triples: values[k] stands at (rows[k], columns[k]). In any order; what stands at the same place is
/// added up, in the order given.
///
///     sparse::Matrix<float> a = sparse::coo<float>({n, n}, rows, columns, values);
///
/// @throws ArgumentError if the three have different lengths or contexts, and if an index lies outside the shape: the
///         message names the first such entry. Nothing is made then
/// @time waits for the check and for the number of entries; a sort by place, unless they ascend already
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

/// A matrix from compressed rows: row i has columns[k] and values[k] for k from starts[i] to starts[i + 1]. The arrays
/// are copied. Columns may be in any order within a row and repeated: they are sorted and added up then.
/// @throws ArgumentError if the lengths do not fit, if starts do not ascend from 0 to the number of entries, and for a
///         column outside the shape, with the entry's number
/// @time waits for the check; a sort where columns do not ascend
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

/// The same from compressed columns. @time as csr(), and a transposition
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

/// The elements of a dense array of two axes that are not zero. @throws ArgumentError for other ranks @time waits for
/// their number
template <ArrayOrExpression X>
    requires MatrixElement<typename OperandElement<std::remove_cvref_t<X>>::type>
auto dense(const X& array, const MatrixOptions& options = {}) {
    return Matrix<typename OperandElement<std::remove_cvref_t<X>>::type>(
        detail::dense(gemel::detail::evaluated(array), options));
}

}  // namespace gemel::sparse
