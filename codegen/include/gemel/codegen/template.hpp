/// Templates for kernel text, in Jinja2's syntax.
///
/// {{ expression }} prints, {% for %}, {% if %}, {% set %} and {% raw %} control, {# #} is a comment; a minus inside a
/// tag
/// ("{%-", "-%}") takes the blanks beside it away. docs/templates.md lists the language.
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

/// A template that cannot be read or filled. The message names the template, line and column, what was expected there,
/// and shows the line.
class GEMEL_API TemplateError : public ArgumentError {
   public:
    TemplateError(const std::string& message, int line, int column);
    ~TemplateError() override;
    int line() const noexcept { return line_; }      ///< from 1
    int column() const noexcept { return column_; }  ///< from 1, in bytes

   private:
    int line_, column_;
};

/// How blanks beside tags are treated, as in Jinja2.
struct TemplateOptions {
    /// Takes away the line end right behind a {% %} or {# #} tag.
    bool trim_blocks = false;
    /// Takes away the blanks of a line before its first {% %} or {# #} tag.
    bool lstrip_blocks = false;
    /// How much one filling may do (expressions, elements, comparisons, 16 bytes of text each count as one): a template
    /// that would run for ever is an error instead. The default is reached after some seconds.
    std::uint64_t max_steps = std::uint64_t{1} << 26;
};

/// A filled template that knows where each of its lines comes from. `context.compile(rendered)` gives complaints of the
/// compiler with the template's name and lines.
struct Rendered {
    std::string text;
    std::vector<int> lines;  ///< for every line of `text` the template's line that made it, from 1
    std::string name;        ///< of the template

    /// The text with #line directives.
    GEMEL_API std::string source(const Dialect& dialect) const;
};

/// A template that was read once and is filled as often as wanted. Safe to use from several threads.
class GEMEL_API Template {
   public:
    /// @param name  what messages call it
    /// @throws TemplateError if it cannot be read
    explicit Template(std::string text, std::string name = "template", TemplateOptions options = {});

    const std::string& name() const;
    /// @throws TemplateError for a name without a value, values of a wrong kind, and numbers that do not fit 64 bits
    std::string render(const Values& values = {}) const;
    Rendered render_with_lines(const Values& values = {}) const;

    /// The same template with values bound to it, for `context.compile(kernel_template.with({{"n", 4}}))`.
    Template with(Values values) const;
    /// The text filled with the bound values, with #line directives. The template sees the dialect's name as `dialect`.
    std::string source(const Dialect& dialect) const;

   private:
    struct Parsed;
    std::shared_ptr<const Parsed> parsed_;
    Values bound_;
};

/// Fills a template: render("x[{{ i + 1 }}]", {{"i", 3}}) is "x[4]".
/// @throws TemplateError with line and column
GEMEL_API std::string render(std::string_view text, const Values& values = {});

/// The same with the line of the template for each line of the result.
GEMEL_API Rendered render_with_lines(std::string_view text, const Values& values = {}, std::string name = "template");

}  // namespace gemel::codegen
