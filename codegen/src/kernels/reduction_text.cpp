#include "kernels/reduction_text.hpp"

#include "reduction_kernels.hpp"

#include <gemel/codegen/block.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>
#include <set>

namespace gemel::codegen {

std::vector<ArrayUse> array_uses(const ReductionRequest& request) {
    std::vector<ArrayUse> all;
    for (const Parameter& p : request.arguments) {
        ArrayUse use;
        for (const ReducedValue& value : request.values) use = use | value.map_expr.use_of(p.name);
        all.push_back(use);
    }
    return all;
}

namespace {

std::vector<const Snippet*> snippets(const ReductionRequest& request, const Snippet& preamble) {
    std::vector<const Snippet*> all{&preamble};
    for (const ReducedValue& value : request.values) all.push_back(&value.map_expr);
    return all;
}

DType accumulator(const ReducedValue& value) { return value.accumulator.empty() ? value.dtype : value.accumulator; }

/// Names of the templates that keep their meaning in users' text. `n` is the length for the user as well, unless an
/// argument has that name.
std::set<std::string, std::less<>> kept_words(const ReductionRequest& request) {
    std::set<std::string, std::less<>> kept{"i", "a", "b", "reduced_index"};
    const auto is_n = [](const Parameter& p) { return p.name == "n"; };
    if (std::none_of(request.arguments.begin(), request.arguments.end(), is_n)) kept.insert("n");
    return kept;
}

ReducedAxes reduced_axes(const ReductionLayout& layout) {
    return {.kept_rank = layout.kept_rank,
            .has_index = layout.has_index,
            .has_result = layout.has_result,
            .columns = layout.mapping == ReductionLayout::Mapping::columns,
            .vector_width =
                layout.mapping == ReductionLayout::Mapping::whole || layout.serial ? 0 : layout.tile.vector_width,
            .shifted = layout.tile.shifted};
}

int threads(const ReductionLayout& layout, const ReductionTuning& tuning) {
    if (layout.serial) return 1;
    return tuning.block ? static_cast<int>(tuning.block) : 256;
}

}  // namespace

ReductionText::ReductionText(const ReductionRequest& request, const ReductionLayout& layout,
                             const ReductionTuning& tuning, const Dialect& dialect)
    : request_(request),
      layout_(layout),
      block_(threads(layout, tuning)),
      unroll_(static_cast<int>(std::max(tuning.unroll, 1u))),
      serial_lanes_(static_cast<int>(std::bit_floor(std::max(tuning.running_results, 1u)))),  // a power of 2
      packed_(layout.elements.any(Access::packed)),
      writer_(dialect),
      preamble_(request.preamble),
      access_(request.name, request.arguments, array_uses(request), layout.elements, tuning.access_bytes, writer_,
              snippets(request, preamble_), reduced_axes(layout)),
      kernel_(dialect, [this](std::string_view word) { return access_.is_taken(word); }, kept_words(request)) {
    if (layout.result_offsets.size() != request.values.size())
        throw ArgumentError(gemel::text("reduction_source: '", request.name, "': expected ", request.values.size(),
                                        " result_offsets in the layout, got ", layout.result_offsets.size()));
    const bool whole = layout.mapping == Mapping::whole;
    if (whole != (layout.kept_rank == 0) || (!whole && !layout.serial && block_ % layout.tile.across != 0))
        throw ArgumentError(gemel::text("reduction_source: '", request.name, "': the mapping does not fit ",
                                        layout.kept_rank, " kept axes, or a block of ", block_,
                                        " threads is not a multiple of tile.across (", layout.tile.across, ")"));
    if (packed_ && !has_axes()) access_.set_lane(kernel_.name("u"), kernel_.name("lane"));
    if (is_staged()) begin_in_stage();
}

std::string ReductionText::text() {
    std::string all = head() + '\n';
    if (layout_.tile.shuffles)
        for (std::size_t v = 0; v < request_.values.size(); ++v) all += pieces::Exchange{exchanged(v)}.text(kernel_);
    values_ = {{"values", values()},
               {"name", request_.name},
               {"kernel", kernel_.verbatim(request_.name)},
               {"index", access_.index_type()},
               {"block", block_},
               {"unroll", unroll_},
               {"vector_width", access_.vector_width()},
               {"axes", has_axes()},
               {"serial", layout_.serial},
               {"split", layout_.split},
               {"finish", layout_.finish},
               {"uses_reduced_index", uses_reduced_index()}};
    all += fill(reduction_kernels::functions());
    if (finds_extreme())
        all += fill(reduction_kernels::extreme_functions(), {{"v", values_.at("values").as_list()[0]}});
    return kernel_.finish(all + kernel());
}

/// Types, and the user's preamble.
std::string ReductionText::head() {
    const auto is_argument = [&](const DType& dtype) {
        return std::any_of(request_.arguments.begin(), request_.arguments.end(),
                           [&](const Parameter& p) { return p.dtype == dtype; });
    };
    std::vector<DType> extra_types;
    for (const ReducedValue& value : request_.values)
        for (const DType& dtype : {value.dtype, accumulator(value)})
            if (!is_argument(dtype)) extra_types.push_back(dtype);
    return printed([&] {
        access_.declare_types(extra_types);
        if (!request_.preamble.empty()) writer_.lines(request_.preamble);
    });
}

/// The declared type of a running value: a byte for bool, since not every language has bools in shared memory.
std::string ReductionText::running_type(std::size_t v) const {
    const DType dtype = accumulator(request_.values[v]);
    return dtype.kind() == DType::Kind::boolean ? storage_type(dtype, writer_.dialect()) : value_type(dtype);
}

pieces::Item ReductionText::exchanged(std::size_t v) {
    const DType dtype = accumulator(request_.values[v]);
    const std::size_t bytes = dtype.is_16_bit_float() ? 4 : dtype.size_bytes();
    return {.name = gemel::text(request_.name, "_value", suffix(v)),
            .type = kernel_.verbatim(running_type(v)),
            .bytes = bytes};
}

/// An expression for a running value: bools become 0 or 1 from any number, as in C++.
std::string ReductionText::as_running(std::size_t v, const std::string& expression) const {
    return accumulator(request_.values[v]).kind() == DType::Kind::boolean ? as_truth(expression) : expression;
}

std::string ReductionText::suffix(std::size_t v) const {
    return request_.values.size() == 1 ? std::string() : gemel::text("_", v);
}

bool ReductionText::uses_reduced_index() const {
    return std::any_of(request_.values.begin(), request_.values.end(),
                       [](const ReducedValue& v) { return v.map_expr.uses("reduced_index"); });
}

Value ReductionText::values() {
    Value::List all;
    for (std::size_t v = 0; v < request_.values.size(); ++v) all.push_back(value(v));
    return all;
}

Values ReductionText::value(std::size_t v) {
    const ReducedValue& value = request_.values[v];
    // The stored value of a running value: `<store_open>total<store_close>`.
    const bool takes_length = Snippet(value.result_expr).uses("n");
    const std::string found = value.result_expr.empty()
                                  ? "$"
                                  : gemel::text(request_.name, "_stored", suffix(v), "($", takes_length ? ", n)" : ")");
    const std::string stored =
        value.dtype.kind() == DType::Kind::boolean ? found + " != 0" : store_text(value.dtype, found);
    Values words{{"at", suffix(v)},
                 {"type", kernel_.verbatim(running_type(v))},
                 {"storage", kernel_.verbatim(storage_type(value.dtype, writer_.dialect()))},
                 {"identity", kernel_.verbatim(as_running(v, value.neutral))},
                 {"reduced", kernel_.verbatim(as_running(v, value.reduce_expr))},
                 {"replaces", !value.replace_if.empty()},
                 {"replace_if", kernel_.verbatim(value.replace_if)},
                 {"has_result", !value.result_expr.empty()},
                 {"result_type", kernel_.verbatim(value_type(value.dtype))},
                 {"length", takes_length ? kernel_.verbatim(gemel::text(", ", access_.index_type(), " n")) : ""},
                 {"result", kernel_.verbatim(value.result_expr)},
                 {"has_offset", static_cast<bool>(layout_.result_offsets[v])},
                 {"store_open", stored.substr(0, stored.find('$'))},
                 {"store_close", stored.substr(stored.find('$') + 1)},
                 {"mapped", kernel_.verbatim(as_running(v, access_.snippet(value.map_expr, Mode::element)))}};
    if (finds_extreme()) {
        words["part_type"] = kernel_.verbatim(value_type(value.extreme.dtype));
        words["has_nan"] = value.extreme.dtype.is_floating();
        words["part"] = kernel_.verbatim(value.extreme.part);
        words["part_identity"] = kernel_.verbatim(value.extreme.neutral);
        words["extreme"] = kernel_.verbatim(value.extreme.reduce_expr);
    }
    const bool in_packs = packed_ || (has_axes() && !layout_.serial);
    if (in_packs) words["mapped_lane"] = kernel_.verbatim(as_running(v, access_.snippet(value.map_expr, Mode::lane)));
    return words;
}

/// Text printed by ElementAccess.
std::string ReductionText::printed(const std::function<void()>& print) {
    print();
    return kernel_.verbatim(writer_.take());
}

std::string ReductionText::fill(const Template& kernel, const Values& more) {
    Values all = values_;
    for (const auto& [name, value] : more) all[name] = value;
    return kernel_.fill(kernel, std::move(all));
}

std::string ReductionText::kernel() {
    std::string arguments;
    for (const std::string& parameter : access_.parameters()) arguments += parameter + ",\n";
    values_["begin_output"] =
        has_axes() ? printed([&] { access_.begin_output(kernel_.name("output")); }) : std::string();
    values_["combine_partials"] = layout_.split ? combine_partials() : std::string();
    std::string more_sizes;
    if (packed_) more_sizes = gemel::text(",\n", access_.index_type(), " head");
    if (rows() && layout_.serial) more_sizes = gemel::text(",\n", access_.index_type(), " span");
    const int sharers = has_axes() ? along() : block_;
    return fill(reduction_kernels::reduction(),
                {{"arguments", kernel_.verbatim(arguments)},
                 {"results", fill(reduction_kernels::parameters())},
                 {"more_sizes", more_sizes},
                 {"shares", !layout_.serial && sharers > 1 && !layout_.tile.shuffles},
                 {"shared_count", block_ * (columns() ? outputs_of_thread() : 1)},
                 {"staged_arrays", printed([&] {
                      if (is_staged()) access_.declare_stage(static_cast<std::size_t>(layout_.tile.stage));
                  })},
                 {"argument_offsets", printed([&] { access_.apply_offsets(); })},
                 {"result_offsets", fill(reduction_kernels::offsets())},
                 {"body", has_axes() ? over_axes() : block_per_output()}});
}

std::string ReductionText::element(const Element& words) {
    const auto begin = [&] {
        if (!has_axes()) return access_.begin_element("i");
        access_.begin_in_line(kernel_.name("e"));
        access_.begin_found();
    };
    return fill(reduction_kernels::element(), {{"position", words.position},
                                               {"sum", words.sum},
                                               {"of", words.of},
                                               {"is_later", words.is_later},
                                               {"searches", words.searches},
                                               {"compares", words.compares},
                                               {"seeks", words.seeks},
                                               {"reduced_index", !has_axes()   ? "i"
                                                                 : has_lines() ? "line * extent + e"
                                                                               : "e"},
                                               {"begin_element", printed(begin)}});
}

std::string ReductionText::declare_totals(int count) {
    return fill(reduction_kernels::declare_totals(), {{"count", count}});
}

std::string ReductionText::combine_totals(int count) {
    return fill(reduction_kernels::combine_totals(), {{"count", count}});
}

std::string ReductionText::tree() {
    pieces::ReduceInSharedMemory tree{.values = {}, .block = block_};
    for (std::size_t v = 0; v < request_.values.size(); ++v)
        tree.values.push_back({.total = "total" + suffix(v),
                               .shared = "shared" + suffix(v),
                               .reduce = request_.name + "_reduce" + suffix(v)});
    return tree.text(kernel_);
}

bool ReductionText::searches() const {
    return layout_.serial && request_.values.size() == 1 && !request_.values[0].replace_if.empty();
}

bool ReductionText::finds_extreme() const {
    return searches() && !columns() && lanes() > 1 && !request_.values[0].extreme.dtype.empty();
}

std::string ReductionText::reduce_serially() {
    if (finds_extreme()) return serial_extreme();
    return searches() ? serial_search() : serial_lanes();
}

std::string ReductionText::block_per_output() {
    return fill(reduction_kernels::block_per_output(),
                {{"piece", layout_.serial ? fill(reduction_kernels::piece()) : std::string()},
                 {"reduce_elements", layout_.serial ? reduce_serially()
                                     : packed_      ? packs()
                                                    : elements()},
                 {"tree", layout_.serial ? std::string() : tree()}});
}

std::string ReductionText::packs() {
    const int vector_width = access_.vector_width();
    const std::string u = kernel_.name("u"), p = kernel_.name("p"), lane = kernel_.name("lane");
    return fill(reduction_kernels::packs(),
                {{"declare_totals", declare_totals(vector_width)},
                 {"declare_packs", printed([&] { access_.declare_packs(unroll_); })},
                 {"load_packs", printed([&] { access_.load_packs(u, p); })},
                 {"begin_lane", printed([&] { access_.begin_lane(u, lane); })},
                 {"element", element({.position = gemel::text("(r < head ? r : r + packs * ", vector_width, ")"),
                                      .of = "[0]",
                                      .is_later = false})},
                 {"combine_totals", combine_totals(vector_width)},
                 {"tree", tree()}});
}

std::string ReductionText::elements() {
    constexpr int in_flight = 4;
    return fill(reduction_kernels::elements(), {{"in_flight", in_flight},
                                                {"declare_totals", declare_totals(in_flight)},
                                                {"element", element({.position = "k", .of = "[u]"})},
                                                {"combine_totals", combine_totals(in_flight)},
                                                {"tree", tree()}});
}

std::string ReductionText::serial_lanes() {
    const int count = lanes();
    return fill(reduction_kernels::serial_lanes(),
                {{"count", count},
                 {"element", element({.position = count == 1 ? "k" : "k + lane", .sum = "run", .of = "[lane]"})},
                 {"first_of_two", element({.position = "k + lane", .sum = "both"})},
                 {"second_of_two", element({.position = gemel::text("k + lane + ", count), .sum = "both"})},
                 {"last_element", element({.position = "k", .of = "[0]"})},
                 {"declare_totals", declare_totals(count)},
                 {"combine_totals", combine_totals(count)}});
}

std::string ReductionText::serial_extreme() {
    const auto compared = [&](const std::string& position, const std::string& best) {
        return element({.position = position, .sum = best, .compares = true});
    };
    const std::string next = gemel::text("k + lane + ", lanes());
    return fill(reduction_kernels::serial_extreme(), {{"count", lanes()},
                                                      {"v", values_.at("values").as_list()[0]},
                                                      {"first_of_two", compared("k + lane", "both")},
                                                      {"second_of_two", compared(next, "both")},
                                                      {"compared", compared("k + lane", "run[lane]")},
                                                      {"last_compared", compared("k", "run[0]")},
                                                      {"seek", element({.position = "k + j", .seeks = true})},
                                                      {"element", element({.position = "k", .sum = "total"})}});
}

std::string ReductionText::serial_search() {
    return fill(reduction_kernels::serial_search(),
                {{"look_at_element", element({.position = "j", .sum = "total", .searches = true})},
                 {"element", element({.position = "j", .sum = "total"})}});
}

std::string ReductionText::in_runs(const char* at, const char* end, const std::string& add_to_run) {
    // Wide values would not fit in registers.
    const bool wide = std::any_of(request_.values.begin(), request_.values.end(),
                                  [](const ReducedValue& v) { return accumulator(v).size_bytes() > 16; });
    return fill(reduction_kernels::in_runs(),
                {{"at", at}, {"stop_at", end}, {"levels", wide ? 1 : 4}, {"add_to_run", add_to_run}});
}

std::string ReductionText::combine_partials() {
    return fill(reduction_kernels::combine_partials(),
                {{"in_runs", in_runs("s", "splits", fill(reduction_kernels::add_partial()))}});
}

}  // namespace gemel::codegen
