#include "generated/reduction_layout.hpp"

#include "array/byte_bounds.hpp"
#include "array/merge_axes.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <optional>

namespace gemel {
namespace {

using codegen::Access;
using codegen::LastStep;
using Array = BoundCall::Array;
using AxisList = boost::container::static_vector<std::size_t, max_axes>;

void check_reduced_arrays(const BoundCall& call) {
    for (std::size_t i = 0; i < call.arrays().size(); ++i) {
        const Array& a = call.arrays()[i];
        if (!a.array) continue;
        if (a.is_element && !(a.array->shape() == call.shape()))
            call.declared().refuse(i, text("has the shape ", to_string(a.array->shape()), ", which differs from ",
                                           to_string(call.shape()), "; over axes all arrays must have one shape"));
        if (call.declared().uses[i].elsewhere && !a.array->is_contiguous())
            call.declared().refuse(
                i, "has gaps between its elements, and the snippet uses it other than as [i]; pass .copy()");
    }
}

/// Sorts axes, slowest first, by the strides of the first array in which they differ.
void sort_by_steps(const BoundCall& call, AxisList& axes) {
    const auto goes_before = [&](std::size_t a, std::size_t b) {
        for (const Array& array : call.arrays()) {
            if (!array.is_element) continue;
            const auto step = [&](std::size_t axis) { return std::abs(array.array->strides()[axis]); };
            if (step(a) != step(b) && step(a) != 0 && step(b) != 0) return step(a) > step(b);
        }
        return false;
    };
    for (std::size_t k = 1; k < axes.size(); ++k)
        for (std::size_t at = k; at > 0 && goes_before(axes[at], axes[at - 1]); --at) std::swap(axes[at], axes[at - 1]);
}

/// The axes of one group (reduced or kept) that are longer than 1.
AxisList axes_of(const BoundCall& call, std::span<const bool> reduced, bool group) {
    AxisList axes;
    for (std::size_t axis = 0; axis < call.shape().rank(); ++axis)
        if (reduced[axis] == group && call.shape()[axis] != 1) axes.push_back(axis);
    return axes;
}

/// Merges axes as far as all arrays, the flat index and the result (empty, or one stride per axis) allow; at least one
/// axis remains.
MergedAxes merge_group(const BoundCall& call, const AxisList& axes, const Strides& index_strides,
                       const Strides& result_strides = {}) {
    MergedAxes merged = merge_axes(call.shape(), axes, [&](std::size_t slow, std::size_t fast, std::int64_t extent) {
        for (const Array& a : call.arrays())
            if (a.is_element && a.array->strides()[slow] != a.array->strides()[fast] * extent) return false;
        const auto runs_on = [&](const Strides& strides) {
            return strides.empty() || strides[slow] == strides[fast] * extent;
        };
        return runs_on(index_strides) && runs_on(result_strides);
    });
    if (merged.empty()) merged.push_back({1, max_axes});
    return merged;
}

/// The strides of a contiguous result along the call's axes; 0 along reduced axes.
Strides strides_of_result(const Shape& shape, const AxisList& kept) {
    Strides strides;
    strides.resize(shape.rank(), 0);
    std::int64_t step = 1;
    for (std::size_t k = kept.size(); k-- > 0;) {
        strides[kept[k]] = step;
        step *= shape[kept[k]];
    }
    return strides;
}

std::int64_t step_along(const Array& a, const MergedAxis& axis) {
    return axis.axis == max_axes ? 0 : a.array->strides()[axis.axis];
}

/// The bytes of an array's distinct elements: those along broadcast axes count once.
std::size_t footprint(const Array& a) {
    std::size_t bytes = item_bytes(a);
    for (std::size_t axis = 0; axis < a.array->shape().rank(); ++axis)
        if (a.array->strides()[axis] != 0) bytes *= static_cast<std::size_t>(a.array->shape()[axis]);
    return bytes;
}

/// The smallest stride along axes longer than 1, except broadcast axes, of the arrays that are most of the reading.
std::int64_t smallest_step(const BoundCall& call, const MergedAxes& axes) {
    std::size_t most = 0;
    for (const Array& a : call.arrays())
        if (a.is_element) most = std::max(most, footprint(a));
    std::int64_t least = INT64_MAX;
    for (const Array& a : call.arrays()) {
        if (!a.is_element || footprint(a) < most / 4) continue;
        for (const MergedAxis& axis : axes)
            if (step_along(a, axis) != 0) least = std::min(least, std::abs(step_along(a, axis)));
    }
    return least;
}

/// Chooses the widest accesses that all arrays with stride 1 along the neighbours' axis allow.
class Packs {
   public:
    Packs(const BoundCall& call, const LayoutRequest& request, const MergedAxes& inner, const MergedAxes& outer,
          ReductionAxesLayout& layout)
        : call_(call), request_(request), layout_(layout), neighbours_(layout.columns ? outer.back() : inner.back()) {
        if (inner.size() == 1 && (layout.columns || outer.size() == 1))
            lines_ = layout.columns ? inner.back() : outer.back();
        for (const MergedAxes* group : {&inner, &outer})
            for (const MergedAxis& axis : *group)
                if (axis.axis != max_axes && axis.axis != neighbours_.axis) others_.push_back(axis);
    }

    void choose(int max_results) {
        std::size_t largest = 0;
        for (std::size_t i = 0; i < call_.arrays().size(); ++i) {
            const Array& a = call_.arrays()[i];
            if (!a.is_element) continue;
            if (!can_be_packed(a, call_.declared().uses[i])) return;
            if (step_along(a, neighbours_) == 1) largest = std::max(largest, item_bytes(a));
        }
        layout_.item_bytes = largest;
        if (largest == 0 || request_.checked || request_.access_bytes < 2) return;
        find_followed();
        const int widest =
            std::min(static_cast<int>(std::min<std::size_t>(request_.access_bytes, 16) / largest), max_results);
        // Along a row, packs may begin anywhere if the position is the same for all arrays.
        if (widest > 1 && !layout_.columns && neighbours_.extent >= 8 * widest && !all_whole(widest) &&
            all_congruent(widest)) {
            layout_.vector_width = widest;
            layout_.shifted = true;
            return;
        }
        for (int width = widest; width > 1; width /= 2)
            if (all_whole(width)) {
                layout_.vector_width = width;
                return;
            }
    }

   private:
    /// Lists the arrays whose lines follow each other.
    void find_followed() {
        constexpr std::size_t access = 16;
        if (!lines_ || request_.access_bytes < access) return;
        bool divides = true;
        for (std::size_t i = 0; i < call_.arrays().size(); ++i) {
            const Array& a = call_.arrays()[i];
            if (!is_wide(a) || step_along(a, *lines_) != neighbours_.extent) continue;
            const std::size_t bytes = item_bytes(a);
            if (access % bytes != 0 || address(a) % bytes != 0) continue;
            layout_.followed.push_back(i);
            layout_.stage_bytes += bytes;
            divides &= address(a) % access == 0 && static_cast<std::size_t>(neighbours_.extent) * bytes % access == 0;
        }
        layout_.lines_divide = divides;
    }

    bool is_wide(const Array& a) const { return a.is_element && step_along(a, neighbours_) == 1; }
    std::size_t address(const Array& a) const {
        return request_.linear_addresses ? a.array->buffer().native_handle() + a.offset_bytes : a.offset_bytes;
    }
    bool all_whole(int width) const {
        if (neighbours_.extent % width != 0) return false;
        return std::all_of(call_.arrays().begin(), call_.arrays().end(), [&](const Array& a) {
            return !is_wide(a) || (address(a) % (static_cast<std::size_t>(width) * item_bytes(a)) == 0 &&
                                   std::all_of(others_.begin(), others_.end(), [&](const MergedAxis& axis) {
                                       return step_along(a, axis) % width == 0;
                                   }));
        });
    }
    bool all_congruent(int width) const {
        const Array* first = nullptr;
        const auto rest = [&](std::int64_t number) { return (number % width + width) % width; };
        const auto phase = [&](const Array& a) { return rest(static_cast<std::int64_t>(address(a) / item_bytes(a))); };
        for (const Array& a : call_.arrays()) {
            if (!is_wide(a)) continue;
            if (!first) first = &a;
            if (address(a) % item_bytes(a) != 0 || phase(a) != phase(*first)) return false;
            for (const MergedAxis& axis : others_)
                if (rest(step_along(a, axis)) != rest(step_along(*first, axis))) return false;
        }
        return true;
    }

    const BoundCall& call_;
    const LayoutRequest& request_;
    ReductionAxesLayout& layout_;
    const MergedAxis neighbours_;
    std::optional<MergedAxis> lines_;  ///< the axis along which lines of neighbours may follow each other
    MergedAxes others_;
};

}  // namespace

ReductionAxesLayout choose_reduction_layout(const BoundCall& call, std::span<const bool> reduced,
                                            const LayoutRequest& request, int max_results) {
    check_reduced_arrays(call);
    Strides index_strides;
    if (!call.declared().order_free) index_strides = contiguous_strides(call.shape());
    AxisList inner_axes = axes_of(call, reduced, true), outer_axes = axes_of(call, reduced, false);
    if (index_strides.empty()) sort_by_steps(call, inner_axes);
    const MergedAxes inner = merge_group(call, inner_axes, index_strides);
    MergedAxes outer = merge_group(call, outer_axes, index_strides);

    ReductionAxesLayout result;
    result.has_index = !index_strides.empty();
    result.columns = smallest_step(call, outer) < smallest_step(call, inner);
    Strides result_strides;
    if (result.columns) {
        // Neighbours in memory become neighbouring outputs, regardless of the order of the results.
        AxisList in_memory = outer_axes;
        sort_by_steps(call, in_memory);
        if (!std::ranges::equal(in_memory, outer_axes)) {
            result_strides = strides_of_result(call.shape(), outer_axes);
            outer = merge_group(call, in_memory, index_strides, result_strides);
        }
    }
    result.has_result = !result_strides.empty();
    result.kept_rank = static_cast<int>(outer.size());
    const MergedAxis& neighbours = result.columns ? outer.back() : inner.back();
    result.extent = neighbours.extent;
    CallLayout& layout = result.call;
    const std::array<const MergedAxes*, 2> groups{&inner, &outer};
    begin_layout(layout.kernel, call, request);
    layout.kernel.rank = static_cast<int>(inner.size());
    for (const MergedAxes* group : groups)
        for (const MergedAxis& axis : *group) layout.values.push_back(axis.extent);
    const auto add = [&](auto&& step) {
        for (const MergedAxes* group : groups)
            for (const MergedAxis& axis : *group) layout.values.push_back(step(axis));
    };
    for (std::size_t i = 0; i < call.arrays().size(); ++i) {
        const Array& a = call.arrays()[i];
        if (!a.is_element) continue;
        const std::int64_t step = step_along(a, neighbours);
        layout.kernel.arguments[i].access = Access::strided;
        layout.kernel.arguments[i].last_step = step == 1 ? LastStep::one : step == 0 ? LastStep::zero : LastStep::any;
        layout.kernel.arguments[i].constant =
            std::ranges::all_of(inner, [&](const MergedAxis& axis) { return step_along(a, axis) == 0; });
        add([&](const MergedAxis& axis) { return step_along(a, axis); });
        layout.kernel.wide_index |= needs_64_bit_offsets(*a.array);
    }
    if (!index_strides.empty())
        add([&](const MergedAxis& axis) { return axis.axis == max_axes ? 0 : index_strides[axis.axis]; });
    if (!result_strides.empty())
        add([&](const MergedAxis& axis) { return axis.axis == max_axes ? 0 : result_strides[axis.axis]; });
    Packs(call, request, inner, outer, result).choose(max_results);
    return result;
}

}  // namespace gemel
