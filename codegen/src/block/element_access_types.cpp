/// A kernel's declarations at file scope for its arrays: vector types, the layout, functions for positions.
#include "block/element_access.hpp"

#include <gemel/codegen/struct_declaration.hpp>
#include <gemel/core/text.hpp>

#include <set>

namespace gemel::codegen {

void ElementAccess::declare_types(const std::vector<DType>& more) {
    std::vector<DType> dtypes = more;
    for (const Parameter& p : arguments_) dtypes.push_back(p.dtype);
    writer_.lines(struct_declarations(dtypes, writer_.dialect()));
    std::set<std::string> declared;
    for (const Array& array : arrays_) {
        if (layout_.tile_vector || !array.in_packs || !declared.insert(array.pack_type).second) continue;
        int words = 0;
        const std::string word = word_type(array, words);
        const std::string type = storage_type(parameter(array).dtype, writer_.dialect());
        writer_.line("typedef union { ", word, " words[", words, "]; ", type, " value[", vector_width_, "]; } ",
                     array.pack_type, ";");
    }
    if (layout_.rank) declare_layout();
    for (const Array& array : arrays_)
        if (is_checked(array)) declare_check(array);
}

void ElementAccess::declare_layout() {
    writer_.open("typedef struct");
    writer_.line(index_, " extent[", layout_.rank, "];");
    if (axes_.kept_rank) writer_.line(index_, " kept[", axes_.kept_rank, "];");
    const int steps = layout_.rank + axes_.kept_rank;
    for (const Array& array : arrays_)
        if (array.access == Access::strided)
            writer_.line(index_, " ", array.steps, "[", steps, "];  // steps, in elements");
    if (axes_.has_index) writer_.line(index_, " i[", steps, "];");
    if (axes_.has_result) writer_.line(index_, " ", result_member(), "[", steps, "];");
    writer_.close(gemel::text(" ", layout_type_, ";"));
    for (const Array& array : arrays_) {
        if (array.access != Access::strided || !array.use.elsewhere) continue;
        const std::string& name = array.steps;
        writer_.open_function(index_, function(array, "at"), {layout_type_ + " layout", index_ + " i"});
        writer_.line(index_, " at = 0;");
        for (int axis = layout_.rank - 1; axis > 0; --axis) {
            writer_.line("at += i % layout.extent[", axis, "] * layout.", name, "[", axis, "];");
            writer_.line("i /= layout.extent[", axis, "];");
        }
        writer_.line("return at + i * layout.", name, "[0];");
        writer_.close();
    }
}

/// A function that returns the address of an element, or a substitute if it is out of bounds.
void ElementAccess::declare_check(const Array& array) {
    const Parameter& p = parameter(array);
    const std::string pointer = writer_.global_pointer(storage_type(p.dtype, writer_.dialect()), p.is_const);
    const std::string report = writer_.global_pointer("int64_t", false);
    const bool strided = array.access == Access::strided;
    std::vector<std::string> parameters{pointer + "array", "int64_t at", "int64_t count", "int64_t i",
                                        report + "report"};
    if (strided) parameters.push_back(layout_type_ + " layout");
    writer_.open_function(pointer, function(array, "checked"), parameters);
    writer_.line("if (at >= 0 && at < count) return array + ",
                 strided ? gemel::text(function(array, "at"), "(layout, (", index_, ")at)") : "at", ";");
    writer_.open("if (atomic_cas((", writer_.global_pointer("int", false), ")report, 0, ", array.argument + 1,
                 ") == 0)");
    writer_.line("report[1] = at;");
    writer_.line("report[2] = i;");
    writer_.close();
    writer_.line("return (", pointer, ")(report + ", bounds_report_bytes / 8, ");");
    writer_.close();
}

}  // namespace gemel::codegen
