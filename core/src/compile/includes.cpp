/// Finds the files on which kernel text depends.
#include "compile/includes.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <system_error>

#include "base/text_file.hpp"
#include "compile/program_files.hpp"

namespace gemel {

namespace fs = std::filesystem;

namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool continues_word(char c) { return starts_word(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

/// The length of a line continuation after a backslash; 0 if there is none. Some compilers allow blanks before the end
/// of the line.
std::size_t line_end_after(std::string_view text, std::size_t backslash, bool over_blanks) {
    std::size_t end = backslash + 1;
    while (over_blanks && end < text.size() && is_blank(text[end])) {
        ++end;
    }
    if (text.substr(end, 2) == "\r\n") {
        return end + 2 - backslash - 1;
    }
    return text.substr(end, 1) == "\n" ? end + 1 - backslash - 1 : 0;
}

/// A line that ends in a backslash goes on in the next.
std::string with_lines_joined(std::string_view text, bool over_blanks) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t end = text[i] == '\\' ? line_end_after(text, i, over_blanks) : 0;
        if (end > 0) {
            i += end;
        } else {
            out += text[i];
        }
    }
    return out;
}

bool has_blank_behind_backslash(std::string_view text) {
    for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at + 1)) {
        if (at + 1 < text.size() && is_blank(text[at + 1])) {
            return true;
        }
    }
    return false;
}

bool has_lone_return(std::string_view text) {
    for (std::size_t at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1)) {
        if (text.substr(at + 1, 1) != "\n") {
            return true;
        }
    }
    return false;
}

/// Why compilers may read a text differently, or why it may depend on files without an #include.
std::string unclear(std::string_view text) {
    if (text.find("?\?=") != std::string_view::npos || text.find("?\?/") != std::string_view::npos) {
        return "it has trigraphs";
    }
    if (text.find('#') != std::string_view::npos && has_lone_return(text)) {
        return "it has lines that end in a single carriage return";
    }
    for (const std::string_view word : {".incbin", ".include"}) {  // assembler directives
        if (text.find(word) != std::string_view::npos) {
            return gemel::text("it uses ", word);
        }
    }
    return {};
}

/// The files that a text names, and any other dependencies.
class Scanner {
   public:
    struct Name {
        std::string name;
        bool quoted;
    };

    /// @param over_blanks  whether a backslash followed by blanks joins lines, too
    Scanner(std::string_view text, bool over_blanks) : text_(with_lines_joined(text, over_blanks)) { scan(); }

    const std::vector<Name>& names() const { return names_; }
    const std::string& why_not() const { return why_not_; }

   private:
    char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

    void scan() {
        bool line_start = true;
        while (next_ < text_.size()) {
            const char c = text_[next_];
            if (c == '\n') {
                line_start = true;
                in_define_ = false;
                ++next_;
            } else if (is_blank(c) || skip_comment()) {
                next_ += is_blank(c) ? 1 : 0;
            } else if (line_start && (c == '#' || (c == '%' && at(next_ + 1) == ':'))) {
                next_ += c == '#' ? 1 : 2;
                directive();
                line_start = false;
            } else {
                line_start = false;
                token(c);
            }
        }
    }

    void token(char c) {
        if (starts_word(c)) {
            word();
        } else if (is_digit(c)) {
            // The apostrophes in 1'000 do not begin a character literal.
            while (continues_word(at(next_)) || at(next_) == '.' ||
                   (at(next_) == '\'' && continues_word(at(next_ + 1)))) {
                ++next_;
            }
        } else if (c == '"' || c == '\'') {
            skip_literal(c);
        } else {
            ++next_;
        }
    }

    bool skip_comment() {
        if (at(next_) != '/') {
            return false;
        }
        if (at(next_ + 1) == '/') {
            next_ = std::min(text_.find('\n', next_), text_.size());
            return true;
        }
        if (at(next_ + 1) == '*') {
            const std::size_t end = text_.find("*/", next_ + 2);
            next_ = end == std::string::npos ? text_.size() : end + 2;
            return true;
        }
        return false;
    }

    void skip_blanks() {
        while (next_ < text_.size() && (is_blank(text_[next_]) || skip_comment())) {
            next_ += is_blank(at(next_)) ? 1 : 0;
        }
    }

    /// Literals end with their line at the latest, so that an apostrophe in prose does no harm.
    void skip_literal(char quote) {
        for (++next_; next_ < text_.size() && text_[next_] != '\n'; ++next_) {
            if (text_[next_] == quote) {
                ++next_;
                return;
            }
            next_ += text_[next_] == '\\' ? 1 : 0;
        }
    }

    /// R"mark( ... )mark", from the quote on.
    bool skip_raw_literal() {
        const std::size_t open = text_.find_first_of("( )\\\"\n", next_ + 1);
        if (open == std::string::npos || text_[open] != '(') {
            return false;
        }
        const std::string close = ")" + text_.substr(next_ + 1, open - next_ - 1) + "\"";
        const std::size_t end = text_.find(close, open);
        if (end == std::string::npos) {
            return false;
        }
        // In C, the name before the quote may be a macro; then the text after it may contain a directive.
        if (text_.substr(open, end - open).find_first_of("#%") != std::string::npos) {
            refuse("it has a raw literal with a # or % in it");
        }
        next_ = end + close.size();
        return true;
    }

    std::string_view read_word() {
        const std::size_t from = next_;
        while (continues_word(at(next_))) {
            ++next_;
        }
        return std::string_view(text_).substr(from, next_ - from);
    }

    void word() {
        const std::string_view name = read_word();
        if (name == "__DATE__" || name == "__TIME__" || name == "__TIMESTAMP__") {
            refuse(text("it uses ", name));
        } else if (name == "__has_include") {
            asked_for();
        } else if (name == "__has_include_next" || name == "__has_embed") {
            refuse(text("it uses ", name));
        } else if (at(next_) == '"' && (name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R")) {
            if (!skip_raw_literal()) {
                skip_literal('"');
            }
        }
    }

    /// A file tested by __has_include counts as included: the key changes if it appears or changes.
    void asked_for() {
        skip_blanks();
        const bool asked = at(next_) == '(';
        if (asked) {
            ++next_;
            skip_blanks();
        }
        // "defined(__has_include)" tests for no file; a macro with this text may.
        if (asked ? !file_name() : in_define_) {
            refuse("it has a computed __has_include");
        }
    }

    void directive() {
        skip_blanks();
        const std::string_view name = read_word();
        in_define_ = name == "define";
        if (name == "include") {
            skip_blanks();
            if (!file_name()) {
                refuse("it has a computed #include");
            }
        } else if (name == "include_next" || name == "import" || name == "embed") {
            refuse(text("it uses #", name));
        }
    }

    bool file_name() {
        const char open = at(next_);
        if (open != '"' && open != '<') {
            return false;
        }
        const char close = open == '"' ? '"' : '>';
        const std::size_t end = text_.find_first_of(std::string{close, '\n'}, next_ + 1);
        if (end == std::string::npos || text_[end] == '\n') {
            return false;
        }
        names_.push_back({text_.substr(next_ + 1, end - next_ - 1), open == '"'});
        next_ = end + 1;
        return true;
    }

    void refuse(std::string why) {
        if (why_not_.empty()) {
            why_not_ = std::move(why);
        }
    }

    std::string text_;
    std::size_t next_ = 0;
    bool in_define_ = false;
    std::vector<Name> names_;
    std::string why_not_;
};

/// Path, size and time of a file, which identify files that are not edited.
std::optional<std::string> stamp_of(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return std::nullopt;
    }
    return text(path.string(), " ", status.st_size, " ", status.st_mtim.tv_sec, ".", status.st_mtim.tv_nsec);
}

/// Follows names from file to file. Each file is read once.
class Follower {
   public:
    explicit Follower(const IncludeFolders& folders) : folders_(folders) {}

    void follow(std::string_view text, const fs::path& own_directory, const std::string& what) {
        refuse(what, unclear(text));
        text = without_mark(text);
        const Scanner scanner(text, false);
        follow(scanner, own_directory, what);
        // If lines end in a backslash and blanks, compilers read them in two ways.
        if (has_blank_behind_backslash(text)) {
            follow(Scanner(text, true), own_directory, what);
        }
    }

    Includes take() { return std::move(found_); }

   private:
    void follow(const Scanner& scanner, const fs::path& own_directory, const std::string& what) {
        refuse(what, scanner.why_not());
        for (const Scanner::Name& name : scanner.names()) {
            bool found = find(name, own_directory);
            for (const fs::path& folder : folders_.perhaps) {
                found |= enter(folder / name.name);
            }
            if (!found) {
                miss(name.name);
            }
        }
    }

    void refuse(const std::string& what, const std::string& why_not) {
        if (found_.cacheable && !why_not.empty()) {
            found_.cacheable = false;
            found_.why_not = what + ": " + why_not;
        }
    }

    void miss(const std::string& name) {
        if (std::find(found_.unresolved.begin(), found_.unresolved.end(), name) != found_.unresolved.end()) {
            return;
        }
        found_.unresolved.push_back(name);
        for (const fs::path& folder : folders_.of_compiler) {
            if (auto stamp = stamp_of(folder / name)) {
                found_.stamps.push_back(std::move(*stamp));
                return;
            }
        }
    }

    bool find(const Scanner::Name& name, const fs::path& own_directory) {
        if (fs::path(name.name).is_absolute()) {
            return enter(name.name);
        }
        if (name.quoted && !own_directory.empty() && enter(own_directory / name.name)) {
            return true;
        }
        return std::any_of(folders_.named.begin(), folders_.named.end(),
                           [&](const fs::path& directory) { return enter(directory / name.name); });
    }

    /// False if there is no such file.
    bool enter(const fs::path& path) {
        std::error_code failure;
        const fs::path canonical = fs::canonical(path, failure);
        if (failure) {
            return false;
        }
        if (seen_.contains(canonical)) {
            return true;
        }
        std::optional<std::string> content = read_text_file(canonical);
        if (!content) {
            return false;
        }
        if (depth_ == deepest_include) {
            throw Error(text("compile: files include each other more than ", deepest_include,
                             " levels deep, the last is ", path.string(), "; remove the circular include"));
        }
        seen_.insert(canonical);
        found_.files.push_back({path, *content});
        ++depth_;
        follow(*content, path.parent_path(), path.string());
        --depth_;
        return true;
    }

    const IncludeFolders& folders_;
    std::set<fs::path> seen_;
    int depth_ = 0;
    Includes found_;
};

}  // namespace

Includes follow_includes(std::string_view text, const IncludeFolders& folders) {
    Follower follower(folders);
    follower.follow(text, folders.of_text, "the program");
    return follower.take();
}

}  // namespace gemel
