#include "expression/program_run.hpp"

#include "array/require.hpp"
#include "expression/expression_kernel.hpp"
#include "expression/function_definition.hpp"
#include "expression/program_text.hpp"
#include "generated/kernel_cache.hpp"

#include <gemel/arrays/lazy.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <boost/container_hash/hash.hpp>

#include <algorithm>
#include <deque>
#include <mutex>

namespace gemel {
namespace {

using Kind = ExpressionStructure::Kind;
using Steps = std::vector<StepKernel>;

void check(const Program& program, std::span<const AnyArray* const> out = {}) {
    const AnyArray& leader = program.arrays().front();
    for (const AnyArray& array : program.arrays())
        if (array.buffer().context_id() != leader.buffer().context_id()) refuse_contexts(leader, array);
    for (const AnyArray* const array : out)
        if (array) require_context("evaluate_into", "the array for a result", *array, leader.context(), "the operands");
    const DeviceInfo& info = KernelCache::of(leader).info();
    for (const Program::Value& value : program.values())
        if (value.function && value.function->has_double && !info.has_double)
            throw ArgumentError(text("function '", value.function->name, "' computes in double, which device ",
                                     info.name, " cannot; give it parameters and a result of float"));
}

bool has_elements(const Program& program) {
    return std::ranges::all_of(program.values(), [](const Program::Value& value) {
        return value.kind == Kind::number || value.shape.count() > 0;
    });
}

struct WordsHash {
    std::size_t operator()(const std::vector<std::uint64_t>& words) const {
        return boost::hash_range(words.begin(), words.end());
    }
};

/// The plan's kernels, created for the first program of this structure. Null if one kernel cannot take all operands.
std::shared_ptr<const Steps> steps_of(Program& program) {
    static auto& mutex = *new std::mutex;
    static auto& plans = *new std::unordered_map<std::vector<std::uint64_t>, std::shared_ptr<const Steps>, WordsHash>;
    constexpr std::size_t most = 4096;
    const DeviceInfo& info = KernelCache::of(program.arrays().front()).info();
    std::vector<std::uint64_t> key = program.key();
    key.push_back(reinterpret_cast<std::uintptr_t>(&info));
    {
        std::lock_guard lock(mutex);
        if (const auto known = plans.find(key); known != plans.end()) return known->second;
    }
    std::shared_ptr<const Steps> made;
    try {
        const Plan plan = plan_of(program, info);
        made = std::make_shared<const Steps>(kernels_of(program, plan));
    } catch (const TooLarge&) {}
    std::lock_guard lock(mutex);
    if (plans.size() >= most) plans.clear();
    return plans.try_emplace(std::move(key), std::move(made)).first->second;
}

/// Runs the steps of one program.
class Running {
   public:
    Running(const Program& program, std::span<const AnyArray* const> out)
        : program_(program), out_(out), results_(out.size()) {}

    void run(const StepKernel& step) {
        views_.clear();
        arguments_.clear();
        for (const StepKernel::Array& array : step.arrays) add(operand(array), step.shape);
        std::vector<AnyArray> found, written;
        for (const StepKernel::Output& output : step.outputs) {
            const bool as_given = step.kind != PlanStep::Kind::reduce && takes_given(output);
            AnyArray made;
            if (as_given) made = *out_[*output.root];
            if (!as_given && step.kind != PlanStep::Kind::reduce)
                made = AnyArray(program_.arrays().front().context(), output.dtype, output.shape);
            (output.per_row ? found : written).push_back(made);
        }
        launch(step, found, written);
        std::size_t next_found = 0, next_written = 0;
        for (const StepKernel::Output& output : step.outputs) {
            const AnyArray made = output.per_row ? found[next_found++] : written[next_written++];
            if (!output.root || step.kind == PlanStep::Kind::reduce) kept_.emplace_back(output.value, made);
            if (output.root) results_[*output.root] = made;
        }
    }

    std::vector<AnyArray> results() {
        for (std::size_t r = 0; r < out_.size(); ++r)
            if (out_[r] && !(same_elements(results_[r], *out_[r]))) {
                out_[r]->assign(AnyExpr(results_[r]));
                results_[r] = *out_[r];
            }
        return std::move(results_);
    }
    /// The options for launching a row program.
    static RowOptions row_options(const StepKernel& step) {
        RowOptions options;
        for (std::size_t axis = 0; axis < step.shape.rank(); ++axis)
            options.along.push_back(has_axis(step.axes, axis, step.shape.rank()));
        return options;
    }
    static ReductionOptions reduction_options(const StepKernel& step) {
        std::vector<int> axes;
        for (std::size_t axis = 0; axis < step.shape.rank(); ++axis)
            if (has_axis(step.axes, axis, step.shape.rank())) axes.push_back(static_cast<int>(axis));
        return {.axes = std::move(axes), .keepdims = true};
    }
    /// For showing kernels: the arguments of run(), with empty arrays for the results of earlier steps.
    RowKernel::Description describe(const StepKernel& step, const Dialect& dialect) {
        add_described(step);
        for (const StepKernel::Output& output : step.outputs)
            if (!output.per_row)
                add(AnyArray(program_.arrays().front().context(), output.dtype, output.shape), step.shape);
        add_numbers(step);
        return std::get<RowKernel>(step.kernel).describe(row_options(step), arguments_, dialect);
    }
    int launches(const StepKernel& step) {
        if (step.kind != PlanStep::Kind::reduce) return 1;
        add_described(step);
        add_numbers(step);
        return std::get<Reduction>(step.kernel).launches(reduction_options(step), arguments_);
    }

   private:
    /// The step's arrays, with empty ones for the results of earlier steps.
    void add_described(const StepKernel& step) {
        views_.clear();
        arguments_.clear();
        for (const StepKernel::Array& array : step.arrays) {
            if (array.is_kept && !is_kept(array.index))
                kept_.emplace_back(array.index, AnyArray(program_.arrays().front().context(), array.dtype,
                                                         program_[array.index].shape));
            add(operand(array), step.shape);
        }
    }
    bool is_kept(std::size_t value) const {
        return std::ranges::any_of(kept_, [&](const auto& kept) { return kept.first == value; });
    }
    /// Whether a kernel may write the caller's array: type and shape match, and it is read only by the last kernel,
    /// element by element.
    bool takes_given(const StepKernel::Output& output) const {
        if (!output.root || !out_[*output.root]) return false;
        const AnyArray& given = *out_[*output.root];
        if (!(given.dtype() == output.dtype) || !(given.shape() == output.shape)) return false;
        if (output.per_row && !given.is_contiguous()) return false;
        for (std::size_t other = 0; other < out_.size(); ++other)
            if (other != *output.root && out_[other] && given.may_overlap(*out_[other])) return false;
        return std::ranges::all_of(program_.arrays(), [&](const AnyArray& array) {
            return !given.may_overlap(array) || (out_.size() == 1 && same_elements(given, array));
        });
    }
    const AnyArray& operand(const StepKernel::Array& array) const {
        if (!array.is_kept) return program_.arrays()[array.index];
        return std::ranges::find_if(kept_, [&](const auto& kept) { return kept.first == array.index; })->second;
    }
    void add(const AnyArray& array, const Shape& shape) {
        views_.push_back(array.shape() == shape ? array : array.broadcast_to(shape));
        arguments_.emplace_back(views_.back());
    }
    void add_numbers(const StepKernel& step) {
        for (const std::size_t number : step.numbers)
            std::visit([&](const auto& value) { arguments_.push_back(weak(as_argument(value))); },
                       program_.numbers()[number]);
    }

    void launch(const StepKernel& step, std::span<AnyArray> found, std::span<AnyArray> written) {
        switch (step.kind) {
            case PlanStep::Kind::rows:
                for (const AnyArray& array : written) add(array, step.shape);
                add_numbers(step);
                std::get<RowKernel>(step.kernel).run(row_options(step), arguments_, found);
                break;
            case PlanStep::Kind::elements: {
                std::vector<CallArgument> all(written.begin(), written.end());
                add_numbers(step);
                all.insert(all.end(), arguments_.begin(), arguments_.end());
                std::get<ElementwiseKernel>(step.kernel).run({}, all);
                break;
            }
            case PlanStep::Kind::reduce: {
                add_numbers(step);
                std::get<Reduction>(step.kernel).run(reduction_options(step), arguments_, found);
                break;
            }
        }
    }

    const Program& program_;
    std::span<const AnyArray* const> out_;
    std::vector<AnyArray> results_;
    std::vector<std::pair<std::size_t, AnyArray>> kept_;
    std::deque<AnyArray> views_;  ///< arguments point to these
    std::vector<CallArgument> arguments_;
};

/// Without a row program: first the reductions, then the rest, which is split if it is too large for one kernel.
std::vector<AnyArray> evaluate_apart(const Context& context, std::span<const AnyExpr> expressions,
                                     std::span<const AnyArray* const> out) {
    std::vector<AnyArray> results;
    for (const AnyExpr& expression : expressions) {
        if (expression.shape().count() == 0) {
            results.emplace_back(context, expression.dtype(), expression.shape());
            continue;
        }
        const AnyExpr rest = with_reductions_done(expression);
        results.push_back(evaluate(rest.view()));
    }
    for (std::size_t r = 0; r < out.size(); ++r)
        if (out[r]) {
            out[r]->assign(AnyExpr(results[r]));
            results[r] = *out[r];
        }
    return results;
}

AnyExpr done(const AnyExpr& expression, std::unordered_map<const detail::ExpressionNode*, AnyExpr>& met) {
    const detail::ExpressionNode& node = expression.node();
    if (node.operands.empty()) return expression;
    if (const auto known = met.find(&node); known != met.end()) return known->second;
    std::vector<AnyExpr> operands;
    for (const AnyExpr& operand : node.operands) operands.push_back(done(operand, met));
    const ExpressionStructure& own = *node.structure;
    const auto made = [&]() -> AnyExpr {
        if (own.function) return detail::call_of(*own.function, operands);
        if (own.kind != Kind::reduction) return AnyExpr(*own.operation, operands, own.dtype);
        const bool chooses = own.reduction == ReductionKind::minimum || own.reduction == ReductionKind::maximum ||
                             own.reduction == ReductionKind::argmin || own.reduction == ReductionKind::argmax;
        if (chooses && count_along(operands[0].shape(), own.axes) == 0)
            throw ArgumentError(
                text("lazy minimum or maximum (softmax and logsumexp have one, too): there are no elements "
                     "along its axes of shape ",
                     to_string(operands[0].shape()), "; reduce other axes"));
        std::vector<int> axes;
        const std::size_t rank = node.shape.rank();
        for (std::size_t axis = 0; axis < rank; ++axis)
            if (has_axis(own.axes, axis, rank)) axes.push_back(static_cast<int>(axis));
        // Sums and products of 16-bit floats may overflow these before the rest of the expression makes them small.
        const bool adds = own.reduction == ReductionKind::sum || own.reduction == ReductionKind::product;
        const DType result = adds && own.dtype.is_16_bit_float() ? dtype_of<float>() : own.dtype;
        return AnyExpr(reduce(own.reduction, operands[0].view(), result, axes, true, "lazy reduction"));
    };
    return met.emplace(&node, made()).first->second;
}

}  // namespace

AnyExpr with_reductions_done(const AnyExpr& expression) {
    std::unordered_map<const detail::ExpressionNode*, AnyExpr> met;
    const AnyExpr rest = done(expression, met);
    return rest.dtype() == expression.dtype() ? rest : astype(rest, expression.dtype());
}

std::vector<AnyArray> evaluate_together(std::span<const AnyExpr> expressions, std::span<const AnyArray* const> out) {
    Program program(expressions);
    check(program, out);
    const std::shared_ptr<const Steps> steps = has_elements(program) ? steps_of(program) : nullptr;
    if (!steps) return evaluate_apart(program.arrays().front().context(), expressions, out);
    Running running(program, out);
    for (const StepKernel& step : *steps) running.run(step);
    return running.results();
}

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
    Running running(program, none);
    std::string body;
    Traffic total;
    int launches = 0;
    for (std::size_t k = 0; k < steps->size(); ++k) {
        const StepKernel& step = (*steps)[k];
        RowKernel::Description description;
        if (step.kind == PlanStep::Kind::rows) description = running.describe(step, dialect);
        const Traffic own = traffic_of(step, program, description.reads_again);
        const int own_launches = running.launches(step);
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
