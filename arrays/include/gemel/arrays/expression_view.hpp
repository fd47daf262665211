/// A type-erased view of an expression, for evaluation: operations as data, operands, text.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/arrays/expression_types.hpp>
#include <gemel/codegen/operations.hpp>
#include <gemel/core/argument.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/signature.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gemel {

class AnyExpr;
struct FunctionDefinition;

namespace detail {

/// The arrays and numbers of one evaluation, in the order in which the expression names them.
class GEMEL_API ExpressionOperands {
   public:
    void add(const AnyArray& array);
    void add(const Argument& number);
    /// Adds a user's function that the expression calls.
    void add(const FunctionDefinition& function);
    /// Checks an integer that is compared with elements: their type may not be able to hold it.
    void check_compared(std::int64_t number, DType common);
    void check_compared(std::uint64_t number, DType common);

    /// Adds a reduction of namespace lazy. @param axes  a bit per axis, the lowest for the last axis
    void add_reduction(std::uint64_t axes, double ddof);

    /// Marks the number that was added last as the exponent of a power. Some exponents have a text of their own.
    void is_exponent(const AnyNumber& number);
    /// Marks the number that was added last as an exact_number().
    void is_exact() {
        if (!exceeds) exact_numbers |= std::uint64_t{1} << (number_count - 1);
    }
    /// Whether one kernel without reductions can evaluate the expression.
    bool fits_elements() const { return !exceeds && !has_reduction; }
    /// The cheap_power() of number k; 0 if none.
    std::uint8_t cheap_power_of(std::size_t k) const { return cheap_powers >> (4 * k) & 15; }

    static constexpr std::size_t max_arrays = 30, max_numbers = 16, max_uses = 64, max_operands = 38, max_functions = 8,
                                 max_reductions = 16;
    std::array<const AnyArray*, max_arrays> arrays;  ///< each once
    std::array<Argument, max_numbers> numbers;
    std::array<std::uint8_t, max_uses> uses;                         ///< the array of each use
    std::array<const FunctionDefinition*, max_functions> functions;  ///< one per call
    const FunctionDefinition* with_double = nullptr;                 ///< a function that computes in double, if any
    std::size_t array_count = 0, number_count = 0, use_count = 0, function_count = 0;
    std::array<std::uint64_t, 2 * max_reductions> reductions;  ///< axes and the bits of ddof of typed reductions
    std::size_t reduction_words = 0;
    std::uint64_t cheap_powers = 0;   ///< four bits per number
    std::uint64_t exact_numbers = 0;  ///< a bit per number
    bool has_reduction = false;       ///< has one of namespace lazy
    bool exceeds = false;             ///< too large for one kernel: evaluate parts first, or rewrite comparisons
};

/// Builds the source of an expression. Operands are visited in the order in which they were collected.
class GEMEL_API ExpressionText {
   public:
    /// @param vector  an OpenCL vector type, such as float16 or double8. If vectors_fit(), the text computes a vector
    ///                of elements at once
    explicit ExpressionText(const ExpressionOperands& operands, DType vector = {})
        : operands_(operands), vector_(vector) {}
    /// Whether all printed operations have a vector form and at least one gains by it.
    bool vectors_fit() const { return vectors_fit_ && vectors_gain_; }
    /// The next array's element, or the next number, as a value of a type.
    std::string array(DType own, DType as);
    std::string number(DType as);
    /// The name of the operation's value in other texts. Equal texts have equal names.
    std::string apply(const codegen::OperationType& operation, DType common, DType result, DType as,
                      std::span<const std::string> operands);
    /// The complete text of a value, with all names expanded. Values that are used more than once are computed once, in
    /// a function that is added to the preamble.
    std::string whole(const std::string& value);
    /// The name, in other texts, of what a text computes, which has this type. Equal texts have equal names.
    std::string named(DType as, std::string text);
    /// Converts the text of a value to another type.
    std::string value(const std::string& text, DType own, DType as) const;
    /// Several values and the statements before them, which define a constant for each value that is used more than
    /// once.
    struct Statements {
        std::string text;
        std::vector<std::string> values;
    };
    Statements statements(std::span<const std::string> values) const;
    /// The next call's function, and the text of the call. The operands have the types of the parameters.
    const FunctionDefinition& function() { return *operands_.functions[function_++]; }
    std::string call(const FunctionDefinition& function, DType as, std::span<const std::string> operands);

    std::vector<Parameter> numbers;  ///< as declared
    std::string preamble;

   private:
    struct Part {
        std::string type, text;
    };
    const ExpressionOperands& operands_;
    const DType vector_;
    bool vectors_fit_ = true, vectors_gain_ = false;
    bool is_lane(DType dtype) const;
    std::string element(std::size_t k) const;
    bool is_number(const std::string& operand, std::size_t k) const;
    const codegen::Operation& row_for(const codegen::OperationType& type, DType computed,
                                      std::span<const std::string> operands) const;

    std::size_t use_ = 0, function_ = 0;
    std::vector<Part> parts_;                        ///< of operations; operands precede the operations that use them
    std::vector<const FunctionDefinition*> called_;  ///< functions whose text is in the preamble
};

/// A type-erased expression.
struct ExpressionView {
    const void* expression;
    std::uint64_t type;  ///< distinguishes kinds of expressions; equal kinds have the same text
    DType dtype;
    void (*collect)(const void* expression, ExpressionOperands& operands);
    std::string (*print)(const void* expression, ExpressionText& text, DType as);
    AnyExpr (*any)(const void* expression);
    static constexpr std::size_t max_step_words = 3;
    std::array<std::uint64_t, max_step_words> steps = {};  ///< operations applied by the library; part of the cache key
    bool is_array = false;                                 ///< an array without any operation
};

/// Evaluates into `out` or a new array. One launch; more if the expression has too many operands for one kernel.
/// @throws ArgumentError if the shapes cannot be broadcast
GEMEL_API AnyArray evaluate(const ExpressionView& expression, const AnyArray* out = nullptr,
                            LeadingAxes leading = LeadingAxes::refused);
/// The kernel's text for contiguous arrays. If the expression is too large for one kernel, the text of the last kernel.
GEMEL_API std::string source(const ExpressionView& expression, const Dialect& dialect);

}  // namespace detail

}  // namespace gemel
