/// Finds jumps out of a snippet, and arrays that its macros access.
#include <gemel/codegen/snippet.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <set>

namespace gemel::codegen {
namespace {

/// Walks through statements and tracks the loops around them. Terminates for text that is not C, too.
class Flow {
   public:
    Flow(const std::vector<Token>& tokens, std::string_view word) : tokens_(tokens), word_(word) {}

    /// The first occurrence of the word outside the snippet's own loops; null if there is none.
    const Token* find() {
        while (at_ < tokens_.size()) statement(0, 0);
        return found_;
    }

   private:
    bool is(std::string_view what) const { return at_ < tokens_.size() && tokens_[at_].is(what); }

    /// @param loops, switches  the numbers of those around the statement
    void statement(int loops, int switches) {
        if (at_ >= tokens_.size() || ++depth_ > max_depth) {
            at_ = tokens_.size();
            return;
        }
        if (is("{")) {
            ++at_;
            while (at_ < tokens_.size() && !is("}")) statement(loops, switches);
            ++at_;
        } else if (is("for") || is("while") || is("switch") || is("if")) {
            const bool loop = is("for") || is("while"), choice = is("switch");
            ++at_;
            if (is("(")) group(loops, switches);
            statement(loops + loop, switches + choice);
        } else if (is("do")) {
            ++at_;
            statement(loops + 1, switches);
            if (is("while")) simple(loops, switches);
        } else if (is("else")) {
            ++at_;
            statement(loops, switches);
        } else {
            simple(loops, switches);
        }
        --depth_;
    }

    /// Skips to after the ';' or, of a label, the ':'. A statement in brackets ends with them.
    void simple(int loops, int switches) {
        int conditions = 0;
        while (at_ < tokens_.size()) {
            if (is(";")) {
                ++at_;
                return;
            }
            if (is("}")) return depth_ > 1 ? void() : void(++at_);
            if (is("(") || is("[") || is("{")) {
                group(loops, switches);
                continue;
            }
            if (tokens_[at_].kind == Token::Kind::directive) {
                ++at_;
                return;
            }
            conditions += is("?");
            if (is(":") && conditions-- == 0) {
                ++at_;
                return;
            }
            look(loops, switches);
            ++at_;
        }
    }

    /// Skips brackets and their contents.
    void group(int loops, int switches) {
        int open = 0;
        for (; at_ < tokens_.size(); ++at_) {
            if (is("(") || is("[") || is("{")) ++open;
            if ((is(")") || is("]") || is("}")) && --open == 0) {
                ++at_;
                return;
            }
            look(loops, switches);
        }
    }

    void look(int loops, int switches) {
        const bool own = word_ == "break" ? loops + switches > 0 : word_ == "continue" && loops > 0;
        if (!found_ && !own && tokens_[at_].is_word() && is(word_)) found_ = &tokens_[at_];
    }

    static constexpr int max_depth = 1000;
    const std::vector<Token>& tokens_;
    std::string_view word_;
    std::size_t at_ = 0;
    int depth_ = 0;
    const Token* found_ = nullptr;
};

/// A `#define`: its name, and the words of its body except its parameters.
struct Macro {
    std::string_view name;
    std::vector<std::string_view> words;
};

void collect_macros(const std::vector<Token>& tokens, std::vector<Macro>& macros) {
    for (const Token& token : tokens) {
        if (token.kind != Token::Kind::directive) continue;
        const std::vector<Token> parts = tokenize(token.text.substr(1));
        if (parts.size() < 2 || !parts[0].is("define")) continue;
        Macro macro{.name = parts[1].text, .words = {}};
        std::size_t at = 2;
        std::set<std::string_view> parameters;
        const bool adjacent = parts.size() > 2 && parts[2].position == parts[1].position + parts[1].text.size();
        if (adjacent && parts[2].is("("))
            for (; at < parts.size() && !parts[at].is(")"); ++at) parameters.insert(parts[at].text);
        for (; at < parts.size(); ++at)
            if (parts[at].is_word() && !parameters.contains(parts[at].text)) macro.words.push_back(parts[at].text);
        macros.push_back(std::move(macro));
    }
}

}  // namespace

std::optional<std::string> Snippet::leaves_by(std::string_view word) const {
    const Token* const found = Flow(tokens_, word).find();
    if (!found) return {};
    const std::string_view before = std::string_view(text_).substr(0, found->position);
    const std::size_t line_start = before.rfind('\n') + 1;  // 0 if there is none
    return gemel::text("line ", 1 + std::count(before.begin(), before.end(), '\n'), ", column ",
                       before.size() - line_start + 1);
}

void refuse_jumps(const std::string& who, const Snippet& snippet, bool continues) {
    const char* const instead = continues ? "; use 'continue', which goes on to the next element" : "; use if";
    for (const char* word : {"return", "goto", "break", "continue"}) {
        const std::string_view jump = word;
        if (jump == "continue" && continues) continue;
        const auto where = snippet.leaves_by(jump);
        if (!where) continue;
        const char* const what = jump == "return" ? ", which would leave out other elements of the thread"
                                 : jump == "goto"
                                     ? ", whose label would stand in the kernel more than once"
                                     : " outside a loop of its own, where it would end one of the kernel's";
        throw ArgumentError(gemel::text(who, " contains '", jump, "' (", *where, ")", what, instead));
    }
}

bool Snippet::mentions(std::string_view word) const {
    if (uses(word)) return true;
    for (const Token& token : tokens_) {
        if (token.kind != Token::Kind::directive) continue;
        for (const Token& part : tokenize(token.text.substr(1)))
            if (part.is_word() && part.is(word)) return true;
    }
    return false;
}

std::string macro_with(std::string_view array, const Snippet& preamble, const std::vector<const Snippet*>& snippets) {
    std::vector<Macro> macros;
    collect_macros(preamble.tokens_, macros);
    for (const Snippet* snippet : snippets) collect_macros(snippet->tokens_, macros);
    if (macros.empty()) return {};
    std::vector<std::string_view> reached;
    for (const Macro& macro : macros)
        for (const Snippet* snippet : snippets)
            if (snippet->uses(macro.name)) reached.push_back(macro.name);
    for (std::size_t k = 0; k < reached.size(); ++k)
        for (const Macro& macro : macros) {
            if (macro.name != reached[k]) continue;
            for (const std::string_view word : macro.words) {
                if (word == array) return std::string(macro.name);
                const bool known = std::find(reached.begin(), reached.end(), word) != reached.end();
                const bool is_macro =
                    std::any_of(macros.begin(), macros.end(), [&](const Macro& other) { return other.name == word; });
                if (is_macro && !known) reached.push_back(word);
            }
        }
    return {};
}

}  // namespace gemel::codegen
