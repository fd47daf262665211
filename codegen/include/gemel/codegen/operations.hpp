/// The operations of expressions, as data: one row each, in codegen/src/operations/operations.cpp.
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

/// A number whose type is known only at run time: the widest of its kind.
using AnyNumber = std::variant<bool, std::int64_t, std::uint64_t, double, cdouble>;

/// The type that operands are computed in.
enum class Compute : std::uint8_t {
    in_common,     ///< the one that they have together
    in_result,     ///< the result's, where that is wider than their own (as / of integers)
    by_condition,  ///< the first is a bool, which chooses between the others
    by_cast,       ///< the result's, which is named
    after_order,   ///< the first is an int64 beside the others, which are computed in the result's
    by_exponent,   ///< the second is such a number
};

/// What is computed: real numbers alone, or complex ones too.
enum class Numbers : std::uint8_t { real, complex };

/// What C++ knows of an operation: enough for the types of its operands and its result.
struct OperationType {
    const char* name;       ///< of its function: "sin", "operator+"
    std::uint8_t operands;  ///< how many it takes
    TypeRule rule;
    Compute compute;
    Numbers numbers;
};

struct Folding;

/// A row of the table. How it is spelled: `#1`, `#2`, ... stand for operands, `$` for the type that they are computed
/// in. `@` before an operand makes it unsigned where integers are computed, so that the result wraps around.
struct Operation : OperationType {
    const char* text;
    const char* complex_text;  ///< the same for complex numbers; empty if there is none
    const char* helper;        ///< a function that the text calls, printed once per type; empty if none is needed
    const Folding* folding;    ///< what it does with numbers of the host
};

GEMEL_API std::span<const Operation> all_operations();
/// Null if there is none of that name for so many operands.
GEMEL_API const Operation* find_operation(std::string_view name, std::size_t operands);
/// The row of an operation. @throws ArgumentError if it has none, or one with other types
GEMEL_API const Operation& row_of(const OperationType& type);
/// Powers by some numbers of the host need no pow(): 0, 1, 2, 3, 4, -1, -2, 0.5 and -0.5. Which of these an exponent
/// is, counted from 1; 0 if it is none.
GEMEL_API std::uint8_t cheap_power(const AnyNumber& exponent);
/// Its row, of the same types as that of pow; without a text for complex numbers.
GEMEL_API const Operation& cheap_power_row(std::uint8_t which);
/// The value of an operation on numbers alone, as Python's: whole numbers stay whole under + - * // % & | ^ ~ << >>,
/// abs, rounding and powers. Empty for operations that are not done on the host: casts, and special functions but erf.
/// @throws ArgumentError if a whole number becomes too large, is divided by zero with // or %, or shifted by a
///         negative one
GEMEL_API std::optional<AnyNumber> fold(const Operation& operation, std::span<const AnyNumber> numbers);

/// The type that the operation is computed in.
constexpr DType computed_type(const OperationType& operation, DType common, DType result) {
    return operation.compute == Compute::in_common ? common : result;
}
/// Is operand number k an exponent or an order?
constexpr bool takes_exponent(const OperationType& operation, std::size_t k) {
    return (operation.compute == Compute::after_order && k == 0) ||
           (operation.compute == Compute::by_exponent && k == 1);
}
/// Has operand number k a part in the type of the result?
constexpr bool decides_type(const OperationType& operation, std::size_t k) {
    return !(operation.compute == Compute::by_condition && k == 0) && !takes_exponent(operation, k);
}
/// Of operand number k.
constexpr DType operand_type(const OperationType& operation, std::size_t k, DType common, DType result) {
    if (operation.compute == Compute::by_condition && k == 0) return dtype_of<bool>();
    return takes_exponent(operation, k) ? dtype_of<std::int64_t>() : computed_type(operation, common, result);
}

}  // namespace gemel
