/// Cuts a template into text, tags, and the words inside tags.
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
    Place place;
    std::string text;
    Value value = {};  ///< of a number

    bool is(std::string_view word) const { return (kind == Kind::name || kind == Kind::symbol) && text == word; }
    /// As messages say it.
    std::string shown() const;
};

/// Comments and raw blocks are resolved, whitespace control is applied. @throws TemplateError
std::vector<TemplateToken> tokenize_template(const TemplateText& source, const TemplateOptions& options);

}  // namespace gemel::codegen
