/// One tuning for all generators: each takes from it the numbers that it has.
#pragma once

#include <gemel/codegen/tuning.hpp>

#include <cstdint>
#include <cstring>
#include <string>

namespace gemel::testing {

struct AnyTuning {
    std::uint32_t block = 0, access_bytes = 0, unroll = 0;
    std::uint32_t tile_block = 0, tile_width = 0, tile_rows = 0;
    std::uint32_t blocks_per_unit = 0;
    std::uint32_t items_per_thread = 0;  ///< running_results of reductions
    codegen::ScanStrategy strategy = codegen::ScanStrategy::automatic;
    codegen::TileStrategy tiles = codegen::TileStrategy::automatic;
    std::uint32_t turned_width = 0, turned_rows = 0;

    operator codegen::ElementwiseTuning() const {
        return {block, access_bytes, unroll, tile_block, tile_width, tile_rows, tiles, turned_width, turned_rows};
    }
    operator codegen::ReductionTuning() const {
        return {block, access_bytes, unroll, blocks_per_unit, items_per_thread};
    }
    operator codegen::ScanTuning() const {
        return {.block = block,
                .access_bytes = access_bytes,
                .items_per_thread = items_per_thread,
                .blocks_per_unit = blocks_per_unit,
                .strategy = strategy};
    }
};

inline std::string to_string(const AnyTuning& tuning) {
    return codegen::to_string(codegen::ElementwiseTuning(tuning)) + "; " +
           codegen::to_string(codegen::ScanTuning(tuning));
}

/// As it would be written in a program: "{.block = 64, .unroll = 2}".
template <codegen::TuningStruct T>
std::string written(const T& tuning) {
    std::string out;
    for (const codegen::TuningField& field : codegen::tuning_fields(tuning)) {
        if (!field.value) continue;
        out += out.empty() ? "." : ", .";
        out += field.name;
        out += field.value_names.empty() ? " = " + std::to_string(field.value)
                                         : std::string(" = codegen::ScanStrategy::") + field.value_names[field.value];
    }
    return "{" + out + "}";
}

}  // namespace gemel::testing
