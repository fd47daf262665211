#include "expression/reduce_in_rows.hpp"

#include "expression/expression_kernel.hpp"
#include "expression/expression_node.hpp"
#include "generated/staged_lines.hpp"

#include <gemel/arrays/lazy.hpp>
#include <gemel/core/context.hpp>

#include <array>
#include <optional>
#include <vector>

namespace gemel {
namespace {

using detail::Reducing;

/// Elements whose reduced axes are consecutive, followed by nothing or by contiguous columns.
struct Runs {
    std::size_t size, length;
    std::size_t columns;     ///< 1: runs are along the last axis
    std::size_t item_bytes;  ///< of the first operand
    bool is_one_array;       ///< a contiguous one
    bool may_stage;          ///< the device can
};

/// Empty if elements have another structure, or one kernel does not take their operands, or on a CPU device.
std::optional<Runs> runs_of(const detail::ExpressionView& elements, const ReductionAxes& over, std::size_t count) {
    if (elements.dtype.kind() == DType::Kind::complex) return std::nullopt;
    detail::ExpressionOperands operands;
    elements.collect(elements.expression, operands);
    if (!operands.fits_elements() || operands.array_count == 0) return std::nullopt;
    const AnyArray& x = *operands.arrays[0];
    const DeviceInfo& device = x.context().device().info();
    if (device.type != DeviceInfo::Type::gpu) return std::nullopt;
    const bool is_one_array = operands.array_count == 1 && x.is_contiguous();
    BroadcastOperands broadcast;
    broadcast.broadcast(operands);
    const Shape& shape = broadcast.shape();
    if (shape.empty() || shape.count() == 0) return std::nullopt;
    std::vector<bool> reduced(shape.rank(), !over.axes());
    if (over.axes())
        for (const int axis : *over.axes()) reduced[static_cast<std::size_t>(axis_number(shape, axis))] = true;
    Runs runs{.size = shape.count(),
              .length = 1,
              .columns = 1,
              .item_bytes = x.dtype().size_bytes(),
              .is_one_array = is_one_array,
              .may_stage = can_stage(device)};
    std::size_t last = shape.rank();
    while (last > 0 && !reduced[last - 1]) runs.columns *= static_cast<std::size_t>(shape[--last]);
    while (last > 0 && reduced[last - 1]) runs.length *= static_cast<std::size_t>(shape[--last]);
    return runs.length == count ? std::optional(runs) : std::nullopt;
}

constexpr std::size_t few_in_one_run = 1 << 20, longest_column = 256, narrow = 32;

bool are_few(const Runs& runs) {
    return runs.size < few_elements && runs.length <= few_in_one_run &&
           (runs.columns == 1 || runs.columns >= narrow || runs.length <= longest_column);
}

/// Whether a reduction, which copies lines of odd length to shared memory, is faster than a row program. Variances of
/// 2^28 elements on an H200, us, by row programs and so: floats in rows of 257 392 and 288, of 31 1276 and 340, of 1021
/// 244 and 285; halves in rows of 257 448 and 210; doubles in rows of 257 523 and 616, of 31 1163 and 498.
bool is_better_staged(const Runs& runs) {
    constexpr std::size_t access = 16, longest_doubles = 512;
    const std::size_t bytes = runs.length * runs.item_bytes;
    return runs.may_stage && bytes % access != 0 &&
           bytes <= (runs.item_bytes == 8 ? longest_doubles : longest_staged_run(runs.item_bytes));
}

/// The reduction as an expression with reductions of namespace lazy. Evaluating it again takes no AnyExpr.
class RowExpression {
   public:
    RowExpression(const RowReduction& reduction, const detail::ExpressionView& of, const ReductionAxes& over)
        : reduction_(reduction), of_(of), over_(over) {}

    detail::ExpressionView view() const {
        detail::ExpressionView view = of_;
        view.expression = this;
        view.dtype = reduction_.result;
        view.is_array = false;
        view.collect = [](const void* self, detail::ExpressionOperands& operands) {
            static_cast<const RowExpression*>(self)->collect(operands);
        };
        view.any = [](const void* self) { return static_cast<const RowExpression*>(self)->any(); };
        return view;
    }

   private:
    /// The word of the function and those of the axes tell it apart from other expressions of the same elements.
    void collect(detail::ExpressionOperands& operands) const {
        of_.collect(of_.expression, operands);
        operands.add_reduction(static_cast<std::uint64_t>(reduction_.function), reduction_.ddof);
        if (over_.axes())
            for (const int axis : *over_.axes())
                operands.add_reduction(static_cast<std::uint64_t>(std::int64_t{axis}), 0);
    }
    AnyExpr any() const {
        const AnyExpr x = of_.any(of_.expression);
        const bool is_root = reduction_.function == Reducing::stddev;
        const AnyExpr value = is_root                                ? sqrt(variance(x))
                              : reduction_.function == Reducing::var ? variance(x)
                                                                     : detail::lazy_of(reduction_.function, x, over_);
        return value.dtype() == reduction_.result ? value : astype(value, reduction_.result);
    }
    /// From distances to the mean. The effect of the rounding error in the mean is subtracted.
    /// @source Chan, Golub and LeVeque, "Algorithms for Computing the Sample Variance"
    AnyExpr variance(AnyExpr x) const {
        const auto n = static_cast<double>(reduction_.count);
        const DType type = codegen::result_type(codegen::TypeRule::mean, x.dtype());
        if (!(x.dtype() == type)) x = astype(x, type);
        const auto sum = [&](const AnyExpr& of) { return detail::lazy_of(Reducing::sum, of, over_); };
        // A quotient: with a factor, a fused multiply-add would leave distances between equal elements and their mean.
        const AnyExpr distance = x - sum(x) / exact_number(n);
        const AnyExpr rounding = sum(distance);
        const AnyExpr squares =
            maximum(sum(square(distance)) - square(rounding) * exact_number(1 / n), exact_number(0));
        return squares / exact_number(n - reduction_.ddof);
    }

    const RowReduction& reduction_;
    const detail::ExpressionView& of_;
    const ReductionAxes& over_;
};

}  // namespace

bool are_few_for_rows(const detail::ExpressionView& elements, const ReductionAxes& over, std::size_t count) {
    const auto runs = runs_of(elements, over, count);
    return runs && are_few(*runs);
}

bool are_few_columns(const detail::ExpressionView& elements, const ReductionAxes& over, std::size_t count) {
    const auto runs = runs_of(elements, over, count);
    return runs && runs->size < few_elements && runs->columns >= narrow && runs->length >= longest_column;
}

bool is_for_rows(const detail::ExpressionView& elements, const ReductionAxes& over, std::size_t count) {
    const auto runs = runs_of(elements, over, count);
    if (!runs) return false;
    if (are_few(*runs)) return true;
    if (runs->size < few_elements) return false;
    constexpr std::size_t longest_half_column = 16, fewest = 64;
    const std::size_t longest_row = runs->item_bytes == 8 ? 8192 : 16384;
    if (!runs->is_one_array) return false;
    if (runs->columns == 1)
        return runs->length <= longest_row && runs->size / runs->length >= fewest && !is_better_staged(*runs);
    return runs->columns >= narrow && runs->length <= (runs->item_bytes == 2 ? longest_half_column : longest_column);
}

AnyArray in_rows(const RowReduction& reduction, const detail::ExpressionView& elements, const Target& target) {
    const RowExpression expression(reduction, elements, target.axis);
    constexpr std::array<const AnyArray*, 1> nowhere{};
    const detail::ExpressionView view = expression.view();
    const AnyArray found = detail::evaluate_all({&view, 1}, nowhere).front();
    const AnyArray result = detail::without_reduced(found, target.axis, target.keepdims);
    return target.out ? store(result, target.out) : result;
}

}  // namespace gemel
