#include <gemel/codegen/reduction.hpp>

#include "kernels/reduction_text.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::codegen {

namespace {

/// Expressions are printed inside lines, so trailing comments are removed.
ReductionRequest trimmed(ReductionRequest request) {
    for (ReducedValue& value : request.values)
        for (std::string* text : {&value.neutral, &value.reduce_expr, &value.replace_if, &value.result_expr,
                                  &value.extreme.part, &value.extreme.neutral, &value.extreme.reduce_expr})
            *text = Snippet(*text).text();
    return request;
}

template <class Refuse>
void check_extreme(const ReducedValue& value, const Refuse& refuse) {
    const ReducedExtreme& extreme = value.extreme;
    const std::pair<const char*, const std::string*> texts[] = {
        {"part", &extreme.part}, {"neutral", &extreme.neutral}, {"reduce_expr", &extreme.reduce_expr}};
    for (const auto& [name, text] : texts) {
        const Snippet snippet(*text);
        if (extreme.dtype.empty() && !snippet.empty())
            refuse(gemel::text("extreme.", name, " is given, but no extreme.dtype; give the type of what is compared"));
        if (!extreme.dtype.empty() && snippet.empty())
            refuse(gemel::text("extreme.", name, " is missing; give part, neutral and reduce_expr, or no extreme"));
        if (snippet.uses("return"))
            refuse(gemel::text("extreme.", name, " contains 'return'; it is an expression, not a function"));
    }
    if (extreme.dtype.empty()) return;
    if (Snippet(value.replace_if).empty())
        refuse("extreme is given without replace_if; give the condition whose extreme it is");
    if (!extreme.dtype.is_integer() && !extreme.dtype.is_floating())
        refuse(gemel::text("extreme.dtype is ", extreme.dtype.name(), "; expected an integer or floating type"));
}

}  // namespace

void check_request(const ReductionRequest& request) {
    const auto refuse = [&](const std::string& what) {
        throw ArgumentError(gemel::text("ReductionKernel '", request.name, "': ", what));
    };
    if (request.values.empty()) refuse("expected at least one result, got none; add a ReducedValue");
    for (const Parameter& p : request.arguments)
        if (p.name == "reduced_index")
            refuse(
                "an argument is named 'reduced_index', which is an element's position along the reduced axes; rename "
                "it");
    for (const ReducedValue& value : request.values) {
        if (Snippet(value.neutral).empty()) refuse("the identity is missing; give an expression such as \"0\"");
        if (Snippet(value.reduce_expr).empty())
            refuse("the reduce expression is missing; give one of a and b, such as \"a+b\"");
        if (value.map_expr.empty()) refuse("the map expression is empty; give one such as \"x[i]\"");
        if (value.map_expr.uses("return"))
            refuse("the map expression contains 'return'; it is an expression, not a function");
        if (Snippet(value.replace_if).uses("return"))
            refuse("replace_if contains 'return'; it is an expression, not a function");
        if (Snippet(value.result_expr).uses("return"))
            refuse("result_expr contains 'return'; it is an expression, not a function");
        check_extreme(value, refuse);
    }
}

std::string reduction_source(const ReductionRequest& request, const ReductionLayout& layout,
                             const ReductionTuning& tuning, const Dialect& dialect) {
    check_request(request);
    check_tuning(gemel::text("ReductionKernel '", request.name, "'"), tuning);
    const ReductionRequest asked = trimmed(request);  // the text refers to it
    return ReductionText(asked, layout, tuning, dialect).text();
}

std::size_t running_bytes(const ReductionRequest& request) {
    std::size_t bytes = 0;
    for (const ReducedValue& value : request.values) {
        const DType running = value.accumulator.empty() ? value.dtype : value.accumulator;
        bytes += std::max<std::size_t>(running.size_bytes(), 4);  // 16-bit floats are stored as float
    }
    return bytes;
}

std::uint32_t fitting_block(const ReductionRequest& request, std::uint32_t block, std::size_t shared_bytes) {
    const std::size_t most = shared_bytes - std::min<std::size_t>(shared_bytes, 64);  // leaves space for a flag
    while (block > 1 && block * running_bytes(request) > most) block /= 2;
    return block;
}

std::string reduction_source(const ReductionRequest& request, const Dialect& dialect) {
    ReductionLayout layout;
    layout.elements = plain_layout(request.arguments, array_uses(request));
    layout.split = layout.finish = true;
    layout.result_offsets.assign(request.values.size(), false);
    const std::uint32_t block = fitting_block(request, 256, 48 << 10);
    return reduction_source(request, layout, {.block = block, .access_bytes = 16, .unroll = 4}, dialect);
}

}  // namespace gemel::codegen
