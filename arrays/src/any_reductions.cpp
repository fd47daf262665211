/// Reductions of what has its type at run time only.
#include "expression_node.hpp"

#include <gemel/arrays/reductions.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace gemel {
namespace {

constexpr const char* names[] = {"sum", "prod", "min", "max", "any", "all", "argmin", "argmax"};
const char* name_of(ReductionKind kind) { return names[static_cast<std::size_t>(kind)]; }

bool is_sixteen_bit_float(DType dtype) { return dtype.is_floating() && dtype.size_bytes() == 2; }

void check_order(ReductionKind kind, DType dtype) {
    if (dtype.kind() == DType::Kind::complex)
        throw ArgumentError(text(name_of(kind), ": complex numbers have no order: take real(), imag() or abs()"));
}

AnyArray found_as(ReductionKind kind, const AnyExpr& x, const ReducedOver& over, bool keepdims, DType result) {
    if (result.empty()) return reduce(kind, x.view(), result_type(TypeRule::sum, x.dtype()), over, keepdims);
    return reduce(kind, astype(x, result).view(), result, over, keepdims);
}

/// A number as an element of a type, by the rules of element_of().
template <class T>
AnyExpr element_number(const AnyExpr::Number& number) {
    return std::visit(
        [](const auto& value) -> AnyExpr {
            if constexpr (ValueFor<std::remove_cvref_t<decltype(value)>, T>) {
                return AnyExpr(element_of<T>(value));
            } else {
                throw ArgumentError(
                    text("a reduction of ", dtype_of<T>().name(), " cannot begin with a complex number"));
            }
        },
        number);
}

template <class... T>
AnyExpr element_number(const AnyExpr::Number& number, DType dtype) {
    std::optional<AnyExpr> element;
    ((dtype == dtype_of<T>() ? void(element = element_number<T>(number)) : void()), ...);
    return element.value();
}

AnyExpr evaluated_once(const AnyExpr& x) {
    return x.node().structure->kind == ExpressionStructure::Kind::operation ? AnyExpr(x.eval()) : x;
}

}  // namespace

AnyArray reduce(ReductionKind kind, const AnyExpr& x, const ReducedOver& over, bool keepdims, DType result) {
    switch (kind) {
        case ReductionKind::sum:
        case ReductionKind::product: return found_as(kind, x, over, keepdims, result);
        case ReductionKind::any:
        case ReductionKind::all: return reduce(kind, x.view(), dtype_of<bool>(), over, keepdims);
        default: break;
    }
    check_order(kind, x.dtype());
    reduced_count(name_of(kind), x.view(), over);
    const bool is_place = kind == ReductionKind::argmin || kind == ReductionKind::argmax;
    return reduce(kind, x.view(), is_place ? dtype_of<std::int64_t>() : x.dtype(), over, keepdims);
}

AnyArray reduce_from(ReductionKind kind, const AnyExpr& x, const ReducedOver& over, bool keepdims,
                     const AnyExpr& initial, DType result) {
    const bool is_sum = kind == ReductionKind::sum || kind == ReductionKind::product;
    if (!is_sum) check_order(kind, x.dtype());
    const AnyArray found =
        is_sum ? found_as(kind, x, over, keepdims, result) : reduce(kind, x.view(), x.dtype(), over, keepdims);
    const AnyExpr first =
        element_number<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                       std::uint32_t, std::uint64_t, half, bfloat16, float, double, cfloat, cdouble>(
            initial.node().number, found.dtype());
    const Operation& combine = kind == ReductionKind::sum       ? Add::operation
                               : kind == ReductionKind::product ? Multiply::operation
                               : kind == ReductionKind::minimum ? Minimum::operation
                                                                : Maximum::operation;
    found.assign(AnyExpr(combine, std::array{AnyExpr(found), first}));
    return found;
}

AnyArray mean_of(const AnyExpr& x, const ReducedOver& over, bool keepdims) {
    const DType result = result_type(TypeRule::mean, x.dtype());
    const std::size_t count = reduced_count(nullptr, x.view(), over);
    const AnyArray total =
        reduce(ReductionKind::sum, x, over, keepdims, is_sixteen_bit_float(result) ? dtype_of<float>() : result);
    return astype(total / static_cast<double>(count), result);
}

AnyArray var_of(const AnyExpr& x, const ReducedOver& over, bool keepdims, std::size_t ddof) {
    if (is_sixteen_bit_float(x.dtype()))
        return astype(var_of(astype(x, dtype_of<float>()), over, keepdims, ddof), x.dtype());
    const auto divisor = static_cast<double>(reduced_count(nullptr, x.view(), over)) - static_cast<double>(ddof);
    return sum(square(abs(x - mean_of(x, over, true))), over, keepdims) / std::max(divisor, 0.0);
}

AnyArray stddev_of(const AnyExpr& x, const ReducedOver& over, bool keepdims, std::size_t ddof) {
    if (is_sixteen_bit_float(x.dtype()))
        return astype(stddev_of(astype(x, dtype_of<float>()), over, keepdims, ddof), x.dtype());
    return sqrt(var_of(x, over, keepdims, ddof));
}

AnyArray norm_of(const AnyExpr& x, const ReducedOver& over, bool keepdims) {
    const DType own = x.dtype();
    if (is_sixteen_bit_float(own)) return astype(norm_of(astype(x, dtype_of<float>()), over, keepdims), own);
    if (is_bool_or_integer(own)) return norm_of(astype(x, dtype_of<double>()), over, keepdims);
    return sqrt(sum(square(abs(x)), over, keepdims));
}

AnyArray inner_of(const AnyExpr& a, const AnyExpr& b) {
    const AnyExpr left = evaluated_once(a), right = evaluated_once(b);
    if (left.shape().rank() == 0 || right.shape().rank() == 0) return left * right;
    const auto [x, y] = inner_operands(left.node().array, right.node().array);
    return sum(x * y, -1, false, promote(left.dtype(), right.dtype()));
}

}  // namespace gemel
