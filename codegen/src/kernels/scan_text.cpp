#include "kernels/scan_text.hpp"

#include "scan_kernels.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <set>

namespace gemel::codegen {

namespace {

/// The elements of a thread that are adjacent: a pack, or all of them without shuffles. A bit per element records where
/// segments begin.
int vector_width_of(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning,
                    int items_per_thread) {
    if (!layout.shuffles) return request.segment_start.empty() ? items_per_thread : std::min(32, items_per_thread);
    if (layout.elements.any(Access::packed))
        return pack_length(request.arguments, layout.elements, tuning.access_bytes);
    // For large items, neighbouring threads have neighbouring items.
    return scan_item_bytes(request) >= 16 ? 1 : std::min(4, items_per_thread);
}

/// Names of the templates that keep their meaning in users' text.
std::set<std::string, std::less<>> kept_words(const ScanRequest& request) {
    std::set<std::string, std::less<>> kept{"i",
                                            "a",
                                            "b",
                                            "item",
                                            "prev_item",
                                            "last_item",
                                            "across_seg_boundary",
                                            "segment",
                                            "segment_64",
                                            "staged",
                                            "tile_first",
                                            "tile_count",
                                            "tile_begin",
                                            "tile_length",
                                            "tile_room",
                                            "run_first",
                                            "run_count",
                                            "N",
                                            request.name,
                                            request.name + "_totals",
                                            request.name + "_prefixes"};
    if (!has_argument(request, "n")) kept.insert("n");
    return kept;
}

}  // namespace

TileShape tile_shape(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning) {
    const int items_per_thread = static_cast<int>(std::max(tuning.items_per_thread, 1u));
    TileShape shape{.block = tuning.block ? tuning.block : 256,
                    .vector_width = vector_width_of(request, layout, tuning, items_per_thread),
                    .rows = 1};
    if (layout.strategy == ScanStrategy::chunks) shape.block = 1;
    if (layout.shuffles) shape.rows = std::max(1, items_per_thread / shape.vector_width);
    return shape;
}

std::vector<ArrayUse> array_uses(const ScanRequest& request) {
    std::vector<ArrayUse> all;
    for (const Parameter& p : request.arguments)
        all.push_back(request.input.use_of(p.name) | request.output.use_of(p.name) |
                      request.segment_start.use_of(p.name) | request.stage.use_of(p.name) |
                      request.tile_output.use_of(p.name) | request.warp_output.use_of(p.name));
    return all;
}

ScanText::ScanText(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning,
                   const Dialect& dialect)
    : request_(request),
      layout_(layout),
      shape_(tile_shape(request, layout, tuning)),
      writer_(dialect),
      preamble_(request.preamble),
      access_(request.name, request.arguments, array_uses(request), layout.elements, tuning.access_bytes, writer_,
              {&request.input, &request.output, &request.segment_start, &request.stage, &request.tile_output,
               &request.warp_output, &preamble_}),
      kernel_(
          dialect, [this](std::string_view word) { return access_.is_taken(word); }, kept_words(request)),
      // Bools are bytes here too: no kernel takes a pointer to bool.
      value_(kernel_.verbatim(request.dtype.kind() == DType::Kind::boolean ? storage_type(request.dtype, dialect)
                                                                           : value_type(request.dtype))),
      segmented_(!request.segment_start.empty()),
      staged_(!request.staged_type.empty() && layout.strategy != ScanStrategy::chunks),
      packed_(layout.elements.any(Access::packed)),
      counts_(request.counts && layout.strategy != ScanStrategy::chunks && layout.shuffles &&
              pieces::CountByShuffles{.vector_width = shape_.vector_width, .rows = shape_.rows}.is_possible()),
      copies_packs_(layout.copies_packs && counts_ && staged_ && packed_),
      item_{.name = request.name,
            .type = segmented_ ? request.name + "_item" : value_,
            .bytes = scan_item_bytes(request)},
      resident_{.block = block_, .count = tuning.resident_blocks},
      values_(values()) {
    access_.set_no_head();
    access_.set_lane(kernel_.name("row"), kernel_.name("e"));
    if (copies_packs_)
        access_.set_shared_packs({.array = request.selected,
                                  .packs = kernel_.name("own_packs"),
                                  .elements = kernel_.name("own_elements"),
                                  .thread = kernel_.name("lane"),
                                  .rows = shape_.rows});
}

Values ScanText::values() const {
    const int vector_width = shape_.vector_width, rows = shape_.rows;
    return {{"name", item_.name},
            {"item", item_.type},
            {"value", value_},
            {"part", segmented_ ? ".value" : ""},
            {"index", access_.index_type()},
            {"wide", layout_.elements.wide_index ? "(int64_t)" : ""},
            {"block", block_},
            {"vector_width", vector_width},
            {"rows", rows},
            {"tile_elements", layout_.along > 0 ? layout_.along * vector_width * rows : shape_.elements()},
            {"row_step", (layout_.shuffles ? lanes() : block_) * vector_width},
            {"segmented", segmented_},
            {"counts_segments", !counted_segments(request_).empty()},
            {"segment_number", std::string(counted_segments(request_))},
            {"starts_type", counted_segments(request_) == "segment_64" ? std::string("int64_t") : std::string("int")},
            {"packed", packed_},
            {"shuffles", layout_.shuffles},
            {"staged", staged_},
            {"counts", counts_},
            {"copies_packs", copies_packs_},
            {"uses_last", request_.output.uses("last_item")},
            {"uses_previous", (staged_ ? request_.stage : request_.output).uses("prev_item")}};
}

std::string ScanText::fill(const Template& kernel, const Values& more) {
    Values all = values_;
    for (const auto& [name, value] : more) all[name] = value;
    return kernel_.fill(kernel, std::move(all));
}

std::string ScanText::printed(const std::function<void()>& print) {
    print();
    return kernel_.verbatim(writer_.take());
}

/// An expression for a running result: bools become 0 or 1 from any number, as in C++.
std::string ScanText::as_value(const std::string& expression) const {
    return request_.dtype.kind() == DType::Kind::boolean ? as_truth(expression) : expression;
}

std::string ScanText::text() {
    const bool in_chunks = layout_.strategy == ScanStrategy::chunks;
    std::string all = printed([&] {
        access_.declare_types({request_.dtype});
        if (!request_.preamble.empty()) writer_.lines(request_.preamble);
    });
    all += '\n';
    all += fill(scan_kernels::functions(),
                {{"combined", kernel_.verbatim(as_value(request_.scan_expr))},
                 {"knows_boundary", Snippet(request_.scan_expr).uses("across_seg_boundary")},
                 {"exchange", in_chunks || !layout_.shuffles ? "" : pieces::Exchange{item_}.text(kernel_)}});
    values_["kernel"] = kernel_.verbatim(request_.name);
    values_["staged_type"] = kernel_.verbatim(request_.staged_type);
    values_["parameters"] = kernel_.verbatim(join(access_.parameters(), ",\n"));
    values_["begin_body"] = begin_body();
    values_["last_item"] = request_.output.uses("last_item") ? fill(scan_kernels::last_item()) : std::string();
    return kernel_.finish(all + (layout_.along > 0 ? by_rows() : in_chunks ? chunks() : tiles()));
}

std::string ScanText::begin_body() {
    const auto uses_n = [&] {
        return request_.output.uses("N") || request_.stage.uses("N") || request_.tile_output.uses("N") ||
               request_.input.uses("N") || request_.segment_start.uses("N");
    };
    return printed([&] {
        access_.apply_offsets();
        if (!has_argument(request_, "N") && uses_n())
            writer_.line("const ", access_.index_type(), " N = ", kernel_.name("n"), ";");
    });
}

std::string ScanText::chunks() {
    return fill(
        scan_kernels::chunks(),
        {{"prefixes", prefixes()},
         {"begin_element", printed([&] { access_.begin_element(); })},
         {"end_element", printed([&] { access_.end_element(); })},
         {"input", input(Mode::element)},
         {"starts", segment_start(Mode::element)},
         {"output",
          output({.reached = "running", .previous = "previous", .has_previous = "has_previous", .starts = "starts"},
                 Mode::element)}});
}

std::string ScanText::prefixes() {
    return fill(scan_kernels::prefixes(),
                {{"scan_pieces",
                  pieces::ScanInSharedMemory{
                      .item = item_, .shared = "pieces", .count = "(tiles - 1) / per_thread + 1", .block = block_}
                      .text(kernel_)}});
}

std::string ScanText::tiles() {
    using Part = pieces::LookBack::Part;
    const auto look_back = [&](Part part) { return pieces::LookBack{.item = item_, .part = part}.text(kernel_); };
    if (layout_.strategy == ScanStrategy::look_back)
        return fill(scan_kernels::look_back(), {{"resident", resident_.text()},
                                                {"deal_tile", pieces::DealTile{}.text(kernel_)},
                                                {"scan_tile", scan_tile()},
                                                {"publish", look_back(Part::publish)},
                                                {"stage", staged_ ? stage() : std::string()},
                                                {"look_back", look_back(staged_ ? Part::look : Part::whole)},
                                                {"finish_tile", finish_tile("tile_prefix[0]")}});
    Values more{{"scan_tile", scan_tile()},
                {"prefixes", prefixes()},
                {"stage", staged_ ? stage() : std::string()},
                {"finish_tile", finish_tile("totals[tile - 1]")}};
    if (request_.output.uses("last_item"))
        more["reach_end"] = complete_runs("0", "total", fill(scan_kernels::reach_end()));
    return fill(scan_kernels::three_passes(), more);
}

std::string ScanText::by_rows() {
    const std::string row = kernel_.name("row"), e = kernel_.name("e");
    Values access{{"lanes", lanes()},
                  {"along", layout_.along},
                  {"warps", layout_.along > 32 ? layout_.along / 32 : 1},
                  {"loops", layout_.loops},
                  {"shifted", layout_.shifted},
                  {"begin_element", printed([&] { access_.begin_element(); })},
                  {"element_input", input(Mode::element)},
                  {"declare_packs", printed([&] { access_.declare_packs(shape_.rows); })},
                  {"load_packs", printed([&] {
                       access_.load_packs(row, gemel::text(kernel_.name("wanted"), " / ", shape_.vector_width));
                   })},
                  {"begin_lane", printed([&] { access_.begin_lane(row, e); })},
                  {"lane_input", input(Mode::lane)}};
    Values stored = access;
    stored["lane_output"] = tile_output(Mode::lane);
    stored["end_lane"] = printed([&] { access_.end_lane(row, e); });
    stored["store_packs"] = printed([&] { access_.store_packs(row, pack_number()); });
    stored["element_output"] = tile_output(Mode::element);
    stored["end_element"] = printed([&] { access_.end_element(); });
    const char* const has_prefix = layout_.loops ? "(from > begin)" : "0";
    Values tile = access;
    tile["complete_and_store"] = complete_runs(has_prefix, layout_.loops ? "reached" : "before_warp",
                                               fill(scan_kernels::store_row_pack(), stored));
    access["scan_tile"] = fill(scan_kernels::row_tile(), tile);
    access["resident"] = resident_.text();
    return fill(scan_kernels::by_rows(), access);
}

std::string ScanText::scan_tile() {
    const std::string row = kernel_.name("row"), e = kernel_.name("e");
    Values loaded{{"begin_element", printed([&] { access_.begin_element(); })},
                  {"input", input(Mode::element)},
                  {"starts", segment_start(Mode::element)}};
    if (packed_) {
        loaded["declare_packs"] = printed([&] { access_.declare_packs(shape_.rows); });
        loaded["load_packs"] = printed([&] { access_.load_packs(row, pack_number()); });
        loaded["begin_lane"] = printed([&] { access_.begin_lane(row, e); });
        loaded["lane_input"] = input(Mode::lane);
        loaded["lane_starts"] = segment_start(Mode::lane);
        loaded["fetch_pack"] = printed([&] { access_.fetch_shared_pack(row); });
    }
    Values more{{"load", fill(scan_kernels::load(), loaded)}};
    if (counts_) {
        more["scan_by_shuffles"] =
            pieces::CountByShuffles{
                .item = item_, .block = block_, .vector_width = shape_.vector_width, .rows = shape_.rows}
                .text(kernel_);
    } else if (layout_.shuffles) {
        more["scan_by_shuffles"] =
            pieces::ScanByShuffles{
                .item = item_, .block = block_, .vector_width = shape_.vector_width, .rows = shape_.rows}
                .text(kernel_);
    } else {
        more["scan_in_shared_memory"] =
            pieces::ScanInSharedMemory{.item = item_, .count = std::to_string(block_), .block = block_}.text(kernel_);
    }
    return fill(scan_kernels::scan_tile(), more);
}

std::string ScanText::complete_runs(const char* has_prefix, const char* prefix, const std::string& then) {
    return fill(scan_kernels::complete_runs(), {{"has_prefix", has_prefix}, {"prefix", prefix}, {"then", then}});
}

/// The prefix of the tile is not known yet.
std::string ScanText::stage() { return fill(scan_kernels::stage(), {{"stores", stores("0", "total")}}); }

std::string ScanText::finish_tile(const char* prefix) {
    if (!staged_) return stores("(tile > 0)", prefix);
    return fill(scan_kernels::staged_output(),
                {{"prefix", prefix}, {"statements", printed([&] {
                                          const Snippet& write =
                                              copies_packs_ ? request_.warp_output : request_.tile_output;
                                          writer_.lines(access_.statements(write, Mode::thread));
                                      })}});
}

std::string ScanText::stores(const char* has_prefix, const char* prefix) {
    const std::string row = kernel_.name("row"), e = kernel_.name("e");
    Values stored{{"begin_element", printed([&] { access_.begin_element(); })},
                  {"output", tile_output(Mode::element)},
                  {"end_element", printed([&] { access_.end_element(); })}};
    if (packed_) {
        stored["begin_lane"] = printed([&] { access_.begin_lane(row, e); });
        stored["lane_output"] = tile_output(Mode::lane);
        stored["end_lane"] = printed([&] { access_.end_lane(row, e); });
        stored["store_packs"] = printed([&] { access_.store_packs(row, pack_number()); });
        stored["fetch_pack"] = printed([&] { access_.fetch_shared_pack(row); });
    }
    return complete_runs(has_prefix, prefix, fill(scan_kernels::store_row(), stored));
}

std::string ScanText::tile_output(Mode mode) {
    const std::string at = gemel::text("v[row * ", shape_.vector_width, " + e]");
    const std::string before = gemel::text("v[row * ", shape_.vector_width, " + (e > 0 ? e - 1 : 0)]");
    return output(
        {.reached = at,
         .previous = shape_.vector_width == 1 ? "before[row]" : gemel::text("(e > 0 ? ", before, " : before[row])"),
         .has_previous = "(e > 0 || has_before)",
         .starts = "(own_starts[row] >> e & 1)"},
        mode);
}

std::string ScanText::output(const Reached& words, Mode mode) {
    const Snippet& statement = staged_ ? request_.stage : request_.output;
    return fill(scan_kernels::output(),
                {{"reached", words.reached},
                 {"previous", words.previous},
                 {"has_previous", words.has_previous},
                 {"starts", words.starts},
                 {"neutral", kernel_.verbatim(as_value(request_.neutral))},
                 // Whole tiles, whose packs have lanes, end with their last element.
                 {"notes_count", staged_ && !counts_ && mode == Mode::element},
                 {"skips", statement.uses("continue")},
                 {"statements", printed([&] { writer_.lines(access_.statements(statement, mode)); })}});
}

std::string ScanText::input(Mode mode) { return kernel_.verbatim(as_value(access_.snippet(request_.input, mode))); }

std::string ScanText::segment_start(Mode mode) {
    return kernel_.verbatim(access_.snippet(request_.segment_start, mode));
}

/// Of a thread's pack in a row.
std::string ScanText::pack_number() const {
    return gemel::text("(", kernel_.name("first"), " + ", kernel_.name("row"), " * ", values_.at("row_step").text(),
                       " + 0) / ", shape_.vector_width);
}

}  // namespace gemel::codegen
