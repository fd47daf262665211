#include "kernels/elementwise_turned.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>

namespace gemel::codegen {
namespace {

constexpr int rounds_of(int pieces, int block) { return (pieces + block - 1) / block; }

/// The integer type in which this many bytes are moved.
const char* word_of(int bytes) {
    switch (bytes) {
        case 1: return "uint8_t";
        case 2: return "uint16_t";
        case 4: return "uint32_t";
        case 8: return "uint2";
        default: return "uint4";
    }
}

/// The words of `count` neighbours that are moved at once, and the index of each relative to the first neighbour. NVRTC
/// keeps accesses of the form `((uint4 *)p)[at >> 2]` whole, but splits some of the form `((uint4 *)(p + at))[0]`.
void add_words(Values& x, int count, int bytes) {
    const int word = std::min(count * bytes, 16), words = count * bytes / word;
    std::vector<Value> word_at;
    for (int w = 0; w < words; ++w) {
        const std::string pack = gemel::text(" >> ", std::countr_zero(static_cast<unsigned>(count)));
        word_at.emplace_back(
            words == 1 ? pack : gemel::text(pack, " << ", std::countr_zero(static_cast<unsigned>(words)), " | ", w));
    }
    x["word"] = word_of(word);
    x["words"] = words;
    x["word_at"] = Value(std::move(word_at));
}

/// A transposed array: its tile in shared memory has columns of cells, each of as many rows as fill four bytes. The
/// pitch is odd; after `skew` columns, packs would use the same banks again.
void add_turned(Values& x, const ElementAccess::Moved& array, const KernelLayout& layout, int block) {
    const int bytes = static_cast<int>(array.parameter->dtype.size_bytes());
    const int vector = array.layout.turned, cell = std::min(turned_cell(bytes), layout.tile_group);
    const int pitch = layout.tile_rows / cell | 1, skew = std::max(128 / std::max(bytes * cell, 4), 1);
    const int pieces = layout.tile_width * (layout.tile_rows / vector);
    x["vector"] = vector;
    x["cell"] = cell;
    x["cell_word"] = word_of(cell * bytes);
    x["pitch"] = pitch;
    x["skew"] = skew;
    x["cells"] = layout.tile_width * pitch + (layout.tile_width - 1) / skew;
    x["rounds"] = rounds_of(pieces, block);
    x["is_partial"] = pieces % block != 0;
    add_words(x, vector, bytes);
}

}  // namespace

int turned_cell(int bytes) { return bytes == 1 ? 4 : bytes == 2 ? 2 : 1; }

int turned_tile_bytes(int bytes, int columns, int rows, int group) {
    const int cell = std::min(turned_cell(bytes), group);
    const int skew = std::max(128 / std::max(bytes * cell, 4), 1);
    return (columns * (rows / cell | 1) + (columns - 1) / skew) * cell * bytes;
}

Values turned_values(const ElementAccess& access, const KernelLayout& layout, int block, KernelText& kernel) {
    const int vector = layout.tile_vector, group = layout.tile_group;
    const int threads = layout.tile_width / vector * (layout.tile_rows / group);
    const auto named = [&](const std::string& text) { return kernel.verbatim(text); };
    std::vector<Value> moved;
    bool keeps = false;
    for (const ElementAccess::Moved& array : access.moved()) {
        const std::string& name = array.parameter->name;
        const LastStep last = array.layout.last_step;
        const bool turned = array.layout.turned > 0;
        Values x{{"name", named(name)},
                 {"type", named(array.type)},
                 {"pack_type", named(array.pack_type)},
                 {"pack", named(array.pack)},
                 {"base", named(array.base)},
                 {"down", named(array.down)},
                 {"step", named(array.step)},
                 {"at", named(array.at)},
                 {"to", named(access.unused(name + "_to"))},
                 {"tile", named(access.unused(name + "_tile"))},
                 {"line", named(access.unused(name + "_line"))},
                 {"cell_type", named(access.helper(name + "_cell"))},
                 {"line_type", named(access.helper(name + "_line"))},
                 {"is_kept", array.is_kept},
                 {"is_written", array.is_written},
                 {"is_turned", turned},
                 {"is_wide", array.layout.wide && vector > 1 && !turned}};
        const std::string step = last == LastStep::any ? " * " + x["step"].as_string() : "";
        const std::string column = last == LastStep::any ? " + (first_column + c)" : " + first_column + c";
        x["along"] = last == LastStep::zero ? "" : column + step;
        x["further"] = last == LastStep::zero ? "" : " + lane" + step;
        x["slot"] = access.slot_in_tile(array.is_kept, "u", "s");
        add_words(x, vector, static_cast<int>(array.parameter->dtype.size_bytes()));
        if (turned) add_turned(x, array, layout, block);
        keeps |= array.is_kept;
        moved.emplace_back(std::move(x));
    }
    return {{"moved", Value(std::move(moved))},
            {"keeps", keeps},
            {"rank", layout.rank},
            {"columns", layout.tile_width},
            {"rows", layout.tile_rows},
            {"vector", vector},
            {"group", group},
            {"threads", threads},
            {"rounds", rounds_of(threads, block)},
            {"is_partial", threads % block != 0}};
}

}  // namespace gemel::codegen
