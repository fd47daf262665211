#include "block/element_access.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::codegen {

int pack_length(const std::vector<Parameter>& arguments, const KernelLayout& layout, std::uint32_t access_bytes) {
    // The pack length gives the largest elements wide accesses, and the smallest at least 4 bytes per access.
    std::uint32_t largest = 0, smallest = 16;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (layout.arguments[i].access != Access::packed) continue;
        largest = std::max(largest, arguments[i].dtype.size_bytes());
        smallest = std::min(smallest, arguments[i].dtype.size_bytes());
    }
    if (largest == 0) return 1;
    return static_cast<int>(std::max({1u, access_bytes / largest, std::min(4u, access_bytes) / smallest}));
}

ElementAccess::ElementAccess(const std::string& kernel, const std::vector<Parameter>& arguments,
                             std::vector<ArrayUse> uses, const KernelLayout& layout, std::uint32_t access_bytes,
                             Writer& writer, const std::vector<const Snippet*>& snippets, const ReducedAxes& axes)
    : kernel_(kernel),
      arguments_(arguments),
      layout_(layout),
      writer_(writer),
      axes_(axes),
      snippets_(snippets),
      index_(layout.wide_index ? "int64_t" : "int"),
      head_(unused("head")),
      layout_name_(unused("layout")),
      layout_type_(helper("layout")),
      report_(unused("out_of_bounds")) {
    const bool turned = layout.tile_vector > 0;
    const bool packs = layout.has_packs() || axes.vector_width > 0 || turned;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (const std::string why = refused_use(arguments[i], uses[i]); !why.empty())
            throw ArgumentError(gemel::text("'", kernel, "': argument ", i + 1, " (", arguments[i].name, ") ", why));
    if (packs)
        vector_width_ = turned              ? layout.tile_vector
                        : axes.vector_width ? axes.vector_width
                        : layout.line_width ? layout.line_width
                                            : pack_length(arguments, layout, access_bytes);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const ArgumentLayout& given = layout.arguments[i];
        if (given.access == Access::none) continue;
        const Parameter& p = arguments[i];
        array_names_.push_back(p.name);
        arrays_.push_back({.argument = i,
                           .access = given.access,
                           .use = uses[i],
                           .local = unused(p.name + "_i"),
                           .at = unused(p.name + "_at"),
                           .pack = unused(p.name + "_pack"),
                           .pack_type = "",
                           .offset = given.offset ? unused(p.name + "_offset") : "",
                           .steps = member(p.name),
                           .in_packs = false});
        Array& array = arrays_.back();
        // An element whose address is taken, or that is also accessed elsewhere, is not cached in a variable.
        array.in_packs = packs && array.use.element && !array.use.element_address && given.access != Access::pointer &&
                         p.dtype.kind() != DType::Kind::structure &&
                         !(has_lines_beside_packs() && given.access == Access::strided && !given.wide);
        if (turned) {
            array.in_packs = given.access == Access::strided && array.use.element && !array.use.element_address &&
                             !array.use.elsewhere && !array.use.bare;
            array.pack_type = function(array, "pack");
        } else if (array.in_packs) {
            array.pack_type = gemel::text("pack_", storage_type(p.dtype, writer.dialect()), "_x", vector_width_);
            const std::uint32_t bytes = p.dtype.size_bytes();
            array.in_parts = bytes < 4 && bytes * static_cast<std::uint32_t>(vector_width_) >= 4;
        }
        if (turned) continue;
        std::replace(array.pack_type.begin(), array.pack_type.end(), ' ', '_');
        if (array.in_packs) array.pack_type = unused(array.pack_type);
    }
}

bool ElementAccess::is_taken(std::string_view name) const {
    const auto is_named = [&](const Parameter& p) { return p.name == name; };
    const auto mentions = [&](const Snippet* snippet) { return snippet->mentions(name); };
    return std::any_of(arguments_.begin(), arguments_.end(), is_named) ||
           std::any_of(snippets_.begin(), snippets_.end(), mentions);
}

std::string ElementAccess::unused(std::string name) const {
    while (is_taken(name)) name += '_';
    return name;
}

/// The layout's member for an array: named like the array, unless the layout already has a member of that name.
std::string ElementAccess::member(const std::string& array) const {
    std::string name = array;
    const auto taken = [&] {
        if (name == "extent" || name == "kept") return true;
        return name != array &&
               std::any_of(arguments_.begin(), arguments_.end(), [&](const Parameter& p) { return p.name == name; });
    };
    while (taken()) name += '_';
    return name;
}

std::vector<std::string> ElementAccess::parameters() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        const Parameter& p = arguments_[i];
        const auto& dtype = p.dtype;
        const std::string stored =
            p.space == Parameter::Space::value && p.is_pointer ? p.type : storage_type(dtype, writer_.dialect());
        if (p.space > Parameter::Space::arena) {
            out.push_back(p.text());  // a texture or an image
        } else if (layout_.arguments[i].access == Access::none) {
            // A 16-bit float is passed as float, in which it is computed.
            out.push_back((dtype.kind() == DType::Kind::boolean ? stored : value_type(dtype)) + " " + p.name);
        } else {
            out.push_back(writer_.global_pointer(stored, p.is_const) + p.name);
        }
    }
    for (const Array& array : arrays_)
        if (!array.offset.empty()) out.push_back("int64_t " + array.offset);
    if (layout_.rank) out.push_back(gemel::text(layout_type_, " ", layout_name_));
    bool any_checked = false;
    for (const Array& array : arrays_)
        if (is_checked(array)) {
            out.push_back("int64_t " + unused(parameter(array).name + "_count"));
            any_checked = true;
        }
    if (any_checked) out.push_back(writer_.global_pointer("int64_t", false) + report_);
    return out;
}

void ElementAccess::apply_offsets() {
    for (const Array& array : arrays_)
        if (!array.offset.empty()) {
            const Parameter& p = parameter(array);
            const std::string bytes = writer_.global_pointer("char", p.is_const);
            const std::string type = writer_.global_pointer(storage_type(p.dtype, writer_.dialect()), p.is_const);
            writer_.line(p.name, " = (", type, ")((", bytes, ")", p.name, " + ", array.offset, ");");
        }
}

/// Whether an array's element is a local variable in this mode.
bool ElementAccess::is_local(const Array& array, Mode mode) const {
    if (mode == Mode::lane && array.in_packs) return true;
    if (!array.use.element || array.use.element_address || array.access == Access::pointer) return false;
    const DType& dtype = parameter(array).dtype;
    return value_type(dtype) != storage_type(dtype, writer_.dialect());
}

/// The element i in memory.
std::string ElementAccess::element_in_memory(const Array& array) const {
    if (!array.in_tile.empty()) return array.in_tile;
    return memory(array) + "[" + (array.access == Access::strided ? array.at : "i") + "]";
}

void ElementAccess::declare_local(const Array& array, const std::string& stored) {
    const DType& dtype = parameter(array).dtype;
    const std::string type = value_type(dtype);
    if (!array.use.element_read) {
        writer_.line(type, " ", array.local, ";");
    } else {
        const std::string value = dtype.kind() == DType::Kind::boolean ? stored + " != 0" : load_text(dtype, stored);
        writer_.line(array.use.element_written ? "" : "const ", type, " ", array.local, " = ", value, ";");
    }
}

void ElementAccess::begin_lane(const std::string& slot, const std::string& lane) {
    for (const Array& array : arrays_) {
        if (array.in_packs) {
            const bool is_one = array.constant && !axes_.columns;
            const std::string& own_slot = array.constant ? constant_slot_ : slot;
            declare_local(array, lane_of(array, gemel::text(array.pack, "[", is_shared(array) ? "0" : own_slot, "]"),
                                         is_one ? "0" : lane));
        } else if (is_local(array, Mode::lane)) {
            declare_local(array, element_in_memory(array));
        }
    }
}

void ElementAccess::end_lane(const std::string& slot, const std::string& lane) {
    for (const Array& array : arrays_) {
        if (!is_local(array, Mode::lane) || !array.use.element_written) continue;
        const std::string value = store_text(parameter(array).dtype, array.local);
        writer_.line(array.in_packs ? set_lane_of(array, gemel::text(array.pack, "[", slot, "]"), lane, value)
                                    : gemel::text(element_in_memory(array), " = ", value, ";"));
    }
}

void ElementAccess::begin_tile(const std::string& outer) {
    const int outer_rank = layout_.rank - 2;
    const std::string slowest = outer_rank > 0 ? axis_index(outer, outer_rank, "extent", "i_") : "";
    for (const Array& array : arrays_) {
        if (!is_in_tile(array)) continue;
        const std::string& name = parameter(array).name;
        std::vector<std::string> terms;
        for (int axis = 0; axis < outer_rank; ++axis)
            terms.push_back(gemel::text(axis == 0 ? slowest : unused(gemel::text("i_", axis)), " * ", layout_name_, ".",
                                        array.steps, "[", axis, "]"));
        writer_.line("const ", index_, " ", unused(name + "_base"), " = ", terms.empty() ? "0" : join(terms, " + "),
                     ", ", unused(name + "_down"), " = ", layout_name_, ".", array.steps, "[", outer_rank, "]",
                     last_step(array) == LastStep::any ? gemel::text(", ", unused(name + "_step"), " = ", layout_name_,
                                                                     ".", array.steps, "[", layout_.rank - 1, "]")
                                                       : "",
                     ";");
    }
}

void ElementAccess::begin_row(const std::string& row) {
    for (const Array& array : arrays_) {
        const std::string& name = parameter(array).name;
        if (is_in_tile(array) && array.in_tile.empty())
            writer_.line("const ", index_, " ", unused(name + "_row"), " = ", unused(name + "_base"), " + ", row, " * ",
                         unused(name + "_down"), ";");
    }
}

bool ElementAccess::is_in_tile(const Array& array) const {
    return array.access == Access::strided && array.use.element;
}

LastStep ElementAccess::last_step(const Array& array) const { return layout_.arguments[array.argument].last_step; }

std::string ElementAccess::along_line(const Array& array, const std::string& index, const std::string& step) const {
    switch (last_step(array)) {
        case LastStep::zero: return "";
        case LastStep::one: return " + " + index;
        case LastStep::back: return " - " + index;
        default: return gemel::text(" + ", index, " * ", step);
    }
}

void ElementAccess::begin_element(const std::string& run_index) {
    const auto is_found = [&](const Array& array) { return array.access == Access::strided && array.use.element; };
    if (layout_.tile_width) {
        for (const Array& array : arrays_) {
            if (!is_in_tile(array) || !array.in_tile.empty()) continue;
            const std::string& name = parameter(array).name;
            writer_.line("const ", index_, " ", array.at, " = ", unused(name + "_row"),
                         along_line(array, run_index, unused(name + "_step")), ";");
        }
    } else if (std::any_of(arrays_.begin(), arrays_.end(), is_found)) {
        const std::string slowest = axis_index(run_index, layout_.rank, "extent", "i_");
        for (const Array& array : arrays_) {
            if (!is_found(array)) continue;
            const bool is_named = layout_.rank == 1 && last_step(array) != LastStep::any;
            writer_.line(
                "const ", index_, " ", array.at, " = ",
                is_named ? "0" + along_line(array, slowest, "") : reach("", array.steps, slowest, layout_.rank), ";");
        }
    }
    declare_converted();
}

/// Declares local variables for elements whose type of computation differs from that of memory.
void ElementAccess::declare_converted() {
    for (const Array& array : arrays_)
        if (is_local(array, Mode::element)) declare_local(array, element_in_memory(array));
}

void ElementAccess::end_element() {
    for (const Array& array : arrays_)
        if (is_local(array, Mode::element) && array.use.element_written)
            writer_.line(element_in_memory(array), " = ", store_text(parameter(array).dtype, array.local), ";");
}

/// The element beside the lane's own, x[i - 1] or x[i + 1], as it is in the pack: only the first or the last lane reads
/// memory. Empty for other subscripts, and where neighbouring lanes need not have neighbouring indices.
std::string ElementAccess::beside_lane(const Array& array, const std::string& subscript, const std::string& stored,
                                       Mode mode) const {
    if (mode != Mode::lane || lane_.empty() || !array.in_packs || array.access != Access::packed ||
        axes_.vector_width > 0 || !parameter(array).is_const)
        return {};
    std::string bare = subscript;
    std::erase(bare, ' ');
    if (bare != "i-1" && bare != "i+1") return {};
    const bool is_before = bare == "i-1";
    const int border = is_before ? 0 : vector_width_ - 1;
    const std::string beside = gemel::text(lane_, is_before ? " - 1" : " + 1");
    std::string at_border = stored;
    if (is_shared(array)) {  // the pack beside is in shared memory, except beside the warp's
        const std::string is_inside =
            is_before ? gemel::text(lane_slot_, " + ", shared_.thread, " != 0")
                      : gemel::text(lane_slot_, " != ", shared_.rows - 1, " || ", shared_.thread, " != 31");
        at_border = gemel::text(is_inside, " ? ", shared_.elements, "[", 32 * vector_width_, " * ", lane_slot_,
                                is_before ? std::string(" - 1") : gemel::text(" + ", vector_width_), "] : ", stored);
    }
    const std::string pack = gemel::text(array.pack, "[", is_shared(array) ? "0" : lane_slot_, "]");
    const std::string inside = gemel::text(lane_, " != ", border, " ? ", beside, " : 0");
    return gemel::text("(", lane_, " != ", border, " ? ", lane_of(array, pack, inside), " : ", at_border, ")");
}

std::string ElementAccess::snippet(const Snippet& snippet, Mode mode) const {
    const auto named = [&](std::string_view name) -> const Array& {
        return *std::find_if(arrays_.begin(), arrays_.end(), [&](const Array& a) { return parameter(a).name == name; });
    };
    const auto replace = [&](std::string_view name, const std::string& subscript, bool written) {
        const Array& array = named(name);
        if (subscript.empty()) return is_local(array, mode) ? array.local : element_in_memory(array);
        if (is_checked(array)) {
            const std::string stored =
                gemel::text("(*", function(array, "checked"), "(", name, ", ", subscript, ", ",
                            unused(std::string(name) + "_count"), mode == Mode::thread ? ", -1, " : ", i, ", report_,
                            array.access == Access::strided ? ", " + layout_name_ : "", "))");
            return written ? stored : load_text(parameter(array).dtype, stored);
        }
        const std::string where = array.access == Access::strided
                                      ? gemel::text(function(array, "at"), "(", layout_name_, ", ", subscript, ")")
                                      : subscript;
        std::string stored = gemel::text(name, "[", where, "]");
        if (const std::string beside = written ? "" : beside_lane(array, subscript, stored, mode); !beside.empty())
            stored = beside;
        return written ? stored : load_text(parameter(array).dtype, stored);
    };
    const auto store = [&](std::string_view name, const std::string& value) {
        const DType& dtype = parameter(named(name)).dtype;
        return dtype.kind() == DType::Kind::boolean ? gemel::text("(", value, ") != 0") : store_text(dtype, value);
    };
    return snippet.replaced(array_names_, replace, store);
}

std::string ElementAccess::statements(const Snippet& snippet, Mode mode) const {
    std::string text = this->snippet(snippet, mode);
    if (text.empty() || text.back() != ';') text += ';';  // after a '}' too: it may end an initialiser
    return text;
}

}  // namespace gemel::codegen
