#include "compile/diagnostics.hpp"

#include <gemel/core/text.hpp>
#include <gemel/core/tokens.hpp>

#include "compile/compiler_log.hpp"
#include "compile/program_files.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace gemel {
namespace {

constexpr std::size_t shown_complaints = 8;
constexpr int context_lines = 3;
constexpr std::size_t raw_log_lines = 40;
constexpr std::size_t widest_line = 160;

/// Compilers that were given no name use one of their own.
bool is_main_text(const Complaint& complaint, const CompileReport& report) {
    std::string_view file = complaint.file;
    if (file.starts_with('<') && file.ends_with('>')) {
        file = file.substr(1, file.size() - 2);
    }
    // Some characters cannot appear in the #line directive that gives the compiler the name.
    const std::string name = line_name(report.name);
    const std::string last_part = std::filesystem::path(file).filename().string();
    return file.empty() || file == name || file == report.kept_source || file == "kernel" ||
           file == "default_program" || file == "input.cl" || file == "program_source" ||
           (last_part.starts_with("tempfile_") && last_part.ends_with(".cl"));
}

/// A source line, truncated around the column if it is very long; `column` is adjusted.
std::string shown_line(std::string_view line, int& column) {
    if (line.size() <= widest_line) {
        return std::string(line);
    }
    const std::size_t mark = column > 0 ? std::min(static_cast<std::size_t>(column - 1), line.size()) : 0;
    const auto inside_character = [&](std::size_t i) {
        return i < line.size() && (static_cast<unsigned char>(line[i]) & 0xC0U) == 0x80U;
    };
    std::size_t from = mark > widest_line / 2 ? std::min(mark - widest_line / 2, line.size() - widest_line) : 0;
    while (inside_character(from)) {
        ++from;
    }
    std::size_t to = std::min(from + widest_line, line.size());
    while (to > from && inside_character(to)) {
        --to;
    }
    const std::string_view before = from > 0 ? "..." : "";
    column = column > 0 ? static_cast<int>(mark - from + before.size()) + 1 : 0;
    return text(before, line.substr(from, to - from), to < line.size() ? "..." : "");
}

/// Whitespace that places a mark under a byte of a line: tabs are kept, and a multibyte character has width one.
std::string blank_up_to(std::string_view line, int column) {
    std::string out;
    for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(column); ++i) {
        const char c = i < line.size() ? line[i] : ' ';
        if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
            out += c == '\t' ? '\t' : ' ';
        }
    }
    return out;
}

/// A line of the program, with the name and number by which a compiler refers to it.
struct NumberedLine {
    std::string_view file;
    int number = 0;
    std::string_view text;
};

/// The name and number that `#line 7 "name"` gives to the next line; an empty name if it gives none.
std::optional<NumberedLine> parse_line_directive(std::string_view line) {
    std::string_view rest = trimmed(line);
    if (!rest.starts_with("#line ")) {
        return std::nullopt;
    }
    rest = trimmed(rest.substr(6));
    NumberedLine next;
    const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), next.number);
    if (failure != std::errc()) {
        return std::nullopt;
    }
    rest = trimmed(rest.substr(static_cast<std::size_t>(end - rest.data())));
    if (rest.size() >= 2 && rest.front() == '"' && rest.back() == '"') {
        next.file = rest.substr(1, rest.size() - 2);
    }
    return next;
}

/// All lines except #line directives, by which lines of a template keep their numbers in generated text.
std::vector<NumberedLine> number_lines(std::string_view text, std::string_view name) {
    std::vector<NumberedLine> lines;
    NumberedLine next{name, 1, {}};
    for (const std::string_view line : lines_of(text)) {
        if (const std::optional<NumberedLine> directive = parse_line_directive(line)) {
            next.number = directive->number;
            next.file = directive->file.empty() ? next.file : directive->file;
            continue;
        }
        next.text = line;
        lines.push_back(next);
        ++next.number;
    }
    return lines;
}

/// The lines around `marked`, which may be after the last one, with a mark at the column.
std::string shown_lines(const std::vector<NumberedLine>& source, std::size_t marked, int marked_column) {
    const std::size_t first = marked - std::min(marked, std::size_t{context_lines});
    const std::size_t end = std::min(source.size(), marked + context_lines + 1);
    std::size_t digits = 0;
    for (std::size_t i = first; i < end; ++i) {
        digits = std::max(digits, std::to_string(source[i].number).size());
    }
    std::string out;
    for (std::size_t i = first; i < end; ++i) {
        const std::string label = std::to_string(source[i].number);
        int column = i == marked ? marked_column : 0;
        const std::string line = shown_line(source[i].text, column);
        out += text(i == marked ? "  > " : "    ", std::string(digits - label.size(), ' '), label, " | ", line, "\n");
        if (column > 0) {
            out += text("    ", std::string(digits, ' '), " | ", blank_up_to(line, column), "^\n");
        }
    }
    return out;
}

/// Is a word that the message quotes at this column?
bool is_about(std::string_view line, const Complaint& complaint) {
    if (complaint.column < 1 || line.size() < static_cast<std::size_t>(complaint.column)) {
        return false;
    }
    const std::string_view there = line.substr(static_cast<std::size_t>(complaint.column - 1));
    const std::string_view message = complaint.message;
    for (std::size_t open = message.find_first_of("'\""); open != std::string_view::npos;) {
        const std::size_t close = message.find(message[open], open + 1);
        if (close == std::string_view::npos) {
            return false;
        }
        if (close > open + 1 && there.starts_with(message.substr(open + 1, close - open - 1))) {
            return true;
        }
        open = message.find_first_of("'\"", close + 1);
    }
    return false;
}

/// The index of a diagnostic's line; one past the last if the compiler's number is too large, further if it is in
/// another file. Lines printed by a template's loop, or by a value of several lines, have equal numbers: takes the one
/// that the compiler shows, else the first whose column matches the message, else the first that has the column.
std::size_t find_line(const std::vector<NumberedLine>& source, std::string_view file, const Complaint& complaint) {
    std::optional<std::size_t> found;
    int fits = -1;
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i].file != file || source[i].number != complaint.line) {
            continue;
        }
        const std::string_view shown = trimmed(source[i].text);
        const bool has_column = !shown.empty() && source[i].text.size() >= static_cast<std::size_t>(complaint.column);
        const int fit = !has_column                                              ? 0
                        : !complaint.quoted.empty() && shown == complaint.quoted ? 3
                        : is_about(source[i].text, complaint)                    ? 2
                                                                                 : 1;
        if (fit > fits) {
            found = i;
            fits = fit;
        }
    }
    if (found) {
        return *found;
    }
    const int number = complaint.line;
    const bool ends_with_it = !source.empty() && source.back().file == file && number > source.back().number;
    return source.size() - 1 +
           (ends_with_it ? static_cast<std::size_t>(number - source.back().number) : std::size_t{context_lines} + 1);
}

std::string show(const Complaint& complaint, const CompileReport& report, const std::vector<NumberedLine>& source) {
    if (complaint.file == "<command line>") {
        return text("\nthe compiler options: ", complaint.message, "\n");
    }
    const std::string file = is_main_text(complaint, report) ? report.name : complaint.file;
    std::string where = file;
    std::size_t marked = source.size();
    if (complaint.line > 0) {
        where += text(":", complaint.line);
        where += complaint.column > 0 ? text(":", complaint.column) : "";
        marked = find_line(source, file, complaint);
    } else {
        where += ", at its end";
        marked = file == report.name && !source.empty() ? source.size() - 1 : source.size() + context_lines;
    }
    return text("\n", where, ": ", complaint.is_error ? "" : "warning: ", complaint.message, "\n",
                shown_lines(source, marked, complaint.column));
}

std::string raw(std::string_view log) {
    const std::vector<std::string_view> lines = lines_of(log);
    if (trimmed(log).empty()) {
        return "\nThe compiler said nothing.\n";
    }
    std::string out = "\nThe compiler said:\n";
    for (std::size_t i = 0; i < std::min(lines.size(), raw_log_lines); ++i) {
        int no_column = 0;
        out += text("    ", shown_line(lines[i], no_column), "\n");
    }
    if (lines.size() > raw_log_lines) {
        out += text("    and ", lines.size() - raw_log_lines, " more lines\n");
    }
    return out;
}

std::string plural(std::size_t count, std::string_view thing) { return text(count, " ", thing, count == 1 ? "" : "s"); }

}  // namespace

std::string render(const CompileReport& report) {
    std::vector<Complaint> complaints = parse_compiler_log(report.log);
    std::stable_partition(complaints.begin(), complaints.end(), [](const Complaint& c) { return c.is_error; });
    const auto errors = static_cast<std::size_t>(
        std::count_if(complaints.begin(), complaints.end(), [](const Complaint& c) { return c.is_error; }));

    std::string out = text("'", report.name, "' did not compile for ", report.device);
    if (errors == 0) {
        // Warnings do not explain the failure; messages of linkers and assemblers have another form.
        out += text("\n", raw(report.log));
    } else {
        const std::size_t warnings = complaints.size() - errors;
        out +=
            text(": ", plural(errors, "error"), warnings > 0 ? text(" and ", plural(warnings, "warning")) : "", "\n");
        const std::vector<NumberedLine> source = number_lines(report.text, report.name);
        for (std::size_t i = 0; i < std::min(complaints.size(), shown_complaints); ++i) {
            out += show(complaints[i], report, source);
        }
        if (complaints.size() > shown_complaints) {
            out += text("\nand ", complaints.size() - shown_complaints, " more\n");
        }
    }
    if (!report.options.empty()) {
        out += text("\noptions: ", report.options, "\n");
    }
    if (!report.kept_source.empty()) {
        out += text(report.options.empty() ? "\n" : "", "the whole source is in ", report.kept_source, "\n");
    }
    return out;
}

std::string note_of_double(const std::string& name, const std::string& device, std::string_view program) {
    const auto tokens = tokenize(program);
    const bool uses_double = std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
        return token.is_word() && (token.text.starts_with("double") || token.text.starts_with("cdouble"));
    });
    if (!uses_double) return {};
    return text(
        "\n'", name, "' computes in double, which ", device,
        " does not have: use float (in arrays, astype<float>()), or a device that has it (`gemel info` says)\n");
}

}  // namespace gemel
