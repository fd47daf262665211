/// Splits templates into tokens.
#include "templates/template_lexer.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace gemel::codegen {

namespace {

using Kind = TemplateToken::Kind;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

constexpr std::string_view symbols[] = {"**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "<",
                                        ">",  "=",  "(",  ")",  "[",  "]",  "{", "}", ",", ":", ".", "|"};

class Lexer {
   public:
    Lexer(const TemplateText& source, const TemplateOptions& options)
        : source_(source), all_(source.text), options_(options) {}

    std::vector<TemplateToken> run() {
        while (at_ < all_.size()) {
            const std::size_t open = next_tag();
            const std::string_view kind = all_.substr(open, 2);
            const char sign = open + 2 < all_.size() ? all_[open + 2] : ' ';
            add_text(open, sign, kind);
            if (open == all_.size()) break;
            if (kind == "{#") {
                comment();
            } else {
                tag(kind == "{{", sign);
            }
        }
        add(Kind::end, {});
        return std::move(tokens_);
    }

   private:
    /// The position of the next tag, or the end.
    std::size_t next_tag() const {
        for (std::size_t i = at_; i + 1 < all_.size(); ++i)
            if (all_[i] == '{' && (all_[i + 1] == '{' || all_[i + 1] == '%' || all_[i + 1] == '#')) return i;
        return all_.size();
    }

    /// The text up to a tag, without the whitespace that the tags on either side remove.
    void add_text(std::size_t end, char sign, std::string_view next) {
        std::size_t stop = end;
        if (end < all_.size() && sign == '-') {
            while (stop > at_ && is_blank(all_[stop - 1])) --stop;
        } else if (end < all_.size() && options_.lstrip_blocks && next != "{{" && sign != '+') {
            std::size_t start = end;
            while (start > at_ && (all_[start - 1] == ' ' || all_[start - 1] == '\t')) --start;
            if (start == 0 || all_[start - 1] == '\n') stop = start;
        }
        if (stop > at_) add(Kind::text, std::string(all_.substr(at_, stop - at_)));
        advance(end);
    }

    void comment() {
        const Position position = position_;
        const std::size_t close = all_.find("#}", at_ + 2);
        if (close == std::string_view::npos)
            throw source_.error(position, "this comment is not closed: expected '#}' before the end of the template");
        const char sign = close > at_ + 2 ? all_[close - 1] : ' ';
        advance(close + 2);
        behind_tag(sign, true);
    }

    void behind_tag(char sign, bool is_block) {
        if (sign == '-') {
            std::size_t stop = at_;
            while (stop < all_.size() && is_blank(all_[stop])) ++stop;
            advance(stop);
        } else if (is_block && options_.trim_blocks && sign != '+') {
            if (all_.substr(at_, 2) == "\r\n") {
                advance(at_ + 2);
            } else if (all_.substr(at_, 1) == "\n") {
                advance(at_ + 1);
            }
        }
    }

    void tag(bool is_output, char sign) {
        const std::size_t first = tokens_.size();
        const Position opened = position_;
        const std::string_view close = is_output ? "}}" : "%}";
        add(is_output ? Kind::output_begin : Kind::block_begin, is_output ? "{{" : "{%");
        advance(at_ + (sign == '-' || sign == '+' ? 3 : 2));
        int open_braces = 0;  // of maps: their '}' may stand directly before the tag's
        while (true) {
            while (at_ < all_.size() && is_blank(all_[at_])) advance(at_ + 1);
            if (at_ == all_.size())
                throw source_.error(
                    opened, text("this tag is not closed: expected '", close, "' before the end of the template"));
            const char c = all_[at_];
            const bool has_sign = (c == '-' || c == '+') && all_.substr(at_ + 1, 2) == close;
            if (has_sign || (open_braces == 0 && all_.substr(at_, 2) == close)) {
                add(is_output ? Kind::output_end : Kind::block_end, std::string(close));
                advance(at_ + (has_sign ? 3 : 2));
                const bool is_raw = !is_output && tokens_.size() == first + 3 && tokens_[first + 1].is("raw");
                behind_tag(has_sign ? c : ' ', !is_output && !is_raw);  // trim_blocks leaves what stands in a raw block
                if (is_raw) raw(first, opened);
                break;
            }
            if (starts_name(c)) {
                name();
            } else if (is_digit(c)) {
                number();
            } else if (c == '\'' || c == '"') {
                string(c);
            } else {
                symbol();
                open_braces = std::max(open_braces + (c == '{') - (c == '}'), 0);
            }
        }
    }

    /// From {% raw %} to {% endraw %}, all text is literal.
    void raw(std::size_t first, Position opened) {
        tokens_.resize(first);
        for (std::size_t open = all_.find("{%", at_); open != std::string_view::npos;
             open = all_.find("{%", open + 2)) {
            std::size_t i = open + 2;
            const char sign = i < all_.size() && (all_[i] == '-' || all_[i] == '+') ? all_[i++] : ' ';
            while (i < all_.size() && is_blank(all_[i])) ++i;
            if (all_.substr(i, 6) != "endraw") continue;
            i += 6;
            while (i < all_.size() && is_blank(all_[i])) ++i;
            const char end_sign = i < all_.size() && (all_[i] == '-' || all_[i] == '+') ? all_[i++] : ' ';
            if (all_.substr(i, 2) != "%}") continue;
            add_text(open, sign, "{%");
            advance(i + 2);
            behind_tag(end_sign, true);
            return;
        }
        throw source_.error(opened, "this block is not closed: expected '{% endraw %}' before the end of the template");
    }

    void name() {
        std::size_t end = at_;
        while (end < all_.size() && (starts_name(all_[end]) || is_digit(all_[end]))) ++end;
        add(Kind::name, std::string(all_.substr(at_, end - at_)));
        advance(end);
    }

    void number() {
        std::size_t end = at_;
        int base = 10;
        if (all_[at_] == '0' && at_ + 1 < all_.size()) {
            const char letter = static_cast<char>(all_[at_ + 1] | 0x20);
            base = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : 10;
        }
        if (base != 10) end += 2;
        const auto take_digits = [&] {
            while (end < all_.size() && (is_digit(all_[end]) || all_[end] == '_' ||
                                         (base == 16 && starts_name(all_[end]) && (all_[end] | 0x20) <= 'f')))
                ++end;
        };
        take_digits();
        bool is_floating = false;
        if (base == 10) {
            if (end + 1 < all_.size() && all_[end] == '.' && is_digit(all_[end + 1])) {
                is_floating = true;
                ++end;
                take_digits();
            }
            std::size_t exponent = end;
            if (exponent < all_.size() && (all_[exponent] | 0x20) == 'e') {
                ++exponent;
                if (exponent < all_.size() && (all_[exponent] == '+' || all_[exponent] == '-')) ++exponent;
                if (exponent < all_.size() && is_digit(all_[exponent])) {
                    is_floating = true;
                    end = exponent;
                    take_digits();
                }
            }
        }
        std::string digits(all_.substr(at_, end - at_));
        std::erase(digits, '_');
        if (end < all_.size() && starts_name(all_[end]))
            throw source_.error(position_, text("'", digits, all_[end], "' is no number"));
        TemplateToken token{is_floating ? Kind::floating : Kind::integer, position_, digits};
        token.value = is_floating ? floating(digits) : integer(digits, base);
        tokens_.push_back(std::move(token));
        advance(end);
    }

    Value floating(const std::string& digits) const {
        double value = 0;
        const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (result.ec != std::errc())
            throw source_.error(position_, text("the number ", digits, " does not fit a double"));
        return value;
    }

    Value integer(const std::string& digits, int base) const {
        std::uint64_t value = 0;
        const char* begin = digits.data() + (base == 10 ? 0 : 2);
        const char* end = digits.data() + digits.size();
        const auto result = std::from_chars(begin, end, value, base);
        if (result.ec == std::errc::result_out_of_range)
            throw source_.error(position_, text("the integer ", digits, " does not fit 64 bits"));
        if (result.ec != std::errc() || result.ptr != end)
            throw source_.error(position_, text("'", digits, "' is no number"));
        return value;
    }

    /// The value of two hexadecimal digits.
    std::optional<unsigned> hexadecimal(std::size_t from) const {
        unsigned code = 0;
        const std::string_view digits = all_.substr(std::min(from, all_.size()), 2);
        const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (digits.size() < 2 || result.ec != std::errc() || result.ptr != digits.data() + 2) return std::nullopt;
        return code;
    }

    /// Appends a code point in UTF-8.
    static void add_character(std::string& text, unsigned code) {
        if (code < 0x80) {
            text += static_cast<char>(code);
        } else {
            text += static_cast<char>(0xC0 | code >> 6);
            text += static_cast<char>(0x80 | (code & 0x3F));
        }
    }

    void string(char quote) {
        TemplateToken token{Kind::string, position_, {}};
        std::size_t i = at_ + 1;
        for (; i < all_.size() && all_[i] != quote; ++i) {
            if (all_[i] != '\\' || i + 1 == all_.size()) {
                token.text += all_[i];
                continue;
            }
            const char c = all_[++i];
            switch (c) {
                case 'n': token.text += '\n'; break;
                case 't': token.text += '\t'; break;
                case 'r': token.text += '\r'; break;
                case '\\':
                case '\'':
                case '"': token.text += c; break;
                case 'x':
                    if (const std::optional<unsigned> code = hexadecimal(i + 1)) {
                        add_character(token.text, *code);
                        i += 2;
                        break;
                    }
                    [[fallthrough]];
                default:  // as in Python, other escapes are unchanged
                    token.text += '\\';
                    token.text += c;
            }
        }
        if (i >= all_.size())
            throw source_.error(position_, text("this string is not closed: expected another ", quote));
        tokens_.push_back(std::move(token));
        advance(i + 1);
    }

    void symbol() {
        for (const std::string_view symbol : symbols) {
            if (all_.substr(at_, symbol.size()) != symbol) continue;
            add(Kind::symbol, std::string(symbol));
            advance(at_ + symbol.size());
            return;
        }
        throw source_.error(position_, text("unexpected character '", all_[at_], "'"));
    }

    void add(Kind kind, std::string text) { tokens_.push_back({kind, position_, std::move(text)}); }

    void advance(std::size_t to) {
        for (; at_ < to; ++at_) {
            if (all_[at_] == '\n') {
                ++position_.line;
                position_.column = 1;
            } else {
                ++position_.column;
            }
        }
    }

    const TemplateText& source_;
    std::string_view all_;
    TemplateOptions options_;
    std::size_t at_ = 0;
    Position position_;
    std::vector<TemplateToken> tokens_;
};

}  // namespace

std::string TemplateToken::shown() const {
    switch (kind) {
        case Kind::end: return "the end of the template";
        case Kind::text: return "text";
        case Kind::string: return "the string '" + text + "'";
        default: return "'" + text + "'";
    }
}

std::vector<TemplateToken> tokenize_template(const TemplateText& source, const TemplateOptions& options) {
    return Lexer(source, options).run();
}

}  // namespace gemel::codegen
