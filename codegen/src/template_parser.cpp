/// Reads templates: statements by their tags, expressions by precedence.
#include "template_lexer.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <initializer_list>

namespace gemel::codegen {

namespace {

using Expression = TemplateExpression;
using Statement = TemplateStatement;
using Token = TemplateToken;

constexpr int deepest = 500;

constexpr std::string_view reserved[] = {"and", "or", "not", "in", "is", "if", "else", "elif", "for"};

class Parser {
 public:
    Parser(const TemplateText& source, const TemplateOptions& options)
        : source_(source), tokens_(tokenize_template(source, options)) {}

    std::vector<Statement> run() { return statements({}, nullptr); }

 private:
    const Token& now() const { return tokens_[at_]; }
    const Token& next() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }

    [[noreturn]] void fail(const std::string& expected) const {
        throw source_.error(now().place, text("expected ", expected, ", found ", now().shown()));
    }

    bool take(std::string_view word) {
        if (!now().is(word)) return false;
        ++at_;
        return true;
    }
    void expect(std::string_view word) {
        if (!take(word)) fail(text("'", word, "'"));
    }
    void expect(Token::Kind kind, const std::string& what) {
        if (now().kind != kind) fail(what);
        ++at_;
    }
    void end_block() { expect(Token::Kind::block_end, "'%}'"); }

    /// Counts how deep the parser is in itself.
    struct Level {
        explicit Level(Parser& parser) : parser_(parser) {
            if (++parser.level_ > deepest)
                throw parser.source_.error(parser.now().place, text("nested deeper than ", deepest, " levels"));
        }
        ~Level() { --parser_.level_; }
        Parser& parser_;
    };

    // Statements.

    /// Up to one of the tags in `ends`, which is left to the caller behind its name; without any, up to the end.
    std::vector<Statement> statements(std::initializer_list<std::string_view> ends, const Token* opened) {
        const Level level(*this);
        std::vector<Statement> result;
        while (now().kind != Token::Kind::end) {
            if (now().kind == Token::Kind::text) {
                Statement statement;
                statement.place = now().place;
                statement.text = now().text;
                result.push_back(std::move(statement));
                ++at_;
            } else if (now().kind == Token::Kind::output_begin) {
                Statement statement;
                statement.kind = Statement::Kind::output;
                statement.place = now().place;
                ++at_;
                statement.expression = tuple();
                expect(Token::Kind::output_end, "an operator or '}}'");
                result.push_back(std::move(statement));
            } else {
                ++at_;
                if (now().kind == Token::Kind::name && std::find(ends.begin(), ends.end(), now().text) != ends.end())
                    return result;
                result.push_back(block());
            }
        }
        if (opened) {
            std::vector<std::string> names;
            for (const std::string_view end : ends) names.push_back(text("'{% ", end, " %}'"));
            throw source_.error(opened->place, text("'", opened->text, "' is not closed: expected ", join(names, " or "),
                                                    " before the end of the template"));
        }
        return result;
    }

    Statement block() {
        const Token& opened = now();
        if (take("for")) return loop(opened);
        if (take("if")) return condition(opened);
        if (take("set")) return set(opened);
        for (const std::string_view word : {"else", "elif", "endfor", "endif", "endset", "endraw"})
            if (now().is(word)) throw source_.error(now().place, text("'", word, "' closes nothing here"));
        fail("'for', 'if', 'set' or 'raw'");
    }

    std::vector<std::string> targets() {
        const bool has_bracket = take("(");
        std::vector<std::string> names;
        do {
            if (now().kind != Token::Kind::name) fail("a name");
            if (std::find(std::begin(reserved), std::end(reserved), now().text) != std::end(reserved)) fail("a name");
            names.push_back(now().text);
            ++at_;
        } while (take(","));
        if (has_bracket) expect(")");
        return names;
    }

    Statement loop(const Token& opened) {
        Statement statement;
        statement.kind = Statement::Kind::loop;
        statement.place = opened.place;
        statement.targets = targets();
        expect("in");
        statement.expression = tuple(false);
        if (take("if")) statement.condition = expression();
        end_block();
        statement.body = statements({"else", "endfor"}, &opened);
        if (take("else")) {
            end_block();
            statement.otherwise = statements({"endfor"}, &opened);
        }
        expect("endfor");
        end_block();
        return statement;
    }

    Statement condition(const Token& opened) {
        const Level level(*this);
        Statement statement;
        statement.kind = Statement::Kind::condition;
        statement.place = opened.place;
        statement.expression = tuple();
        end_block();
        statement.body = statements({"elif", "else", "endif"}, &opened);
        if (take("elif")) {
            statement.otherwise.push_back(condition(opened));
            return statement;  // the inner one took `endif`
        }
        if (take("else")) {
            end_block();
            statement.otherwise = statements({"endif"}, &opened);
        }
        expect("endif");
        end_block();
        return statement;
    }

    Statement set(const Token& opened) {
        Statement statement;
        statement.kind = Statement::Kind::set;
        statement.place = opened.place;
        statement.targets = targets();
        if (take("=")) {
            statement.expression = tuple();
            end_block();
            return statement;
        }
        if (statement.targets.size() != 1 || now().kind != Token::Kind::block_end) fail("'='");
        ++at_;
        statement.body = statements({"endset"}, &opened);
        expect("endset");
        end_block();
        return statement;
    }

    // Expressions.

    ExpressionPointer make(Expression::Kind kind, Place place, std::string text = {}) {
        auto node = std::make_unique<Expression>();
        node->kind = kind;
        node->place = place;
        node->text = std::move(text);
        return node;
    }

    void add(ExpressionPointer& parent, ExpressionPointer child) {
        if (child) {
            parent->depth = std::max(parent->depth, child->depth + 1);
            if (parent->depth > deepest)
                throw source_.error(parent->place, text("an expression nested deeper than ", deepest, " levels"));
        }
        parent->operands.push_back(std::move(child));
    }

    template <class... Operands>
    ExpressionPointer make(Expression::Kind kind, Place place, std::string text, ExpressionPointer first,
                           Operands... rest) {
        ExpressionPointer node = make(kind, place, std::move(text));
        add(node, std::move(first));
        (add(node, std::move(rest)), ...);
        return node;
    }

    /// `a, b` without brackets is a list.
    ExpressionPointer tuple(bool with_condition = true) {
        const Place place = now().place;
        ExpressionPointer first = with_condition ? expression() : disjunction();
        if (!now().is(",")) return first;
        ExpressionPointer list = make(Expression::Kind::list, place, {}, std::move(first));
        while (take(",")) {
            if (now().kind == Token::Kind::block_end || now().kind == Token::Kind::output_end) break;
            add(list, with_condition ? expression() : disjunction());
        }
        return list;
    }

    ExpressionPointer expression() {
        const Level level(*this);
        ExpressionPointer value = disjunction();
        while (now().is("if")) {
            const Place place = now().place;
            ++at_;
            ExpressionPointer condition = disjunction();
            ExpressionPointer otherwise;
            if (take("else")) otherwise = expression();
            value = make(Expression::Kind::conditional, place, {}, std::move(value), std::move(condition),
                         std::move(otherwise));
        }
        return value;
    }

    ExpressionPointer disjunction() {
        ExpressionPointer left = conjunction();
        while (now().is("or")) {
            const Place place = now().place;
            ++at_;
            left = make(Expression::Kind::logical, place, "or", std::move(left), conjunction());
        }
        return left;
    }

    ExpressionPointer conjunction() {
        ExpressionPointer left = negation();
        while (now().is("and")) {
            const Place place = now().place;
            ++at_;
            left = make(Expression::Kind::logical, place, "and", std::move(left), negation());
        }
        return left;
    }

    ExpressionPointer negation() {
        const Level level(*this);
        if (!now().is("not")) return comparison();
        const Place place = now().place;
        ++at_;
        return make(Expression::Kind::unary, place, "not", negation());
    }

    ExpressionPointer comparison() {
        const Place place = now().place;
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
        ExpressionPointer node = make(Expression::Kind::comparison, place, {}, std::move(first));
        for (ExpressionPointer& other : others) add(node, std::move(other));
        node->names = std::move(operators);
        return node;
    }

    /// Operators of one precedence, left to right.
    template <class Operand>
    ExpressionPointer chain(std::initializer_list<std::string_view> operators, Operand operand) {
        ExpressionPointer left = (this->*operand)();
        while (now().kind == Token::Kind::symbol &&
               std::find(operators.begin(), operators.end(), now().text) != operators.end()) {
            const Token& token = now();
            ++at_;
            left = make(Expression::Kind::binary, token.place, token.text, std::move(left), (this->*operand)());
        }
        return left;
    }

    ExpressionPointer sum() { return chain({"+", "-"}, &Parser::concatenation); }
    ExpressionPointer concatenation() { return chain({"~"}, &Parser::product); }
    ExpressionPointer product() { return chain({"*", "/", "//", "%"}, &Parser::power); }
    ExpressionPointer power() { return chain({"**"}, &Parser::filtered); }

    ExpressionPointer filtered() { return filters(unary()); }

    /// A sign binds tighter than a power and looser than what follows the operand; filters see the sign.
    ExpressionPointer unary() {
        const Level level(*this);
        if (!now().is("-") && !now().is("+")) return postfix(primary());
        const Token& token = now();
        ++at_;
        return make(Expression::Kind::unary, token.place, token.text, unary());
    }

    ExpressionPointer primary() {
        const Token& token = now();
        ExpressionPointer node = make(Expression::Kind::constant, token.place);
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
                if (std::find(std::begin(reserved), std::end(reserved), token.text) != std::end(reserved))
                    fail("an expression");
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
            default:
                break;
        }
        if (take("(")) return bracket(token.place);
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

    /// Behind '(': an expression, or a list with at least one comma, or the empty list.
    ExpressionPointer bracket(Place place) {
        ExpressionPointer list = make(Expression::Kind::list, place);
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

    ExpressionPointer postfix(ExpressionPointer node) {
        while (true) {
            const Place place = now().place;
            if (take(".")) {
                if (now().kind != Token::Kind::name && now().kind != Token::Kind::integer) fail("a member's name");
                if (now().kind == Token::Kind::integer) {
                    ExpressionPointer index = make(Expression::Kind::constant, now().place);
                    index->value = now().value;
                    node = make(Expression::Kind::item, place, {}, std::move(node), std::move(index));
                } else {
                    node = make(Expression::Kind::attribute, place, now().text, std::move(node));
                }
                ++at_;
            } else if (take("[")) {
                node = subscript(place, std::move(node));
            } else if (take("(")) {
                node = make(Expression::Kind::call, place, {}, std::move(node));
                arguments(node);
            } else {
                return node;
            }
        }
    }

    ExpressionPointer subscript(Place place, ExpressionPointer base) {
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
        if (colons == 0) return make(Expression::Kind::item, place, {}, std::move(base), std::move(parts[0]));
        return make(Expression::Kind::slice, place, {}, std::move(base), std::move(parts[0]), std::move(parts[1]),
                    std::move(parts[2]));
    }

    /// Behind '(': positional ones, then named ones.
    void arguments(ExpressionPointer& node) {
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

    ExpressionPointer filters(ExpressionPointer node) {
        while (true) {
            const Place place = now().place;
            if (take("|")) {
                if (now().kind != Token::Kind::name) fail("a filter's name");
                node = make(Expression::Kind::filter, now().place, now().text, std::move(node));
                ++at_;
                if (take("(")) arguments(node);
            } else if (take("is")) {
                node = test(place, std::move(node));
            } else {
                return node;
            }
        }
    }

    ExpressionPointer test(Place place, ExpressionPointer node) {
        const bool is_negated = take("not");
        if (now().kind != Token::Kind::name) fail("a test's name");
        node = make(Expression::Kind::test, now().place, now().text, std::move(node));
        ++at_;
        const bool is_word = now().kind == Token::Kind::name &&
                             std::find(std::begin(reserved), std::end(reserved), now().text) == std::end(reserved);
        if (take("(")) {
            arguments(node);
        } else if (is_word || now().kind == Token::Kind::integer || now().kind == Token::Kind::floating ||
                   now().kind == Token::Kind::string) {
            add(node, postfix(primary()));
        }
        return is_negated ? make(Expression::Kind::unary, place, "not", std::move(node)) : std::move(node);
    }

    const TemplateText& source_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int level_ = 0;
};

}  // namespace

std::vector<TemplateStatement> parse_template(const TemplateText& source, const TemplateOptions& options) {
    return Parser(source, options).run();
}

}  // namespace gemel::codegen
