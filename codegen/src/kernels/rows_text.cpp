#include "kernels/rows_text.hpp"

#include "reduction_kernels.hpp"
#include "rows_kernels.hpp"

#include <gemel/codegen/block.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <set>

namespace gemel::codegen {

namespace {

std::vector<const Snippet*> snippets(const RowRequest& request, const Snippet& preamble) {
    std::vector<const Snippet*> all{&preamble, &request.body};
    for (const RowLoop& loop : request.loops) {
        all.push_back(&loop.statements);
        for (const RowComputed& kept : loop.kept) all.push_back(&kept.value);
        for (const RowComputed& fixed : loop.fixed) all.push_back(&fixed.value);
        for (const ReducedValue& value : loop.values) all.push_back(&value.map_expr);
    }
    for (const RowResult& result : request.results) all.push_back(&result.value);
    return all;
}

ReducedAxes axes_of(const RowLayout& layout) {
    return {.kept_rank = layout.kept_rank,
            .has_index = layout.has_index,
            .has_result = layout.has_result,
            .columns = layout.mapping == ReductionLayout::Mapping::columns,
            .vector_width = layout.serial ? 0 : layout.tile.vector_width,
            .shifted = layout.tile.shifted};
}

std::set<std::string, std::less<>> kept_words() { return {"i", "a", "b", "n", "reduced_index"}; }

}  // namespace

RowText::RowText(const RowRequest& request, const RowLayout& layout, const Dialect& dialect)
    : request_(request),
      layout_(layout),
      writer_(dialect),
      preamble_(request.preamble),
      access_(request.name, request.arguments, array_uses(request), layout.elements, 16, writer_,
              snippets(request, preamble_), axes_of(layout)),
      kernel_(dialect, [this](std::string_view word) { return access_.is_taken(word); }, kept_words()) {
    for (const RowLoop& loop : request.loops)
        for (const ReducedValue& value : loop.values) all_.push_back(&value);
}

std::string RowText::printed(const std::function<void()>& print) {
    print();
    return kernel_.verbatim(writer_.take());
}

std::string RowText::fill(const Template& kernel, const Values& more) {
    Values all = values_;
    for (const auto& [name, value] : more) all[name] = value;
    return kernel_.fill(kernel, std::move(all));
}

DType RowText::accumulator(std::size_t v) const {
    return all_[v]->accumulator.empty() ? all_[v]->dtype : all_[v]->accumulator;
}

/// bool is a byte, since not every language has bools in shared memory.
std::string RowText::running_type(std::size_t v) const {
    const DType dtype = accumulator(v);
    return dtype.kind() == DType::Kind::boolean ? storage_type(dtype, writer_.dialect()) : value_type(dtype);
}

bool RowText::names(std::size_t l, std::size_t argument) const {
    const std::string& name = request_.arguments[argument].name;
    // The values that this loop keeps, and, without registers, those that earlier loops keep.
    for (std::size_t from = layout_.slots ? l : 0; from <= l && from < request_.loops.size(); ++from)
        for (const RowComputed& kept : request_.loops[from].kept)
            if (kept.value.use_of(name).element) return true;
    if (l == request_.loops.size()) return request_.body.use_of(name).element_read;
    const RowLoop& loop = request_.loops[l];
    return loop.statements.use_of(name).element_read ||
           std::ranges::any_of(loop.values, [&](const ReducedValue& v) { return v.map_expr.use_of(name).element; });
}

bool RowText::is_kept(std::size_t argument) const {
    for (std::size_t l = 0; l < request_.loops.size(); ++l)
        if (names(l, argument)) return true;
    return false;
}

/// The template values of one running value.
Values RowText::value(std::size_t v) {
    const ReducedValue& value = *all_[v];
    const bool is_truth = accumulator(v).kind() == DType::Kind::boolean;
    const auto running = [&](const std::string& text) { return is_truth ? as_truth(text) : text; };
    const std::string name = request_.name + "_stored" + suffix(v);
    const bool is_bool = value.dtype.kind() == DType::Kind::boolean;
    const bool takes_length = Snippet(value.result_expr).uses("n");
    std::string open, close, found;
    if (!value.result_expr.empty()) {
        open = name + "(";
        close = takes_length ? ", n)" : ")";
    } else if (is_bool) {
        close = " != 0";
    }
    if (layout_.serial || along() == 1) {
        found = rows() ? "total" + suffix(v) : gemel::text("totals", suffix(v), "[neighbour]");
    } else if (rows() && (layout_.warps || layout_.tile.shuffles)) {
        found = "total" + suffix(v);
    } else {
        found = rows()              ? gemel::text("shared", suffix(v), "[across * ", along(), "]")
                : layout_.parts > 1 ? gemel::text("parts", suffix(v), "[across * ", layout_.tile.vector_width,
                                                  " + neighbour]", layout_.clusters ? ".item" : "")
                                    : gemel::text("shared", suffix(v), "[across + neighbour * ", layout_.block, "]");
    }
    return {{"at", suffix(v)},
            {"type", kernel_.verbatim(running_type(v))},
            {"identity", kernel_.verbatim(running(value.neutral))},
            {"reduced", kernel_.verbatim(running(value.reduce_expr))},
            {"replaces", !value.replace_if.empty()},
            {"replace_if", kernel_.verbatim(value.replace_if)},
            {"has_result", !value.result_expr.empty()},
            {"result_type", kernel_.verbatim(value_type(value.dtype))},
            {"length", takes_length ? kernel_.verbatim(gemel::text(", ", access_.index_type(), " n")) : ""},
            {"result", kernel_.verbatim(value.result_expr)},
            {"found", found},
            {"found_type", kernel_.verbatim(value_type(value.dtype))},
            {"words_type", item(v) + "_words"},
            {"row", kernel_.verbatim(gemel::text("row", v))},
            {"open", open},
            {"close", close},
            {"mapped",
             kernel_.verbatim(running(access_.snippet(value.map_expr, layout_.serial ? Mode::element : Mode::lane)))}};
}

Value RowText::values(std::size_t first, std::size_t end) {
    Value::List all;
    for (std::size_t v = first; v < end; ++v) all.push_back(value(v));
    return all;
}

Value RowText::computed(std::vector<RowComputed> RowLoop::*list, const char* words, std::size_t first,
                        std::size_t end) {
    Value::List all;
    std::size_t number = 0;
    for (std::size_t l = 0; l < std::min(end, request_.loops.size()); ++l)
        for (const RowComputed& computed : request_.loops[l].*list) {
            const std::string word = gemel::text(words, number++);
            if (l < first) continue;
            const Mode mode = layout_.serial ? Mode::element : Mode::lane;
            all.push_back(Values{{"type", kernel_.verbatim(value_type(computed.dtype))},
                                 {"word", kernel_.verbatim(word)},
                                 {"name", kernel_.verbatim(access_.unused(word + "_values"))},
                                 {"value", kernel_.verbatim(access_.snippet(computed.value, mode))}});
        }
    return all;
}

Value RowText::kept(std::size_t first, std::size_t end) { return computed(&RowLoop::kept, "kept", first, end); }
Value RowText::fixed(std::size_t first, std::size_t end) { return computed(&RowLoop::fixed, "fixed", first, end); }

Value RowText::stored() {
    Value::List all;
    for (std::size_t r = 0; r < request_.results.size(); ++r) {
        const RowResult& result = request_.results[r];
        const std::string value = access_.snippet(result.value, Mode::element);
        const std::string kept = result.dtype.kind() == DType::Kind::boolean ? gemel::text("(", value, ") != 0")
                                                                             : store_text(result.dtype, value);
        all.push_back(Values{{"at", suffix(r)},
                             {"storage", kernel_.verbatim(storage_type(result.dtype, writer_.dialect()))},
                             {"has_offset", static_cast<bool>(layout_.result_offsets[r])},
                             {"value", kernel_.verbatim(kept)}});
    }
    return all;
}

/// The template values of positions and threads.
Values RowText::words() {
    const ReductionTile& tile = layout_.tile;
    const int axis = rows() ? layout_.elements.rank - 1 : layout_.kept_rank - 1;
    const std::string extent = gemel::text(access_.layout_name(), rows() ? ".extent[" : ".kept[", axis, "]");
    const std::string across = gemel::text(tile.across), along = gemel::text(this->along());
    const std::string fast = "thread % " + (rows() ? along : across), slow = "thread / " + (rows() ? along : across);
    const std::string apart = gemel::text("thread % 32 / ", along, " * ", layout_.block / 32, " + thread / 32");
    const std::string result_at = kernel_.name("result_at"), neighbour = kernel_.name("neighbour");
    return {
        {"name", request_.name},
        {"kernel", kernel_.verbatim(request_.name)},
        {"index", access_.index_type()},
        {"block", layout_.serial ? 1 : layout_.block},
        {"resident",
         pieces::ResidentBlocks{.block = layout_.block, .count = static_cast<std::uint32_t>(layout_.resident_blocks)}
             .text()},
        {"rows", rows()},
        {"columns", !rows()},
        {"serial", layout_.serial},
        {"several_lines", has_lines()},
        {"extent", kernel_.verbatim(extent)},
        {"vector_width", tile.vector_width},
        {"shifted", tile.shifted},
        {"warps", layout_.warps || tile.shuffles},
        {"across_count", tile.across},
        {"turns", tile.rows},
        {"rows_of_block", tile.across * tile.rows},
        {"along_count", this->along()},
        {"unroll", tile.unroll},
        {"slots", layout_.slots},
        {"shared_slots", layout_.shared_slots},
        {"copies_async", layout_.copies_async},
        {"in_row", in_row("u", layout_.slots, layout_.whole_slots)},
        {"shared_in_row", in_row("s", layout_.shared_slots, layout_.whole_slots - layout_.slots)},
        {"parts", layout_.parts},
        {"stays", layout_.stays},
        {"clusters", layout_.clusters},
        {"stage", tile.stage},
        {"stages_async", tile.stages_async},
        {"outputs_of_group", tile.across * outputs_of_thread()},
        {"columns_of_block", columns_of_block()},
        {"step", tile.unroll * this->along()},
        {"outputs_of_thread", outputs_of_thread()},
        {"along", rows() ? fast : slow},
        {"across", layout_.rows_apart ? apart
                   : rows()           ? slow
                                      : fast},
        {"has_results", !request_.results.empty()},
        {"begin_result", layout_.has_result ? printed([&] { access_.begin_result(kernel_.name("output"), result_at); })
                                            : std::string()},
        {"result_index", kernel_.verbatim(layout_.has_result ? access_.result_of(result_at, neighbour)
                                                             : kernel_.name("output") + " + " + neighbour)}};
}

std::string RowText::head() {
    std::vector<DType> extra;
    const auto add = [&](DType dtype) {
        if (std::ranges::none_of(request_.arguments, [&](const Parameter& p) { return p.dtype == dtype; }))
            extra.push_back(dtype);
    };
    for (std::size_t v = 0; v < all_.size(); ++v) add(all_[v]->dtype), add(accumulator(v));
    for (const RowResult& result : request_.results) add(result.dtype);
    return printed([&] {
        access_.declare_types(extra);
        if (!request_.preamble.empty()) writer_.lines(request_.preamble);
    });
}

void RowText::declare_shared_packs() {
    const std::size_t bytes = access_.declare_shared_neighbours(
        layout_.shared_slots * layout_.block, [&](std::size_t argument) { return is_kept(argument); },
        layout_.arena_bytes > 0);
    if (layout_.arena_bytes > 0 && bytes > layout_.arena_bytes)
        throw ArgumentError(gemel::text("row_source: arena_bytes is ", layout_.arena_bytes,
                                        ", but the rows that stay "
                                        "in shared memory take ",
                                        bytes, " bytes"));
}

std::string RowText::text() {
    if (layout_.tile.stage) begin_in_stage();
    std::string all = head() + '\n';
    const bool exchanges = !layout_.serial && (layout_.warps || layout_.tile.shuffles || layout_.parts > 1);
    for (std::size_t v = 0; exchanges && v < all_.size(); ++v) all += pieces::Exchange{exchanged(v)}.text(kernel_);
    values_ = words();
    values_["stored"] = stored();
    values_["values"] = values_["all_values"] = values(0, all_.size());
    all += fill(reduction_kernels::functions());
    std::string arguments;
    for (const std::string& parameter : access_.parameters()) arguments += parameter + ",\n";
    const bool in_shared = !layout_.serial && !layout_.tile.shuffles && along() > 1;
    const int per_value = layout_.warps && rows() ? layout_.block / 32 : layout_.block * outputs_of_thread();
    all += fill(
        rows_kernels::rows(),
        {{"arguments", kernel_.verbatim(arguments)},
         {"results", fill(rows_kernels::parameters())},
         {"more_sizes", rows() && layout_.serial ? gemel::text(",\n", access_.index_type(), " span") : std::string()},
         {"shares", in_shared},
         {"shared_count", per_value},
         {"has_arena", layout_.arena_bytes > 0},
         {"shared_packs", layout_.tile.stage     ? declare_stage()
                          : layout_.shared_slots ? printed([&] { declare_shared_packs(); })
                                                 : std::string()},
         {"argument_offsets", printed([&] { access_.apply_offsets(); })},
         {"result_offsets", fill(rows_kernels::offsets())},
         {"body", over_rows()}});
    return kernel_.finish(all);
}

/// Declares the results and fixed values of the first loops under their names in snippets.
std::string RowText::known(std::size_t found_by, std::size_t fixed_by, const std::string& position) {
    return fill(rows_kernels::known(), {{"known_values", values(0, first_value(found_by))},
                                        {"known_fixed", fixed(0, fixed_by)},
                                        {"position", position}});
}

std::string RowText::over_rows() {
    const std::size_t loops = request_.loops.size() + (request_.body.empty() ? 0 : 1);
    values_["stores_stage"] = false;
    if (layout_.tile.stage) add_stage();
    if (layout_.parts > 1 && !layout_.clusters) values_["deal_tile"] = pieces::DealTile{}.text(kernel_);
    values_["begin_output"] = printed([&] { access_.begin_output(kernel_.name("output")); });
    values_["begin_line"] = rows() ? printed([&] { access_.begin_line(kernel_.name("line")); }) : std::string();
    values_["begin_column"] = rows() ? std::string() : printed([&] { access_.begin_column(kernel_.name("k")); });
    if (!layout_.serial) {
        values_["line_shift"] = kernel_.verbatim(access_.line_shift());
        values_["begin_in_line"] = rows() ? printed([&] { access_.begin_in_line(kernel_.name("e")); }) : std::string();
        values_["find_position"] = fill(reduction_kernels::find_position());
        values_["count_positions"] = fill(reduction_kernels::count_positions());
        // The last slot is for the packs that are in shared memory, one after another.
        const int vectors = layout_.slots ? layout_.slots + (layout_.shared_slots ? 1 : 0) : layout_.tile.unroll;
        values_["declare_vectors"] = printed([&] { access_.declare_packs(vectors); });
    }
    std::string text;
    access_.packs_are_inside_if(inside("u", 1, std::min(layout_.whole_slots, layout_.slots)));
    for (std::size_t l = 0; l < loops; ++l) text += loop(l, l + 1 == loops);
    const Template& whole = !layout_.serial ? rows_kernels::parallel()
                            : rows()        ? rows_kernels::serial_rows()
                                            : rows_kernels::serial_columns();
    const std::string stored = request_.results.empty() ? std::string() : store_results();
    const std::string group =
        layout_.stays      ? kernel_.name("group")
        : layout_.clusters ? gemel::text("(", access_.index_type(), ")(GID_0 / ", layout_.parts, ")")
        : layout_.parts > 1
            ? gemel::text("(", access_.index_type(), ")(", kernel_.name("tile"), " / ", layout_.parts, ")")
            : gemel::text("(", access_.index_type(), ")GID_0");
    return fill(whole, {{"loops", text},
                        {"begin_group", layout_.serial ? std::string() : begin_group(group)},
                        {"first_loads", first_loads_},
                        {"kept_now", layout_.slots ? kept(0, request_.loops.size()) : Value(Value::List{})},
                        {"store_once", layout_.serial || stored.empty()
                                           ? std::string()
                                           : fill(rows_kernels::store_once(), {{"store_results", stored}})},
                        {"store_results", stored}});
}

std::string RowText::following(const std::string& load) {
    return fill(rows_kernels::following(),
                {{"begin_following", begin_group(kernel_.name("following"))}, {"load", load}});
}

std::string RowText::begin_group(const std::string& group) {
    return fill(rows_kernels::begin_group(), {{"group", group}});
}

std::string RowText::loop(std::size_t l, bool is_last) {
    const bool is_body = l == request_.loops.size();
    const std::size_t first = first_value(l), end = is_body ? first : first + request_.loops[l].values.size();
    values_["values"] = values(first, end);
    const bool serial = layout_.serial;
    const int width = layout_.tile.vector_width;
    Values more{{"combine", is_body ? std::string() : combine(l)},
                {"declare_totals", is_body  ? std::string()
                                   : serial ? fill(rows_kernels::serial_totals())
                                            : fill(reduction_kernels::declare_totals(), {{"count", width}})}};
    const bool replaces = !is_body && std::any_of(request_.loops[l].values.begin(), request_.loops[l].values.end(),
                                                  [](const ReducedValue& value) { return !value.replace_if.empty(); });
    if (serial) {
        more["by_four_rows"] = !is_body && !replaces;
        more["one_run"] = layout_.one_run;
        more["element"] = serial_element(l, layout_.one_run ? "totals" : "run", false);
        more["last_element"] = serial_element(l, "totals", true);
        return fill(rows() ? rows_kernels::serial_row_loop() : rows_kernels::serial_column_loop(), more);
    }
    // Kept rows: the arrays that no earlier loop has read. Otherwise: all arrays that this loop uses.
    const auto is_loaded = [&](std::size_t argument) {
        if (!names(l, argument)) return false;
        for (std::size_t before = 0; layout_.slots && before < l; ++before)
            if (names(before, argument)) return false;
        return true;
    };
    const std::string slot = kernel_.name("u");
    const std::string edge = layout_.tile.shifted ? kernel_.name("e") : std::string();
    const auto load = [&](const ElementAccess::IsLoaded& which) {
        return printed([&] { access_.load_neighbours(slot, edge, kernel_.name("extent"), which); });
    };
    const bool goes_on = layout_.stays && is_last;
    more["copies"] = more["further"] = more["following"] = more["loads"] = std::string();
    more["goes_on"] = goes_on;
    more["load"] = load(is_loaded);
    if (layout_.shared_slots) add_further(l, goes_on, edge, is_loaded, more);
    bool loads = false;
    for (std::size_t argument = 0; argument < request_.arguments.size(); ++argument) loads |= is_loaded(argument);
    const std::string all_loads = loads && layout_.slots ? fill(rows_kernels::loads(), more) : std::string();
    if (layout_.stays && l == 0)
        first_loads_ = all_loads;
    else
        more["loads"] = all_loads;
    if (goes_on) more["following"] = following(load([&](std::size_t argument) { return names(0, argument); }));
    more["neighbours"] = neighbours(l, layout_.slots > 0);
    more["store"] =
        is_body ? printed([&] { access_.store_neighbours(slot, edge, kernel_.name("extent")); }) : std::string();
    // Every other loop begins where the one before ended. Elements that replace others keep their order.
    more["backwards"] = l % 2 == 1 && !replaces;
    return fill(layout_.slots ? rows_kernels::kept_loop() : rows_kernels::reading_loop(), more);
}

}  // namespace gemel::codegen
