#include "expression/row_values.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel {

using Kind = ExpressionStructure::Kind;

RowValues::RowValues(const Program& program, const PlanStep& step, const std::vector<std::size_t>& kept)
    : program_(program), step_(step), kept_(kept) {
    std::size_t number = 0;
    if (step.kind == PlanStep::Kind::rows)
        for (const auto& loop : step.loops)
            for (const std::size_t v : loop) found.emplace(v, number++);
}

std::string RowValues::name_of(std::size_t v) const {
    if (const auto known = found.find(v); known != found.end()) return text("row", known->second);
    if (const auto known = fixed.find(v); known != fixed.end()) return text("fixed", known->second);
    if (const auto known = held.find(v); known != held.end()) return text("kept", known->second);
    return {};
}

std::size_t RowValues::count_up_to(std::size_t l) const {
    std::size_t count = 0;
    for (std::size_t k = 0; k <= l; ++k) count += step_.loops[k].size();
    return count;
}

bool RowValues::is_known(std::size_t v) const {
    return held.contains(v) || std::ranges::find(kept_, v) != kept_.end() ||
           (found.contains(v) && program_.is_reduction(v));
}

namespace {

/// Elementary functions and user functions.
bool is_costly(const Program::Value& value) {
    if (value.function) return true;
    return value.operation && value.operation->compute == codegen::Compute::in_result &&
           !std::string_view(value.operation->name).starts_with("operator") &&
           !(value.dtype.kind() == DType::Kind::complex) && value.dtype.is_floating();
}

}  // namespace

std::vector<std::size_t> RowValues::worth_keeping(std::size_t l) const {
    std::vector<std::size_t> here, later, kept;
    const auto walk = [&](const auto& self, std::size_t v) -> void {
        if (is_known(v) || std::ranges::find(later, v) != later.end()) return;
        later.push_back(v);
        for (const std::size_t operand : program_[v].operands) self(self, operand);
    };
    for_each_later(l, [&](std::size_t v) { walk(walk, v); });
    const auto choose = [&](const auto& self, std::size_t v) -> void {
        if (is_known(v) || std::ranges::find(here, v) != here.end()) return;
        here.push_back(v);
        const bool is_later = std::ranges::find(later, v) != later.end();
        if (is_later && is_costly(program_[v]) && program_[v].shape == step_.shape) return kept.push_back(v);
        for (const std::size_t operand : program_[v].operands) self(self, operand);
    };
    for (const std::size_t v : step_.loops[l]) choose(choose, program_[v].operands[0]);
    return kept;
}

std::vector<std::size_t> RowValues::worth_fixing(std::size_t l) const {
    const std::size_t known = count_up_to(l);
    std::map<std::size_t, bool> answers;
    const auto is_of_row = [&](const auto& self, std::size_t v) -> bool {
        if (fixed.contains(v)) return true;
        if (const auto result = found.find(v); result != found.end()) return result->second < known;
        if (is_known(v)) return false;
        const Program::Value& value = program_[v];
        if (value.kind != Kind::operation && value.kind != Kind::call) return false;
        if (const auto answer = answers.find(v); answer != answers.end()) return answer->second;
        bool any = false;
        for (const std::size_t operand : value.operands) {
            if (program_[operand].kind == Kind::number) continue;
            if (!self(self, operand)) return answers[v] = false;
            any = true;
        }
        return answers[v] = any;
    };
    std::vector<std::size_t> met, chosen;
    const auto choose = [&](const auto& self, std::size_t v) -> void {
        if (fixed.contains(v) || is_known(v) || std::ranges::find(met, v) != met.end()) return;
        met.push_back(v);
        const DType dtype = program_[v].dtype;
        const bool is_real = dtype.is_floating() && dtype.kind() != DType::Kind::complex;
        if (is_real && is_of_row(is_of_row, v)) return chosen.push_back(v);
        for (const std::size_t operand : program_[v].operands) self(self, operand);
    };
    for_each_later(l, [&](std::size_t v) { choose(choose, v); });
    return chosen;
}

std::vector<RowValues::Divisor> RowValues::worth_inverting(std::size_t l) const {
    const std::size_t known = count_up_to(l);
    const auto is_of_row = [&](std::size_t v) {
        const auto result = found.find(v);
        return fixed.contains(v) || (result != found.end() && result->second < known);
    };
    std::vector<std::size_t> met;
    std::vector<Divisor> divisors;
    const auto choose = [&](const auto& self, std::size_t v) -> void {
        if (fixed.contains(v) || is_known(v) || std::ranges::find(met, v) != met.end()) return;
        met.push_back(v);
        const Program::Value& value = program_[v];
        if (const std::optional<Divisor> divisor = divisor_of(value)) {
            const bool is_new = !inverses.contains(*divisor) && std::ranges::find(divisors, *divisor) == divisors.end();
            if (is_new && is_of_row(divisor->value)) divisors.push_back(*divisor);
        }
        for (const std::size_t operand : value.operands) self(self, operand);
    };
    for_each_later(l, [&](std::size_t v) { choose(choose, v); });
    return divisors;
}

}  // namespace gemel
