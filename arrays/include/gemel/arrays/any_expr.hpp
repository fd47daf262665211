/// AnyExpr: a lazy expression whose element type is known only at run time, built by operators or from text.
#pragma once

#include <gemel/arrays/expression_view.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel {

namespace detail {
struct ExpressionNode;
}
enum class ReductionKind : std::uint8_t;

namespace detail {
/// @throws ArgumentError if the number of operands, their types or their shapes do not fit
GEMEL_API AnyExpr call_of(const FunctionDefinition& function, std::span<const AnyExpr> operands);
/// x op= y: AnyArray::assign(), but leading axes that the array lacks are refused. @throws ArgumentError
GEMEL_API void update(const AnyArray& to, const AnyExpr& value);
GEMEL_API AnyExpr clip_of(const AnyExpr& x, const AnyExpr& low, const AnyExpr& high);
}  // namespace detail

/// Lazy expressions of known type, which AnyExpr accepts as operands.
template <class E>
concept ConvertsToAny = requires(const E& expression) {
    { expression.any() } -> std::same_as<AnyExpr>;
};

/// The untyped counterpart of Expr: an array, a number, or an operation on other AnyExprs. It has the same operations
/// with the same rules for types and shapes, and fuses them into one kernel in the same way. The text is built once per
/// structure; later expressions of the same structure find its kernel. Invalid operations throw when the expression is
/// constructed.
class GEMEL_API AnyExpr {
   public:
    using Number = AnyNumber;

    /// @throws ArgumentError if the handle is empty
    AnyExpr(const AnyArray& array);
    template <ConvertsToAny E>
    AnyExpr(const E& expression) : AnyExpr(expression.any()) {}
    template <HostNumber V>
    AnyExpr(const V& number) : AnyExpr(detail::widest(number), codegen::number_type(dtype_of<V>())) {}
    /// @param own  the number's type if no array decides it; default: the widest of its kind
    explicit AnyExpr(Number number, DType own = {});
    AnyExpr(const AnyExpr&) = default;
    AnyExpr(AnyExpr&&) noexcept = default;
    // Lvalues only: assigning to a temporary such as `x + y` would have no effect.
    AnyExpr& operator=(const AnyExpr&) & = default;
    AnyExpr& operator=(AnyExpr&&) & noexcept = default;
    /// An operation on operands. If all operands are numbers, it is computed at once.
    /// @param result  the result's element type; default: by the operation's type rule
    /// @throws ArgumentError that names the operation, if it is not defined for the types or shapes
    AnyExpr(const codegen::OperationType& operation, std::span<const AnyExpr> operands, DType result = {});

    /// The type of the result. For a number its own type (int64 for integers), although numbers are weakly typed beside
    /// arrays.
    DType dtype() const;
    const Shape& shape() const;
    /// Runs the kernel. @returns a new array @throws ArgumentError if all operands are numbers
    /// @time enqueued, returns at once; the first expression of each structure compiles
    AnyArray eval() const { return evaluate(view()); }
    operator AnyArray() const { return eval(); }
    /// The values. Blocks. @throws ArgumentError if the elements have another type
    template <HasDType T>
    std::vector<HostElement<T>> get() const {
        return GPUArray<T>(eval()).get();
    }
    /// The value of an expression of size 1. Blocks.
    template <HasDType T>
    T item() const {
        return GPUArray<T>(eval()).item();
    }
    AnyNumber item() const { return eval().item(); }
    detail::ExpressionView view() const;

    /// The expression's structure, for the library.
    const detail::ExpressionNode& node() const { return *node_; }

   private:
    friend AnyExpr placeholder(DType dtype, const Shape& shape);
    friend AnyExpr exact_number(double number);
    friend AnyExpr reduction_of(ReductionKind kind, const AnyExpr& x, DType result, std::uint64_t axes);
    friend AnyExpr detail::call_of(const FunctionDefinition& function, std::span<const AnyExpr> operands);
    explicit AnyExpr(std::shared_ptr<const detail::ExpressionNode> node) : node_(std::move(node)) {}
    std::shared_ptr<const detail::ExpressionNode> node_;
};

/// Operands whose type is known only at run time.
template <class X>
concept UntypedOperand =
    std::same_as<std::remove_cvref_t<X>, AnyArray> || std::same_as<std::remove_cvref_t<X>, AnyExpr>;
/// Operands, at least one of them untyped.
template <class... X>
concept UntypedCombinable = (UntypedOperand<X> || ...) && ((UntypedOperand<X> || Operand<X>) && ...);

/// A name in the text of an expression and its operand: an array, a number or an expression.
struct NamedOperand {
    std::string name;
    AnyExpr value;
};

/// An expression from text: `expression("sin(x) * y + 0.5", {{"x", x}, {"y", y}})`.
///
/// The operators are those of C with their precedence, including `c ? a : b`. In addition there are `**`
/// (right-associative, binds more tightly than a sign), `//` (floor_divide() with the precedence of `/`; comments are
/// `/* */`), and `and`, `or` for `&&`, `||`; `not x > 1` is `!(x > 1)`, as in Python. The functions are those of
/// arrays, with the same names. The names of types convert: `float(x)`, `int32_t(x)`. The parts of frexp(), modf() and
/// hankel_01() have their own names: `frexp_mantissa`, `frexp_exponent`, `modf_fraction`, `modf_whole`, `hankel_0` and
/// `hankel_1`. Numbers are weakly typed; `2j` is imaginary. Reductions are those of namespace lazy, with the axes as
/// further arguments: `exp(x - max(x, 1))`, `x / sum(x)`. `pi`, `inf`, `nan`, `true` and `false` are predefined; an
/// operand of the same name replaces them.
/// @throws ArgumentError that shows the position of the error in the text
/// @time linear in the length of the text; compiles at the first evaluation
GEMEL_API AnyExpr expression(std::string_view text, std::span<const NamedOperand> operands);
inline AnyExpr expression(std::string_view text, std::initializer_list<NamedOperand> operands) {
    return expression(text, std::span(operands.begin(), operands.size()));
}

/// The text of the expression's kernel in a dialect.
inline std::string source(const AnyExpr& expression, const Dialect& dialect) {
    return source(expression.view(), dialect);
}

}  // namespace gemel
