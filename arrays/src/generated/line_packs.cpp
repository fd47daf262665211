#include "generated/line_packs.hpp"

#include <algorithm>
#include <cstdlib>

namespace gemel {
namespace {

using codegen::Access;
using codegen::LastStep;
using Array = BoundCall::Array;

/// Whether single elements of an array come from the cache at the speed of packs: neighbours lie close to each other,
/// or the whole array is small, because it is constant along all axes but one.
bool comes_from_cache(const Array& a, std::size_t last_axis) {
    constexpr std::size_t farthest = 16;  // bytes between neighbours
    std::size_t constant = 0, axes = 0;
    for (std::size_t axis = 0; axis < a.array->shape().rank(); ++axis) {
        axes += a.array->shape()[axis] > 1;
        constant += a.array->shape()[axis] > 1 && a.array->strides()[axis] == 0;
    }
    const auto step = static_cast<std::size_t>(std::abs(a.array->strides()[last_axis]));
    return constant + 1 >= axes || step * item_bytes(a) <= farthest;
}

class LinePacks {
   public:
    LinePacks(const BoundCall& call, const LayoutRequest& request, CallLayout& layout)
        : call_(call), request_(request), layout_(layout) {}

    bool may_have_packs() const {
        constexpr std::size_t fewest_elements = std::size_t{1} << 22;
        const codegen::KernelLayout& kernel = layout_.kernel;
        return call_.count() >= fewest_elements && request_.tiles && request_.tiles->block > 1 &&
               request_.access_bytes >= 2 && kernel.rank > 0 && kernel.tile_vector == 0 && !layout_.packed &&
               !kernel.wide_index && !request_.sliced && !request_.checked && !call_.reads_what_it_writes();
    }

    /// Whether all strided arrays fulfil `f(index of the argument)`.
    template <class F>
    bool all_strided(const F& f) const {
        for (std::size_t i = 0; i < call_.arrays().size(); ++i)
            if (layout_.kernel.arguments[i].access == Access::strided && !f(i)) return false;
        return true;
    }
    bool all_from_cache(std::size_t last_axis) const {
        return all_strided([&](std::size_t i) { return comes_from_cache(call_.arrays()[i], last_axis); });
    }
    bool writes_strided() const {
        return !all_strided([&](std::size_t i) { return !call_.declared().uses[i].element_written; });
    }

    std::size_t largest_item() const {
        std::size_t largest = 1;
        for (const Array& a : call_.arrays())
            if (a.is_element) largest = std::max(largest, item_bytes(a));
        return largest;
    }

    /// Chooses packs of so many elements, if lines of the last axis are whole packs.
    bool choose(std::int64_t width) {
        const std::int64_t extent = layout_.values[static_cast<std::size_t>(layout_.kernel.rank) - 1];
        for (std::size_t i = 0; i < call_.arrays().size(); ++i)
            if (call_.declared().uses[i].element_written && !has_packs(i, width)) return false;
        if (extent % width != 0 || layout_.head != 0) return false;
        for (std::size_t i = 0; i < call_.arrays().size(); ++i) {
            codegen::ArgumentLayout& argument = layout_.kernel.arguments[i];
            argument.wide = argument.access == Access::strided && is_wide(i, width);
            if (argument.access == Access::linear && is_aligned(i, width)) argument.access = Access::packed;
        }
        layout_.kernel.line_width = layout_.vector_width = static_cast<int>(width);
        layout_.packed = true;
        return true;
    }

   private:
    bool is_aligned(std::size_t i, std::int64_t width) const {
        const Array& a = call_.arrays()[i];
        const std::size_t pack = static_cast<std::size_t>(width) * item_bytes(a);
        return can_be_packed(a, call_.declared().uses[i]) &&
               address_of(a, request_) % std::min<std::size_t>(16, pack) == 0;
    }

    /// Whether an array is accessed by packs. One that is written has to be: single elements would be stored in steps.
    bool has_packs(std::size_t i, std::int64_t width) const {
        const Access access = layout_.kernel.arguments[i].access;
        return access == Access::packed || (access == Access::linear && is_aligned(i, width)) ||
               (access == Access::strided && is_wide(i, width));
    }

    /// The same of a strided array.
    bool is_wide(std::size_t argument, std::int64_t width) const {
        const auto rank = static_cast<std::ptrdiff_t>(layout_.kernel.rank);
        auto steps = layout_.values.begin() + rank;
        for (std::size_t i = 0; i < argument; ++i)
            if (layout_.kernel.arguments[i].access == Access::strided) steps += rank;
        return is_aligned(argument, width) &&
               (width == 1 ||
                (layout_.kernel.arguments[argument].last_step == LastStep::one &&
                 std::all_of(steps, steps + rank - 1, [&](std::int64_t step) { return step % width == 0; })));
    }

    const BoundCall& call_;
    const LayoutRequest& request_;
    CallLayout& layout_;
};

}  // namespace

void choose_line_packs(const BoundCall& call, const LayoutRequest& request, const MergedAxes& axes,
                       CallLayout& layout) {
    LinePacks packs(call, request, layout);
    if (!packs.may_have_packs() || layout.tiled() || !packs.all_from_cache(axes.back().axis)) return;
    if (!packs.writes_strided()) choose_packs(call, request, layout);
    if (layout.packed) {
        packs.choose(layout.vector_width);
        return;
    }
    const std::size_t item = packs.largest_item(), access = request.access_bytes;
    for (std::size_t width = access / item; width > 1 && width * item >= 4; width /= 2)
        if (packs.choose(static_cast<std::int64_t>(width))) {
            // As many bytes under way per thread as with the widest accesses.
            if (width * item < access) layout.unroll = static_cast<std::uint32_t>(access / (width * item));
            return;
        }
}

void choose_packs_of_one(const BoundCall& call, const LayoutRequest& request, const MergedAxes& axes,
                         CallLayout& layout) {
    constexpr std::uint32_t per_thread = 4;
    LinePacks packs(call, request, layout);
    if (!packs.may_have_packs()) return;
    if (layout.tiled()) {
        const std::size_t area = layout.tiles[0] * layout.tiles[1] * layout.tiles[2] *
                                 static_cast<std::size_t>(layout.kernel.tile_width) *
                                 static_cast<std::size_t>(layout.kernel.tile_rows);
        // Finding a position takes a division per axis.
        const bool is_wasteful = area > call.count() + call.count() / 5, is_cheap = layout.kernel.rank <= 2;
        if (!is_wasteful || !is_cheap || packs.largest_item() == 1 || !packs.all_from_cache(axes.back().axis)) return;
    }
    if (!packs.choose(1)) return;
    layout.kernel.tile_width = layout.kernel.tile_rows = 0;
    layout.kernel.rows_on_x = false;
    layout.unroll = per_thread;
}

}  // namespace gemel
