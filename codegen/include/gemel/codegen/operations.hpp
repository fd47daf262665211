/// The table of expression operations; its rows are in codegen/src/operations/operations.cpp.
#pragma once

#include <gemel/codegen/promotion.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace gemel {

/// A host number of run-time type, stored as the widest type of its kind.
using AnyNumber = std::variant<bool, std::int64_t, std::uint64_t, double, cdouble>;

}  // namespace gemel

namespace gemel::codegen {

/// The type in which an operation is computed.
enum class Compute : std::uint8_t {
    in_common,     ///< the operands' common type
    in_result,     ///< the result type, which may be wider than the operands' (/ of integers)
    by_condition,  ///< the first operand is a bool that selects one of the others
    by_cast,       ///< the result type, which the caller names
    after_order,   ///< the first operand is an int64 (an order); the others have the result type
    by_exponent,   ///< the second operand is an int64 (an exponent); the first has the result type
};

/// Whether an operation takes real numbers only, or complex numbers too.
enum class Numbers : std::uint8_t { real, complex };

/// The properties of an operation that decide the types of its operands and result.
struct OperationType {
    const char* name;       ///< the function's name: "sin", "operator+"
    std::uint8_t operands;  ///< their number
    TypeRule rule;
    Compute compute;
    Numbers numbers;
};

struct Folding;

/// A row of the table. In `text`, `#1`, `#2`, ... stand for the operands and `$` for the type of the computation. `@`
/// before an operand casts integers to unsigned, so that the result wraps around.
struct Operation : OperationType {
    const char* text;          ///< in kernel source
    const char* complex_text;  ///< for complex numbers; empty if they are not supported
    const char* helper;        ///< a function that the text calls, defined once per type; may be empty
    const Folding* folding;    ///< its values for host numbers
};

GEMEL_API std::span<const Operation> all_operations();
/// The operation of this name with this number of operands, or null.
GEMEL_API const Operation* find_operation(std::string_view name, std::size_t operands);
/// The row of an operation. @throws ArgumentError if there is none, or its properties differ
GEMEL_API const Operation& row_of(const OperationType& type);
/// Powers with the exponents 0, 1, 2, 3, 4, -1, -2, 0.5 and -0.5 need no pow(). Returns the position of `exponent` in
/// this list, counted from 1, or 0.
GEMEL_API std::uint8_t cheap_power(const AnyNumber& exponent);
/// The row of such a power. Its types are those of pow; it has no text for complex numbers.
GEMEL_API const Operation& cheap_power_row(std::uint8_t which);
/// Evaluates an operation on host numbers with Python's semantics: integers stay integers under + - * // % & | ^ ~ <<
/// >>, abs, rounding and powers. Empty for operations that the host does not evaluate: casts, and special functions
/// except erf.
/// @throws ArgumentError if an integer result does not fit 64 bits, the divisor of // or % is integer zero, or a shift
/// is
///         negative
GEMEL_API std::optional<AnyNumber> fold(const Operation& operation, std::span<const AnyNumber> numbers);

/// The type of the computation.
constexpr DType computed_type(const OperationType& operation, DType common, DType result) {
    return operation.compute == Compute::in_common ? common : result;
}
/// Is operand k an exponent or an order?
constexpr bool takes_exponent(const OperationType& operation, std::size_t k) {
    return (operation.compute == Compute::after_order && k == 0) ||
           (operation.compute == Compute::by_exponent && k == 1);
}
/// Does the result type depend on operand k?
constexpr bool decides_type(const OperationType& operation, std::size_t k) {
    return !(operation.compute == Compute::by_condition && k == 0) && !takes_exponent(operation, k);
}
/// The type to which operand k is converted.
constexpr DType operand_type(const OperationType& operation, std::size_t k, DType common, DType result) {
    if (operation.compute == Compute::by_condition && k == 0) return dtype_of<bool>();
    return takes_exponent(operation, k) ? dtype_of<std::int64_t>() : computed_type(operation, common, result);
}

}  // namespace gemel::codegen
