#include <gemel/codegen/convolution.hpp>

#include "convolution_kernels.hpp"

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
/// Of the image that a tile needs for a piece of the filter.
Extent patch_of(const ConvolutionLayout& layout) {
    const ConvolutionTile tile = convolution_tile(layout);
    return {(tile.rows - 1) * layout.step_rows + layout.piece_rows,
            (tile.columns - 1) * layout.step_columns + layout.piece_columns};
}

/// Fills one kernel.
class Convolution {
   public:
    Convolution(const ConvolutionLayout& layout, const Dialect& dialect)
        : layout_(layout),
          held_(convolution_accumulator(layout.dtype)),
          storage_(storage_type(layout.dtype, dialect)),
          type_(held_.name()),
          kernel_(dialect) {}

    std::string text() {
        Values values = sizes();
        values["border_function"] = maps() ? kernel_.fill(convolution_kernels::border(), values) + "\n" : "";
        values["outside_parameter"] =
            layout_.border == ConvolutionBorder::constant ? gemel::text(",\n", type_, " outside") : "";
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
        return {{"storage", storage_},
                {"type", type_},
                {"zero", zero()},
                {"serial", l.serial},
                {"side_by_side", l.side_by_side},
                {"maps", maps()},
                {"border", border_name()},
                {"outside", l.border == ConvolutionBorder::constant ? "outside" : zero()},
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
                {"loaded", load(element)},
                {"loaded_side_by_side", load("line[c]")},
                {"weight", layout_.conjugate ? gemel::text("c_conj(", load(weight), ")") : load(weight)},
                {"add_product", l.serial ? add_product("line[k]", serial_element(patch.columns), "weight")
                                         : add_product(sum, window_element(), "weight")},
                {"stored", store(sum)}};
    }

    bool is_complex() const { return held_.kind() == DType::Kind::complex; }
    std::string zero() const { return is_complex() ? type_ + "_new(0, 0)" : "0"; }
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

    /// Sums of a serial thread that are in registers: 128 bytes.
    std::uint32_t vector() const {
        const auto wanted = static_cast<std::uint32_t>(128 / held_.size_bytes());
        return layout_.across % wanted == 0 ? wanted : layout_.across;
    }
    static std::string times(const std::string& value, std::uint32_t factor) {
        return factor == 1 ? value : gemel::text(value, " * ", factor);
    }

    std::string declare_sums() const {
        const ConvolutionTile tile = convolution_tile(layout_);
        const std::uint32_t count = layout_.filters * (layout_.serial ? tile.rows * tile.columns : layout_.own);
        const std::string places = layout_.serial ? ""
                                                  : gemel::text("const int across = thread % ", layout_.across,
                                                                ", down = thread / ", layout_.across, ";\n");
        return gemel::text(places, type_, " sums[", count, "];\n", layout_.serial ? "" : "UNROLL\n",
                           "for (int k = 0; k < ", count, "; ++k) sums[k] = ", zero(), ";");
    }

    std::string load(const std::string& element) const {
        const std::string value = load_text(layout_.dtype, element);
        return held_ == layout_.dtype || layout_.dtype.is_floating() ? value : gemel::text("(", type_, ")", value);
    }
    std::string store(const std::string& value) const {
        const DType dtype = layout_.dtype;
        if (dtype.kind() == DType::Kind::boolean) return value + " != 0";
        if (dtype.is_integer() && dtype.size_bytes() < 4) return gemel::text("(", storage_, ")", value);
        return store_text(dtype, value);
    }
    std::string add_product(const std::string& sum, const std::string& a, const std::string& b) const {
        if (is_complex()) return gemel::text(sum, " = c_add(", sum, ", c_mul(", a, ", ", b, "));");
        if (layout_.dtype.kind() == DType::Kind::boolean) return gemel::text(sum, " |= ", a, " & ", b, ";");
        const std::string wraps = wrapping_cast(held_);
        if (wraps.empty()) return gemel::text(sum, " += ", a, " * ", b, ";");
        return gemel::text(sum, " = (", type_, ")(", wraps, sum, " + ", wraps, a, " * ", wraps, b, ");");
    }

    ConvolutionLayout layout_;
    DType held_;
    std::string storage_, type_;
    KernelText kernel_;
};

}  // namespace

DType convolution_accumulator(DType dtype) {
    if (dtype.is_floating() && dtype.size_bytes() == 2) return dtype_of<float>();
    if (dtype.kind() == DType::Kind::boolean || (dtype.is_integer() && dtype.size_bytes() < 4))
        return dtype_of<std::int32_t>();
    return dtype;
}

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
