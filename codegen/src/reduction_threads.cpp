#include "reduction_printer.hpp"

namespace gemel::codegen {

void ReductionPrinter::declare_piece() {
    const std::string per = name("per_split"), begin = name("k"), end = name("end"), n = name_of_size("n");
    writer_.line("const ", index_, " ", per, " = ", n, " / ", name("splits"), " + 1;");
    writer_.line(index_, " ", begin, " = ", name("split"), " * ", per, " < ", n, " ? ", name("split"), " * ", per,
                 " : ", n, ";");
    writer_.line("const ", index_, " ", end, " = ", n, " - ", begin, " < ", per, " ? ", n, " : ", begin, " + ", per,
                 ";");
}

void ReductionPrinter::serial_lanes(int lanes) {
    const std::string k = name("k"), end = name("end"), stop = name("stop"), lane = name("lane"), runs = name("runs"),
                      level = name("level");
    const auto each_lane = [&](auto&& body) {
        writer_.open("for (int ", lane, " = 0; ", lane, " < ", lanes, "; ++", lane, ")");
        each_value(body);
        writer_.close();
    };
    const auto run = [&](std::size_t v) { return gemel::text(numbered("run", v), "[", lane, "]"); };
    const auto kept = [&](std::size_t v) { return gemel::text(numbered("kept", v), "[", level, "][", lane, "]"); };
    declare_piece();
    writer_.line("// Sums of 1, 2, 4, ... runs: those whose bit is set in the number of runs.");
    each_value([&](std::size_t v) {
        writer_.line(running_type(v), " ", numbered("kept", v), "[", most_levels, "][", lanes, "];");
    });
    writer_.line(index_, " ", runs, " = 0;");
    writer_.open("while (", end, " - ", k, " >= ", lanes, ")");
    each_value([&](std::size_t v) { writer_.line(running_type(v), " ", numbered("run", v), "[", lanes, "];"); });
    each_lane([&](std::size_t v) { writer_.line(run(v), " = ", request_.values[v].neutral, ";"); });
    writer_.line("const ", index_, " ", stop, " = ", end, " - ", k, " < ", lanes * serial_run_length, " ? ", end, " : ",
                 k, " + ", lanes * serial_run_length, ";");
    writer_.open("for (; ", stop, " - ", k, " >= ", lanes, "; ", k, " += ", lanes, ")");
    writer_.open("for (int ", lane, " = 0; ", lane, " < ", lanes, "; ++", lane, ")");
    map_element(lanes == 1 ? k : gemel::text(k, " + ", lane), run);
    writer_.close();
    writer_.close();
    writer_.line("int ", level, " = 0;");
    writer_.open("for (; ", runs, " >> ", level, " & 1; ++", level, ")");
    each_lane([&](std::size_t v) { writer_.line(run(v), " = ", reduced(v, kept(v), run(v)), ";"); });
    writer_.close();
    each_lane([&](std::size_t v) { writer_.line(kept(v), " = ", run(v), ";"); });
    writer_.line("++", runs, ";");
    writer_.close();
    declare_totals(lanes);
    writer_.open("for (int ", level, " = 0; ", runs, " >> ", level, "; ++", level, ")");
    writer_.line("if (!(", runs, " >> ", level, " & 1)) continue;");
    each_lane(
        [&](std::size_t v) { writer_.line(totals_at(lane)(v), " = ", reduced(v, kept(v), totals_at(lane)(v)), ";"); });
    writer_.close();
    if (lanes > 1) {
        writer_.open("for (; ", k, " < ", end, "; ++", k, ")");
        map_element(k, totals_at("0"));
        writer_.close();
    }
    combine_totals(lanes);
}

void ReductionPrinter::serial_runs() {
    const std::string k = name("k"), end = name("end"), stop = name("stop");
    declare_piece();
    each_value([&](std::size_t v) { declare_total(v); });
    writer_.open("while (", k, " < ", end, ")");
    each_value([&](std::size_t v) {
        writer_.line(running_type(v), " ", numbered("run", v), " = ", request_.values[v].neutral, ";");
    });
    writer_.line("const ", index_, " ", stop, " = ", end, " - ", k, " < ", run_length, " ? ", end, " : ", k, " + ",
                 run_length, ";");
    writer_.open("for (; ", k, " < ", stop, "; ++", k, ")");
    map_element(k, [&](std::size_t v) { return numbered("run", v); });
    writer_.close();
    each_value([&](std::size_t v) { combine(numbered("total", v), v, numbered("run", v)); });
    writer_.close();
}

void ReductionPrinter::thread_per_output() {
    const std::string split = name("split"), output = name("output"), groups = name("groups"), group = name("group");
    const std::string outputs = name("outputs");
    writer_.line("const ", index_, " ", groups, " = (", outputs, " - 1) / ", block_, " + 1;");
    writer_.line("const ", index_, " ", group, " = ", writer_.block_id(), " % ", groups, ";");
    writer_.line("const ", index_, " ", split, " = ", writer_.block_id(), " / ", groups, ";");
    writer_.line("const ", index_, " ", output, " = ", group, " * ", block_, " + ", writer_.thread_id(), ";");
    writer_.open("if (", output, " < ", outputs, ")");
    access_.begin_output(output);
    serial_runs();
    each_value([&](std::size_t v) {
        if (layout_.split) {
            writer_.line(numbered("partial", v), "[", split, " * ", outputs, " + ", output,
                         "] = ", numbered("total", v), ";");
        } else {
            store_result(v, output, numbered("total", v));
        }
    });
    writer_.close();
    if (!layout_.split || !layout_.finish) return;
    writer_.line("device_fence();");
    writer_.barrier();
    writer_.line("if (", writer_.thread_id(), " == 0) ", name("is_last"), "[0] = atomic_add(&", name("counters"), "[",
                 group, "], 1) == ", name("splits"), " - 1;");
    writer_.barrier();
    writer_.line("// The block that comes last combines what all have found, in the order of the splits.");
    writer_.open("if (", name("is_last"), "[0])");
    writer_.line("device_fence();");
    writer_.open("if (", output, " < ", outputs, ")");
    combine_partials(output);
    writer_.close();
    writer_.line("if (", writer_.thread_id(), " == 0) ", name("counters"), "[", group, "] = 0;");
    writer_.close();
}

void ReductionPrinter::combine_partials(const std::string& output) {
    const std::string s = name("s"), outputs = name("outputs");
    each_value([&](std::size_t v) {
        writer_.line(running_type(v), " ", numbered("total", v), " = ", numbered("partial", v), "[", output, "];");
    });
    const auto partial = [&](std::size_t v) {
        return gemel::text(numbered("partial", v), "[", s, " * ", outputs, " + ", output, "]");
    };
    if (layout_.serial) {
        // As many as there are cores, and more: by groups, for the same reason.
        const std::string begin = name("begin");
        writer_.open("for (", index_, " ", begin, " = 1; ", begin, " < ", name("splits"), "; ", begin, " += 16)");
        each_value([&](std::size_t v) {
            writer_.line(running_type(v), " ", numbered("run", v), " = ", request_.values[v].neutral, ";");
        });
        writer_.open("for (", index_, " ", s, " = ", begin, "; ", s, " < ", name("splits"), " && ", s, " < ", begin,
                     " + 16; ++", s, ")");
        each_value([&](std::size_t v) { combine(numbered("run", v), v, partial(v)); });
        writer_.close();
        each_value([&](std::size_t v) { combine(numbered("total", v), v, numbered("run", v)); });
    } else {
        writer_.open("for (", index_, " ", s, " = 1; ", s, " < ", name("splits"), "; ++", s, ")");
        each_value([&](std::size_t v) { combine(numbered("total", v), v, partial(v)); });
    }
    writer_.close();
    each_value([&](std::size_t v) { store_result(v, output, numbered("total", v)); });
}

void ReductionPrinter::finish_kernel() {
    std::vector<std::string> parameters = result_parameters();
    for (const char* size : {"outputs", "splits"}) parameters.push_back(gemel::text(index_, " ", name(size)));
    writer_.open_kernel(request_.name + "_finish", parameters);
    apply_result_offsets();
    const std::string output = name("output");
    writer_.line("const ", index_, " ", output, " = (", index_, ")", Dialect::indexed(writer_.dialect().global_id, 0),
                 ";");
    writer_.open("if (", output, " < ", name("outputs"), ")");
    combine_partials(output);
    writer_.close();
    writer_.close();
}

}  // namespace gemel::codegen
