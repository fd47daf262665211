/// Renders templates and records line numbers.
#include <gemel/codegen/template.hpp>

#include <gemel/core/text.hpp>

#include "templates/template_evaluator.hpp"

#include <algorithm>

namespace gemel::codegen {

TemplateError::TemplateError(const std::string& message, int line, int column)
    : ArgumentError(message), line_(line), column_(column) {}
TemplateError::~TemplateError() = default;

TemplateError TemplateText::error(Position position, const std::string& message) const {
    std::size_t from = 0;
    for (int line = 1; line < position.line; ++line) from = std::min(text.find('\n', from), text.size() - 1) + 1;
    std::string_view line = std::string_view(text).substr(from);
    line = line.substr(0, line.find('\n'));
    // The readable part of the line.
    constexpr std::size_t max_before = 90, max_behind = 50, max_message = 2000;
    const std::size_t at = std::min(static_cast<std::size_t>(position.column - 1), line.size());
    const std::size_t begin = at > max_before + 3 ? at - max_before : 0;
    const std::size_t end = line.size() > at + max_behind + 3 ? at + max_behind : line.size();
    const std::string before = begin ? "..." : "";
    std::string mark = before + std::string(line.substr(begin, at - begin));
    for (char& c : mark)
        if (c != '\t') c = ' ';
    return {gemel::text(name, ":", position.line, ":", position.column, ": ", message.substr(0, max_message),
                        message.size() > max_message ? "..." : "", "\n    ", before, line.substr(begin, end - begin),
                        end < line.size() ? "..." : "", "\n    ", mark, "^"),
            position.line, position.column};
}

namespace {

/// The result with the template line of each of its lines: that of the first nonblank text in it.
class Output {
   public:
    /// @param line  of the beginning of `text`; advanced if the text is the template's own
    void write(std::string_view text, int line, bool is_own) {
        for (const char c : text) {
            const bool is_blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
            if (lines_.empty() || at_line_start_) {
                lines_.push_back(line);
                at_line_start_ = false;
                only_blanks_ = true;
            }
            if (only_blanks_ && !is_blank) {
                lines_.back() = line;
                only_blanks_ = false;
            }
            if (c == '\n') {
                at_line_start_ = true;
                if (is_own) ++line;
            }
        }
        text_ += text;
    }

    std::string& text() { return text_; }
    std::vector<int>& lines() { return lines_; }

   private:
    std::string text_;
    std::vector<int> lines_;
    bool at_line_start_ = true, only_blanks_ = true;
};

class Renderer {
   public:
    Renderer(const TemplateText& source, const Values& given, const Values& bound, std::uint64_t max_steps)
        : source_(source), names_(given, bound), work_{max_steps}, evaluator_(source, names_, work_) {}

    void run(const std::vector<TemplateStatement>& statements, Output& out) {
        for (const TemplateStatement& statement : statements) run(statement, out);
    }

   private:
    using Kind = TemplateStatement::Kind;

    /// Errors inside a statement may lack a line number.
    template <class Work>
    auto at(const TemplateExpression& node, Work work) const {
        try {
            return work();
        } catch (const TemplateError&) {
            throw;
        } catch (const ArgumentError& error) {
            throw source_.error(node.position, error.what());
        }
    }

    void run(const TemplateStatement& statement, Output& out) {
        const int line = statement.position.line;
        switch (statement.kind) {
            case Kind::text:
                TemplateSite{source_, statement.position, work_}.spend_bytes(statement.text.size());
                out.write(statement.text, line, true);
                break;
            case Kind::output: {
                const std::string shown = at(*statement.expression, [&] { return evaluated(statement).text(); });
                TemplateSite{source_, statement.position, work_}.spend_bytes(shown.size());
                out.write(shown, line, false);
                break;
            }
            case Kind::condition: {
                const bool is_true = evaluated(statement).truth();
                run(is_true ? statement.body : statement.otherwise, out);
                break;
            }
            case Kind::set: set(statement); break;
            case Kind::loop: loop(statement, out); break;
        }
        if (out.text().size() > max_bytes) throw source_.error(statement.position, "the result is longer than 256 MiB");
    }

    Value evaluated(const TemplateStatement& statement) const {
        return at(*statement.expression, [&] { return evaluator_.evaluate(*statement.expression); });
    }

    void set(const TemplateStatement& statement) {
        if (statement.expression) {
            assign(statement, evaluated(statement));
            return;
        }
        Output block;
        names_.open();
        run(statement.body, block);
        names_.close();
        assign(statement, statement.targets.front(), Value(block.text()));
    }

    /// Assigns to a name, or to a member of a map that the template created: "ns.count".
    void assign(const TemplateStatement& statement, const std::string& target, const Value& value) {
        const std::size_t dot = target.find('.');
        if (dot == std::string::npos) {
            names_.set(target, value);
            return;
        }
        const std::string map = target.substr(0, dot);
        const TemplateSite site{source_, statement.position, work_};
        if (const Value* known = names_.find(map); known && known->is_map()) site.spend(known->as_map().size());
        if (!names_.set_member(map, target.substr(dot + 1), value))
            site.fail(text("there is no namespace '", map, "'; make it by set ", map, " = namespace()"));
    }

    /// A single name takes the value, several names take its elements.
    void assign(const TemplateStatement& statement, const Value& value) {
        if (statement.targets.size() == 1) {
            assign(statement, statement.targets.front(), value);
            return;
        }
        const TemplateSite site{source_, statement.position, work_};
        const Value::List parts = elements_of(site, value, text("of ", statement.targets.size(), " elements"));
        if (parts.size() != statement.targets.size())
            site.fail(text("expected ", statement.targets.size(), " elements for ", join(statement.targets), ", got ",
                           parts.size()));
        for (std::size_t i = 0; i < parts.size(); ++i) assign(statement, statement.targets[i], parts[i]);
    }

    void loop(const TemplateStatement& statement, Output& out) {
        const TemplateSite site{source_, statement.expression->position, work_};
        Value::List list = elements_of(site, evaluated(statement), "to go through");
        if (statement.condition) {
            names_.open();
            std::erase_if(list, [&](const Value& element) {
                assign(statement, element);
                return !at(*statement.condition, [&] { return evaluator_.evaluate(*statement.condition).truth(); });
            });
            names_.close();
        }
        if (list.empty()) {
            run(statement.otherwise, out);
            return;
        }
        rounds_ += static_cast<std::int64_t>(list.size());
        if (rounds_ > max_rounds) site.fail(text("the template's loops take more than ", max_rounds, " rounds"));
        const auto size = static_cast<std::int64_t>(list.size());
        names_.open_loop();
        for (std::int64_t i = 0; i < size; ++i) {
            // The depth of recursive loops, which are not supported.
            Value::Map about{
                {"index", i + 1},  {"index0", i},           {"revindex", size - i}, {"revindex0", size - i - 1},
                {"first", i == 0}, {"last", i == size - 1}, {"length", size},       {"depth", 1},
                {"depth0", 0}};
            const auto at = static_cast<std::size_t>(i);
            if (i > 0) about["previtem"] = list[at - 1];
            if (i + 1 < size) about["nextitem"] = list[at + 1];
            names_.open();
            names_.set("loop", Value(std::move(about)));
            assign(statement, list[at]);
            run(statement.body, out);
            names_.close();
        }
        names_.close_loop();
    }

    const TemplateText& source_;
    TemplateNames names_;
    TemplateWork work_;
    TemplateEvaluator evaluator_;
    std::int64_t rounds_ = 0;
};

/// Tracks a program's text to know whether a directive may begin here: not inside a comment, and not on a line that
/// continues the previous one.
class PositionForDirective {
   public:
    void pass(std::string_view line) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (in_comment_) {
                if (line.substr(i, 2) == "*/") {
                    in_comment_ = false;
                    ++i;
                }
            } else if (line[i] == '"' || line[i] == '\'') {
                const char quote = line[i];
                for (++i; i < line.size() && line[i] != quote; ++i)
                    if (line[i] == '\\') ++i;
            } else if (line.substr(i, 2) == "//") {
                break;
            } else if (line.substr(i, 2) == "/*") {
                in_comment_ = true;
                ++i;
            }
        }
        if (line.ends_with('\r')) line.remove_suffix(1);
        continues_ = line.ends_with('\\');
    }
    bool is_here() const { return !in_comment_ && !continues_; }

   private:
    bool in_comment_ = false, continues_ = false;
};

}  // namespace

std::string Rendered::source(const Dialect&) const {
    std::string quoted = name;
    std::replace(quoted.begin(), quoted.end(), '"', '\'');
    std::replace(quoted.begin(), quoted.end(), '\\', '/');
    std::replace(quoted.begin(), quoted.end(), '\n', ' ');
    std::string out;
    PositionForDirective position;
    int compiler_line = -1;
    std::size_t from = 0;
    for (const int line : lines) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        const std::string_view shown = std::string_view(text).substr(from, end - from);
        const bool is_blank = shown.find_first_not_of(" \t\r") == std::string_view::npos;
        if (line != compiler_line && (!is_blank || compiler_line < 0) && position.is_here()) {
            out += gemel::text("#line ", line, " \"", quoted, "\"\n");
            compiler_line = line;
        }
        position.pass(shown);
        out += shown;
        if (end < text.size()) out += '\n';
        from = std::min(end + 1, text.size());
        ++compiler_line;
    }
    return out;
}

struct Template::Parsed {
    TemplateText source;
    std::vector<TemplateStatement> statements;
    std::uint64_t max_steps;
};

Template::Template(std::string text, std::string name, TemplateOptions options) {
    TemplateText source{std::move(text), std::move(name)};
    std::vector<TemplateStatement> statements = parse_template(source, options);
    parsed_ = std::make_shared<const Parsed>(Parsed{std::move(source), std::move(statements), options.max_steps});
}

const std::string& Template::name() const { return parsed_->source.name; }

Rendered Template::render_with_lines(const Values& values) const {
    Output out;
    Renderer(parsed_->source, values, bound_, parsed_->max_steps).run(parsed_->statements, out);
    return {std::move(out.text()), std::move(out.lines()), name()};
}

std::string Template::render(const Values& values) const { return render_with_lines(values).text; }

Template Template::with(Values values) const {
    Template result = *this;
    for (auto& [name, value] : values) result.bound_[name] = std::move(value);
    return result;
}

std::string Template::source(const Dialect& dialect) const {
    Values values;
    if (!bound_.contains("dialect")) values["dialect"] = Value(dialect.name);
    return render_with_lines(values).source(dialect);
}

std::string render(std::string_view text, const Values& values) { return Template(std::string(text)).render(values); }

Rendered render_with_lines(std::string_view text, const Values& values, std::string name) {
    return Template(std::string(text), std::move(name)).render_with_lines(values);
}

}  // namespace gemel::codegen
