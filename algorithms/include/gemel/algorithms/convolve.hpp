/// Convolutions and correlations with filters and banks of filters, as NumPy's and SciPy's.
#pragma once

#include <gemel/algorithms/dense_operand.hpp>
#include <gemel/arrays/pad.hpp>
#include <gemel/arrays/reduce_options.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>

namespace gemel {

/// Which results there are, of n elements and a filter of k.
enum class Boundary : std::uint8_t {
    full,  ///< n + k - 1: wherever the filter meets an element
    same,  ///< n, from the middle of those
    valid  ///< n - k + 1: wherever the filter lies within
};

/// Steps from result to result: `2`, or `{2, 1}` for rows and columns.
struct ConvolveStride {
    template <IntegerType I>
    constexpr ConvolveStride(I both) : rows(Integer(both)), columns(rows) {}
    constexpr ConvolveStride(Integer down, Integer across) : rows(down), columns(across) {}
    std::int64_t rows, columns;
};

/// Overrides what gemel would choose, member by member. Zero means "not given".
struct ConvolveTuning {
    /// 1: a thread for each tile of results, as on CPU devices; 0: a block of threads, as on GPUs (not on PoCL 5.0,
    /// which computes that wrongly).
    int serial = -1;
    std::uint32_t filters = 0;                        ///< that a thread computes at a time
    std::uint32_t own = 0;                            ///< results of a thread for each filter
    std::uint32_t across = 0, down = 0;               ///< threads of a block, side by side and one below the other
    std::uint32_t piece_rows = 0, piece_columns = 0;  ///< of a filter, at a time
    friend bool operator==(const ConvolveTuning&, const ConvolveTuning&) = default;
};

struct ConvolveOptions {
    Boundary mode = Boundary::full;
    PadMode border = PadMode::constant;  ///< what lies around the image
    InitialNumber fill = {};             ///< its value for PadMode::constant; 0 if left out
    ConvolveStride stride = 1;
    int axis = -1;  ///< of convolve()
    ConvolveTuning tuning = {};
};

// What the templates below call, for types known at run time.
GEMEL_API AnyArray correlate2d_of(const AnyArray& images, const AnyArray& filters, const ConvolveOptions& options);
GEMEL_API AnyArray convolve2d_of(const AnyArray& images, const AnyArray& filters, const ConvolveOptions& options);
GEMEL_API AnyArray convolve_of(const AnyArray& x, const AnyArray& kernel, const ConvolveOptions& options);
GEMEL_API AnyArray convolve_separable_of(const AnyArray& images, const AnyArray& column, const AnyArray& row,
                                         const ConvolveOptions& options);

/// Sums of products of images with a filter at every place: out[r, c] is the sum over i and j of
/// image[r + i, c + j] * filter[i, j]. Filters of complex numbers are conjugated.
///
///     correlate2d(image, filter, {.mode = Boundary::same, .border = PadMode::symmetric})
///     correlate2d(images, filters, {.mode = Boundary::valid, .stride = 2})      a bank of filters
///
/// @param images   (..., rows, columns), or (..., channels, rows, columns) for filters with channels; any layout
/// @param filters  (rows, columns): results are (..., out rows, out columns). (n, rows, columns): n results for each
///                 image, (..., n, out rows, out columns). (n, channels, rows, columns): the same, summed over channels
/// @returns  a new array in C order, of the common type. Sums of 16-bit floats are held in float, those of integers
/// wrap
///           around, those of bools are "or". Places and values are those of scipy.signal.correlate2d
/// @throws   ArgumentError if shapes do not fit, or a filter does not fit into the image with Boundary::valid
/// @time     one launch, enqueued; one more for each operand that must be converted. A kernel is compiled for each size
///           of filters: sizes, strides and borders are constants of its text
template <DenseOperand A, DenseOperand B>
auto correlate2d(const A& images, const B& filters, const ConvolveOptions& options = {}) {
    return typename detail::DenseResult<A, B>::type(
        correlate2d_of(detail::dense_operand(images), detail::dense_operand(filters), options));
}
/// The same with filters turned round: out[r, c] is the sum of image[r - i, c - j] * filter[i, j], as
/// scipy.signal.convolve2d. Nothing is conjugated.
template <DenseOperand A, DenseOperand B>
auto convolve2d(const A& images, const B& filters, const ConvolveOptions& options = {}) {
    return typename detail::DenseResult<A, B>::type(
        convolve2d_of(detail::dense_operand(images), detail::dense_operand(filters), options));
}
/// Along one axis: out[i] is the sum of x[i - j] * kernel[j], as numpy.convolve.
/// @param x       any axes; others than options.axis are batches
/// @param kernel  one axis. If x has one axis as well, and fewer elements, the two change places
template <DenseOperand A, DenseOperand B>
auto convolve(const A& x, const B& kernel, const ConvolveOptions& options = {}) {
    return typename detail::DenseResult<A, B>::type(
        convolve_of(detail::dense_operand(x), detail::dense_operand(kernel), options));
}
/// convolve2d() with the filter column[i] * row[j]: first along the rows, then along the columns, which costs as many
/// products as the filter has rows and columns together.
/// @throws ArgumentError as convolve2d(), and for a `fill` other than 0
template <DenseOperand A, DenseOperand B, DenseOperand C>
auto convolve_separable(const A& images, const B& column, const C& row, const ConvolveOptions& options = {}) {
    return typename detail::DenseResult<A, B, C>::type(convolve_separable_of(
        detail::dense_operand(images), detail::dense_operand(column), detail::dense_operand(row), options));
}

}  // namespace gemel
