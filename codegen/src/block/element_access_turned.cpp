/// Tiles with transposed arrays: which arrays are moved, and the positions of their elements meanwhile.
#include "block/element_access.hpp"

#include <gemel/core/text.hpp>

namespace gemel::codegen {

/// Whether an array's packs are loaded before the barrier.
bool ElementAccess::is_kept(const Array& array) const {
    return array.in_packs && array.use.element_read && !layout_.arguments[array.argument].turned;
}

std::string ElementAccess::slot_in_tile(bool is_kept, const std::string& round, const std::string& row) const {
    const int group = layout_.tile_group;
    if (group == 1) return is_kept ? round : "0";
    return is_kept ? gemel::text(round, " * ", group, " + ", row) : row;
}

void ElementAccess::begin_packs_in_tile(const std::string& round, const std::string& row, const std::string& lane) {
    for (Array& array : arrays_) {
        if (!array.in_packs) continue;
        array.in_tile = gemel::text(array.pack, "[", slot_in_tile(is_kept(array), round, row), "].value[", lane, "]");
    }
}

std::vector<ElementAccess::Moved> ElementAccess::moved() const {
    std::vector<Moved> all;
    for (const Array& array : arrays_) {
        if (!array.in_packs) continue;
        const Parameter& p = parameter(array);
        all.push_back({.parameter = &p,
                       .layout = layout_.arguments[array.argument],
                       .is_kept = is_kept(array),
                       .is_written = array.use.element_written,
                       .type = storage_type(p.dtype, writer_.dialect()),
                       .pack_type = array.pack_type,
                       .pack = array.pack,
                       .base = unused(p.name + "_base"),
                       .down = unused(p.name + "_down"),
                       .step = unused(p.name + "_step"),
                       .at = array.at});
    }
    return all;
}

}  // namespace gemel::codegen
