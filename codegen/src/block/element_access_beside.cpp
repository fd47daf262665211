/// Packs of contiguous arrays beside single elements of rows and columns that are broadcast.
#include "block/element_access.hpp"

#include <gemel/core/text.hpp>

namespace gemel::codegen {

bool ElementAccess::has_rows_beside_packs() const {
    return layout_.rank > 0 && axes_.vector_width == 0 && axes_.kept_rank == 0 && layout_.any(Access::packed);
}

void ElementAccess::begin_pack(const std::string& pack) {
    if (!has_rows_beside_packs()) return;
    const std::string first = gemel::text("(", has_head_ ? head_ + " + " : "", pack, " * ", vector_width_, ")");
    const std::string extent = layout_name_ + ".extent[1]";
    writer_.line(index_, " ", unused("i_row"), " = ", first, " / ", extent, ", ", unused("i_column"), " = ", first,
                 " % ", extent, ";");
}

void ElementAccess::next_lane() {
    if (!has_rows_beside_packs()) return;
    writer_.line("if (++", unused("i_column"), " == ", layout_name_, ".extent[1]) {");
    writer_.line("    ", unused("i_column"), " = 0;");
    writer_.line("    ++", unused("i_row"), ";");
    writer_.line("}");
}

/// The positions of strided arrays' elements for the lane.
void ElementAccess::begin_beside_lane() {
    if (!has_rows_beside_packs()) return;
    for (const Array& array : arrays_) {
        if (array.access != Access::strided || !array.use.element) continue;
        const std::string steps = layout_name_ + "." + array.steps;
        std::string at = gemel::text(unused("i_row"), " * ", steps, "[0]");
        if (last_step(array) == LastStep::one) at += " + " + unused("i_column");
        if (last_step(array) == LastStep::any) at += gemel::text(" + ", unused("i_column"), " * ", steps, "[1]");
        writer_.line("const ", index_, " ", array.at, " = ", at, ";");
    }
}

}  // namespace gemel::codegen
