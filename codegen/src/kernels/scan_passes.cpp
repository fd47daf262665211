#include "kernels/scan_printer.hpp"

namespace gemel::codegen {

void ScanPrinter::chunk_bounds() {
    const std::string k = name("k"), end = name("end"), n = size("n"), tile = name("tile"),
                      tile_size = name("tile_size");
    writer_.line("const ", index_, " ", tile, " = ", writer_.block_id(), ";");
    writer_.line(index_, " ", k, " = ", tile, " * ", tile_size, ";");
    writer_.line("const ", index_, " ", end, " = ", n, " - ", k, " < ", tile_size, " ? ", n, " : ", k, " + ", tile_size,
                 ";");
}

void ScanPrinter::chunks() {
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

void ScanPrinter::prefixes_kernel() {
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

void ScanPrinter::shared_scan(const std::string& shared, const std::string& thread, const std::string& count) {
    const std::string delta = name("delta"), mine = name("mine"), takes = name("takes");
    writer_.barrier();
    writer_.open("for (int ", delta, " = 1; ", delta, " < ", block_, "; ", delta, " *= 2)");
    writer_.line(item_, " ", mine, ";");
    writer_.line("const int ", takes, " = ", thread, " >= ", delta, " && ", thread, " < ", count, ";");
    writer_.line("if (", takes, ") ", mine, " = ",
                 scanned(gemel::text(shared, "[", thread, " - ", delta, "]"), gemel::text(shared, "[", thread, "]")),
                 ";");
    writer_.barrier();
    writer_.line("if (", takes, ") ", shared, "[", thread, "] = ", mine, ";");
    writer_.barrier();
    writer_.close();
}

void ScanPrinter::three_passes() {
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
                writer_.line("if (", index_at(row, e), " == ", n, " - 1) ", totals, "[", tile, "] = ", v(row, e), ";");
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

}  // namespace gemel::codegen
