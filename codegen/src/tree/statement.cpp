/// Builds statements.
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "tree/operators.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace gemel::codegen {

namespace {

using Kind = StatementNode::Kind;

Statement make(StatementNode node) {
    for (const Statements* inside : {&node.parts, &node.body, &node.otherwise})
        for (const Statement& one : *inside) node.depth = std::max(node.depth, one.node().depth + 1);
    if (node.depth > deepest_tree)
        throw ArgumentError(
            text("Statement: nested deeper than ", deepest_tree, " levels; move a part to a device_function()"));
    return Statement(std::make_shared<const StatementNode>(std::move(node)));
}

Statement assignment(const char* op, const Expression& place, const Expression& value) {
    check_changed(text("operator ", op), place);
    if (std::string_view(op) == "=") {
        check_assigned("operator =", place.type(), value);
    } else {
        check_compound(op, place, value);
    }
    return make({.kind = Kind::assignment, .text = op, .expressions = {place, value}});
}

/// The value of an integer literal, possibly with a sign; empty if it is known only on the device. Unsigned ones count
/// as positive.
std::optional<std::int64_t> known_step(const ExpressionNode& step) {
    if (step.kind == ExpressionNode::Kind::unary && step.text == "-") {
        const std::optional<std::int64_t> positive = known_step(step.operands[0].node());
        return positive && *positive > 0 ? std::optional(-*positive) : std::nullopt;
    }
    if (step.kind != ExpressionNode::Kind::literal || !step.type.dtype.is_integer()) return std::nullopt;
    const bool is_signed = step.type.dtype.kind() == DType::Kind::signed_integer;
    return is_signed || step.integer >= 0 ? step.integer : std::numeric_limits<std::int64_t>::max();
}

void check_type(const char* who, const Type& type, const std::string& name) {
    if (type.empty()) throw ArgumentError(text(who, ": the type of '", name, "' is unknown; give one"));
    if (!type.is_pointer && type.name == void_type().name)
        throw ArgumentError(text(who, ": '", name, "' has the type void; expected a type with values"));
}

void check_extents(const char* who, const std::string& name, const std::vector<std::size_t>& extents) {
    if (extents.empty()) throw ArgumentError(text(who, ": '", name, "' has no extents; give one per axis"));
    for (const std::size_t extent : extents)
        if (extent == 0) throw ArgumentError(text(who, ": '", name, "' has an extent of 0; expected 1 or more"));
}

void check_simple(const Statement& statement, const char* what) {
    const Kind kind = statement.node().kind;
    const bool is_array = kind == Kind::declaration && !statement.node().extents.empty();
    if ((kind != Kind::expression && kind != Kind::declaration && kind != Kind::assignment &&
         kind != Kind::increment) ||
        is_array)
        throw ArgumentError(text("for_loop: ", what, " must be a declaration, an assignment or an expression"));
}

}  // namespace

Statement::Statement(const Expression& expression)
    : node_(
          std::make_shared<const StatementNode>(StatementNode{.kind = Kind::expression, .expressions = {expression}})) {
}

Statement declare(const Type& type, const std::string& name, std::optional<Expression> value) {
    check_identifier(name, "a variable");
    check_type("declare", type, name);
    StatementNode node{.kind = Kind::declaration, .type = type, .name = name};
    if (value) {
        check_assigned(text("the variable '", name, "'"), type, *value);
        node.values.push_back(*value);
    }
    return make(std::move(node));
}

Statement declare(const std::string& name, const Expression& value) {
    if (value.type().empty())
        throw ArgumentError(text("declare: the type of the value of '", name,
                                 "' is unknown; give a type, or declare the variables in it by var(name, type)"));
    Type type = value.type();
    type.is_restrict = false;
    return declare(type, name, value);
}

Statement declare_constant(const Type& type, const std::string& name, const Expression& value) {
    return declare(constant(type), name, value);
}

Statement declare_array(const Type& type, const std::string& name, std::vector<std::size_t> extents,
                        std::vector<Expression> values) {
    check_identifier(name, "a variable");
    check_extents("declare_array", name, extents);
    check_type("declare_array", type, name);
    std::size_t room = 1;  // saturates
    for (const std::size_t extent : extents) room = extent > values.size() / room ? values.size() + 1 : room * extent;
    if (values.size() > room)
        throw ArgumentError(
            text("declare_array: '", name, "' has ", room, " elements, got ", values.size(), " values"));
    for (const Expression& value : values) check_assigned(text("the array '", name, "'"), type, value);
    return make({.kind = Kind::declaration,
                 .type = type,
                 .name = name,
                 .extents = std::move(extents),
                 .values = std::move(values)});
}

Statement declare_shared(const Type& type, const std::string& name, std::vector<std::size_t> extents) {
    check_identifier(name, "a variable");
    check_extents("declare_shared", name, extents);
    check_type("declare_shared", type, name);
    return make(
        {.kind = Kind::declaration, .type = type, .name = name, .extents = std::move(extents), .is_shared = true});
}

Statement assign(const Expression& place, const Expression& value) { return assignment("=", place, value); }
Statement operator+=(const Expression& place, const Expression& value) { return assignment("+=", place, value); }
Statement operator-=(const Expression& place, const Expression& value) { return assignment("-=", place, value); }
Statement operator*=(const Expression& place, const Expression& value) { return assignment("*=", place, value); }
Statement operator/=(const Expression& place, const Expression& value) { return assignment("/=", place, value); }
Statement operator%=(const Expression& place, const Expression& value) { return assignment("%=", place, value); }
Statement operator<<=(const Expression& place, const Expression& value) { return assignment("<<=", place, value); }
Statement operator>>=(const Expression& place, const Expression& value) { return assignment(">>=", place, value); }
Statement operator&=(const Expression& place, const Expression& value) { return assignment("&=", place, value); }
Statement operator|=(const Expression& place, const Expression& value) { return assignment("|=", place, value); }
Statement operator^=(const Expression& place, const Expression& value) { return assignment("^=", place, value); }

Statement increment(const Expression& place) {
    check_changed("operator ++", place);
    check_step("++", place);
    return make({.kind = Kind::increment, .text = "++", .expressions = {place}});
}
Statement decrement(const Expression& place) {
    check_changed("operator --", place);
    check_step("--", place);
    return make({.kind = Kind::increment, .text = "--", .expressions = {place}});
}

Statement if_then(const Expression& condition, Statements then, Statements otherwise) {
    check_condition("if", condition);
    return make({.kind = Kind::condition,
                 .expressions = {condition},
                 .body = std::move(then),
                 .otherwise = std::move(otherwise)});
}

Statement for_loop(const Statement& first, const Expression& condition, const Statement& step, Statements body) {
    check_simple(first, "the first part");
    check_simple(step, "the step");
    check_condition("for", condition);
    return make({.kind = Kind::for_loop, .expressions = {condition}, .parts = {first, step}, .body = std::move(body)});
}

Statement for_range(const std::string& name, const Expression& begin, const Expression& end, const Expression& step,
                    Statements body) {
    const auto is_wide = [](const Expression& e) {
        return e.type().dtype.is_integer() && e.type().dtype.size_bytes() == 8;
    };
    const DType type(DType::Kind::signed_integer, is_wide(begin) || is_wide(end) || is_wide(step) ? 8 : 4);
    const ExpressionNode& by = step.node();
    const std::optional<std::int64_t> known = known_step(by);
    if (known == 0) throw ArgumentError(text("for_range: expected a step of '", name, "' other than 0"));
    const Expression i = var(name, type);
    const Expression condition = known && *known < 0 ? i > end : i < end;
    return for_loop(declare(type, name, begin), condition, known == 1 ? increment(i) : i += step, std::move(body));
}

Statement while_loop(const Expression& condition, Statements body) {
    check_condition("while", condition);
    return make({.kind = Kind::while_loop, .expressions = {condition}, .body = std::move(body)});
}
Statement do_while_loop(Statements body, const Expression& condition) {
    check_condition("while", condition);
    return make({.kind = Kind::do_while_loop, .expressions = {condition}, .body = std::move(body)});
}
Statement return_value(const Expression& value) {
    return make({.kind = Kind::jump, .text = "return", .expressions = {value}});
}
Statement return_nothing() { return make({.kind = Kind::jump, .text = "return"}); }
Statement break_loop() { return make({.kind = Kind::jump, .text = "break"}); }
Statement continue_loop() { return make({.kind = Kind::jump, .text = "continue"}); }
Statement barrier() { return make({.kind = Kind::barrier}); }
Statement global_barrier() { return make({.kind = Kind::global_barrier}); }
Statement block(Statements body) { return make({.kind = Kind::block, .body = std::move(body)}); }
Statement comment(const std::string& text) { return make({.kind = Kind::comment, .text = text}); }
Statement raw(const std::string& text) { return make({.kind = Kind::raw, .text = text}); }

}  // namespace gemel::codegen
