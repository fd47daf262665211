/// Packs of contiguous arrays beside arrays that are broadcast or have gaps: their packs, where lines of the last axis
/// are whole packs, or single elements.
#include "block/element_access.hpp"

#include <gemel/core/text.hpp>

namespace gemel::codegen {

bool ElementAccess::has_lines_beside_packs() const {
    return layout_.rank > 0 && axes_.vector_width == 0 && axes_.kept_rank == 0 && layout_.any(Access::packed);
}

std::string ElementAccess::beside_index(int axis) const { return unused(gemel::text("i_", axis)); }

std::string ElementAccess::beside_step(const Array& array, int axis) const {
    const LastStep step = axis + 1 == layout_.rank ? last_step(array) : LastStep::any;
    if (step != LastStep::any) return step == LastStep::one ? "1" : "0";
    return gemel::text(layout_name_, ".", array.steps, "[", axis, "]");
}

/// Calls `f(array)` for each array of single elements.
template <class F>
void ElementAccess::for_each_beside(const F& f) const {
    for (const Array& array : arrays_)
        if (array.access == Access::strided && array.use.element) f(array);
}

/// Declares the indices of a pack's first element along all axes but the slowest, and its positions in the arrays;
/// loads packs from there.
void ElementAccess::begin_pack(const std::string& slot, const std::string& pack) {
    if (!has_lines_beside_packs()) return;
    const std::string slowest = beside_index(0);
    writer_.line(index_, " ", slowest, " = ", has_head_ ? head_ + " + " : "", pack, " * ", vector_width_, ";");
    for (int axis = layout_.rank - 1; axis > 0; --axis) {
        const std::string extent = gemel::text(layout_name_, ".extent[", axis, "]");
        writer_.line(index_, " ", beside_index(axis), " = ", slowest, " % ", extent, ";");
        writer_.line(slowest, " /= ", extent, ";");
    }
    for_each_beside([&](const Array& array) {
        std::string sum;
        for (int axis = 0; axis < layout_.rank; ++axis)
            if (const std::string step = beside_step(array, axis); step != "0")
                sum += gemel::text(sum.empty() ? "" : " + ", beside_index(axis), step == "1" ? "" : " * " + step);
        writer_.line(index_, " ", array.at, " = ", sum.empty() ? "0" : sum, ";");
        if (!array.in_packs) return;
        int words = 0;
        const std::string from =
            gemel::text("((", writer_.global_pointer(word_type(array, words), true), ")(", parameter(array).name, " + ");
        for (int w = 0; w < words; ++w)
            writer_.line(array.pack, "[", slot, "].words[", w, "] = ", from, array.at, "))[", w, "];");
    });
}

/// An index that has reached its extent moves the next slower axis, too.
void ElementAccess::next_lane() {
    if (!has_lines_beside_packs()) return;
    for_each_beside([&](const Array& array) {
        if (const std::string step = beside_step(array, layout_.rank - 1); step != "0" && !array.in_packs)
            writer_.line(array.at, " += ", step, ";");
    });
    if (layout_.whole_lines) return;
    std::string indent;
    for (int axis = layout_.rank - 1; axis > 0; --axis) {
        const std::string extent = gemel::text(layout_name_, ".extent[", axis, "]");
        writer_.line(indent, "if (++", beside_index(axis), " == ", extent, ") {");
        indent += "    ";
        writer_.line(indent, beside_index(axis), " = 0;");
        for_each_beside([&](const Array& array) {
            const std::string step = beside_step(array, axis);
            const std::string back = step == "0"   ? ""
                                     : step == "1" ? " - " + extent
                                                   : gemel::text(" - ", extent, " * ", step);
            writer_.line(indent, array.at, " += ", beside_step(array, axis - 1), back, ";");
        });
    }
    for (; !indent.empty(); indent.resize(indent.size() - 4))
        writer_.line(std::string_view(indent).substr(4), "}");
}

}  // namespace gemel::codegen
