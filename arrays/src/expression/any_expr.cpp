#include <gemel/arrays/any_expr.hpp>

#include "array/integer_range.hpp"
#include "array/layout.hpp"
#include "array/require.hpp"
#include "expression/expression_node.hpp"
#include "expression/function_definition.hpp"

#include <gemel/arrays/expression.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <map>
#include <mutex>

namespace gemel {
namespace {

using Structure = ExpressionStructure;
using Number = AnyExpr::Number;

/// Deeper expressions are split: compilers limit the nesting of parentheses.
constexpr std::size_t deepest_kernel = 48;
/// Recursion over an expression uses stack.
constexpr std::size_t deepest_expression = 1000;
/// Maximum number of structures in the table, which is then cleared.
constexpr std::size_t max_structures = 4096;

/// Returns one object for equal structures, until the table is full and cleared.
std::shared_ptr<const Structure> interned(Structure structure) {
    static auto& mutex = *new std::mutex;
    static auto& table = *new std::map<std::vector<std::uint64_t>, std::shared_ptr<const Structure>>;
    static std::uint64_t last_id = std::uint64_t{1} << 63;  // addresses are below
    std::vector<std::uint64_t> key{static_cast<std::uint64_t>(structure.kind),
                                   type_code(structure.dtype),
                                   type_code(structure.common),
                                   reinterpret_cast<std::uintptr_t>(structure.operation),
                                   reinterpret_cast<std::uintptr_t>(structure.function),
                                   static_cast<std::uint64_t>(structure.reduction),
                                   structure.axes};
    structure.has_reduction = structure.kind == Structure::Kind::reduction;
    for (const auto& operand : structure.operands) {
        key.push_back(operand->id);
        structure.has_reduction |= operand->has_reduction;
    }
    std::lock_guard lock(mutex);
    if (const auto known = table.find(key); known != table.end()) return known->second;
    if (table.size() >= max_structures) table.clear();
    structure.id = ++last_id;
    return table.emplace(std::move(key), std::make_shared<const Structure>(std::move(structure))).first->second;
}

codegen::ScalarKind kind_of(const Number& number) {
    switch (number.index()) {
        case 0: return codegen::ScalarKind::boolean;
        case 1:
        case 2: return codegen::ScalarKind::integer;
        case 3: return codegen::ScalarKind::floating;
        default: return codegen::ScalarKind::complex;
    }
}

std::string type_name(const AnyExpr& operand) {
    return operand.node().is_number() ? text("a number (", operand.dtype().name(), ")") : operand.dtype().name();
}

[[noreturn]] void refuse_depth() {
    throw ArgumentError(text("expression: expected at most ", deepest_expression,
                             " nested operations, got more; evaluate parts of it with .eval()"));
}

/// "operator<<: it is not defined for float and int32_t; astype() converts"
[[noreturn]] void refuse(const codegen::OperationType& operation, std::span<const AnyExpr> operands,
                         const std::string& hint = "; astype() converts") {
    std::vector<std::string> names;
    for (const AnyExpr& operand : operands) names.push_back(type_name(operand));
    throw ArgumentError(text(operation.name, ": it is not defined for ", join(names, " and "), hint));
}

void broadcast(Shape& shape, const Shape& own, std::string_view operation) {
    const Shape before = shape;
    if (!broadcast_with(shape, own))
        throw ArgumentError(text(operation, ": the operands have the shapes ", to_string(before), " and ",
                                 to_string(own), ", which cannot be broadcast to one", broadcast_rule));
}

std::shared_ptr<const detail::ExpressionNode> array_node(DType dtype, const Shape& shape, const AnyArray& array) {
    auto node = std::make_shared<detail::ExpressionNode>();
    node->structure = interned({.kind = Structure::Kind::array, .id = 0, .dtype = dtype});
    node->shape = shape;
    node->array = array;
    return node;
}

int side_of(const AnyExpr& operand, DType common) {
    if (!operand.node().is_number()) return 0;
    return std::visit(
        [&](const auto& value) {
            if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(value)>>) {
                return side_of_range(
                    static_cast<std::conditional_t<std::is_signed_v<std::remove_cvref_t<decltype(value)>>, std::int64_t,
                                                   std::uint64_t>>(value),
                    common);
            } else {
                return 0;
            }
        },
        operand.node().number);
}

/// A number outside the type's range has all elements on one side. So has the largest value, which is odd, if elements
/// are made even, and the smallest, which is even, if they are made odd.
void bring_into_range(std::array<AnyExpr, 2>& operands, DType common) {
    for (std::size_t k = 0; k < 2; ++k) {
        const int side = side_of(operands[k], common);
        if (side == 0) continue;
        const IntegerRange range = integer_range(common);
        AnyExpr& other = operands[1 - k];
        if (side < 0) {
            operands[k] = AnyExpr(range.least);
            other = other | 1;
        } else {
            operands[k] = AnyExpr(range.most);
            other = range.least < 0 ? other & -2 : other & (range.most - 1);
        }
    }
}

/// Operations that use only the truth of a number.
bool is_logical(const codegen::OperationType& operation) {
    return operation.rule == codegen::TypeRule::truth && operation.operands == 2;
}
bool is_true(const Number& number) {
    return std::visit([](const auto& value) { return value != std::remove_cvref_t<decltype(value)>{}; }, number);
}

void collect(const detail::ExpressionNode& node, detail::ExpressionOperands& operands) {
    operands.has_reduction |= node.structure->has_reduction;
    if (operands.exceeds) return;
    switch (node.structure->kind) {
        case Structure::Kind::array: operands.add(node.array); break;
        case Structure::Kind::number:
            std::visit([&](const auto& value) { operands.add(as_argument(value)); }, node.number);
            if (!node.structure->dtype.empty()) operands.is_exact();
            break;
        case Structure::Kind::reduction: collect(node.operands[0].node(), operands); break;
        case Structure::Kind::call:
            if (node.structure->function->has_double) operands.with_double = node.structure->function;
            [[fallthrough]];
        case Structure::Kind::operation:
            for (const AnyExpr& operand : node.operands) collect(operand.node(), operands);
            if (node.structure->operation && node.structure->operation->rule == codegen::TypeRule::power)
                if (const detail::ExpressionNode& exponent = node.operands[1].node(); exponent.is_number())
                    operands.is_exponent(exponent.number);
            break;
    }
}

std::string print(const Structure& structure, detail::ExpressionText& text, DType as) {
    switch (structure.kind) {
        case Structure::Kind::array: return text.array(structure.dtype, as);
        case Structure::Kind::number:
            return as.is_16_bit_float() && !structure.dtype.empty() ? text.number(structure.dtype) : text.number(as);
        case Structure::Kind::reduction:
            throw ArgumentError("expression: expected operations without reductions, got one with them; evaluate() it");
        case Structure::Kind::operation:
        case Structure::Kind::call: break;
    }
    std::vector<std::string> operands;
    if (const FunctionDefinition* const function = structure.function) {
        for (std::size_t k = 0; k < function->types.size(); ++k)
            operands.push_back(print(*structure.operands[k], text, function->types[k]));
        return text.call(*function, as, operands);
    }
    for (const auto& operand : structure.operands)
        operands.push_back(
            print(*operand, text,
                  codegen::operand_type(*structure.operation, operands.size(), structure.common, structure.dtype)));
    return text.apply(*structure.operation, structure.common, structure.dtype, as, operands);
}

}  // namespace

AnyExpr::AnyExpr(const AnyArray& array) {
    require_array("expression", "an operand", array);
    if (!codegen::is_number(array.dtype()))
        throw ArgumentError(text("expression: expected arrays of numbers, got one of ", array.dtype().name(),
                                 "; copy its numbers out first"));
    node_ = array_node(array.dtype(), array.shape(), array);
}

AnyExpr placeholder(DType dtype, const Shape& shape) { return AnyExpr(array_node(dtype, shape, AnyArray())); }

AnyExpr::AnyExpr(Number number, DType own) {
    auto node = std::make_shared<detail::ExpressionNode>();
    node->structure = interned({.kind = Structure::Kind::number, .id = 0});
    node->number = number;
    node->number_type = own.empty() ? codegen::default_type(kind_of(number)) : own;
    node_ = std::move(node);
}

AnyExpr exact_number(double number) {
    const AnyExpr weak(number);
    auto node = std::make_shared<detail::ExpressionNode>(weak.node());
    node->structure = interned({.kind = Structure::Kind::number, .id = 0, .dtype = dtype_of<float>()});
    return AnyExpr(std::shared_ptr<const detail::ExpressionNode>(std::move(node)));
}

AnyExpr::AnyExpr(const codegen::OperationType& given, std::span<const AnyExpr> operands, DType result) {
    const codegen::Operation* const operation = &row_of(given);  // the library's own row, which is never destroyed
    if (operands.size() != operation->operands)
        throw ArgumentError(text(given.name, ": expected ", counted(int{operation->operands}, "operand"), ", got ",
                                 operands.size(), "; pass one for each"));
    const bool is_cast = operation->compute == codegen::Compute::by_cast;
    std::vector<AnyExpr> truths;
    const bool chooses = operation->compute == codegen::Compute::by_condition;
    if (is_logical(*operation) || (chooses && operands[0].node().is_number()))
        for (const AnyExpr& operand : operands)
            truths.push_back(operand.node().is_number() && (!chooses || truths.empty())
                                 ? AnyExpr(is_true(operand.node().number))
                                 : operand);
    if (!truths.empty()) operands = truths;
    codegen::CommonType types;
    std::vector<Number> numbers;
    auto node = std::make_shared<detail::ExpressionNode>();
    node->leaves = 0;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        const detail::ExpressionNode& operand = operands[k].node();
        if (operand.is_number()) numbers.push_back(operand.number);
        if (codegen::takes_exponent(*operation, k) && !codegen::is_exponent(operands[k].dtype()))
            refuse(*operation, operands, text("; operand ", k + 1, " must have integers other than uint64_t"));
        if (codegen::decides_type(*operation, k))
            types = operand.is_number() ? types.with(kind_of(operand.number), operand.number_type)
                                        : types.with(operation->rule, operand.structure->dtype);
        broadcast(node->shape, operand.shape, operation->name);
        node->depth = std::max(node->depth, operand.depth + 1);
        node->leaves = std::min(node->leaves + operand.leaves, std::size_t{1} << 40);  // operands may be shared
    }
    if (numbers.size() == operands.size()) {
        const auto value = is_cast ? std::nullopt : codegen::fold(*operation, numbers);
        if (!value)
            throw ArgumentError(text(operation->name, ": all operands are numbers; expected at least one array"));
        *this = AnyExpr(*value);
        return;
    }
    if (node->depth > deepest_expression) refuse_depth();
    const DType common = types.dtype();
    if (result.empty()) result = codegen::result_type(operation->rule, common);
    if (common.empty() || !codegen::is_number(result)) refuse(*operation, operands);
    const DType computed = codegen::computed_type(*operation, common, result);
    if (computed.kind() == DType::Kind::complex && !operation->complex_text[0])
        refuse(*operation, operands, "; take real(), imag() or abs()");
    if (is_cast && common.kind() == DType::Kind::complex && result.kind() != DType::Kind::complex &&
        result.kind() != DType::Kind::boolean)
        throw ArgumentError(text("astype: from ", common.name(), " to ", result.name(),
                                 " would drop the imaginary parts; take real() first"));
    node->operands.assign(operands.begin(), operands.end());
    if (operation->rule == codegen::TypeRule::comparison && common.is_integer()) {
        std::array<AnyExpr, 2> both{operands[0], operands[1]};
        bring_into_range(both, common);
        node->operands.assign(both.begin(), both.end());
    }
    Structure structure{
        .kind = Structure::Kind::operation, .id = 0, .dtype = result, .common = common, .operation = operation};
    for (const AnyExpr& operand : node->operands) structure.operands.push_back(operand.node().structure);
    node->structure = interned(std::move(structure));
    node_ = std::move(node);
}

AnyExpr detail::call_of(const FunctionDefinition& function, std::span<const AnyExpr> operands) {
    const std::size_t count = function.types.size();
    if (operands.size() != count)
        throw ArgumentError(text("function '", function.name, "': expected ", counted(count, "operand"), ", got ",
                                 operands.size(), "; pass one for each parameter"));
    auto node = std::make_shared<detail::ExpressionNode>();
    node->leaves = 0;
    bool has_array = false;
    Structure structure{.kind = Structure::Kind::call, .id = 0, .dtype = function.result};
    structure.function = &function;
    for (std::size_t k = 0; k < count; ++k) {
        const detail::ExpressionNode& operand = operands[k].node();
        if (operands[k].dtype().kind() == DType::Kind::complex && function.types[k].kind() != DType::Kind::complex &&
            function.types[k].kind() != DType::Kind::boolean)
            throw ArgumentError(text("function '", function.name, "': operand ", k + 1, " is ", type_name(operands[k]),
                                     ", the parameter ", function.types[k].name(),
                                     ", which has no imaginary part; take real(), imag() or abs()"));
        has_array |= !operand.is_number();
        broadcast(node->shape, operand.shape, function.name);
        node->depth = std::max(node->depth, operand.depth + 1);
        node->leaves = std::min(node->leaves + operand.leaves, std::size_t{1} << 40);
        structure.operands.push_back(operand.structure);
    }
    if (!has_array)
        throw ArgumentError(
            text("function '", function.name, "': expected at least one array, got numbers only; pass an array"));
    if (node->depth > deepest_expression) refuse_depth();
    node->operands.assign(operands.begin(), operands.end());
    node->structure = interned(std::move(structure));
    return AnyExpr(std::shared_ptr<const detail::ExpressionNode>(std::move(node)));
}

AnyExpr reduction_of(ReductionKind kind, const AnyExpr& x, DType result, std::uint64_t axes) {
    auto node = std::make_shared<detail::ExpressionNode>();
    const detail::ExpressionNode& operand = x.node();
    node->shape = operand.shape;
    const std::size_t rank = node->shape.rank();
    for (std::size_t k = 0; k < rank; ++k)
        if (axes >> (rank - 1 - k) & 1) node->shape[k] = 1;
    node->depth = operand.depth + 1;
    node->leaves = operand.leaves;
    node->operands.push_back(x);
    Structure structure{
        .kind = Structure::Kind::reduction, .id = 0, .dtype = result, .common = operand.structure->dtype};
    structure.reduction = kind;
    structure.axes = axes;
    structure.operands.push_back(operand.structure);
    node->structure = interned(std::move(structure));
    return AnyExpr(std::shared_ptr<const detail::ExpressionNode>(std::move(node)));
}

AnyExpr detail::clip_of(const AnyExpr& x, const AnyExpr& low, const AnyExpr& high) {
    const auto within = [](const AnyExpr& bound, const AnyExpr& of) {
        const DType own = of.dtype();
        const int side = of.node().is_number() || !own.is_integer() ? 0 : side_of(bound, own);
        if (side == 0) return bound;
        const IntegerRange range = integer_range(own);
        return side < 0 ? AnyExpr(range.least) : AnyExpr(range.most);
    };
    const AnyExpr raised = maximum(x, within(low, x));
    return minimum(raised, within(high, raised));
}

DType AnyExpr::dtype() const { return node_->is_number() ? node_->number_type : node_->structure->dtype; }
const Shape& AnyExpr::shape() const { return node_->shape; }

detail::ExpressionView AnyExpr::view() const {
    return {
        .expression = this,
        .type = node_->structure->id,
        .dtype = dtype(),
        .collect =
            [](const void* self, detail::ExpressionOperands& operands) {
                const detail::ExpressionNode& node = static_cast<const AnyExpr*>(self)->node();
                operands.exceeds |= node.depth > deepest_kernel;
                gemel::collect(node, operands);
            },
        .print = [](const void* self, detail::ExpressionText& text,
                    DType as) { return gemel::print(*static_cast<const AnyExpr*>(self)->node().structure, text, as); },
        .any = [](const void* self) { return *static_cast<const AnyExpr*>(self); }};
}

namespace {

void write(const AnyArray& to, const AnyExpr& expression, LeadingAxes leading) {
    if (expression.node().is_number())
        throw ArgumentError("assign: the expression has no array operand; fill() takes a number");
    const DType own = to.dtype();
    if (!codegen::is_same_kind(expression.dtype(), own))
        throw ArgumentError(text("assign: an expression of ", expression.dtype().name(),
                                 " is of another kind than an array of ", own.name(), "; astype() converts"));
    const AnyExpr converted = expression.dtype() == own ? expression : astype(expression, own);
    evaluate(converted.view(), &to, leading);
}

}  // namespace

void AnyArray::assign(const AnyExpr& expression) const { write(*this, expression, LeadingAxes::dropped); }

void detail::update(const AnyArray& to, const AnyExpr& value) { write(to, value, LeadingAxes::refused); }

}  // namespace gemel
