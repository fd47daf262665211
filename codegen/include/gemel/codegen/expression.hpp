/// Expressions of syntax trees: C++ operators build them, to_source() prints them in a dialect.
#pragma once

#include <gemel/codegen/type.hpp>

#include <concepts>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace gemel::codegen {

struct ExpressionNode;
class Statement;

/// Types whose values convert to literals: `var("x") + 1`.
template <class T>
concept LiteralType = HasDType<T> && !std::is_pointer_v<T> &&
                      (std::is_arithmetic_v<T> || std::same_as<T, half> || std::same_as<T, bfloat16> ||
                       std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>);

/// A handle of an immutable expression; copies share it.
class GEMEL_API Expression {
   public:
    template <LiteralType T>
    Expression(T value) : Expression(make_literal(dtype_of<T>(), &value)) {}
    explicit Expression(std::shared_ptr<const ExpressionNode> node) : node_(std::move(node)) {}

    /// The type by C's rules if the operands' types are known; otherwise empty.
    const Type& type() const;
    const ExpressionNode& node() const { return *node_; }

    Expression operator[](const Expression& index) const;
    /// A member of a struct, or "x", "y", "z", "w" of a vector.
    Expression member(const std::string& name) const;
    /// A member through a pointer.
    Expression arrow(const std::string& name) const;
    /// Dereferences a pointer.
    Expression operator*() const;
    Expression operator-() const;
    Expression operator+() const;
    Expression operator!() const;
    Expression operator~() const;

   private:
    static std::shared_ptr<const ExpressionNode> make_literal(DType dtype, const void* value);

    std::shared_ptr<const ExpressionNode> node_;
};

// The operators of C that all devices support. If the operands' types are known and do not suit the operator, they
// throw an ArgumentError that names the operator and both types. Expressions nested deeper than 1000 levels throw one,
// too; a chain of operators of one precedence counts as one level.
GEMEL_API Expression operator+(const Expression& a, const Expression& b);
GEMEL_API Expression operator-(const Expression& a, const Expression& b);
GEMEL_API Expression operator*(const Expression& a, const Expression& b);
GEMEL_API Expression operator/(const Expression& a, const Expression& b);
GEMEL_API Expression operator%(const Expression& a, const Expression& b);
GEMEL_API Expression operator<<(const Expression& a, const Expression& b);
GEMEL_API Expression operator>>(const Expression& a, const Expression& b);
GEMEL_API Expression operator&(const Expression& a, const Expression& b);
GEMEL_API Expression operator|(const Expression& a, const Expression& b);
GEMEL_API Expression operator^(const Expression& a, const Expression& b);
GEMEL_API Expression operator&&(const Expression& a, const Expression& b);
GEMEL_API Expression operator||(const Expression& a, const Expression& b);
GEMEL_API Expression operator==(const Expression& a, const Expression& b);
GEMEL_API Expression operator!=(const Expression& a, const Expression& b);
GEMEL_API Expression operator<(const Expression& a, const Expression& b);
GEMEL_API Expression operator>(const Expression& a, const Expression& b);
GEMEL_API Expression operator<=(const Expression& a, const Expression& b);
GEMEL_API Expression operator>=(const Expression& a, const Expression& b);

/// A variable or parameter; the type may be unknown. @throws ArgumentError if the name is not an identifier
GEMEL_API Expression var(const std::string& name, const Type& type = {});
/// A literal whose type is known only at run time. @throws ArgumentError if an integer type cannot hold the value
GEMEL_API Expression literal(DType dtype, double value);
GEMEL_API Expression literal(DType dtype, std::int64_t value);
GEMEL_API Expression literal(DType dtype, std::uint64_t value);
template <std::integral T>
Expression literal(DType dtype, T value) {
    if constexpr (std::is_signed_v<T>) {
        return literal(dtype, static_cast<std::int64_t>(value));
    } else {
        return literal(dtype, static_cast<std::uint64_t>(value));
    }
}

/// The position of a thread along axis 0, 1 or 2. global_id and global_size are int64, the others int32.
GEMEL_API Expression thread_id(int axis);
GEMEL_API Expression block_id(int axis);
GEMEL_API Expression block_size(int axis);
GEMEL_API Expression grid_size(int axis);
GEMEL_API Expression global_id(int axis);
GEMEL_API Expression global_size(int axis);

/// A call of a function. `result` is its return type; without it, the type of the call is unknown.
GEMEL_API Expression call_with(const std::string& function, std::vector<Expression> arguments, const Type& result = {});
template <class... Arguments>
    requires(std::convertible_to<Arguments, Expression> && ...)
Expression call(const std::string& function, const Arguments&... arguments) {
    return call_with(function, {Expression(arguments)...});
}

/// @throws ArgumentError if C has no such conversion
GEMEL_API Expression cast(const Type& type, const Expression& value);
template <ElementType T>
Expression cast(const Expression& value) {
    return cast(Type(dtype_of<T>()), value);
}
/// condition ? a : b
GEMEL_API Expression select(const Expression& condition, const Expression& a, const Expression& b);
/// @throws ArgumentError for expressions without an address: literals and results of operators
GEMEL_API Expression address(const Expression& place);
/// A vector from its elements: vector(DType(DType::Kind::floating, 16, 4), {x, y, z, w}).
GEMEL_API Expression vector(DType dtype, std::vector<Expression> elements);
/// Text that is a valid expression in both dialects.
GEMEL_API Expression raw_expression(const std::string& text);

/// Convert a stored element to a value to compute with, and back: 16-bit floats to and from float; other types are
/// unchanged.
GEMEL_API Expression load(DType dtype, const Expression& stored);
GEMEL_API Expression store(DType dtype, const Expression& value);

/// Atomic operations on 32- and 64-bit numbers in global or shared memory; each returns the old value.
GEMEL_API Expression atomic_add(const Expression& pointer, const Expression& value);
GEMEL_API Expression atomic_min(const Expression& pointer, const Expression& value);
GEMEL_API Expression atomic_max(const Expression& pointer, const Expression& value);
GEMEL_API Expression atomic_exchange(const Expression& pointer, const Expression& value);
GEMEL_API Expression atomic_cas(const Expression& pointer, const Expression& expected, const Expression& desired);

/// The expression as source.
GEMEL_API std::string to_source(const Expression& expression, const Dialect& dialect);

}  // namespace gemel::codegen
