/// Contracts two operands: by matrix products, by one element-wise kernel, or by one reduction.
#include "dense/factor.hpp"
#include "generated/kernel_cache.hpp"

#include <gemel/arrays/expression.hpp>
#include <gemel/arrays/matmul.hpp>
#include <gemel/arrays/reductions.hpp>
#include <gemel/core/dtype.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace gemel::dense {
namespace {

using Extents = std::vector<std::int64_t>;

Labels joined(std::initializer_list<Labels> parts) {
    Labels all;
    for (const Labels& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

/// Two factors as batches of matrices: (batch, left, sum) times (batch, sum, right).
struct Matrices {
    Labels batch, left, sum, right;
    bool swapped = false;  ///< the second factor is the left one
};

/// Finds the assignment of labels that needs the fewest copies.
class Cut {
   public:
    Cut(const Factor& a, const Factor& b, std::uint64_t kept, const Extents& extents, const Labels* order)
        : factors_{&a, &b}, extents_(extents), order_(order), kept_(kept) {
        both_ = a.bits() & b.bits();
    }

    Matrices best() {
        const auto sums = orders(both_ & ~kept_, {factors_[0], factors_[1]});
        for (const bool swapped : {false, true}) {
            const Factor& l = *factors_[swapped];
            const Factor& r = *factors_[!swapped];
            for (const Labels& sum : sums)
                for (const Labels& batch : orders(both_ & kept_, {&l, &r}))
                    for (const Labels& left : orders(l.bits() & ~both_, {&l}))
                        for (const Labels& right : orders(r.bits() & ~both_, {&r}))
                            consider({batch, left, sum, right, swapped});
            if (order_)
                for (const Labels& sum : sums) consider_leading_batches(sum, swapped);
        }
        return best_;
    }

   private:
    /// Possible orders of these labels: their orders in memory in the factors, and their order in the result; without
    /// duplicates.
    std::vector<Labels> orders(std::uint64_t bits, std::initializer_list<const Factor*> factors) const {
        std::vector<Labels> found;
        const auto add = [&](const Labels& labels) {
            if (std::find(found.begin(), found.end(), labels) == found.end()) found.push_back(labels);
        };
        for (const Factor* factor : factors) add(chosen(factor->in_memory_order(), bits));
        if (order_ && !(bits & ~kept_)) add(chosen(*order_, bits));
        return found;
    }

    /// Uses the first axes of the result as the batch, even if only one factor has some of them: rij,ej->rei.
    void consider_leading_batches(const Labels& sum, bool swapped) {
        const Factor& l = *factors_[swapped];
        const Factor& r = *factors_[!swapped];
        for (std::size_t length = 1; length < order_->size(); ++length) {
            const Labels batch(order_->begin(), order_->begin() + static_cast<std::ptrdiff_t>(length));
            const std::uint64_t taken = bits_of(batch), matrices = both_ & kept_;
            if ((taken & matrices) != matrices || taken == matrices) continue;
            const Labels left = chosen(*order_, l.bits() & ~both_ & ~taken),
                         right = chosen(*order_, r.bits() & ~both_ & ~taken);
            // Narrow matrix products use only a small part of a tile; this is acceptable on GPUs only.
            const std::int64_t narrowest = KernelCache::of(l.array).info().type == DeviceInfo::Type::cpu ? 64 : 16;
            if (total_extent(left, extents_) >= 16 && total_extent(right, extents_) >= narrowest)
                consider({batch, left, sum, right, swapped});
        }
    }

    /// The number of elements that would be copied.
    double cost(const Matrices& m) const {
        const Factor& l = *factors_[m.swapped];
        const Factor& r = *factors_[!m.swapped];
        double elements = 0;
        const auto add = [&](const Factor& factor, const Labels& rows, const Labels& columns) {
            if (run_on(factor, m.batch, extents_) && run_on(factor, rows, extents_) &&
                run_on(factor, columns, extents_))
                return;
            elements += static_cast<double>(total_extent(m.batch, extents_)) *
                        static_cast<double>(total_extent(rows, extents_)) *
                        static_cast<double>(total_extent(columns, extents_));
        };
        add(l, m.left, m.sum);
        add(r, m.sum, m.right);
        const Labels result = joined({m.batch, m.left, m.right});
        if (order_ && result != *order_) {  // a copy that keeps the last axis costs less
            const double copied = static_cast<double>(total_extent(result, extents_));
            elements += result.back() == order_->back() ? copied : 2 * copied;
        }
        return elements;
    }
    void consider(const Matrices& m) {
        const double copied = cost(m);
        if (copied < least_) least_ = copied, best_ = m;
    }

    std::array<const Factor*, 2> factors_;
    const Extents& extents_;
    const Labels* order_;
    std::uint64_t kept_, both_;
    Matrices best_;
    double least_ = std::numeric_limits<double>::infinity();
};

/// Axes (batch, rows, columns), or (rows, columns) without batch labels.
AnyArray as_matrices(const Factor& factor, const Labels& batch, const Labels& rows, const Labels& columns,
                     const Extents& extents) {
    Shape shape;
    if (!batch.empty()) shape.push_back(total_extent(batch, extents));
    shape.push_back(total_extent(rows, extents));
    shape.push_back(total_extent(columns, extents));
    return aligned(factor, joined({batch, rows, columns}), extents).reshape(shape);
}

Factor with_labels(const AnyArray& array, const Labels& labels, const Extents& extents) {
    Shape shape;
    for (const int label : labels) shape.push_back(extents[static_cast<std::size_t>(label)]);
    return {array.reshape(shape), labels};
}

Factor multiply_matrices(const Factor& a, const Factor& b, std::uint64_t kept, const Extents& extents,
                         const Labels* order, Precision precision) {
    const Matrices m = Cut(a, b, kept, extents, order).best();
    const Factor& left = m.swapped ? b : a;
    const Factor& right = m.swapped ? a : b;
    const AnyArray product = detail::matmul(as_matrices(left, m.batch, m.left, m.sum, extents),
                                            as_matrices(right, m.batch, m.sum, m.right, extents), left.array.dtype(),
                                            {.precision = precision});
    return with_labels(product, joined({m.batch, m.left, m.right}), extents);
}

/// One reduction reads both factors and stores no intermediate result.
Factor sum_products(const Factor& a, const Factor& b, std::uint64_t kept, const Extents& extents, const Labels* order) {
    const Factor& larger = a.array.size() >= b.array.size() ? a : b;
    const Factor& smaller = &larger == &a ? b : a;
    const std::uint64_t all = a.bits() | b.bits();
    const Labels outside = order ? *order
                                 : joined({chosen(larger.in_memory_order(), all & kept),
                                           chosen(smaller.in_memory_order(), all & kept & ~larger.bits())});
    const Labels inside = chosen(larger.in_memory_order(), all & ~kept);
    const Labels labels = joined({outside, inside});
    std::vector<int> axes;
    for (std::size_t k = outside.size(); k < labels.size(); ++k) axes.push_back(static_cast<int>(k));
    const AnyExpr product = AnyExpr(aligned(a, labels, extents)) * AnyExpr(aligned(b, labels, extents));
    const DType dtype = a.array.dtype();
    const ReductionKind kind = dtype.kind() == DType::Kind::boolean ? ReductionKind::any : ReductionKind::sum;
    return {reduce(kind, product.view(), dtype, axes, false, "einsum"), outside};
}

}  // namespace

Factor contract(const Factor& a, const Factor& b, std::uint64_t kept, const Extents& extents, const Labels* order,
                Precision precision) {
    const std::uint64_t both = a.bits() & b.bits(), summed = both & ~kept;
    if (!summed) {
        const Labels labels = order ? *order
                                    : joined({chosen(a.in_memory_order(), both), chosen(a.in_memory_order(), ~both),
                                              chosen(b.in_memory_order(), ~both)});
        const AnyExpr product = AnyExpr(aligned(a, labels, extents)) * AnyExpr(aligned(b, labels, extents));
        return {product.eval(), labels};
    }
    const std::int64_t rows = total_extent(chosen(a.labels, ~both), extents),
                       columns = total_extent(chosen(b.labels, ~both), extents);
    // A reduction suits products of vectors with vectors or matrices, and long sums with few results: there a matrix
    // product would use only few blocks.
    constexpr std::int64_t few = 64, long_sum = 8192;
    const bool is_small = total_extent(chosen(a.labels, both & kept), extents) * rows * columns <= few &&
                          total_extent(chosen(a.labels, summed), extents) >= long_sum;
    if (rows == 1 || columns == 1 || is_small) return sum_products(a, b, kept, extents, order);
    return multiply_matrices(a, b, kept, extents, order, precision);
}

}  // namespace gemel::dense
