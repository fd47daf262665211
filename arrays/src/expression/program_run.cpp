#include "expression/program_run.hpp"

#include "expression/expression_kernel.hpp"
#include "expression/function_definition.hpp"
#include "expression/known_programs.hpp"
#include "expression/program_steps.hpp"

#include <gemel/arrays/lazy.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <array>
#include <memory>
#include <unordered_map>
#include <utility>

namespace gemel {
namespace {

using Kind = ExpressionStructure::Kind;

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

namespace {

/// The expressions, converted to the types of the arrays that receive their values.
std::vector<AnyExpr> converted(std::span<const detail::ExpressionView> expressions,
                               std::span<const AnyArray* const> out) {
    std::vector<AnyExpr> all;
    for (std::size_t k = 0; k < expressions.size(); ++k) {
        AnyExpr whole = expressions[k].any(expressions[k].expression);
        if (out[k] && !(whole.dtype() == out[k]->dtype())) {
            if (!codegen::is_same_kind(whole.dtype(), out[k]->dtype()))
                throw ArgumentError(text("evaluate_into: expression ", k + 1, " is of ", whole.dtype().name(),
                                         ", another kind than its array's ", out[k]->dtype().name(),
                                         "; astype() converts"));
            whole = astype(whole, out[k]->dtype());
        }
        all.push_back(std::move(whole));
    }
    return all;
}

std::vector<AnyArray> run_steps(const Steps& steps, const ProgramOperands& operands) {
    Running running(operands);
    for (const StepKernel& step : steps) running.run(step);
    return running.results();
}

/// A program that has run before, with new operands.
std::vector<AnyArray> run_known(const KnownProgram& known, const detail::ExpressionOperands& operands,
                                const OperandNumbers& given, std::span<const AnyArray* const> out) {
    const std::span arrays(operands.arrays.data(), operands.array_count);
    for (const AnyArray* const array : arrays)
        if (array->buffer().context_id() != arrays[0]->buffer().context_id()) refuse_contexts(*arrays[0], *array);
    for (const AnyArray* const array : out)
        if (array) require_target(*array, *arrays[0]);
    boost::container::small_vector<AnyNumber, detail::ExpressionOperands::max_numbers> numbers;
    for (const KnownProgram::Number& number : known.numbers)
        numbers.push_back(number.operand ? given[*number.operand] : number.constant);
    return run_steps(*known.steps, {arrays, {numbers.data(), numbers.size()}, out});
}

/// One evaluation of some expressions, whose operands have been collected.
class Evaluation {
   public:
    Evaluation(std::span<const detail::ExpressionView> expressions, const detail::ExpressionOperands& operands,
               std::span<const AnyArray* const> out)
        : expressions_(expressions), operands_(operands), out_(out), numbers_(operands) {
        if (operands.exceeds || operands.array_count == 0) return;
        key_ = program_key(expressions, operands, numbers_, out);
        known_ = find_program(key_);
    }

    std::vector<AnyArray> run() const { return known_ ? run_known(*known_, operands_, numbers_, out_) : run_first(); }
    /// The shape of the first expression's values.
    Shape shape() const {
        return known_ ? known_->shapes.front() : expressions_[0].any(expressions_[0].expression).shape();
    }

   private:
    std::vector<AnyArray> run_first() const {
        const std::vector<AnyExpr> expressions = converted(expressions_, out_);
        Program program(expressions);
        check(program, out_);
        const std::shared_ptr<const Steps> steps = has_elements(program) ? steps_of(program) : nullptr;
        if (!steps) return evaluate_apart(program.arrays().front().context(), expressions, out_);
        if (!key_.empty()) remember_program(key_, program, steps, operands_, numbers_);
        std::vector<const AnyArray*> arrays;
        for (const AnyArray& array : program.arrays()) arrays.push_back(&array);
        return run_steps(*steps, {arrays, program.numbers(), out_});
    }

    std::span<const detail::ExpressionView> expressions_;
    const detail::ExpressionOperands& operands_;
    std::span<const AnyArray* const> out_;
    OperandNumbers numbers_;
    ProgramKey key_;
    std::shared_ptr<const KnownProgram> known_;
};

}  // namespace

std::vector<AnyArray> detail::evaluate_all(std::span<const ExpressionView> expressions,
                                           std::span<const AnyArray* const> out) {
    ExpressionOperands operands;
    for (const ExpressionView& expression : expressions) expression.collect(expression.expression, operands);
    return Evaluation(expressions, operands, out).run();
}

AnyArray evaluate_with_reductions(const detail::ExpressionView& expression, const detail::ExpressionOperands& operands,
                                  const AnyArray* out, LeadingAxes leading) {
    constexpr std::array<const AnyArray*, 1> nowhere{};
    const Evaluation evaluation({&expression, 1}, operands, nowhere);
    if (!out) return evaluation.run().front();
    if (out->shape() == evaluation.shape()) return Evaluation({&expression, 1}, operands, {&out, 1}).run().front();
    return evaluate(detail::view_of(evaluation.run().front()), out, leading);
}

}  // namespace gemel
