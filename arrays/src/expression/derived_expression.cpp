/// Operations applied to an expression: types, text, and the number that identifies them.
#include "expression/derived_expression.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <bit>

namespace gemel {
namespace {

using namespace operations;

const codegen::OperationType& operation_of(Step step) {
    static constexpr const codegen::OperationType* operations[] = {
        &Add::operation,     &Subtract::operation, &Multiply::operation, &Divide::operation,
        &Minimum::operation, &Maximum::operation,  &NotEqual::operation, &Abs::operation,
        &Square::operation,  &Sqrt::operation,     &Cast::operation};
    return *operations[static_cast<std::size_t>(step)];
}

/// A type in 9 bits.
std::uint32_t code_of(DType dtype) { return static_cast<std::uint32_t>(dtype.kind()) << 5 | (dtype.size_bytes() & 31); }

codegen::ScalarKind kind_of(const AnyNumber& number) {
    static constexpr codegen::ScalarKind kinds[] = {codegen::ScalarKind::boolean, codegen::ScalarKind::integer,
                                                    codegen::ScalarKind::integer, codegen::ScalarKind::floating,
                                                    codegen::ScalarKind::complex};
    return kinds[number.index()];
}

}  // namespace

DerivedExpression& DerivedExpression::add(Link link) {
    const codegen::OperationType& operation = operation_of(link.step);
    codegen::CommonType types = codegen::CommonType().with(operation.rule, dtype());
    if (link.array) types = types.with(operation.rule, link.array->dtype());
    if (link.has_number) types = types.with(kind_of(link.number));
    link.common = types.dtype();
    if (link.result.empty()) link.result = codegen::result_type(operation.rule, link.common);
    if (link.common.empty() || !codegen::is_number(link.result))
        throw ArgumentError(text(operation.name, " from ", dtype().name(), " to ", link.result.name(),
                                 " is not defined; expected numbers"));
    if (link.step == Step::cast && link.common.kind() == DType::Kind::complex &&
        link.result.kind() != DType::Kind::complex && link.result.kind() != DType::Kind::boolean)
        throw ArgumentError(text("astype from ", link.common.name(), " to ", link.result.name(),
                                 " would drop the imaginary parts: take real() first"));
    links_.push_back(link);
    return *this;
}

void DerivedExpression::collect(detail::ExpressionOperands& operands) const {
    x_.collect(x_.expression, operands);
    for (const Link& link : links_) {
        if (link.array) operands.add(*link.array);
        if (link.has_number) std::visit([&](const auto& number) { operands.add(as_argument(number)); }, link.number);
    }
}

/// The value after the first operations.
std::string DerivedExpression::print(detail::ExpressionText& text, std::size_t count, DType as) const {
    if (count == 0) return x_.print(x_.expression, text, as);
    const Link& link = links_[count - 1];
    const codegen::OperationType& operation = operation_of(link.step);
    const auto type = [&](std::size_t k) { return codegen::operand_type(operation, k, link.common, link.result); };
    std::array<std::string, 2> operands{print(text, count - 1, type(0))};
    if (link.array) operands[1] = text.array(link.array->dtype(), type(1));
    if (link.has_number) operands[1] = text.number(type(1));
    const std::size_t given = link.array || link.has_number ? 2 : 1;
    return text.apply(operation, link.common, link.result, as, std::span(operands).first(given));
}

AnyExpr DerivedExpression::any() const {
    AnyExpr value = x_.any(x_.expression);
    for (const Link& link : links_) {
        std::vector<AnyExpr> operands{value};
        if (link.array) operands.emplace_back(*link.array);
        if (link.has_number) operands.emplace_back(link.number);
        value = AnyExpr(operation_of(link.step), operands, link.result);
    }
    return value;
}

detail::ExpressionView DerivedExpression::view() const {
    if (links_.empty()) return x_;
    detail::ExpressionView view{
        .expression = this,
        .type = x_.type,
        .dtype = dtype(),
        .collect =
            [](const void* self, detail::ExpressionOperands& operands) {
                static_cast<const DerivedExpression*>(self)->collect(operands);
            },
        .print =
            [](const void* self, detail::ExpressionText& text, DType as) {
                const auto& own = *static_cast<const DerivedExpression*>(self);
                return own.print(text, own.links_.size(), as);
            },
        .any = [](const void* self) { return static_cast<const DerivedExpression*>(self)->any(); }};
    // 32 bits per operation; the highest bit is set and marks these words in a kernel's key.
    for (std::size_t k = 0; k < links_.size(); ++k) {
        const Link& link = links_[k];
        const std::uint32_t second = link.array        ? 1u << 12 | code_of(link.array->dtype())
                                     : link.has_number ? 2u << 12 | static_cast<std::uint32_t>(link.number.index())
                                                       : 0;
        const std::uint32_t code =
            1u << 31 | second << 13 | code_of(link.result) << 4 | static_cast<std::uint32_t>(link.step);
        view.steps[k / 2] |= std::uint64_t{code} << (k % 2 ? 0 : 32);
    }
    return view;
}

detail::ExpressionView detail::view_of(const AnyArray& array) {
    return {.expression = &array,
            .type = std::uint64_t{1} << 62 | code_of(array.dtype()),  // neither an address nor an AnyExpr's number
            .dtype = array.dtype(),
            .collect = [](const void* self,
                          detail::ExpressionOperands& operands) { operands.add(*static_cast<const AnyArray*>(self)); },
            .print = [](const void* self, detail::ExpressionText& text,
                        DType as) { return text.array(static_cast<const AnyArray*>(self)->dtype(), as); },
            .any = [](const void* self) { return AnyExpr(*static_cast<const AnyArray*>(self)); },
            .is_array = true};
}

}  // namespace gemel
