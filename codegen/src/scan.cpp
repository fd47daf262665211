#include <gemel/codegen/scan.hpp>

#include "element_access.hpp"

#include <gemel/core/error.hpp>

#include <algorithm>
#include <cctype>

namespace gemel::codegen {
namespace {

using Mode = ElementAccess::Mode;
using Strategy = Tuning::Scan;

constexpr int warp_size = 32;

std::vector<ArrayUse> array_uses(const ScanRequest& request) {
    std::vector<ArrayUse> all;
    for (const Parameter& p : request.arguments)
        all.push_back(request.input.use_of(p.name) | request.output.use_of(p.name) |
                      request.segment_start.use_of(p.name));
    return all;
}

int items_per_thread(const Tuning& tuning) { return static_cast<int>(std::max(tuning.items_per_thread, 1u)); }
std::uint32_t block_of(const Tuning& tuning) { return tuning.block ? tuning.block : 256; }

/// Elements that lie next to each other in one thread: a pack, or all of its elements where warps do not shuffle.
int lanes_of(const ScanRequest& request, const ScanLayout& layout, const Tuning& tuning) {
    if (!layout.shuffles) return items_per_thread(tuning);
    if (layout.elements.any(Access::packed))
        return pack_length(request.arguments, layout.elements, tuning.access_bytes);
    return std::min(4, items_per_thread(tuning));
}

int rows_of(const ScanRequest& request, const ScanLayout& layout, const Tuning& tuning) {
    if (!layout.shuffles) return 1;
    return std::max(1, items_per_thread(tuning) / lanes_of(request, layout, tuning));
}

/// Prints the kernels of one variant of a scan.
class Scan {
   public:
    Scan(const ScanRequest& request, const ScanLayout& layout, const Tuning& tuning, const Dialect& dialect)
        : request_(request),
          layout_(layout),
          block_(layout.strategy == Strategy::chunks ? 1 : block_of(tuning)),
          lanes_(lanes_of(request, layout, tuning)),
          rows_(rows_of(request, layout, tuning)),
          tile_(static_cast<int>(block_) * lanes_ * rows_),
          writer_(dialect),
          access_(request.name, request.arguments, array_uses(request), layout.elements, tuning.access_bytes, writer_,
                  {&request.input, &request.output, &request.segment_start}),
          index_(access_.index_type()),
          // Bools are bytes also here: no kernel takes a pointer to bools.
          value_(request.dtype.kind() == DType::Kind::boolean ? storage_type(request.dtype, dialect)
                                                              : value_type(request.dtype)),
          segmented_(!request.segment_start.empty()),
          item_(segmented_ ? request.name + "_item" : value_) {}

    std::string print() {
        access_.set_no_head();
        access_.declare_types({request_.dtype});
        if (!request_.preamble.empty()) writer_.lines(request_.preamble);
        functions();
        switch (layout_.strategy) {
            case Strategy::chunks: chunks(); break;
            case Strategy::three_passes: three_passes(); break;
            default: look_back(); break;
        }
        return writer_.take();
    }

   private:
    std::string name(const char* wish) const { return access_.unused(wish); }
    std::string size(const char* wish) const {
        for (const Parameter& p : request_.arguments)
            if (p.name == wish) return name(wish);
        return std::string(wish) == "n" ? wish : name(wish);
    }
    std::string scanned(const std::string& a, const std::string& b) const {
        return gemel::text(request_.name, "_scan(", a, ", ", b, ")");
    }
    bool uses(std::string_view word) const { return request_.output.uses(word); }
    bool packed() const { return layout_.elements.any(Access::packed); }
    std::string item_pointer() const { return writer_.global_pointer(item_, false); }

    void functions() {
        const bool knows_boundary = Snippet(request_.scan_expr).uses("across_seg_boundary");
        if (segmented_) {
            writer_.line("typedef struct { ", value_, " value; int starts; } ", item_, ";");
            writer_.open_function(value_, request_.name + "_combine",
                                  {value_ + " a", value_ + " b", "int across_seg_boundary"});
            if (knows_boundary) {
                writer_.line("return ", request_.scan_expr, ";");
            } else {
                writer_.line("return across_seg_boundary ? b : (", request_.scan_expr, ");");
            }
            writer_.close();
            writer_.open_function(item_, request_.name + "_scan", {item_ + " a", item_ + " b"});
            writer_.line(item_, " both;");
            writer_.line("both.value = ", request_.name, "_combine(a.value, b.value, b.starts);");
            writer_.line("both.starts = a.starts | b.starts;");
            writer_.line("return both;");
            writer_.close();
        } else {
            writer_.open_function(value_, request_.name + "_scan", {value_ + " a", value_ + " b"});
            if (knows_boundary) writer_.line("const int across_seg_boundary = 0;");
            writer_.line("return ", request_.scan_expr, ";");
            writer_.close();
        }
        if (!layout_.shuffles || layout_.strategy == Strategy::chunks) return;
        const int words = static_cast<int>((scan_item_bytes(request_) + 3) / 4);
        writer_.line("typedef union { ", item_, " item; uint32_t words[", words, "]; } ", request_.name, "_words;");
        for (const bool up : {true, false}) {
            const std::string from = up ? "delta" : "lane";
            writer_.open_function(item_, gemel::text(request_.name, up ? "_shuffle_up" : "_shuffle"),
                                  {item_ + " item", "int " + from});
            writer_.line(request_.name, "_words own, other;");
            if (scan_item_bytes(request_) % 4) writer_.line("own.words[", words - 1, "] = 0;");
            writer_.line("own.item = item;");
            writer_.unroll().line("for (int w = 0; w < ", words,
                                  "; ++w) other.words[w] = ", up ? "gemel_shuffle_up" : "gemel_shuffle",
                                  "(own.words[w], ", from, ");");
            writer_.line("return other.item;");
            writer_.close();
        }
    }

    /// The value of the input expression at i as an item; `i` and what belongs to it are declared.
    void input(const std::string& to, Mode mode) {
        const std::string text = access_.snippet(request_.input, mode);
        if (!segmented_) {
            writer_.line(to, " = ", text, ";");
            return;
        }
        writer_.line(to, ".value = ", text, ";");
        writer_.line(to, ".starts = (", access_.snippet(request_.segment_start, mode), ") != 0;");
    }

    /// The user's output statement for one element.
    /// @param starts  whether a segment begins at it
    void output(const std::string& item, const std::string& previous, const std::string& has_previous,
                const std::string& starts, Mode mode) {
        const std::string part = segmented_ ? ".value" : "";
        writer_.line("const ", value_, " item = ", item, part, ";");
        if (uses("prev_item")) {
            const std::string condition = segmented_ ? gemel::text(has_previous, " && !", starts) : has_previous;
            writer_.line(value_, " prev_item = ", request_.neutral, ";");
            writer_.line("if (", condition, ") prev_item = ", previous, part, ";");
        }
        std::string text = access_.snippet(request_.output, mode);
        while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
        if (text.empty() || (text.back() != ';' && text.back() != '}')) text += ';';
        const bool skips = request_.output.uses("continue");
        if (skips) writer_.open("do");
        writer_.lines(text);
        if (skips) writer_.close(" while (0);");
    }

    void begin_kernel(const std::string& kernel, const std::vector<std::string>& more) {
        std::vector<std::string> parameters = access_.parameters();
        parameters.insert(parameters.end(), more.begin(), more.end());
        writer_.open_kernel(kernel, parameters, block_);
    }
    void begin_body() {
        access_.apply_offsets();
        const std::string n = size("n");
        if ((request_.output.uses("N") || request_.input.uses("N") || request_.segment_start.uses("N")))
            writer_.line("const ", index_, " N = ", n, ";");
    }
    std::vector<std::string> pass_parameters(bool with_tiles) const {
        std::vector<std::string> out{item_pointer() + name("totals")};
        if (with_tiles) out.push_back(gemel::text(index_, " ", name("tiles")));
        out.push_back(gemel::text(index_, " ", size("n")));
        out.push_back(gemel::text(index_, " ", name("tile_size")));
        return out;
    }
    void declare_last_item() {
        if (uses("last_item"))
            writer_.line("const ", value_, " last_item = ", name("totals"), "[", name("tiles"), " - 1]",
                         segmented_ ? ".value" : "", ";");
    }

    // One thread per chunk.

    void chunk_bounds() {
        const std::string k = name("k"), end = name("end"), n = size("n"), tile = name("tile"),
                          tile_size = name("tile_size");
        writer_.line("const ", index_, " ", tile, " = ", writer_.block_id(), ";");
        writer_.line(index_, " ", k, " = ", tile, " * ", tile_size, ";");
        writer_.line("const ", index_, " ", end, " = ", n, " - ", k, " < ", tile_size, " ? ", n, " : ", k, " + ",
                     tile_size, ";");
    }

    void chunks() {
        const std::string k = name("k"), end = name("end"), running = name("running"), next = name("next"),
                          totals = name("totals"), tile = name("tile");
        begin_kernel(request_.name + "_totals", pass_parameters(false));
        begin_body();
        chunk_bounds();
        const auto element = [&] {
            writer_.line("const ", index_, " i = ", k, ";");
            writer_.line(item_, " ", next, ";");
            access_.begin_element();
            input(next, Mode::element);
        };
        writer_.line(item_, " ", running, ";");
        writer_.open_braces();
        element();
        writer_.line(running, " = ", next, ";");
        writer_.close();
        writer_.open("for (++", k, "; ", k, " < ", end, "; ++", k, ")");
        element();
        writer_.line(running, " = ", scanned(running, next), ";");
        writer_.close();
        writer_.line(totals, "[", tile, "] = ", running, ";");
        writer_.close();

        prefixes_kernel();

        begin_kernel(request_.name, pass_parameters(true));
        begin_body();
        declare_last_item();
        chunk_bounds();
        const std::string any = name("any");
        writer_.line(item_, " ", running, ";");
        writer_.line("int ", any, " = ", tile, " > 0;");
        writer_.line("if (", any, ") ", running, " = ", totals, "[", tile, " - 1];");
        writer_.open("for (; ", k, " < ", end, "; ++", k, ")");
        element();
        const std::string starts = name("starts"), previous = name("previous"), has_previous = name("has_previous");
        if (segmented_) writer_.line("const int ", starts, " = ", next, ".starts;");
        if (uses("prev_item")) {
            writer_.line("const ", item_, " ", previous, " = ", running, ";");
            writer_.line("const int ", has_previous, " = ", any, ";");
        }
        writer_.line("if (", any, ") ", next, " = ", scanned(running, next), ";");
        writer_.line(running, " = ", next, ";");
        writer_.line(any, " = 1;");
        output(running, previous, has_previous, starts, Mode::element);
        access_.end_element();
        writer_.close();
        writer_.close();
    }

    /// totals[k] becomes the running result through tile k: one thread, a few thousand steps at most on the way of a
    /// block.
    void prefixes_kernel() {
        const std::string totals = "totals", k = "k";
        writer_.open_kernel(request_.name + "_prefixes", {item_pointer() + totals, index_ + " tiles"}, block_);
        if (block_ == 1) {
            writer_.open("for (", index_, " k = 1; k < tiles; ++k)");
            writer_.line("totals[k] = ", scanned("totals[k - 1]", "totals[k]"), ";");
            writer_.close();
            writer_.close();
            return;
        }
        // Each thread runs through a piece; the pieces' totals are scanned in shared memory.
        writer_.shared_array(item_, "pieces", block_);
        writer_.line("const int thread = ", writer_.thread_id(), ";");
        writer_.line("const ", index_, " per_thread = (tiles - 1) / ", block_, " + 1;");
        writer_.line("const ", index_, " begin = thread * per_thread;");
        writer_.line("const ", index_, " end = tiles - begin < per_thread ? tiles : begin + per_thread;");
        writer_.open("if (begin < tiles)");
        writer_.line(item_, " running = totals[begin];");
        writer_.open("for (", index_, " k = begin + 1; k < end; ++k)");
        writer_.line("running = ", scanned("running", "totals[k]"), ";");
        writer_.line("totals[k] = running;");
        writer_.close();
        writer_.line("pieces[thread] = running;");
        writer_.close();
        shared_scan("pieces", "thread", "(tiles - 1) / per_thread + 1");
        writer_.open("if (thread > 0 && begin < tiles)");
        writer_.open("for (", index_, " k = begin; k < end; ++k)");
        writer_.line("totals[k] = ", scanned("pieces[thread - 1]", "totals[k]"), ";");
        writer_.close();
        writer_.close();
        writer_.close();
    }

    /// An inclusive scan over the first `count` entries of a shared array, one per thread, in place.
    void shared_scan(const std::string& shared, const std::string& thread, const std::string& count) {
        const std::string delta = name("delta"), mine = name("mine"), takes = name("takes");
        writer_.barrier();
        writer_.open("for (int ", delta, " = 1; ", delta, " < ", block_, "; ", delta, " *= 2)");
        writer_.line(item_, " ", mine, ";");
        writer_.line("const int ", takes, " = ", thread, " >= ", delta, " && ", thread, " < ", count, ";");
        writer_.line(
            "if (", takes, ") ", mine, " = ",
            scanned(gemel::text(shared, "[", thread, " - ", delta, "]"), gemel::text(shared, "[", thread, "]")), ";");
        writer_.barrier();
        writer_.line("if (", takes, ") ", shared, "[", thread, "] = ", mine, ";");
        writer_.barrier();
        writer_.close();
    }

    // A block per tile: each thread has `rows` runs of `lanes` neighbouring elements.

    void declare_place() {
        const std::string thread = name("thread"), first = name("first"), tile = name("tile");
        const std::string wide = layout_.elements.wide_index ? "(int64_t)" : "";
        if (layout_.shuffles) {
            writer_.line("const int ", name("warp"), " = ", thread, " / ", warp_size, ", ", name("lane"), " = ", thread,
                         " % ", warp_size, ";");
            writer_.line("const ", index_, " ", first, " = ", wide, tile, " * ", tile_, " + ", name("warp"), " * ",
                         warp_size * lanes_ * rows_, " + ", name("lane"), " * ", lanes_, ";");
        } else {
            writer_.line("const ", index_, " ", first, " = ", wide, tile, " * ", tile_, " + ", thread, " * ", lanes_,
                         ";");
        }
    }
    int row_step() const { return (layout_.shuffles ? warp_size : static_cast<int>(block_)) * lanes_; }
    std::string v(const std::string& row, const std::string& e) const {
        if (rows_ == 1) return gemel::text(name("v"), "[", e, "]");
        return gemel::text(name("v"), "[", row, " * ", lanes_, " + ", e, "]");
    }
    std::string own_starts(const std::string& row) const { return gemel::text(name("own_starts"), "[", row, "]"); }

    template <class Body>
    void each_row(Body&& body) {
        const std::string row = name("row");
        if (rows_ == 1) {
            body("0");
            return;
        }
        writer_.unroll().open("for (int ", row, " = 0; ", row, " < ", rows_, "; ++", row, ")");
        body(row);
        writer_.close();
    }
    template <class Body>
    void each_lane(Body&& body) {
        const std::string e = name("e");
        writer_.unroll().open("for (int ", e, " = 0; ", e, " < ", lanes_, "; ++", e, ")");
        body(e);
        writer_.close();
    }
    std::string index_at(const std::string& row, const std::string& e) const {
        return rows_ == 1 ? gemel::text(name("first"), " + ", e)
                          : gemel::text(name("first"), " + ", row, " * ", row_step(), " + ", e);
    }
    std::string whole_tile() const { return gemel::text(name("tile"), " < ", size("n"), " / ", tile_); }

    void load() {
        writer_.line(item_, " ", name("v"), "[", rows_ * lanes_, "];");
        if (segmented_) {
            writer_.line("uint32_t ", name("own_starts"), "[", rows_, "];  // one bit per element");
            each_row([&](const std::string& row) { writer_.line(own_starts(row), " = 0;"); });
        }
        if (packed()) {
            access_.declare_packs(rows_);
            writer_.open("if (", whole_tile(), ")");
            each_row([&](const std::string& row) {
                access_.load_packs(row, gemel::text("(", index_at(row, "0"), ") / ", lanes_));
            });
            each_row([&](const std::string& row) {
                each_lane([&](const std::string& e) {
                    writer_.line("const ", index_, " i = ", index_at(row, e), ";");
                    access_.begin_lane(row, e);
                    input(v(row, e), Mode::lane);
                    remember_start(row, e);
                });
            });
            writer_.close();
            writer_.open("else");
        }
        each_row([&](const std::string& row) {
            each_lane([&](const std::string& e) {
                // What lies beyond the end repeats the last element: nobody looks at what comes of it.
                writer_.line("const ", index_, " i = ", index_at(row, e), " < ", size("n"), " ? ", index_at(row, e),
                             " : ", size("n"), " - 1;");
                access_.begin_element();
                input(v(row, e), Mode::element);
                remember_start(row, e);
            });
        });
        if (packed()) writer_.close();
    }
    void remember_start(const std::string& row, const std::string& e) {
        if (segmented_) writer_.line(own_starts(row), " |= (uint32_t)", v(row, e), ".starts << ", e, ";");
    }

    /// Scans the tile's elements in registers. Afterwards `v` holds running results within each thread's run, `before`
    /// what comes before each run in this tile, where has_before(), and `total` is the tile's.
    void scan_tile_in_registers() {
        const std::string last = std::to_string(lanes_ - 1);
        each_row([&](const std::string& row) {
            if (lanes_ == 1) return;
            const std::string e = name("e");
            writer_.unroll().open("for (int ", e, " = 1; ", e, " < ", lanes_, "; ++", e, ")");
            writer_.line(v(row, e), " = ", scanned(v(row, gemel::text("(", e, " - 1)")), v(row, e)), ";");
            writer_.close();
        });
        layout_.shuffles ? scan_by_shuffles(last) : scan_in_shared_memory(last);
    }

    void scan_by_shuffles(const std::string& last) {
        const std::string lane = name("lane"), warp = name("warp"), run = name("run"), other = name("other"),
                          delta = name("delta"), carry = name("carry"), before = name("before"),
                          warps = name("warp_totals"), total = name("total");
        const int warp_count = static_cast<int>(block_) / warp_size;
        writer_.line("// Runs are scanned across each warp, row by row, then warps in shared memory.");
        writer_.line(item_, " ", before, "[", rows_, "];");
        writer_.line(item_, " ", carry, ";");
        each_row([&](const std::string& row) {
            writer_.line(item_, " ", run, " = ", v(row, last), ";");
            writer_.unroll().open("for (int ", delta, " = 1; ", delta, " < ", warp_size, "; ", delta, " *= 2)");
            writer_.line("const ", item_, " ", other, " = ", request_.name, "_shuffle_up(", run, ", ", delta, ");");
            writer_.line("if (", lane, " >= ", delta, ") ", run, " = ", scanned(other, run), ";");
            writer_.close();
            writer_.line("const ", item_, " ", name("row_total"), " = ", request_.name, "_shuffle(", run, ", ",
                         warp_size - 1, ");");
            writer_.line(run, " = ", request_.name, "_shuffle_up(", run, ", 1);");
            if (rows_ > 1) {
                writer_.line(before, "[", row, "] = ", row, " == 0 ? ", run, " : ", lane, " > 0 ? ",
                             scanned(carry, run), " : ", carry, ";");
                writer_.line(carry, " = ", row, " == 0 ? ", name("row_total"), " : ", scanned(carry, name("row_total")),
                             ";");
            } else {
                writer_.line(before, "[0] = ", run, ";");
                writer_.line(carry, " = ", name("row_total"), ";");
            }
        });
        writer_.line("if (", lane, " == 0) ", warps, "[", warp, "] = ", carry, ";");
        writer_.barrier();
        writer_.line(item_, " ", total, " = ", warps, "[0];");
        writer_.line(item_, " ", name("before_warp"), " = ", total, ";");
        writer_.unroll().open("for (int ", name("w"), " = 1; ", name("w"), " < ", warp_count, "; ++", name("w"), ")");
        writer_.line(total, " = ", scanned(total, gemel::text(warps, "[", name("w"), "]")), ";");
        writer_.line("if (", name("w"), " < ", warp, ") ", name("before_warp"), " = ", total, ";");
        writer_.close();
    }

    void scan_in_shared_memory(const std::string& last) {
        const std::string thread = name("thread"), shared = name("shared"), before = name("before");
        writer_.line(shared, "[", thread, "] = ", v("0", last), ";");
        shared_scan(shared, thread, std::to_string(block_));
        writer_.line(item_, " ", before, "[1];");
        writer_.line("if (", thread, " > 0) ", before, "[0] = ", shared, "[", thread, " - 1];");
        writer_.line("const ", item_, " ", name("total"), " = ", shared, "[", block_ - 1, "];");
    }

    void shared_arrays() {
        if (layout_.shuffles) {
            writer_.shared_array(item_, name("warp_totals"), block_ / warp_size);
        } else {
            writer_.shared_array(item_, name("shared"), block_);
        }
    }

    /// Applies what comes before to every run, and goes on with `body(row)`. `has_prefix` and `prefix` are those of the
    /// tile.
    template <class Body>
    void complete_runs(const std::string& has_prefix, const std::string& prefix, Body&& body) {
        const std::string has_before = name("has_before"), outer = name("outer"), has_outer = name("has_outer");
        if (layout_.shuffles) {
            writer_.line("// What comes before the warp, in this tile and in those before it.");
            writer_.line(item_, " ", outer, " = ", name("before_warp"), ";");
            writer_.line("const int ", has_outer, " = ", has_prefix, " || ", name("warp"), " > 0;");
            writer_.line("if (", has_prefix, ") ", outer, " = ", name("warp"), " > 0 ? ",
                         scanned(prefix, name("before_warp")), " : ", prefix, ";");
        } else {
            writer_.line("const int ", has_outer, " = ", has_prefix, ";");
            writer_.line(item_, " ", outer, ";");
            writer_.line("if (", has_outer, ") ", outer, " = ", prefix, ";");
        }
        const auto inside = [&](const std::string& row) {
            const std::string first_lane =
                layout_.shuffles ? gemel::text(name("lane"), " > 0") : gemel::text(name("thread"), " > 0");
            return rows_ > 1 ? gemel::text("(", row, " > 0 || ", first_lane, ")") : first_lane;
        };
        each_row([&](const std::string& row) {
            const std::string before = gemel::text(name("before"), "[", row, "]");
            writer_.line("const int ", has_before, " = ", has_outer, " || ", inside(row), ";");
            writer_.line("if (", has_outer, ") ", before, " = ", inside(row), " ? ", scanned(outer, before), " : ",
                         outer, ";");
            writer_.open("if (", has_before, ")");
            each_lane([&](const std::string& e) { writer_.line(v(row, e), " = ", scanned(before, v(row, e)), ";"); });
            writer_.close();
            body(row);
        });
    }
    /// The user's statement for every element of the tile.
    void finish_tile(const std::string& has_prefix, const std::string& prefix) {
        complete_runs(has_prefix, prefix, [&](const std::string& row) {
            if (!packed()) {
                each_lane([&](const std::string& e) { output_element(row, e); });
                return;
            }
            writer_.open("if (", whole_tile(), ")");
            each_lane([&](const std::string& e) {
                writer_.line("const ", index_, " i = ", index_at(row, e), ";");
                access_.begin_lane(row, e);
                output_at(row, e, Mode::lane);
                access_.end_lane(row, e);
            });
            access_.store_packs(row, gemel::text("(", index_at(row, "0"), ") / ", lanes_));
            writer_.close();
            writer_.open("else");
            each_lane([&](const std::string& e) { output_element(row, e); });
            writer_.close();
        });
    }
    void output_element(const std::string& row, const std::string& e) {
        writer_.line("const ", index_, " i = ", index_at(row, e), ";");
        writer_.open("if (i < ", size("n"), ")");
        access_.begin_element();
        output_at(row, e, Mode::element);
        access_.end_element();
        writer_.close();
    }
    void output_at(const std::string& row, const std::string& e, Mode mode) {
        const std::string before = gemel::text(name("before"), "[", row, "]");
        const std::string previous =
            lanes_ == 1 ? before
                        : gemel::text("(", e, " > 0 ? ", v(row, gemel::text("(", e, " > 0 ? ", e, " - 1 : 0)")), " : ",
                                      before, ")");
        output(v(row, e), previous, gemel::text("(", e, " > 0 || ", name("has_before"), ")"),
               gemel::text("(", own_starts(row), " >> ", e, " & 1)"), mode);
    }

    void three_passes() {
        const std::string thread = name("thread"), tile = name("tile"), totals = name("totals");
        const auto begin = [&](const std::string& kernel, bool with_tiles) {
            begin_kernel(kernel, pass_parameters(with_tiles));
            shared_arrays();
            begin_body();
            writer_.line("const int ", thread, " = ", writer_.thread_id(), ";");
            writer_.line("const ", index_, " ", tile, " = ", writer_.block_id(), ";");
            if (with_tiles) declare_last_item();
            declare_place();
            load();
            scan_tile_in_registers();
        };
        begin(request_.name + "_totals", false);
        if (uses("last_item")) {
            writer_.line("// A tile that the end cuts off: who has the last element says what is reached there.");
            const std::string n = size("n");
            writer_.open("if (", n, " - ", tile, " * ", tile_, " < ", tile_, ")");
            complete_runs("0", name("total"), [&](const std::string& row) {
                each_lane([&](const std::string& e) {
                    writer_.line("if (", index_at(row, e), " == ", n, " - 1) ", totals, "[", tile, "] = ", v(row, e),
                                 ";");
                });
            });
            writer_.close();
            writer_.line("else if (", thread, " == 0) ", totals, "[", tile, "] = ", name("total"), ";");
        } else {
            writer_.line("if (", thread, " == 0) ", totals, "[", tile, "] = ", name("total"), ";");
        }
        writer_.close();
        prefixes_kernel();
        begin(request_.name, true);
        finish_tile(gemel::text("(", tile, " > 0)"), gemel::text(totals, "[", tile, " - 1]"));
        writer_.close();
    }

    // One pass. A state is epoch * 4 + 1 when a tile's own total is there, epoch * 4 + 2 when all before it is in, too.

    void look_back() {
        const std::string thread = name("thread"), tile = name("tile"), dealt = name("dealt"),
                          prefix = name("tile_prefix");
        const Dialect& d = writer_.dialect();
        begin_kernel(
            request_.name,
            {gemel::text("volatile ", d.global_space, d.global_space.empty() ? "" : " ", "uint64_t *", name("states")),
             writer_.global_pointer("uint32_t", false) + name("ticket"), gemel::text("uint32_t ", name("first_ticket")),
             gemel::text("uint32_t ", name("epoch")), gemel::text(index_, " ", size("n"))});
        shared_arrays();
        writer_.shared_array("int", dealt, 1);
        writer_.shared_array(item_, prefix, 1);
        begin_body();
        writer_.line("const int ", thread, " = ", writer_.thread_id(), ";");
        writer_.line("// Tiles are dealt in the order in which blocks begin, so that those waited for are running.");
        writer_.line("if (", thread, " == 0) ", dealt, "[0] = (int)(atomic_add(", name("ticket"), ", (uint32_t)1) - ",
                     name("first_ticket"), ");");
        writer_.barrier();
        writer_.line("const int ", tile, " = ", dealt, "[0];");
        declare_place();
        load();
        scan_tile_in_registers();
        writer_.open("if (", name("warp"), " == 0)");
        publish_and_look_back();
        writer_.close();
        writer_.barrier();
        finish_tile(gemel::text("(", tile, " > 0)"), prefix + "[0]");
        writer_.close();
    }

    int words() const { return static_cast<int>(scan_state_words(request_)); }
    std::string state_word(const std::string& tile, const std::string& w) const {
        return words() == 1 ? gemel::text(name("states"), "[", tile, "]")
                            : gemel::text(name("states"), "[", tile, " * ", words(), " + ", w, "]");
    }
    /// Runs `body` for each word of a running result.
    template <class Body>
    void each_word(Body&& body) {
        if (words() == 1) return body("0");
        writer_.unroll().open("for (int w = 0; w < ", words(), "; ++w)");
        body("w");
        writer_.close();
    }

    void publish(const std::string& what, const std::string& state) {
        writer_.open_braces();
        writer_.line(request_.name, "_words bits;");
        if (scan_item_bytes(request_) % 4) writer_.line("bits.words[", words() - 1, "] = 0;");
        writer_.line("bits.item = ", what, ";");
        each_word([&](const std::string& w) {
            writer_.line(state_word(name("tile"), w), " = (uint64_t)(", name("epoch"), " * 4 + ", state,
                         ") << 32 | bits.words[", w, "];");
        });
        writer_.close();
    }

    /// The first warp: publishes the tile's total, then goes back over the tiles before, 32 at a time, until one knows
    /// everything before it.
    void publish_and_look_back() {
        const std::string tile = name("tile"), lane = name("lane"), total = name("total"), base = name("base"),
                          at = name("at"), state = name("state"), theirs = name("theirs"), known = name("known"),
                          nearest = name("nearest"), so_far = name("so_far"), other = name("other"),
                          delta = name("delta"), any = name("any");
        writer_.open("if (", lane, " == 0)");
        publish(total, gemel::text("(", tile, " == 0 ? 2 : 1)"));
        writer_.close();
        writer_.open("if (", tile, " > 0)");
        writer_.line(item_, " ", so_far, ";");
        writer_.line("int ", any, " = 0;");
        writer_.open("for (int ", base, " = ", tile, " - 1; ; ", base, " -= ", warp_size, ")");
        writer_.line("const int ", at, " = ", base, " - ", lane, ";");
        writer_.line("uint32_t ", state, " = 2;  // before the first tile there is nothing to wait for");
        writer_.line(item_, " ", theirs, " = ", total, ";");
        writer_.open("if (", at, " >= 0)");
        writer_.line("uint64_t word[", words(), "];");
        if (words() == 1) {
            writer_.line("do word[0] = ", state_word(at, "0"), "; while ((uint32_t)(word[0] >> 34) != ", name("epoch"),
                         ");");
        } else {
            writer_.line("int torn;  // words are written one by one: all must say the same");
            writer_.open("do");
            each_word([&](const std::string& w) { writer_.line("word[", w, "] = ", state_word(at, w), ";"); });
            writer_.line("torn = (uint32_t)(word[0] >> 34) != ", name("epoch"), ";");
            writer_.unroll().line("for (int w = 1; w < ", words(), "; ++w) torn |= word[w] >> 32 != word[0] >> 32;");
            writer_.close(" while (torn);");
        }
        writer_.line(state, " = (uint32_t)(word[0] >> 32) & 3;");
        writer_.line(request_.name, "_words bits;");
        each_word([&](const std::string& w) { writer_.line("bits.words[", w, "] = (uint32_t)word[", w, "];"); });
        writer_.line(theirs, " = bits.item;");
        writer_.close();
        writer_.line("const uint32_t ", known, " = gemel_ballot(", state, " == 2);");
        writer_.line("int ", nearest, " = ", warp_size - 1, ";");
        writer_.line("if (", known, ") ", nearest, " = 31 - clz((int)(", known, " & (~", known, " + 1)));");
        writer_.line("// Tiles up to the nearest that knows all before it, in order: farther ones come first.");
        writer_.unroll().open("for (int ", delta, " = 1; ", delta, " < ", warp_size, "; ", delta, " *= 2)");
        writer_.line("const ", item_, " ", other, " = ", request_.name, "_shuffle(", theirs, ", (", lane, " + ", delta,
                     ") % ", warp_size, ");");
        writer_.line("if (", lane, " + ", delta, " <= ", nearest, ") ", theirs, " = ", scanned(other, theirs), ";");
        writer_.close();
        writer_.line(so_far, " = ", any, " ? ", scanned(theirs, so_far), " : ", theirs, ";  // in lane 0");
        writer_.line(any, " = 1;");
        writer_.line("if (", known, ") break;");
        writer_.close();
        writer_.open("if (", lane, " == 0)");
        publish(scanned(so_far, total), "2");
        writer_.line(name("tile_prefix"), "[0] = ", so_far, ";");
        writer_.close();
        writer_.close();
    }

    const ScanRequest& request_;
    const ScanLayout& layout_;
    const std::uint32_t block_;
    const int lanes_, rows_, tile_;
    Writer writer_;
    ElementAccess access_;
    const std::string& index_;
    const std::string value_;
    const bool segmented_;
    const std::string item_;
};

}  // namespace

std::size_t scan_tile(const ScanRequest& request, const ScanLayout& layout, const Tuning& tuning) {
    return std::size_t{block_of(tuning)} *
           static_cast<std::size_t>(lanes_of(request, layout, tuning) * rows_of(request, layout, tuning));
}

std::size_t scan_item_bytes(const ScanRequest& request) {
    const bool narrow = request.dtype.is_floating() && request.dtype.size_bytes() == 2;
    const std::size_t bytes = narrow ? 4 : request.dtype.size_bytes();
    if (request.segment_start.empty()) return bytes;
    // The flag, aligned as an int, and padding behind it.
    std::size_t alignment = std::min<std::size_t>(bytes, 8);
    if (request.dtype.lanes() > 1) alignment = bytes;
    if (request.dtype.layout()) alignment = request.dtype.layout()->alignment_bytes;
    if (request.dtype.kind() == DType::Kind::complex) alignment = bytes / 2;
    alignment = std::max<std::size_t>(alignment, 4);
    const std::size_t flag = (bytes + 3) / 4 * 4;
    return (flag + 4 + alignment - 1) / alignment * alignment;
}

std::size_t scan_state_words(const ScanRequest& request) { return (scan_item_bytes(request) + 3) / 4; }
bool scan_needs_total(const ScanRequest& request) { return request.output.uses("last_item"); }

void check_request(const ScanRequest& request) {
    const auto refuse = [&](const std::string& what) {
        throw ArgumentError(gemel::text("ScanKernel '", request.name, "': ", what));
    };
    if (request.input.empty()) refuse("the input expression is empty");
    if (request.scan_expr.empty()) refuse("the scan expression is missing: in terms of a and b, such as \"a+b\"");
    if (request.output.empty()) refuse("the output statement is empty; it stores `item`, as in \"y[i] = item\"");
    if (request.output.uses("prev_item") && request.neutral.empty())
        refuse("prev_item needs the neutral element, which the first element's is");
    if (request.output.uses("return"))
        refuse("the output statement contains 'return', which would leave out other elements; use 'continue'");
    for (const Parameter& p : request.arguments)
        for (const char* word : {"item", "prev_item", "last_item"})
            if (p.name == word) refuse(gemel::text("an argument is called '", word, "', which is the running result"));
}

std::string scan_source(const ScanRequest& request, const ScanLayout& layout, const Tuning& tuning,
                        const Dialect& dialect) {
    check_request(request);
    if (layout.strategy == Tuning::Scan::look_back && (!layout.shuffles || scan_needs_total(request)))
        throw ArgumentError(
            gemel::text("ScanKernel '", request.name, "': one pass needs shuffles, and knows no last_item"));
    return Scan(request, layout, tuning, dialect).print();
}

std::string scan_source(const ScanRequest& request, const Dialect& dialect) {
    ScanLayout layout;
    layout.elements = plain_layout(request.arguments, array_uses(request));
    if (scan_needs_total(request)) layout.strategy = Tuning::Scan::three_passes;
    return scan_source(request, layout, {.block = 256, .access_bytes = 16, .items_per_thread = 32}, dialect);
}

}  // namespace gemel::codegen
