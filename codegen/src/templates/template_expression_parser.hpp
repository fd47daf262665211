/// Parses the expressions of templates.
#pragma once

#include "templates/template_lexer.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace gemel::codegen {

/// The position in a template's tokens, and a parser of its expressions by precedence.
class TemplateExpressionParser {
   public:
    TemplateExpressionParser(const TemplateText& source, const TemplateOptions& options)
        : source_(source), tokens_(tokenize_template(source, options)) {}

    /// `a, b` without brackets is a list. Behind `for x in` an `if` is not the expression's own.
    ExpressionPointer tuple(bool with_condition = true);
    ExpressionPointer expression();

   protected:
    using Token = TemplateToken;
    using Expression = TemplateExpression;

    static constexpr int deepest = 500;

    /// Words that cannot name a variable.
    static bool is_reserved(const std::string& word) {
        static constexpr std::string_view words[] = {"and", "or", "not", "in", "is", "if", "else", "elif", "for"};
        return std::find(std::begin(words), std::end(words), word) != std::end(words);
    }

    const Token& now() const { return tokens_[at_]; }
    const Token& next() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }

    [[noreturn]] void fail(const std::string& expected) const {
        throw source_.error(now().position, text("expected ", expected, ", found ", now().shown()));
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

    /// Counts the recursion depth of the parser.
    struct Level {
        explicit Level(TemplateExpressionParser& parser) : parser_(parser) {
            if (++parser.level_ > deepest)
                throw parser.source_.error(parser.now().position, text("nested deeper than ", deepest, " levels"));
        }
        ~Level() { --parser_.level_; }
        TemplateExpressionParser& parser_;
    };

    const TemplateText& source_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int level_ = 0;

   private:
    ExpressionPointer make(Expression::Kind kind, Position position, std::string text = {});
    template <class... Operands>
    ExpressionPointer make(Expression::Kind kind, Position position, std::string text, ExpressionPointer first,
                           Operands... rest);
    void add(ExpressionPointer& parent, ExpressionPointer child);
    template <class Operand>
    ExpressionPointer chain(std::initializer_list<std::string_view> operators, Operand operand);

    ExpressionPointer disjunction();
    ExpressionPointer conjunction();
    ExpressionPointer negation();
    ExpressionPointer comparison();
    ExpressionPointer sum();
    ExpressionPointer concatenation();
    ExpressionPointer product();
    ExpressionPointer power();
    ExpressionPointer filtered();
    ExpressionPointer unary();
    ExpressionPointer primary();
    ExpressionPointer bracket(Position position);
    ExpressionPointer postfix(ExpressionPointer node);
    ExpressionPointer subscript(Position position, ExpressionPointer base);
    void arguments(ExpressionPointer& node);
    ExpressionPointer filters(ExpressionPointer node);
    ExpressionPointer test(Position position, ExpressionPointer node);
};

}  // namespace gemel::codegen
