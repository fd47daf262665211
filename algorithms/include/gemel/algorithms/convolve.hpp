/// Convolutions and correlations with filters and filter banks, as NumPy's and SciPy's.
#pragma once

#include <gemel/algorithms/dense_operand.hpp>
#include <gemel/arrays/pad.hpp>
#include <gemel/arrays/reduce_options.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>

namespace gemel {

/// The extent of the output along an axis, for n elements and a filter of k.
enum class Boundary : std::uint8_t {
    full,  ///< n + k - 1: every position at which filter and image overlap
    same,  ///< n: the central part of full
    valid  ///< n - k + 1: every position at which the filter lies inside the image
};

/// The distance between positions of the filter: `2`, or `{2, 1}` for rows and columns.
struct ConvolveStride {
    template <IntegerType I>
    constexpr ConvolveStride(I both) : rows(Integer(both)), columns(rows) {}
    constexpr ConvolveStride(Integer down, Integer across) : rows(down), columns(across) {}
    std::int64_t rows, columns;
};

/// Overrides what gemel would choose, member by member. Zero means "not given".
struct ConvolveTuning {
    /// 1: one thread per tile of results, as on CPU devices; 0: one block per tile, as on GPUs (not on PoCL 5.0, which
    /// computes wrong results with it). -1: not given.
    int serial = -1;
    std::uint32_t filters = 0;                        ///< filters that a thread computes at a time
    std::uint32_t own = 0;                            ///< results that a thread computes per filter
    std::uint32_t across = 0, down = 0;               ///< threads of a block along columns and along rows
    std::uint32_t piece_rows = 0, piece_columns = 0;  ///< the part of a filter that is in shared memory at a time
    friend bool operator==(const ConvolveTuning&, const ConvolveTuning&) = default;
};

struct ConvolveOptions {
    Boundary mode = Boundary::full;
    PadMode border = PadMode::constant;  ///< how the image is extended beyond its border
    InitialNumber fill = {};             ///< the value outside the image for PadMode::constant; 0 if left out
    ConvolveStride stride = 1;
    int axis = -1;  ///< the axis of convolve()
    ConvolveTuning tuning = {};
};

// What the templates below call, for types known at run time.
namespace detail {
GEMEL_API AnyArray correlate2d_of(const AnyArray& images, const AnyArray& filters, const ConvolveOptions& options);
GEMEL_API AnyArray convolve2d_of(const AnyArray& images, const AnyArray& filters, const ConvolveOptions& options);
GEMEL_API AnyArray convolve_of(const AnyArray& x, const AnyArray& kernel, const ConvolveOptions& options);
GEMEL_API AnyArray convolve_separable_of(const AnyArray& images, const AnyArray& column, const AnyArray& row,
                                         const ConvolveOptions& options);
}  // namespace detail

/// Two-dimensional cross-correlation, as scipy.signal.correlate2d: out[r, c] is the sum over i and j of
/// image[r + i, c + j] * conj(filter[i, j]).
///
///     correlate2d(image, filter, {.mode = Boundary::same, .border = PadMode::symmetric})
///     correlate2d(images, filters, {.mode = Boundary::valid, .stride = 2})      a filter bank
///
/// @param images   (..., rows, columns), or (..., channels, rows, columns) for filters with channels; any strides
/// @param filters  (rows, columns): the result is (..., out rows, out columns). (n, rows, columns): n results per
///                 image, (..., n, out rows, out columns). (n, channels, rows, columns): the same, summed over channels
/// @returns  a new array in C order, of the common type. Sums of 16-bit floats are accumulated in float, sums of
///           integers wrap around, sums of bools are "or"
/// @throws   ArgumentError if shapes do not match, or a filter is larger than the image with Boundary::valid
/// @time     one launch, enqueued; one more per operand that must be converted. Each size of filter, stride and border
///           compiles a kernel of its own, since they are constants in it
template <DenseOperand A, DenseOperand B>
auto correlate2d(const A& images, const B& filters, const ConvolveOptions& options = {}) {
    return typename detail::DenseResult<A, B>::type(
        detail::correlate2d_of(detail::dense_operand(images), detail::dense_operand(filters), options));
}
/// Two-dimensional convolution, as scipy.signal.convolve2d: out[r, c] is the sum of image[r - i, c - j] * filter[i, j],
/// without conjugation. Otherwise as correlate2d().
template <DenseOperand A, DenseOperand B>
auto convolve2d(const A& images, const B& filters, const ConvolveOptions& options = {}) {
    return typename detail::DenseResult<A, B>::type(
        detail::convolve2d_of(detail::dense_operand(images), detail::dense_operand(filters), options));
}
/// One-dimensional convolution along options.axis, as numpy.convolve: out[i] is the sum of x[i - j] * kernel[j].
/// @param x       any shape; the other axes are batches
/// @param kernel  one axis. If x has one axis and fewer elements, the two are swapped, as NumPy does
/// @throws, @time as correlate2d()
template <DenseOperand A, DenseOperand B>
auto convolve(const A& x, const B& kernel, const ConvolveOptions& options = {}) {
    return typename detail::DenseResult<A, B>::type(
        detail::convolve_of(detail::dense_operand(x), detail::dense_operand(kernel), options));
}
/// convolve2d() with the separable filter column[i] * row[j], in two passes: rows + columns multiplications per result
/// instead of rows * columns.
/// @param column,row  one axis each @throws ArgumentError as convolve2d(), and for a `fill` other than 0
/// @time two launches, enqueued
template <DenseOperand A, DenseOperand B, DenseOperand C>
auto convolve_separable(const A& images, const B& column, const C& row, const ConvolveOptions& options = {}) {
    return typename detail::DenseResult<A, B, C>::type(detail::convolve_separable_of(
        detail::dense_operand(images), detail::dense_operand(column), detail::dense_operand(row), options));
}

}  // namespace gemel
