#include "generated/reduction_layout.hpp"

#include "array/byte_bounds.hpp"
#include "array/merge_axes.hpp"
#include "generated/staged_lines.hpp"

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
using codegen::ReductionTile;
using Array = BoundCall::Array;
using AxisList = boost::container::static_vector<std::size_t, max_axes>;
using Mapping = codegen::ReductionLayout::Mapping;

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

/// The smallest stride along axes longer than 1, except broadcast axes.
std::int64_t smallest_step(const BoundCall& call, const MergedAxes& axes) {
    std::int64_t least = INT64_MAX;
    for (const Array& a : call.arrays())
        for (const MergedAxis& axis : axes)
            if (a.is_element && step_along(a, axis) != 0) least = std::min(least, std::abs(step_along(a, axis)));
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
    /// Lists the arrays whose lines follow each other, unless accesses of 16 bytes divide the lines of each of them.
    void find_followed() {
        constexpr std::size_t access = 16;
        if (!lines_ || request_.access_bytes < access) return;
        bool divides = true;
        for (std::size_t i = 0; i < call_.arrays().size(); ++i) {
            const Array& a = call_.arrays()[i];
            if (!is_wide(a) || step_along(a, *lines_) != neighbours_.extent || access % item_bytes(a) != 0) continue;
            layout_.followed.push_back(i);
            layout_.stage_bytes += item_bytes(a);
            divides &= address(a) % access == 0 && static_cast<std::size_t>(neighbours_.extent) * item_bytes(a) % access == 0;
        }
        if (divides) layout_.followed.clear();
    }

    static std::size_t item_bytes(const Array& a) { return a.array->dtype().size_bytes(); }
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

namespace {

std::size_t up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }
int power(std::size_t n) { return static_cast<int>(std::bit_ceil(std::max<std::size_t>(n, 1))); }

std::size_t resident_blocks(const codegen::ReductionTuning& tuning, const DeviceInfo& device) {
    return std::size_t{device.compute_units} * std::max(tuning.blocks_per_unit, 1u);
}

/// As many splits as fill the device, limited by `useful`.
void split(Spread& work, std::size_t groups, std::size_t resident, std::size_t useful) {
    work.splits = groups >= resident ? 1
                                     : std::clamp<std::size_t>(resident / std::max<std::size_t>(groups, 1), 1,
                                                               std::max<std::size_t>(useful, 1));
    work.blocks = groups * work.splits;
}

/// @param positions  accesses per run
void deal_rows(ReductionTile& tile, std::size_t positions, std::size_t outputs, int block, const DeviceInfo& device) {
    constexpr std::size_t warp = 32, in_flight = 4;
    const std::size_t resident = std::size_t{device.compute_units} * device.max_threads_per_compute_unit.value_or(2048);
    const auto threads = static_cast<std::size_t>(block);
    std::size_t along = 1;
    if (positions <= in_flight * warp) {
        // Once the first element of a cache line is loaded, the others are in the cache.
        along = static_cast<std::size_t>(
            std::min<int>(power(tile.vector_width == 1 ? up(positions, in_flight) : positions), warp));
    } else {
        for (along = warp; along < threads && (positions / along > 16 || outputs * along < resident);) along *= 2;
    }
    along = std::min(along, threads);
    tile.across = static_cast<int>(threads / along);
    tile.shuffles = along > 1 && along <= warp && device.has_cross_block_visibility && threads % warp == 0;
    const std::size_t accesses = up(positions, along);
    tile.unroll = static_cast<int>(std::clamp<std::size_t>(accesses, 1, in_flight));
    const bool may_repeat = accesses <= in_flight && (along == 1 || tile.shuffles);
    const auto rows = static_cast<std::size_t>(in_flight) / static_cast<std::size_t>(tile.unroll);
    if (may_repeat && outputs * along >= 2 * resident * rows) tile.rows = static_cast<int>(rows);
}

/// The fewest threads side by side along columns. A warp reads whole lines, unless the columns have an odd width: then
/// its elements begin anywhere in a line, whose rest another block reads later. Wider blocks share fewer lines.
/// Measured on an H100, (1000003, 263) floats along axis 0: 32 threads 539 us, 64 466, 128 453, 256 410; an argmax with
/// 32 487, 128 456, 256 590. 16-bit floats and columns of several axes are fastest with 32.
int least_across(const ReductionAxesLayout& over, std::size_t count, std::size_t outputs, std::size_t running_bytes) {
    constexpr std::size_t fewest_elements = std::size_t{1} << 26;  // the last block of each group joins more results
    const bool has_measured_size = over.item_bytes == 1 || over.item_bytes == 4 || over.item_bytes == 8;
    if (over.vector_width > 1 || over.kept_rank > 1 || !has_measured_size || count * outputs < fewest_elements)
        return 32;
    return running_bytes > 8 ? 128 : 256;
}

/// Accesses to single elements need more of them in flight, and so do packs of 16-bit floats, whose sums and extremes
/// take more instructions per byte. Measured on an H200, (16384, 16384) halves along axis 0: sum 150 us with 4 accesses
/// and 128 with 8, of floats 247 and 261; the larger running values of variances 193 and 207.
std::size_t accesses_in_flight(const ReductionAxesLayout& over, std::size_t running_bytes) {
    if (over.vector_width == 1) return 12;
    return over.item_bytes == 2 && running_bytes <= 4 ? 8 : 4;
}

void deal_columns(ReductionTile& tile, std::size_t count, std::size_t outputs, int block, int least,
                  std::size_t in_flight) {
    const std::size_t packs = outputs / static_cast<std::size_t>(tile.vector_width);
    tile.unroll = static_cast<int>(std::clamp<std::size_t>(count, 1, in_flight));
    // Threads without work along the rows are put along the columns, too.
    const auto down =
        static_cast<int>(std::bit_floor(std::max<std::size_t>(count / static_cast<std::size_t>(tile.unroll), 1)));
    tile.across = std::min({power(packs), std::max(least, block / std::min(down, block)), block});
}

}  // namespace

int running_results(std::size_t extent, std::size_t most, bool overlaps) {
    const auto steps = [&](std::size_t lanes) {
        return extent / lanes + (overlaps ? extent % lanes != 0 : extent % lanes) + lanes / 8;
    };
    std::size_t best = most;
    for (const std::size_t lanes : {most / 2, most / 4})
        if (lanes >= 8 && steps(lanes) < steps(best)) best = lanes;
    return static_cast<int>(best);
}

namespace {

Spread spread_serially(const ReductionAxesLayout& over, const codegen::ReductionTuning& tuning,
                       const DeviceInfo& device, std::size_t running_bytes, Spread work, ReductionTile& tile) {
    const std::size_t resident = resident_blocks(tuning, device);
    const auto extent = static_cast<std::size_t>(over.extent);
    if (over.columns) {
        // The running results of a thread should fit in the first-level cache.
        const std::size_t most = std::bit_floor(std::max<std::size_t>(4096 / running_bytes, 16));
        // Tiles of about the same width, and of few widths, since each is a kernel of its own.
        const std::size_t even = up(up(extent, up(extent, most)), 64) * 64;
        tile.vector_width = static_cast<int>(std::min(extent > most ? even : std::bit_ceil(extent), most));
        const std::size_t tiles = up(extent, static_cast<std::size_t>(tile.vector_width));
        // The split results would need a second launch, which does not know the order of the results.
        const std::size_t useful = over.has_result ? 1 : work.count * std::min(extent, most) / 4096;
        split(work, work.outputs / extent * tiles, resident, useful);
        return work;
    }
    tile.vector_width =
        extent >= 64 ? running_results(extent, std::bit_floor(std::max(tuning.running_results, 1u)), over.overlaps) : 1;
    work.span = std::max<std::size_t>(work.outputs / (4 * resident), 1);
    split(work, up(work.outputs, work.span), resident, work.count / 4096);
    // Runs of several lines are split only between lines.
    const std::size_t lines = work.count / extent;
    if (lines > 1 && work.splits > lines) {
        work.blocks = work.blocks / work.splits * lines;
        work.splits = lines;
    }
    return work;
}

}  // namespace

Spread spread_whole(const CallLayout& layout, const codegen::ReductionTuning& tuning, const DeviceInfo& device,
                    std::size_t count, std::size_t outputs) {
    const bool serial = tuning.block == 1;
    Spread work{.count = count / outputs, .outputs = outputs};
    // A split pays if each of its threads has several elements.
    const std::size_t per_thread = serial ? 4096
                                   : layout.packed
                                       ? std::size_t{tuning.unroll} * static_cast<std::size_t>(layout.vector_width)
                                       : 4;
    split(work, outputs, resident_blocks(tuning, device), up(work.count, per_thread * (serial ? 1 : tuning.block)));
    return work;
}

Spread spread_over_axes(const ReductionAxesLayout& over, const codegen::ReductionTuning& tuning,
                        const DeviceInfo& device, std::size_t count, std::size_t outputs, std::size_t running_bytes,
                        codegen::ReductionLayout& layout) {
    layout.kept_rank = over.kept_rank;
    layout.has_index = over.has_index;
    layout.has_result = over.has_result;
    layout.mapping = over.columns ? Mapping::columns : Mapping::rows;
    ReductionTile& tile = layout.tile;
    Spread work{.count = count / outputs, .outputs = outputs};
    if (layout.serial) return spread_serially(over, tuning, device, running_bytes, work, tile);
    if (stage_lines(over, tuning, device, running_bytes, tile, work)) return work;
    tile = {};
    const int block = static_cast<int>(tuning.block);
    tile.vector_width = over.vector_width;
    tile.shifted = over.shifted;
    const auto width = static_cast<std::size_t>(tile.vector_width);
    std::size_t positions = work.count, packs = outputs;
    if (over.columns) {
        deal_columns(tile, work.count, outputs, block, least_across(over, work.count, outputs, running_bytes),
                     accesses_in_flight(over, running_bytes));
        packs = outputs / width;
    } else {
        const auto extent = static_cast<std::size_t>(over.extent);
        positions = work.count / extent * (tile.shifted ? (extent + 2 * width - 2) / width : extent / width);
        deal_rows(tile, positions, outputs, block, device);
    }
    const std::size_t groups = up(packs, static_cast<std::size_t>(tile.across) * static_cast<std::size_t>(tile.rows));
    const auto along = static_cast<std::size_t>(block / tile.across);
    if (tile.rows > 1) {
        work.blocks = groups;
    } else {
        // A second launch does not know the order of the results.
        const bool may_split = device.has_cross_block_visibility || !over.has_result;
        split(work, groups, resident_blocks(tuning, device),
              may_split ? up(positions, along * static_cast<std::size_t>(tile.unroll)) : 1);
    }
    return work;
}

}  // namespace gemel
