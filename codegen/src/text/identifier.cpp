#include <gemel/codegen/identifier.hpp>

#include <gemel/core/dialect.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/text.hpp>
#include <gemel/core/tokens.hpp>

#include <set>

namespace gemel::codegen {
namespace {

/// Words with a meaning in kernel source because of a dialect: macros, types and functions of its prelude, and words
/// that generators print from its table.
void add_words(const Dialect& dialect, std::set<std::string, std::less<>>& words) {
    const std::string all = full_prelude(dialect);
    const std::vector<Token> tokens = tokenize(all);
    for (std::size_t at = 0; at < tokens.size(); ++at) {
        if (tokens[at].kind == Token::Kind::directive) {
            const std::vector<Token> parts = tokenize(tokens[at].text.substr(1));
            if (parts.size() > 1 && parts[0].is("define")) words.emplace(parts[1].text);
        } else if (tokens[at].is("typedef")) {
            for (int depth = 0; at + 1 < tokens.size() && !(depth == 0 && tokens[at].is(";")); ++at) {
                depth += tokens[at].is("{") - tokens[at].is("}");
                if (depth == 0 && tokens[at].is_word() && (tokens[at + 1].is(";") || tokens[at + 1].is(",")))
                    words.emplace(tokens[at].text);
            }
        }
    }
    for (const Dialect::Section& section : dialect.sections) words.insert(section.words.begin(), section.words.end());
    for (const std::string* pattern :
         {&dialect.thread_id, &dialect.block_id, &dialect.block_size, &dialect.grid_size, &dialect.global_id,
          &dialect.global_size, &dialect.barrier, &dialect.global_barrier}) {
        const std::vector<Token> parts = tokenize(*pattern);
        for (std::size_t at = 0; at < parts.size(); ++at)
            if (parts[at].is_word() && (at == 0 || !parts[at - 1].is("."))) words.emplace(parts[at].text);
    }
}

const std::set<std::string, std::less<>>& kernel_words() {
    static const auto& words = *[] {
        auto* all =
            new std::set<std::string, std::less<>>{"defined", "NULL", "MAXFLOAT", "HUGE_VALF", "HUGE_VAL", "CHAR_BIT"};
        for (const Dialect* dialect : {&Dialect::cuda(), &Dialect::opencl()}) add_words(*dialect, *all);
        for (const char* type : {"CHAR", "SCHAR", "UCHAR", "SHRT", "USHRT", "INT", "UINT", "LONG", "ULONG"})
            for (const char* end : {"_MAX", "_MIN"}) all->insert(std::string(type) + end);
        for (const char* type : {"FLT", "DBL"})
            for (const char* fact : {"_DIG", "_MANT_DIG", "_MAX_10_EXP", "_MAX_EXP", "_MIN_10_EXP", "_MIN_EXP",
                                     "_RADIX", "_MAX", "_MIN", "_EPSILON"})
                all->insert(std::string(type) + fact);
        return all;
    }();
    return words;
}

}  // namespace

std::string why_no_name(std::string_view word) {
    if (!is_identifier(word)) return "is not an identifier: use letters, digits and '_', and no digit at the beginning";
    if (const char* const language = keyword_language(word)) return text("is a keyword of ", language);
    if (word.starts_with("__")) return "begins with two '_', which compilers keep for themselves";
    if (!parse_type(word).empty()) return "is the name of a type";
    if (kernel_words().contains(word)) return "is already a word of the kernel language";
    return {};
}

}  // namespace gemel::codegen
