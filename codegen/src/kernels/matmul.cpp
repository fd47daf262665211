#include <gemel/codegen/matmul.hpp>

#include "kernels/matmul_slots.hpp"
#include "kernels/product_sums.hpp"
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

/// Fills one kernel.
class Matmul {
   public:
    Matmul(const MatmulRequest& request, const MatmulLayout& layout, const Dialect& dialect)
        : request_(request),
          dtype_(request.dtype),
          layout_(layout),
          dialect_(dialect),
          sums_(request.dtype, dialect),
          tile_(matmul_tile(dtype_, layout)),
          epilogue_(request.epilogue),
          preamble_(request.preamble),
          kernel_(dialect, [this](std::string_view word) { return is_taken(word); },
                  {"matmul", "matmul_add_parts", "value", "row", "column", "matrix", "before", "as_float", "as_uint"}) {
    }

    std::string text() {
        Values values{{"storage", sums_.storage},
                      {"result_storage", layout_.in_parts ? sums_.type : sums_.storage},
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

    /// The kernel that adds parts.
    std::string add_parts_text(std::uint32_t sharers, bool wide) {
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

   private:
    bool is_taken(std::string_view word) const {
        return epilogue_.mentions(word) || preamble_.mentions(word) ||
               std::ranges::any_of(request_.arguments, [&](const Parameter& p) { return p.name == word; });
    }

    Value::List parameters() {
        const std::string space = dialect_.global_space.empty() ? "" : dialect_.global_space + " ";
        Value::List all;
        for (const Parameter& p : request_.arguments) {
            const std::string type = storage_type(p.dtype, dialect_);
            all.push_back(kernel_.verbatim(p.is_pointer ? gemel::text(space, "const ", type, " *", p.name)
                                                        : gemel::text("const ", type, " ", p.name)));
        }
        return all;
    }

    /// The statement that stores the sum of element (own_row, own_column).
    std::string store(const std::string& sum) { return store(sum, "c[own_row * c_row + own_column * c_column]"); }
    /// The same, but keeps the element in a variable.
    std::string store(const std::string& sum, const std::string& variable) {
        const std::string element = "c[own_row * c_row + own_column * c_column]";
        if (layout_.in_parts) return gemel::text(variable, " = ", sum, ";");
        if (epilogue_.empty()) return gemel::text(variable, " = ", sums_.store(sum), ";");
        std::string out = gemel::text("const ", sums_.type, " value = ", sum, ";\n");
        if (epilogue_.mentions("row")) out += "const int64_t row = own_row;\n";
        if (epilogue_.mentions("column")) out += "const int64_t column = own_column;\n";
        if (epilogue_.mentions("before"))
            out += gemel::text("const ", sums_.type, " before = ", sums_.load(element), ";\n");
        return out + gemel::text(variable, " = ",
                                 sums_.store(kernel_.verbatim(gemel::text("(", epilogue_.text(), ")"))), ";");
    }
    std::string block_body(Values values) {
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

    std::string serial_body(Values values) {
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

    void describe_tile(Values& values) const {
        const MatmulTuning& t = layout_.tile;
        values["resident"] =
            pieces::ResidentBlocks{.block = static_cast<int>(matmul_block(layout_)), .count = t.resident_blocks}.text();
        values["band"] = band;
        values["depth"] = t.depth;
        values["stages"] = t.stages;
    }

    std::string tiled(Values values) {
        const MatmulTuning& t = layout_.tile;
        const std::size_t item = dtype_.size_bytes();
        const Factor a = factor(item, layout_, true), b = factor(item, layout_, false);
        const std::string word = item == 2 ? "uint16_t" : dtype_.name();
        values["word"] = word;
        values["word_bytes"] = item;
        values["unit_depth"] = matmul_unit_depth;
        values["halves"] = layout_.form == MatmulForm::halves;
        describe_tile(values);
        values["ahead"] = std::max(t.stages, 2u) - 1;
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
        return by_warps(layout_) ? by_tensor_cores(std::move(values)) : by_threads(std::move(values));
    }

    /// What slices are apart in a slot, unless swizzled groups say it.
    std::uint32_t slice_step(const Factor& f) const {
        if (!by_warps(layout_)) return 8 / slices_of(layout_) * f.pitch;
        return !f.along ? group_depth() * f.pitch : f.swizzle ? 0 : group_depth();
    }

    /// By how much an instruction of tensor cores advances along the summed axis.
    std::uint32_t group_depth() const {
        const std::size_t item = dtype_.size_bytes();
        if (item < 8) return item == 2 ? 16 : 8;
        // Of doubles, the deeper instruction reads and writes the sums half as often, but wants more registers.
        const MatmulTuning& t = layout_.tile;
        const std::uint32_t registers = t.own_rows * t.own_columns / 16 + t.own_rows + t.own_columns + 40,
                            least = 65536 / (matmul_block(layout_) * std::max(t.resident_blocks, 1u));
        return t.depth % (16 * slices_of(layout_)) == 0 && registers <= std::min(least, 255u) ? 16 : 8;
    }

    std::string by_threads(Values values) {
        const MatmulTuning& t = layout_.tile;
        values["own_rows"] = t.own_rows;
        values["own_columns"] = t.own_columns;
        values["threads_down"] = t.rows / t.own_rows;
        values["threads_across"] = t.columns / t.own_columns;
        values["row_tiles"] = t.own_rows;
        values["column_tiles"] = t.own_columns;
        values["sum_type"] = sums_.type;
        values["stored"] = store("sum");
        values["begin"] = kernel_.fill(matmul_kernels::threads_begin(), values);
        values["multiply"] = kernel_.fill(matmul_kernels::threads_multiply(), values);
        values["store"] = kernel_.fill(
            slices_of(layout_) > 1 ? matmul_kernels::slices_store() : matmul_kernels::threads_store(), values);
        return kernel_.fill(matmul_kernels::tiled(), std::move(values));
    }

    std::string by_tensor_cores(Values values) {
        const MatmulTuning& t = layout_.tile;
        const std::size_t item = dtype_.size_bytes();
        values["sum_type"] = sums_.type;
        values["splits"] = layout_.form == MatmulForm::split;
        // A lane reads four neighbours of b at once, for four tiles.
        const Factor b = factor(item, layout_, false);
        values["wide"] = item == 4 && !b.along && b.swizzle != 0 && t.own_columns % 32 == 0 && slices_of(layout_) == 1;
        values["rounds"] = item == 4;
        values["group_depth"] = group_depth();
        values["a_numbers"] = item == 8 ? group_depth() / 2 : 4;
        values["b_numbers"] = item == 8 ? group_depth() / 4 : 2;
        values["by_matrices"] = item < 8;
        values["anew"] = false;
        values["many"] = t.own_rows * t.own_columns > 2048;
        values["part"] = item == 8 ? "double" : "uint32_t";
        values["bits"] = item == 8 ? "" : "as_uint";
        values["instruction"] = item == 8 ? gemel::text("gemel_multiply_double_", group_depth())
                                          : gemel::text("gemel_multiply_", short_name());
        values["row_tiles"] = t.own_rows / 16;
        values["column_tiles"] = t.own_columns / 8;
        values["warp_rows"] = t.own_rows;
        values["warp_columns"] = t.own_columns;
        values["warps_across"] = t.columns / t.own_columns;
        values["stored"] = store("sum");
        values["kept"] = store("sum", "out[e]");
        values["begin"] = kernel_.fill(matmul_kernels::tensor_begin(), values);
        values["multiply"] = multiply_by_tensor_cores(values);
        values["store"] = kernel_.fill(
            slices_of(layout_) > 1 ? matmul_kernels::slices_store() : matmul_kernels::tensor_store(), values);
        return kernel_.fill(matmul_kernels::tiled(), std::move(values));
    }

    std::string multiply_by_tensor_cores(const Values& values) {
        if (layout_.form != MatmulForm::halves) return kernel_.fill(matmul_kernels::tensor_multiply(), values);
        Values more = values;
        more["splits"] = more["anew"] = true;
        more["multiply_floats"] = kernel_.fill(matmul_kernels::tensor_multiply(), more);
        return kernel_.fill(matmul_kernels::tensor_halves(), std::move(more));
    }

    /// In the names of functions for tensor cores.
    const char* short_name() const {
        return dtype_.size_bytes() == 4 ? "tf32" : dtype_.name() == "bfloat16_t" ? "bfloat16" : "float16";
    }

    /// Warps and warp groups that one thread provides with operands.
    std::string piped(Values values) {
        const MatmulTuning& t = layout_.tile;
        const bool maps = layout_.form == MatmulForm::mapped, a_along = !maps || layout_.a_by_columns,
                   b_along = !maps || !layout_.b_by_columns;
        const std::uint32_t line = maps ? tile_line_bytes / static_cast<std::uint32_t>(dtype_.size_bytes()) : 0;
        const std::uint32_t b_offset = t.rows * matmul_unit_depth;
        values["maps"] = maps;
        describe_tile(values);
        values["splits"] = layout_.packed_parts == 2;
        values["parts"] = maps ? 1 : layout_.packed_parts;
        values["groups"] = own_lines(layout_) / matmul_unit_lines;
        values["units_across"] = t.columns / matmul_unit_lines;
        values["moves_registers"] = moves_registers(layout_);
        values["unit_words"] = matmul_unit_words;
        const bool by_groups = !by_lone_warps(layout_);
        values["by_groups"] = by_groups;
        values["by_registers"] = maps && dtype_.size_bytes() == 4;
        values["own"] = is_turned(layout_) ? "b" : "a";
        values["own_rows"] = t.own_rows;
        values["own_columns"] = t.own_columns;
        values["consuming_threads"] = piped_consumers(layout_);
        values["consumers_of_slots"] = piped_consumers(layout_) / (by_groups ? 128 : 32);
        values["group_depth"] = maps ? 16 : 8;
        Value::List factors;
        const auto add = [&](const std::string& name, bool along, std::uint32_t lines, std::uint32_t offset) {
            values[name + "_step"] = along ? 2 : 2 * tile_bytes / 16;
            values[name + "_lead"] = along ? 0 : matmul_unit_words * 4;
            factors.push_back(Values{{"name", name},
                                     {"along", along},
                                     {"units", along ? 1 : lines / line},
                                     {"box_words", t.depth * matmul_unit_depth},
                                     {"box_elements", line},
                                     {"offset", offset},
                                     {"first", name == "a" ? "first_row" : "first_column"}});
        };
        add("a", a_along, t.rows, 0);
        add("b", b_along, t.columns, b_offset);
        values["factors"] = factors;
        values["slot_words"] = piped_slot_words(layout_);
        values["place"] = kernel_.fill(matmul_kernels::place_of_work(), values);
        values["stored"] = store("sum");
        values["consumers"] = by_groups ? consuming_groups(values, a_along, b_along) : consuming_warps(values);
        return kernel_.fill(matmul_kernels::piped(), std::move(values));
    }

    std::string consuming_groups(Values values, bool a_along, bool b_along) {
        const bool maps = layout_.form == MatmulForm::mapped, turned = is_turned(layout_),
                   by_registers = maps && dtype_.size_bytes() == 4;
        const std::uint32_t b_offset = layout_.tile.rows * matmul_unit_depth;
        values["turned"] = turned;
        values["other"] = turned ? "a" : "b";
        values["own_along"] = turned ? b_along : a_along;
        values["own_offset"] = turned ? b_offset : 0;
        values["other_offset"] = turned ? 0 : b_offset;
        const std::string orders = by_registers ? "" : gemel::text("<", a_along ? 0 : 1, ", ", b_along ? 0 : 1, ">");
        values["instruction"] =
            maps ? gemel::text("gemel_multiply_tiles_", short_name(), "_", other_lines(layout_), orders)
                 : gemel::text("gemel_multiply_two_tiles_tf32_", layout_.tile.columns);
        values["sums"] = other_lines(layout_) / 2;
        values["staged_pitch"] = turned ? turned_staged_pitch : piped_staged_pitch;
        values["result_bytes"] = layout_.in_parts ? 4 : dtype_.size_bytes();
        values["finished_alone"] = kernel_.fill(matmul_kernels::finish_element(), values);
        values["stored"] = store("sum", "out[e]");
        values["unrolls"] = epilogue_.empty() && layout_.packed_parts < 2;
        values["finished"] = kernel_.fill(matmul_kernels::finish_element(), values);
        return kernel_.fill(matmul_kernels::piped_groups(), std::move(values));
    }

    /// Warps that multiply doubles by themselves.
    std::string consuming_warps(Values values) {
        const MatmulTuning& t = layout_.tile;
        // Of the 16 lines of an instruction, two neighbours fill adjacent registers; of the 8, two places along the
        // summed axis do.
        const bool turned = layout_.a_by_columns && layout_.b_by_columns;
        const Values a{{"name", "a"},       {"along", layout_.a_by_columns},
                       {"own", t.own_rows}, {"tiles", t.own_rows / (turned ? 8 : 16)},
                       {"begin", 0},        {"warps", t.rows / t.own_rows}},
            b{{"name", "b"},
              {"along", !layout_.b_by_columns},
              {"own", t.own_columns},
              {"tiles", t.own_columns / (turned ? 16 : 8)},
              {"begin", t.rows * t.depth},
              {"warps", t.columns / t.own_columns}};
        values["turned"] = turned;
        values["m"] = turned ? b : a;
        values["n"] = turned ? a : b;
        values["kept"] = store("sum", "out[i]");
        return kernel_.fill(matmul_kernels::piped_warps(), std::move(values));
    }

    const MatmulRequest& request_;
    DType dtype_;
    MatmulLayout layout_;
    const Dialect& dialect_;
    ProductSums sums_;
    MatmulTile tile_;
    Snippet epilogue_, preamble_;
    KernelText kernel_;
};

}  // namespace

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
    if (is_piped(layout) && std::ranges::none_of(dialect.sections, [](const auto& s) { return s.name == "tiles"; }))
        throw ArgumentError(text("matmul: ", dialect.name, " has no warp groups; use the form 'tensor'"));
    return Matmul(request, layout, dialect).text();
}

}  // namespace gemel::codegen
