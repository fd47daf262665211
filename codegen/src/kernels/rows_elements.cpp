/// What row programs do with the elements of one access, of one position or of one row.
#include "kernels/rows_text.hpp"

#include "reduction_kernels.hpp"
#include "rows_kernels.hpp"

#include <gemel/core/text.hpp>

namespace gemel::codegen {

std::string RowText::statements(std::size_t l) {
    const Snippet& snippet = l < request_.loops.size() ? request_.loops[l].statements : request_.body;
    if (snippet.empty()) return {};
    return printed([&] { writer_.lines(access_.statements(snippet, layout_.serial ? Mode::element : Mode::lane)); });
}

std::size_t RowText::first_value(std::size_t l) const {
    std::size_t first = 0;
    for (std::size_t k = 0; k < l; ++k) first += request_.loops[k].values.size();
    return first;
}

bool RowText::uses_reduced_index(std::size_t l) const {
    return l < request_.loops.size() && std::ranges::any_of(request_.loops[l].values, [](const ReducedValue& v) {
               return v.map_expr.uses("reduced_index");
           });
}

/// The condition under which an access lies within the row. @param whole  the first accesses always do
std::string RowText::in_row(const char* slot, int slots, int whole) const {
    if (whole >= slots) return {};
    const std::string within = kernel_.name("k") + " < " + kernel_.name("positions");
    return whole > 0 ? gemel::text("if (", kernel_.name(slot), " < ", whole, " || ", within, ") ")
                     : "if (" + within + ") ";
}

/// The condition under which accesses from `first` to before the last whole one lie within the row with all elements.
std::string RowText::inside(const char* slot, int first, int whole) const {
    if (!layout_.tile.shifted || whole <= first) return {};
    const std::string name = kernel_.name(slot), before = gemel::text(name, " < ", whole);
    return first == 0 ? before : gemel::text("(", name, " >= ", first, " && ", before, ")");
}

/// The positions beyond a thread's registers: copies to shared memory before the loop, and the loop's part over them.
void RowText::add_further(std::size_t l, bool goes_on, const std::string& edge,
                          const ElementAccess::IsLoaded& is_loaded, Values& more) {
    const bool is_body = l == request_.loops.size();
    const std::string kept_inside = access_.inside();
    access_.packs_are_inside_if(inside("s", 0, layout_.whole_slots - layout_.slots));
    const std::string slot = kernel_.name("u"), extent = kernel_.name("extent");
    const std::string shared = gemel::text(kernel_.name("s"), " * ", layout_.block, " + ", kernel_.name("thread"));
    const auto keeps = [&](std::size_t argument) { return is_kept(argument); };
    const auto copies = [&](const ElementAccess::IsLoaded& which) {
        return printed([&] {
            access_.copy_neighbours(shared, layout_.copies_async, edge, extent,
                                    [&](std::size_t argument) { return which(argument) && is_kept(argument); });
        });
    };
    const std::string copy = copies(is_loaded);
    const Values moves{
        {"copy", copy},
        {"goes_on", goes_on},
        {"following",
         goes_on ? following(copies([&](std::size_t argument) { return names(0, argument); })) : std::string()},
        {"fetch", printed([&] {
             access_.fetch_neighbours(slot, shared, keeps);
             access_.load_neighbours(slot, edge, extent,
                                     [&](std::size_t argument) { return is_loaded(argument) && !is_kept(argument); });
         })},
        {"neighbours", neighbours(l, false)},
        {"store", is_body ? printed([&] { access_.store_neighbours(slot, edge, extent); }) : ""}};
    if (!copy.empty()) more["copies"] = fill(rows_kernels::further_copies(), moves);
    more["further"] = fill(rows_kernels::further(), moves);
    access_.packs_are_inside_if(kept_inside);
}

std::string RowText::neighbours(std::size_t l, bool keeps) {
    const bool is_body = l == request_.loops.size();
    const std::string neighbour = kernel_.name("neighbour"), slot = kernel_.name("u");
    std::string reduced_index = "k";
    if (rows()) reduced_index = has_lines() ? "line * extent + e + neighbour" : "e + neighbour";
    const auto element = [&](bool guarded) {
        return fill(rows_kernels::element(),
                    {{"guarded", guarded},
                     {"uses_reduced_index", uses_reduced_index(l)},
                     {"reduced_index", reduced_index},
                     {"begin_neighbour", printed([&] { access_.begin_neighbour(slot, neighbour); })},
                     {"known", known(l, l, rows() ? "0" : "neighbour")},
                     {"statements", statements(l)},
                     {"kept_before", keeps ? kept(0, l) : Value(Value::List{})},
                     {"kept_now", keeps ? kept(l, l + 1) : Value(Value::List{})},
                     {"kept_again", keeps ? Value(Value::List{}) : kept(0, l + 1)},
                     {"run", layout_.slots ? "totals" : "run"},
                     {"end_neighbour", is_body ? printed([&] { access_.end_lane(slot, neighbour); }) : std::string()}});
    };
    if (!layout_.tile.shifted) return element(false);
    return fill(rows_kernels::whole_or_edge(), {{"is_known", !access_.inside().empty()},
                                                {"inside", kernel_.verbatim(access_.inside())},
                                                {"whole", element(false)},
                                                {"edge", element(true)}});
}

std::string RowText::declare_stage() {
    return printed([&] { access_.declare_stage(static_cast<std::size_t>(layout_.tile.stage)); });
}

/// Elements of staged arrays are found in the stage from now on. Threads beyond the last row take the first one.
void RowText::begin_in_stage() {
    access_.begin_in_stage(gemel::text("(", kernel_.name("is_there"), " ? ", kernel_.name("across"), " : 0) * (int)",
                                       kernel_.name("extent")));
}

/// The copies of a block's rows.
void RowText::add_stage() {
    const std::string first = kernel_.name("first_row");
    const ElementAccess::Piece piece{.thread = kernel_.name("thread"),
                                     .size = kernel_.name("piece"),
                                     .block = layout_.block,
                                     .async = layout_.tile.stages_async};
    access_.end_in_stage();
    const std::string copies = printed([&] {
        access_.begin_piece(first, "0");
        access_.copy_to_stage(piece);
    });
    values_["copy_to_stage"] = fill(reduction_kernels::copy_to_stage(), {{"copies", copies}});
    const std::string back = printed([&] { access_.copy_from_stage(piece); });
    values_["stores_stage"] = !back.empty();
    values_["copy_from_stage"] = printed([&] { access_.begin_piece(first, "0"); }) + "\n" + back;
    begin_in_stage();
}

/// @param run    the words for the running values
/// @param again  the first `again` neighbours do not count
std::string RowText::serial_element(std::size_t l, const char* run, bool again) {
    const auto begin = [&] {
        if (rows()) access_.begin_in_line(kernel_.name("e"));
        if (!rows()) access_.begin_in_column(kernel_.name("neighbour"));
        access_.begin_found();
    };
    const std::string position = !rows() ? "k" : has_lines() ? "line * extent + e" : "e";
    return fill(
        rows_kernels::serial_element(),
        {{"uses_reduced_index", uses_reduced_index(l)},
         {"reduced_index", position},
         {"begin_element", printed(begin)},
         {"known", known(l, l, rows() ? "0" : "neighbour")},
         {"statements", statements(l)},
         {"kept_before", layout_.slots ? kept(0, l) : Value(Value::List{})},
         {"kept_now", layout_.slots ? kept(l, l + 1) : Value(Value::List{})},
         {"kept_again", layout_.slots ? Value(Value::List{}) : kept(0, l + 1)},
         {"kept_index", rows() ? position : gemel::text("k * ", layout_.tile.vector_width, " + neighbour")},
         {"run", run},
         {"again", again},
         {"end_element", l == request_.loops.size() ? printed([&] { access_.end_element(); }) : std::string()}});
}

/// Elements that results use are constant along the row: the first one is taken.
std::string RowText::store_results() {
    const auto first = [&] {
        access_.begin_first(kernel_.name("neighbour"));
        access_.begin_found();
    };
    return fill(rows_kernels::store_results(),
                {{"begin_first", printed(first)},
                 {"known", known(request_.loops.size(), request_.loops.size(), rows() ? "0" : "neighbour")}});
}

}  // namespace gemel::codegen
