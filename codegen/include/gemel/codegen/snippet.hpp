/// A user's C snippet: how it accesses arrays, and the snippet with these accesses replaced.
#pragma once

#include <gemel/core/export.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/tokens.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::codegen {

/// How a snippet accesses one array.
struct ArrayUse {
    bool element = false;            ///< as x[i]
    bool element_read = false;       ///< as x[i], and its old value is used
    bool element_written = false;    ///< as x[i], on the left of an assignment
    bool element_address = false;    ///< as &x[i]
    bool element_read_late = false;  ///< accessed after a statement that writes an element of another array
    bool elsewhere = false;          ///< with another subscript: x[i - 1]
    bool elsewhere_written = false;  ///< written with another subscript
    bool elsewhere_updated = false;  ///< written other than by a statement x[j] = value, such as x[j] += 1
    bool bare = false;               ///< without a subscript, as a pointer

    /// The use in two snippets of one kernel.
    GEMEL_API friend ArrayUse operator|(const ArrayUse& a, const ArrayUse& b);
};

/// Why a snippet cannot write an array as it does; empty if it can. 16-bit floats with a subscript other than [i] can
/// only be written by a statement x[j] = value, which converts the value.
GEMEL_API std::string refused_use(const Parameter& parameter, const ArrayUse& use);

class Snippet;
/// Refuses jumps out of a snippet; the generated code around it relies on reaching its end.
/// @param who        the snippet's owner for the message: "ElementwiseKernel 'axpy': the operation"
/// @param continues  whether `continue` is allowed and goes on to the next element
/// @throws ArgumentError with line and column of the jump
GEMEL_API void refuse_jumps(const std::string& who, const Snippet& snippet, bool continues);

/// C text with the index `i`, stored with its tokens. Text after the last token is removed: a comment there would hide
/// the text that a generator prints next.
class GEMEL_API Snippet {
   public:
    Snippet() = default;
    explicit Snippet(std::string text);
    Snippet(const Snippet& other) : Snippet(other.text_) {}
    Snippet& operator=(const Snippet& other) { return *this = Snippet(other.text_); }
    Snippet(Snippet&& other) : Snippet(std::move(other.text_)) {}
    Snippet& operator=(Snippet&& other);

    const std::string& text() const { return text_; }
    bool empty() const { return tokens_.empty(); }
    /// Whether the word occurs outside comments and strings.
    bool uses(std::string_view word) const;
    /// As uses(), including the definitions of macros.
    bool mentions(std::string_view word) const;
    /// Whether the snippet declares a variable of this name: `int k = 0`, `float s = 0, k;`, `for (int k = ...`.
    bool declares(std::string_view name) const;
    /// Whether `i` occurs other than as the whole subscript of one of these arrays.
    bool uses_index(const std::vector<std::string>& arrays) const;
    ArrayUse use_of(std::string_view array) const;
    /// The position ("line 2, column 5") of a jump out of the snippet: a `return` or `goto`, or a `break` or `continue`
    /// outside the snippet's own loops (and switches). Empty if there is none. @param word  such as "break"
    std::optional<std::string> leaves_by(std::string_view word) const;

    /// The text with every subscripted array access replaced by the result of `replace`, whose arguments are the
    /// array's name, the subscript (replaced as well; empty for exactly `i`) and whether the access is written. An
    /// empty result keeps the access. `store`, if given, replaces the value of a statement `x[subscript] = value`, also
    /// after `if (...)`, `else` or a label.
    using Replace = std::function<std::string(std::string_view array, const std::string& subscript, bool written)>;
    using Store = std::function<std::string(std::string_view array, const std::string& value)>;
    std::string replaced(const std::vector<std::string>& arrays, const Replace& replace, const Store& store = {}) const;

   private:
    GEMEL_API friend std::string macro_with(std::string_view, const Snippet&, const std::vector<const Snippet*>&);
    struct Access {
        std::size_t begin, open, close;  ///< tokens: the name, '[' and ']'
        bool is_element, written, read, address;
        bool whole_statement;  ///< `x[j] = value`, unconditional apart from enclosing braces
        bool is_assignment;    ///< `x[j] = value` as a statement, perhaps after `if (...)`, a label or a comma
    };
    bool access_at(std::size_t token, Access& access) const;
    std::string replaced(std::size_t begin, std::size_t end, const std::vector<std::string>& arrays,
                         const Replace& replace, const Store& store) const;
    bool begins_statement(std::size_t token) const;
    bool takes_address(std::size_t ampersand) const;
    bool is_cast(std::size_t open, std::size_t close) const;
    bool follows_declared_type(std::size_t token) const;
    bool is_within_parentheses(std::size_t token) const;
    std::size_t opening(std::size_t close) const;
    std::size_t end_of_value(std::size_t token) const;
    bool is_name(std::size_t token) const;

    std::string text_;
    std::vector<Token> tokens_;
};

/// A macro of the preamble or a snippet that the snippets use and that accesses this array; empty if there is none.
GEMEL_API std::string macro_with(std::string_view array, const Snippet& preamble,
                                 const std::vector<const Snippet*>& snippets);

}  // namespace gemel::codegen
