#include <gemel/algorithms/einsum.hpp>

#include "array/require.hpp"
#include "dense/contraction_path.hpp"
#include "dense/factor.hpp"
#include "dense/subscripts.hpp"

#include <gemel/arrays/expression.hpp>
#include <gemel/arrays/reductions.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <utility>

namespace gemel {
namespace {

using dense::Contraction;
using dense::Factor;
using dense::Labels;

void check_operands(std::span<const AnyArray> operands) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
        if (operands[k].empty()) refuse_empty("einsum", text("operand ", k + 1));
        if (!codegen::is_number(operands[k].dtype()))
            throw ArgumentError(
                text("einsum: operand ", k + 1, " has elements of ", operands[k].dtype().name(), ", expected numbers"));
        if (!(operands[k].context() == operands[0].context()))
            throw ArgumentError(text("einsum: operands 1 and ", k + 1,
                                     " are in different contexts; copy_to(context) copies one to the other"));
    }
}

std::vector<Shape> shapes_of(std::span<const AnyArray> operands) {
    std::vector<Shape> shapes;
    for (const AnyArray& operand : operands) shapes.push_back(operand.shape());
    return shapes;
}

/// Executes the steps of one call.
class Einsum {
   public:
    Einsum(const Contraction& contraction, std::span<const AnyArray> operands, DType dtype,
           const EinsumOptions& options)
        : contraction_(contraction), dtype_(dtype), options_(options), operands_(operands) {}

    AnyArray run() {
        const Shape shape = result_shape();
        if (std::find(contraction_.extents.begin(), contraction_.extents.end(), 0) != contraction_.extents.end())
            return empty_sum(shape);
        for (std::size_t k = 0; k < operands_.size(); ++k) {
            Factor factor = dense::as_factor(operands_[k], contraction_.operands[k]);
            if (!(factor.array.dtype() == dtype_)) factor.array = factor.array.astype(dtype_);
            left_.push_back(std::move(factor));
        }
        const auto path = dense::contraction_path(contraction_, options_.order);
        for (std::size_t n = 0; n < path.size(); ++n) take(path[n], n + 1 == path.size());
        return finished(shape);
    }

   private:
    Shape result_shape() const {
        Shape shape;
        for (const int label : contraction_.output)
            shape.push_back(contraction_.extents[static_cast<std::size_t>(label)]);
        return shape;
    }
    AnyArray empty_sum(const Shape& shape) const {
        const AnyArray zeros(operands_[0].context(), dtype_, shape);
        if (zeros.size() > 0) zeros.fill(dtype_.kind() == DType::Kind::boolean ? AnyNumber(false) : AnyNumber(0.0));
        return zeros;
    }
    /// The result's labels, except those of extent 1.
    Labels output() const {
        Labels labels;
        for (const int label : contraction_.output)
            if (contraction_.extents[static_cast<std::size_t>(label)] != 1) labels.push_back(label);
        return labels;
    }

    /// Sums over the labels that no other term needs.
    void sum_lone(Factor& factor, std::uint64_t needed) {
        std::vector<int> axes;
        for (std::size_t axis = 0; axis < factor.labels.size(); ++axis)
            if (!(needed & dense::bit_of(factor.labels[axis]))) axes.push_back(static_cast<int>(axis));
        if (axes.empty()) return;
        const ReductionKind kind = dtype_.kind() == DType::Kind::boolean ? ReductionKind::any : ReductionKind::sum;
        factor.array = reduce(kind, AnyExpr(factor.array).view(), dtype_, axes, false, "einsum");
        factor.labels = dense::chosen(factor.labels, needed);
        is_computed_ = true;
    }

    std::uint64_t needed_beside(std::size_t own) const {
        std::uint64_t needed = dense::bits_of(contraction_.output);
        for (std::size_t k = 0; k < left_.size(); ++k)
            if (k != own) needed |= left_[k].bits();
        return needed;
    }

    void take(const dense::Step& step, bool is_last) {
        for (const std::size_t k : step) sum_lone(left_[k], needed_beside(k));
        if (step.size() == 1) return;
        std::vector<Factor> taken;
        for (const std::size_t k : step) {
            taken.push_back(std::move(left_[k]));
            left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(k));
        }
        is_computed_ = true;
        std::reverse(taken.begin(), taken.end());
        const Labels order = output();
        if (taken.size() > 2) return left_.push_back(product(taken, order));
        left_.push_back(dense::contract(taken[0], taken[1], needed_beside(left_.size()), contraction_.extents,
                                        is_last ? &order : nullptr, options_.precision));
    }

    /// Multiplies all factors in one kernel; nothing is summed.
    Factor product(const std::vector<Factor>& factors, const Labels& labels) const {
        AnyExpr all(dense::aligned(factors[0], labels, contraction_.extents));
        for (std::size_t k = 1; k < factors.size(); ++k)
            all = all * AnyExpr(dense::aligned(factors[k], labels, contraction_.extents));
        return {all.eval(), labels};
    }

    /// The result with its axes in order; a view of the operand if nothing was computed.
    AnyArray finished(const Shape& shape) const {
        const AnyArray result = dense::aligned(left_.front(), contraction_.output, contraction_.extents);
        if (!is_computed_ && sums_single_elements()) return result.copy(Order::C).reshape(shape);
        if (result.is_contiguous()) return result.reshape(shape);
        return is_computed_ || !(operands_[0].dtype() == dtype_) ? result.copy(Order::C) : result;
    }

    /// Whether a label is summed that factors no longer have, because its extent is 1.
    bool sums_single_elements() const {
        return (dense::bits_of(contraction_.operands[0]) & ~dense::bits_of(contraction_.output)) != 0;
    }

    const Contraction& contraction_;
    DType dtype_;
    const EinsumOptions& options_;
    std::span<const AnyArray> operands_;
    std::vector<Factor> left_;
    bool is_computed_ = false;  ///< otherwise the result is a view of the operand
};

}  // namespace

AnyArray detail::einsum_of(std::string_view subscripts, std::span<const AnyArray> operands, DType dtype,
                           const EinsumOptions& options) {
    check_operands(operands);
    const std::vector<Shape> shapes = shapes_of(operands);
    const Contraction contraction = dense::read_subscripts("einsum", subscripts, shapes);
    if (dtype.empty()) {
        dtype = operands[0].dtype();
        for (const AnyArray& operand : operands) dtype = codegen::promote(dtype, operand.dtype());
    }
    return Einsum(contraction, operands, dtype, options).run();
}

std::string detail::einsum_path_of(std::string_view subscripts, std::span<const Shape> shapes,
                                   const EinsumOptions& options) {
    const Contraction contraction = dense::read_subscripts("einsum_path", subscripts, shapes);
    return dense::path_text(contraction, dense::contraction_path(contraction, options.order));
}

}  // namespace gemel
