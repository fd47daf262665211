/// Tensor contractions by subscripts, as NumPy's einsum.
#pragma once

#include <gemel/algorithms/dense_operand.hpp>
#include <gemel/arrays/matmul.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace gemel {

/// In which order operands are contracted, two at a time.
enum class EinsumOrder : std::uint8_t {
    automatic,     ///< optimal for up to 6 operands, else greedy
    optimal,       ///< the order with the fewest multiplications and additions
    greedy,        ///< always the pair whose contraction reduces the amount of data most
    left_to_right  ///< as written
};

struct EinsumOptions {
    EinsumOrder order = EinsumOrder::automatic;
    Precision precision = Precision::exact;  ///< of matrix products of float
};

// What the templates below call, for types known at run time.
namespace detail {
/// @param dtype  of the result, to which operands are converted first; their common type if empty
GEMEL_API AnyArray einsum_of(std::string_view subscripts, std::span<const AnyArray> operands, DType dtype,
                             const EinsumOptions& options);
GEMEL_API std::string einsum_path_of(std::string_view subscripts, std::span<const Shape> shapes,
                                     const EinsumOptions& options);

template <class X>
Shape einsum_shape(const X& x) {
    if constexpr (std::same_as<X, Shape>) {
        return x;
    } else {
        return x.shape();
    }
}
}  // namespace detail

/// Products of elements, summed over the labels that the result does not name:
///
///     einsum("ij,jk->ik", a, b)                  matrix product
///     einsum("bij,bj->bi", matrices, vectors)    batched matrix-vector product
///     einsum("ii", a), einsum("ii->i", a)        trace, diagonal
///     einsum("i,j", x, y)                        outer product
///     einsum("...ij->...ji", a)                  transposes the last two axes
///
/// The subscripts are NumPy's: one letter per axis, "..." for unnamed axes, which are broadcast from the last; spaces
/// are ignored. Without "->" the result has the axes of "...", then the labels that occur once, in alphabetical order,
/// capitals first. A label that occurs twice in an operand takes its diagonal. An axis of extent 1 is broadcast.
///
/// Elements have the common type of the operands, or T. Operands are converted first; sums of integers wrap around,
/// sums of bools are "or", sums of 16-bit floats are accumulated in float within each contraction. Operands are
/// contracted in pairs: as a matrix product on views if the pair shares summed labels, as one reduction if the result
/// has no axis of one operand alone, otherwise as one element-wise kernel.
/// @param operands  1 to 8 arrays or expressions, which are evaluated first; any strides
/// @returns         a new array in C order; a view if there is one operand and nothing is summed
/// @throws          ArgumentError naming operand and label if subscripts and shapes do not match
/// @time            enqueued, returns at once: one or two launches per contraction
template <DenseOperand... X>
    requires(sizeof...(X) > 0)
auto einsum(std::string_view subscripts, const EinsumOptions& options, const X&... operands) {
    using Result = typename detail::DenseResult<X...>::type;
    return Result(detail::einsum_of(subscripts, std::array<AnyArray, sizeof...(X)>{detail::dense_operand(operands)...},
                                    {}, options));
}
template <DenseOperand... X>
    requires(sizeof...(X) > 0)
auto einsum(std::string_view subscripts, const X&... operands) {
    return einsum(subscripts, EinsumOptions{}, operands...);
}
/// The same in elements of type T.
template <NumberElement T, DenseOperand... X>
    requires(sizeof...(X) > 0)
GPUArray<T> einsum(std::string_view subscripts, const EinsumOptions& options, const X&... operands) {
    static_assert((detail::keeps_parts<T, X>() && ...),
                  "the conversion from complex to real would drop the imaginary parts: take real() first");
    return GPUArray<T>(detail::einsum_of(
        subscripts, std::array<AnyArray, sizeof...(X)>{detail::dense_operand(operands)...}, dtype_of<T>(), options));
}
template <NumberElement T, DenseOperand... X>
    requires(sizeof...(X) > 0)
GPUArray<T> einsum(std::string_view subscripts, const X&... operands) {
    return einsum<T>(subscripts, EinsumOptions{}, operands...);
}

/// The contraction order that einsum() would use and its cost, as the table that NumPy's einsum_path prints.
/// @param operands  arrays, expressions or shapes
template <class... X>
    requires((DenseOperand<X> || std::same_as<X, Shape>) && ...)
std::string einsum_path(std::string_view subscripts, const EinsumOptions& options, const X&... operands) {
    return detail::einsum_path_of(subscripts, std::array<Shape, sizeof...(X)>{detail::einsum_shape(operands)...},
                                  options);
}
template <class... X>
    requires((DenseOperand<X> || std::same_as<X, Shape>) && ...)
std::string einsum_path(std::string_view subscripts, const X&... operands) {
    return einsum_path(subscripts, EinsumOptions{}, operands...);
}

}  // namespace gemel
