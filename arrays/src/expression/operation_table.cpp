#include "expression/operation_table.hpp"

#include <gemel/arrays/expression.hpp>

#include <unordered_map>

namespace gemel {
namespace {

template <class... Op>
constexpr std::array<NamedOperation, sizeof...(Op)> table(std::size_t operands) {
    return {NamedOperation{&Op::operation, operands}...};
}

constexpr auto unary =
    table<Negate, Plus, Invert, LogicalNot, Abs, RealPartOf, ImaginaryPartOf, Conj, Square, Sin, Cos, Tan, Sinh, Cosh,
          Tanh, Exp, Log, Sqrt, Asin, Acos, Atan, Asinh, Acosh, Atanh, Exp2, Expm1, Log2, Log10, Log1p, Cbrt, Rsqrt,
          Erf, Erfc, Tgamma, Lgamma, Sinpi, Cospi, Floor, Ceil, Trunc, Rint, Sign, IsNan, IsInf, IsFinite, Exp10, Tanpi,
          Asinpi, Acospi, Atanpi, Logb, Ilogb, FrexpMantissa, FrexpExponent, ModfFraction, ModfWhole, Round, Hankel0,
          Hankel1, Cast>(1);
constexpr auto binary =
    table<Add, Subtract, Multiply, Divide, BitAnd, BitOr, BitXor, ShiftLeft, ShiftRight, Equal, NotEqual, Less, Greater,
          LessEqual, GreaterEqual, LogicalAnd, LogicalOr, LogicalXor, FloorDivide, Remainder, Modulo, Power, Minimum,
          Maximum, Atan2, Hypot, Copysign, Fmod, Atan2pi, Ldexp, BesselJ, BesselY>(2);
constexpr auto ternary = table<Where>(3);

constexpr auto operations = [] {
    std::array<NamedOperation, unary.size() + binary.size() + ternary.size()> all{};
    std::size_t k = 0;
    for (const NamedOperation& operation : unary) all[k++] = operation;
    for (const NamedOperation& operation : binary) all[k++] = operation;
    for (const NamedOperation& operation : ternary) all[k++] = operation;
    return all;
}();

}  // namespace

std::span<const NamedOperation> all_operations() { return operations; }

const Operation* find_operation(std::string_view name, std::size_t operands) {
    static const auto& by_name = *[] {
        auto* map = new std::unordered_multimap<std::string_view, NamedOperation>;
        for (const NamedOperation& operation : operations) map->emplace(operation.operation->name, operation);
        return map;
    }();
    const auto [first, last] = by_name.equal_range(name);
    for (auto found = first; found != last; ++found)
        if (found->second.operands == operands) return found->second.operation;
    return nullptr;
}

}  // namespace gemel
