/// `gemel translate FILE --to cuda,opencl`: converts a portable program to a complete program in either language, which
/// compiles without gemel.
#include "commands.hpp"

#include <gemel/core/dialect.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>
#include <gemel/core/tokens.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <vector>

namespace gemel::tools {
namespace {

namespace fs = std::filesystem;

/// More than any program has; a file that never ends is rejected at this size.
constexpr std::size_t max_bytes = std::size_t{64} << 20;

/// Empty unless it is a regular file: devices and pipes may never end.
std::optional<std::string> contents(const fs::path& file) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return std::nullopt;
    std::ifstream in(file, std::ios::binary);
    if (!in) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string standard_input() {
    std::string all;
    char buffer[65536];
    while (std::cin.read(buffer, sizeof buffer), std::cin.gcount() > 0) {
        all.append(buffer, static_cast<std::size_t>(std::cin.gcount()));
        if (all.size() > max_bytes)
            throw Error(gemel::text("standard input has more than ", max_bytes, " bytes; give a program"));
    }
    return all;
}

/// A directive's words: "include", ...; empty for other tokens.
std::vector<Token> parts_of(const Token& token) {
    if (token.kind != Token::Kind::directive) return {};
    return tokenize(token.text.substr(1));
}

bool is_directive(const Token& token, std::string_view first, std::string_view second = {}) {
    const std::vector<Token> parts = parts_of(token);
    return !parts.empty() && parts[0].is(first) && (second.empty() || (parts.size() > 1 && parts[1].is(second)));
}

/// Whether a file is included only once: by #pragma once, or by an include guard around the whole file.
bool is_once(const std::vector<Token>& tokens) {
    for (const Token& token : tokens)
        if (is_directive(token, "pragma", "once")) return true;
    if (tokens.size() < 3 || !is_directive(tokens.back(), "endif")) return false;
    const std::vector<Token> opening = parts_of(tokens[0]), defined = parts_of(tokens[1]);
    if (opening.empty() || defined.size() < 2 || !defined[0].is("define")) return false;
    const bool is_guard =
        (opening.size() == 2 && opening[0].is("ifndef") && opening[1].is(defined[1].text)) ||
        (opening.size() > 3 && opening[0].is("if") && opening[1].is("!") && opening[2].is("defined") &&
         (opening[3].is(defined[1].text) || (opening.size() > 4 && opening[4].is(defined[1].text))));
    int depth = 0;
    for (std::size_t k = 0; is_guard && k + 1 < tokens.size(); ++k) {
        const std::vector<Token> parts = parts_of(tokens[k]);
        if (parts.empty()) continue;
        depth += parts[0].is("if") || parts[0].is("ifdef") || parts[0].is("ifndef");
        depth -= parts[0].is("endif");
        if (depth == 0) return false;  // the guard ends before the file does
    }
    return is_guard;
}

/// Replaces each #include "name" by the file, if it is in the folder of the including file or in one of the given
/// folders. Other includes remain for the compiler.
class Inliner {
   public:
    explicit Inliner(const std::vector<std::string>& folders) : folders_(folders) {}

    /// @param name  of the file, for messages
    std::string run(const std::string& text, const std::string& name, const fs::path& folder, int depth = 0) {
        if (depth > deepest)
            throw Error(gemel::text(name, ": #include goes more than ", deepest,
                                    " files deep; put '#pragma once' into files that include each other"));
        std::string result;
        std::size_t copied = 0;
        for (const Token& token : tokenize(text)) {
            const bool is_pragma = depth > 0 && is_directive(token, "pragma", "once");
            const std::optional<fs::path> file = is_pragma ? std::nullopt : included(token, folder);
            if (!is_pragma && !file) continue;
            result.append(text, copied, token.position - copied);
            copied = token.position + token.text.size();
            if (is_pragma) {
                copied += copied < text.size();  // the end of the line
                continue;
            }
            const std::string inner = contents(*file).value_or("");
            const bool is_new = seen_.insert(fs::weakly_canonical(*file)).second;
            if (is_new || !is_once(tokenize(inner))) {
                result += run(inner, file->string(), file->parent_path(), depth + 1);
                if (result.ends_with('\n')) copied += copied < text.size();
            }
        }
        return result.append(text, copied);
    }

   private:
    static constexpr int deepest = 64;

    std::optional<fs::path> included(const Token& token, const fs::path& folder) const {
        const std::vector<Token> parts = parts_of(token);
        if (parts.size() < 2 || !parts[0].is("include") || parts[1].kind != Token::Kind::literal) return std::nullopt;
        const std::string_view quoted = parts[1].text;
        if (quoted.size() < 3 || quoted.front() != '"' || quoted.back() != '"') return std::nullopt;
        const std::string name(quoted.substr(1, quoted.size() - 2));
        std::vector<fs::path> places{folder / name};
        for (const std::string& other : folders_) places.push_back(fs::path(other) / name);
        for (const fs::path& place : places)
            if (contents(place)) return place;
        return std::nullopt;
    }

    const std::vector<std::string>& folders_;
    std::set<fs::path> seen_;
};

/// A piece of a prelude: a line, or all from an #if to its #endif.
struct Piece {
    std::string_view text;
    std::vector<std::string_view> defines = {};  ///< words; none if the piece is always kept
};

/// The words that a line defines, if it does nothing else.
std::vector<std::string_view> defined_by(std::string_view line) {
    const std::vector<Token> tokens = tokenize(line);
    if (tokens.empty()) return {};
    std::vector<std::string_view> words;
    if (is_directive(tokens[0], "define")) {
        words.push_back(parts_of(tokens[0])[1].text);
    } else if ((tokens[0].is("typedef") || tokens[0].is("struct")) && tokens.back().is(";")) {
        for (std::size_t k = 0; k + 1 < tokens.size(); ++k)
            if (tokens[k].is_word() && (tokens[k + 1].is(",") || tokens[k + 1].is(";")))
                words.push_back(tokens[k].text);
        if (tokens[0].is("struct")) words = {tokens[1].text};
    }
    return words;
}

std::vector<Piece> pieces_of(std::string_view all) {
    std::vector<Piece> pieces;
    int conditions = 0;
    bool only_defines = true;  // in the piece so far
    for (std::size_t from = 0; from < all.size();) {
        std::size_t end = all.find('\n', from);
        while (end != std::string_view::npos && end > 0 && all[end - 1] == '\\') end = all.find('\n', end + 1);
        const std::string_view line = all.substr(from, end == std::string_view::npos ? end : end + 1 - from);
        const std::vector<Token> tokens = tokenize(line);
        const bool is_inside = conditions > 0;
        if (!tokens.empty()) {
            const bool begins =
                is_directive(tokens[0], "if") || is_directive(tokens[0], "ifdef") || is_directive(tokens[0], "ifndef");
            conditions += begins - is_directive(tokens[0], "endif");
        }
        if (!is_inside) pieces.push_back({}), only_defines = true;
        Piece& piece = pieces.back();
        piece.text = all.substr(is_inside ? static_cast<std::size_t>(piece.text.data() - all.data()) : from,
                                is_inside ? piece.text.size() + line.size() : line.size());
        const std::vector<std::string_view> words = defined_by(line);
        const bool is_pragma = !tokens.empty() && is_directive(tokens[0], "pragma");
        if (words.empty() && (is_pragma || (!tokens.empty() && tokens[0].kind != Token::Kind::directive)))
            only_defines = false;
        piece.defines.insert(piece.defines.end(), words.begin(), words.end());
        if (!only_defines) piece.defines.clear();
        from += line.size();
    }
    return pieces;
}

/// The prelude of a dialect without unused macros and types: those that neither the program nor the remaining prelude
/// uses.
std::string used_prelude(const Dialect& dialect, const std::string& program) {
    const std::string all = prelude(dialect, program);
    std::set<std::string, std::less<>> used;
    bool is_known = program.find("##") == std::string::npos;  // pasted words cannot be found
    const auto use = [&](std::string_view text) {
        for (const Token& token : tokenize(text)) {
            if (token.is_word()) used.emplace(token.text);
            const std::vector<Token> parts = parts_of(token);
            for (const Token& part : parts)
                if (part.is_word()) used.emplace(part.text);
            // The words of files that were not found are unknown; but compilers' headers use no words of gemel.
            if (parts.size() > 1 && parts[0].is("include") && parts[1].kind == Token::Kind::literal) is_known = false;
        }
    };
    use(program);
    if (!is_known) return all;
    std::vector<Piece> pieces = pieces_of(all);
    // From the last piece to the first: a word is used by later pieces.
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
        const bool is_used =
            piece->defines.empty() || std::any_of(piece->defines.begin(), piece->defines.end(),
                                                  [&](std::string_view word) { return used.contains(word); });
        is_used ? use(piece->text) : void(piece->text = {});
    }
    std::string kept;
    for (const Piece& piece : pieces) kept += piece.text;
    return kept;
}

void write(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out)
        throw Error(gemel::text("cannot write ", file.string(), ": ", std::strerror(errno),
                                "; --output names a folder that may be written"));
}

}  // namespace

int translate(const std::string& file, const std::vector<std::string>& dialects, const std::string& output_folder,
              const std::vector<std::string>& include_folders) {
    std::vector<const Dialect*> targets;
    for (const std::string& name : dialects) {
        const Dialect* const dialect = &Dialect::find(name);
        if (std::find(targets.begin(), targets.end(), dialect) == targets.end()) targets.push_back(dialect);
    }

    const bool from_input = file == "-";
    std::optional<std::string> text;
    if (from_input)
        text = standard_input();
    else
        text = contents(file);
    if (!text)
        throw Error(
            gemel::text("cannot read ", file,
                        ": give a file (no device and no pipe) with portable kernels, or - for standard input"));
    std::string program = Inliner(include_folders).run(*text, file, from_input ? "." : fs::path(file).parent_path());
    if (!program.ends_with('\n')) program += '\n';

    for (const Dialect* dialect : targets) {
        const std::string complete = used_prelude(*dialect, program) + "\n" + program;
        if (output_folder.empty()) {
            if (targets.size() > 1) std::cout << "// ---- " << dialect->name << " ----\n";
            std::cout << complete;
            continue;
        }
        std::error_code ignored;
        fs::create_directories(output_folder, ignored);
        const std::string stem = from_input ? "kernel" : fs::path(file).stem().string();
        const fs::path target = fs::path(output_folder) / (stem + dialect->file_extension);
        if (fs::equivalent(target, file, ignored))
            throw Error(gemel::text(target.string(), " is the file that is read: --output must name another folder"));
        write(target, complete);
    }
    return 0;
}

}  // namespace gemel::tools
