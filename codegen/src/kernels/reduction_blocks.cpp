#include "kernels/reduction_printer.hpp"

#include <algorithm>

namespace gemel::codegen {

void ReductionPrinter::block_per_output() {
    const std::string split = name("split"), output = name("output"), thread = name("thread");
    writer_.line("const int ", thread, " = ", writer_.thread_id(), ";");
    writer_.line("const ", index_, " ", output, " = ", writer_.block_id(), " / ", name("splits"), ";");
    writer_.line("const ", index_, " ", split, " = ", writer_.block_id(), " % ", name("splits"), ";");
    if (has_axes()) access_.begin_output(output);
    if (layout_.serial) {
        const bool searches = request_.values.size() == 1 && !request_.values[0].replace_if.empty();
        searches ? serial_search() : serial_lanes(has_axes() ? 1 : static_cast<int>(serial_lanes_));
    } else {
        packed() ? packs() : elements();
        tree();
    }
    const auto found = [&](std::size_t v) {
        return layout_.serial ? numbered("total", v) : numbered("shared", v) + "[0]";
    };
    writer_.open("if (", thread, " == 0)");
    if (!layout_.split) {
        each_value([&](std::size_t v) { store_result(v, output, found(v)); });
        writer_.close();
        return;
    }
    each_value([&](std::size_t v) {
        writer_.line(numbered("partial", v), "[", split, " * ", name("outputs"), " + ", output, "] = ", found(v), ";");
    });
    if (!layout_.finish) {
        writer_.close();
        return;
    }
    writer_.line("device_fence();");
    writer_.line(name("is_last"), "[0] = atomic_add(&", name("counters"), "[", output, "], 1) == ", name("splits"),
                 " - 1;");
    writer_.close();
    writer_.barrier();
    writer_.line("// The block that comes last combines what all have found, in the order of the splits.");
    writer_.open("if (", name("is_last"), "[0])");
    writer_.line("device_fence();");
    const std::string s = name("s");
    each_value([&](std::size_t v) { declare_total(v); });
    writer_.open("for (", index_, " ", s, " = ", thread, "; ", s, " < ", name("splits"), "; ", s, " += ", block_, ")");
    each_value([&](std::size_t v) {
        combine(numbered("total", v), v,
                gemel::text(numbered("partial", v), "[", s, " * ", name("outputs"), " + ", output, "]"));
    });
    writer_.close();
    tree();
    writer_.open("if (", thread, " == 0)");
    each_value([&](std::size_t v) { store_result(v, output, numbered("shared", v) + "[0]"); });
    writer_.line(name("counters"), "[", output, "] = 0;");
    writer_.close();
    writer_.close();
}

void ReductionPrinter::packs() {
    const int lanes = access_.lanes();
    const std::string packs = name("packs"), first = name("first"), u = name("u"), p = name("p"), lane = name("lane"),
                      r = name("r"), n = name_of_size("n"), thread = name("thread"), split = name("split");
    const std::uint32_t step = block_ * unroll_;
    writer_.line("const ", index_, " ", packs, " = (", n, " - ", access_.head(), ") / ", lanes, ";");
    declare_totals(lanes);
    writer_.open("for (", index_, " ", first, " = ", split, " * ", step, " + ", thread, "; ", first, " < ", packs, "; ",
                 first, " += ", name("splits"), " * ", step, ")");
    access_.declare_packs(static_cast<int>(unroll_));
    const auto each_pack = [&](auto&& body) {
        writer_.unroll().open("for (int ", u, " = 0; ", u, " < ", unroll_, "; ++", u, ")");
        writer_.line("const ", index_, " ", p, " = ", first, " + ", u, " * ", block_, ";");
        writer_.open("if (", p, " < ", packs, ")");
        body();
        writer_.close();
        writer_.close();
    };
    each_pack([&] { access_.load_packs(u, p); });
    each_pack([&] {
        writer_.unroll().open("for (int ", lane, " = 0; ", lane, " < ", lanes, "; ++", lane, ")");
        writer_.line("const ", index_, " i = ", access_.head(), " + ", p, " * ", lanes, " + ", lane, ";");
        if (uses("reduced_index")) writer_.line("const ", index_, " reduced_index = i;");
        access_.begin_lane(u, lane);
        each_value([&](std::size_t v) {
            append(totals_at(lane)(v), v, as_running(v, access_.snippet(request_.values[v].map_expr, Mode::lane)));
        });
        writer_.close();
    });
    writer_.close();
    writer_.line("// Elements before the first whole pack and after the last.");
    writer_.open("if (", split, " == 0)");
    writer_.open("for (int ", r, " = ", thread, "; ", r, " < ", n, " - ", packs, " * ", lanes, "; ", r, " += ", block_,
                 ")");
    map_element(gemel::text("(", r, " < ", access_.head(), " ? ", r, " : ", r, " + ", packs, " * ", lanes, ")"),
                totals_at("0"), false);
    writer_.close();
    writer_.close();
    combine_totals(lanes);
}

void ReductionPrinter::elements() {
    constexpr int in_flight = 4;
    const std::string first = name("first"), u = name("u"), k = name("k"), n = name_of_size("n");
    declare_totals(in_flight);
    writer_.open("for (", index_, " ", first, " = ", name("split"), " * ", block_ * in_flight, " + ", name("thread"),
                 "; ", first, " < ", n, "; ", first, " += ", name("splits"), " * ", block_ * in_flight, ")");
    writer_.unroll().open("for (int ", u, " = 0; ", u, " < ", in_flight, "; ++", u, ")");
    writer_.line("const ", index_, " ", k, " = ", first, " + ", u, " * ", block_, ";");
    writer_.open("if (", k, " < ", n, ")");
    map_element(k, totals_at(u));
    writer_.close();
    writer_.close();
    writer_.close();
    combine_totals(in_flight);
}

/// Each step leaves an eighth of the threads: a barrier costs more than a few elements in a row.
void ReductionPrinter::tree() {
    const std::string thread = name("thread"), part = name("part");
    const auto share = [&](std::size_t v) {
        writer_.line(numbered("shared", v), "[", thread, "] = ", numbered("total", v), ";");
    };
    each_value(share);
    writer_.barrier();
    for (std::uint32_t left = block_; left > 1;) {
        const std::uint32_t parts = std::min(left, 8u), all = left;
        left = (all + parts - 1) / parts;
        writer_.open("if (", thread, " < ", left, ")");
        writer_.unroll().open("for (int ", part, " = 1; ", part, " < ", parts, "; ++", part, ")");
        const bool is_whole = left * parts == all;
        if (!is_whole) writer_.open("if (", thread, " + ", part, " * ", left, " < ", all, ")");
        each_value([&](std::size_t v) {
            combine(numbered("total", v), v,
                    gemel::text(numbered("shared", v), "[", thread, " + ", part, " * ", left, "]"));
        });
        writer_.close();
        if (!is_whole) writer_.close();
        each_value(share);
        writer_.close();
        writer_.barrier();
    }
}

}  // namespace gemel::codegen
