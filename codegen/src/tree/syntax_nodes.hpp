/// The nodes behind the handles of syntax trees.
#pragma once

#include <gemel/codegen/function.hpp>

#include <string_view>

namespace gemel::codegen {

/// The operands of an expression, destroyed iteratively: recursion over a long chain would exhaust the stack.
struct Operands : std::vector<Expression> {
    using std::vector<Expression>::vector;
    Operands() = default;
    Operands(std::vector<Expression> all) : std::vector<Expression>(std::move(all)) {}
    Operands(Operands&&) = default;
    Operands& operator=(Operands&&) = default;
    ~Operands();
};

/// Maximum nesting, because trees are printed recursively. Compilers accept a few hundred parentheses.
constexpr int deepest_tree = 1000;

struct ExpressionNode {
    enum class Kind {
        literal,
        name,
        unary,   ///< text: the operator
        binary,  ///< text: the operator
        conditional,
        index,
        member,    ///< text: "." or "->", then the name
        call,      ///< text: the function
        cast,      ///< to `type`
        vector,    ///< of `type`
        position,  ///< text: "thread_id" and its siblings; axis
        raw,
    };
    /// Precedences, in C's order.
    enum Precedence {
        lowest,
        conditional_level,
        logical_or,
        logical_and,
        bitwise_or,
        bitwise_xor,
        bitwise_and,
        equality,
        relation,
        shift,
        sum,
        product,
        prefix,
        postfix,
        primary,
    };

    Kind kind = Kind::raw;
    std::string text = {};
    Type type = {};
    Operands operands = {};
    int axis = 0;
    // For literals, by the kind of the type.
    std::int64_t integer = 0;  ///< the bits of unsigned ones
    double real = 0, imaginary = 0;
    int depth = 1;            ///< of the tree below; the links of a chain such as a + b + c count as one level
    bool may_be_row = false;  ///< may_be_row(), cached, since it would traverse a whole chain
};

/// Whether the left operand of a binary operator is another one that needs no parentheses. Such chains are printed in a
/// loop.
bool continues_chain(const ExpressionNode& binary);

/// The precedence of a binary operator of this library.
ExpressionNode::Precedence precedence_of(std::string_view binary_operator);

struct StatementNode {
    enum class Kind {
        expression,
        declaration,  ///< of type, name, extents, values; is_shared
        assignment,   ///< expressions[0] text expressions[1]
        increment,    ///< expressions[0], text: "++" or "--"
        condition,    ///< if expressions[0]: body, else otherwise
        for_loop,     ///< parts[0]; expressions[0]; parts[1]
        while_loop,
        do_while_loop,
        jump,  ///< text: "return", "break", "continue"; expressions: what is returned
        barrier,
        global_barrier,
        block,
        comment,
        raw,
    };
    Kind kind = Kind::raw;
    std::string text = {};
    std::vector<Expression> expressions = {};
    Type type = {};
    std::string name = {};
    std::vector<std::size_t> extents = {};
    std::vector<Expression> values = {};
    bool is_shared = false;
    std::vector<Statement> parts = {}, body = {}, otherwise = {};
    int depth = 1;  ///< of the nested statements
};

struct Program::Item {
    enum class Kind { function, structure, table, text };
    Kind kind = Kind::text;
    Function function = {};
    std::string name = {}, text = {};
    std::vector<StructMember> members = {};
    Type type = {};
    std::vector<Expression> values = {};
};

/// @throws ArgumentError unless it is an identifier of C. @param what  "a variable", for the message
void check_word(const std::string& name, const std::string& what);
/// The same for a declared name, which also must be neither a keyword nor a word of kernels.
void check_identifier(const std::string& name, const std::string& what);

/// A pattern of a dialect's table with `@` and `#` replaced.
std::string fill_pattern(const std::string& pattern, const std::string& at, const std::string& hash);

}  // namespace gemel::codegen
