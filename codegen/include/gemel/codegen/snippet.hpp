/// What a user's snippet does with the arrays it names, and the snippet with those accesses replaced.
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

/// How a snippet touches one array.
struct ArrayUse {
    bool element = false;            ///< as x[i]
    bool element_read = false;       ///< as x[i], and its value from before matters
    bool element_written = false;    ///< as x[i], on the left of an assignment
    bool element_address = false;    ///< as &x[i]
    bool element_read_late = false;  ///< read or written behind a statement that writes an element of another array
    bool elsewhere = false;          ///< with another subscript: x[i - 1]
    bool elsewhere_written = false;  ///< and written there
    bool elsewhere_updated = false;  ///< and not by a statement x[j] = value, but as in x[j] += 1
    bool bare = false;               ///< without a subscript, as a pointer

    /// In two snippets of one kernel.
    GEMEL_API friend ArrayUse operator|(const ArrayUse& a, const ArrayUse& b);
};

/// Why an array's elements cannot be written as a snippet does: 16-bit floats other than at [i] are converted where a
/// statement assigns them, and in no other form. Empty if they can.
GEMEL_API std::string refused_use(const Parameter& parameter, const ArrayUse& use);

class Snippet;
/// Refuses what would leave the text that a generator prints around a snippet, with its place there.
/// @param who        whose snippet, for the message: "ElementwiseKernel 'axpy': the operation"
/// @param continues  whether `continue` goes on to the next element
/// @throws ArgumentError
GEMEL_API void refuse_jumps(const std::string& who, const Snippet& snippet, bool continues);

/// C text with the index `i`. Kept with its tokens, and without what is behind the last of them: a comment there would
/// swallow what a generator prints next.
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
    /// Whether a word stands in it, comments and strings not counted.
    bool uses(std::string_view word) const;
    /// The same, counting what its macros are made of.
    bool mentions(std::string_view word) const;
    /// Whether a variable of this name is declared in it: `int k = 0`, `float s = 0, k;`, `for (int k = ...`.
    bool declares(std::string_view name) const;
    /// Whether `i` stands anywhere but as the whole subscript of one of these arrays.
    bool uses_index(const std::vector<std::string>& arrays) const;
    ArrayUse use_of(std::string_view array) const;
    /// What leaves the snippet: a `return` or `goto`, a `break` or `continue` outside its own loops (and switches).
    /// Each with its place, "line 2, column 5". @param word  such as "break"
    std::optional<std::string> leaves_by(std::string_view word) const;

    /// The text with every subscripted access to an array replaced by what `replace` returns; it is given the array's
    /// name, the subscript (already replaced inside; empty for exactly `i`) and whether the access is written to. An
    /// empty answer keeps it. What a statement `x[subscript] = value` assigns, also behind `if (...)`, `else` or a
    /// label, is handed through `store`, if that is given.
    using Replace = std::function<std::string(std::string_view array, const std::string& subscript, bool written)>;
    using Store = std::function<std::string(std::string_view array, const std::string& value)>;
    std::string replaced(const std::vector<std::string>& arrays, const Replace& replace, const Store& store = {}) const;

   private:
    GEMEL_API friend std::string macro_with(std::string_view, const Snippet&, const std::vector<const Snippet*>&);
    struct Access {
        std::size_t begin, open, close;  ///< tokens: the name, '[' and ']'
        bool is_element, written, read, address;
        bool whole_statement;  ///< `x[j] = value`, and nothing decides whether it runs but braces around it
        bool is_assignment;    ///< `x[j] = value` as a statement, perhaps behind `if (...)`, a label or a comma
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

/// A macro of the preamble, or of a snippet, that the snippets use and that names this array; empty if there is none.
GEMEL_API std::string macro_with(std::string_view array, const Snippet& preamble,
                                 const std::vector<const Snippet*>& snippets);

}  // namespace gemel::codegen
