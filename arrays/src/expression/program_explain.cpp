#include "expression/program_steps.hpp"
#include "expression/running.hpp"
#include "generated/kernel_cache.hpp"

#include <gemel/arrays/lazy.hpp>
#include <gemel/core/text.hpp>

#include <iterator>

namespace gemel {
namespace {

std::string size_text(double bytes) {
    const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
    const auto whole = static_cast<std::int64_t>(bytes * 10 + 0.5);
    return unit == 0 ? text(static_cast<std::int64_t>(bytes), " B")
                     : text(whole / 10, ".", whole % 10, " ", units[unit]);
}

/// The bytes that a step reads and writes, in all its passes.
struct Traffic {
    double read = 0, written = 0;
};
Traffic traffic_of(const StepKernel& step, const Program& program, bool reads_again) {
    Traffic all;
    const std::size_t passes = step.kind == PlanStep::Kind::rows && reads_again ? step.loops + 1 : 1;
    for (const StepKernel::Array& array : step.arrays) {
        const Shape& shape = array.is_kept ? program[array.index].shape : program.arrays()[array.index].shape();
        all.read += static_cast<double>(shape.count() * array.dtype.size_bytes() * passes);
    }
    for (const StepKernel::Output& output : step.outputs)
        all.written += static_cast<double>(output.shape.count() * output.dtype.size_bytes());
    return all;
}

const char* what_of(const StepKernel& step) {
    switch (step.kind) {
        case PlanStep::Kind::rows: return "rows";
        case PlanStep::Kind::reduce: return "reduction";
        case PlanStep::Kind::elements: return "elements";
    }
    return "";
}

}  // namespace

std::string detail::explain_all(std::span<const AnyExpr> expressions, bool with_text) {
    Program program(expressions);
    check(program);
    if (!has_elements(program)) return "not fused: an array has no elements. Reductions run first.\n";
    const std::shared_ptr<const Steps> steps = steps_of(program);
    if (!steps) return "not fused: too many operands for one kernel. Reductions run first.\n";
    // Planning splits reductions and adds values to the program, to which the steps refer.
    plan_of(program, KernelCache::of(program.arrays().front()).info());
    const Context context = program.arrays().front().context();
    const Dialect& dialect = context.dialect();
    const std::vector<const AnyArray*> none(expressions.size(), nullptr);
    std::vector<const AnyArray*> arrays;
    for (const AnyArray& array : program.arrays()) arrays.push_back(&array);
    Running running({arrays, program.numbers(), none});
    std::string body;
    Traffic total;
    int launches = 0;
    for (std::size_t k = 0; k < steps->size(); ++k) {
        const StepKernel& step = (*steps)[k];
        RowKernel::Description description;
        if (step.kind == PlanStep::Kind::rows) description = running.describe(step, program, dialect);
        const Traffic own = traffic_of(step, program, description.reads_again);
        const int own_launches = running.launches(step, program);
        launches += own_launches;
        total.read += own.read, total.written += own.written;
        body += text("  ", k + 1, ". ", what_of(step), " of shape ", to_string(step.shape));
        if (step.reductions > 0)
            body +=
                text(": ", step.reductions, step.reductions == 1 ? " reduction" : " reductions",
                     step.kind == PlanStep::Kind::rows ? text(" in ", step.loops, step.loops == 1 ? " loop" : " loops")
                                                       : "");
        body += text(", ", step.outputs.size(), step.outputs.size() == 1 ? " result" : " results", "; reads ",
                     size_text(own.read), ", writes ", size_text(own.written),
                     own_launches == 1 ? std::string() : text("; ", own_launches, " launches"), "\n");
        if (!description.cut.empty()) body += text("     ", description.cut, "\n");
        if (!step.why.empty()) body += text("     not part of the kernel before: ", step.why, "\n");
        if (with_text && !description.text.empty()) body += description.text + "\n";
    }
    return text(steps->size(), steps->size() == 1 ? " kernel" : " kernels", " in ", launches,
                launches == 1 ? " launch" : " launches", ", reads ", size_text(total.read), ", writes ",
                size_text(total.written), "\n", body);
}

}  // namespace gemel
