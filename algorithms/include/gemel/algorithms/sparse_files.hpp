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

/// Writes a matrix as scipy.sparse.save_npz does, uncompressed: coo and dia as what they are, all others as csr.
/// Blocks. An existing file is replaced when all is written.
/// @throws ArgumentError for an empty handle, Error if the file cannot be written
template <MatrixElement T>
void save_npz(const std::filesystem::path& path, const Matrix<T>& matrix) {
    detail::save_npz(path, matrix.untyped());
}

/// Reads what scipy.sparse.save_npz wrote: csr, csc, coo and dia of any number type that T can hold (float64 becomes
/// float; complex does not become real). The matrix has the format dia if the file has, else csr. Blocks.
/// @throws Error that names the file if it cannot be read, is no such file or is damaged; ArgumentError if the types do
///         not fit, or for an index outside the shape
template <MatrixElement T>
Matrix<T> load_npz(const Context& context, const std::filesystem::path& path) {
    return Matrix<T>(detail::load_npz(context, path, dtype_of<T>()));
}
template <MatrixElement T>
Matrix<T> load_npz(const std::filesystem::path& path) {
    return load_npz<T>(current_context(), path);
}

/// Writes a Matrix Market file: `matrix coordinate real general` (or complex), entries by rows, with as many digits as
/// the type needs to come back unchanged. Blocks. @throws as save_npz()
template <MatrixElement T>
void save_mtx(const std::filesystem::path& path, const Matrix<T>& matrix) {
    detail::save_mtx(path, matrix.untyped());
}

/// Reads a Matrix Market file of coordinates or of an array: real, integer, complex or pattern (every entry is 1);
/// general, symmetric, skew-symmetric or hermitian, of which the other half is filled in. Entries at the same place are
/// added up. Blocks.
/// @throws Error that names the file and the line if it cannot be read or is damaged; ArgumentError for complex values
///         in a matrix of real ones
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
