#include "kernels/reduction_printer.hpp"

#include <gemel/codegen/struct_declaration.hpp>
#include <gemel/core/error.hpp>

#include <algorithm>
#include <bit>

namespace gemel::codegen {

std::vector<ArrayUse> array_uses(const ReductionRequest& request) {
    std::vector<ArrayUse> all;
    for (const Parameter& p : request.arguments) {
        ArrayUse use;
        for (const ReducedValue& value : request.values) use = use | value.map_expr.use_of(p.name);
        all.push_back(use);
    }
    return all;
}

namespace {

std::vector<const Snippet*> snippets(const ReductionRequest& request, const Snippet& preamble) {
    std::vector<const Snippet*> all{&preamble};
    for (const ReducedValue& value : request.values) all.push_back(&value.map_expr);
    return all;
}

}  // namespace

ReductionPrinter::ReductionPrinter(const ReductionRequest& request, const ReductionLayout& layout,
                                   const ReductionTuning& tuning, const Dialect& dialect)
    : request_(request),
      layout_(layout),
      block_(layout.serial  ? 1
             : tuning.block ? tuning.block
                            : 256),
      unroll_(std::max(tuning.unroll, 1u)),
      serial_lanes_(std::bit_floor(std::max(tuning.running_results, 1u))),  // halves meet
      writer_(dialect),
      preamble_(request.preamble),
      access_(request.name, request.arguments, array_uses(request), layout.elements, tuning.access_bytes, writer_,
              snippets(request, preamble_), {layout.kept_rank, layout.has_index}),
      index_(access_.index_type()) {}

std::string ReductionPrinter::print() {
    std::vector<DType> dtypes;
    for (const Parameter& p : request_.arguments) dtypes.push_back(p.dtype);
    for (const ReducedValue& value : request_.values)
        for (const DType& dtype : {value.dtype, accumulator(value)})
            if (std::find(dtypes.begin(), dtypes.end(), dtype) == dtypes.end()) extra_types_.push_back(dtype);
    if (layout_.result_offsets.size() != request_.values.size())
        throw ArgumentError(gemel::text("kernel '", request_.name, "': a layout with ", layout_.result_offsets.size(),
                                        " result_offsets for ", request_.values.size(), " results"));
    access_.declare_types(extra_types_);
    if (!request_.preamble.empty()) writer_.lines(request_.preamble);
    for (std::size_t v = 0; v < request_.values.size(); ++v) {
        const std::string type = running_type(v);
        writer_.open_function(type, reduce_name(v), {type + " a", type + " b"});
        writer_.line("return ", as_running(v, request_.values[v].reduce_expr), ";");
        writer_.close();
        if (!request_.values[v].replace_if.empty()) {
            writer_.open_function("int", replace_name(v), {type + " a", type + " b"});
            writer_.line("return (", request_.values[v].replace_if, ") != 0;");
            writer_.close();
        }
        if (!request_.values[v].result_expr.empty()) {
            writer_.open_function(value_type(request_.values[v].dtype), stored_name(v), {type + " a"});
            writer_.line("return ", request_.values[v].result_expr, ";");
            writer_.close();
        }
    }
    kernel();
    if (layout_.split && !layout_.finish) finish_kernel();
    return writer_.take();
}

std::string ReductionPrinter::running_type(std::size_t v) const {
    const DType dtype = accumulator(request_.values[v]);
    return dtype.kind() == DType::Kind::boolean ? storage_type(dtype, writer_.dialect()) : value_type(dtype);
}

std::vector<std::string> ReductionPrinter::result_parameters() const {
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

void ReductionPrinter::apply_result_offsets() {
    each_value([&](std::size_t v) {
        if (!layout_.result_offsets[v]) return;
        const std::string result = numbered("result", v);
        const std::string type =
            writer_.global_pointer(storage_type(request_.values[v].dtype, writer_.dialect()), false);
        writer_.line(result, " = (", type, ")((", writer_.global_pointer("char", false), ")", result, " + ",
                     numbered("result_offset", v), ");");
    });
}

void ReductionPrinter::store_result(std::size_t v, const std::string& output, const std::string& found) {
    const DType& dtype = request_.values[v].dtype;
    const std::string value =
        request_.values[v].result_expr.empty() ? found : gemel::text(stored_name(v), "(", found, ")");
    const std::string stored = dtype.kind() == DType::Kind::boolean ? value + " != 0" : store_text(dtype, value);
    writer_.line(numbered("result", v), "[", output, "] = ", stored, ";");
}

void ReductionPrinter::kernel() {
    std::vector<std::string> parameters = access_.parameters();
    for (std::string& p : result_parameters()) parameters.push_back(std::move(p));
    if (layout_.split && layout_.finish) parameters.push_back(writer_.global_pointer("int", false) + name("counters"));
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

std::string ReductionPrinter::name_of_size(const char* size) const {
    // `n` means the length to the user as well, unless an argument has that name.
    for (const Parameter& p : request_.arguments)
        if (p.name == size) return name(size);
    return std::string(size) == "n" ? size : name(size);
}

void ReductionPrinter::map_element(const std::string& run_index, const std::function<std::string(std::size_t)>& total,
                                   bool is_later) {
    with_element(run_index, [&](std::size_t v, const std::string& mapped) {
        is_later ? append(total(v), v, mapped) : combine(total(v), v, mapped);
    });
}

void ReductionPrinter::with_element(const std::string& run_index,
                                    const std::function<void(std::size_t, const std::string&)>& use) {
    const bool needs_index = !has_axes();
    if (needs_index) writer_.line("const ", index_, " i = ", run_index, ";");
    if (uses("reduced_index")) writer_.line("const ", index_, " reduced_index = ", run_index, ";");
    access_.begin_element(has_axes() ? run_index : "i");
    each_value(
        [&](std::size_t v) { use(v, as_running(v, access_.snippet(request_.values[v].map_expr, Mode::element))); });
}

void ReductionPrinter::declare_totals(int count) {
    const std::string lane = name("lane");
    each_value([&](std::size_t v) { writer_.line(running_type(v), " ", numbered("totals", v), "[", count, "];"); });
    writer_.unroll().open("for (int ", lane, " = 0; ", lane, " < ", count, "; ++", lane, ")");
    each_value([&](std::size_t v) { writer_.line(numbered("totals", v), "[", lane, "] = ", neutral(v), ";"); });
    writer_.close();
}

void ReductionPrinter::combine_totals(int count) {
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

}  // namespace gemel::codegen
