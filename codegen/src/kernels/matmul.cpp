#include <gemel/codegen/matmul.hpp>

#include "kernels/matmul_text.hpp"
#include "matmul_kernels.hpp"

#include <gemel/codegen/block.hpp>
#include <gemel/codegen/kernel_text.hpp>
#include <gemel/codegen/snippet.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>

namespace gemel::codegen {
namespace {

constexpr std::uint32_t per_thread = matmul_per_thread;
constexpr int band = 8;  ///< rows of tiles in a band, in which concurrent blocks work

}  // namespace

std::string Matmul::text() {
    Values values{{"storage", sums_.storage},
                  {"result_storage", layout_.in_parts ? sums_.type : sums_.storage},
                  {"result_bytes", layout_.in_parts ? sums_.held.size_bytes() : dtype_.size_bytes()},
                  {"in_parts", layout_.in_parts},
                  {"type", sums_.type},
                  {"zero", sums_.zero()},
                  {"serial", layout_.form == MatmulForm::serial},
                  {"block", matmul_block(layout_)},
                  {"preamble", preamble_.empty() ? "" : kernel_.verbatim(request_.preamble)},
                  {"parameters", parameters()},
                  {"pitch", tile_.rows + 1},
                  {"depth", sums_.held.size_bytes() > 8 ? 8 : 16},
                  {"tile_rows", tile_.rows},
                  {"tile_columns", tile_.columns}};
    values["tile_of_block"] = kernel_.fill(matmul_kernels::tile_of_block(), values);
    if (is_piped(layout_)) return kernel_.finish(piped(std::move(values)));
    if (has_slots(layout_)) return kernel_.finish(tiled(std::move(values)));
    values["body"] = layout_.form == MatmulForm::serial ? serial_body(values) : block_body(values);
    return kernel_.finish(kernel_.fill(matmul_kernels::product(), values));
}

std::string Matmul::add_parts_text(std::uint32_t sharers, bool wide) {
    return kernel_.finish(kernel_.fill(matmul_kernels::add_parts(),
                                       {{"storage", sums_.storage},
                                        {"type", sums_.type},
                                        {"zero", sums_.zero()},
                                        {"block", matmul_add_parts_block},
                                        {"sharers", sharers},
                                        {"index", wide ? "uint64_t" : "uint32_t"},
                                        {"preamble", preamble_.empty() ? "" : kernel_.verbatim(request_.preamble)},
                                        {"parameters", parameters()},
                                        {"add_next", sums_.add_sum("sum", "next")},
                                        {"stored", store("sum")}}));
}

Value::List Matmul::parameters() {
    const std::string space = dialect_.global_space.empty() ? "" : dialect_.global_space + " ";
    Value::List all;
    for (const Parameter& p : request_.arguments) {
        const std::string type = storage_type(p.dtype, dialect_);
        all.push_back(kernel_.verbatim(p.is_pointer ? gemel::text(space, "const ", type, " *", p.name)
                                                    : gemel::text("const ", type, " ", p.name)));
    }
    return all;
}

std::string Matmul::store(const std::string& sum, const std::string& variable) {
    const std::string element = "c[own_row * c_row + own_column * c_column]";
    if (layout_.in_parts) return gemel::text(variable, " = ", sum, ";");
    if (epilogue_.empty()) return gemel::text(variable, " = ", sums_.store(sum), ";");
    std::string out = gemel::text("const ", sums_.type, " value = ", sum, ";\n");
    if (epilogue_.mentions("row")) out += "const int64_t row = own_row;\n";
    if (epilogue_.mentions("column")) out += "const int64_t column = own_column;\n";
    if (epilogue_.mentions("before"))
        out += gemel::text("const ", sums_.type, " before = ", sums_.load(element), ";\n");
    return out +
           gemel::text(variable, " = ", sums_.store(kernel_.verbatim(gemel::text("(", epilogue_.text(), ")"))), ";");
}

std::string Matmul::block_body(Values values) {
    values["edge"] = layout_.edge;
    values["own"] = per_thread;
    values["side"] = tile_.rows;
    const std::string sum = gemel::text("sums[r * ", per_thread, " + k]");
    const Values a{{"name", "a"},
                   {"depth_is_fast", layout_.a_by_columns},
                   {"first", "first_row"},
                   {"extent", "rows"},
                   {"loaded", sums_.load("a[(begin + d) * a_column + s * a_row]")}};
    const Values b{{"name", "b"},
                   {"depth_is_fast", !layout_.b_by_columns},
                   {"first", "first_column"},
                   {"extent", "columns"},
                   {"loaded", sums_.load("b[(begin + d) * b_row + s * b_column]")}};
    values["factors"] = Value::List{a, b};
    values["add_product"] = sums_.add(sum, "a_part[r]", "b_part[k]");
    values["stored"] = store(sum);
    return kernel_.fill(matmul_kernels::block(), std::move(values));
}

std::string Matmul::serial_body(Values values) {
    const MatmulTuning tile = merge(layout_.tile, matmul_serial_tile(dtype_));
    values["own"] = tile.own_rows;
    values["unrolls"] = sums_.held.is_floating();
    values["depth"] = tile.depth;
    values["b_next"] = sums_.load("b[(begin + d) * b_row + k]");
    values["b_loaded"] = sums_.load("b[(begin + d) * b_row + k * b_column]");
    values["a_loaded"] = sums_.load("a[row_of * a_row + (begin + d) * a_column]");
    values["add_product"] = sums_.add(gemel::text("part[r * ", tile_.columns, " + k]"), "factor",
                                      gemel::text("packed[d * ", tile_.columns, " + k]"));
    values["stored"] = store(gemel::text("sums[r * ", tile_.columns, " + k]"));
    return kernel_.fill(matmul_kernels::serial(), std::move(values));
}

void Matmul::describe_tile(Values& values) const {
    const MatmulTuning& t = layout_.tile;
    // Groups of piped products can only move registers if their number is known.
    const std::uint32_t resident = is_piped(layout_) ? std::max(t.resident_blocks, 1u) : t.resident_blocks;
    values["resident"] =
        pieces::ResidentBlocks{.block = static_cast<int>(matmul_block(layout_)), .count = resident}.text();
    values["band"] = band;
    values["depth"] = t.depth;
    values["stages"] = t.stages;
}

std::string Matmul::tiled(Values values) {
    const MatmulTuning& t = layout_.tile;
    const std::size_t item = dtype_.size_bytes();
    const Factor a = factor(item, layout_, true), b = factor(item, layout_, false);
    const std::string word = item == 2 ? "uint16_t" : dtype_.name();
    values["word"] = word;
    values["word_bytes"] = item;
    values["unit_depth"] = matmul_unit_depth;
    values["halves"] = layout_.form == MatmulForm::halves;
    values["grouped"] = is_grouped(layout_);
    const bool splits = layout_.form == MatmulForm::split || layout_.form == MatmulForm::halves;
    values["split_numbers"] = splits ? kernel_.fill(matmul_kernels::split_numbers(), {}) : "";
    describe_tile(values);
    // A slot of warp groups is filled again one step later, when products of it are complete.
    values["ahead"] = is_grouped(layout_) ? t.stages - 2 : std::max(t.stages, 2u) - 1;
    values["slot_words"] = a.words() + b.words();
    values["shared_bytes"] = matmul_shared_bytes(dtype_, layout_);
    const std::uint32_t slices = slices_of(layout_);
    values["slices"] = slices;
    values["slice_threads"] = matmul_block(layout_) / slices;
    values["slice_lines"] = 8 / slices;
    values["slices_pitch"] = slices_pitch(layout_);
    values["by_warps"] = by_warps(layout_);
    values["b_offset"] = a.words();
    const std::uint32_t block = matmul_block(layout_);
    values["factors"] = Value::List{described("a", a, 0, block, item), described("b", b, a.words(), block, item)};
    values["is_static"] = matmul_is_static(dtype_, layout_);
    for (const auto& [name, f] : {std::pair<std::string, Factor>{"a", a}, {"b", b}}) {
        values[name + "_along"] = f.along;
        values[name + "_rotation"] = f.rotation;
        values[name + "_pitch"] = f.pitch;
        values[name + "_swizzle"] = f.swizzle;
        values[name + "_lane_swizzle"] = swizzle_of(f, "lane");
        values[name + "_slice"] = slices > 1 ? slice_step(f) : 0;
    }
    values["copies"] = kernel_.fill(matmul_kernels::copies(), values);
    if (is_grouped(layout_)) return by_groups(std::move(values), a.along, b.along);
    return by_warps(layout_) ? by_tensor_cores(std::move(values)) : by_threads(std::move(values));
}

std::uint32_t Matmul::slice_step(const Factor& f) const {
    if (!by_warps(layout_)) return 8 / slices_of(layout_) * f.pitch;
    return !f.along ? group_depth() * f.pitch : f.swizzle ? 0 : group_depth();
}

std::uint32_t Matmul::group_depth() const {
    const std::size_t item = dtype_.size_bytes();
    if (item < 8) return item == 2 ? 16 : 8;
    // Of doubles, the deeper instruction reads and writes the sums half as often, but wants more registers.
    const MatmulTuning& t = layout_.tile;
    const std::uint32_t registers = t.own_rows * t.own_columns / 16 + t.own_rows + t.own_columns + 40,
                        least = 65536 / (matmul_block(layout_) * std::max(t.resident_blocks, 1u));
    return t.depth % (16 * slices_of(layout_)) == 0 && registers <= std::min(least, 255u) ? 16 : 8;
}

std::string Matmul::by_threads(Values values) {
    const MatmulTuning& t = layout_.tile;
    values["own_rows"] = t.own_rows;
    values["own_columns"] = t.own_columns;
    values["threads_down"] = t.rows / t.own_rows;
    values["threads_across"] = t.columns / t.own_columns;
    values["row_tiles"] = t.own_rows;
    values["column_tiles"] = t.own_columns;
    values["sum_type"] = sums_.type;
    values["stored"] = store("sum");
    values["kept"] = store("sum", "out[e]");
    values["begin"] = kernel_.fill(matmul_kernels::threads_begin(), values);
    values["multiply"] = kernel_.fill(matmul_kernels::threads_multiply(), values);
    values["store"] =
        kernel_.fill(slices_of(layout_) > 1 ? matmul_kernels::slices_store() : matmul_kernels::threads_store(), values);
    return kernel_.fill(matmul_kernels::tiled(), std::move(values));
}

std::string Matmul::by_tensor_cores(Values values) {
    const MatmulTuning& t = layout_.tile;
    const std::size_t item = dtype_.size_bytes();
    values["sum_type"] = sums_.type;
    values["splits"] = values["keeps_rest"] = layout_.form == MatmulForm::split;
    // A lane reads four neighbours of b at once, for four tiles.
    const Factor b = factor(item, layout_, false);
    values["wide"] = item == 4 && !b.along && b.swizzle != 0 && t.own_columns % 32 == 0 && slices_of(layout_) == 1;
    values["rounds"] = item == 4 && layout_.form == MatmulForm::tensor;
    values["group_depth"] = group_depth();
    values["a_numbers"] = item == 8 ? group_depth() / 2 : 4;
    values["b_numbers"] = item == 8 ? group_depth() / 4 : 2;
    values["by_matrices"] = item < 8;
    values["many"] = t.own_rows * t.own_columns > 2048;
    values["part"] = item == 8 ? "double" : "uint32_t";
    values["bits"] = item == 8 ? "" : "as_uint";
    values["instruction"] =
        item == 8 ? gemel::text("gemel_multiply_double_", group_depth()) : gemel::text("gemel_multiply_", short_name());
    values["row_tiles"] = t.own_rows / 16;
    values["column_tiles"] = t.own_columns / 8;
    values["warp_rows"] = t.own_rows;
    values["warp_columns"] = t.own_columns;
    values["warps_across"] = t.columns / t.own_columns;
    values["stored"] = store("sum");
    values["kept"] = store("sum", "out[e]");
    values["begin"] = kernel_.fill(matmul_kernels::tensor_begin(), values);
    values["multiply"] = multiply_by_tensor_cores(values);
    values["store"] =
        kernel_.fill(slices_of(layout_) > 1 ? matmul_kernels::slices_store() : matmul_kernels::tensor_store(), values);
    return kernel_.fill(matmul_kernels::tiled(), std::move(values));
}

std::string Matmul::multiply_by_tensor_cores(const Values& values) {
    Values more = values;
    more["load"] = kernel_.fill(matmul_kernels::tensor_load(), values);
    if (layout_.form == MatmulForm::split) return kernel_.fill(matmul_kernels::tensor_split(), std::move(more));
    if (layout_.form != MatmulForm::halves) return kernel_.fill(matmul_kernels::tensor_multiply(), std::move(more));
    more["multiply_floats"] = kernel_.fill(matmul_kernels::tensor_split(), more);
    return kernel_.fill(matmul_kernels::tensor_halves(), std::move(more));
}

const char* Matmul::short_name() const {
    return dtype_.size_bytes() == 4 ? "tf32" : dtype_.name() == "bfloat16_t" ? "bfloat16" : "float16";
}

std::string matmul_add_parts_source(const MatmulRequest& request, std::uint32_t sharers, bool wide,
                                    const Dialect& dialect) {
    if (!std::has_single_bit(sharers) || sharers > 32)
        throw ArgumentError(text("matmul_add_parts_source: expected 1, 2, 4, 8, 16 or 32 threads per element, got ",
                                 sharers, "; matmul_part_sharers() chooses"));
    return Matmul(request, {}, dialect).add_parts_text(sharers, wide);
}

std::string matmul_source(const MatmulRequest& request, const MatmulLayout& layout, const Dialect& dialect) {
    if (const std::string why = why_no_tile(request.dtype, layout); !why.empty())
        throw ArgumentError(text("matmul: a tile of ", to_string(layout.tile), ": ", why));
    const std::string_view section = is_piped(layout) ? "bulk" : "tiles";
    if ((is_piped(layout) || is_grouped(layout)) &&
        std::ranges::none_of(dialect.sections, [&](const auto& s) { return s.name == section; }))
        throw ArgumentError(text("matmul: ", dialect.name, " has no warp groups; use the form 'tensor'"));
    return Matmul(request, layout, dialect).text();
}

}  // namespace gemel::codegen
