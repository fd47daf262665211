/// Elements in reductions over axes: by output, by line, and by packs of neighbours.
#include "block/aligned_shared.hpp"
#include "block/element_access.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::codegen {

/// Declares the indices along the axes of a group except the slowest; returns the remaining index for that one.
std::string ElementAccess::axis_index(const std::string& index, int rank, const std::string& extents,
                                      const std::string& prefix) {
    if (rank == 1) return index;
    const std::string rest = unused(prefix + "rest");
    writer_.line(index_, " ", rest, " = ", index, ";");
    for (int axis = rank - 1; axis > 0; --axis) {
        writer_.line("const ", index_, " ", unused(gemel::text(prefix, axis)), " = ", rest, " % ", layout_name_, ".",
                     extents, "[", axis, "];");
        writer_.line(rest, " /= ", layout_name_, ".", extents, "[", axis, "];");
    }
    return rest;
}

/// The sum of strides times indices along the first `rank` reduced axes; axis_index() has declared the indices.
std::string ElementAccess::reach(const std::string& base, const std::string& member, const std::string& slowest,
                                 int rank) const {
    std::string sum = base;
    for (int axis = 0; axis < rank; ++axis)
        sum += gemel::text(sum.empty() ? "" : " + ", axis == 0 ? slowest : unused(gemel::text("i_", axis)), " * ",
                           layout_name_, ".", member, "[", axis, "]");
    return sum;
}

template <class Sum>
void ElementAccess::declare_positions(const char* suffix, const char* from, const Sum& sum) {
    const auto declare = [&](const Array* array, const std::string& member, LastStep step) {
        if (is_in_stage(array) && std::string_view(suffix) == (axes_.columns ? "_column" : "_base")) {
            writer_.line("const ", index_, " ", unused(prefix(array) + suffix), " = ", unused(prefix(array) + "_shift"),
                         " + ", in_stage_, ";");
            return;
        }
        const std::string base = *from ? unused(prefix(array) + from) : std::string();
        writer_.line("const ", index_, " ", unused(prefix(array) + suffix), " = ", sum(base, member, step), ";");
    };
    for (const Array& array : arrays_)
        if (array.access == Access::strided && array.use.element) declare(&array, array.steps, last_step(array));
    if (axes_.has_index) declare(nullptr, "i", LastStep::any);
}

/// The same along the kept axes.
std::string ElementAccess::kept_sum(const std::string& member, const std::string& slowest,
                                    const std::string& prefix) const {
    std::string sum = gemel::text(slowest, " * ", layout_name_, ".", member, "[", layout_.rank, "]");
    for (int axis = 1; axis < axes_.kept_rank; ++axis)
        sum += gemel::text(" + ", unused(gemel::text(prefix, axis)), " * ", layout_name_, ".", member, "[",
                           layout_.rank + axis, "]");
    return sum;
}

void ElementAccess::begin_output(const std::string& output) {
    const std::string slowest = axis_index(output, axes_.kept_rank, "kept", "o_");
    declare_positions("_base", "", [&](const std::string&, const std::string& member, LastStep) {
        return kept_sum(member, slowest, "o_");
    });
    if (reads_beside_lines()) declare_last_positions();
}

/// The positions of the arrays' last elements. Packs at the edge of a line may be read as a whole up to there, because
/// what lies beside the line is in the same memory.
void ElementAccess::declare_last_positions() {
    for (const Array& array : arrays_) {
        if (!array.in_packs || !array.use.element_read || array.constant || last_step(array) != LastStep::one) continue;
        std::string sum;
        for (int axis = 0; axis < layout_.rank + axes_.kept_rank; ++axis) {
            const bool reduced = axis < layout_.rank;
            const std::string extent =
                gemel::text(layout_name_, reduced ? ".extent[" : ".kept[", reduced ? axis : axis - layout_.rank, "]");
            sum += gemel::text(
                sum.empty() ? "" : " + ", "(", extent, " - 1)",
                axis + 1 == layout_.rank ? "" : gemel::text(" * ", layout_name_, ".", array.steps, "[", axis, "]"));
        }
        writer_.line("const ", index_, " ", last_position(array), " = ", sum, ";");
    }
}

std::string ElementAccess::result_member() const {
    std::string name = "result";
    while (std::any_of(arguments_.begin(), arguments_.end(), [&](const Parameter& p) { return p.name == name; }))
        name += '_';
    return name;
}

void ElementAccess::begin_result(const std::string& output, const std::string& name) {
    const std::string slowest = axis_index(output, axes_.kept_rank, "kept", "r_");
    writer_.line("const ", index_, " ", name, " = ", kept_sum(result_member(), slowest, "r_"), ";");
}

std::string ElementAccess::result_of(const std::string& name, const std::string& lane) const {
    return along_neighbours(name, result_member(), LastStep::any, lane);
}

void ElementAccess::begin_line(const std::string& line) {
    const int rank = layout_.rank - 1;
    const std::string slowest = rank > 0 ? axis_index(line, rank, "extent", "i_") : std::string();
    declare_positions("_line", "_base", [&](const std::string& base, const std::string& member, LastStep) {
        return reach(base, member, slowest, rank);
    });
}

/// `base` plus this many strides along the axis of neighbours.
std::string ElementAccess::along_neighbours(const std::string& base, const std::string& member, LastStep step,
                                            const std::string& index) const {
    if (step == LastStep::zero || index == "0") return base;
    if (step == LastStep::one) return gemel::text(base, " + ", index);
    return gemel::text(base, " + ", index, " * ", layout_name_, ".", member, "[", neighbours_axis(), "]");
}

void ElementAccess::begin_in_line(const std::string& e) {
    declare_positions("_at", "_line", [&](const std::string& base, const std::string& member, LastStep step) {
        return along_neighbours(base, member, step, e);
    });
}

void ElementAccess::begin_column(const std::string& k) {
    const std::string slowest = axis_index(k, layout_.rank, "extent", "i_");
    declare_positions(axes_.vector_width && in_stage_.empty() ? "_at" : "_column", "_base",
                      [&](const std::string& base, const std::string& member, LastStep) {
                          return reach(base, member, slowest, layout_.rank);
                      });
}

void ElementAccess::begin_in_column(const std::string& lane) {
    declare_positions("_at", "_column", [&](const std::string& base, const std::string& member, LastStep step) {
        return along_neighbours(base, member, step, lane);
    });
}

void ElementAccess::begin_piece(const std::string& output, const std::string& line) {
    begin_output(output);
    if (!axes_.columns) return begin_line(line);
    const std::string slowest = axis_index(line, layout_.rank, "extent", "i_");
    declare_positions("_line", "_base", [&](const std::string& base, const std::string& member, LastStep) {
        return reach(base, member, slowest, layout_.rank);
    });
}

void ElementAccess::begin_first(const std::string& lane) {
    declare_positions("_at", "_base", [&](const std::string& base, const std::string& member, LastStep step) {
        return axes_.columns ? along_neighbours(base, member, step, lane) : base;
    });
}

void ElementAccess::begin_found() {
    if (axes_.has_index) writer_.line("const ", index_, " i = ", unused("i_at"), ";");
    declare_converted();
}

std::string ElementAccess::line_shift() const {
    for (const Array& array : arrays_) {
        if (!array.in_packs || last_step(array) != LastStep::one) continue;
        const Parameter& p = parameter(array);
        return gemel::text("(int)((size_t)(", p.name, " + ", unused(p.name + "_line"), ") / sizeof(",
                           storage_type(p.dtype, writer_.dialect()), ") % ", vector_width_, ")");
    }
    return "0";
}

void ElementAccess::load_neighbours(const std::string& slot, const std::string& e, const std::string& extent,
                                    const IsLoaded& is_loaded) {
    for (const Array& array : arrays_)
        if (array.in_packs && !array.constant && (!is_loaded || is_loaded(array.argument)))
            move_neighbours(array, Move::load, gemel::text(array.pack, "[", slot, "]"), e, extent);
}

std::size_t ElementAccess::declare_shared_neighbours(int count, const IsLoaded& is_kept, bool in_arena) {
    std::size_t bytes = 0;
    for (const Array& array : arrays_) {
        if (!array.in_packs || !is_kept(array.argument)) continue;
        if (in_arena)
            writer_.line("LOCAL_MEM_ARG ", array.pack_type, " *const ", pack_in_shared(array), " = (LOCAL_MEM_ARG ",
                         array.pack_type, " *)(shared_arena + ", bytes, ");");
        else
            writer_.line(aligned_shared(writer_.dialect()), " ", array.pack_type, " ", pack_in_shared(array), "[",
                         count, "];");
        bytes += static_cast<std::size_t>(count) * static_cast<std::size_t>(vector_width_) *
                 parameter(array).dtype.size_bytes();
    }
    return bytes;
}

void ElementAccess::copy_neighbours(const std::string& shared, bool async, const std::string& e,
                                    const std::string& extent, const IsLoaded& is_loaded) {
    for (const Array& array : arrays_)
        if (array.in_packs && is_loaded(array.argument))
            move_neighbours(array, async ? Move::copy_async : Move::load,
                            gemel::text(pack_in_shared(array), "[", shared, "]"), e, extent);
}

void ElementAccess::fetch_neighbours(const std::string& slot, const std::string& shared, const IsLoaded& is_kept) {
    for (const Array& array : arrays_) {
        if (!array.in_packs || !is_kept(array.argument)) continue;
        int words = 0;
        word_type(array, words);
        for (int w = 0; w < words; ++w)
            writer_.line(array.pack, "[", slot, "].words[", w, "] = ", pack_in_shared(array), "[", shared, "].words[",
                         w, "];");
    }
}

void ElementAccess::declare_constants(int count, const std::string& slot) {
    constant_slot_ = slot;
    for (Array& array : arrays_) {
        array.constant = array.in_packs && layout_.arguments[array.argument].constant;
        if (array.constant) writer_.line(array.pack_type, " ", array.pack, "[", count, "];");
    }
}

void ElementAccess::load_constants(const std::string& slot) {
    for (const Array& array : arrays_) {
        if (!array.constant) continue;
        Array first = array;
        first.at = unused(prefix(&array) + "_base");
        if (axes_.columns)
            move_neighbours(first, Move::load, gemel::text(array.pack, "[", slot, "]"), {}, {});
        else
            writer_.line(set_lane_of(array, gemel::text(array.pack, "[", slot, "]"), "0",
                                     gemel::text(parameter(array).name, "[", first.at, "]")));
    }
}

void ElementAccess::store_neighbours(const std::string& slot, const std::string& e, const std::string& extent) {
    for (const Array& array : arrays_)
        if (array.in_packs && array.use.element_written)
            move_neighbours(array, Move::store, gemel::text(array.pack, "[", slot, "]"), e, extent);
}

std::string ElementAccess::or_inside(const std::string& condition) const {
    return inside_.empty() ? "if (" + condition + ")" : "if (" + inside_ + " || (" + condition + "))";
}

/// Moves one array's pack, by wide accesses if its neighbours are contiguous and all are inside.
void ElementAccess::move_neighbours(const Array& array, Move way, const std::string& pack, const std::string& e,
                                    const std::string& extent) {
    const Parameter& p = parameter(array);
    const LastStep step = last_step(array);
    const bool store = way == Move::store;
    const auto move = [&](const std::string& memory, const std::string& own) {
        return store ? gemel::text(memory, " = ", own, ";") : gemel::text(own, " = ", memory, ";");
    };
    const bool wide = step == LastStep::one && vector_width_ > 1;
    if (wide && !e.empty() && !store && reads_beside_lines())
        writer_.open(or_inside(
            gemel::text(array.at, " >= 0 && ", array.at, " + ", vector_width_ - 1, " <= ", last_position(array))));
    else if (wide && !e.empty())
        writer_.open(or_inside(gemel::text(e, " >= 0 && ", e, " + ", vector_width_, " <= ", extent)));
    if (wide) {
        int words = 0;
        const std::string pointer = writer_.global_pointer(word_type(array, words), !store);
        const int bytes = static_cast<int>(p.dtype.size_bytes()) * vector_width_ / words;
        for (int w = 0; w < words; ++w) {
            const std::string memory = gemel::text("((", pointer, ")(", p.name, " + ", array.at, "))[", w, "]");
            const std::string own = gemel::text(pack, ".words[", w, "]");
            writer_.line(way == Move::copy_async && bytes >= 4
                             ? gemel::text("gemel_copy_async_", bytes, "(&", own, ", &", memory, ", ", bytes, ");")
                             : move(memory, own));
        }
    }
    if (wide && e.empty()) return;
    if (wide) {
        writer_.close();
        writer_.open("else");
    }
    for (int lane = 0; lane < vector_width_; ++lane) {
        const std::string inside =
            e.empty() ? "" : gemel::text("if (", e, " + ", lane, " >= 0 && ", e, " + ", lane, " < ", extent, ") ");
        const std::string at = along_neighbours(array.at, array.steps, step, gemel::text(lane));
        const std::string memory = gemel::text(this->memory(array), "[", at, "]"), number = gemel::text(lane);
        writer_.line(inside,
                     store ? move(memory, lane_of(array, pack, number)) : set_lane_of(array, pack, number, memory));
    }
    if (wide) writer_.close();
}

void ElementAccess::begin_neighbour(const std::string& slot, const std::string& lane) {
    if (axes_.has_index)
        writer_.line("const ", index_, " i = ", along_neighbours(unused("i_at"), "i", LastStep::any, lane), ";");
    begin_lane(slot, lane);
}

}  // namespace gemel::codegen
