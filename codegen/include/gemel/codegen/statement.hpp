/// Statements of syntax trees.
#pragma once

#include <gemel/codegen/expression.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gemel::codegen {

struct StatementNode;

/// A statement. A handle: copies share what they stand for, which never changes. An expression is one by itself.
class GEMEL_API Statement {
   public:
    Statement(const Expression& expression);
    explicit Statement(std::shared_ptr<const StatementNode> node) : node_(std::move(node)) {}
    const StatementNode& node() const { return *node_; }

   private:
    std::shared_ptr<const StatementNode> node_;
};
using Statements = std::vector<Statement>;

/// A variable, with or without a value to begin with.
/// @throws ArgumentError if the name is not an identifier, the type void, or the value does not fit it
GEMEL_API Statement declare(const Type& type, const std::string& name, std::optional<Expression> value = {});
template <ElementType T>
Statement declare(const std::string& name, std::optional<Expression> value = {}) {
    return declare(Type(dtype_of<T>()), name, std::move(value));
}
/// A variable of its value's type. @throws ArgumentError if that is not known
GEMEL_API Statement declare(const std::string& name, const Expression& value);
/// `const T name = value;`
GEMEL_API Statement declare_constant(const Type& type, const std::string& name, const Expression& value);
/// An array of the thread's own; `extents` are the sizes of its axes.
/// @throws ArgumentError if there are more values than elements
GEMEL_API Statement declare_array(const Type& type, const std::string& name, std::vector<std::size_t> extents,
                                  std::vector<Expression> values = {});
/// An array that the threads of a block share; at the head of a kernel's body, nowhere else.
GEMEL_API Statement declare_shared(const Type& type, const std::string& name, std::vector<std::size_t> extents);

// These and all statements with others inside throw an ArgumentError for what no device takes: a place that is a
// constant or none in memory, a value that does not fit, nesting deeper than 1000 levels.
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
/// for (int name = begin; name < end; name += step); the variable is int64 where one of the limits is known to be.
GEMEL_API Statement for_range(const std::string& name, const Expression& begin, const Expression& end,
                              const Expression& step, Statements body);
GEMEL_API Statement while_loop(const Expression& condition, Statements body);
GEMEL_API Statement do_while_loop(Statements body, const Expression& condition);
GEMEL_API Statement return_value(const Expression& value);
GEMEL_API Statement return_nothing();
GEMEL_API Statement break_loop();
GEMEL_API Statement continue_loop();

/// Waits for all threads of a block; what they wrote to shared memory is then seen by all.
GEMEL_API Statement barrier();
/// The same, for device memory as well.
GEMEL_API Statement global_barrier();

/// Statements in braces of their own.
GEMEL_API Statement block(Statements body);
GEMEL_API Statement comment(const std::string& text);
/// Text that stands in the program as it is, indented.
GEMEL_API Statement raw(const std::string& text);

GEMEL_API std::string to_source(const Statement& statement, const Dialect& dialect);

}  // namespace gemel::codegen
