/// Templates for kernel text, in Jinja2's syntax.
///
/// {{ expression }} prints, {% for %}, {% if %}, {% set %} and {% raw %} control, {# #} is a comment; a minus inside a
/// tag ("{%-", "-%}") removes the white space next to it. docs/templates.md describes the language.
#pragma once

#include <gemel/codegen/value.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::codegen {

/// A template cannot be parsed or rendered. The message has the template's name, the line, the column and what was
/// expected there, and shows the line.
class GEMEL_API TemplateError : public ArgumentError {
   public:
    TemplateError(const std::string& message, int line, int column);
    ~TemplateError() override;
    int line() const noexcept { return line_; }      ///< from 1
    int column() const noexcept { return column_; }  ///< from 1, in bytes

   private:
    int line_, column_;
};

/// How white space next to tags is treated, as in Jinja2.
struct TemplateOptions {
    /// Removes the line end directly after a {% %} or {# #} tag.
    bool trim_blocks = false;
    /// Removes the white space of a line before its first {% %} or {# #} tag.
    bool lstrip_blocks = false;
    /// Maximum number of steps of one rendering, so that an endless template is an error. An expression, an element, a
    /// comparison and 16 bytes of text each count as one step. The default is reached after some seconds.
    std::uint64_t max_steps = std::uint64_t{1} << 26;
};

/// A rendered template with the origin of each line. `context.compile(rendered)` reports compiler errors with the
/// template's name and lines.
struct Rendered {
    std::string text;
    std::vector<int> lines;  ///< for every line of `text` the template's line, from 1
    std::string name;        ///< of the template

    /// The text with #line directives.
    GEMEL_API std::string source(const Dialect& dialect) const;
};

/// A template that is parsed once and rendered any number of times. Safe to use from several threads.
class GEMEL_API Template {
   public:
    /// @param name  the template's name in messages
    /// @throws TemplateError if it cannot be parsed
    explicit Template(std::string text, std::string name = "template", TemplateOptions options = {});

    const std::string& name() const;
    /// @throws TemplateError if a name has no value, a value has the wrong kind, or a number exceeds 64 bits
    std::string render(const Values& values = {}) const;
    Rendered render_with_lines(const Values& values = {}) const;

    /// The same template with values bound to it, for `context.compile(kernel_template.with({{"n", 4}}))`.
    Template with(Values values) const;
    /// The text rendered with the bound values, with #line directives. `dialect` is the dialect's name.
    std::string source(const Dialect& dialect) const;

   private:
    struct Parsed;
    std::shared_ptr<const Parsed> parsed_;
    Values bound_;
};

/// Renders a template: render("x[{{ i + 1 }}]", {{"i", 3}}) is "x[4]".
/// @throws TemplateError with line and column
GEMEL_API std::string render(std::string_view text, const Values& values = {});

/// Renders a template and records the template's line of each line of the result.
GEMEL_API Rendered render_with_lines(std::string_view text, const Values& values = {}, std::string name = "template");

}  // namespace gemel::codegen
