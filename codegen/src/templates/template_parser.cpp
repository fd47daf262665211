/// Parses templates: statements by their tags.
#include "templates/template_expression_parser.hpp"

#include <gemel/core/text.hpp>

namespace gemel::codegen {

namespace {

using Statement = TemplateStatement;

class Parser : TemplateExpressionParser {
   public:
    using TemplateExpressionParser::TemplateExpressionParser;

    std::vector<Statement> run() { return statements({}, nullptr); }

   private:
    /// Parses up to one of the tags in `ends`, whose name is consumed; without any, to the end.
    std::vector<Statement> statements(std::initializer_list<std::string_view> ends, const Token* opened) {
        const Level level(*this);
        std::vector<Statement> result;
        while (now().kind != Token::Kind::end) {
            if (now().kind == Token::Kind::text) {
                Statement statement;
                statement.position = now().position;
                statement.text = now().text;
                result.push_back(std::move(statement));
                ++at_;
            } else if (now().kind == Token::Kind::output_begin) {
                Statement statement;
                statement.kind = Statement::Kind::output;
                statement.position = now().position;
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
            throw source_.error(opened->position, text("'", opened->text, "' is not closed: expected ",
                                                       join(names, " or "), " before the end of the template"));
        }
        return result;
    }

    Statement block() {
        const Token& opened = now();
        if (take("for")) return loop(opened);
        if (take("if")) return condition(opened);
        if (take("set")) return set(opened);
        for (const std::string_view word : {"else", "elif", "endfor", "endif", "endset", "endraw"})
            if (now().is(word)) throw source_.error(now().position, text("'", word, "' closes nothing here"));
        fail("'for', 'if', 'set' or 'raw'");
    }

    /// Parses names; with `members` also "map.name".
    std::vector<std::string> targets(bool members = false) {
        const bool has_bracket = take("(");
        std::vector<std::string> names;
        do {
            if (now().kind != Token::Kind::name) fail("a name");
            if (is_reserved(now().text)) fail("a name");
            names.push_back(now().text);
            ++at_;
            if (members && take(".")) {
                if (now().kind != Token::Kind::name) fail("a member's name");
                names.back() += "." + now().text;
                ++at_;
            }
        } while (take(","));
        if (has_bracket) expect(")");
        return names;
    }

    Statement loop(const Token& opened) {
        Statement statement;
        statement.kind = Statement::Kind::loop;
        statement.position = opened.position;
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
        statement.position = opened.position;
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
        statement.position = opened.position;
        statement.targets = targets(true);
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
};

}  // namespace

std::vector<TemplateStatement> parse_template(const TemplateText& source, const TemplateOptions& options) {
    return Parser(source, options).run();
}

}  // namespace gemel::codegen
