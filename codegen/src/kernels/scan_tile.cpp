#include "kernels/scan_printer.hpp"

namespace gemel::codegen {

void ScanPrinter::declare_place() {
    const std::string thread = name("thread"), first = name("first"), tile = name("tile");
    const std::string wide = layout_.elements.wide_index ? "(int64_t)" : "";
    if (layout_.shuffles) {
        writer_.line("const int ", name("warp"), " = ", thread, " / ", warp_size, ", ", name("lane"), " = ", thread,
                     " % ", warp_size, ";");
        writer_.line("const ", index_, " ", first, " = ", wide, tile, " * ", tile_, " + ", name("warp"), " * ",
                     warp_size * lanes_ * rows_, " + ", name("lane"), " * ", lanes_, ";");
    } else {
        writer_.line("const ", index_, " ", first, " = ", wide, tile, " * ", tile_, " + ", thread, " * ", lanes_, ";");
    }
}

void ScanPrinter::load() {
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
            writer_.line("const ", index_, " i = ", index_at(row, e), " < ", size("n"), " ? ", index_at(row, e), " : ",
                         size("n"), " - 1;");
            access_.begin_element();
            input(v(row, e), Mode::element);
            remember_start(row, e);
        });
    });
    if (packed()) writer_.close();
}

void ScanPrinter::remember_start(const std::string& row, const std::string& e) {
    if (segmented_) writer_.line(own_starts(row), " |= (uint32_t)", v(row, e), ".starts << ", e, ";");
}

void ScanPrinter::scan_tile_in_registers() {
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

void ScanPrinter::scan_by_shuffles(const std::string& last) {
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
        writer_.line("const ", item_, " ", other, " = ", access_.helper("shuffle_up"), "(", run, ", ", delta, ");");
        writer_.line("if (", lane, " >= ", delta, ") ", run, " = ", scanned(other, run), ";");
        writer_.close();
        writer_.line("const ", item_, " ", name("row_total"), " = ", access_.helper("shuffle"), "(", run, ", ",
                     warp_size - 1, ");");
        writer_.line(run, " = ", access_.helper("shuffle_up"), "(", run, ", 1);");
        if (rows_ > 1) {
            writer_.line(before, "[", row, "] = ", row, " == 0 ? ", run, " : ", lane, " > 0 ? ", scanned(carry, run),
                         " : ", carry, ";");
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

void ScanPrinter::scan_in_shared_memory(const std::string& last) {
    const std::string thread = name("thread"), shared = name("shared"), before = name("before");
    writer_.line(shared, "[", thread, "] = ", v("0", last), ";");
    shared_scan(shared, thread, std::to_string(block_));
    writer_.line(item_, " ", before, "[1];");
    writer_.line("if (", thread, " > 0) ", before, "[0] = ", shared, "[", thread, " - 1];");
    writer_.line("const ", item_, " ", name("total"), " = ", shared, "[", block_ - 1, "];");
}

void ScanPrinter::shared_arrays() {
    if (layout_.shuffles) {
        writer_.shared_array(item_, name("warp_totals"), block_ / warp_size);
    } else {
        writer_.shared_array(item_, name("shared"), block_);
    }
}

void ScanPrinter::complete_runs(const std::string& has_prefix, const std::string& prefix,
                                const std::function<void(const std::string& row)>& body) {
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
        writer_.line("if (", has_outer, ") ", before, " = ", inside(row), " ? ", scanned(outer, before), " : ", outer,
                     ";");
        writer_.open("if (", has_before, ")");
        each_lane([&](const std::string& e) { writer_.line(v(row, e), " = ", scanned(before, v(row, e)), ";"); });
        writer_.close();
        body(row);
    });
}

void ScanPrinter::finish_tile(const std::string& has_prefix, const std::string& prefix) {
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

void ScanPrinter::output_element(const std::string& row, const std::string& e) {
    writer_.line("const ", index_, " i = ", index_at(row, e), ";");
    writer_.open("if (i < ", size("n"), ")");
    access_.begin_element();
    output_at(row, e, Mode::element);
    access_.end_element();
    writer_.close();
}

void ScanPrinter::output_at(const std::string& row, const std::string& e, Mode mode) {
    const std::string before = gemel::text(name("before"), "[", row, "]");
    const std::string previous =
        lanes_ == 1 ? before
                    : gemel::text("(", e, " > 0 ? ", v(row, gemel::text("(", e, " > 0 ? ", e, " - 1 : 0)")), " : ",
                                  before, ")");
    output(v(row, e), previous, gemel::text("(", e, " > 0 || ", name("has_before"), ")"),
           gemel::text("(", own_starts(row), " >> ", e, " & 1)"), mode);
}

}  // namespace gemel::codegen
