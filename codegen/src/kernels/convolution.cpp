#include <gemel/codegen/convolution.hpp>

#include "convolution_kernels.hpp"
#include "kernels/product_sums.hpp"

#include <gemel/codegen/kernel_text.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/text.hpp>

#include <array>
#include <utility>

namespace gemel::codegen {
namespace {

struct Extent {
    std::uint32_t rows, columns;
};
/// The part of the image that a tile needs for a piece of the filter.
Extent patch_of(const ConvolutionLayout& layout) {
    const ConvolutionTile tile = convolution_tile(layout);
    return {(tile.rows - 1) * layout.step_rows + layout.piece_rows,
            (tile.columns - 1) * layout.step_columns + layout.piece_columns};
}

/// Fills one kernel.
class Convolution {
   public:
    Convolution(const ConvolutionLayout& layout, const Dialect& dialect)
        : layout_(layout), sums_(layout.dtype, dialect), kernel_(dialect) {}

    std::string text() {
        Values values = sizes();
        values["border_function"] = maps() ? kernel_.fill(convolution_kernels::border(), values) + "\n" : "";
        values["outside_parameter"] =
            layout_.border == ConvolutionBorder::constant ? gemel::text(",\n", sums_.type, " outside") : "";
        values["declare_sums"] = declare_sums();
        values["load_patch"] = kernel_.fill(convolution_kernels::load_element(), values);
        values["load"] =
            kernel_.fill(layout_.serial ? convolution_kernels::load_serial() : convolution_kernels::load(), values);
        values["add"] =
            kernel_.fill(layout_.serial ? convolution_kernels::add_serial() : convolution_kernels::add(), values);
        values["store"] =
            kernel_.fill(layout_.serial ? convolution_kernels::store_serial() : convolution_kernels::store(), values);
        values["piece"] = kernel_.fill(convolution_kernels::piece(), values);
        return kernel_.finish(kernel_.fill(convolution_kernels::convolution(), values));
    }

   private:
    Values sizes() const {
        const ConvolutionLayout& l = layout_;
        const ConvolutionTile tile = convolution_tile(l);
        const Extent patch = patch_of(l);
        const std::uint32_t sliding = l.along_rows ? l.piece_columns : l.piece_rows,
                            others = l.along_rows ? l.piece_rows : l.piece_columns;
        const bool row_partial = l.filter_rows % l.piece_rows != 0, column_partial = l.filter_columns % l.piece_columns;
        const std::string sum = l.serial ? gemel::text("sums[(f * ", tile.rows, " + r) * ", tile.columns, " + k]")
                                         : gemel::text("sums[f * ", l.own, " + p]");
        const char* const element = "images[channel * image_channel + row * image_row + column * image_column]";
        const char* const weight =
            "filters[f * filter_next + channel * filter_channel + (piece_row + i) * filter_row + "
            "(piece_column + j) * filter_column]";
        return {{"storage", sums_.storage},
                {"type", sums_.type},
                {"zero", sums_.zero()},
                {"serial", l.serial},
                {"side_by_side", l.side_by_side},
                {"maps", maps()},
                {"border", border_name()},
                {"outside", l.border == ConvolutionBorder::constant ? "outside" : sums_.zero()},
                {"block", l.serial ? 1 : l.across * l.down},
                {"threads_across", l.across},
                {"own", l.own},
                {"along_rows", l.along_rows},
                {"filters", l.filters},
                {"filter_rows", l.filter_rows},
                {"filter_columns", l.filter_columns},
                {"piece_rows", l.piece_rows},
                {"piece_columns", l.piece_columns},
                {"whole_rows", l.piece_rows >= l.filter_rows},
                {"whole_columns", l.piece_columns >= l.filter_columns},
                {"row_partial", row_partial},
                {"column_partial", column_partial},
                {"sliding_partial", l.along_rows ? column_partial : row_partial},
                {"across_partial", l.along_rows ? row_partial : column_partial},
                {"sliding_taps", sliding},
                {"across_taps", others},
                {"unroll_across", sliding * others * l.own * l.filters <= 1024},
                {"window", (l.own - 1) * (l.along_rows ? l.step_columns : l.step_rows) + sliding},
                {"top", gemel::text(times("tile_row", l.step_rows), " + first_row")},
                {"left", gemel::text(times("tile_column", l.step_columns), " + first_column")},
                {"own_row", times("down", l.along_rows ? l.step_rows : l.own * l.step_rows)},
                {"own_column", times("across", l.along_rows ? l.own * l.step_columns : l.step_columns)},
                {"tile_rows", tile.rows},
                {"tile_columns", tile.columns},
                {"vector", vector()},
                {"patch_rows", patch.rows},
                {"patch_columns", patch.columns},
                {"pitch", patch.columns},
                {"loaded", sums_.load(element)},
                {"loaded_side_by_side", sums_.load("line[c]")},
                {"weight", layout_.conjugate ? gemel::text("c_conj(", sums_.load(weight), ")") : sums_.load(weight)},
                {"add_product", l.serial ? sums_.add("line[k]", serial_element(patch.columns), "weight")
                                         : sums_.add(sum, window_element(), "weight")},
                {"stored", sums_.store(sum)}};
    }

    bool maps() const {
        return layout_.border != ConvolutionBorder::zero && layout_.border != ConvolutionBorder::constant;
    }
    const char* border_name() const {
        constexpr std::array names{"zero", "constant", "edge", "reflect", "symmetric", "wrap"};
        return names[static_cast<std::size_t>(layout_.border)];
    }

    std::string window_element() const {
        return gemel::text("window[", times("p", layout_.along_rows ? layout_.step_columns : layout_.step_rows),
                           " + s]");
    }
    std::string serial_element(std::uint32_t pitch) const {
        const std::string first =
            layout_.step_columns == 1 ? "first + k" : gemel::text("(first + k) * ", layout_.step_columns);
        return gemel::text("patch[(", times("r", layout_.step_rows), " + i) * ", pitch, " + ", first, " + j]");
    }

    /// The sums that a serial thread holds in registers: 128 bytes.
    std::uint32_t vector() const {
        const auto wanted = static_cast<std::uint32_t>(128 / sums_.held.size_bytes());
        return layout_.across % wanted == 0 ? wanted : layout_.across;
    }
    static std::string times(const std::string& value, std::uint32_t factor) {
        return factor == 1 ? value : gemel::text(value, " * ", factor);
    }

    std::string declare_sums() {
        const ConvolutionTile tile = convolution_tile(layout_);
        return kernel_.fill(convolution_kernels::declare_sums(),
                            {{"serial", layout_.serial},
                             {"across", layout_.across},
                             {"type", sums_.type},
                             {"count", layout_.filters * (layout_.serial ? tile.rows * tile.columns : layout_.own)},
                             {"zero", sums_.zero()}});
    }

    ConvolutionLayout layout_;
    ProductSums sums_;
    KernelText kernel_;
};

}  // namespace

DType convolution_accumulator(DType dtype) { return product_accumulator(dtype); }

ConvolutionTile convolution_tile(const ConvolutionLayout& layout) {
    if (layout.serial) return {layout.own, layout.across};
    if (layout.along_rows) return {layout.down, layout.across * layout.own};
    return {layout.down * layout.own, layout.across};
}

std::size_t convolution_shared_bytes(const ConvolutionLayout& layout) {
    const Extent patch = patch_of(layout);
    const std::size_t weights = std::size_t{layout.piece_rows} * layout.piece_columns * layout.filters;
    return (std::size_t{patch.rows} * patch.columns + weights) * convolution_accumulator(layout.dtype).size_bytes();
}

std::string convolution_source(const ConvolutionLayout& layout, const Dialect& dialect) {
    return Convolution(layout, dialect).text();
}

}  // namespace gemel::codegen
