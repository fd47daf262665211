/// Parts of kernel text: one parameter out of its tokens, shared by kernels' parameter lists and generators' argument
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
    std::size_t position;  ///< in the text that the tokens come from
    std::string expected;
};

/// Reads "GLOBAL_MEM const float *RESTRICT x", portable or native; `end` is where the declaration ends in its text.
/// The name stays empty where there is none. Attributes and a default value are passed over.
std::optional<Parameter> read_parameter(std::span<const Token> tokens, std::size_t end, Unreadable& why);

/// Cuts at the commas that stand outside all brackets; no tokens give no parts.
std::vector<std::span<const Token>> split_at_commas(std::span<const Token> tokens);

/// The index behind the bracket that closes the one at `open`, or nothing if it stays open or is closed wrongly.
std::optional<std::size_t> behind_group(std::span<const Token> tokens, std::size_t open);

/// Positions behind the braces that open the bodies of a program's kernels, in order. Empty if there may be a kernel
/// whose head parse_kernels() cannot read.
std::vector<std::size_t> kernel_bodies(std::string_view program);

/// Whether the text may define a kernel: it has the word KERNEL or __global__, even in a comment.
bool mentions_kernel(std::string_view text);

}  // namespace gemel
