/// Parses text to AnyExpr.
#include "expression/expression_node.hpp"
#include "expression/function_definition.hpp"

#include <gemel/arrays/function.hpp>
#include <gemel/arrays/lazy.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>
#include <gemel/core/tokens.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>

namespace gemel {
namespace {

using namespace operations;

/// A binary operator. A higher precedence binds more tightly.
struct BinaryOperator {
    std::string_view symbol;
    int precedence;
    const codegen::OperationType* operation;
};
constexpr BinaryOperator binary_operators[] = {
    {"||", 1, &LogicalOr::operation},    {"or", 1, &LogicalOr::operation}, {"&&", 2, &LogicalAnd::operation},
    {"and", 2, &LogicalAnd::operation},  {"|", 3, &BitOr::operation},      {"^", 4, &BitXor::operation},
    {"&", 5, &BitAnd::operation},        {"==", 6, &Equal::operation},     {"!=", 6, &NotEqual::operation},
    {"<", 7, &Less::operation},          {">", 7, &Greater::operation},    {"<=", 7, &LessEqual::operation},
    {">=", 7, &GreaterEqual::operation}, {"<<", 8, &ShiftLeft::operation}, {">>", 8, &ShiftRight::operation},
    {"+", 9, &Add::operation},           {"-", 9, &Subtract::operation},   {"*", 10, &Multiply::operation},
    {"/", 10, &Divide::operation},       {"%", 10, &Modulo::operation},    {"//", 10, &FloorDivide::operation},
};
constexpr int behind_and = 3;  ///< the lowest precedence above that of `and`
constexpr std::string_view double_symbols[] = {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "**"};

/// The number of letters to change, insert or remove to turn one word into the other.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t above = row[j + 1];
            row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] != b[j])});
            diagonal = above;
        }
    }
    return row.back();
}

/// " Did you mean sin?", or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
    const std::string* best = nullptr;
    std::size_t least = word.size() > 3 ? 3 : 2;
    if (word.size() < 64)
        for (const std::string& name : known)
            if (const std::size_t changes = distance(word, name); changes < least) least = changes, best = &name;
    return best ? text(" Did you mean ", *best, "?") : "";
}

/// Parses one text. Each function parses what its name says. Reductions stay in the expression.
std::optional<detail::Reducing> reduction_named(std::string_view name) {
    using enum detail::Reducing;
    constexpr std::pair<std::string_view, detail::Reducing> known[] = {
        {"sum", sum},       {"prod", prod},     {"min", min},
        {"max", max},       {"any", any},       {"all", all},
        {"argmin", argmin}, {"argmax", argmax}, {"count_nonzero", count_nonzero},
        {"mean", mean},     {"var", var},       {"stddev", stddev},
        {"norm", norm}};
    for (const auto& [own, function] : known)
        if (own == name) return function;
    return {};
}

class Parser {
   public:
    Parser(std::string_view text, std::span<const NamedOperand> operands, std::span<const AnyFunction> functions)
        : text_(text), tokens_(tokenize(text, false)), operands_(operands), functions_(functions) {
        for (std::size_t k = 0; k < operands.size(); ++k)
            for (std::size_t other = 0; other < k; ++other)
                if (operands[other].name == operands[k].name)
                    throw ArgumentError(gemel::text("expression: operands ", other, " and ", k, " are both named \"",
                                                    printable(operands[k].name), "\"; rename one"));
        for (std::size_t k = 0; k < functions.size(); ++k)
            for (std::size_t other = 0; other < k; ++other)
                if (functions[other].name() == functions[k].name())
                    throw ArgumentError(
                        gemel::text("expression: two functions are named \"", functions[k].name(), "\"; rename one"));
    }

    AnyExpr whole() {
        check_comments();
        if (tokens_.empty()) fail(0, "expected an expression, got an empty text");
        const AnyExpr result = conditional();
        if (next_ < tokens_.size()) fail(position(), text("expected an operator before \"", printable(here()), "\""));
        if (result.node().is_number()) fail(0, "none of the operands used is an array; expected at least one");
        return result;
    }

   private:
    /// Refuses a comment without an end, which would hide the rest of the text.
    void check_comments() const {
        for (std::size_t at = 0; at < text_.size();) {
            const std::string_view rest = text_.substr(at);
            if (!rest.starts_with("/*")) {
                at += rest.starts_with("//") ? 2 : 1;
                continue;
            }
            const std::size_t end = text_.find("*/", at + 2);
            if (end == std::string_view::npos) fail(at, "expected */ at the end of this comment");
            at = end + 2;
        }
    }
    AnyExpr conditional() {
        const Depth depth(*this);
        const AnyExpr condition = binary(1);
        const std::size_t at = position();
        if (!accept("?")) return condition;
        const AnyExpr a = conditional();
        expect(":", "between the two values of a condition");
        const AnyExpr b = conditional();
        return apply(at, Where::operation, std::array{condition, a, b});
    }
    AnyExpr binary(int least) {
        const Depth depth(*this);
        AnyExpr left = least <= behind_and && here() == "not" ? negation() : unary();
        const BinaryOperator* compared = nullptr;
        while (const BinaryOperator* found = binary_operator()) {
            if (found->precedence < least) break;
            const std::size_t at = position();
            const bool compares = found->operation->rule == codegen::TypeRule::comparison;
            if (compares && compared)
                fail(at, "a chained comparison would compare a truth value; write 1 < x && x < 4, or parentheses");
            compared = compares ? found : nullptr;
            skip(found->symbol);
            const AnyExpr right = binary(found->precedence + 1);
            left = apply(at, *found->operation, std::array{left, right});
        }
        return left;
    }
    /// As in Python, `not` binds less tightly than comparisons and more tightly than `and`; C's `!` is parsed in
    /// unary().
    AnyExpr negation() {
        const std::size_t at = position();
        accept("not");
        return apply(at, LogicalNot::operation, std::array{binary(behind_and)});
    }
    AnyExpr unary() {
        const Depth depth(*this);
        const std::size_t at = position();
        if (accept("-")) return apply(at, Negate::operation, std::array{unary()});
        if (accept("+")) return apply(at, Plus::operation, std::array{unary()});
        if (accept("~")) return apply(at, Invert::operation, std::array{unary()});
        if (accept("!")) return apply(at, LogicalNot::operation, std::array{unary()});
        if (here() == "not") fail(at, "\"not\" after another operator needs parentheses, as in Python: (not x)");
        const AnyExpr base = primary();
        const std::size_t power = position();
        if (!accept("**")) return base;
        return apply(power, Power::operation, std::array{base, unary()});
    }
    AnyExpr primary() {
        const std::size_t at = position();
        if (next_ == tokens_.size()) fail(at, "expected an operand, got the end of the text");
        const Token token = tokens_[next_];
        if (token.kind == Token::Kind::number) return ++next_, number(token);
        if (token.is(".") && next_ + 1 < tokens_.size() && tokens_[next_ + 1].position == at + 1 &&
            tokens_[next_ + 1].kind == Token::Kind::number) {
            next_ += 2;
            return number({Token::Kind::number, text_.substr(at, 1 + tokens_[next_ - 1].text.size()), at});
        }
        if (token.is_word()) {
            ++next_;
            return accept("(") ? call(token) : named(token);
        }
        if (!accept("(")) fail(at, text("expected an operand, got \"", printable(token.text), "\""));
        const AnyExpr inside = conditional();
        expect(")", "to close a parenthesis");
        return inside;
    }
    AnyExpr call(const Token& name) {
        std::vector<AnyExpr> given;
        if (!accept(")")) {
            do {
                given.push_back(conditional());
                if (given.size() > 3 && functions_.empty() && !reduction_named(name.text))
                    fail(name.position, text("no function takes more than 3 operands"));
            } while (accept(","));
            expect(")", "to close the operands of a function");
        }
        for (const AnyFunction& function : functions_)
            if (function.name() == name.text)
                return guarded(name.position, [&] { return detail::call_of(function.definition(), given); });
        if (const codegen::Operation* found = codegen::find_operation(name.text, given.size());
            found && found->compute != codegen::Compute::by_cast)
            return apply(name.position, *found, given);
        return guarded(name.position, [&]() -> AnyExpr {
            if (name.text == "clip" && given.size() == 3) return detail::clip_of(given[0], given[1], given[2]);
            if (name.text == "arg" && given.size() == 1) return arg(given[0]);
            if (name.text == "if_positive" && given.size() == 3) return where(given[0] > 0, given[1], given[2]);
            if (const DType dtype = parse_type(name.text); codegen::is_number(dtype) && given.size() == 1)
                return astype(given[0], dtype);
            if (const auto reducing = reduction_named(name.text); reducing && !given.empty())
                return detail::lazy_of(*reducing, given[0], axes_given(name, given));
            if (name.is("frexp")) fail(name.position, "frexp gives two parts: frexp_mantissa(x) and frexp_exponent(x)");
            if (name.is("modf")) fail(name.position, "modf gives two parts: modf_fraction(x) and modf_whole(x)");
            if (name.is("hankel_01")) fail(name.position, "hankel_01 gives two parts: hankel_0(z) and hankel_1(z)");
            unknown_function(name, given.size());
        });
    }
    /// The operands after the first: integers, each an axis; none: all axes.
    ReductionAxes axes_given(const Token& name, const std::vector<AnyExpr>& given) const {
        if (given.size() == 1) return {};
        std::vector<int> axes;
        for (std::size_t k = 1; k < given.size(); ++k) {
            const AnyNumber* const number = given[k].node().is_number() ? &given[k].node().number : nullptr;
            const auto* const axis = number ? std::get_if<std::int64_t>(number) : nullptr;
            if (!axis || *axis != static_cast<int>(*axis))
                fail(name.position, axis ? text(name.text, ": axis ", *axis, " is out of range")
                                         : text(name.text,
                                                " expects an operand and then integer axes; minimum(x, y) "
                                                "and maximum(x, y) work element by element"));
            axes.push_back(static_cast<int>(*axis));
        }
        return axes.size() == 1 ? ReductionAxes(axes.front()) : ReductionAxes(axes);
    }
    AnyExpr named(const Token& name) {
        for (const NamedOperand& operand : operands_)
            if (operand.name == name.text) return operand.value;
        if (name.is("pi")) return AnyExpr(3.14159265358979323846);
        if (name.is("inf")) return AnyExpr(std::numeric_limits<double>::infinity());
        if (name.is("nan")) return AnyExpr(std::numeric_limits<double>::quiet_NaN());
        if (name.is("true") || name.is("false")) return AnyExpr(name.is("true"));
        std::vector<std::string> names;
        for (const NamedOperand& operand : operands_) names.push_back(operand.name);
        fail(name.position, text("there is no operand \"", printable(name.text), "\".", suggestion(name.text, names),
                                 " Given are: ", names.empty() ? "none" : join(names)));
    }
    /// For digits that do not fit a double: whether the number is too large, not too small.
    static bool is_huge(std::string_view digits) {
        const std::size_t exponent = digits.find_first_of("eE");
        if (exponent != std::string_view::npos) return digits.find('-', exponent) == std::string_view::npos;
        return digits.substr(0, digits.find('.')).find_first_not_of('0') != std::string_view::npos;
    }
    /// C suffixes are ignored, since numbers are weak anyway; j makes an imaginary number, as in Python.
    AnyExpr number(const Token& token) {
        std::string_view digits = token.text;
        const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
        bool imaginary = false, is_float = false;
        while (!digits.empty()) {
            const char last = digits.back();
            if (last == 'j' && !imaginary) {
                imaginary = true;
            } else if (!(last == 'u' || last == 'U' || last == 'l' || last == 'L' ||
                         (!hexadecimal && (last == 'f' || last == 'F')))) {
                break;
            }
            is_float |= last == 'f' || last == 'F';
            digits.remove_suffix(1);
        }
        const auto read = [&](auto value, auto... base) -> std::optional<decltype(value)> {
            const char* const begin = digits.data() + (hexadecimal ? 2 : 0);
            const char* const end = digits.data() + digits.size();
            const auto [stop, error] = std::from_chars(begin, std::max(begin, end), value, base...);
            if (stop != end) return {};
            if constexpr (std::is_floating_point_v<decltype(value)>)
                if (error == std::errc::result_out_of_range) return is_huge(digits) ? HUGE_VAL : 0.0;
            if (error != std::errc()) return {};
            return value;
        };
        const int base = hexadecimal ? 16 : 10;
        const bool is_whole = !imaginary && !is_float &&
                              digits.substr(hexadecimal ? 2 : 0)
                                      .find_first_not_of(hexadecimal ? "0123456789abcdefABCDEF" : "0123456789") ==
                                  std::string_view::npos &&
                              digits != "0x" && digits != "0X";
        if (imaginary) {
            if (const auto value = read(0.0); value && !hexadecimal) return AnyExpr(cdouble(0, *value));
        } else if (const auto whole = read(std::int64_t{}, base)) {
            return AnyExpr(*whole);
        } else if (const auto large = read(std::uint64_t{}, base)) {
            return AnyExpr(*large);
        } else if (is_whole) {
            fail(token.position, text("\"", printable(token.text), "\" does not fit 64 bits; with a point it is a ",
                                      "floating-point number"));
        } else if (const auto real = read(0.0); real && !hexadecimal) {
            return AnyExpr(*real);
        }
        fail(token.position, text("\"", printable(token.text), "\" is not a valid number"));
    }

    template <class Operands>
    AnyExpr apply(std::size_t at, const codegen::OperationType& operation, const Operands& operands) {
        return guarded(at, [&] { return AnyExpr(operation, operands); });
    }
    /// Errors of operations are reported at their position in the text.
    template <class Make>
    AnyExpr guarded(std::size_t at, const Make& make) {
        try {
            return make();
        } catch (const Refused&) {
            throw;
        } catch (const ArgumentError& error) {
            fail(at, error.what());
        }
    }
    [[noreturn]] void unknown_function(const Token& name, std::size_t count) const {
        std::vector<std::string> names{"arg", "clip", "if_positive"};
        for (const AnyFunction& function : functions_) names.push_back(function.name());
        for (const codegen::Operation& known : codegen::all_operations()) {
            const std::string own = known.name;
            if (own == name.text)
                fail(name.position, text(own, " expects ", int{known.operands}, " operand",
                                         known.operands == 1 ? "" : "s", ", got ", count));
            if (!own.starts_with("operator")) names.push_back(own);
        }
        fail(name.position, text("there is no function \"", printable(name.text), "\" of ", count,
                                 count == 1 ? " operand." : " operands.", suggestion(name.text, names)));
    }

    /// Limits the nesting, and so the use of stack.
    struct Depth {
        explicit Depth(Parser& given) : parser(given) {
            if (++parser.depth_ > 400)
                parser.fail(parser.position(), "this is nested too deeply; split the expression");
        }
        ~Depth() { --parser.depth_; }
        Parser& parser;
    };

    /// The next symbol or word; two characters if they form one operator.
    std::string_view here() const {
        if (next_ >= tokens_.size()) return {};
        const Token& token = tokens_[next_];
        if (token.kind == Token::Kind::symbol)
            for (const std::string_view symbol : double_symbols)
                if (text_.substr(token.position, 2) == symbol) return text_.substr(token.position, 2);
        return token.text;
    }
    const BinaryOperator* binary_operator() const {
        const std::string_view symbol = here();
        for (const BinaryOperator& known : binary_operators)
            if (known.symbol == symbol) return &known;
        return nullptr;
    }
    void skip(std::string_view symbol) { next_ += symbol.size() == 2 && !tokens_[next_].is(symbol) ? 2 : 1; }
    bool accept(std::string_view symbol) {
        if (here() != symbol) return false;
        skip(symbol);
        return true;
    }
    void expect(std::string_view symbol, std::string_view why) {
        if (!accept(symbol)) fail(position(), text("expected \"", symbol, "\" ", why));
    }
    std::size_t position() const { return next_ < tokens_.size() ? tokens_[next_].position : text_.size(); }

    static std::string printable(std::string_view part) {
        std::string out;
        for (const char c : part.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
        return out;
    }
    struct Refused : ArgumentError {
        using ArgumentError::ArgumentError;
    };
    /// The line, truncated to fit, with a caret below the position.
    [[noreturn]] void fail(std::size_t at, const std::string& what) const {
        at = std::min(at, text_.size());
        std::size_t begin = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;
        if (at - begin > 60) begin = at - 60;
        const std::size_t end = std::min({text_.find('\n', at), text_.size(), at + 40});
        std::string line;
        for (const char c : text_.substr(begin, end - begin)) line += c >= ' ' && c <= '~' ? c : ' ';
        throw Refused(text("expression, column ", at - (at == 0 ? 0 : text_.rfind('\n', at - 1) + 1) + 1, ": ", what,
                           "\n    ", line, "\n    ", std::string(at - begin, ' '), "^"));
    }

    std::string_view text_;
    std::vector<Token> tokens_;
    std::span<const NamedOperand> operands_;
    std::span<const AnyFunction> functions_;
    std::size_t next_ = 0, depth_ = 0;
};

}  // namespace

AnyExpr expression(std::string_view text, std::span<const NamedOperand> operands) {
    return Parser(text, operands, {}).whole();
}
AnyExpr expression(std::string_view text, std::span<const NamedOperand> operands,
                   std::span<const AnyFunction> functions) {
    return Parser(text, operands, functions).whole();
}

}  // namespace gemel
