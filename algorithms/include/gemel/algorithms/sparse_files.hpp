/// Sparse matrices in files: SciPy's .npz, and Matrix Market.
#pragma once

#include <gemel/algorithms/sparse_matrix.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>

#include <filesystem>

namespace gemel::sparse {

namespace detail {
GEMEL_API void save_npz(const std::filesystem::path& path, const AnyMatrix& matrix);
GEMEL_API AnyMatrix load_npz(const Context& context, const std::filesystem::path& path, DType dtype);
GEMEL_API void save_mtx(const std::filesystem::path& path, const AnyMatrix& matrix);
GEMEL_API AnyMatrix load_mtx(const Context& context, const std::filesystem::path& path, DType dtype);
}  // namespace detail

/// Writes a file that scipy.sparse.load_npz reads, uncompressed: coo and dia in their own format, the others as csr.
/// Blocks. An existing file is replaced after the new one is complete.
/// @throws ArgumentError for an empty handle, Error if the file cannot be written
template <MatrixElement T>
void save_npz(const std::filesystem::path& path, const Matrix<T>& matrix) {
    detail::save_npz(path, matrix.untyped());
}

/// Reads a file of scipy.sparse.save_npz: csr, csc, coo or dia, of any number type that converts to T (float64 to float
/// does, complex to real does not). The result is in format dia if the file is, else csr. Blocks.
/// @throws Error that names the file if it cannot be read, has another format or is damaged; ArgumentError if the type
///         does not convert, or for an index outside the shape
template <MatrixElement T>
Matrix<T> load_npz(const Context& context, const std::filesystem::path& path) {
    return Matrix<T>(detail::load_npz(context, path, dtype_of<T>()));
}
template <MatrixElement T>
Matrix<T> load_npz(const std::filesystem::path& path) {
    return load_npz<T>(current_context(), path);
}

/// Writes a Matrix Market file, `matrix coordinate real general` (or complex), entries by rows, with enough digits to
/// restore every value exactly. Blocks. @throws as save_npz()
template <MatrixElement T>
void save_mtx(const std::filesystem::path& path, const Matrix<T>& matrix) {
    detail::save_mtx(path, matrix.untyped());
}

/// Reads a Matrix Market file, coordinate or array; real, integer, complex or pattern (every entry is 1); general,
/// symmetric, skew-symmetric or hermitian (the other triangle is added). Entries of equal indices are summed. Blocks.
/// @throws Error that names file and line if it cannot be read or is damaged; ArgumentError for complex values if T is
///         real
/// @source Boisvert, Pozo and Remington, "The Matrix Market Exchange Formats: Initial Design"
template <MatrixElement T>
Matrix<T> load_mtx(const Context& context, const std::filesystem::path& path) {
    return Matrix<T>(detail::load_mtx(context, path, dtype_of<T>()));
}
template <MatrixElement T>
Matrix<T> load_mtx(const std::filesystem::path& path) {
    return load_mtx<T>(current_context(), path);
}

}  // namespace gemel::sparse
