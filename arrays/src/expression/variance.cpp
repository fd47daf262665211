#include "expression/variance.hpp"

#include "expression/expression_kernel.hpp"
#include "expression/reduce_in_rows.hpp"
#include "generated/kernel_cache.hpp"

#include <gemel/arrays/lazy.hpp>
#include <gemel/core/context.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace gemel {
namespace {

/// The first elements of the reduced runs, as an expression of the same structure over views of the arrays.
class FirstOfRuns {
   public:
    FirstOfRuns(const detail::ExpressionView& of, const Shape& shape, const ReductionAxes& over)
        : of_(of), rank_(shape.rank()) {
        reduced_.assign(rank_, !over.axes());
        if (over.axes())
            for (const int axis : *over.axes()) reduced_[static_cast<std::size_t>(axis_number(shape, axis))] = true;
    }

    detail::ExpressionView view() const {
        detail::ExpressionView view = of_;
        view.expression = this;
        view.collect = [](const void* self, detail::ExpressionOperands& operands) {
            static_cast<const FirstOfRuns*>(self)->collect(operands);
        };
        view.print = [](const void* self, detail::ExpressionText& text, DType as) {
            const detail::ExpressionView& of = static_cast<const FirstOfRuns*>(self)->of_;
            return of.print(of.expression, text, as);
        };
        return view;
    }

    /// Those of an expression that is an array, as a view of it: no launch.
    AnyArray of_array() const {
        detail::ExpressionOperands operands;
        collect(operands);
        return firsts_.front();
    }

   private:
    void collect(detail::ExpressionOperands& operands) const {
        const std::size_t before = operands.array_count;
        of_.collect(of_.expression, operands);
        firsts_.clear();
        for (std::size_t k = before; k < operands.array_count; ++k) {
            const AnyArray& array = *operands.arrays[k];
            std::vector<Index> beginning;
            const std::size_t missing = rank_ - array.rank();
            for (std::size_t axis = 0; axis < array.rank(); ++axis)
                beginning.push_back(reduced_[missing + axis] ? Index(slice(0, 1)) : Index(slice()));
            operands.arrays[k] = &firsts_.emplace_back(array.view(beginning));
        }
    }

    detail::ExpressionView of_;
    std::size_t rank_;
    std::vector<bool> reduced_;
    mutable boost::container::static_vector<AnyArray, detail::ExpressionOperands::max_arrays> firsts_;
};

/// The common shape of the operands; empty if one kernel cannot take them all.
std::optional<Shape> common_shape(const detail::ExpressionView& expression) {
    detail::ExpressionOperands operands;
    expression.collect(expression.expression, operands);
    if (!operands.fits_elements() || operands.array_count == 0) return std::nullopt;
    BroadcastOperands broadcast;
    broadcast.broadcast(operands);
    return broadcast.shape();
}

/// Computes S(d) and S(d*d) of float elements in double, in one pass, where d = x - x0 is the distance from the first
/// element of the run. The sum of squared distances from the mean is S(d*d) - S(d)*S(d)/n. Since one d is zero,
/// S(d)*S(d)/n is at most (1 - 1/n) S(d*d), so that cancellation loses at most a factor of n in double's precision.
/// @returns false if this way is not possible
bool in_one_reading(DerivedExpression& elements, const Target& target, std::size_t count, AnyArray& squares,
                    AnyArray& sums) {
    if (!(elements.dtype() == dtype_of<float>()) || count == 0 || count > std::size_t{1} << 30) return false;
    const std::optional<Shape> shape = common_shape(elements.view());
    if (!shape || shape->empty() || shape->count() == 0) return false;
    const FirstOfRuns first(elements.view(), *shape, target.axis);
    const AnyArray from = elements.is_array() ? first.of_array() : evaluate(first.view());
    if (!from.context().device().info().has_double) return false;
    elements.cast(dtype_of<double>()).then(Step::subtract, from);
    const auto [sum, square] = launch_moments(elements.view(), {target.axis, target.keepdims});
    sums = sum;
    squares = square;
    return true;
}

/// Whether squared distances that are computed in double are summed in one reading. CPU devices vectorise two readings.
/// Combining two sums of distances takes three divisions: few elements in long runs take less time in two readings, or
/// as floats with one more launch. Measured on an H100, us, so and with one more launch: floats (4, 262144) along axis
/// 0 8 and 12; (1024, 1024) along 1 25 and 10. A thread has room for two sums of distances, so that accesses to
/// elements of one or two bytes would be narrow.
bool are_summed_at_once(const DerivedExpression& elements, std::size_t count) {
    const DType type = codegen::result_type(codegen::TypeRule::mean, elements.dtype());
    if (count < 2) return false;
    detail::ExpressionOperands operands;
    const detail::ExpressionView view = elements.view();
    view.collect(view.expression, operands);
    if (!operands.fits_elements() || operands.array_count == 0 || operands.arrays[0]->empty()) return false;
    const std::optional<Shape> shape = common_shape(view);
    if (!shape) return false;
    const bool is_few = shape->count() < few_elements;
    constexpr std::size_t longest_run_of_few = 32;
    if (is_few ? count > longest_run_of_few : type == dtype_of<float>()) return false;
    if (!(type == dtype_of<float>()) && !(type == dtype_of<double>())) return false;
    const auto is_narrow = [](const AnyArray* array) { return array->dtype().size_bytes() < 4; };
    if (!is_few && std::any_of(operands.arrays.begin(),
                               operands.arrays.begin() + static_cast<std::ptrdiff_t>(operands.array_count), is_narrow))
        return false;
    const DeviceInfo& info = KernelCache::of(*operands.arrays[0]).info();
    return info.type == DeviceInfo::Type::gpu && info.has_double;
}

}  // namespace

/// The sum of the elements in one type, divided by their number, as another type.
AnyArray mean_of(const detail::ExpressionView& elements, const Target& target, std::size_t count, DType result) {
    if (are_few_for_rows(elements, target.axis, count))
        return in_rows({.function = detail::Reducing::mean, .count = count, .result = result}, elements, target);
    const DType computed = result.is_16_bit_float() ? dtype_of<float>() : result;
    return store(launch_from_sum({.average = true, .result = result}, elements, computed, target), target.out);
}

AnyArray variance_of(DerivedExpression& elements, const Target& target, std::size_t count,
                     const VarianceOptions& options) {
    if (elements.dtype().is_16_bit_float()) elements.cast(dtype_of<float>());
    const FromSum average{.average = true, .ddof = options.ddof, .root = options.root, .result = options.result};
    const bool has_divisor = count >= 2 && static_cast<double>(count) > options.ddof;
    if (has_divisor && is_for_rows(elements.view(), target.axis, count))
        return in_rows({.function = options.root ? detail::Reducing::stddev : detail::Reducing::var,
                        .count = count,
                        .ddof = options.ddof,
                        .result = options.result},
                       elements.view(), target);
    const ReductionAxes& axis = target.axis;
    if (are_summed_at_once(elements, count)) {
        if (!(elements.dtype() == dtype_of<double>())) elements.cast(dtype_of<double>());
        return store(launch_from_squared_distances(average, elements.view(), target), target.out);
    }
    AnyArray squares, sums;
    if (in_one_reading(elements, target, count, squares, sums)) {
        DerivedExpression value(detail::view_of(sums));
        value.then(Step::square).then(Step::multiply, AnyNumber(-1 / static_cast<double>(count)));
        value.then(Step::add, squares);
        value.then(Step::divide, AnyNumber(std::max(static_cast<double>(count) - options.ddof, 0.0)));
        if (options.root) value.then(Step::sqrt);
        if (!(value.dtype() == options.result)) value.cast(options.result);
        return store(value, target.out);
    }
    const AnyArray mean =
        mean_of(elements.view(), {axis, true}, count, codegen::result_type(codegen::TypeRule::mean, elements.dtype()));
    elements.then(Step::subtract, mean).then(Step::abs).then(Step::square);
    return store(launch_from_sum(average, elements.view(), elements.dtype(), target), target.out);
}

}  // namespace gemel
