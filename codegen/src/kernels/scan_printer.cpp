#include "kernels/scan_printer.hpp"

#include <algorithm>

namespace gemel::codegen {

namespace {

/// Elements that lie next to each other in one thread: a pack, or all of its elements where warps do not shuffle. Where
/// segments begin is remembered by a bit for each.
int lanes_of(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning, int items_per_thread) {
    if (!layout.shuffles) return request.segment_start.empty() ? items_per_thread : std::min(32, items_per_thread);
    if (layout.elements.any(Access::packed))
        return pack_length(request.arguments, layout.elements, tuning.access_bytes);
    return std::min(4, items_per_thread);
}

}  // namespace

TileShape tile_shape(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning) {
    const int items_per_thread = static_cast<int>(std::max(tuning.items_per_thread, 1u));
    TileShape shape{.block = tuning.block ? tuning.block : 256,
                    .lanes = lanes_of(request, layout, tuning, items_per_thread),
                    .rows = 1};
    if (layout.strategy == ScanStrategy::chunks) shape.block = 1;
    if (layout.shuffles) shape.rows = std::max(1, items_per_thread / shape.lanes);
    return shape;
}

std::vector<ArrayUse> array_uses(const ScanRequest& request) {
    std::vector<ArrayUse> all;
    for (const Parameter& p : request.arguments)
        all.push_back(request.input.use_of(p.name) | request.output.use_of(p.name) |
                      request.segment_start.use_of(p.name));
    return all;
}

ScanPrinter::ScanPrinter(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning,
                         const Dialect& dialect)
    : request_(request),
      layout_(layout),
      shape_(tile_shape(request, layout, tuning)),
      writer_(dialect),
      preamble_(request.preamble),
      access_(request.name, request.arguments, array_uses(request), layout.elements, tuning.access_bytes, writer_,
              {&request.input, &request.output, &request.segment_start, &preamble_}),
      index_(access_.index_type()),
      // Bools are bytes also here: no kernel takes a pointer to bools.
      value_(request.dtype.kind() == DType::Kind::boolean ? storage_type(request.dtype, dialect)
                                                          : value_type(request.dtype)),
      segmented_(!request.segment_start.empty()),
      item_(segmented_ ? access_.helper("item") : value_) {}

std::string ScanPrinter::print() {
    access_.set_no_head();
    access_.declare_types({request_.dtype});
    if (!request_.preamble.empty()) writer_.lines(request_.preamble);
    functions();
    switch (layout_.strategy) {
        case ScanStrategy::chunks: chunks(); break;
        case ScanStrategy::three_passes: three_passes(); break;
        default: look_back(); break;
    }
    return writer_.take();
}
void ScanPrinter::functions() {
    const bool knows_boundary = Snippet(request_.scan_expr).uses("across_seg_boundary");
    if (segmented_) {
        writer_.line("typedef struct { ", value_, " value; int starts; } ", item_, ";");
        writer_.open_function(value_, access_.helper("combine"),
                              {value_ + " a", value_ + " b", "int across_seg_boundary"});
        if (knows_boundary) {
            writer_.line("return ", as_value(request_.scan_expr), ";");
        } else {
            writer_.line("return across_seg_boundary ? b : (", as_value(request_.scan_expr), ");");
        }
        writer_.close();
        writer_.open_function(item_, access_.helper("scan"), {item_ + " a", item_ + " b"});
        writer_.line(item_, " both;");
        writer_.line("both.value = ", access_.helper("combine"), "(a.value, b.value, b.starts);");
        writer_.line("both.starts = a.starts | b.starts;");
        writer_.line("return both;");
        writer_.close();
    } else {
        writer_.open_function(value_, access_.helper("scan"), {value_ + " a", value_ + " b"});
        if (knows_boundary) writer_.line("const int across_seg_boundary = 0;");
        writer_.line("return ", as_value(request_.scan_expr), ";");
        writer_.close();
    }
    if (!layout_.shuffles || layout_.strategy == ScanStrategy::chunks) return;
    const int words = static_cast<int>((scan_item_bytes(request_) + 3) / 4);
    writer_.line("typedef union { ", item_, " item; uint32_t words[", words, "]; } ", access_.helper("words"), ";");
    for (const bool up : {true, false}) {
        const std::string from = up ? "delta" : "lane";
        writer_.open_function(item_, access_.helper(up ? "shuffle_up" : "shuffle"), {item_ + " item", "int " + from});
        writer_.line(access_.helper("words"), " own, other;");
        if (scan_item_bytes(request_) % 4) writer_.line("own.words[", words - 1, "] = 0;");
        writer_.line("own.item = item;");
        writer_.unroll().line("for (int w = 0; w < ", words,
                              "; ++w) other.words[w] = ", up ? "gemel_shuffle_up" : "gemel_shuffle", "(own.words[w], ",
                              from, ");");
        writer_.line("return other.item;");
        writer_.close();
    }
}

void ScanPrinter::input(const std::string& to, Mode mode) {
    const std::string text = as_value(access_.snippet(request_.input, mode));
    if (!segmented_) {
        writer_.line(to, " = ", text, ";");
        return;
    }
    writer_.line(to, ".value = ", text, ";");
    writer_.line(to, ".starts = (", access_.snippet(request_.segment_start, mode), ") != 0;");
}

void ScanPrinter::output(const std::string& item, const std::string& previous, const std::string& has_previous,
                         const std::string& starts, Mode mode) {
    const std::string part = segmented_ ? ".value" : "";
    writer_.line("const ", value_, " item = ", item, part, ";");
    if (uses("prev_item")) {
        const std::string condition = segmented_ ? gemel::text(has_previous, " && !", starts) : has_previous;
        writer_.line(value_, " prev_item = ", as_value(request_.neutral), ";");
        writer_.line("if (", condition, ") prev_item = ", previous, part, ";");
    }
    const std::string text = access_.statements(request_.output, mode);
    const bool skips = request_.output.uses("continue");
    if (skips) writer_.open("do");
    writer_.lines(text);
    if (skips) writer_.close(" while (0);");
}

void ScanPrinter::begin_kernel(const std::string& kernel, const std::vector<std::string>& more) {
    std::vector<std::string> parameters = access_.parameters();
    parameters.insert(parameters.end(), more.begin(), more.end());
    writer_.open_kernel(kernel, parameters, block_);
}

void ScanPrinter::begin_body() {
    access_.apply_offsets();
    const std::string n = size("n");
    const bool is_argument = std::any_of(request_.arguments.begin(), request_.arguments.end(),
                                         [](const Parameter& p) { return p.name == "N"; });
    if (!is_argument && (request_.output.uses("N") || request_.input.uses("N") || request_.segment_start.uses("N")))
        writer_.line("const ", index_, " N = ", n, ";");
}

std::vector<std::string> ScanPrinter::pass_parameters(bool with_tiles) const {
    std::vector<std::string> out{item_pointer() + name("totals")};
    if (with_tiles) out.push_back(gemel::text(index_, " ", name("tiles")));
    out.push_back(gemel::text(index_, " ", size("n")));
    out.push_back(gemel::text(index_, " ", name("tile_size")));
    return out;
}

void ScanPrinter::declare_last_item() {
    if (uses("last_item"))
        writer_.line("const ", value_, " last_item = ", name("totals"), "[", name("tiles"), " - 1]",
                     segmented_ ? ".value" : "", ";");
}

}  // namespace gemel::codegen
