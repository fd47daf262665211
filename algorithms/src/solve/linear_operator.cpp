#include <gemel/algorithms/solve/linear_operator.hpp>

#include <gemel/arrays/expression.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <utility>

namespace gemel::solve {
namespace {

void check_vectors(const AnyOperator& op, const char* what, const AnyArray& vectors, std::int64_t extent) {
    if (vectors.empty())
        throw ArgumentError(
            text("solve::LinearOperator: ", what, " is an empty handle, expected an array; make one first"));
    if (!(vectors.dtype() == op.dtype()))
        throw ArgumentError(text("solve::LinearOperator: ", what, " has elements of ", vectors.dtype().name(),
                                 ", expected those of the operator, ", op.dtype().name(), "; convert it by astype()"));
    if (vectors.rank() < 1 || vectors.rank() > 2 || vectors.shape()[0] != extent)
        throw ArgumentError(text("solve::LinearOperator: ", what, " has the shape ", to_string(vectors.shape()),
                                 ", expected (", extent, ",) or (", extent, ", k) for an operator of shape ",
                                 to_string(op.shape())));
}

}  // namespace

AnyOperator::AnyOperator(DType dtype, Shape shape, Function function, Columns columns)
    : dtype_(dtype), shape_(std::move(shape)), function_(std::move(function)), columns_(columns) {
    if (shape_.rank() != 2 || shape_[0] < 0 || shape_[1] < 0)
        throw ArgumentError(
            text("solve::LinearOperator: the shape is ", to_string(shape_), ", expected (rows, columns)"));
    if (!function_)
        throw ArgumentError(
            "solve::LinearOperator: there is no function; give one that writes the product with u into out");
}

AnyOperator::AnyOperator(const AnyArray& diagonal) : dtype_(diagonal.dtype()), diagonal_(diagonal) {
    if (diagonal.empty() || diagonal.rank() != 1)
        throw ArgumentError(text("solve::LinearOperator: the diagonal has the shape ", to_string(diagonal.shape()),
                                 ", expected one axis"));
    shape_ = Shape{diagonal.shape()[0], diagonal.shape()[0]};
    columns_ = Columns::together;
    function_ = [diagonal, column = diagonal(slice(), newaxis)](const AnyArray& u, const AnyArray& out) {
        out.assign(AnyExpr(u.rank() == 2 ? column : diagonal) * u);
    };
}

void AnyOperator::multiply_into(const AnyArray& out, const AnyArray& u) const {
    if (empty())
        throw ArgumentError("solve::LinearOperator: the operator is empty; assign a matrix or a function to it first");
    check_vectors(*this, "u", u, shape_[1]);
    check_vectors(*this, "out", out, shape_[0]);
    const std::int64_t count = u.rank() == 2 ? u.shape()[1] : 1;
    if (out.rank() != u.rank() || (u.rank() == 2 && out.shape()[1] != count))
        throw ArgumentError(text("solve::LinearOperator: u has the shape ", to_string(u.shape()), " and out ",
                                 to_string(out.shape()), "; expected equally many vectors in both"));
    if (!(out.context() == u.context()))
        throw ArgumentError(
            "solve::LinearOperator: u and out are of different contexts; copy_to(context) brings one to the other");
    if (columns_ == Columns::together && u.rank() == 1)
        return function_(u.reshape({shape_[1], 1}), out(slice(), newaxis));
    if (u.rank() == 1 || columns_ == Columns::together) return function_(u, out);
    for (std::int64_t c = 0; c < count; ++c) {
        const AnyArray result = out(slice(), c);
        if (result.is_contiguous()) {
            function_(u(slice(), c).copy(), result);
            continue;
        }
        const AnyArray room(out.context(), out.dtype(), Shape{shape_[0]});
        function_(u(slice(), c).copy(), room);
        result.assign(room);
    }
}

}  // namespace gemel::solve
