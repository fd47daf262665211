/// Reductions of what has its type at run time only.
#include "expression/any_number.hpp"
#include "expression/expression_kernel.hpp"
#include "expression/expression_node.hpp"

#include <gemel/arrays/reductions.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace gemel {
namespace {

bool is_sixteen_bit_float(DType dtype) { return dtype.is_floating() && dtype.size_bytes() == 2; }

void check_order(ReductionKind kind, DType dtype) {
    if (dtype.kind() == DType::Kind::complex)
        throw ArgumentError(text(name_of(kind), ": complex numbers have no order: take real(), imag() or abs()"));
}

AnyArray found_as(ReductionKind kind, const AnyExpr& x, const ReducedOver& over, bool keepdims, DType result,
                  const char* who) {
    if (result.empty()) return reduce(kind, x.view(), result_type(TypeRule::sum, x.dtype()), over, keepdims, who);
    const char* const name = who ? who : name_of(kind);
    if (!is_number(result))
        throw ArgumentError(text(name, ": the result of elements of ", x.dtype().name(), " cannot be of ",
                                 result.name(), ", which is no number"));
    return reduce(kind, naming(name, [&] { return astype(x, result); }).view(), result, over, keepdims, who);
}

AnyExpr evaluated_once(const AnyExpr& x) {
    return x.node().structure->kind == ExpressionStructure::Kind::operation ? AnyExpr(x.eval()) : x;
}

}  // namespace

AnyArray reduce(ReductionKind kind, const AnyExpr& x, const ReducedOver& over, bool keepdims, DType result,
                const char* who) {
    switch (kind) {
        case ReductionKind::sum:
        case ReductionKind::product: return found_as(kind, x, over, keepdims, result, who);
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
        is_sum ? found_as(kind, x, over, keepdims, result, nullptr) : reduce(kind, x.view(), x.dtype(), over, keepdims);
    const char* const who = name_of(kind);
    const auto element = element_bytes(who, found.dtype(), initial.node().number);
    const AnyExpr first(number_at(who, found.dtype(), element.data()));
    const Operation& combine = kind == ReductionKind::sum       ? Add::operation
                               : kind == ReductionKind::product ? Multiply::operation
                               : kind == ReductionKind::minimum ? Minimum::operation
                                                                : Maximum::operation;
    found.assign(AnyExpr(combine, std::array{AnyExpr(found), first}));
    return found;
}

AnyArray mean_of(const AnyExpr& x, const ReducedOver& over, bool keepdims) {
    const DType result = result_type(TypeRule::mean, x.dtype());
    const std::size_t count = averaged_count("mean", x.view(), over);
    const DType found = is_sixteen_bit_float(result) ? dtype_of<float>() : result;
    const AnyArray total = reduce(ReductionKind::sum, x, over, keepdims, found, "mean");
    return astype(total / static_cast<double>(count), result);
}

AnyArray var_of(const AnyExpr& x, const ReducedOver& over, bool keepdims, double ddof) {
    const std::size_t count = averaged_count("var", x.view(), over);
    if (is_sixteen_bit_float(x.dtype()))
        return astype(var_of(astype(x, dtype_of<float>()), over, keepdims, ddof), x.dtype());
    const double divisor = static_cast<double>(count) - ddof;
    return sum(square(abs(x - mean_of(x, over, true))), over, keepdims) / std::max(divisor, 0.0);
}

AnyArray stddev_of(const AnyExpr& x, const ReducedOver& over, bool keepdims, double ddof) {
    averaged_count("stddev", x.view(), over);
    if (is_sixteen_bit_float(x.dtype()))
        return astype(stddev_of(astype(x, dtype_of<float>()), over, keepdims, ddof), x.dtype());
    return sqrt(var_of(x, over, keepdims, ddof));
}

AnyArray norm_of(const AnyExpr& x, const ReducedOver& over, bool keepdims) {
    averaged_count("norm", x.view(), over);
    const DType own = x.dtype();
    if (is_sixteen_bit_float(own)) return astype(norm_of(astype(x, dtype_of<float>()), over, keepdims), own);
    if (is_bool_or_integer(own)) return norm_of(astype(x, dtype_of<double>()), over, keepdims);
    return sqrt(sum(square(abs(x)), over, keepdims));
}

AnyArray inner_of(const AnyExpr& a, const AnyExpr& b) {
    const AnyExpr left = evaluated_once(a), right = evaluated_once(b);
    if (left.shape().rank() == 0 || right.shape().rank() == 0) return left * right;
    const auto [x, y] = inner_operands(left.node().array, right.node().array);
    return reduce(ReductionKind::sum, x * y, -1, false, promote(left.dtype(), right.dtype()), "inner");
}

}  // namespace gemel
