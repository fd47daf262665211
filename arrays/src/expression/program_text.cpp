#include "expression/program_text.hpp"

#include "expression/expression_kernel.hpp"
#include "expression/function_definition.hpp"
#include "expression/reduction_launch.hpp"
#include "expression/reduction_texts.hpp"
#include "expression/row_values.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <map>

namespace gemel {
namespace {

using Kind = ExpressionStructure::Kind;

/// Prints the kernel of one step.
class StepText {
   public:
    StepText(const Program& program, const PlanStep& step, const std::vector<std::size_t>& kept)
        : program_(program), step_(step), kept_(kept), known_(program, step, kept), text_(operands_) {}

    StepKernel kernel() {
        StepKernel made{.kind = step_.kind, .axes = step_.axes, .shape = step_.shape, .why = step_.why};
        for (std::size_t axis = 0; axis < step_.shape.rank(); ++axis)
            made.row_options.along.push_back(has_axis(step_.axes, axis, step_.shape.rank()));
        made.loops = step_.loops.size();
        for (const auto& loop : step_.loops) made.reductions += loop.size();
        for (const PlanStep::Output& output : step_.outputs) {
            const Program::Value& value = program_[output.value];
            made.outputs.push_back(
                {.value = output.value,
                 .root = output.root,
                 .dtype = output.root ? value.dtype : found_dtype(value),
                 .shape = value.shape,
                 .per_row = step_.kind != PlanStep::Kind::elements && !(value.shape == step_.shape)});
        }
        switch (step_.kind) {
            case PlanStep::Kind::rows: made.kernel = rows(made); break;
            case PlanStep::Kind::elements: made.kernel = elements(made); break;
            case PlanStep::Kind::reduce: made.kernel = reduction(); break;
        }
        made.arrays = arrays_;
        made.numbers = numbers_;
        return made;
    }

   private:
    std::vector<Parameter> arguments(const StepKernel& made, bool outputs_first) {
        std::vector<Parameter> all, outputs;
        for (std::size_t k = 0; k < made.outputs.size(); ++k)
            if (!made.outputs[k].per_row) outputs.push_back(VectorArg(made.outputs[k].dtype, text("out", k)));
        if (outputs_first) all = outputs;
        for (std::size_t k = 0; k < arrays_.size(); ++k) all.push_back(VectorArg(arrays_[k].dtype, text("x", k), true));
        if (!outputs_first) all.insert(all.end(), outputs.begin(), outputs.end());
        all.insert(all.end(), text_.numbers.begin(), text_.numbers.end());
        check_count(all.size() + made.outputs.size() - outputs.size());
        return all;
    }
    static void check_count(std::size_t arguments) {
        if (arguments > max_call_arguments - 2) throw TooLarge("an expression has too many operands for one kernel");
    }

    /// "out0[i] = ...;" for the outputs that have a value per element.
    std::string body(const StepKernel& made) {
        std::vector<std::string> values;
        for (const StepKernel::Output& output : made.outputs)
            if (!output.per_row) values.push_back(print(output.value, output.dtype));
        detail::ExpressionText::Statements all = text_.statements(values);
        std::size_t next = 0;
        for (std::size_t k = 0; k < made.outputs.size(); ++k)
            if (!made.outputs[k].per_row) all.text += text("out", k, "[i] = ", all.values[next++], ";\n");
        return all.text;
    }

    ElementwiseKernel elements(const StepKernel& made) {
        std::string operation = body(made);
        return ElementwiseKernel(arguments(made, true), std::move(operation), "expression",
                                 {.preamble = text_.preamble});
    }

    RowKernel rows(const StepKernel& made) {
        codegen::RowRequest request{.name = "fused_rows"};
        std::string helpers;
        for (const auto& loop : step_.loops) {
            codegen::RowLoop made_loop;
            for (const std::size_t v : known_.worth_keeping(request.loops.size())) {
                made_loop.kept.push_back(computed(v));
                known_.held.emplace(v, known_.held.size());
                printed_.clear();
            }
            std::vector<std::string> operands;
            for (const std::size_t v : loop) operands.push_back(print_operand(v));
            const detail::ExpressionText::Statements all = text_.statements(operands);
            made_loop.statements = codegen::Snippet(all.text);
            for (std::size_t k = 0; k < loop.size(); ++k)
                made_loop.values.push_back(reduced(loop[k], all.values[k], helpers));
            for (const std::size_t v : known_.worth_fixing(request.loops.size())) {
                made_loop.fixed.push_back(computed(v));
                known_.fixed.emplace(v, known_.next_fixed());
                printed_.clear();
            }
            for (const RowValues::Divisor divisor : known_.worth_inverting(request.loops.size())) {
                for (std::string& part : inverse_of(divisor))
                    made_loop.fixed.push_back({.dtype = dtype_of<float>(), .value = codegen::Snippet(part)});
                known_.inverses.emplace(divisor, known_.next_fixed());
                printed_.clear();
            }
            request.loops.push_back(std::move(made_loop));
        }
        request.body = codegen::Snippet(body(made));
        for (const StepKernel::Output& output : made.outputs) {
            if (!output.per_row) continue;
            const std::string value = print(output.value, output.dtype);
            const detail::ExpressionText::Statements all = text_.statements({&value, 1});
            request.results.push_back(
                {.dtype = output.dtype, .value = codegen::Snippet(as_expression(all, output.dtype))});
        }
        request.arguments = arguments(made, false);
        request.preamble = text_.preamble + helpers;
        return RowKernel(std::move(request));
    }

    codegen::RowComputed computed(std::size_t v) {
        const DType dtype = found_dtype(program_[v]);
        const std::string value = print(v, dtype);
        return {.dtype = dtype, .value = codegen::Snippet(as_expression(text_.statements({&value, 1}), dtype))};
    }

    /// A power of 2, the divisor times that power, and the inverse of this product. For 16-bit floats the first and the
    /// last: x / d is x * power * inverse. Neither the inverse nor x * power leaves the range of float, unless the
    /// quotient leaves that of 16-bit floats.
    std::vector<std::string> inverse_of(RowValues::Divisor divisor) {
        const std::string d = text_.whole(print(divisor.value, dtype_of<float>()));
        std::string power = text("gemel_scale(", d, ")");
        if (divisor.of_short)
            power = text("(", d, " > -0x1p-64f && ", d, " < 0x1p-64f ? 0x1p64f : ", d, " > -0x1p64f && ", d,
                         " < 0x1p64f ? 1.0f : 0x1p-64f)");
        const std::string scaled = text("(", d, " * ", power, ")"), inverse = text("(1.0f / ", scaled, ")");
        if (divisor.of_short) return {power, inverse};
        return {power, scaled, inverse};
    }

    codegen::ReducedValue reduced(std::size_t v, const std::string& map, std::string& helpers) const {
        const Program::Value& value = program_[v];
        ReductionResult made = reduced_value(value.reduction, program_[value.operands[0]].dtype, found_dtype(value),
                                             map, text("_", known_.found.at(v)), helpers);
        return {.dtype = found_dtype(value),
                .accumulator = made.accumulator,
                .neutral = std::move(made.neutral),
                .map_expr = codegen::Snippet(std::move(made.map_expr)),
                .reduce_expr = std::move(made.reduce_expr),
                .replace_if = std::move(made.replace_if),
                .extreme = std::move(made.extreme),
                .result_expr = std::move(made.result_expr),
                .is_exact = made.is_exact};
    }

    Reduction reduction() {
        std::vector<ReductionResult> results;
        std::vector<DType> dtypes;
        std::string helpers;
        for (const std::size_t v : step_.loops[0]) {
            const Program::Value& value = program_[v];
            const std::string operand = print_operand(v);
            const std::string map = as_expression(text_.statements({&operand, 1}), program_[value.operands[0]].dtype);
            dtypes.push_back(found_dtype(value));
            results.push_back(reduced_value(value.reduction, program_[value.operands[0]].dtype, found_dtype(value), map,
                                            text("_", results.size()), helpers));
        }
        std::vector<Parameter> all;
        for (std::size_t k = 0; k < arrays_.size(); ++k) all.push_back(VectorArg(arrays_[k].dtype, text("x", k), true));
        all.insert(all.end(), text_.numbers.begin(), text_.numbers.end());
        check_count(all.size() + results.size());
        return Reduction(std::move(all), std::move(results), std::move(dtypes), "reduction", text_.preamble + helpers,
                         {});
    }

    /// Statements and a value as one expression. If there are statements, a function of all elements and numbers.
    std::string as_expression(const detail::ExpressionText::Statements& all, DType dtype) {
        if (all.text.empty()) return all.values[0];
        std::string body = all.text, result = all.values[0];
        std::vector<std::string> parameters, given;
        const codegen::Snippet words(body + result);
        const auto add = [&](DType type, const std::string& word, const std::string& value) {
            if (!words.uses(word)) return;
            parameters.push_back(codegen::value_type(type) + " " + word);
            given.push_back(value);
        };
        for (std::size_t k = 0; k < arrays_.size(); ++k) {
            const std::string word = text("x", k), element = word + "[i]";
            add(arrays_[k].dtype, word, element);
            for (std::string* part : {&body, &result})
                for (std::size_t at = 0; (at = part->find(element, at)) != std::string::npos;)
                    part->replace(at, element.size(), word);
        }
        for (const Parameter& number : text_.numbers) add(number.dtype, number.name, number.name);
        for (const auto* values : {&known_.found, &known_.held, &known_.fixed})
            for (const auto& [v, number] : *values) add(found_dtype(program_[v]), known_.name_of(v), known_.name_of(v));
        for (const auto& [divisor, number] : known_.inverses)
            for (std::size_t k = number; k < number + divisor.parts(); ++k)
                add(dtype_of<float>(), text("fixed", k), text("fixed", k));
        const std::string name = text("expression_value_", functions_++);
        text_.preamble += text("WITHIN_KERNEL ", codegen::value_type(dtype), " ", name, "(", join(parameters), ")\n{\n",
                               body, "return ", result, ";\n}\n");
        return text(name, "(", join(given), ")");
    }

    std::string print_operand(std::size_t v) {
        const std::size_t operand = program_[v].operands[0];
        return print(operand, program_[operand].dtype);
    }

    std::string print(std::size_t v, DType as) {
        const auto key = std::pair{v, static_cast<std::uint64_t>(as.kind()) << 32 | as.size_bytes()};
        if (const auto known = printed_.find(key); known != printed_.end()) return known->second;
        std::string value = printed(v, as);
        printed_.emplace(key, value);
        return value;
    }

    std::string printed(std::size_t v, DType as) {
        const Program::Value& value = program_[v];
        if (const std::string name = known_.name_of(v); !name.empty()) return text_.value(name, found_dtype(value), as);
        if (std::ranges::find(kept_, v) != kept_.end())
            return text_.value(element({true, v, found_dtype(value)}), found_dtype(value), as);
        switch (value.kind) {
            case Kind::array: return text_.value(element({false, value.index, value.dtype}), value.dtype, as);
            case Kind::number: return number(v, as);
            case Kind::reduction: throw ArgumentError("a reduction has no place in the plan");
            case Kind::operation:
            case Kind::call: break;
        }
        std::vector<std::string> operands;
        if (value.function) {
            for (std::size_t k = 0; k < value.operands.size(); ++k)
                operands.push_back(print(value.operands[k], value.function->types[k]));
            return text_.call(*value.function, as, operands);
        }
        if (const auto divisor = RowValues::divisor_of(value))
            if (const auto inverse = known_.inverses.find(*divisor); inverse != known_.inverses.end())
                return divisor->of_short ? short_quotient(value, inverse->second, as)
                                         : float_quotient(value, inverse->second, as);
        for (std::size_t k = 0; k < value.operands.size(); ++k) {
            const std::size_t before = operands_.number_count;
            operands.push_back(
                print(value.operands[k], codegen::operand_type(*value.operation, k, value.common, value.dtype)));
            const bool is_exponent = value.operation->rule == codegen::TypeRule::power && k == 1 &&
                                     program_[value.operands[1]].kind == Kind::number &&
                                     operands_.number_count == before + 1;
            if (is_exponent) operands_.is_exponent(program_.numbers()[program_[value.operands[1]].index]);
        }
        return text_.apply(*value.operation, value.common, value.dtype, as, operands);
    }

    std::string dividend(const Program::Value& value) {
        return print(value.operands[0], codegen::operand_type(*value.operation, 0, value.common, value.dtype));
    }
    /// The dividend times the two parts of inverse_of().
    std::string short_quotient(const Program::Value& value, std::size_t number, DType as) {
        const codegen::Operation& times = *codegen::find_operation("operator*", 2);
        const std::string factors[] = {dividend(value), text("fixed", number)};
        const std::string scaled[] = {text_.apply(times, value.common, value.dtype, value.dtype, factors),
                                      text("fixed", number + 1)};
        return text_.apply(times, value.common, value.dtype, as, scaled);
    }
    std::string float_quotient(const Program::Value& value, std::size_t number, DType as) {
        const std::string quotient =
            text("gemel_quotient(", dividend(value), ", ", print(value.operands[1], value.dtype), ", fixed", number + 1,
                 ", fixed", number + 2, ", fixed", number, ")");
        return text_.named(as, text_.value(quotient, value.dtype, as));
    }

    std::string number(std::size_t v, DType as) {
        const auto key = std::pair{v, static_cast<std::uint64_t>(as.kind()) << 32 | as.size_bytes()};
        if (const auto known = numbers_printed_.find(key); known != numbers_printed_.end()) return known->second;
        const Program::Value& value = program_[v];
        operands_.add(Argument{});
        if (operands_.exceeds) throw TooLarge("an expression has too many numbers for one kernel");
        numbers_.push_back(value.index);
        return numbers_printed_[key] = text_.number(as.is_16_bit_float() && !value.dtype.empty() ? value.dtype : as);
    }

    std::string element(const StepKernel::Array& array) {
        std::size_t k = 0;
        while (k < arrays_.size() && !(arrays_[k].is_kept == array.is_kept && arrays_[k].index == array.index)) ++k;
        if (k == arrays_.size()) arrays_.push_back(array);
        return text("x", k, "[i]");
    }

    const Program& program_;
    const PlanStep& step_;
    const std::vector<std::size_t>& kept_;
    RowValues known_;
    detail::ExpressionOperands operands_;  ///< numbers only, added when they are first used
    detail::ExpressionText text_;
    std::map<std::pair<std::size_t, std::uint64_t>, std::string> printed_, numbers_printed_;
    std::vector<StepKernel::Array> arrays_;
    std::vector<std::size_t> numbers_;
    std::size_t functions_ = 0;
};

}  // namespace

std::vector<StepKernel> kernels_of(const Program& program, const Plan& plan) {
    std::vector<StepKernel> made;
    std::vector<std::size_t> kept;
    for (const PlanStep& step : plan.steps) {
        made.push_back(StepText(program, step, kept).kernel());
        for (const PlanStep::Output& output : step.outputs)
            if (!output.root || step.kind == PlanStep::Kind::reduce) kept.push_back(output.value);
    }
    return made;
}

}  // namespace gemel
