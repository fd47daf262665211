/// Packs of elements in memory: their types, loads and stores.
#include "block/element_access.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::codegen {

/// The type and number of the integers as which a pack is moved.
std::string ElementAccess::word_type(const Array& array, int& words) const {
    const std::uint32_t bytes = parameter(array).dtype.size_bytes() * static_cast<std::uint32_t>(vector_width_);
    const std::uint32_t width = std::min(bytes, 16u);
    words = static_cast<int>(bytes / width);
    switch (width) {
        case 1: return "uint8_t";
        case 2: return "uint16_t";
        case 4: return "uint32_t";
        case 8: return "uint2";
        default: return "uint4";
    }
}

void ElementAccess::declare_packs(int count) {
    for (const Array& array : arrays_)
        if (array.in_packs && !array.constant && !is_shared(array))
            writer_.line(array.pack_type, " ", array.pack, "[", count, "];");
}

/// "((const uint4 *)(x + head))[", before the index of a word.
std::string ElementAccess::pack_base(const Array& array, const std::string& word, bool is_const) const {
    const std::string& name = parameter(array).name;
    const std::string begin = has_head_ ? gemel::text("(", name, " + ", head_, ")") : name;
    return gemel::text("((", writer_.global_pointer(word, is_const), ")", begin, ")[");
}

void ElementAccess::load_packs(const std::string& slot, const std::string& pack) {
    find_line_packs(pack, [](const Array& array) { return array.in_packs && array.use.element_read; });
    for (const Array& array : arrays_) {
        if (!array.in_packs || !array.use.element_read) continue;
        const Parameter& p = parameter(array);
        int words = 0;
        const std::string word = word_type(array, words);
        if (array.access == Access::packed) {
            const std::string from = pack_base(array, word, true);
            if (is_shared(array)) {
                writer_.line("gemel_copy_async_16(", shared_.packs, " + 32 * ", slot, ", &", from, pack, "], 16);");
                continue;
            }
            for (int w = 0; w < words; ++w)
                writer_.line(array.pack, "[", slot, "].words[", w, "] = ", from, pack,
                             words > 1 ? gemel::text(" * ", words, w ? gemel::text(" + ", w) : "") : "", "];");
        } else if (array.access == Access::strided) {
            for (int w = 0; w < words; ++w)
                writer_.line(array.pack, "[", slot, "].words[", w, "] = ", line_pack(array, true), "[", w, "];");
        } else {
            for (int lane = 0; lane < vector_width_; ++lane)
                writer_.line(set_lane_of(array, gemel::text(array.pack, "[", slot, "]"), gemel::text(lane),
                                         gemel::text(p.name, "[", has_head_ ? head_ + " + " : "", pack, " * ",
                                                     vector_width_, " + ", lane, "]")));
        }
    }
}

void ElementAccess::fetch_shared_pack(const std::string& slot) {
    for (const Array& array : arrays_) {
        if (!is_shared(array)) continue;
        writer_.line(array.pack_type, " ", array.pack, "[1];");
        writer_.line(array.pack, "[0].words[0] = ", shared_.packs, "[32 * ", slot, "];");
    }
}

void ElementAccess::store_packs(const std::string& slot, const std::string& pack) {
    for (const Array& array : arrays_) {
        if (!array.in_packs || !array.use.element_written) continue;
        const Parameter& p = parameter(array);
        int words = 0;
        const std::string word = word_type(array, words);
        if (array.access == Access::packed) {
            const std::string to = pack_base(array, word, false);
            for (int w = 0; w < words; ++w)
                writer_.line(to, pack, words > 1 ? gemel::text(" * ", words, w ? gemel::text(" + ", w) : "") : "",
                             "] = ", array.pack, "[", slot, "].words[", w, "];");
        } else if (array.access == Access::strided) {
            for (int w = 0; w < words; ++w)
                writer_.line(line_pack(array, false), "[", w, "] = ", array.pack, "[", slot, "].words[", w, "];");
        } else {
            for (int lane = 0; lane < vector_width_; ++lane)
                writer_.line(p.name, "[", has_head_ ? head_ + " + " : "", pack, " * ", vector_width_, " + ", lane,
                             "] = ", lane_of(array, gemel::text(array.pack, "[", slot, "]"), gemel::text(lane)), ";");
        }
    }
}

}  // namespace gemel::codegen
