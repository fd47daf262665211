#include <gemel/algorithms/convolve.hpp>

#include "dense/convolution.hpp"

#include <gemel/arrays/rearrange.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <climits>
#include <string>
#include <tuple>
#include <utility>

namespace gemel {
namespace {

using codegen::ConvolutionBorder;
using dense::Convolution;

/// Checks one call and prepares its operands for the kernel.
class Call {
   public:
    /// @param image, filter  the user's operands
    Call(const char* who, const ConvolveOptions& options, const AnyArray& image, const AnyArray& filter)
        : who_(who), options_(options), image_(image), filter_(filter) {
        if (options.stride.rows < 1 || options.stride.columns < 1)
            refuse(
                text("expected strides of at least 1, got {", options.stride.rows, ", ", options.stride.columns, "}"));
    }

    [[noreturn]] void refuse(const std::string& why) const { throw ArgumentError(text(who_, ": ", why)); }
    [[noreturn]] void refuse_shapes(const std::string& why) const {
        refuse(text("an image of shape ", to_string(image_.shape()), " and a filter of shape ",
                    to_string(filter_.shape()), ": ", why));
    }

    void check(const char* name, const AnyArray& array, const AnyArray& first) const {
        if (array.empty()) refuse(text(name, " is an empty handle; assign an array to it first"));
        if (!codegen::is_number(array.dtype()))
            refuse(text(name, " has elements of ", array.dtype().name(), ", expected numbers"));
        if (!(array.context() == first.context()))
            refuse(text(name, " is in another context than the image; copy_to(context) copies it there"));
    }

    /// @param images   (count, channels, rows, columns)
    /// @param filters  (count, channels, rows, columns)
    /// @param flipped  reverse the filters' rows and columns: a convolution
    AnyArray run(const AnyArray& images, const AnyArray& filters, bool flipped, const ConvolveOptions& options) const {
        Convolution work;
        const DType dtype = codegen::promote(images.dtype(), filters.dtype());
        work.images = images.dtype() == dtype ? images : images.astype(dtype);
        work.filters = filters.dtype() == dtype ? filters : filters.astype(dtype);
        work.conjugate = !flipped && dtype.kind() == DType::Kind::complex;
        if (flipped) work.filters = flip(work.filters, {2, 3});
        work.step_rows = options.stride.rows;
        work.step_columns = options.stride.columns;
        set_border(work, options);
        std::tie(work.result_rows, work.first_row) = extent(work, 2, work.step_rows, flipped);
        std::tie(work.result_columns, work.first_column) = extent(work, 3, work.step_columns, flipped);
        return dense::run_convolution(who_, work, options.tuning);
    }

   private:
    void set_border(Convolution& work, const ConvolveOptions& options) const {
        constexpr std::array of_mode{ConvolutionBorder::constant, ConvolutionBorder::edge, ConvolutionBorder::reflect,
                                     ConvolutionBorder::symmetric, ConvolutionBorder::wrap};
        if (options.mode == Boundary::valid) return;
        work.border = of_mode[static_cast<std::size_t>(options.border)];
        const auto& fill = options.fill.number();
        if (work.border != ConvolutionBorder::constant) {
            if (fill) refuse("a fill needs the border PadMode::constant, got another border; leave .fill out");
        } else if (!fill || std::visit([](const auto& v) { return cdouble(v) == 0.0; }, *fill)) {
            work.border = ConvolutionBorder::zero;
        } else {
            work.fill = *fill;
        }
    }

    /// The number of results along an axis, and the position in the image of the first one.
    std::pair<std::int64_t, std::int64_t> extent(const Convolution& work, std::size_t axis, std::int64_t step,
                                                 bool flipped) const {
        const std::int64_t n = work.images.shape()[axis], k = work.filters.shape()[axis];
        if (n == 0 || k == 0) refuse_shapes("expected at least one element in each");
        if (k > INT_MAX / 4) refuse_shapes(text("expected at most ", INT_MAX / 4, " rows and columns in a filter"));
        std::int64_t count = n, first = 0;
        switch (options_.mode) {
            case Boundary::full:
                count = n + k - 1;
                first = 1 - k;
                break;
            case Boundary::same: first = flipped ? -(k / 2) : -((k - 1) / 2); break;
            case Boundary::valid:
                count = n - k + 1;
                if (count < 1)
                    refuse_shapes("the filter is larger than the image; use Boundary::same or Boundary::full");
        }
        return {(count - 1) / step + 1, first};
    }

    const char* who_;
    const ConvolveOptions& options_;
    const AnyArray &image_, &filter_;
};

/// Images of axes (..., [channels,] rows, columns), and filters of 2, 3 or 4 axes.
AnyArray with_filters(const char* who, const AnyArray& images, const AnyArray& filters, bool flipped,
                      const ConvolveOptions& options) {
    const Call call(who, options, images, filters);
    call.check("the image", images, images);
    call.check("the filter", filters, images);
    if (filters.rank() < 2 || filters.rank() > 4)
        call.refuse_shapes("expected filters (rows, columns), (n, rows, columns) or (n, channels, rows, columns)");
    const std::size_t own = filters.rank() == 4 ? 3 : 2;
    if (images.rank() < own)
        call.refuse_shapes(text("expected images (..., ", own == 3 ? "channels, " : "", "rows, columns)"));
    const auto& extents = images.shape();
    const std::size_t outer = images.rank() - own;
    const std::int64_t channels = own == 3 ? extents[outer] : 1, bank = filters.rank() > 2 ? filters.shape()[0] : 1;
    if (own == 3 && filters.shape()[1] != channels)
        call.refuse_shapes(text("expected equal channels, got ", channels, " and ", filters.shape()[1]));
    Shape results(extents.span().first(outer));
    const auto count = static_cast<std::int64_t>(results.count());
    const std::int64_t rows = extents[images.rank() - 2], columns = extents.back();
    const auto& sizes = filters.shape();
    const AnyArray product =
        call.run(images.reshape(Shape{count, channels, rows, columns}),
                 filters.reshape(Shape{bank, channels, sizes[filters.rank() - 2], sizes.back()}), flipped, options);
    if (filters.rank() > 2) results.push_back(bank);
    results.push_back(product.shape()[2]);
    results.push_back(product.shape()[3]);
    return product.reshape(results);
}

std::size_t axis_of(const Call& call, const AnyArray& x, int axis) {
    const auto rank = static_cast<int>(x.rank());
    if (axis < -rank || axis >= rank)
        call.refuse(text("axis ", axis, " is out of range for shape ", to_string(x.shape()), " with ", rank,
                         rank == 1 ? " axis" : " axes"));
    return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

/// Convolves along one axis of x; the axes before it become images, those after it columns.
AnyArray along_axis(const char* who, const AnyArray& x, const AnyArray& kernel, std::size_t axis,
                    const ConvolveOptions& given) {
    const Call call(who, given, x, kernel);
    ConvolveOptions options = given;
    const Shape before(x.shape().span().first(axis)), behind(x.shape().span().subspan(axis + 1));
    const auto outer = static_cast<std::int64_t>(before.count()), inner = static_cast<std::int64_t>(behind.count());
    const std::int64_t extent = x.shape()[axis], taps = kernel.shape()[0];
    const bool is_empty = outer == 0 || inner == 0, is_row = inner == 1 && !is_empty;
    Shape results = x.shape(), image{outer, std::int64_t{1}, extent, inner}, filter{1, 1, taps, std::int64_t{1}};
    if (is_row) image = Shape{1, 1, outer, extent}, filter = Shape{1, 1, 1, taps};
    if (is_empty) image = Shape{0, 1, extent, std::int64_t{1}};
    const std::int64_t step = given.stride.columns;
    options.stride = is_row ? ConvolveStride(1, step) : ConvolveStride(step, 1);
    const AnyArray product = call.run(x.reshape(image), kernel.reshape(filter), true, options);
    results[axis] = product.shape()[is_row ? 3 : 2];
    return product.reshape(results);
}

}  // namespace

AnyArray detail::correlate2d_of(const AnyArray& images, const AnyArray& filters, const ConvolveOptions& options) {
    return with_filters("correlate2d", images, filters, false, options);
}

AnyArray detail::convolve2d_of(const AnyArray& images, const AnyArray& filters, const ConvolveOptions& options) {
    return with_filters("convolve2d", images, filters, true, options);
}

AnyArray detail::convolve_of(const AnyArray& x, const AnyArray& kernel, const ConvolveOptions& options) {
    const Call call("convolve", options, x, kernel);
    call.check("the image", x, x);
    call.check("the filter", kernel, x);
    if (kernel.rank() != 1 || x.rank() == 0)
        call.refuse_shapes("expected at least one axis of the image and one axis of the filter");
    const std::size_t axis = axis_of(call, x, options.axis);
    if (x.rank() == 1 && x.size() < kernel.size()) return along_axis("convolve", kernel, x, 0, options);
    return along_axis("convolve", x, kernel, axis, options);
}

AnyArray detail::convolve_separable_of(const AnyArray& images, const AnyArray& column, const AnyArray& row,
                                       const ConvolveOptions& options) {
    constexpr const char* who = "convolve_separable";
    const Call call(who, options, images, row);
    call.check("the image", images, images);
    call.check("the column", column, images);
    call.check("the row", row, images);
    if (images.rank() < 2 || column.rank() != 1 || row.rank() != 1)
        call.refuse(text("images of shape ", to_string(images.shape()), ", a column of shape ",
                         to_string(column.shape()), " and a row of shape ", to_string(row.shape()),
                         ": expected images (..., rows, columns), and one axis of column and row"));
    const auto& fill = options.fill.number();
    if (fill && !std::visit([](const auto& v) { return cdouble(v) == 0.0; }, *fill))
        call.refuse(
            "expected a fill of 0, since the first of the two passes would change another fill; pad() the image");
    ConvolveOptions down = options;
    down.stride = ConvolveStride(1, options.stride.rows);
    const DType dtype = codegen::promote(codegen::promote(images.dtype(), column.dtype()), row.dtype());
    const AnyArray wide = images.dtype() == dtype ? images : images.astype(dtype);
    return along_axis(who, along_axis(who, wide, row, images.rank() - 1, options), column, images.rank() - 2, down);
}

}  // namespace gemel
