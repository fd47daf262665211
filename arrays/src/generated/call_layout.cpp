#include "generated/call_layout.hpp"

#include "array/byte_bounds.hpp"
#include "array/merge_axes.hpp"
#include "generated/line_packs.hpp"
#include "generated/turned_tiles.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>
#include <utility>

namespace gemel {
namespace {

using codegen::Access;
using codegen::KernelLayout;
using codegen::LastStep;
using Array = BoundCall::Array;
using AxisList = boost::container::static_vector<std::size_t, max_axes>;

/// Maximum blocks along y and z of the grid; CUDA's limit.
constexpr std::size_t max_blocks_across = 65535;

bool has_call_shape(const BoundCall& call, const Array& a) { return a.array->shape() == call.shape(); }

/// Such element counts, plus the overshoot of the last blocks, need 64-bit indices.
bool is_long(std::size_t count) { return count >= (std::size_t{1} << 31) - (std::size_t{1} << 20); }

}  // namespace

void begin_layout(KernelLayout& layout, const BoundCall& call, const LayoutRequest& request) {
    layout.sliced = request.sliced;
    layout.checked = request.checked;
    layout.wide_index = is_long(call.count());
    for (const Array& a : call.arrays()) {
        const Access access = !a.array ? Access::none : a.is_element ? Access::linear : Access::pointer;
        layout.arguments.push_back(
            {.access = access, .offset = a.array && !request.linear_addresses && a.offset_bytes != 0});
    }
}

std::size_t address_of(const Array& a, const LayoutRequest& request) {
    return request.linear_addresses ? a.array->buffer().native_handle() + a.offset_bytes : a.offset_bytes;
}

bool can_be_packed(const Array& a, const codegen::ArrayUse& use) {
    const DType dtype = a.array->dtype();
    return !use.element_address && dtype.kind() != DType::Kind::structure && dtype.size_bytes() <= 16 &&
           std::has_single_bit(dtype.size_bytes());
}

namespace {

/// Whether axes may be reordered: nothing depends on C order, neither the snippet, nor a range, nor an array of another
/// shape.
bool any_order(const BoundCall& call, bool sliced) {
    return call.declared().order_free && !sliced &&
           std::all_of(call.arrays().begin(), call.arrays().end(),
                       [&](const Array& a) { return !a.is_element || has_call_shape(call, a); });
}

/// Sorts axes by the arrays' strides, written arrays first: the first array whose strides differ decides.
void sort_axes(const BoundCall& call, AxisList& axes) {
    const auto goes_before = [&](std::size_t a, std::size_t b) {
        for (const bool written : {true, false})
            for (std::size_t i = 0; i < call.arrays().size(); ++i) {
                const Array& array = call.arrays()[i];
                if (!array.is_element || call.declared().uses[i].element_written != written) continue;
                const auto step = [&](std::size_t axis) { return std::abs(array.array->strides()[axis]); };
                // A broadcast axis does not decide.
                if (step(a) != step(b) && step(a) != 0 && step(b) != 0) return step(a) > step(b);
            }
        return false;
    };
    // Insertion sort: std::stable_sort allocates on the heap.
    for (std::size_t k = 1; k < axes.size(); ++k)
        for (std::size_t at = k; at > 0 && goes_before(axes[at], axes[at - 1]); --at) std::swap(axes[at], axes[at - 1]);
}

/// Tiles cover the last two axes. Moves the axis along which the most bytes are contiguous, other than the last, to the
/// second last position.
void bring_neighbours_into_tiles(const BoundCall& call, MergedAxes& axes) {
    boost::container::static_vector<std::size_t, max_axes> bytes(axes.size(), 0);
    for (const Array& a : call.arrays()) {
        if (!a.is_element) continue;
        for (std::size_t k = 0; k < axes.size(); ++k)
            if (std::abs(a.array->strides()[axes[k].axis]) == 1) bytes[k] += item_bytes(a);
    }
    const auto most = std::max_element(bytes.begin(), bytes.end() - 1);
    if (*most > 0 && most < bytes.end() - 2)
        std::rotate(axes.begin() + (most - bytes.begin()), axes.begin() + (most - bytes.begin()) + 1, axes.end() - 1);
}

/// The call's axes, with axes of extent 1 dropped and neighbours merged as far as all arrays allow; sorted if order
/// does not matter.
MergedAxes collapsed_axes(const BoundCall& call, bool sliced) {
    AxisList order;
    for (std::size_t axis = 0; axis < call.shape().rank(); ++axis)
        if (call.shape()[axis] != 1) order.push_back(axis);
    const bool sorts = any_order(call, sliced);
    if (sorts) sort_axes(call, order);
    const auto runs_on = [&](std::size_t slow, std::size_t fast, std::int64_t extent) {
        return std::all_of(call.arrays().begin(), call.arrays().end(), [&](const Array& a) {
            return !a.is_element || !has_call_shape(call, a) ||
                   a.array->strides()[slow] == a.array->strides()[fast] * extent;
        });
    };
    MergedAxes axes = merge_axes(call.shape(), order, runs_on);
    if (axes.empty()) axes.push_back({});
    if (sorts && axes.size() > 2) bring_neighbours_into_tiles(call, axes);
    return axes;
}

LastStep named(std::int64_t step) {
    switch (step) {
        case 0: return LastStep::zero;
        case 1: return LastStep::one;
        case -1: return LastStep::back;
        default: return LastStep::any;
    }
}

/// Finds the arrays that are linear along the merged axes, and the strides of the others, or of all with `keeps_all`.
/// @returns whether an array's neighbours along the last axis are a cache line or more apart
bool add_steps(const BoundCall& call, const MergedAxes& axes, bool keeps_all, CallLayout& layout) {
    bool far_columns = false;
    for (const MergedAxis& axis : axes) layout.values.push_back(axis.extent);
    for (std::size_t i = 0; i < call.arrays().size(); ++i) {
        const Array& a = call.arrays()[i];
        if (!a.is_element) continue;
        const bool own_steps = has_call_shape(call, a) && call.shape().rank() > 0;
        const std::size_t begin = layout.values.size();
        layout.values.resize(begin + axes.size());
        bool linear = true;
        std::int64_t step = 1;
        for (std::size_t k = axes.size(); k-- > 0;) {
            const std::int64_t stride = own_steps ? a.array->strides()[axes[k].axis] : step;
            layout.values[begin + k] = stride;
            linear &= stride == step || axes[k].extent == 1;
            step *= axes[k].extent;
        }
        const std::int64_t last = layout.values.back();
        far_columns |= std::abs(last) * static_cast<std::int64_t>(item_bytes(a)) >= 64;
        codegen::ArgumentLayout& argument = layout.kernel.arguments[i];
        linear &= !keeps_all;
        argument.access = linear ? Access::linear : Access::strided;
        argument.last_step = named(last);
        if (linear) layout.values.resize(begin);
    }
    if (layout.kernel.any(Access::strided)) {
        layout.kernel.rank = static_cast<int>(axes.size());
    } else {
        layout.values.clear();
    }
    return far_columns;
}

/// Chooses tiles of the requested area over the last two axes, unless an axis is so short that most threads would idle.
void choose_tile(const codegen::ElementwiseTuning& tuning, bool far_columns, CallLayout& layout) {
    KernelLayout& kernel = layout.kernel;
    if (kernel.rank < 2 || kernel.sliced || !tuning.tile_width) return;
    const auto power = [](std::uint32_t wish) { return static_cast<std::int64_t>(std::bit_floor(std::max(wish, 1u))); };
    const auto up = [](std::int64_t extent) {
        return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(extent)));
    };
    const auto tiles = [](std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; };
    const auto rank = static_cast<std::size_t>(kernel.rank);
    const std::int64_t columns = layout.values[rank - 1], rows = layout.values[rank - 2];
    const std::int64_t block = power(tuning.tile_block ? tuning.tile_block : tuning.block);
    const std::int64_t area = std::max(power(tuning.tile_width) * power(tuning.tile_rows), block);
    std::int64_t width = std::min(power(tuning.tile_width), up(columns)), height = 0;
    if (block == 1) {
        // If each column is in its own cache line, tiles are narrow and tall, so that few lines are in use: lines a
        // power of 2 apart, as is common, would evict each other.
        if (far_columns) width = std::min<std::int64_t>(width, 16);
        height = area / width;
    } else {
        width = std::min(width, block);
        while (block / width > rows && width < std::min(block, up(columns))) width *= 2;
        height = area / width;
        while (height > block / width && height / 2 >= rows) height /= 2;
        if (tiles(columns, width) * width * tiles(rows, height) * height > 2 * columns * rows) return;
    }
    std::size_t outer = 1;
    for (std::size_t axis = 0; axis + 2 < rank; ++axis) outer *= static_cast<std::size_t>(layout.values[axis]);
    auto along = static_cast<std::size_t>(tiles(columns, width)), down = static_cast<std::size_t>(tiles(rows, height));
    const bool rows_on_x = down > max_blocks_across;
    if (rows_on_x) std::swap(along, down);
    if (down > max_blocks_across || outer > max_blocks_across) return;
    kernel.tile_width = static_cast<int>(width);
    kernel.tile_rows = static_cast<int>(height);
    kernel.rows_on_x = rows_on_x;
    layout.tiles = {along, down, outer};
}

}  // namespace

void choose_packs(const BoundCall& call, const LayoutRequest& request, CallLayout& layout) {
    const auto& uses = call.declared().uses;
    boost::container::static_vector<std::size_t, max_call_arguments> packs;
    for (std::size_t i = 0; i < call.arrays().size(); ++i)
        if (layout.kernel.arguments[i].access == Access::linear && can_be_packed(call.arrays()[i], uses[i]))
            packs.push_back(i);
    const auto position = [&](std::size_t i) { return address_of(call.arrays()[i], request); };
    const auto bytes = [&](std::size_t i) { return item_bytes(call.arrays()[i]); };
    for (bool settled = false; !settled;) {
        if (packs.empty()) return;
        std::size_t largest = 0, smallest = 16;
        // The first written array, or the first array, determines the number of elements before the packs.
        std::size_t deciding = packs.front();
        for (const std::size_t i : packs) {
            largest = std::max(largest, bytes(i));
            smallest = std::min(smallest, bytes(i));
            if (uses[i].element_written && !uses[deciding].element_written) deciding = i;
        }
        const std::size_t access = request.access_bytes;
        const std::size_t vector_width =
            std::max({std::size_t{1}, access / largest, std::min<std::size_t>(4, access) / smallest});
        const auto alignment = [&](std::size_t i) { return std::min<std::size_t>(16, vector_width * bytes(i)); };
        const std::size_t past = position(deciding) % alignment(deciding);
        if (past % bytes(deciding) != 0) return;
        layout.vector_width = static_cast<int>(vector_width);
        layout.head = past ? std::min((alignment(deciding) - past) / bytes(deciding), request.count) : 0;
        const auto stay = std::remove_if(packs.begin(), packs.end(), [&](std::size_t i) {
            return (position(i) + layout.head * bytes(i)) % alignment(i) != 0;
        });
        settled = stay == packs.end();
        packs.erase(stay, packs.end());
    }
    for (const std::size_t i : packs) layout.kernel.arguments[i].access = Access::packed;
    layout.packed = true;
}

CallLayout choose_layout(const BoundCall& call, const LayoutRequest& request) {
    CallLayout layout;
    KernelLayout& kernel = layout.kernel;
    begin_layout(kernel, call, request);
    const codegen::ElementwiseTuning* tiles = request.tiles;
    const bool is_serial = tiles && (tiles->tile_block ? tiles->tile_block : tiles->block) == 1;
    bool far_columns = false;
    MergedAxes axes;
    if (!call.all_contiguous()) {
        axes = collapsed_axes(call, request.sliced);
        const std::optional<TurnedTiles> turned = find_turned_tiles(call, request, axes);
        far_columns = add_steps(call, axes, turned.has_value(), layout);
        if (!is_serial || turned)
            for (codegen::ArgumentLayout& argument : kernel.arguments)
                if (argument.last_step == LastStep::back) argument.last_step = LastStep::any;
        if (turned) use_turned_tiles(*turned, layout);
    }
    for (std::size_t i = 0; i < call.arrays().size() && !kernel.wide_index; ++i) {
        const Array& a = call.arrays()[i];
        kernel.wide_index = a.array &&
                            (kernel.arguments[i].access == Access::strided || call.declared().uses[i].elsewhere) &&
                            needs_64_bit_offsets(*a.array);
    }
    choose_line_packs(call, request, axes, layout);
    if (tiles && !layout.packed && !layout.tiled()) choose_tile(*tiles, far_columns, layout);
    choose_packs_of_one(call, request, axes, layout);
    const bool has_lines = layout.tiled() || layout.packed || (is_serial && kernel.rank == 1);
    if (!has_lines)
        for (codegen::ArgumentLayout& argument : kernel.arguments) argument.last_step = LastStep::any;
    const bool may_pack = request.access_bytes >= 2 && kernel.rank == 0 && !layout.packed && !request.sliced &&
                          !call.reads_what_it_writes() && !request.checked;
    if (may_pack) choose_packs(call, request, layout);
    if (!layout.packed) layout.vector_width = 1, layout.head = 0;
    return layout;
}

}  // namespace gemel
