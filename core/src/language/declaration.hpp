/// Parses parts of kernel text: one parameter from its tokens, for kernels' parameter lists and generators' argument
/// strings, and where kernels' bodies begin.
#pragma once

#include <gemel/core/tokens.hpp>

#include <gemel/core/signature.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gemel {

/// Why a declaration could not be read.
struct Unreadable {
    std::size_t position;  ///< in the text of the tokens
    std::string expected;
};

/// Parses "GLOBAL_MEM const float *RESTRICT x", portable or native; `end` is the end of the declaration in its text.
/// The name is empty if there is none. Attributes and default values are skipped.
std::optional<Parameter> read_parameter(std::span<const Token> tokens, std::size_t end, Unreadable& why);

/// Splits at commas outside all brackets; no tokens give no parts.
std::vector<std::span<const Token>> split_at_commas(std::span<const Token> tokens);

/// The index after the bracket that closes the one at `open`; empty if it is not closed, or closed wrongly.
std::optional<std::size_t> behind_group(std::span<const Token> tokens, std::size_t open);

/// Positions behind the braces that open the bodies of a program's kernels, in order. Empty if there may be a kernel
/// whose head parse_kernels() cannot read.
std::vector<std::size_t> kernel_bodies(std::string_view program);

/// Whether the text may define a kernel: it has the word KERNEL or __global__, even in a comment.
bool mentions_kernel(std::string_view text);

}  // namespace gemel
