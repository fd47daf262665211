/// Launches the kernel of convolutions.
#pragma once

#include <gemel/algorithms/convolve.hpp>
#include <gemel/codegen/convolution.hpp>
#include <gemel/core/device.hpp>

#include <cstdint>

namespace gemel::dense {

/// Images (count, channels, rows, columns) and filters (count, channels, rows, columns), both of one type, any strides.
struct Convolution {
    AnyArray images, filters;
    std::int64_t result_rows = 0, result_columns = 0;
    std::int64_t first_row = 0, first_column = 0;  ///< of the filter's first element in the image, for the first result
    std::int64_t step_rows = 1, step_columns = 1;
    codegen::ConvolutionBorder border = codegen::ConvolutionBorder::zero;
    AnyNumber fill = 0.0;
    bool conjugate = false;
};

/// The layout for a device; a pure function.
codegen::ConvolutionLayout convolution_layout(const Convolution& work, const ConvolveTuning& tuning,
                                              const DeviceInfo& info);
/// @returns a new array of axes (images, filters, rows, columns)
AnyArray run_convolution(const char* who, const Convolution& work, const ConvolveTuning& tuning);

}  // namespace gemel::dense
