/// Statements of syntax trees.
#pragma once

#include <gemel/codegen/expression.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gemel::codegen {

struct StatementNode;

/// A handle of an immutable statement; copies share it. An expression converts to a statement.
class GEMEL_API Statement {
   public:
    Statement(const Expression& expression);
    explicit Statement(std::shared_ptr<const StatementNode> node) : node_(std::move(node)) {}
    const StatementNode& node() const { return *node_; }

   private:
    std::shared_ptr<const StatementNode> node_;
};
using Statements = std::vector<Statement>;

/// Declares a variable, with or without an initial value.
/// @throws ArgumentError if the name is not an identifier, the type is void, or the value does not fit the type
GEMEL_API Statement declare(const Type& type, const std::string& name, std::optional<Expression> value = {});
template <ElementType T>
Statement declare(const std::string& name, std::optional<Expression> value = {}) {
    return declare(Type(dtype_of<T>()), name, std::move(value));
}
/// Declares a variable of the value's type. @throws ArgumentError if that type is unknown
GEMEL_API Statement declare(const std::string& name, const Expression& value);
/// `const T name = value;`
GEMEL_API Statement declare_constant(const Type& type, const std::string& name, const Expression& value);
/// Declares a private array; `extents` are the sizes of its axes.
/// @throws ArgumentError if there are more values than elements
GEMEL_API Statement declare_array(const Type& type, const std::string& name, std::vector<std::size_t> extents,
                                  std::vector<Expression> values = {});
/// Declares an array in shared memory. Only at the top level of a kernel's body.
GEMEL_API Statement declare_shared(const Type& type, const std::string& name, std::vector<std::size_t> extents);

// These and all statements that contain others throw an ArgumentError for assignments to constants or to expressions
// that are not variables, values that do not fit, and nesting deeper than 1000 levels.
GEMEL_API Statement assign(const Expression& place, const Expression& value);
GEMEL_API Statement operator+=(const Expression& place, const Expression& value);
GEMEL_API Statement operator-=(const Expression& place, const Expression& value);
GEMEL_API Statement operator*=(const Expression& place, const Expression& value);
GEMEL_API Statement operator/=(const Expression& place, const Expression& value);
GEMEL_API Statement operator%=(const Expression& place, const Expression& value);
GEMEL_API Statement operator<<=(const Expression& place, const Expression& value);
GEMEL_API Statement operator>>=(const Expression& place, const Expression& value);
GEMEL_API Statement operator&=(const Expression& place, const Expression& value);
GEMEL_API Statement operator|=(const Expression& place, const Expression& value);
GEMEL_API Statement operator^=(const Expression& place, const Expression& value);
GEMEL_API Statement increment(const Expression& place);
GEMEL_API Statement decrement(const Expression& place);

GEMEL_API Statement if_then(const Expression& condition, Statements then, Statements otherwise = {});
/// for (first; condition; step). @throws ArgumentError if `first` or `step` is not a simple statement
GEMEL_API Statement for_loop(const Statement& first, const Expression& condition, const Statement& step,
                             Statements body);
/// for (int name = begin; name < end; name += step); the variable is int64 if one of the limits is.
GEMEL_API Statement for_range(const std::string& name, const Expression& begin, const Expression& end,
                              const Expression& step, Statements body);
GEMEL_API Statement while_loop(const Expression& condition, Statements body);
GEMEL_API Statement do_while_loop(Statements body, const Expression& condition);
GEMEL_API Statement return_value(const Expression& value);
GEMEL_API Statement return_nothing();
GEMEL_API Statement break_loop();
GEMEL_API Statement continue_loop();

/// Waits for all threads of a block, which then see each other's writes to shared memory.
GEMEL_API Statement barrier();
/// As barrier(), for writes to device memory too.
GEMEL_API Statement global_barrier();

/// Statements in braces.
GEMEL_API Statement block(Statements body);
GEMEL_API Statement comment(const std::string& text);
/// Text that is printed unchanged, indented.
GEMEL_API Statement raw(const std::string& text);

GEMEL_API std::string to_source(const Statement& statement, const Dialect& dialect);

}  // namespace gemel::codegen
