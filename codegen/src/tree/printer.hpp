/// Prints syntax trees in a dialect.
#pragma once

#include "tree/syntax_nodes.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace gemel::codegen {

/// The text of a literal and its precedence.
std::pair<std::string, ExpressionNode::Precedence> literal_text(const ExpressionNode& node, const Dialect& dialect);

/// A literal as a compile-time constant, for tables: half and complex literals are calls elsewhere.
std::string initializer_text(const ExpressionNode& node, const Dialect& dialect);

/// Appends struct types to a list, nested ones first, each once.
void collect_structs(const Type& type, std::vector<const StructLayout*>& found);

class Printer {
   public:
    explicit Printer(const Dialect& dialect) : dialect_(dialect) {}

    std::string expression(const Expression& expression, int at_least = ExpressionNode::lowest);
    void statement(const Statement& statement);
    void statements(const Statements& all);
    void function(const Function& function);
    void structure(const std::string& name, const std::vector<StructMember>& members);
    void table(const Type& type, const std::string& name, const std::vector<Expression>& values);
    void lines(const std::string& text);
    void blank_line() { out_ += '\n'; }

    std::string take() { return std::move(out_); }
    /// The struct types in the printed text.
    const std::vector<const StructLayout*>& structs() const { return structs_; }

   private:
    std::string declared(const Type& type, const std::string& name);
    std::string binary(const ExpressionNode& node);
    std::string unary(const ExpressionNode& node);
    std::string list(const std::vector<Expression>& expressions);
    std::string simple(const StatementNode& node);
    void condition(const StatementNode& node, const std::string& before);
    void braces(const std::string& head, const Statements& body, const std::string& tail);
    void line(const std::string& text);
    std::string printed(const Expression& expression, int at_least);
    /// The approximate number of characters of expressions.
    double length(const std::vector<const Expression*>& roots) const;
    void check_length(const Expression& expression) const;
    /// Before a statement that is too long: declares variables for parts that occur several times in its expressions.
    /// They are used until names_ is emptied.
    void share(const std::vector<const Expression*>& expressions);
    void share_all(const StatementNode& node);

    const Dialect& dialect_;
    std::string out_;
    int depth_ = 0;
    std::vector<const StructLayout*> structs_;
    std::unordered_map<const ExpressionNode*, std::string> names_;
    std::size_t parts_ = 0;
    bool is_inside_ = false;  ///< inside an expression whose length has been checked
};

}  // namespace gemel::codegen
