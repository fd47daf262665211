/// A parsed template: a tree of statements and expressions.
#pragma once

#include <gemel/codegen/template.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gemel::codegen {

/// A position in a template, counted from 1.
struct Position {
    int line = 1;
    int column = 1;
};

struct TemplateExpression {
    enum class Kind {
        constant,
        name,
        list,         ///< operands
        map,          ///< operands: key, value, key, value ...
        unary,        ///< text: "-", "+", "not"
        binary,       ///< text: the operator, also "in", "not in"
        logical,      ///< text: "and", "or"
        comparison,   ///< a < b < c: operands a, b, c; names "<", "<"
        conditional,  ///< operands: value, condition, otherwise (may be absent)
        attribute,    ///< operands[0].text
        item,         ///< operands[0][operands[1]]
        slice,        ///< operands[0][operands[1]:operands[2]:operands[3]], absent ones null
        call,         ///< operands[0](operands[1] ...), names of the last ones in `names`
        filter,       ///< operands[0] | text(operands[1] ...), likewise
        test,         ///< operands[0] is text(operands[1] ...)
    };
    Kind kind = Kind::constant;
    Position position;
    int depth = 1;  ///< of the tree below; limited, so that no template exhausts the stack
    std::string text;
    Value value;
    std::vector<std::unique_ptr<TemplateExpression>> operands;
    std::vector<std::string> names;
};
using ExpressionPointer = std::unique_ptr<TemplateExpression>;

struct TemplateStatement {
    enum class Kind {
        text,       ///< literal `text`
        output,     ///< {{ expression }}
        loop,       ///< for `targets` in `expression` if `condition`; `body`, `otherwise`
        condition,  ///< if `expression`: `body`, else `otherwise`
        set,        ///< `targets` = `expression`, or = what `body` prints
    };
    Kind kind = Kind::text;
    Position position;
    std::string text;
    ExpressionPointer expression, condition;
    std::vector<std::string> targets;
    std::vector<TemplateStatement> body, otherwise;
};

/// A template's text and name, for messages.
struct TemplateText {
    std::string text, name;

    /// "add:3:7: expected ..., with the line and a mark below
    TemplateError error(Position position, const std::string& message) const;
};

/// @throws TemplateError
std::vector<TemplateStatement> parse_template(const TemplateText& source, const TemplateOptions& options);

}  // namespace gemel::codegen
