/// The tokenizer.
#include <gemel/core/tokens.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace gemel {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool is_word_part(char c) { return is_word_start(c) || is_digit(c); }

class Tokenizer {
   public:
    Tokenizer(std::string_view text, bool line_comments) : text_(text), line_comments_(line_comments) {}

    std::vector<Token> run() {
        bool line_start = true;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                line_start = true;
                ++at_;
            } else if (const std::size_t splice = splice_length(at_)) {
                at_ += splice;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
                ++at_;
            } else if (line_comments_ && starts_with("//")) {
                skip_line_comment();
            } else if (starts_with("/*")) {
                skip_block_comment();
            } else if (c == '#' && line_start) {
                directive();
            } else {
                line_start = false;
                token(c);
            }
        }
        return std::move(tokens_);
    }

   private:
    bool starts_with(std::string_view what) const { return text_.substr(at_).starts_with(what); }

    /// The bytes of a backslash and the line end after it, or 0.
    std::size_t splice_length(std::size_t at) const {
        if (text_[at] != '\\') return 0;
        if (text_.substr(at + 1, 1) == "\n") return 2;
        return text_.substr(at + 1, 2) == "\r\n" ? 3 : 0;
    }

    void skip_line_comment() {
        while (at_ < text_.size() && text_[at_] != '\n') at_ += std::max<std::size_t>(splice_length(at_), 1);
    }

    void skip_block_comment() {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
    }

    /// A string or character literal, which ends with its line at the latest.
    void skip_literal() {
        const char quote = text_[at_++];
        while (at_ < text_.size() && text_[at_] != '\n') {
            if (const std::size_t splice = splice_length(at_)) {
                at_ += splice;
            } else if (text_[at_] == '\\') {
                at_ += text_.substr(at_ + 1, 1) == "\n" ? 1 : 2;
            } else if (text_[at_++] == quote) {
                break;
            }
        }
        at_ = std::min(at_, text_.size());
    }

    /// R"delimiter( ... )delimiter", from the quote on.
    void skip_raw_literal() {
        const std::size_t open = text_.find('(', at_);
        if (open == std::string_view::npos || open - at_ > 17) return skip_literal();
        std::string close = ")";
        close.append(text_.substr(at_ + 1, open - at_ - 1)).append("\"");
        const std::size_t end = text_.find(close, open);
        at_ = end == std::string_view::npos ? text_.size() : end + close.size();
    }

    void directive() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] != '\n') {
            if (starts_with("//")) {
                skip_line_comment();
            } else if (starts_with("/*")) {
                skip_block_comment();
            } else if (text_[at_] == '"') {
                skip_literal();
            } else {
                at_ += std::max<std::size_t>(splice_length(at_), 1);
            }
        }
        add(Token::Kind::directive, begin);
    }

    void token(char c) {
        const std::size_t begin = at_;
        if (is_word_start(c)) {
            while (at_ < text_.size() && is_word_part(text_[at_])) ++at_;
            const std::string_view word = text_.substr(begin, at_ - begin);
            const bool raw = word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
            if (raw && starts_with("\"")) {
                skip_raw_literal();
                add(Token::Kind::literal, begin);
            } else {
                add(Token::Kind::word, begin);
            }
        } else if (is_digit(c)) {
            // 1e-5, 0x1p+3 and 1'000 are one token each.
            while (at_ < text_.size()) {
                const char next = text_[at_];
                const bool is_exponent = next == 'e' || next == 'E' || next == 'p' || next == 'P';
                if (is_exponent && at_ + 1 < text_.size() && (text_[at_ + 1] == '+' || text_[at_ + 1] == '-'))
                    at_ += 2;
                else if (is_word_part(next) || next == '.')
                    ++at_;
                else if (next == '\'' && at_ + 1 < text_.size() && is_word_part(text_[at_ + 1]))
                    at_ += 2;
                else
                    break;
            }
            add(Token::Kind::number, begin);
        } else if (c == '"' || c == '\'') {
            skip_literal();
            add(Token::Kind::literal, begin);
        } else {
            at_ += starts_with("::") || starts_with("//") ? 2 : starts_with("...") ? 3 : 1;
            add(Token::Kind::symbol, begin);
        }
    }

    void add(Token::Kind kind, std::size_t begin) {
        tokens_.push_back({kind, text_.substr(begin, at_ - begin), begin});
    }

    std::string_view text_;
    bool line_comments_;
    std::size_t at_ = 0;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text, bool line_comments) { return Tokenizer(text, line_comments).run(); }

}  // namespace gemel
