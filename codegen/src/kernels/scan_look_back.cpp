#include "kernels/scan_printer.hpp"

namespace gemel::codegen {

// A state is epoch * 4 + 1 when a tile's own total is there, epoch * 4 + 2 when all before it is in, too.

void ScanPrinter::look_back() {
    const std::string thread = name("thread"), tile = name("tile"), dealt = name("dealt"), prefix = name("tile_prefix");
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

void ScanPrinter::publish(const std::string& what, const std::string& state) {
    writer_.open_braces();
    writer_.line(access_.helper("words"), " bits;");
    if (scan_item_bytes(request_) % 4) writer_.line("bits.words[", words() - 1, "] = 0;");
    writer_.line("bits.item = ", what, ";");
    each_word([&](const std::string& w) {
        writer_.line(state_word(name("tile"), w), " = (uint64_t)(", name("epoch"), " * 4 + ", state,
                     ") << 32 | bits.words[", w, "];");
    });
    writer_.close();
}

void ScanPrinter::publish_and_look_back() {
    const std::string tile = name("tile"), lane = name("lane"), total = name("total"), base = name("base"),
                      at = name("at"), state = name("state"), theirs = name("theirs"), known = name("known"),
                      nearest = name("nearest"), so_far = name("so_far"), other = name("other"), delta = name("delta"),
                      any = name("any");
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
    writer_.line(access_.helper("words"), " bits;");
    each_word([&](const std::string& w) { writer_.line("bits.words[", w, "] = (uint32_t)word[", w, "];"); });
    writer_.line(theirs, " = bits.item;");
    writer_.close();
    writer_.line("const uint32_t ", known, " = gemel_ballot(", state, " == 2);");
    writer_.line("int ", nearest, " = ", warp_size - 1, ";");
    writer_.line("if (", known, ") ", nearest, " = 31 - clz((int)(", known, " & (~", known, " + 1)));");
    writer_.line("// Tiles up to the nearest that knows all before it, in order: farther ones come first.");
    writer_.unroll().open("for (int ", delta, " = 1; ", delta, " < ", warp_size, "; ", delta, " *= 2)");
    writer_.line("const ", item_, " ", other, " = ", access_.helper("shuffle"), "(", theirs, ", (", lane, " + ", delta,
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

}  // namespace gemel::codegen
