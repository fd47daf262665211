/// Parses expressions by precedence.
#include "templates/template_expression_parser.hpp"

#include <gemel/core/text.hpp>

namespace gemel::codegen {

using Expression = TemplateExpression;

ExpressionPointer TemplateExpressionParser::make(Expression::Kind kind, Position position, std::string text) {
    auto node = std::make_unique<Expression>();
    node->kind = kind;
    node->position = position;
    node->text = std::move(text);
    return node;
}

void TemplateExpressionParser::add(ExpressionPointer& parent, ExpressionPointer child) {
    if (child) {
        parent->depth = std::max(parent->depth, child->depth + 1);
        if (parent->depth > deepest)
            throw source_.error(parent->position, text("an expression nested deeper than ", deepest, " levels"));
    }
    parent->operands.push_back(std::move(child));
}

template <class... Operands>
ExpressionPointer TemplateExpressionParser::make(Expression::Kind kind, Position position, std::string text,
                                                 ExpressionPointer first, Operands... rest) {
    ExpressionPointer node = make(kind, position, std::move(text));
    add(node, std::move(first));
    (add(node, std::move(rest)), ...);
    return node;
}

ExpressionPointer TemplateExpressionParser::tuple(bool with_condition) {
    const Position position = now().position;
    ExpressionPointer first = with_condition ? expression() : disjunction();
    if (!now().is(",")) return first;
    ExpressionPointer list = make(Expression::Kind::list, position, {}, std::move(first));
    while (take(",")) {
        if (now().kind == Token::Kind::block_end || now().kind == Token::Kind::output_end) break;
        add(list, with_condition ? expression() : disjunction());
    }
    return list;
}

ExpressionPointer TemplateExpressionParser::expression() {
    const Level level(*this);
    ExpressionPointer value = disjunction();
    while (now().is("if")) {
        const Position position = now().position;
        ++at_;
        ExpressionPointer condition = disjunction();
        ExpressionPointer otherwise;
        if (take("else")) otherwise = expression();
        value = make(Expression::Kind::conditional, position, {}, std::move(value), std::move(condition),
                     std::move(otherwise));
    }
    return value;
}

ExpressionPointer TemplateExpressionParser::disjunction() {
    ExpressionPointer left = conjunction();
    while (now().is("or")) {
        const Position position = now().position;
        ++at_;
        left = make(Expression::Kind::logical, position, "or", std::move(left), conjunction());
    }
    return left;
}

ExpressionPointer TemplateExpressionParser::conjunction() {
    ExpressionPointer left = negation();
    while (now().is("and")) {
        const Position position = now().position;
        ++at_;
        left = make(Expression::Kind::logical, position, "and", std::move(left), negation());
    }
    return left;
}

ExpressionPointer TemplateExpressionParser::negation() {
    const Level level(*this);
    if (!now().is("not")) return comparison();
    const Position position = now().position;
    ++at_;
    return make(Expression::Kind::unary, position, "not", negation());
}

ExpressionPointer TemplateExpressionParser::comparison() {
    const Position position = now().position;
    ExpressionPointer first = sum();
    std::vector<std::string> operators;
    std::vector<ExpressionPointer> others;
    while (true) {
        if (now().is("==") || now().is("!=") || now().is("<") || now().is(">") || now().is("<=") || now().is(">=") ||
            now().is("in")) {
            operators.push_back(now().text);
            ++at_;
        } else if (now().is("not") && next().is("in")) {
            operators.push_back("not in");
            at_ += 2;
        } else {
            break;
        }
        others.push_back(sum());
    }
    if (operators.empty()) return first;
    ExpressionPointer node = make(Expression::Kind::comparison, position, {}, std::move(first));
    for (ExpressionPointer& other : others) add(node, std::move(other));
    node->names = std::move(operators);
    return node;
}

/// Left-associative operators of one precedence.
template <class Operand>
ExpressionPointer TemplateExpressionParser::chain(std::initializer_list<std::string_view> operators, Operand operand) {
    ExpressionPointer left = (this->*operand)();
    while (now().kind == Token::Kind::symbol &&
           std::find(operators.begin(), operators.end(), now().text) != operators.end()) {
        const Token& token = now();
        ++at_;
        left = make(Expression::Kind::binary, token.position, token.text, std::move(left), (this->*operand)());
    }
    return left;
}

ExpressionPointer TemplateExpressionParser::sum() {
    return chain({"+", "-"}, &TemplateExpressionParser::concatenation);
}
ExpressionPointer TemplateExpressionParser::concatenation() { return chain({"~"}, &TemplateExpressionParser::product); }
ExpressionPointer TemplateExpressionParser::product() {
    return chain({"*", "/", "//", "%"}, &TemplateExpressionParser::power);
}
ExpressionPointer TemplateExpressionParser::power() { return chain({"**"}, &TemplateExpressionParser::filtered); }

ExpressionPointer TemplateExpressionParser::filtered() { return filters(unary()); }

/// A sign binds more tightly than a power, and less tightly than postfix operators; filters apply to the signed value.
ExpressionPointer TemplateExpressionParser::unary() {
    const Level level(*this);
    if (!now().is("-") && !now().is("+")) return postfix(primary());
    const Token& token = now();
    ++at_;
    return make(Expression::Kind::unary, token.position, token.text, unary());
}

ExpressionPointer TemplateExpressionParser::primary() {
    const Token& token = now();
    ExpressionPointer node = make(Expression::Kind::constant, token.position);
    switch (token.kind) {
        case Token::Kind::integer:
        case Token::Kind::floating:
            node->value = token.value;
            ++at_;
            return node;
        case Token::Kind::string: {
            std::string joined;
            for (; now().kind == Token::Kind::string; ++at_) joined += now().text;
            node->value = joined;
            return node;
        }
        case Token::Kind::name:
            if (is_reserved(token.text)) fail("an expression");
            ++at_;
            if (token.text == "true" || token.text == "True") {
                node->value = true;
            } else if (token.text == "false" || token.text == "False") {
                node->value = false;
            } else if (token.text != "none" && token.text != "None") {
                node->kind = Expression::Kind::name;
                node->text = token.text;
            }
            return node;
        default: break;
    }
    if (take("(")) return bracket(token.position);
    if (take("[")) {
        node->kind = Expression::Kind::list;
        while (!now().is("]")) {
            add(node, expression());
            if (!take(",") && !now().is("]")) fail("',' or ']'");
        }
        ++at_;
        return node;
    }
    if (take("{")) {
        node->kind = Expression::Kind::map;
        while (!now().is("}")) {
            add(node, expression());
            expect(":");
            add(node, expression());
            if (!take(",") && !now().is("}")) fail("',' or '}'");
        }
        ++at_;
        return node;
    }
    fail("an expression");
}

/// After '(': an expression, or a list with at least one comma, or the empty list.
ExpressionPointer TemplateExpressionParser::bracket(Position position) {
    ExpressionPointer list = make(Expression::Kind::list, position);
    if (take(")")) return list;
    ExpressionPointer first = expression();
    if (take(")")) return first;
    add(list, std::move(first));
    while (take(",")) {
        if (now().is(")")) break;
        add(list, expression());
    }
    if (!take(")")) fail("',' or ')'");
    return list;
}

ExpressionPointer TemplateExpressionParser::postfix(ExpressionPointer node) {
    while (true) {
        const Position position = now().position;
        if (take(".")) {
            if (now().kind != Token::Kind::name && now().kind != Token::Kind::integer) fail("a member's name");
            if (now().kind == Token::Kind::integer) {
                ExpressionPointer index = make(Expression::Kind::constant, now().position);
                index->value = now().value;
                node = make(Expression::Kind::item, position, {}, std::move(node), std::move(index));
            } else {
                node = make(Expression::Kind::attribute, position, now().text, std::move(node));
            }
            ++at_;
        } else if (take("[")) {
            node = subscript(position, std::move(node));
        } else if (take("(")) {
            node = make(Expression::Kind::call, position, {}, std::move(node));
            arguments(node);
        } else {
            return node;
        }
    }
}

ExpressionPointer TemplateExpressionParser::subscript(Position position, ExpressionPointer base) {
    ExpressionPointer parts[3];
    int colons = 0;
    while (!now().is("]")) {
        if (take(":")) {
            if (++colons > 2) fail("']'");
        } else {
            if (parts[colons]) fail("':' or ']'");
            parts[colons] = expression();
        }
    }
    if (colons == 0 && !parts[0]) fail("an index");
    ++at_;
    if (colons == 0) return make(Expression::Kind::item, position, {}, std::move(base), std::move(parts[0]));
    return make(Expression::Kind::slice, position, {}, std::move(base), std::move(parts[0]), std::move(parts[1]),
                std::move(parts[2]));
}

/// After '(': positional arguments, then named ones.
void TemplateExpressionParser::arguments(ExpressionPointer& node) {
    while (!now().is(")")) {
        if (now().kind == Token::Kind::name && next().is("=")) {
            node->names.push_back(now().text);
            at_ += 2;
        } else if (!node->names.empty()) {
            fail("a named argument, since one came before");
        }
        add(node, expression());
        if (!take(",") && !now().is(")")) fail("',' or ')'");
    }
    ++at_;
}

ExpressionPointer TemplateExpressionParser::filters(ExpressionPointer node) {
    while (true) {
        const Position position = now().position;
        if (take("|")) {
            if (now().kind != Token::Kind::name) fail("a filter's name");
            node = make(Expression::Kind::filter, now().position, now().text, std::move(node));
            ++at_;
            if (take("(")) arguments(node);
        } else if (take("is")) {
            node = test(position, std::move(node));
        } else {
            return node;
        }
    }
}

ExpressionPointer TemplateExpressionParser::test(Position position, ExpressionPointer node) {
    const bool is_negated = take("not");
    if (now().kind != Token::Kind::name) fail("a test's name");
    node = make(Expression::Kind::test, now().position, now().text, std::move(node));
    ++at_;
    const bool is_word = now().kind == Token::Kind::name && !is_reserved(now().text);
    if (take("(")) {
        arguments(node);
    } else if (is_word || now().kind == Token::Kind::integer || now().kind == Token::Kind::floating ||
               now().kind == Token::Kind::string) {
        add(node, postfix(primary()));
    }
    return is_negated ? make(Expression::Kind::unary, position, "not", std::move(node)) : std::move(node);
}

}  // namespace gemel::codegen
