#include "dense/factor.hpp"

#include <algorithm>
#include <cstdlib>

namespace gemel::dense {
namespace {

std::size_t axis_of(const Factor& factor, int label) {
    return static_cast<std::size_t>(std::find(factor.labels.begin(), factor.labels.end(), label) -
                                    factor.labels.begin());
}

}  // namespace

std::int64_t Factor::extent(int label) const {
    const std::size_t axis = axis_of(*this, label);
    return axis < labels.size() ? array.shape()[axis] : 1;
}

std::int64_t Factor::stride(int label) const {
    const std::size_t axis = axis_of(*this, label);
    return axis < labels.size() ? array.strides()[axis] : 0;
}

Labels Factor::in_memory_order() const {
    Labels sorted = labels;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](int a, int b) { return std::abs(stride(a)) > std::abs(stride(b)); });
    return sorted;
}

Factor as_factor(const AnyArray& operand, const Labels& labels) {
    Factor factor;
    Shape shape;
    Strides strides;
    for (std::size_t axis = 0; axis < labels.size(); ++axis) {
        if (operand.shape()[axis] == 1) continue;
        const std::size_t known = axis_of(factor, labels[axis]);
        if (known < factor.labels.size()) {
            strides[known] += operand.strides()[axis];
            continue;
        }
        factor.labels.push_back(labels[axis]);
        shape.push_back(operand.shape()[axis]);
        strides.push_back(operand.strides()[axis]);
    }
    factor.array = AnyArray(operand.buffer(), operand.dtype(), shape, strides, operand.offset_bytes());
    return factor;
}

AnyArray aligned(const Factor& factor, const Labels& labels, const std::vector<std::int64_t>& extents) {
    Shape shape;
    Strides strides;
    for (const int label : labels) {
        shape.push_back(extents[static_cast<std::size_t>(label)]);
        strides.push_back(factor.stride(label));
    }
    return AnyArray(factor.array.buffer(), factor.array.dtype(), shape, strides, factor.array.offset_bytes());
}

bool run_on(const Factor& factor, const Labels& labels, const std::vector<std::int64_t>& extents) {
    for (std::size_t k = 1; k < labels.size(); ++k)
        if (factor.stride(labels[k - 1]) != factor.stride(labels[k]) * extents[static_cast<std::size_t>(labels[k])])
            return false;
    return true;
}

Labels chosen(const Labels& of, std::uint64_t bits) {
    Labels labels;
    for (const int label : of)
        if (bits & bit_of(label)) labels.push_back(label);
    return labels;
}

std::int64_t total_extent(const Labels& labels, const std::vector<std::int64_t>& extents) {
    std::int64_t total = 1;
    for (const int label : labels) total *= extents[static_cast<std::size_t>(label)];
    return total;
}

}  // namespace gemel::dense
