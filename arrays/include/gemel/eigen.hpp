/// Eigen's matrices, arrays, maps and blocks to arrays and back. Needs Eigen 3; gemel/gemel.hpp does not include this.
#pragma once

#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/arrays/host_view.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <type_traits>

namespace gemel {

/// The type that stands in Eigen's base class: a segment of a vector is a block.
template <class D>
std::type_identity<D> eigen_type(const Eigen::DenseBase<D>& m);

/// Anything of Eigen's with rows and columns: matrices, arrays, maps, blocks, and sums of such.
template <class M>
concept EigenObject = requires(const std::remove_cvref_t<M>& m) { eigen_type(m); };
/// Those whose elements lie in memory.
template <class M>
concept EigenMemory = EigenObject<M> && (std::remove_cvref_t<M>::Flags & Eigen::DirectAccessBit) != 0;

/// The memory of an Eigen object, which may be read, or be written by GPUArray::get(): vectors have one axis, all else
/// has two.
template <EigenMemory M>
auto host_view(M&& m) {
    using E = std::remove_pointer_t<decltype(m.data())>;
    if constexpr (std::remove_cvref_t<M>::IsVectorAtCompileTime) {
        return HostView<E>(m.data(), Shape{m.size()}, Strides{m.innerStride()});
    } else {
        return HostView<E>(m.data(), Shape{m.rows(), m.cols()}, Strides{m.rowStride(), m.colStride()});
    }
}

/// A new array of the same shape and elements. A column-major matrix gives F order, so that nothing is turned round;
/// vectors give one axis. Blocks.
template <EigenObject M>
    requires(!ElementRange<M>)
auto to_gpu(const Context& context, const M& m) {
    if constexpr (EigenMemory<M>) {
        return to_gpu(context, host_view(m));
    } else {
        return to_gpu(context, host_view(m.eval()));
    }
}
template <EigenObject M>
    requires(!ElementRange<M>)
auto to_gpu(const M& m) {
    return to_gpu(current_context(), m);
}

/// An array as an Eigen matrix, array or vector: `to_eigen<Eigen::MatrixXf>(x)`. One axis makes a vector, or a matrix
/// of one column. Blocks.
/// @throws ArgumentError if M cannot have the array's shape
template <EigenObject M>
M to_eigen(const GPUArray<typename M::Scalar>& x) {
    const bool is_row = M::RowsAtCompileTime == 1;
    if (x.rank() > 2 || x.rank() == 0)
        throw ArgumentError(text("to_eigen: expected one or two axes, got shape ", to_string(x.shape())));
    const std::int64_t rows = x.rank() == 2 ? x.shape()[0] : is_row ? 1 : x.shape()[0];
    const std::int64_t columns = x.rank() == 2 ? x.shape()[1] : is_row ? x.shape()[0] : 1;
    const auto fits = [](std::int64_t extent, int fixed, int most) {
        return (fixed == Eigen::Dynamic || extent == fixed) && (most == Eigen::Dynamic || extent <= most);
    };
    if (!fits(rows, M::RowsAtCompileTime, M::MaxRowsAtCompileTime) ||
        !fits(columns, M::ColsAtCompileTime, M::MaxColsAtCompileTime))
        throw ArgumentError(text("to_eigen: an array of shape ", to_string(x.shape()), " does not fit into a type for ",
                                 M::RowsAtCompileTime, " rows and ", M::ColsAtCompileTime,
                                 " columns, where -1 is any number"));
    M m;
    m.resize(rows, columns);
    // Turned round on the device, if at all.
    (M::IsRowMajor ? x : x.transpose()).get_bytes(m.data());
    return m;
}

}  // namespace gemel
