#include <gemel/codegen/kernel_text.hpp>

#include "block/aligned_shared.hpp"

#include <gemel/codegen/identifier.hpp>
#include <gemel/core/tokens.hpp>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace gemel::codegen {

namespace {

// A part is represented in the text by its number between two characters that no kernel contains.
constexpr char mark_begin = '\x01', mark_end = '\x02';

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

/// Text whose lines, except the first, are indented; directives stay at the beginning of their line.
void add_lines(std::string& out, std::string_view text, std::string_view indent) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    for (bool first = true; first || !text.empty(); first = false) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        if (!first) out += '\n';
        if (!first && !line.empty() && line.front() != '#') out += indent;
        if (first && line.starts_with('#') && out.ends_with(indent)) out.resize(out.size() - indent.size());
        out += line;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// The translation of a portable word to a dialect, or null.
const std::string* spelled(const Dialect& d, std::string_view word) {
    if (word == "KERNEL") return &d.kernel;
    if (word == "WITHIN_KERNEL") return &d.device_function;
    if (word == "GLOBAL_MEM") return &d.global_space;
    if (word == "LOCAL_MEM") return &d.shared_space;
    if (word == "ALIGNED_LOCAL_MEM") return &aligned_shared(d);
    if (word == "LOCAL_MEM_ARG") return &d.shared_pointer;
    if (word == "CONST_STATIC") return &d.constant_space;
    if (word == "CONSTANT_MEM") return &d.constant_pointer;
    if (word == "RESTRICT") return &d.restrict_word;
    return nullptr;
}

/// "LID_0" and similar words; empty for other words. GLOBAL_ID_0 is left to the prelude, whose form is shorter.
std::string thread_index(const Dialect& d, std::string_view word) {
    const std::pair<std::string_view, const std::string*> patterns[] = {
        {"LID_", &d.thread_id}, {"GID_", &d.block_id}, {"LDIM_", &d.block_size}, {"GDIM_", &d.grid_size}};
    for (const auto& [begin, pattern] : patterns)
        if (word.size() == begin.size() + 1 && word.starts_with(begin) && word.back() >= '0' && word.back() <= '2')
            return Dialect::indexed(*pattern, word.back() - '0');
    return {};
}

/// REQD_WG_SIZE(threads, 1, 1) in the dialect's words.
std::string required_block(const Dialect& dialect, std::string_view threads) {
    std::string out = dialect.required_block;
    const auto replace = [&](std::string_view from, const std::string& to) {
        for (std::size_t at = 0; (at = out.find(from, at)) != std::string::npos; at += to.size())
            out.replace(at, from.size(), to);
    };
    replace("(X) * (Y) * (Z)", std::string(threads));
    replace("X, Y, Z", std::string(threads) + ", 1, 1");
    return out;
}

/// Whether the tokens after `at` begin with these.
bool follow(const std::vector<Token>& tokens, std::size_t at, std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words)
        if (++at >= tokens.size() || (!word.empty() && !tokens[at].is(word))) return false;
    return true;
}

}  // namespace

KernelText::KernelText(const Dialect& dialect, IsTaken is_taken, std::set<std::string, std::less<>> kept)
    : dialect_(dialect), is_taken_(std::move(is_taken)), kept_(std::move(kept)) {}

std::string KernelText::mark(std::string text, bool verbatim) {
    parts_.push_back({std::move(text), verbatim});
    return mark_begin + std::to_string(parts_.size() - 1) + mark_end;
}

std::string KernelText::verbatim(std::string text) { return mark(std::move(text), true); }

std::string KernelText::fill(const Template& kernel, Values values) {
    for (auto& [name, value] : values)
        if (value.is_string() && (value.as_string().empty() || value.as_string().find('\n') != std::string::npos))
            value = mark(value.as_string(), false);
    return kernel.render(values);
}

std::string KernelText::name(std::string_view word) const {
    if (!is_taken_) return std::string(word);
    if (const auto found = names_.find(word); found != names_.end()) return found->second;
    std::string name(word);
    if (!kept_.contains(word) && is_taken_(word) && why_no_name(word).empty())
        while (is_taken_(name)) name += '_';
    return names_.emplace(word, std::move(name)).first->second;
}

std::string KernelText::expand(std::string_view text, bool verbatim) const {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = std::min(text.find(mark_begin, at), text.size());
        out += text.substr(at, begin - at);
        if (begin == text.size()) break;
        const std::size_t end = text.find(mark_end, begin);
        const Part& part = parts_[std::stoul(std::string(text.substr(begin + 1, end - begin - 1)))];
        at = end + 1;
        if (part.verbatim != verbatim) {
            out += text.substr(begin, at - begin);
            continue;
        }
        const std::string inner = verbatim ? part.text : expand(part.text, verbatim);
        const std::size_t line = out.rfind('\n') + 1;
        const std::string before = out.substr(line);
        const bool is_alone = is_blank(before) && (at == text.size() || text[at] == '\n');
        if (is_alone && inner.empty()) {
            out.resize(line);
            at = std::min(at + 1, text.size());
            continue;
        }
        add_lines(out, inner, std::string_view(before).substr(0, before.find_first_not_of(" \t")));
    }
    return out;
}

std::string KernelText::spell(std::string_view text) const {
    const std::vector<Token> tokens = tokenize(text);
    std::string out;
    std::size_t done = 0;
    int in_struct = 0;  // open braces of a struct or union around the token
    const auto skip_blanks = [&] { done = std::min(text.find_first_not_of(' ', done), text.size()); };
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        const Token& token = tokens[t];
        const auto is_behind = [&](std::string_view what) { return t > 0 && tokens[t - 1].is(what); };
        if (token.is("{") && (in_struct || is_behind("struct") || is_behind("union"))) ++in_struct;
        if (token.is("}") && in_struct) --in_struct;
        if (!token.is_word()) continue;
        out += text.substr(done, token.position - done);
        done = token.position + token.text.size();
        const bool is_capital = token.text[0] >= 'A' && token.text[0] <= 'Z';  // like most portable words
        if (token.is("UNROLL")) {  // a directive, at the beginning of its line; the line goes where there is none
            out.resize(out.rfind('\n') + 1);
            if (dialect_.unroll.empty()) done = std::min(text.find('\n', done), text.size() - 1) + 1;
            out += dialect_.unroll;
        } else if (token.is("local_barrier") && follow(tokens, t, {"(", ")"})) {
            out += dialect_.barrier;
            done = tokens[t + 2].position + 1;
        } else if (is_capital && token.is("REQD_WG_SIZE") && follow(tokens, t, {"(", "", ",", "1", ",", "1", ")"})) {
            const std::string required = required_block(dialect_, tokens[t + 2].text);
            out += required;
            done = tokens[t + 7].position + 1;
            if (required.empty()) skip_blanks();
        } else if (const std::string* const portable = is_capital ? spelled(dialect_, token.text) : nullptr) {
            out += *portable;
            if (portable->empty()) skip_blanks();
        } else if (const std::string index = is_capital ? thread_index(dialect_, token.text) : ""; !index.empty()) {
            out += index;
        } else {
            const bool is_member =
                is_behind(".") || (in_struct && (follow(tokens, t, {";"}) || follow(tokens, t, {"["})));
            out += is_member ? std::string(token.text) : name(token.text);
        }
    }
    return out += text.substr(done);
}

std::string KernelText::finish(std::string_view filled) const { return expand(spell(expand(filled, false)), true); }

}  // namespace gemel::codegen
