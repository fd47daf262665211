#include <gemel/codegen/snippet.hpp>

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::codegen {

ArrayUse operator|(const ArrayUse& a, const ArrayUse& b) {
    return {.element = a.element || b.element,
            .element_read = a.element_read || b.element_read,
            .element_written = a.element_written || b.element_written,
            .element_address = a.element_address || b.element_address,
            .element_read_late = a.element_read_late || b.element_read_late,
            .elsewhere = a.elsewhere || b.elsewhere,
            .elsewhere_written = a.elsewhere_written || b.elsewhere_written,
            .elsewhere_updated = a.elsewhere_updated || b.elsewhere_updated,
            .bare = a.bare || b.bare};
}

std::string refused_use(const Parameter& parameter, const ArrayUse& use) {
    const DType& dtype = parameter.dtype;
    const bool is_short =
        dtype.kind() == DType::Kind::bfloat || (dtype.kind() == DType::Kind::floating && dtype.size_bytes() == 2);
    if (!parameter.is_pointer || dtype.empty() || !is_short || !use.elsewhere_updated) return {};
    const std::string& x = parameter.name;
    return text("has elements of type ", dtype.name(), ", which are converted where a statement assigns them: write '",
                x, "[j] = ", x, "[j] + value;' as a statement of its own for '", x, "[j] += value', '", x,
                "[j]++' or an assignment inside an expression");
}

namespace {

/// The text up to its last token; the line of a directive is terminated.
std::string without_end(std::string text) {
    const std::vector<Token> tokens = tokenize(text);
    text.resize(tokens.empty() ? 0 : tokens.back().position + tokens.back().text.size());
    if (!tokens.empty() && tokens.back().kind == Token::Kind::directive) text += '\n';
    return text;
}

bool is_any_of(const Token& token, std::initializer_list<std::string_view> texts) {
    return std::find(texts.begin(), texts.end(), token.text) != texts.end();
}

/// Words after which an operand may follow; they end neither a value nor a type.
bool precedes_operand(const Token& token) {
    return is_any_of(token, {"return", "else", "do", "case", "goto", "sizeof", "alignof", "throw", "new", "delete",
                             "and", "or", "not", "xor", "bitand", "bitor", "compl", "not_eq"});
}

/// A word that is always a type or a part of one.
bool is_type_word(const Token& token) {
    return token.is_word() &&
           (!parse_type(token.text).empty() || token.text.ends_with("_t") ||
            is_any_of(token, {"void", "auto", "const", "volatile", "struct", "union", "enum", "restrict", "RESTRICT",
                              "__restrict__", "__restrict", "GLOBAL_MEM", "LOCAL_MEM", "CONSTANT_MEM", "__global",
                              "__local", "__constant", "__private"}));
}

}  // namespace

Snippet::Snippet(std::string text) : text_(without_end(std::move(text))), tokens_(tokenize(text_)) {}

Snippet& Snippet::operator=(Snippet&& other) {
    text_ = std::move(other.text_);
    tokens_ = tokenize(text_);  // they refer to the text
    return *this;
}

bool Snippet::uses(std::string_view word) const {
    return std::any_of(tokens_.begin(), tokens_.end(), [&](const Token& t) { return t.is_word() && t.is(word); });
}

/// A word that is not a member, that is, not after '.' or '->'.
bool Snippet::is_name(std::size_t at) const {
    if (!tokens_[at].is_word()) return false;
    if (at == 0) return true;
    if (tokens_[at - 1].is(".")) return false;
    return !(at >= 2 && tokens_[at - 1].is(">") && tokens_[at - 2].is("-"));
}

/// The token that opens the bracket closed by `close`; `close` itself if there is none.
std::size_t Snippet::opening(std::size_t close) const {
    std::size_t depth = 0;
    for (std::size_t at = close + 1; at-- > 0;) {
        if (tokens_[at].is(")") || tokens_[at].is("]")) ++depth;
        if ((tokens_[at].is("(") || tokens_[at].is("[")) && --depth == 0) return at;
    }
    return close;
}

/// Whether these parentheses contain a type, and so are a cast if an operand follows.
bool Snippet::is_cast(std::size_t open, std::size_t close) const {
    if (close <= open + 1) return false;
    bool words_only = true, has_type_word = false;
    std::size_t last = close - 1, words = 0;
    for (std::size_t at = open + 1; at < close; ++at) {
        if (tokens_[at].is("*") && tokens_[at + 1].is(")")) return true;  // (T *), and (T (*)[4])
        words += tokens_[at].is_word() && !(at > open + 1 && tokens_[at - 1].is("::"));
        words_only &= tokens_[at].is_word() || tokens_[at].is("::");
        if (precedes_operand(tokens_[at])) return false;  // (not a)
        has_type_word |= is_type_word(tokens_[at]);
    }
    if (words_only) return words > 1 || has_type_word;
    // (T *const), (T *RESTRICT)
    while (last > open && tokens_[last].is_word() && is_type_word(tokens_[last])) --last;
    return last > open && last < close - 1 && tokens_[last].is("*");
}

/// Whether '&' takes the address of what follows. After an operand it is a bitwise and; after another '&' a logical
/// and.
bool Snippet::takes_address(std::size_t at) const {
    if (at == 0) return true;
    const Token& before = tokens_[at - 1];
    if (before.is("&")) return at >= 2 && tokens_[at - 2].is("&");  // a && &x[i]
    if (before.is_word()) return precedes_operand(before);
    if (before.kind == Token::Kind::number || before.kind == Token::Kind::literal || before.is("]")) return false;
    for (const std::string_view step : {"+", "-"})  // a++ & x[i]
        if (at >= 2 && before.is(step) && tokens_[at - 2].is(step) && tokens_[at - 2].position + 1 == before.position)
            return false;
    if (!before.is(")")) return true;
    const std::size_t open = opening(at - 1);
    if (open == at - 1) return true;  // it closes nothing
    const bool is_call = open > 0 && tokens_[open - 1].is_word() &&
                         (!precedes_operand(tokens_[open - 1]) || is_any_of(tokens_[open - 1], {"sizeof", "alignof"}));
    return !is_call && is_cast(open, at - 1);
}

/// Whether a statement begins with this token: also after `if (...)`, `else`, a label, or a comma of a statement.
bool Snippet::begins_statement(std::size_t at) const {
    if (at == 0) return true;
    const Token& before = tokens_[at - 1];
    if (before.kind == Token::Kind::directive) return true;
    for (const std::string_view word : {";", "{", "}", "else", "do"})
        if (before.is(word)) return true;
    if (before.is(")")) {
        const std::size_t open = opening(at - 1);
        if (open == 0 || open == at - 1) return false;
        for (const std::string_view word : {"if", "for", "while", "switch", "constexpr"})
            if (tokens_[open - 1].is(word)) return true;
        return false;
    }
    if (!before.is(":") && !before.is(",")) return false;
    // A label, unless a '?' precedes its ':'; a comma of the statement, unless it is in brackets.
    for (std::size_t i = at - 1; i-- > 0;) {
        const Token& token = tokens_[i];
        if (token.is(";") || token.is("{") || token.is("}") || token.kind == Token::Kind::directive) return true;
        if (token.is("(") || token.is("[") || token.is("?")) return false;
        if (token.is(")") || token.is("]")) {
            const std::size_t open = opening(i);
            if (open == i) return false;
            i = open;
        }
    }
    return true;
}

/// Whether a type precedes this name, which is then declared.
bool Snippet::follows_declared_type(std::size_t at) const {
    if (at == 0) return false;
    std::size_t type = at - 1;
    while (type > 0 && is_any_of(tokens_[type], {"*", "&", "const", "volatile", "restrict", "RESTRICT"})) --type;
    if (!is_name(type) || precedes_operand(tokens_[type])) return false;
    // Two consecutive words are a declaration; `a * b` is one if `a` is a type, or if it is assigned to.
    const bool is_initialised = at + 2 < tokens_.size() && tokens_[at + 1].is("=") && !tokens_[at + 2].is("=");
    return type == at - 1 || is_type_word(tokens_[type]) || tokens_[type + 1].is_word() || is_initialised ||
           (type > 0 && is_type_word(tokens_[type - 1]));
}

bool Snippet::declares(std::string_view name) const {
    for (std::size_t at = 1; at + 1 < tokens_.size(); ++at) {
        if (!tokens_[at].is(name) || !is_name(at)) continue;
        const bool is_compared = at + 2 < tokens_.size() && tokens_[at + 1].is("=") && tokens_[at + 2].is("=");
        if (is_compared || !is_any_of(tokens_[at + 1], {"=", ";", ",", ")", "[", "{", ":"})) continue;
        if (follows_declared_type(at)) return true;
        if (!tokens_[at - 1].is(",")) continue;
        // One of several declarators: does the list begin with a declaration?
        std::size_t begin = at - 1;
        for (; begin > 0; --begin) {
            const Token& token = tokens_[begin - 1];
            if (token.kind == Token::Kind::directive || is_any_of(token, {";", "{", "}", "(", "["})) break;
            if (token.is(")") || token.is("]")) begin = opening(begin - 1) + 1;
        }
        for (std::size_t first = begin + 1; first < at - 1 && !is_any_of(tokens_[first], {"=", ","}); ++first)
            if (is_name(first) && follows_declared_type(first)) return true;
    }
    return false;
}

/// Such as those of a `for`, whose parts are not executed once each.
bool Snippet::is_within_parentheses(std::size_t at) const {
    std::size_t closed = 0;
    while (at-- > 0) {
        if (tokens_[at].is(")")) ++closed;
        if (tokens_[at].is("(") && closed-- == 0) return true;
    }
    return false;
}

bool Snippet::access_at(std::size_t at, Access& access) const {
    const auto is = [&](std::size_t i, std::string_view symbol) { return i < tokens_.size() && tokens_[i].is(symbol); };
    const auto adjacent = [&](std::size_t i) { return tokens_[i].position + 1 == tokens_[i + 1].position; };
    if (!is(at + 1, "[")) return false;
    std::size_t close = at + 1, depth = 0;
    for (; close < tokens_.size(); ++close) {
        if (is(close, "[")) ++depth;
        if (is(close, "]") && --depth == 0) break;
    }
    if (close == tokens_.size()) return false;
    access = {.begin = at,
              .open = at + 1,
              .close = close,
              .is_element = close == at + 3 && tokens_[at + 2].is("i"),
              .written = false,
              .read = true,
              .address = false,
              .whole_statement = false,
              .is_assignment = false};
    // Members and further subscripts belong to the written object: p[i].v[2] = 0.
    std::size_t next = close + 1;
    bool is_part = false;
    while (is(next, ".") || is(next, "[")) {
        is_part = true;
        if (is(next, ".")) {
            next += 2;
            continue;
        }
        for (depth = 0; next < tokens_.size(); ++next) {
            if (is(next, "[")) ++depth;
            if (is(next, "]") && --depth == 0) break;
        }
        ++next;
    }
    // Skips parentheses around the target, as in (x[i]) = 1.
    std::size_t before = at;
    while (before > 0 && is(before - 1, "(") && is(next, ")")) --before, ++next;
    const auto twice = [&](std::size_t i, std::string_view symbol) {
        return is(i, symbol) && is(i + 1, symbol) && adjacent(i);
    };
    static constexpr std::string_view compound[] = {"+", "-", "*", "/", "%", "&", "|", "^"};
    if (is(next, "=") && !is(next + 1, "=")) {
        access.written = true;
        access.read = is_part;
        access.whole_statement =
            before == 0 || (is_any_of(tokens_[before - 1], {";", "{", "}"}) && !is_within_parentheses(before));
        access.is_assignment = next == close + 1 && before == at && begins_statement(at);
    } else if (std::any_of(std::begin(compound), std::end(compound), [&](std::string_view s) { return is(next, s); }) &&
               is(next + 1, "=") && adjacent(next)) {
        access.written = true;
    } else if ((twice(next, "<") || twice(next, ">")) && is(next + 2, "=") && adjacent(next + 1)) {
        access.written = true;
    } else if (twice(next, "+") || twice(next, "-")) {
        access.written = true;
    } else if (before >= 2 && (twice(before - 2, "+") || twice(before - 2, "-"))) {
        access.written = true;
    }
    access.address = before > 0 && is(before - 1, "&") && takes_address(before - 1);
    return true;
}

bool Snippet::uses_index(const std::vector<std::string>& arrays) const {
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
        if (!is_name(at)) continue;
        Access access;
        if (std::find(arrays.begin(), arrays.end(), tokens_[at].text) != arrays.end() && access_at(at, access) &&
            access.is_element) {
            at = access.close;
            continue;
        }
        if (tokens_[at].is("i")) return true;
    }
    // In a macro of the snippet, i may have any meaning.
    return std::any_of(tokens_.begin(), tokens_.end(),
                       [](const Token& t) { return t.kind == Token::Kind::directive; }) &&
           mentions("i");
}

ArrayUse Snippet::use_of(std::string_view array) const {
    ArrayUse use;
    int depth = 0, parentheses = 0;
    bool conditional = false;  // an earlier statement may have left the loop iteration
    bool assigned = false;     // every path so far has written x[i]
    bool writes_other = false, wrote_other = uses("for") || uses("while");  // in this statement; in an earlier one
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
        const Token& token = tokens_[at];
        if (token.is("{")) ++depth;
        if (token.is("}")) --depth;
        if (token.is("(")) ++parentheses;
        if (token.is(")")) --parentheses;
        if (token.is(";") || (token.is(",") && parentheses == 0)) wrote_other |= writes_other;
        for (const std::string_view word : {"continue", "return", "goto"}) conditional |= token.is(word);
        if (token.kind == Token::Kind::directive) conditional = true;
        if (!is_name(at)) continue;
        Access access;
        const bool is_access = access_at(at, access);
        if (!token.is(array)) {
            writes_other |= is_access && access.is_element && (access.written || access.address);
            continue;
        }
        if (!is_access) {
            use.bare = true;
        } else if (access.is_element) {
            use.element = true;
            use.element_read_late |= wrote_other;
            use.element_written |= access.written;
            use.element_address |= access.address;
            // z[i] = f(z[i]) reads before it writes, so the rest of the statement comes first.
            bool reads_itself = false;
            if (access.written && !access.read)
                for (std::size_t k = access.close + 1; k < tokens_.size() && !tokens_[k].is(";"); ++k)
                    reads_itself |= is_name(k) && tokens_[k].is(array);
            const bool overwrites =
                access.written && !access.read && access.whole_statement && depth == 0 && !conditional && !reads_itself;
            if (!assigned && !overwrites) use.element_read = true;
            assigned |= overwrites;
        } else {
            use.elsewhere = true;
            use.elsewhere_written |= access.written || access.address;
            use.elsewhere_updated |= access.written && !access.is_assignment;
        }
    }
    return use;
}

/// The token after an assigned value: the end of the statement, or a comma of the whole statement.
std::size_t Snippet::end_of_value(std::size_t at) const {
    for (int depth = 0; at < tokens_.size(); ++at) {
        if (tokens_[at].is("(") || tokens_[at].is("[") || tokens_[at].is("{")) ++depth;
        if (tokens_[at].is(")") || tokens_[at].is("]") || tokens_[at].is("}")) --depth;
        if (depth < 0 || tokens_[at].is(";") || (depth == 0 && tokens_[at].is(","))) break;
    }
    return at;
}

std::string Snippet::replaced(const std::vector<std::string>& arrays, const Replace& replace,
                              const Store& store) const {
    if (tokens_.empty()) return text_;
    return replaced(0, tokens_.size(), arrays, replace, store);
}

std::string Snippet::replaced(std::size_t begin, std::size_t end, const std::vector<std::string>& arrays,
                              const Replace& replace, const Store& store) const {
    // Text between tokens is copied, so that comments and layout are preserved. The whole snippet keeps the text before
    // and after its tokens.
    const bool is_whole = begin == 0 && end == tokens_.size();
    std::size_t copied = is_whole ? 0 : tokens_[begin].position;
    const std::size_t stop = is_whole ? text_.size() : tokens_[end - 1].position + tokens_[end - 1].text.size();
    std::string out;
    for (std::size_t at = begin; at < end; ++at) {
        Access access;
        if (!is_name(at) || std::find(arrays.begin(), arrays.end(), tokens_[at].text) == arrays.end() ||
            !access_at(at, access))
            continue;
        const std::string_view name = tokens_[at].text;
        const std::string inside = access.close > access.open + 1
                                       ? replaced(access.open + 1, access.close, arrays, replace, store)
                                       : std::string();
        const std::string subscript = access.is_element ? std::string() : inside;
        std::string instead = replace(name, subscript, access.written || access.address);
        if (instead.empty()) instead = std::string(name) + "[" + inside + "]";
        out.append(text_, copied, tokens_[at].position - copied).append(instead);
        copied = tokens_[access.close].position + 1;
        at = access.close;
        if (!store || access.is_element || !access.is_assignment || at + 2 >= end) continue;
        const std::size_t behind = std::min(end_of_value(at + 2), end);
        if (behind == at + 2) continue;
        out.append(" = ").append(store(name, replaced(at + 2, behind, arrays, replace, store)));
        copied = tokens_[behind - 1].position + tokens_[behind - 1].text.size();
        at = behind - 1;
    }
    return out.append(text_, copied, stop - copied);
}

}  // namespace gemel::codegen
