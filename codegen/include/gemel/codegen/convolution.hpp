/// The source of convolutions of images with filters.
#pragma once

#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace gemel::codegen {

using gemel::Dialect;

/// The values outside an image.
enum class ConvolutionBorder : std::uint8_t { zero, constant, edge, reflect, symmetric, wrap };

/// The variant of a convolution. Filter sizes and steps are constants in the source.
struct ConvolutionLayout {
    DType dtype = {};           ///< of images, filters and results
    bool serial = false;        ///< one thread per tile, for CPU devices; otherwise a block per tile
    bool conjugate = false;     ///< complex filters are conjugated
    bool side_by_side = false;  ///< serial: the elements of an image row are contiguous
    ConvolutionBorder border = ConvolutionBorder::zero;
    std::uint32_t filter_rows = 1, filter_columns = 1;
    std::uint32_t step_rows = 1, step_columns = 1;    ///< distance in the image between neighbouring results
    std::uint32_t piece_rows = 1, piece_columns = 1;  ///< the part of a filter that is processed at a time
    std::uint32_t filters = 1;                        ///< filters processed at a time
    /// Results per filter that a thread holds in registers; serial: the rows of the tile.
    std::uint32_t own = 4;
    bool along_rows = false;  ///< a thread's results are neighbours in a row; otherwise in a column
    /// Threads along a row; serial: the columns of the tile.
    std::uint32_t across = 32;
    std::uint32_t down = 8;  ///< threads along a column; 1 if serial
    friend bool operator==(const ConvolutionLayout&, const ConvolutionLayout&) = default;
};

/// The type of the sums: float for 16-bit floats, int32 for small integers and bools, otherwise the type itself.
GEMEL_API DType convolution_accumulator(DType dtype);
/// The rows and columns of the result that a block, or a serial thread, computes.
struct ConvolutionTile {
    std::uint32_t rows, columns;
};
GEMEL_API ConvolutionTile convolution_tile(const ConvolutionLayout& layout);
/// The shared memory of a block, or the private memory of a serial thread, in bytes.
GEMEL_API std::size_t convolution_shared_bytes(const ConvolutionLayout& layout);

/// The kernel `convolution`. It sums the products of images and filters over all channels; filters are not flipped.
/// Parameters: images, filters, results (contiguous); then, all int64_t:
///   the images' offset and their strides from image to image, channel to channel, row to row, column to column
///   the filters' offset and the same four strides
///   the results' offset
///   channels, rows, columns of an image; number of filters; rows, columns of a result
///   the row and column of the image under the filter's first element at the first result; may be outside the image
///   tiles across, tiles down, groups of filters
/// and for ConvolutionBorder::constant the value outside the image, in the accumulator's type. Launched with one block
/// for each tile, group of filters and image.
/// @source registers that slide over a column: Podlozhnyuk, "Image Convolution with CUDA"; several filters at once and
///         sizes as constants: Pinto and Cox, "GPU Metaprogramming: A Case Study in Biologically-Inspired Machine
///         Vision"
GEMEL_API std::string convolution_source(const ConvolutionLayout& layout, const Dialect& dialect);

}  // namespace gemel::codegen
