#include <gemel/codegen/reduction.hpp>

#include "element_access.hpp"

#include <gemel/codegen/struct_declaration.hpp>
#include <gemel/core/error.hpp>

#include <algorithm>
#include <functional>

namespace gemel::codegen {
namespace {

using Mode = ElementAccess::Mode;
using Mapping = ReductionLayout::Mapping;

/// Elements that are summed one after the other before their sum joins the others: bounds the rounding error.
constexpr int run_length = 128;

std::vector<ArrayUse> array_uses(const ReductionRequest& request) {
    std::vector<ArrayUse> all;
    for (const Parameter& p : request.arguments) {
        ArrayUse use;
        for (const ReducedValue& value : request.values) use = use | value.map_expr.use_of(p.name);
        all.push_back(use);
    }
    return all;
}

std::vector<const Snippet*> snippets(const ReductionRequest& request) {
    std::vector<const Snippet*> all;
    for (const ReducedValue& value : request.values) all.push_back(&value.map_expr);
    return all;
}

/// Prints the kernels of one variant of a reduction.
class Reduction {
   public:
    Reduction(const ReductionRequest& request, const ReductionLayout& layout, const Tuning& tuning,
              const Dialect& dialect)
        : request_(request),
          layout_(layout),
          block_(layout.serial  ? 1
                 : tuning.block ? tuning.block
                                : 256),
          unroll_(std::max(tuning.unroll, 1u)),
          serial_lanes_(std::max(tuning.items_per_thread, 1u)),
          writer_(dialect),
          access_(request.name, request.arguments, array_uses(request), layout.elements, tuning.access_bytes, writer_,
                  snippets(request), {layout.kept_rank, layout.has_index}),
          index_(access_.index_type()) {}

    std::string print() {
        std::vector<DType> dtypes;
        for (const Parameter& p : request_.arguments) dtypes.push_back(p.dtype);
        for (const ReducedValue& value : request_.values)
            for (const DType& dtype : {value.dtype, accumulator(value)})
                if (std::find(dtypes.begin(), dtypes.end(), dtype) == dtypes.end()) extra_types_.push_back(dtype);
        access_.declare_types(extra_types_);
        if (!request_.preamble.empty()) writer_.lines(request_.preamble);
        for (std::size_t v = 0; v < request_.values.size(); ++v) {
            const std::string type = running_type(v);
            writer_.open_function(type, reduce_name(v), {type + " a", type + " b"});
            writer_.line("return ", request_.values[v].reduce_expr, ";");
            writer_.close();
        }
        kernel();
        if (layout_.split && !layout_.finish) finish_kernel();
        return writer_.take();
    }

   private:
    static DType accumulator(const ReducedValue& value) {
        return value.accumulator.empty() ? value.dtype : value.accumulator;
    }
    /// What a running value is declared as: bool is a byte also here, since not every language shares bools.
    std::string running_type(std::size_t v) const {
        const DType dtype = accumulator(request_.values[v]);
        return dtype.kind() == DType::Kind::boolean ? storage_type(dtype, writer_.dialect()) : value_type(dtype);
    }
    /// Names of what there is one of per value.
    std::string numbered(const char* wish, std::size_t v) const {
        return access_.unused(request_.values.size() == 1 ? wish : gemel::text(wish, "_", v));
    }
    std::string name(const char* wish) const { return access_.unused(wish); }
    std::string reduce_name(std::size_t v) const { return gemel::text(request_.name, "_", numbered("reduce", v)); }
    std::string reduced(std::size_t v, const std::string& a, const std::string& b) const {
        return gemel::text(reduce_name(v), "(", a, ", ", b, ")");
    }
    template <class Body>
    void each_value(Body&& body) {
        for (std::size_t v = 0; v < request_.values.size(); ++v) body(v);
    }
    void combine(const std::string& into, std::size_t v, const std::string& with) {
        writer_.line(into, " = ", reduced(v, into, with), ";");
    }

    std::vector<std::string> result_parameters() const {
        std::vector<std::string> out;
        for (std::size_t v = 0; v < request_.values.size(); ++v)
            out.push_back(writer_.global_pointer(storage_type(request_.values[v].dtype, writer_.dialect()), false) +
                          numbered("result", v));
        for (std::size_t v = 0; v < request_.values.size(); ++v)
            if (layout_.result_offsets[v]) out.push_back(gemel::text("int64_t ", numbered("result_offset", v)));
        if (layout_.split)
            for (std::size_t v = 0; v < request_.values.size(); ++v)
                out.push_back(writer_.global_pointer(running_type(v), false) + numbered("partial", v));
        return out;
    }
    void apply_result_offsets() {
        each_value([&](std::size_t v) {
            if (!layout_.result_offsets[v]) return;
            const std::string result = numbered("result", v);
            const std::string type =
                writer_.global_pointer(storage_type(request_.values[v].dtype, writer_.dialect()), false);
            writer_.line(result, " = (", type, ")((", writer_.global_pointer("char", false), ")", result, " + ",
                         numbered("result_offset", v), ");");
        });
    }
    void store_result(std::size_t v, const std::string& output, const std::string& value) {
        const DType& dtype = request_.values[v].dtype;
        const std::string stored = dtype.kind() == DType::Kind::boolean ? value + " != 0" : store_text(dtype, value);
        writer_.line(numbered("result", v), "[", output, "] = ", stored, ";");
    }

    void kernel() {
        std::vector<std::string> parameters = access_.parameters();
        for (std::string& p : result_parameters()) parameters.push_back(std::move(p));
        if (layout_.split && layout_.finish)
            parameters.push_back(writer_.global_pointer("int", false) + name("counters"));
        for (const char* size : {"n", "outputs", "splits"})
            parameters.push_back(gemel::text(index_, " ", name_of_size(size)));
        if (packed()) parameters.push_back(gemel::text(index_, " ", access_.head()));
        writer_.open_kernel(request_.name, parameters, block_);
        if (!layout_.serial && layout_.mapping == Mapping::block_per_output)
            each_value([&](std::size_t v) { writer_.shared_array(running_type(v), numbered("shared", v), block_); });
        if (layout_.split && layout_.finish) writer_.shared_array("int", name("is_last"), 1);
        access_.apply_offsets();
        apply_result_offsets();
        layout_.mapping == Mapping::block_per_output ? block_per_output() : thread_per_output();
        writer_.close();
    }

    std::string name_of_size(const char* size) const {
        // `n` means the length to the user as well, unless an argument has that name.
        for (const Parameter& p : request_.arguments)
            if (p.name == size) return name(size);
        return std::string(size) == "n" ? size : name(size);
    }
    bool packed() const { return layout_.elements.any(Access::packed); }
    bool has_axes() const { return layout_.kept_rank > 0; }

    /// Declares i and everything that depends on it, and the mapped values.
    void map_element(const std::string& run_index, const std::function<std::string(std::size_t)>& total) {
        const bool needs_index = !has_axes();
        if (needs_index) writer_.line("const ", index_, " i = ", run_index, ";");
        if (uses("reduced_index")) writer_.line("const ", index_, " reduced_index = ", run_index, ";");
        access_.begin_element(has_axes() ? run_index : "i");
        each_value(
            [&](std::size_t v) { combine(total(v), v, access_.snippet(request_.values[v].map_expr, Mode::element)); });
    }
    bool uses(std::string_view word) const {
        return std::any_of(request_.values.begin(), request_.values.end(),
                           [&](const ReducedValue& v) { return v.map_expr.uses(word); });
    }

    // A block, or several, per output.

    void block_per_output() {
        const std::string split = name("split"), output = name("output"), thread = name("thread");
        writer_.line("const int ", thread, " = ", writer_.thread_id(), ";");
        writer_.line("const ", index_, " ", output, " = ", writer_.block_id(), " / ", name("splits"), ";");
        writer_.line("const ", index_, " ", split, " = ", writer_.block_id(), " % ", name("splits"), ";");
        if (has_axes()) access_.begin_output(output);
        if (layout_.serial) {
            has_axes() ? serial_runs() : serial_lanes();
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
            writer_.line(numbered("partial", v), "[", split, " * ", name("outputs"), " + ", output, "] = ", found(v),
                         ";");
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
        writer_.open("for (", index_, " ", s, " = ", thread, "; ", s, " < ", name("splits"), "; ", s, " += ", block_,
                     ")");
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

    void declare_total(std::size_t v) {
        writer_.line(running_type(v), " ", numbered("total", v), " = ", request_.values[v].neutral, ";");
    }
    /// So many running values, all neutral.
    void declare_totals(int count) {
        const std::string lane = name("lane");
        each_value([&](std::size_t v) { writer_.line(running_type(v), " ", numbered("totals", v), "[", count, "];"); });
        writer_.unroll().open("for (int ", lane, " = 0; ", lane, " < ", count, "; ++", lane, ")");
        each_value([&](std::size_t v) {
            writer_.line(numbered("totals", v), "[", lane, "] = ", request_.values[v].neutral, ";");
        });
        writer_.close();
    }
    /// Combines them pairwise into one.
    void combine_totals(int count) {
        const std::string lane = name("lane"), width = name("width");
        if (count > 1) {
            writer_.unroll().open("for (int ", width, " = ", count / 2, "; ", width, " > 0; ", width, " /= 2)");
            writer_.unroll().open("for (int ", lane, " = 0; ", lane, " < ", width, "; ++", lane, ")");
            each_value([&](std::size_t v) {
                const std::string totals = numbered("totals", v);
                combine(gemel::text(totals, "[", lane, "]"), v, gemel::text(totals, "[", lane, " + ", width, "]"));
            });
            writer_.close();
            writer_.close();
        }
        each_value([&](std::size_t v) {
            writer_.line(running_type(v), " ", numbered("total", v), " = ", numbered("totals", v), "[0];");
        });
    }
    std::function<std::string(std::size_t)> totals_at(const std::string& lane) const {
        return [this, lane](std::size_t v) { return gemel::text(numbered("totals", v), "[", lane, "]"); };
    }

    void packs() {
        const int lanes = access_.lanes();
        const std::string packs = name("packs"), first = name("first"), u = name("u"), p = name("p"),
                          lane = name("lane"), r = name("r"), n = name_of_size("n"), thread = name("thread"),
                          split = name("split");
        const std::uint32_t step = block_ * unroll_;
        writer_.line("const ", index_, " ", packs, " = (", n, " - ", access_.head(), ") / ", lanes, ";");
        declare_totals(lanes);
        writer_.open("for (", index_, " ", first, " = ", split, " * ", step, " + ", thread, "; ", first, " < ", packs,
                     "; ", first, " += ", name("splits"), " * ", step, ")");
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
                combine(totals_at(lane)(v), v, access_.snippet(request_.values[v].map_expr, Mode::lane));
            });
            writer_.close();
        });
        writer_.close();
        writer_.line("// Elements before the first whole pack and after the last.");
        writer_.open("if (", split, " == 0)");
        writer_.open("for (int ", r, " = ", thread, "; ", r, " < ", n, " - ", packs, " * ", lanes, "; ", r,
                     " += ", block_, ")");
        map_element(gemel::text("(", r, " < ", access_.head(), " ? ", r, " : ", r, " + ", packs, " * ", lanes, ")"),
                    totals_at("0"));
        writer_.close();
        writer_.close();
        combine_totals(lanes);
    }

    void elements() {
        constexpr int in_flight = 4;
        const std::string first = name("first"), u = name("u"), k = name("k"), n = name_of_size("n");
        declare_totals(in_flight);
        writer_.open("for (", index_, " ", first, " = ", name("split"), " * ", block_ * in_flight, " + ",
                     name("thread"), "; ", first, " < ", n, "; ", first, " += ", name("splits"), " * ",
                     block_ * in_flight, ")");
        writer_.unroll().open("for (int ", u, " = 0; ", u, " < ", in_flight, "; ++", u, ")");
        writer_.line("const ", index_, " ", k, " = ", first, " + ", u, " * ", block_, ";");
        writer_.open("if (", k, " < ", n, ")");
        map_element(k, totals_at(u));
        writer_.close();
        writer_.close();
        writer_.close();
        combine_totals(in_flight);
    }

    /// Combines the totals of a block's threads in shared memory.
    void tree() {
        const std::string thread = name("thread"), width = name("width");
        each_value([&](std::size_t v) {
            writer_.line(numbered("shared", v), "[", thread, "] = ", numbered("total", v), ";");
        });
        writer_.barrier();
        if (block_ == 1) return;
        writer_.open("for (int ", width, " = ", block_ / 2, "; ", width, " > 0; ", width, " /= 2)");
        writer_.open("if (", thread, " < ", width, ")");
        each_value([&](std::size_t v) {
            const std::string shared = numbered("shared", v);
            combine(gemel::text(shared, "[", thread, "]"), v, gemel::text(shared, "[", thread, " + ", width, "]"));
        });
        writer_.close();
        writer_.barrier();
        writer_.close();
    }

    // One thread walks through a piece of its own.

    void declare_piece() {
        const std::string per = name("per_split"), begin = name("k"), end = name("end"), n = name_of_size("n");
        writer_.line("const ", index_, " ", per, " = ", n, " / ", name("splits"), " + 1;");
        writer_.line(index_, " ", begin, " = ", name("split"), " * ", per, " < ", n, " ? ", name("split"), " * ", per,
                     " : ", n, ";");
        writer_.line("const ", index_, " ", end, " = ", n, " - ", begin, " < ", per, " ? ", n, " : ", begin, " + ", per,
                     ";");
    }

    /// Neighbouring elements go to neighbouring running values, which the compiler keeps in vector registers.
    void serial_lanes() {
        const auto lanes = static_cast<int>(serial_lanes_);
        const std::string k = name("k"), end = name("end"), stop = name("stop"), lane = name("lane");
        declare_piece();
        declare_totals(lanes);
        writer_.open("while (", end, " - ", k, " >= ", lanes, ")");
        each_value([&](std::size_t v) { writer_.line(running_type(v), " ", numbered("run", v), "[", lanes, "];"); });
        const auto each_lane = [&](auto&& body) {
            writer_.open("for (int ", lane, " = 0; ", lane, " < ", lanes, "; ++", lane, ")");
            body();
            writer_.close();
        };
        each_lane([&] {
            each_value([&](std::size_t v) {
                writer_.line(numbered("run", v), "[", lane, "] = ", request_.values[v].neutral, ";");
            });
        });
        writer_.line("const ", index_, " ", stop, " = ", end, " - ", k, " < ", lanes * run_length, " ? ", end, " : ", k,
                     " + ", lanes * run_length, ";");
        writer_.open("for (; ", stop, " - ", k, " >= ", lanes, "; ", k, " += ", lanes, ")");
        each_lane([&] {
            map_element(gemel::text(k, " + ", lane),
                        [&](std::size_t v) { return gemel::text(numbered("run", v), "[", lane, "]"); });
        });
        writer_.close();
        each_lane([&] {
            each_value([&](std::size_t v) {
                combine(totals_at(lane)(v), v, gemel::text(numbered("run", v), "[", lane, "]"));
            });
        });
        writer_.close();
        writer_.open("for (; ", k, " < ", end, "; ++", k, ")");
        map_element(k, totals_at("0"));
        writer_.close();
        combine_totals(lanes);
    }

    void serial_runs() {
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

    // A thread per output; several blocks may share the run of an output.

    void thread_per_output() {
        const std::string split = name("split"), output = name("output"), groups = name("groups"),
                          group = name("group");
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
        writer_.line("if (", writer_.thread_id(), " == 0) ", name("is_last"), "[0] = atomic_add(&", name("counters"),
                     "[", group, "], 1) == ", name("splits"), " - 1;");
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

    void combine_partials(const std::string& output) {
        const std::string s = name("s"), outputs = name("outputs");
        each_value([&](std::size_t v) {
            writer_.line(running_type(v), " ", numbered("total", v), " = ", numbered("partial", v), "[", output, "];");
        });
        writer_.open("for (", index_, " ", s, " = 1; ", s, " < ", name("splits"), "; ++", s, ")");
        each_value([&](std::size_t v) {
            combine(numbered("total", v), v,
                    gemel::text(numbered("partial", v), "[", s, " * ", outputs, " + ", output, "]"));
        });
        writer_.close();
        each_value([&](std::size_t v) { store_result(v, output, numbered("total", v)); });
    }

    void finish_kernel() {
        std::vector<std::string> parameters = result_parameters();
        for (const char* size : {"outputs", "splits"}) parameters.push_back(gemel::text(index_, " ", name(size)));
        writer_.open_kernel(request_.name + "_finish", parameters);
        apply_result_offsets();
        const std::string output = name("output");
        writer_.line("const ", index_, " ", output, " = (", index_, ")",
                     Dialect::indexed(writer_.dialect().global_id, 0), ";");
        writer_.open("if (", output, " < ", name("outputs"), ")");
        combine_partials(output);
        writer_.close();
        writer_.close();
    }

    const ReductionRequest& request_;
    const ReductionLayout& layout_;
    const std::uint32_t block_, unroll_, serial_lanes_;
    Writer writer_;
    ElementAccess access_;
    const std::string& index_;
    std::vector<DType> extra_types_;
};

}  // namespace

void check_request(const ReductionRequest& request) {
    const auto refuse = [&](const std::string& what) {
        throw ArgumentError(gemel::text("ReductionKernel '", request.name, "': ", what));
    };
    if (request.values.empty()) refuse("no result is asked for");
    for (const ReducedValue& value : request.values) {
        if (value.neutral.empty()) refuse("the neutral element is missing: an expression such as \"0\"");
        if (value.reduce_expr.empty()) refuse("the reduce expression is missing: in terms of a and b, such as \"a+b\"");
        if (value.map_expr.empty()) refuse("the map expression is empty");
        if (value.map_expr.uses("return"))
            refuse("the map expression contains 'return'; it is an expression, not a function");
    }
}

std::string reduction_source(const ReductionRequest& request, const ReductionLayout& layout, const Tuning& tuning,
                             const Dialect& dialect) {
    check_request(request);
    return Reduction(request, layout, tuning, dialect).print();
}

std::string reduction_source(const ReductionRequest& request, const Dialect& dialect) {
    ReductionLayout layout;
    layout.elements = plain_layout(request.arguments, array_uses(request));
    layout.split = layout.finish = true;
    layout.result_offsets.assign(request.values.size(), false);
    return reduction_source(request, layout, {.block = 256, .access_bytes = 16, .unroll = 4}, dialect);
}

}  // namespace gemel::codegen
