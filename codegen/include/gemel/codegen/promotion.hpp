/// The result types of operations: NumPy 2's promotion of DTypes, at compile time and run time.
#pragma once

#include <gemel/core/dtype.hpp>

#include <cstdint>
#include <span>

namespace gemel::codegen {

/// The rank of a kind of numbers; each kind contains those of lower rank. 0 if not numeric.
constexpr int kind_rank(DType dtype) {
    if (dtype.lanes() != 1) return 0;
    switch (dtype.kind()) {
        case DType::Kind::boolean: return 1;
        case DType::Kind::unsigned_integer: return 2;
        case DType::Kind::signed_integer: return 3;
        case DType::Kind::floating:
        case DType::Kind::bfloat: return 4;
        case DType::Kind::complex: return 5;
        default: return 0;
    }
}

/// Whether `from` converts to `to` by NumPy's can_cast(..., "same_kind"), within its kind or to a higher one: float64
/// to float32 and int64 to int8, but not float to integer, signed to unsigned or complex to real. Structs and vectors
/// convert only to themselves.
constexpr bool is_same_kind(DType from, DType to) {
    return from == to || (kind_rank(from) != 0 && kind_rank(from) <= kind_rank(to));
}

/// The kind of a host scalar. Next to an array only the kind counts (NumPy's weak scalars): `2.5 * x` has the type of x
/// if x is a float array.
enum class ScalarKind : std::uint8_t { boolean, integer, floating, complex };

/// How the result type follows from the common type of the operands. The result is an empty DType if the operation is
/// not defined for it, such as the difference of bools.
enum class TypeRule : std::uint8_t {
    common,           ///< + * min max where
    difference,       ///< - and negation: no bools
    quotient,         ///< /: integers give double
    remainder,        ///< floor division, %: no complex numbers; bools count as int8
    power,            ///< bools count as int8
    bitwise,          ///< & | ^ ~: bools and integers
    shift,            ///< << >>: integers; bools count as int8
    elementary,       ///< sin, exp, sqrt: integers give the smallest floating type that holds their values
    real_elementary,  ///< atan2, hypot: as elementary, no complex numbers
    complex_alone,    ///< hankel_01: complex numbers only
    exponent,         ///< ilogb: operands as for real_elementary, result int32
    rounding,         ///< floor, ceil, trunc: no complex numbers; integers are unchanged
    magnitude,        ///< abs: complex numbers give real ones
    comparison,       ///< < ==: bool
    truth,            ///< logic, isnan: bool
    sum,              ///< sum, prod, cumsum: integers give 64-bit integers
    mean,             ///< mean, var: integers give double
};

constexpr bool is_number(DType t) { return t.lanes() == 1 && !t.empty() && t.kind() != DType::Kind::structure; }
constexpr bool is_bool_or_integer(DType t) {
    return is_number(t) && (t.kind() == DType::Kind::boolean || t.is_integer());
}

/// Types of exponents and orders: bools, and integers whose values int64 holds.
constexpr bool is_exponent(DType t) { return is_bool_or_integer(t) && !(t == dtype_of<std::uint64_t>()); }

/// The smallest type that holds the values of both, as numpy.result_type of two arrays: int32 and float give double.
/// bfloat16 behaves like float16; the two together give float. A struct or vector type has a common type only with
/// itself; otherwise the result is empty.
constexpr DType promote(DType a, DType b) {
    using Kind = DType::Kind;
    if (a == b) return a;
    if (!is_number(a) || !is_number(b)) return {};
    if (a.kind() == Kind::boolean) return b;
    if (b.kind() == Kind::boolean) return a;
    if (a.kind() == Kind::complex || b.kind() == Kind::complex) {
        const auto part = [](DType t) {
            return t.kind() == Kind::complex ? DType(Kind::floating, t.size_bytes() / 2) : t;
        };
        const DType real = promote(part(a), part(b));
        return DType(Kind::complex, real.size_bytes() == 8 ? 16 : 8);
    }
    const DType larger = a.size_bytes() >= b.size_bytes() ? a : b;
    if (a.is_floating() && b.is_floating()) return a.size_bytes() != b.size_bytes() ? larger : DType(Kind::floating, 4);
    if (a.is_floating() || b.is_floating()) {
        const DType real = a.is_floating() ? a : b, integer = a.is_floating() ? b : a;
        const std::uint32_t needed = integer.size_bytes() >= 4 ? 8 : 2 * integer.size_bytes();
        return needed <= real.size_bytes() ? real : DType(Kind::floating, needed);
    }
    if (a.kind() == b.kind()) return larger;
    const DType with_sign = a.kind() == Kind::signed_integer ? a : b;
    const std::uint32_t without = (a.kind() == Kind::signed_integer ? b : a).size_bytes();
    if (with_sign.size_bytes() > without) return with_sign;
    return without == 8 ? DType(Kind::floating, 8) : DType(Kind::signed_integer, 2 * without);
}

/// The common type of several, as in NumPy independent of their order: int16, uint16 and float give float, although the
/// integers alone give int32, and int32 with float gives double.
constexpr DType promote(std::span<const DType> types) {
    DType common;
    bool begun = false;
    for (int rank = 5; rank >= 0; --rank)
        for (const DType type : types)
            if (kind_rank(type) == rank) {
                common = begun ? promote(common, type) : type;
                begun = true;
            }
    return common;
}

/// The types of host scalars without an array: NumPy's defaults.
constexpr DType default_type(ScalarKind number) {
    switch (number) {
        case ScalarKind::boolean: return dtype_of<bool>();
        case ScalarKind::integer: return dtype_of<std::int64_t>();
        case ScalarKind::floating: return dtype_of<double>();
        case ScalarKind::complex: break;
    }
    return dtype_of<cdouble>();
}

/// The type of a host scalar without an array: floating types as in C++, integers int64.
constexpr DType number_type(DType own) {
    return is_bool_or_integer(own) ? default_type(own.is_integer() ? ScalarKind::integer : ScalarKind::boolean) : own;
}
/// The common type of two such scalars: an integer does not widen a floating-point or complex one. Empty if none.
constexpr DType promote_numbers(DType a, DType b) {
    if (a.empty() || b.empty()) return a.empty() ? b : a;
    if (is_bool_or_integer(a) != is_bool_or_integer(b)) return is_bool_or_integer(a) ? b : a;
    return promote(a, b);
}

/// The common type of an array and a host scalar: the array's, unless the scalar is of a higher kind.
constexpr DType promote(DType array, ScalarKind number) {
    using Kind = DType::Kind;
    if (!is_number(array)) return {};
    const ScalarKind own = array.kind() == Kind::boolean ? ScalarKind::boolean
                           : array.is_integer()          ? ScalarKind::integer
                           : array.is_floating()         ? ScalarKind::floating
                                                         : ScalarKind::complex;
    if (number <= own) return array;
    if (own == ScalarKind::floating) return DType(Kind::complex, array.size_bytes() == 8 ? 16 : 8);
    return default_type(number);
}

/// The result type for the common type of the operands. Empty if the operation is not defined for it.
constexpr DType result_type(TypeRule rule, DType common) {
    using Kind = DType::Kind;
    if (!is_number(common)) return {};
    const bool is_bool = common.kind() == Kind::boolean, is_complex = common.kind() == Kind::complex;
    const bool is_whole = is_bool_or_integer(common);
    const DType counted = is_bool ? dtype_of<std::int8_t>() : common;
    switch (rule) {
        case TypeRule::common: return common;
        case TypeRule::difference: return is_bool ? DType() : common;
        case TypeRule::quotient:
        case TypeRule::mean: return is_whole ? dtype_of<double>() : common;
        case TypeRule::remainder: return is_complex ? DType() : counted;
        case TypeRule::power: return counted;
        case TypeRule::bitwise: return is_whole ? common : DType();
        case TypeRule::shift: return is_whole ? counted : DType();
        case TypeRule::elementary:
        case TypeRule::real_elementary:
            if (is_complex) return rule == TypeRule::elementary ? common : DType();
            return is_whole ? promote(common, dtype_of<half>()) : common;
        case TypeRule::complex_alone: return is_complex ? common : DType();
        case TypeRule::exponent: return is_complex ? DType() : dtype_of<std::int32_t>();
        case TypeRule::rounding: return is_complex ? DType() : common;
        case TypeRule::magnitude: return is_complex ? DType(Kind::floating, common.size_bytes() / 2) : common;
        case TypeRule::comparison:
        case TypeRule::truth: return dtype_of<bool>();
        case TypeRule::sum:
            if (is_bool) return dtype_of<std::int64_t>();
            return is_whole ? DType(common.kind(), 8) : common;
    }
    return {};
}

/// The type with which an operand enters the common type. atan2 and hypot convert each integer to a floating type
/// first: int8 and uint16 give float, although their common integer type, int32, would give double.
constexpr DType operand_type(TypeRule rule, DType own) {
    const bool is_real = rule == TypeRule::real_elementary || rule == TypeRule::exponent;
    return is_real && is_bool_or_integer(own) ? promote(own, dtype_of<half>()) : own;
}
/// The result type for two arrays, and for an array and a host scalar. Empty if the operation is not defined.
constexpr DType result_type(TypeRule rule, DType a, DType b) {
    return result_type(rule, promote(operand_type(rule, a), operand_type(rule, b)));
}
constexpr DType result_type(TypeRule rule, DType array, ScalarKind number) {
    const DType beside = promote(array, number);
    return result_type(rule, beside == array ? operand_type(rule, array) : beside);
}

/// Accumulates the types of operands.
struct CommonType {
    DType array = {};                         ///< the common type of all arrays
    DType counted = {};                       ///< the same, of their operand_type()s
    ScalarKind number = ScalarKind::boolean;  ///< the highest kind of host scalar
    DType numbers = {};                       ///< the common type of all host scalars; used if there is no array
    bool has_array = false;

    constexpr CommonType with(TypeRule rule, DType own) const {
        CommonType result = *this;
        result.array = has_array ? promote(array, own) : own;
        result.counted = has_array ? promote(counted, operand_type(rule, own)) : operand_type(rule, own);
        result.has_array = true;
        return result;
    }
    /// @param own  the scalar's type, if not NumPy's default
    constexpr CommonType with(ScalarKind kind, DType own = {}) const {
        CommonType result = *this;
        if (kind > number) result.number = kind;
        result.numbers = promote_numbers(numbers, own.empty() ? default_type(kind) : own);
        return result;
    }
    constexpr DType dtype() const {
        if (!has_array) return numbers.empty() ? default_type(number) : numbers;
        const DType beside = promote(array, number);
        return beside == array ? counted : beside;
    }
};

}  // namespace gemel::codegen
