/// Matrix products of warp groups, and of blocks in which one thread copies.
#include "kernels/matmul_text.hpp"
#include "matmul_kernels.hpp"

#include <gemel/codegen/writer.hpp>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace gemel::codegen {

std::string Matmul::by_groups(Values values, bool a_along, bool b_along) {
    const MatmulTuning& t = layout_.tile;
    values["group_words"] = matmul_unit_lines * t.depth;
    values["panel_bytes"] = tile_line_bytes * t.depth;
    for (const auto& [name, along] : {std::pair("a", a_along), std::pair("b", b_along)})
        values[gemel::text(name, "_step")] = descriptor_step(along);
    values["instruction"] = multiply_tiles(a_along, b_along);
    describe_stores(values);
    values["begin"] = kernel_.fill(matmul_kernels::groups_begin(), values);
    values["multiply"] = kernel_.fill(matmul_kernels::groups_multiply(), values);
    values["store_sums"] = kernel_.fill(matmul_kernels::groups_store(), values);
    values["store"] = kernel_.fill(matmul_kernels::groups_end(), values);
    return kernel_.fill(matmul_kernels::tiled(), std::move(values));
}

std::string Matmul::multiply_tiles(bool a_along, bool b_along) const {
    return gemel::text("gemel_multiply_tiles_", short_name(), "_", other_lines(layout_), "_", a_along ? "k" : "m",
                       b_along ? "k" : "n");
}

void Matmul::describe_stores(Values& values) {
    const bool turned = is_turned(layout_);
    values["turned"] = turned;
    values["splits"] = splits_packed(layout_);
    values["sums"] = other_lines(layout_) / 2;
    values["staged_pitch"] = turned ? turned_staged_pitch : piped_staged_pitch;
    values["stored"] = store("sum");
    values["finished_alone"] = kernel_.fill(matmul_kernels::finish_element(), values);
    values["stored"] = store("sum", "out[e]");
    values["unrolls"] = epilogue_.empty() && !splits_packed(layout_);
    values["finished"] = kernel_.fill(matmul_kernels::finish_element(), values);
}

std::string Matmul::piped(Values values) {
    const MatmulTuning& t = layout_.tile;
    const bool maps = layout_.form == MatmulForm::mapped, a_along = !maps || layout_.a_by_columns,
               b_along = !maps || !layout_.b_by_columns;
    const std::uint32_t line = maps ? tile_line_bytes / static_cast<std::uint32_t>(dtype_.size_bytes()) : 0;
    const std::uint32_t b_offset = t.rows * matmul_unit_depth;
    values["maps"] = maps;
    values["is_static"] = matmul_is_static(dtype_, layout_);
    values["shared_bytes"] = matmul_shared_bytes(dtype_, layout_);
    describe_tile(values);
    values["splits"] = splits_packed(layout_);
    values["sum_depth"] = layout_.sum_depth;
    values["part_sets"] = splits_packed(layout_) ? part_sets() : 1;
    values["parts"] = maps ? 1 : matmul_stored_parts(layout_.packed_parts);
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
        values[name + "_step"] = descriptor_step(along);
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

std::string Matmul::consuming_groups(Values values, bool a_along, bool b_along) {
    const bool maps = layout_.form == MatmulForm::mapped, turned = is_turned(layout_),
               by_registers = maps && dtype_.size_bytes() == 4;
    const std::uint32_t b_offset = layout_.tile.rows * matmul_unit_depth;
    values["other"] = turned ? "a" : "b";
    values["own_along"] = turned ? b_along : a_along;
    values["own_offset"] = turned ? b_offset : 0;
    values["other_offset"] = turned ? 0 : b_offset;
    values["instruction"] = by_registers ? gemel::text("gemel_multiply_tiles_tf32_", other_lines(layout_))
                            : maps       ? multiply_tiles(a_along, b_along)
                            : splits_packed(layout_)
                                ? ""
                                : gemel::text("gemel_multiply_two_tiles_tf32_", layout_.tile.columns);
    describe_stores(values);
    if (splits_packed(layout_)) values["multiply_split"] = multiply_split(values);
    values["store"] = kernel_.fill(matmul_kernels::groups_store(), values);
    return kernel_.fill(matmul_kernels::piped_groups(), std::move(values));
}

std::uint32_t Matmul::part_sets() const {
    return layout_.tile.columns == 64 ? layout_.tile.depth / layout_.sum_depth : 1;
}

std::string Matmul::multiply_split(Values values) {
    constexpr std::uint32_t unit = matmul_unit_words / 4;  // in the units of descriptors
    struct Parts {
        std::string sums;
        std::uint32_t a, b;
    };
    const auto products = [&](const char* type, std::initializer_list<Parts> parts) {
        Value::List all;
        for (const Parts& p : parts)
            all.push_back(Values{{"sums", p.sums},
                                 {"a", p.a * layout_.tile.rows / matmul_unit_lines * unit},
                                 {"b", p.b * layout_.tile.columns / matmul_unit_lines * unit}});
        values["products"] = all;
        values["instruction"] = gemel::text("gemel_multiply_tiles_", type, "_", layout_.tile.columns, "_kk");
        return kernel_.fill(matmul_kernels::split_products(), values);
    };
    const std::uint32_t stage_depth = layout_.sum_depth * part_sets();
    values["stage_depth"] = stage_depth;
    values["k"] = stage_depth < layout_.tile.depth ? "(d + k)" : "k";
    const std::string high =
        part_sets() > 1 ? gemel::text("part + ", layout_.tile.columns / 2, " * (k / ", layout_.sum_depth / 16, ")")
                        : "part";
    const auto larger = {Parts{"rest", 0, 1}, {"rest", 1, 0}, {high, 0, 0}};
    values["multiply_smallest"] = products("bfloat16", {{"part", 1, 1}, {"part", 0, 2}, {"part", 2, 0}});
    values["multiply_halves"] = products("float16", larger);
    values["multiply_bfloats"] = products("bfloat16", larger);
    return kernel_.fill(matmul_kernels::split_slot(), std::move(values));
}

std::string Matmul::consuming_warps(Values values) {
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

}  // namespace gemel::codegen
