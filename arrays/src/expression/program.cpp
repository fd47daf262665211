#include "expression/program.hpp"

#include "expression/expression_kernel.hpp"

#include <gemel/core/text.hpp>

#include <bit>
#include <cstring>

namespace gemel {
namespace {

using Kind = ExpressionStructure::Kind;

/// A number's kind and bits.
void add_number(std::vector<std::uint64_t>& key, const AnyNumber& number) {
    key.push_back(number.index());
    std::visit(
        [&](const auto& value) {
            std::uint64_t words[2] = {};
            static_assert(sizeof value <= sizeof words);
            std::memcpy(words, &value, sizeof value);
            key.push_back(words[0]);
            key.push_back(words[1]);
        },
        number);
}

}  // namespace

Shape without_axes(const Shape& shape, std::uint64_t axes) {
    Shape rest = shape;
    for (std::size_t axis = 0; axis < rest.rank(); ++axis)
        if (has_axis(axes, axis, rest.rank())) rest[axis] = 1;
    return rest;
}

std::size_t count_along(const Shape& shape, std::uint64_t axes) {
    std::size_t count = 1;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
        if (has_axis(axes, axis, shape.rank())) count *= static_cast<std::size_t>(shape[axis]);
    return count;
}

Program::Program(std::span<const AnyExpr> roots) {
    for (const AnyExpr& root : roots) {
        if (root.node().is_number())
            throw ArgumentError(
                "evaluate: expected at least one array in each expression, got numbers only; pass an array");
        roots_.push_back(add(root));
    }
}

std::size_t Program::add(const AnyExpr& expression) {
    const detail::ExpressionNode& node = expression.node();
    if (const auto met = met_.find(&node); met != met_.end()) return met->second;
    const ExpressionStructure& own = *node.structure;
    Value value{.kind = own.kind,
                .dtype = own.dtype,
                .common = own.common,
                .operation = own.operation,
                .function = own.function,
                .reduction = own.reduction,
                .axes = own.axes,
                .shape = node.shape};
    std::vector<std::uint64_t> key{static_cast<std::uint64_t>(own.kind)};
    switch (own.kind) {
        case Kind::array:
            while (value.index < arrays_.size() && !same_elements(arrays_[value.index], node.array)) ++value.index;
            if (value.index == arrays_.size()) arrays_.push_back(node.array);
            key.push_back(value.index);
            break;
        case Kind::number:
            key.push_back(type_code(own.dtype));
            add_number(key, node.number);
            if (!known_.contains(key)) value.index = numbers_.size(), numbers_.push_back(node.number);
            break;
        case Kind::operation:
        case Kind::call:
        case Kind::reduction:
            key.insert(key.end(), {reinterpret_cast<std::uintptr_t>(own.operation),
                                   reinterpret_cast<std::uintptr_t>(own.function), type_code(own.dtype),
                                   type_code(own.common), static_cast<std::uint64_t>(own.reduction), own.axes});
            for (const AnyExpr& operand : node.operands) value.operands.push_back(add(operand));
            key.insert(key.end(), value.operands.begin(), value.operands.end());
            break;
    }
    const std::size_t v = add(std::move(value), key);
    met_.emplace(&node, v);
    return v;
}

std::size_t Program::add(Value value, const std::vector<std::uint64_t>& key) {
    const auto [known, is_new] = known_.try_emplace(key, values_.size());
    if (is_new) values_.push_back(std::move(value));
    return known->second;
}

std::vector<std::uint64_t> Program::key() const {
    std::vector<std::uint64_t> key{values_.size()};
    for (const Value& value : values_) {
        key.insert(key.end(),
                   {static_cast<std::uint64_t>(value.kind) | value.operands.size() << 8 |
                        static_cast<std::uint64_t>(value.reduction) << 16 | value.shape.rank() << 24,
                    type_code(value.dtype), type_code(value.common), reinterpret_cast<std::uintptr_t>(value.operation),
                    reinterpret_cast<std::uintptr_t>(value.function), value.axes, value.index});
        for (const std::size_t operand : value.operands) key.push_back(operand);
        for (std::size_t axis = 0; axis < value.shape.rank(); ++axis)
            key.push_back(static_cast<std::uint64_t>(value.shape[axis]));
        // Some exponents have their own text.
        if (value.operation && value.operation->rule == codegen::TypeRule::power)
            if (const Value& exponent = values_[value.operands[1]]; exponent.kind == Kind::number)
                key.push_back(codegen::cheap_power(numbers_[exponent.index]));
    }
    for (const AnyNumber& number : numbers_) key.push_back(number.index());
    key.insert(key.end(), roots_.begin(), roots_.end());
    return key;
}

std::size_t Program::split_reduction(std::size_t v, std::uint64_t first) {
    Value part = values_[v];
    part.axes = first;
    part.shape = without_axes(values_[part.operands[0]].shape, first);
    const std::vector<std::uint64_t> key{static_cast<std::uint64_t>(Kind::reduction),
                                         0,
                                         0,
                                         type_code(part.dtype),
                                         type_code(part.common),
                                         static_cast<std::uint64_t>(part.reduction),
                                         part.axes,
                                         part.operands[0]};
    const std::size_t p = add(std::move(part), key);
    Value& whole = values_[v];
    whole.operands = {p};
    whole.common = whole.dtype;
    whole.axes &= ~first;
    return p;
}

}  // namespace gemel
