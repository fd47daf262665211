#include "compile/compiler_log.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <optional>
#include <sstream>

namespace gemel {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string_view trimmed(std::string_view line) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t from = line.find_first_not_of(blanks);
    return from == std::string_view::npos ? std::string_view()
                                          : line.substr(from, line.find_last_not_of(blanks) - from + 1);
}

namespace {

/// Parses a number at the end of `text` and removes it.
std::optional<int> take_number_from_end(std::string_view& text) {
    const std::size_t last_other = text.find_last_not_of("0123456789");
    const std::size_t from = last_other == std::string_view::npos ? 0 : last_other + 1;
    int number = 0;
    const auto [end, failure] = std::from_chars(text.data() + from, text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    text = text.substr(0, from);
    return number;
}

bool take_from_end(std::string_view& text, char c) {
    if (!text.ends_with(c)) {
        return false;
    }
    text.remove_suffix(1);
    return true;
}

struct Position {
    std::string file;
    int line = 0;
    int column = 0;
};

/// "kernel(3)", "kernel:3:5" or "kernel:3"; PoCL appends where a macro is defined: "kernel:3:5 <Spelling=kernel:1:9>".
std::optional<Position> parse_position(std::string_view text) {
    if (text.ends_with('>')) text = text.substr(0, text.find(" <Spelling="));
    std::string_view rest = text;
    if (take_from_end(rest, ')')) {
        const std::optional<int> line = take_number_from_end(rest);
        if (line && take_from_end(rest, '(') && !rest.empty()) {
            return Position{std::string(rest), *line, 0};
        }
        return std::nullopt;
    }
    const std::optional<int> last = take_number_from_end(rest);
    if (!last || !take_from_end(rest, ':') || rest.empty()) {
        return std::nullopt;
    }
    std::string_view shorter = rest;
    const std::optional<int> line = take_number_from_end(shorter);
    if (!line || !take_from_end(shorter, ':')) {
        return Position{std::string(rest), *last, 0};
    }
    return shorter.empty() ? std::nullopt : std::optional<Position>({std::string(shorter), *line, *last});
}

enum class Severity { error, warning, note };

struct SeverityWord {
    std::string_view word;
    Severity severity;
};
/// Longer words first, since "error" is also the end of others.
constexpr std::array severity_words{
    SeverityWord{"catastrophic error", Severity::error},
    SeverityWord{"internal error", Severity::error},
    SeverityWord{"fatal error", Severity::error},
    SeverityWord{"error", Severity::error},
    SeverityWord{"warning", Severity::warning},
    SeverityWord{"remark", Severity::warning},
    SeverityWord{"note", Severity::note},
};

/// Removes a severity from the front of `text`, with NVRTC's number as in "warning #177-D", and the following ": ".
std::optional<Severity> take_severity(std::string_view& text) {
    for (const auto& [word, severity] : severity_words) {
        if (!text.starts_with(word)) {
            continue;
        }
        std::string_view rest = text.substr(word.size());
        if (rest.starts_with(" #")) {
            rest.remove_prefix(std::min(rest.find(':'), rest.size()));
        }
        if (rest.starts_with(": ")) {
            text = rest.substr(2);
            return severity;
        }
    }
    return std::nullopt;
}

struct Headline {
    Position position;
    Severity severity = Severity::error;
    std::string message;
};

/// NVRTC and clang: "kernel(3): error: text", "kernel:3:5: error: text"; NVRTC without a line: "At end of source:
/// error:".
std::optional<Headline> parse_position_first(std::string_view line) {
    for (std::size_t colon = line.find(": "); colon != std::string_view::npos; colon = line.find(": ", colon + 1)) {
        std::string_view rest = line.substr(colon + 2);
        const std::optional<Severity> severity = take_severity(rest);
        if (!severity) {
            continue;
        }
        const std::string_view where = line.substr(0, colon);
        if (where == "At end of source") {
            return Headline{{}, *severity, std::string(rest)};
        }
        if (const std::optional<Position> position = parse_position(where)) {
            return Headline{*position, *severity, std::string(rest)};
        }
        return std::nullopt;
    }
    return std::nullopt;
}

/// PoCL 3: "error: kernel:3:5: text".
std::optional<Headline> parse_severity_first(std::string_view line) {
    std::string_view rest = line;
    const std::optional<Severity> severity = take_severity(rest);
    if (!severity) {
        return std::nullopt;
    }
    for (std::size_t colon = rest.find(": "); colon != std::string_view::npos; colon = rest.find(": ", colon + 1)) {
        if (const std::optional<Position> position = parse_position(rest.substr(0, colon))) {
            return Headline{*position, *severity, std::string(rest.substr(colon + 2))};
        }
    }
    return std::nullopt;
}

std::optional<Headline> parse_headline(std::string_view line) {
    std::optional<Headline> found = parse_position_first(line);
    return found ? found : parse_severity_first(line);
}

bool is_caret_line(std::string_view line) {
    const std::string_view mark = trimmed(line);
    return mark.find('^') != std::string_view::npos && mark.find_first_not_of("^~ \t") == std::string_view::npos;
}

/// What NVRTC prints below a headline: more of the message, then the source line (indented by two) and a caret.
void read_below(const std::vector<std::string_view>& lines, std::size_t headline, Complaint& complaint) {
    std::size_t end = headline + 1;
    while (end < lines.size() && !trimmed(lines[end]).empty() && !is_caret_line(lines[end]) &&
           !parse_headline(lines[end])) {
        ++end;
    }
    if (end == lines.size() || !is_caret_line(lines[end]) || end < headline + 2) {
        return;
    }
    complaint.quoted = trimmed(lines[end - 1]);
    if (complaint.column == 0 && lines[end].find('^') >= 2) {
        complaint.column = static_cast<int>(lines[end].find('^')) - 1;
    }
    for (std::size_t i = headline + 1; i + 1 < end; ++i) {
        complaint.message += text(" ", trimmed(lines[i]));
    }
}

}  // namespace

std::vector<Complaint> parse_compiler_log(std::string_view log) {
    const std::vector<std::string_view> lines = lines_of(log);
    std::vector<Complaint> complaints;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::optional<Headline> found = parse_headline(lines[i]);
        if (!found || found->severity == Severity::note) {
            continue;
        }
        complaints.push_back({found->position.file, found->position.line, found->position.column, found->message,
                              found->severity == Severity::error});
        read_below(lines, i, complaints.back());
    }
    return complaints;
}

std::string renumber_log(std::string_view log, std::string_view whole_text) {
    // The line number that each line of the text has after #line directives.
    struct Origin {
        std::string name;
        long line;
    };
    std::vector<Origin> origins;
    Origin next{"", 1};
    std::istringstream text_lines{std::string(whole_text)};
    for (std::string line; std::getline(text_lines, line);) {
        origins.push_back(next);
        ++next.line;
        long number = 0;
        int end = 0;
        if (std::sscanf(line.c_str(), " # line %ld%n", &number, &end) != 1) continue;
        next.line = number;
        const auto open = line.find('"', static_cast<std::size_t>(end)), close = line.rfind('"');
        if (open != std::string::npos && close > open) next.name = line.substr(open + 1, close - open - 1);
    }
    std::string result;
    std::istringstream log_lines{std::string(log)};
    for (std::string line; std::getline(log_lines, line); result += line + "\n") {
        // "name:53:12: ...": the number after the first colon that has one on either side.
        const auto colon = line.find(':');
        std::size_t digits = colon == std::string::npos ? line.size() : colon + 1;
        const std::size_t from = digits;
        while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits]))) ++digits;
        if (digits == from || digits >= line.size() || line[digits] != ':' || digits - from > 9) continue;
        const auto number = static_cast<std::size_t>(std::stoul(line.substr(from, digits - from)));
        if (number == 0 || number > origins.size() || origins[number - 1].name.empty()) continue;
        const Origin& origin = origins[number - 1];
        line = text(origin.name, ":", origin.line, line.substr(digits));
    }
    return result;
}

}  // namespace gemel
