/// Which element type an operation gives: NumPy 2's promotion, as arithmetic on DType, at compile time and at run time.
#pragma once

#include <gemel/core/dtype.hpp>

#include <cstdint>
#include <span>

namespace gemel {

/// Kinds of numbers in the order in which they contain one another; 0 if not numeric.
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

/// Whether `from` converts to `to` within its kind or upwards, as NumPy's can_cast(..., "same_kind"): float64 to
/// float32, int64 to int8, but not float to integer, signed to unsigned or complex to real. Structs and vectors only to
/// themselves.
constexpr bool is_same_kind(DType from, DType to) {
    return from == to || (kind_rank(from) != 0 && kind_rank(from) <= kind_rank(to));
}

/// The kind of a scalar of the host, which alone counts beside an array (NumPy's weak scalars): `2.5 * x` of a float
/// array is a float array.
enum class ScalarKind : std::uint8_t { boolean, integer, floating, complex };

/// How the type of a result follows from the common type of the operands. An empty DType means that the operation has
/// no meaning for it, as the difference of bools.
enum class TypeRule : std::uint8_t {
    common,           ///< + * min max where
    difference,       ///< - and negation: no bools
    quotient,         ///< /: integers give double
    remainder,        ///< floor division, %: no complex numbers; bools count as int8
    power,            ///< bools count as int8
    bitwise,          ///< & | ^ ~: bools and integers
    shift,            ///< << >>: integers; bools count as int8
    elementary,       ///< sin, exp, sqrt: integers give the smallest floating type that has their values
    real_elementary,  ///< atan2, hypot: the same, no complex numbers
    complex_alone,    ///< hankel_01: complex numbers alone
    exponent,         ///< ilogb: int32, of what counts as for real_elementary
    rounding,         ///< floor, ceil, trunc: no complex numbers; integers stay
    magnitude,        ///< abs: complex numbers give real ones
    comparison,       ///< < ==: bool
    truth,            ///< logic, isnan: bool
    sum,              ///< sum, prod, cumsum: integers are counted in 64 bits
    mean,             ///< mean, var: integers give double
};

constexpr bool is_number(DType t) { return t.lanes() == 1 && !t.empty() && t.kind() != DType::Kind::structure; }
constexpr bool is_bool_or_integer(DType t) {
    return is_number(t) && (t.kind() == DType::Kind::boolean || t.is_integer());
}

/// What may be an exponent or an order: bools, and integers whose values int64 has.
constexpr bool is_exponent(DType t) { return is_bool_or_integer(t) && !(t == dtype_of<std::uint64_t>()); }

/// The smallest type that has the values of both, as numpy.result_type of two arrays: int32 and float give double.
/// bfloat16 behaves as float16; the two together give float. Structs and vectors only agree with themselves; otherwise
/// empty.
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

/// Of several, as NumPy: int16, uint16 and float in any order give float, though the integers alone would give int32
/// and that beside float double.
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

/// What numbers of the host are among themselves, without an array: NumPy's default types.
constexpr DType default_type(ScalarKind number) {
    switch (number) {
        case ScalarKind::boolean: return dtype_of<bool>();
        case ScalarKind::integer: return dtype_of<std::int64_t>();
        case ScalarKind::floating: return dtype_of<double>();
        case ScalarKind::complex: break;
    }
    return dtype_of<cdouble>();
}

/// The type of a number of the host without an array: floating types stay as in C++, integers are int64.
constexpr DType number_type(DType own) {
    return is_bool_or_integer(own) ? default_type(own.is_integer() ? ScalarKind::integer : ScalarKind::boolean) : own;
}
/// The type of two such numbers together: an integer does not widen a floating-point or complex one. Empty: none.
constexpr DType promote_numbers(DType a, DType b) {
    if (a.empty() || b.empty()) return a.empty() ? b : a;
    if (is_bool_or_integer(a) != is_bool_or_integer(b)) return is_bool_or_integer(a) ? b : a;
    return promote(a, b);
}

/// An array's type beside a number of the host: changed only if the number is of a higher kind.
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

/// The result's type, from the common type of the operands. Empty if the operation has no meaning for it.
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

/// What an operand's type counts as when the common type is sought. Two integers meet as floating types in atan2 and
/// hypot, where int8 and uint16 give float, though as integers they would give int32 and so double.
constexpr DType operand_type(TypeRule rule, DType own) {
    const bool is_real = rule == TypeRule::real_elementary || rule == TypeRule::exponent;
    return is_real && is_bool_or_integer(own) ? promote(own, dtype_of<half>()) : own;
}
/// Of two arrays, and of an array and a number. Empty if the operation has no meaning for them.
constexpr DType result_type(TypeRule rule, DType a, DType b) {
    return result_type(rule, promote(operand_type(rule, a), operand_type(rule, b)));
}
constexpr DType result_type(TypeRule rule, DType array, ScalarKind number) {
    const DType beside = promote(array, number);
    return result_type(rule, beside == array ? operand_type(rule, array) : beside);
}

/// The types of some operands, collected.
struct CommonType {
    DType array = {};                         ///< of all arrays together
    DType counted = {};                       ///< the same of what they count as
    ScalarKind number = ScalarKind::boolean;  ///< the highest kind of number
    DType numbers = {};                       ///< of all numbers together, where there is no array
    bool has_array = false;

    constexpr CommonType with(TypeRule rule, DType own) const {
        CommonType result = *this;
        result.array = has_array ? promote(array, own) : own;
        result.counted = has_array ? promote(counted, operand_type(rule, own)) : operand_type(rule, own);
        result.has_array = true;
        return result;
    }
    /// @param own  what the number is by itself, if not NumPy's default
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

}  // namespace gemel
