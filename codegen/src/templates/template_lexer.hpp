/// Splits a template into text, tags, and the tokens inside tags.
#pragma once

#include "templates/template_nodes.hpp"

namespace gemel::codegen {

struct TemplateToken {
    enum class Kind {
        text,
        output_begin,  ///< {{
        output_end,
        block_begin,  ///< {%
        block_end,
        name,
        integer,
        floating,
        string,  ///< `text` without quotes and escapes
        symbol,
        end,
    };
    Kind kind = Kind::end;
    Position position;
    std::string text;
    Value value = {};  ///< of a number

    bool is(std::string_view word) const { return (kind == Kind::name || kind == Kind::symbol) && text == word; }
    /// The token for messages.
    std::string shown() const;
};

/// Resolves comments and raw blocks, and applies whitespace control. @throws TemplateError
std::vector<TemplateToken> tokenize_template(const TemplateText& source, const TemplateOptions& options);

}  // namespace gemel::codegen
