/// Prints literals that compilers read back bit for bit.
#include <gemel/core/text.hpp>

#include "tree/printer.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace gemel::codegen {

namespace {

using Node = ExpressionNode;
using Text = std::pair<std::string, Node::Precedence>;

/// The fewest digits that read back equal, with a point or an exponent.
template <class T>
std::string digits_of(T value) {
    char buffer[400];
    const double size = std::fabs(static_cast<double>(value));
    const bool is_plain = size == 0 || (size >= 1e-4 && size < 1e9);
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                   is_plain ? std::chars_format::fixed : std::chars_format::scientific)
                         .ptr;
    std::string digits(buffer, end);
    if (is_plain && digits.find('.') == std::string::npos) digits += ".0";
    return digits;
}

Text real(double value, bool is_double, const Dialect& dialect) {
    const bool is_negative = std::signbit(value) && !std::isnan(value);
    std::string text;
    if (std::isfinite(value)) {
        text = is_double ? digits_of(value) : digits_of(static_cast<float>(value)) + "f";
    } else {
        // The dialect's words are floats. Parentheses, because they may be any expression.
        const std::string& word = std::isnan(value) ? dialect.nan : dialect.infinity;
        if (is_double) return {(is_negative ? "-(double)" : "(double)") + word, Node::prefix};
        text = is_negative ? "-" + word : word;
    }
    return {text, is_negative ? Node::prefix : Node::primary};
}

Text integer(const Node& node, const Dialect& dialect) {
    const DType dtype = node.type.dtype;
    const std::string& suffix = dialect.int64_suffix;
    if (dtype.kind() == DType::Kind::unsigned_integer) {
        const std::string digits = std::to_string(static_cast<std::uint64_t>(node.integer));
        if (dtype.size_bytes() == 8) return {digits + "U" + suffix, Node::primary};
        if (dtype.size_bytes() == 4) return {digits + "u", Node::primary};
        return {"(" + declaration(dtype, "", dialect) + ")" + digits, Node::prefix};
    }
    const auto sign = node.integer < 0 ? Node::prefix : Node::primary;
    // The lowest number cannot be written as a sign and digits, which do not fit the type.
    if (dtype.size_bytes() == 8) {
        if (node.integer == std::numeric_limits<std::int64_t>::min())
            return {std::to_string(node.integer + 1) + suffix + " - 1", Node::sum};
        return {std::to_string(node.integer) + suffix, sign};
    }
    if (dtype.size_bytes() == 4) {
        if (node.integer == std::numeric_limits<std::int32_t>::min())
            return {std::to_string(node.integer + 1) + " - 1", Node::sum};
        return {std::to_string(node.integer), sign};
    }
    return {"(" + declaration(dtype, "", dialect) + ")" + std::to_string(node.integer), Node::prefix};
}

}  // namespace

std::string initializer_text(const ExpressionNode& node, const Dialect& dialect) {
    const DType dtype = node.type.dtype;
    const auto bits_of = [](auto value) { return text("{", std::bit_cast<std::uint16_t>(value), "}"); };
    const auto number = static_cast<float>(node.real);
    if (dtype == dtype_of<half>()) return bits_of(half(number));
    if (dtype == dtype_of<bfloat16>()) return bits_of(bfloat16(number));
    if (dtype.kind() != DType::Kind::complex || dtype.lanes() > 1) return literal_text(node, dialect).first;
    const bool is_double = dtype.size_bytes() == 16;
    return "{" + real(node.real, is_double, dialect).first + ", " + real(node.imaginary, is_double, dialect).first +
           "}";
}

std::pair<std::string, ExpressionNode::Precedence> literal_text(const ExpressionNode& node, const Dialect& dialect) {
    const DType dtype = node.type.dtype;
    switch (dtype.kind()) {
        case DType::Kind::boolean: return {node.integer != 0 ? "true" : "false", Node::primary};
        case DType::Kind::floating:
            if (dtype.size_bytes() == 2)
                return {"store_float16(" + real(node.real, false, dialect).first + ")", Node::postfix};
            return real(node.real, dtype.size_bytes() == 8, dialect);
        case DType::Kind::bfloat:
            return {"store_bfloat16(" + real(node.real, false, dialect).first + ")", Node::postfix};
        case DType::Kind::complex: {
            const bool is_double = dtype.size_bytes() == 16;
            return {dtype.name() + "_new(" + real(node.real, is_double, dialect).first + ", " +
                        real(node.imaginary, is_double, dialect).first + ")",
                    Node::postfix};
        }
        default: return integer(node, dialect);
    }
}

}  // namespace gemel::codegen
