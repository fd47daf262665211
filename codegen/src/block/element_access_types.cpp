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
        const int parts = static_cast<int>(parameter(array).dtype.size_bytes()) * vector_width_ / 4;
        writer_.line("typedef union { ", word, " words[", words, "]; ",
                     array.in_parts ? gemel::text("uint32_t parts[", parts, "]; } ")
                                    : gemel::text(type, " value[", vector_width_, "]; } "),
                     array.pack_type, ";");
        if (array.in_parts) declare_lanes(array);
    }
    if (layout_.rank) declare_layout();
    for (const Array& array : arrays_)
        if (is_checked(array)) declare_check(array);
}

/// Elements shorter than 4 bytes are shifted out of words and into them: NVIDIA's OpenCL compiler keeps a union of both
/// in memory, which takes up to 1.7 times as long.
void ElementAccess::declare_lanes(const Array& array) {
    const DType& dtype = parameter(array).dtype;
    const std::string type = storage_type(dtype, writer_.dialect());
    const int bits = static_cast<int>(8 * dtype.size_bytes());
    const std::string part = gemel::text("part >> ", bits, " * at"), mask = bits == 8 ? "0xffu" : "0xffffu";
    const bool is_struct = dtype.is_16_bit_float();
    const std::string word = bits == 8 ? "uint8_t" : "uint16_t";
    writer_.open_function(type, array.pack_type + "_lane", {"uint32_t part", "int at"});
    if (is_struct) {
        writer_.line(type, " value;");
        writer_.line("value.bits = (", word, ")(", part, ");");
        writer_.line("return value;");
    } else {
        writer_.line("return (", type, ")(", part, ");");
    }
    writer_.close();
    writer_.open_function("uint32_t", array.pack_type + "_with", {"uint32_t part", "int at", type + " value"});
    writer_.line("return (part & ~(", mask, " << ", bits, " * at)) | (uint32_t)(", word, ")",
                 is_struct ? "value.bits" : "value", " << ", bits, " * at;");
    writer_.close();
}

std::string ElementAccess::lane_of(const Array& array, const std::string& pack, const std::string& lane) const {
    if (!array.in_parts) return gemel::text(pack, ".value[", lane, "]");
    const LaneInPart at = in_part(array, lane);
    return gemel::text(array.pack_type, "_lane(", pack, ".parts[", at.part, "], ", at.within, ")");
}

std::string ElementAccess::set_lane_of(const Array& array, const std::string& pack, const std::string& lane,
                                       const std::string& value) const {
    if (!array.in_parts) return gemel::text(pack, ".value[", lane, "] = ", value, ";");
    const LaneInPart at = in_part(array, lane);
    const std::string part = gemel::text(pack, ".parts[", at.part, "]");
    return gemel::text(part, " = ", array.pack_type, "_with(", part, ", ", at.within, ", ", value, ");");
}

ElementAccess::LaneInPart ElementAccess::in_part(const Array& array, const std::string& lane) const {
    const std::uint32_t per_part = 4 / parameter(array).dtype.size_bytes();
    const std::string term = lane.find(' ') == std::string::npos ? lane : gemel::text("(", lane, ")");
    return {gemel::text(term, " / ", per_part), gemel::text(term, " % ", per_part)};
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
