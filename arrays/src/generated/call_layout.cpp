#include "array/reach.hpp"
#include "generated/call.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>

namespace gemel {

/// Along the grid's y and z; CUDA's limit.
constexpr std::size_t most_blocks_across = 65535;

using codegen::Access;
using codegen::LastStep;

/// Whether axes may be sorted: nothing counts along C order, neither the snippet nor a range nor an array of another
/// shape.
bool Call::any_order() const {
    if (!declared_.order_free || sliced_) return false;
    for (std::size_t i = 0; i < arguments_.size(); ++i)
        if (arrays_[i].is_element && !(arrays_[i].array->shape() == *shape_)) return false;
    return true;
}

/// Axes are dropped and merged as far as all arrays allow; where the order does not matter they are sorted first.
void Call::collapse() {
    const bool sorts = any_order();
    const std::size_t rank = shape_->rank();
    std::array<std::size_t, most_call_axes> axes;
    std::size_t used = 0;
    for (std::size_t axis = 0; axis < rank; ++axis)
        if ((*shape_)[axis] != 1) axes[used++] = axis;
    if (sorts && used > 1) {
        // By the steps of the arrays, those that are written first: the first that tells two axes apart decides.
        const auto goes_before = [&](std::size_t a, std::size_t b) {
            for (const bool written : {true, false})
                for (std::size_t i = 0; i < arguments_.size(); ++i) {
                    if (!arrays_[i].is_element) continue;
                    if (declared_.uses[i].element_written != written) continue;
                    const auto step = [&](std::size_t axis) { return std::abs(arrays_[i].array->strides()[axis]); };
                    // A broadcast axis has no place of its own.
                    if (step(a) != step(b) && step(a) != 0 && step(b) != 0) return step(a) > step(b);
                }
            return false;
        };
        // By insertion: std::stable_sort takes memory from the heap.
        for (std::size_t k = 1; k < used; ++k)
            for (std::size_t at = k; at > 0 && goes_before(axes[at], axes[at - 1]); --at)
                std::swap(axes[at], axes[at - 1]);
    }
    rank_ = 0;
    std::array<std::size_t, most_call_axes> last;  // of the axes merged into one, the fastest
    for (std::size_t k = 0; k < used; ++k) {
        const std::int64_t extent = (*shape_)[axes[k]];
        bool merges = rank_ > 0;
        for (std::size_t i = 0; merges && i < arguments_.size(); ++i) {
            if (!arrays_[i].is_element || !(arrays_[i].array->shape() == *shape_)) continue;
            const Strides& s = arrays_[i].array->strides();
            merges = s[last[rank_ - 1]] == s[axes[k]] * extent;
        }
        if (merges) {
            extents_[rank_ - 1] *= extent;
            last[rank_ - 1] = axes[k];
        } else {
            extents_[rank_] = extent;
            last[rank_++] = axes[k];
        }
    }
    if (rank_ == 0) extents_[rank_++] = 1, last[0] = 0;
    if (sorts && rank_ > 2) {
        // Tiles are of the last two axes: the axis along which some array's elements are neighbours becomes the second.
        for (std::size_t i = 0; i < arguments_.size(); ++i) {
            if (!arrays_[i].is_element) continue;
            const Strides& s = arrays_[i].array->strides();
            int fastest = 0;
            while (fastest < rank_ && std::abs(s[last[fastest]]) != 1) ++fastest;
            if (fastest >= rank_ - 2) continue;
            std::rotate(last.begin() + fastest, last.begin() + fastest + 1, last.begin() + rank_ - 1);
            std::rotate(extents_.begin() + fastest, extents_.begin() + fastest + 1, extents_.begin() + rank_ - 1);
            break;
        }
    }
    strides_.clear();
    far_columns_ = false;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        Array& a = arrays_[i];
        if (!a.is_element) continue;
        bool linear = true;
        std::int64_t step = 1;
        const std::size_t begin = strides_.size();
        strides_.resize(begin + static_cast<std::size_t>(rank_));
        for (int axis = rank_ - 1; axis >= 0; --axis) {
            const bool own = a.array->shape() == *shape_ && rank > 0;
            const std::int64_t stride = own ? a.array->strides()[last[axis]] : step;
            strides_[begin + static_cast<std::size_t>(axis)] = stride;
            linear &= stride == step || extents_[axis] == 1;
            step *= extents_[axis];
        }
        a.access = linear ? Access::linear : Access::strided;
        const std::int64_t last_step = strides_.back();
        far_columns_ |= std::abs(last_step) * static_cast<std::int64_t>(a.array->dtype().size_bytes()) >= 64;
        a.last_step = last_step == 1 ? LastStep::one : last_step == 0 ? LastStep::zero : LastStep::any;
        if (linear) strides_.resize(begin);
    }
    layout_values_.clear();
    if (strides_.empty()) {
        rank_ = 0;
        return;
    }
    layout_values_.assign(extents_.begin(), extents_.begin() + rank_);
    layout_values_.insert(layout_values_.end(), strides_.begin(), strides_.end());
}

/// Axes of one group, those of extent 1 left out, neighbours merged where all arrays (and the flat index) allow.
void Call::collapse_group(std::span<const std::size_t> axes, std::pmr::vector<Axis>& merged) const {
    const auto merges = [&](std::size_t slow, std::size_t fast) {
        const std::int64_t extent = (*shape_)[fast];
        for (std::size_t i = 0; i < arguments_.size(); ++i)
            if (arrays_[i].is_element &&
                arrays_[i].array->strides()[slow] != arrays_[i].array->strides()[fast] * extent)
                return false;
        return index_strides_.empty() || index_strides_[slow] == index_strides_[fast] * extent;
    };
    for (const std::size_t axis : axes) {
        if ((*shape_)[axis] == 1) continue;
        if (!merged.empty() && merges(merged.back().axis, axis)) {
            merged.back() = {axis, merged.back().extent * (*shape_)[axis]};
        } else {
            merged.push_back({axis, (*shape_)[axis]});
        }
    }
    if (merged.empty()) merged.push_back({most_call_axes, 1});
}

bool Call::choose_reduction_layout(std::span<const bool> reduced, bool linear_addresses) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        if (!arrays_[i].array) continue;
        if (arrays_[i].is_element && !(arrays_[i].array->shape() == *shape_))
            declared_.refuse(i, text("has the shape ", to_string(arrays_[i].array->shape()), ", which differs from ",
                                     to_string(*shape_), "; over axes all arrays must have one shape"));
        if (declared_.uses[i].elsewhere && !arrays_[i].array->is_contiguous())
            declared_.refuse(
                i, "has gaps between its elements, and the snippet touches it otherwise than as [i]; pass .copy()");
    }
    sliced_ = packed_ = false;
    lanes_ = 1;
    head_ = 0;
    std::array<std::size_t, most_call_axes> groups[2];
    std::size_t counts[2] = {0, 0};
    for (std::size_t axis = 0; axis < shape_->rank(); ++axis) {
        const int group = reduced[axis] ? 0 : 1;
        groups[group][counts[group]++] = axis;
    }
    if (!declared_.order_free) index_strides_ = contiguous_strides(*shape_);
    std::pmr::vector<Axis> inner{&resource_}, outer{&resource_};
    collapse_group({groups[0].data(), counts[0]}, inner);
    collapse_group({groups[1].data(), counts[1]}, outer);
    rank_ = static_cast<int>(inner.size());
    kept_rank_ = static_cast<int>(outer.size());
    layout_values_.clear();
    for (const Axis& axis : inner) layout_values_.push_back(axis.extent);
    for (const Axis& axis : outer) layout_values_.push_back(axis.extent);
    wide_ = count_ >= (std::size_t{1} << 31) - (std::size_t{1} << 20);
    std::int64_t least_inner = INT64_MAX, least_outer = INT64_MAX;
    const auto add = [&](const auto& strides) {
        for (const Axis& axis : inner) layout_values_.push_back(axis.axis == most_call_axes ? 0 : strides[axis.axis]);
        for (const Axis& axis : outer) layout_values_.push_back(axis.axis == most_call_axes ? 0 : strides[axis.axis]);
    };
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        Array& a = arrays_[i];
        if (!a.array) continue;
        a.offset = !linear_addresses && a.offset_bytes != 0;
        if (!a.is_element) continue;
        a.access = Access::strided;
        const Strides& strides = a.array->strides();
        add(strides);
        for (const Axis& axis : inner)
            if (axis.extent > 1) least_inner = std::min(least_inner, std::abs(strides[axis.axis]));
        for (const Axis& axis : outer)
            if (axis.extent > 1) least_outer = std::min(least_outer, std::abs(strides[axis.axis]));
        const auto [low, high] = reach(*a.array, 0);
        wide_ |= (high - low) / static_cast<std::int64_t>(a.array->dtype().size_bytes()) >= std::int64_t{1} << 31;
    }
    if (!index_strides_.empty()) add(index_strides_);
    return least_outer < least_inner;
}

/// Tiles of the wished area fit the last two axes, unless one of these is so short that most threads would idle.
void Call::choose_tile(const codegen::Tuning& tuning) {
    if (rank_ < 2 || sliced_ || !tuning.tile_width) return;
    const auto power = [](std::uint32_t wish) { return static_cast<std::int64_t>(std::bit_floor(std::max(wish, 1u))); };
    const auto up = [](std::int64_t extent) {
        return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(extent)));
    };
    const auto tiles = [](std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; };
    const std::int64_t columns = extents_[rank_ - 1], rows = extents_[rank_ - 2];
    const std::int64_t block = power(tuning.tile_block ? tuning.tile_block : tuning.block);
    const std::int64_t area = std::max(power(tuning.tile_width) * power(tuning.tile_rows), block);
    std::int64_t width = std::min(power(tuning.tile_width), up(columns)), height = 0;
    if (block == 1) {
        // Where each column is in a cache line of its own, few lines are kept in use, by many rows: more of them, a
        // power of 2 apart as they often are, would drive each other out.
        if (far_columns_) width = std::min<std::int64_t>(width, 16);
        height = area / width;
    } else {
        width = std::min(width, block);
        while (block / width > rows && width < std::min(block, up(columns))) width *= 2;
        height = area / width;
        while (height > block / width && height / 2 >= rows) height /= 2;
        if (tiles(columns, width) * width * tiles(rows, height) * height > 2 * columns * rows) return;
    }
    std::size_t outer = 1;
    for (int axis = 0; axis < rank_ - 2; ++axis) outer *= static_cast<std::size_t>(extents_[axis]);
    std::size_t along = static_cast<std::size_t>(tiles(columns, width)),
                down = static_cast<std::size_t>(tiles(rows, height));
    const bool tall = down > most_blocks_across;
    if (tall) std::swap(along, down);
    if (down > most_blocks_across || outer > most_blocks_across) return;
    tile_width_ = static_cast<int>(width);
    tile_rows_ = static_cast<int>(height);
    tall_ = tall;
    tiles_ = {along, down, outer};
}

void Call::choose_layout(const codegen::Tuning& tuning, bool sliced, bool linear_addresses, std::size_t count) {
    sliced_ = sliced;
    wide_ = count_ >= (std::size_t{1} << 31) - (std::size_t{1} << 20);
    if (all_contiguous_) {
        for (std::size_t i = 0; i < arguments_.size(); ++i)
            if (arrays_[i].is_element) arrays_[i].access = Access::linear;
    } else {
        collapse();
    }
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        Array& a = arrays_[i];
        if (!a.array) continue;
        a.offset = !linear_addresses && a.offset_bytes != 0;
        if (!wide_ && (a.access == Access::strided || declared_.uses[i].elsewhere)) {
            const auto [low, high] = reach(*a.array, 0);
            wide_ = (high - low) / static_cast<std::int64_t>(a.array->dtype().size_bytes()) >= std::int64_t{1} << 31;
        }
    }
    packed_ = false;
    lanes_ = 1;
    head_ = 0;
    tile_width_ = tile_rows_ = 0;
    tall_ = false;
    if (tuning.access_bytes < 2 || rank_ > 0 || sliced || in_place_steps_ || checked_) return;
    // Wide accesses, where elements are numbers that nobody takes the address of.
    std::array<bool, most_call_arguments> packs;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        packs[i] = arrays_[i].access == Access::linear && !declared_.uses[i].element_address;
        if (!packs[i]) continue;
        const DType d = arrays_[i].array->dtype();
        packs[i] =
            d.kind() != DType::Kind::structure && d.size_bytes() <= 16 && (d.size_bytes() & (d.size_bytes() - 1)) == 0;
    }
    const auto address = [&](std::size_t i) {
        const Array& a = arrays_[i];
        return linear_addresses ? a.array->buffer().native_handle() + a.offset_bytes : a.offset_bytes;
    };
    const auto item_bytes = [&](std::size_t i) { return std::size_t{arrays_[i].array->dtype().size_bytes()}; };
    // The length of a pack follows from the arrays that are moved in packs, and the alignment that these need from the
    // length: those that do not have it are left out, until all that remain have.
    for (bool settled = false; !settled;) {
        std::size_t largest = 0, smallest = 16;
        // The first array that is written, else the first, decides how many elements come before the packs.
        std::size_t deciding = most_call_arguments;
        for (std::size_t i = 0; i < arguments_.size(); ++i) {
            if (!packs[i]) continue;
            largest = std::max(largest, item_bytes(i));
            smallest = std::min(smallest, item_bytes(i));
            if (deciding == most_call_arguments ||
                (declared_.uses[i].element_written && !declared_.uses[deciding].element_written))
                deciding = i;
        }
        head_ = 0;
        lanes_ = 1;
        if (largest == 0) return;
        const std::size_t access = tuning.access_bytes;
        const std::size_t lanes =
            std::max({std::size_t{1}, access / largest, std::min<std::size_t>(4, access) / smallest});
        const auto alignment = [&](std::size_t i) { return std::min<std::size_t>(16, lanes * item_bytes(i)); };
        const std::size_t past = address(deciding) % alignment(deciding);
        if (past % item_bytes(deciding) != 0) return;
        lanes_ = static_cast<int>(lanes);
        head_ = past ? std::min((alignment(deciding) - past) / item_bytes(deciding), count) : 0;
        settled = true;
        for (std::size_t i = 0; i < arguments_.size(); ++i)
            if (packs[i] && (address(i) + head_ * item_bytes(i)) % alignment(i) != 0) packs[i] = settled = false;
    }
    for (std::size_t i = 0; i < arguments_.size(); ++i)
        if (packs[i]) arrays_[i].access = Access::packed;
    packed_ = true;
}

}  // namespace gemel
