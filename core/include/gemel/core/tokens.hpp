/// Kernel text as tokens: what reading signatures and snippets needs to know about C, and no more.
#pragma once

#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gemel {

struct Token {
    enum class Kind : std::uint8_t { word, number, literal, symbol, directive };

    Kind kind;
    std::string_view text;  ///< into the text that was read; a directive has its whole line, continuations included
    std::size_t position;   ///< bytes from the beginning of that text

    bool is(std::string_view other) const { return text == other; }
    bool is_word() const { return kind == Kind::word; }
};

/// Tokens of any text whatever; comments are dropped, and what never ends does so with the text or its line.
/// Symbols are single characters, but for "::" and "...", and "//" where it begins no comment.
/// @param line_comments  whether "//" begins a comment, which ends with its line
GEMEL_API std::vector<Token> tokenize(std::string_view text, bool line_comments = true);

}  // namespace gemel
