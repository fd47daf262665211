/// Reductions over axes: rows and columns.
#include "kernels/reduction_text.hpp"

#include "reduction_kernels.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>

namespace gemel::codegen {

/// The values of the templates for an output's elements and threads.
Values ReductionText::axes_words() {
    const ReductionTile& tile = layout_.tile;
    const int axis = rows() ? layout_.elements.rank - 1 : layout_.kept_rank - 1;
    const std::string extent = gemel::text(access_.layout_name(), rows() ? ".extent[" : ".kept[", axis, "]");
    const std::string across = gemel::text(tile.across), along = gemel::text(this->along());
    const std::string e = kernel_.name("e");
    // Neighbouring threads are along the run (rows), or across outputs (columns).
    const std::string fast = "thread % " + (rows() ? along : across), slow = "thread / " + (rows() ? along : across);
    Values words{{"rows", rows()},
                 {"columns", columns()},
                 {"several_lines", has_lines()},
                 {"extent", kernel_.verbatim(extent)},
                 {"vector_width", tile.vector_width},
                 {"shifted", tile.shifted},
                 {"loads_first", tile.loads_first},
                 {"shuffles", tile.shuffles},
                 {"across_count", tile.across},
                 {"along_count", this->along()},
                 {"row_count", tile.rows},
                 {"unroll", tile.unroll},
                 {"step", tile.unroll * this->along()},
                 {"stage", tile.stage},
                 {"stages_async", tile.stages_async},
                 {"outputs_of_thread", outputs_of_thread()},
                 {"along", rows() ? fast : slow},
                 {"across", rows() ? slow : fast}};
    const std::string result_at = kernel_.name("result_at"),
                      lane = kernel_.name(layout_.serial ? "lane" : "neighbour") +
                             (is_staged() ? gemel::text(" * ", across) : "");
    words["neighbour_at"] = lane;
    words["begin_result"] =
        layout_.has_result ? printed([&] { access_.begin_result(kernel_.name("output"), result_at); }) : std::string();
    words["result_index"] = kernel_.verbatim(layout_.has_result ? access_.result_of(result_at, lane)
                                                                : kernel_.name("output") + " + " + lane);
    words["begin_line"] = rows() ? printed([&] { access_.begin_line(kernel_.name("line")); }) : std::string();
    words["begin_column"] = columns() ? printed([&] { access_.begin_column(kernel_.name("k")); }) : std::string();
    if (layout_.serial) {
        words["begin_in_column"] = columns() ? printed([&] {
            access_.begin_in_column(kernel_.name("lane"));
            access_.begin_found();
        })
                                             : std::string();
        return words;
    }
    const bool is_short = tile.rows > 1;
    const std::string u = kernel_.name("u");
    const std::string slot = is_short ? gemel::text(kernel_.name("row"), " * ", tile.unroll, " + ", u) : u;
    words["declare_constants"] =
        printed([&] { access_.declare_constants(tile.rows, is_short ? kernel_.name("row") : "0"); });
    words["load_constants"] = printed([&] { access_.load_constants(is_short ? kernel_.name("row") : "0"); });
    words["line_shift"] = kernel_.verbatim(access_.line_shift());
    words["begin_in_line"] = rows() ? printed([&] { access_.begin_in_line(e); }) : std::string();
    words["declare_packs"] = printed([&] { access_.declare_packs(tile.rows * tile.unroll); });
    words["load"] =
        printed([&] { access_.load_neighbours(slot, tile.shifted ? e : std::string(), kernel_.name("extent")); });
    words["begin_neighbour"] = printed([&] { access_.begin_neighbour(slot, kernel_.name("neighbour")); });
    return words;
}

/// Combines the running values of an output's threads to one value, or to one per output of a thread.
std::string ReductionText::combine_side_by_side(bool again) {
    const ReductionTile& tile = layout_.tile;
    std::string text;
    if (rows() && !again) text += combine_totals(tile.vector_width);
    if (rows() && again)
        for (std::size_t v = 0; v < request_.values.size(); ++v)
            text += gemel::text("total", suffix(v), " = totals", suffix(v), "[0];\n");
    if (along() == 1) return text;
    pieces::ReduceInSharedMemory tree{
        .values = {}, .block = along(), .place = "along", .stride = rows() ? 1 : tile.across};
    if (tile.shuffles) return text + by_shuffles();
    for (std::size_t v = 0; v < request_.values.size(); ++v) {
        const std::string at = suffix(v), reduce = gemel::text(request_.name, "_reduce", at);
        if (rows()) tree.values.push_back({.total = "total" + at, .shared = "shared" + at, .reduce = reduce});
        for (int lane = 0; columns() && lane < outputs_of_thread(); ++lane)
            tree.values.push_back({.total = gemel::text("totals", at, "[", lane, "]"),
                                   .shared = gemel::text("(shared", at, " + ", lane * block_, ")"),
                                   .reduce = reduce});
    }
    return text + tree.text(kernel_);
}

std::string ReductionText::by_shuffles() {
    pieces::ReduceByShuffles shuffles{.values = {}, .width = along()};
    for (std::size_t v = 0; v < request_.values.size(); ++v)
        shuffles.values.push_back({.total = "total" + suffix(v),
                                   .item = exchanged(v).name,
                                   .reduce = gemel::text(request_.name, "_reduce", suffix(v))});
    return shuffles.text(kernel_);
}

std::string ReductionText::store(bool to_partial) {
    return fill(reduction_kernels::store(),
                {{"to_partial", to_partial}, {"columns", columns()}, {"vector_width", layout_.tile.vector_width}});
}

namespace {

/// Whether results may be combined in any order and number without rounding errors.
bool is_exact(const ReducedValue& value) { return value.is_exact || !value.replace_if.empty(); }

}  // namespace

/// The number of digits of the counter by which running results are combined. With it, rounding errors of small floats
/// grow with the logarithm of a run's length. Other types are accurate enough without it, and need the registers.
int ReductionText::counter_levels() const {
    const auto is_small = [&](const ReducedValue& value) {
        const DType type = value.accumulator.empty() ? value.dtype : value.accumulator;
        const bool is_complex = type.kind() == DType::Kind::complex;
        return is_exact(value) || ((type.is_floating() || is_complex) && type.size_bytes() <= (is_complex ? 8 : 4));
    };
    return std::ranges::all_of(request_.values, is_small) && !std::ranges::all_of(request_.values, is_exact) ? 4 : 1;
}

/// The turns of the loop over a run; each has tile.unroll elements. A counter's lowest digit has 16 elements. Without a
/// counter, each turn is a run where merging it into the total costs no more than an element: compilers then have more
/// loads in flight. The loop of one turn stays in the text: with a plain block in its place, the maximum of
/// (251, 4099, 257) halves along axis 1 takes 320 us through NVIDIA's OpenCL instead of 180.
/// Measured on an H200, us with 16 turns and with 1: sum of (16384, 16384) doubles along axis 0 576 and 489, maximum of
/// (4096, 4096) int8 along axis 1 24 and 9, of (256, 256, 256) floats along axis 0 23 and 17, argmax of (1000003, 263)
/// floats along axis 0 420 and 312. But variances of doubles, whose runs are costly to merge, take 553 and 793, of
/// floats, which are two sums of doubles, 310 and 356, and sums of single int8 down odd columns 234 and 326.
int ReductionText::turns_of_run(int levels) const {
    if (levels > 1) return std::max(16 / layout_.tile.unroll, 1);
    const auto is_number = [](const ReducedValue& value) {
        return (value.accumulator.empty() ? value.dtype : value.accumulator).kind() != DType::Kind::structure;
    };
    const bool is_one_number = request_.values.size() == 1 && is_number(request_.values[0]);
    const bool is_cheap =
        std::ranges::all_of(request_.values, is_exact) || (is_one_number && layout_.tile.vector_width > 1);
    return is_cheap ? 1 : 16;
}

std::string ReductionText::over_axes() {
    for (auto& [name, value] : axes_words()) values_[name] = value;
    if (layout_.serial) {
        values_["piece"] = fill(reduction_kernels::piece());
        const bool any_replaces =
            std::ranges::any_of(request_.values, [](const ReducedValue& value) { return !value.replace_if.empty(); });
        return rows() ? fill(reduction_kernels::serial_rows(), {{"reduce_elements", reduce_serially()}})
                      : fill(reduction_kernels::serial_columns(), {{"by_four_rows", !any_replaces}});
    }
    if (is_staged()) return over_staged_axes();
    const bool is_short = layout_.tile.rows > 1;
    values_["find_position"] = fill(reduction_kernels::find_position());
    values_["count_positions"] = fill(reduction_kernels::count_positions());
    values_["declare_totals"] = declare_totals(layout_.tile.vector_width);
    std::string reduced_index = "k";
    if (rows()) reduced_index = has_lines() ? "line * extent + e + neighbour" : "e + neighbour";
    values_["neighbours"] =
        fill(reduction_kernels::neighbours(), {{"run", is_short ? "totals" : "run"}, {"reduced_index", reduced_index}});
    const int levels = is_short ? 1 : counter_levels();
    Values more{
        {"turns", turns_of_run(levels)}, {"combine", combine_side_by_side(false)}, {"store", store(layout_.split)}};
    if (is_short) return fill(reduction_kernels::short_rows(), more);
    add_counter(more, levels, layout_.tile.vector_width);
    return fill(reduction_kernels::rows_and_columns(), more);
}

/// The parts of a kernel whose threads have `width` running results each and whose blocks may share outputs.
void ReductionText::add_counter(Values& more, int levels, int width) {
    const Values sizes{{"levels", levels}, {"vector_width", width}};
    more["levels"] = levels;
    more["begin_counter"] = fill(reduction_kernels::begin_counter(), sizes);
    more["add_run"] = fill(reduction_kernels::add_run(), sizes);
    more["end_counter"] = fill(reduction_kernels::end_counter(), sizes);
    // Loads of 64 bytes per thread under way: a single block reads the results of up to a thousand.
    const auto bytes = static_cast<std::size_t>(outputs_of_thread()) * running_bytes(request_);
    const auto in_flight = static_cast<int>(std::clamp<std::size_t>(std::bit_floor(64 / bytes), 1, 16));
    more["last_block"] = fill(reduction_kernels::last_block(),
                              {{"in_flight", in_flight},
                               {"combine_again", layout_.finish ? combine_side_by_side(true) : std::string()},
                               {"store_result", store(false)}});
}

/// Elements of staged arrays are found in the stage from now on.
void ReductionText::begin_in_stage() {
    access_.begin_in_stage(gemel::text(kernel_.name("at"), " * (int)", kernel_.name("extent")));
}

std::string ReductionText::over_staged_axes() {
    const ReductionTile& tile = layout_.tile;
    values_["outputs_of_block"] = tile.across * tile.rows;
    access_.end_in_stage();
    const std::string copies = printed([&] {
        const std::string begin = kernel_.name("begin"), output = kernel_.name("output");
        access_.begin_piece(rows() ? begin : output, rows() ? "0" : begin);
        access_.copy_to_stage({.thread = kernel_.name("thread"),
                               .size = kernel_.name("piece"),
                               .block = block_,
                               .async = tile.stages_async});
    });
    values_["copy_to_stage"] = fill(reduction_kernels::copy_to_stage(), {{"copies", copies}});
    if (columns()) values_["begin_output"] = printed([&] { access_.begin_output(kernel_.name("output")); });
    begin_in_stage();
    if (columns()) values_["begin_column"] = printed([&] { access_.begin_column(kernel_.name("k")); });
    if (rows()) {
        return fill(reduction_kernels::staged_rows(),
                    {{"one_of_four", element({.position = gemel::text("first + u * ", along()), .sum = "total"})},
                     {"single", element({.position = "first", .sum = "total"})},
                     {"combine", tile.shuffles ? by_shuffles() : std::string()},
                     {"store", store(false)}});
    }
    values_["begin_in_column"] = printed([&] {
        access_.begin_in_column(kernel_.name("e"));
        access_.begin_found();
    });
    values_["declare_totals"] = declare_totals(outputs_of_thread());
    Values more{{"combine", combine_side_by_side(false)}, {"store", store(layout_.split)}};
    // A run is a piece here; three digits suffice, and leave registers.
    add_counter(more, std::min(counter_levels(), 3), outputs_of_thread());
    return fill(reduction_kernels::staged_columns(), more);
}

}  // namespace gemel::codegen
