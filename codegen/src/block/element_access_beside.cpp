/// Packs beside arrays that are broadcast or have gaps: these are accessed by packs, too, where lines of the last axis
/// are whole packs, or by single elements.
#include "block/element_access.hpp"

#include <gemel/core/text.hpp>

namespace gemel::codegen {

bool ElementAccess::has_lines_beside_packs() const {
    return layout_.rank > 0 && axes_.vector_width == 0 && axes_.kept_rank == 0 && layout_.has_packs();
}

std::string ElementAccess::beside_index(int axis) const { return unused(gemel::text("i_", axis)); }

std::string ElementAccess::beside_step(const Array& array, int axis) const {
    const LastStep step = axis + 1 == layout_.rank ? last_step(array) : LastStep::any;
    if (step != LastStep::any) return step == LastStep::one ? "1" : "0";
    return gemel::text(layout_name_, ".", array.steps, "[", axis, "]");
}

/// A strided array's pack at its position in memory.
std::string ElementAccess::line_pack(const Array& array, bool is_const) const {
    int words = 0;
    const std::string pointer = writer_.global_pointer(word_type(array, words), is_const);
    return gemel::text("((", pointer, ")(", parameter(array).name, " + ", array.at, "))");
}

/// Declares a pack's indices along the axes, and its positions in the strided arrays of which `is_meant` is true.
void ElementAccess::find_line_packs(const std::string& pack, const std::function<bool(const Array&)>& is_meant) {
    if (!has_lines_beside_packs()) return;
    std::vector<const Array*> meant;
    for (const Array& array : arrays_)
        if (array.access == Access::strided && array.use.element && is_meant(array)) meant.push_back(&array);
    if (meant.empty()) return;
    const std::string slowest = beside_index(0);
    writer_.line(index_, " ", slowest, " = ", has_head_ ? head_ + " + " : "", pack, " * ", vector_width_, ";");
    for (int axis = layout_.rank - 1; axis > 0; --axis) {
        const std::string extent = gemel::text(layout_name_, ".extent[", axis, "]");
        writer_.line(index_, " ", beside_index(axis), " = ", slowest, " % ", extent, ";");
        writer_.line(slowest, " /= ", extent, ";");
    }
    for (const Array* array : meant) {
        std::string sum;
        for (int axis = 0; axis < layout_.rank; ++axis)
            if (const std::string step = beside_step(*array, axis); step != "0")
                sum += gemel::text(sum.empty() ? "" : " + ", beside_index(axis), step == "1" ? "" : " * " + step);
        writer_.line(index_, " ", array->at, " = ", sum.empty() ? "0" : sum, ";");
    }
}

void ElementAccess::begin_pack(const std::string& pack) {
    find_line_packs(pack, [](const Array& array) { return !array.in_packs || array.use.element_written; });
}

/// An index that has reached its extent moves the next slower axis, too.
void ElementAccess::next_lane() {
    if (!has_lines_beside_packs()) return;
    std::vector<const Array*> single;
    for (const Array& array : arrays_)
        if (array.access == Access::strided && array.use.element && !array.in_packs) single.push_back(&array);
    if (single.empty()) return;
    for (const Array* array : single)
        if (const std::string step = beside_step(*array, layout_.rank - 1); step != "0")
            writer_.line(array->at, " += ", step, ";");
    if (layout_.line_width > 0) return;
    std::string indent;
    for (int axis = layout_.rank - 1; axis > 0; --axis) {
        const std::string extent = gemel::text(layout_name_, ".extent[", axis, "]");
        writer_.line(indent, "if (++", beside_index(axis), " == ", extent, ") {");
        indent += "    ";
        writer_.line(indent, beside_index(axis), " = 0;");
        for (const Array* array : single) {
            const std::string step = beside_step(*array, axis);
            const std::string back = step == "0"   ? ""
                                     : step == "1" ? " - " + extent
                                                   : gemel::text(" - ", extent, " * ", step);
            writer_.line(indent, array->at, " += ", beside_step(*array, axis - 1), back, ";");
        }
    }
    for (; !indent.empty(); indent.resize(indent.size() - 4)) writer_.line(std::string_view(indent).substr(4), "}");
}

}  // namespace gemel::codegen
