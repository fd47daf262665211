/// The text of convolutions of images with filters.
#pragma once

#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace gemel::codegen {

using gemel::Dialect;

/// What lies around an image.
enum class ConvolutionBorder : std::uint8_t { zero, constant, edge, reflect, symmetric, wrap };

/// What tells the variants of a convolution apart. Sizes of filters and steps are constants of the text.
struct ConvolutionLayout {
    DType dtype = {};           ///< of images, filters and results
    bool serial = false;        ///< one thread for each tile, for CPU devices; else a block
    bool conjugate = false;     ///< complex filters are conjugated
    bool side_by_side = false;  ///< serial: the elements of a row lie side by side
    ConvolutionBorder border = ConvolutionBorder::zero;
    std::uint32_t filter_rows = 1, filter_columns = 1;
    std::uint32_t step_rows = 1, step_columns = 1;    ///< from result to result, in the image
    std::uint32_t piece_rows = 1, piece_columns = 1;  ///< of a filter, at a time
    std::uint32_t filters = 1;                        ///< at a time
    /// Results that a thread has in registers for each filter; of a serial one rows of the tile.
    std::uint32_t own = 4;
    bool along_rows = false;  ///< they lie side by side; else one below the other
    /// Threads side by side; of a serial one the columns of the tile.
    std::uint32_t across = 32;
    std::uint32_t down = 8;  ///< threads one below the other; 1 if serial
    friend bool operator==(const ConvolutionLayout&, const ConvolutionLayout&) = default;
};

/// What sums are held in: 16-bit floats in float, small integers and bools in int32, everything else in its own type.
GEMEL_API DType convolution_accumulator(DType dtype);
/// Rows and columns of the result that a block, or a serial thread, computes.
struct ConvolutionTile {
    std::uint32_t rows, columns;
};
GEMEL_API ConvolutionTile convolution_tile(const ConvolutionLayout& layout);
/// Bytes that a block has in shared memory, or a serial thread for itself.
GEMEL_API std::size_t convolution_shared_bytes(const ConvolutionLayout& layout);

/// The kernel `convolution`: sums of products of images with filters, which are not turned round, over all channels.
/// Parameters: images, filters, results (without gaps); then, all int64_t: where the images begin, their steps from
/// image to image, from channel to channel, row to row, column to column; where the filters begin and the same four
/// steps of them; where the results begin; channels, rows and columns of an image, the number of filters, rows and
/// columns of a result; the image's row and column that the first element of the filter meets for the first result,
/// which may lie outside; tiles across, tiles down, groups of filters; and for ConvolutionBorder::constant the value
/// around the image, of the accumulator's type. Launched with a block for each tile, group of filters and image.
/// @source registers that slide over a column: Podlozhnyuk, "Image Convolution with CUDA"; several filters at once and
///         sizes as constants: Pinto and Cox, "GPU Metaprogramming: A Case Study in Biologically-Inspired Machine
///         Vision"
GEMEL_API std::string convolution_source(const ConvolutionLayout& layout, const Dialect& dialect);

}  // namespace gemel::codegen
