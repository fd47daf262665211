#include "expression/running.hpp"

#include "expression/expression_kernel.hpp"

#include <gemel/arrays/any_expr.hpp>

#include <algorithm>

namespace gemel {
namespace {

ReductionOptions reduction_options(const StepKernel& step) {
    std::vector<int> axes;
    for (std::size_t axis = 0; axis < step.shape.rank(); ++axis)
        if (has_axis(step.axes, axis, step.shape.rank())) axes.push_back(static_cast<int>(axis));
    return {.axes = std::move(axes), .keepdims = true};
}

}  // namespace

void Running::run(const StepKernel& step) {
    views_.clear();
    arguments_.clear();
    found_.clear();
    written_.clear();
    for (const StepKernel::Array& array : step.arrays) add(operand(array), step.shape);
    for (const StepKernel::Output& output : step.outputs)
        (output.per_row ? found_ : written_).push_back(target(step, output));
    launch(step, {found_.data(), found_.size()}, {written_.data(), written_.size()});
    auto next_found = found_.begin(), next_written = written_.begin();
    for (const StepKernel::Output& output : step.outputs) {
        AnyArray& made = output.per_row ? *next_found++ : *next_written++;
        if (!output.root || step.kind == PlanStep::Kind::reduce) kept_.emplace_back(output.value, made);
        if (output.root) results_[*output.root] = std::move(made);
    }
}

std::vector<AnyArray> Running::results() {
    for (std::size_t r = 0; r < operands_.out.size(); ++r) {
        const AnyArray* const given = operands_.out[r];
        if (!given || same_elements(results_[r], *given)) continue;
        given->assign(AnyExpr(results_[r]));
        results_[r] = *given;
    }
    return std::move(results_);
}

RowKernel::Description Running::describe(const StepKernel& step, const Program& program, const Dialect& dialect) {
    add_described(step, program);
    for (const StepKernel::Output& output : step.outputs)
        if (!output.per_row) {
            views_.emplace_back(context(), output.dtype, output.shape);
            arguments_.emplace_back(views_.back());
        }
    add_numbers(step);
    return std::get<RowKernel>(step.kernel).describe(step.row_options, {arguments_.data(), arguments_.size()}, dialect);
}

int Running::launches(const StepKernel& step, const Program& program) {
    if (step.kind != PlanStep::Kind::reduce) return 1;
    add_described(step, program);
    add_numbers(step);
    return std::get<Reduction>(step.kernel).launches(reduction_options(step), {arguments_.data(), arguments_.size()});
}

void Running::add_described(const StepKernel& step, const Program& program) {
    views_.clear();
    arguments_.clear();
    for (const StepKernel::Array& array : step.arrays)
        if (array.is_kept && !is_kept(array.index))
            kept_.emplace_back(array.index, AnyArray(context(), array.dtype, program[array.index].shape));
    for (const StepKernel::Array& array : step.arrays) add(operand(array), step.shape);
}

bool Running::is_kept(std::size_t value) const {
    return std::ranges::any_of(kept_, [&](const auto& kept) { return kept.first == value; });
}

/// Whether a kernel may write the caller's array: type and shape match, and it is read only by the last kernel, element
/// by element.
bool Running::takes_given(const StepKernel::Output& output) const {
    const auto& out = operands_.out;
    if (!output.root || !out[*output.root]) return false;
    const AnyArray& given = *out[*output.root];
    if (!(given.dtype() == output.dtype) || !(given.shape() == output.shape)) return false;
    if (output.per_row && !given.is_contiguous()) return false;
    for (std::size_t other = 0; other < out.size(); ++other)
        if (other != *output.root && out[other] && given.may_overlap(*out[other])) return false;
    return std::ranges::all_of(operands_.arrays, [&](const AnyArray* array) {
        return !given.may_overlap(*array) || (out.size() == 1 && same_elements(given, *array));
    });
}

/// Where a kernel writes a result; empty if the launch makes the array.
AnyArray Running::target(const StepKernel& step, const StepKernel::Output& output) const {
    if (step.kind == PlanStep::Kind::reduce) return {};
    if (takes_given(output)) return *operands_.out[*output.root];
    return AnyArray(context(), output.dtype, output.shape);
}

const AnyArray& Running::operand(const StepKernel::Array& array) const {
    if (!array.is_kept) return *operands_.arrays[array.index];
    return std::ranges::find_if(kept_, [&](const auto& kept) { return kept.first == array.index; })->second;
}

void Running::add(const AnyArray& array, const Shape& shape) {
    if (array.shape() == shape) {
        arguments_.emplace_back(array);
    } else {
        arguments_.emplace_back(views_.emplace_back(array.broadcast_to(shape)));
    }
}

void Running::add_numbers(const StepKernel& step) {
    for (const std::size_t number : step.numbers)
        std::visit([&](const auto& value) { arguments_.push_back(weak(as_argument(value))); },
                   operands_.numbers[number]);
}

void Running::launch(const StepKernel& step, std::span<AnyArray> found, std::span<AnyArray> written) {
    if (step.kind == PlanStep::Kind::elements) {
        arguments_.insert(arguments_.begin(), written.begin(), written.end());
    } else if (step.kind == PlanStep::Kind::rows) {
        for (const AnyArray& array : written) add(array, step.shape);
    }
    add_numbers(step);
    const std::span<const CallArgument> arguments(arguments_.data(), arguments_.size());
    switch (step.kind) {
        case PlanStep::Kind::rows: std::get<RowKernel>(step.kernel).run(step.row_options, arguments, found); break;
        case PlanStep::Kind::elements: std::get<ElementwiseKernel>(step.kernel).run({}, arguments); break;
        case PlanStep::Kind::reduce:
            std::get<Reduction>(step.kernel).run(reduction_options(step), arguments, found);
            break;
    }
}

}  // namespace gemel
