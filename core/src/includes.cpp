/// Reads kernel text as far as is needed to know which files it depends on.
#include "includes.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>

namespace gemel {

namespace fs = std::filesystem;

namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool continues_word(char c) { return starts_word(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

/// A line that ends in a backslash goes on in the next.
std::string with_lines_joined(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && text.substr(i + 1, 1) == "\n") {
            i += 1;
        } else if (text[i] == '\\' && text.substr(i + 1, 2) == "\r\n") {
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

/// What one text asks for: names of files, and anything that makes its meaning hang on more than files.
class Scanner {
   public:
    struct Name {
        std::string name;
        bool quoted;
    };

    explicit Scanner(std::string_view text) : text_(with_lines_joined(text)) { scan(); }

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
                conditional_ = false;
                ++next_;
            } else if (is_blank(c) || skip_comment()) {
                next_ += is_blank(c) ? 1 : 0;
            } else if (c == '#' && line_start) {
                ++next_;
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
            // The quotes in 1'000 begin no character.
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

    /// No literal goes past the end of its line, so that an apostrophe in prose does no harm.
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
        } else if (name == "__has_include" || name == "__has_include_next") {
            asked_for();
        } else if (at(next_) == '"' && (name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R")) {
            if (!skip_raw_literal()) {
                skip_literal('"');
            }
        }
    }

    /// A file whose presence is asked for counts as one that is included: should it appear or change, the key changes.
    void asked_for() {
        skip_blanks();
        if (at(next_) != '(') {
            return;
        }
        ++next_;
        skip_blanks();
        // In a #define the name may come from the macro's parameter; what it is used for cannot be known here.
        if (!file_name() && conditional_) {
            refuse("it has a computed __has_include");
        }
    }

    void directive() {
        skip_blanks();
        const std::string_view name = read_word();
        conditional_ = name == "if" || name == "elif";
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
    bool conditional_ = false;  ///< inside #if or #elif
    std::vector<Name> names_;
    std::string why_not_;
};

std::optional<std::string> read_file(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) {
        return std::nullopt;
    }
    std::ifstream in(path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    return in.bad() || !in.is_open() ? std::nullopt : std::optional<std::string>(std::move(content));
}

/// Follows names from text to text. A file is read once, however it is reached.
class Follower {
   public:
    explicit Follower(const std::vector<fs::path>& directories) : directories_(directories) {}

    void follow(std::string_view text, const fs::path& own_directory, const std::string& what) {
        const Scanner scanner(text);
        if (found_.cacheable && !scanner.why_not().empty()) {
            found_.cacheable = false;
            found_.why_not = what + ": " + scanner.why_not();
        }
        for (const Scanner::Name& name : scanner.names()) {
            if (!find(name, own_directory) &&
                std::find(found_.unresolved.begin(), found_.unresolved.end(), name.name) == found_.unresolved.end()) {
                found_.unresolved.push_back(name.name);
            }
        }
    }

    Includes take() { return std::move(found_); }

   private:
    bool find(const Scanner::Name& name, const fs::path& own_directory) {
        if (fs::path(name.name).is_absolute()) {
            return enter(name.name);
        }
        if (name.quoted && !own_directory.empty() && enter(own_directory / name.name)) {
            return true;
        }
        return std::any_of(directories_.begin(), directories_.end(),
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
        std::optional<std::string> text = read_file(canonical);
        if (!text) {
            return false;
        }
        seen_.insert(canonical);
        found_.files.push_back({path, *text});
        follow(*text, path.parent_path(), path.string());
        return true;
    }

    const std::vector<fs::path>& directories_;
    std::set<fs::path> seen_;
    Includes found_;
};

}  // namespace

Includes follow_includes(std::string_view text, const std::vector<fs::path>& directories,
                         const fs::path& directory_of_text) {
    Follower follower(directories);
    follower.follow(text, directory_of_text, "the program");
    return follower.take();
}

}  // namespace gemel
