#include <gemel/algorithms/sparse_matrix.hpp>

#include "select/selecting.hpp"
#include "sparse/choose.hpp"
#include "sparse/state.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

namespace gemel::sparse {

const MatrixState& AnyMatrix::state(const char* who) const {
    if (!state_)
        throw ArgumentError(text(who, ": the handle is empty; make a matrix with coo(), csr(), csc() or dense()"));
    return *state_;
}

void require_matrix_type(const AnyMatrix& matrix, DType dtype) {
    if (!(matrix.dtype() == dtype))
        throw ArgumentError(
            text("sparse::Matrix: the matrix has elements of ", matrix.dtype().name(), ", expected ", dtype.name()));
}

Shape AnyMatrix::shape() const { return state("Matrix::shape").entries.shape(); }
std::int64_t AnyMatrix::nonzeros() const { return state("Matrix::nonzeros").entries.count; }
Format AnyMatrix::format() const { return state("Matrix::format").format; }
DType AnyMatrix::dtype() const { return state("Matrix::dtype").entries.value(); }
Context AnyMatrix::context() const { return state("Matrix::context").entries.context; }
AnyArray AnyMatrix::row_starts() const { return state("Matrix::row_starts").entries.starts; }
AnyArray AnyMatrix::column_indices() const { return state("Matrix::column_indices").entries.numbers; }
AnyArray AnyMatrix::row_indices() const { return row_numbers_of(state("Matrix::row_indices").entries); }
AnyArray AnyMatrix::values() const { return state("Matrix::values").entries.values; }
std::string AnyMatrix::explain() const { return sparse::explain(state("Matrix::explain")); }

AnyMatrix AnyMatrix::to(Format format) const {
    const MatrixState& own = state("Matrix::to");
    return format == own.format ? *this : in_format(own.entries, format);
}

AnyArray AnyMatrix::times(const AnyArray& x) const {
    const Entries& own = state("Matrix: matrix * array").entries;
    Shape shape{own.rows};
    if (!x.empty() && x.rank() == 2) shape.push_back(x.shape()[1]);
    const AnyArray y(own.context, own.value(), shape);
    multiply_into(y, x);
    return y;
}

void AnyMatrix::multiply_into(const AnyArray& y, const AnyArray& x, const AnyMultiply& options) const {
    const MatrixState& own = state("Matrix::multiply_into");
    const selecting::OnStream scope(options.stream);
    multiply(own, y, x, options);
}

}  // namespace gemel::sparse
