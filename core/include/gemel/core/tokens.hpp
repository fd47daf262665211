/// A tokenizer for kernel text; it knows as much of C as signatures and snippets need.
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
    std::string_view text;  ///< a part of the input; a directive is its whole line, including continuations
    std::size_t position;   ///< byte offset in the input

    bool is(std::string_view other) const { return text == other; }
    bool is_word() const { return kind == Kind::word; }
};

/// Splits any text into tokens and drops comments. An unterminated comment or literal ends with the text or its line.
/// Symbols are single characters except "::" and "...", and "//" if it does not begin a comment.
/// @param line_comments  whether "//" begins a comment up to the end of the line
GEMEL_API std::vector<Token> tokenize(std::string_view text, bool line_comments = true);

}  // namespace gemel
