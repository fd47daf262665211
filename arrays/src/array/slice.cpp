#include <gemel/arrays/slice.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel {

SliceRange resolve(const Slice& slice, std::int64_t extent) {
    // The most negative step has no positive counterpart; the next one is equivalent.
    const std::int64_t step = slice.step.given() ? std::max(slice.step.value(), -INT64_MAX) : 1;
    if (step == 0)
        throw ArgumentError(text("slice ", to_string(slice), ": the step is 0; a step of -1 goes backwards"));
    // For negative steps, the bounds are positions to stop before: from -1 to extent - 1.
    const std::int64_t lowest = step < 0 ? -1 : 0, highest = step < 0 ? extent - 1 : extent;
    const auto position = [&](const SliceBound& bound, std::int64_t otherwise) {
        if (!bound.given()) return otherwise;
        const std::int64_t value = bound.value() < 0 ? bound.value() + extent : bound.value();
        return std::clamp(value, lowest, highest);
    };
    const std::int64_t start = position(slice.start, step < 0 ? highest : lowest);
    const std::int64_t stop = position(slice.stop, step < 0 ? lowest : highest);
    std::int64_t count = 0;
    if (step < 0 && stop < start) count = (start - stop - 1) / -step + 1;
    if (step > 0 && start < stop) count = (stop - start - 1) / step + 1;
    return {start, count, step};
}

std::string to_string(const Slice& slice) {
    const auto number = [](const SliceBound& bound) {
        return bound.given() ? std::to_string(bound.value()) : std::string();
    };
    return text(number(slice.start), ':', number(slice.stop), slice.step.given() ? ":" : "", number(slice.step));
}

}  // namespace gemel
