#include "kernels/reduction_printer.hpp"

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
    each_lane([&](std::size_t v) { writer_.line(run(v), " = ", neutral(v), ";"); });
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

void ReductionPrinter::serial_search() {
    constexpr int length = 256;
    const std::string k = name("k"), end = name("end"), stop = name("stop"), j = name("j"), found = name("found");
    const auto each_element = [&](auto&& use) {
        writer_.open("for (", index_, " ", j, " = ", k, "; ", j, " < ", stop, "; ++", j, ")");
        with_element(j, use);
        writer_.close();
    };
    declare_piece();
    declare_total(0);
    writer_.open("while (", k, " < ", end, ")");
    writer_.line("const ", index_, " ", stop, " = ", end, " - ", k, " < ", length, " ? ", end, " : ", k, " + ", length,
                 ";");
    writer_.line("int ", found, " = 0;");
    each_element([&](std::size_t, const std::string& mapped) {
        writer_.line(found, " |= ", replace_name(0), "(", name("total"), ", ", mapped, ");");
    });
    writer_.open("if (", found, ")");
    each_element([&](std::size_t v, const std::string& mapped) { append(name("total"), v, mapped); });
    writer_.close();
    writer_.line(k, " = ", stop, ";");
    writer_.close();
}

void ReductionPrinter::in_runs(const std::string& k, const std::string& end, const std::function<void()>& add_to_run) {
    const std::string runs = name("runs"), stop = name("stop");
    const auto kept = [&](std::size_t v, int level) { return numbered(gemel::text("kept", level).c_str(), v); };
    const auto declare = [&](const std::string& value, std::size_t v) {
        writer_.line(running_type(v), " ", value, " = ", neutral(v), ";");
    };
    // What is wide would not fit into registers.
    const bool wide = std::any_of(request_.values.begin(), request_.values.end(),
                                  [](const ReducedValue& v) { return accumulator(v).size_bytes() > 16; });
    const int levels = wide ? 1 : 4;
    for (int level = 0; level < levels; ++level) each_value([&](std::size_t v) { declare(kept(v, level), v); });
    writer_.line(index_, " ", runs, " = 0;");
    writer_.open("while (", k, " < ", end, ")");
    each_value([&](std::size_t v) { declare(numbered("run", v), v); });
    writer_.line("const ", index_, " ", stop, " = ", end, " - ", k, " < ", run_length, " ? ", end, " : ", k, " + ",
                 run_length, ";");
    writer_.open("for (; ", k, " < ", stop, "; ++", k, ")");
    add_to_run();
    writer_.close();
    each_value([&](std::size_t v) { combine(kept(v, 0), v, numbered("run", v)); });
    writer_.line("++", runs, ";");
    for (int level = 1, length = run_length; level < levels; ++level, length *= run_length) {
        writer_.open("if (", runs, " % ", length, " == 0)");
        each_value([&](std::size_t v) {
            combine(kept(v, level), v, kept(v, level - 1));
            writer_.line(kept(v, level - 1), " = ", neutral(v), ";");
        });
        writer_.close();
    }
    writer_.close();
    each_value([&](std::size_t v) {
        writer_.line(running_type(v), " ", numbered("total", v), " = ", kept(v, levels - 1), ";");
        for (int level = levels - 2; level >= 0; --level) combine(numbered("total", v), v, kept(v, level));
    });
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
    declare_piece();
    in_runs(name("k"), name("end"), [&] { map_element(name("k"), [&](std::size_t v) { return numbered("run", v); }); });
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
    writer_.line(index_, " ", s, " = 0;");
    in_runs(s, name("splits"), [&] {
        each_value([&](std::size_t v) {
            combine(numbered("run", v), v,
                    gemel::text(numbered("partial", v), "[", s, " * ", outputs, " + ", output, "]"));
        });
    });
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
