#include "generated/turned_tiles.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

namespace gemel {
namespace {

using Array = BoundCall::Array;

/// Maximum bytes per thread in registers for elements that it loads before the barrier.
constexpr std::int64_t max_kept_bytes = 128;
/// A block has at least a warp.
constexpr std::int64_t smallest_block = 32;
/// Shared memory that every device gives a kernel without a request.
constexpr std::int64_t max_shared_bytes = 48 * 1024;

std::int64_t round_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }
std::int64_t power(std::uint32_t wish) { return static_cast<std::int64_t>(std::bit_floor(std::max(wish, 1u))); }
/// Finds the tiles of one call.
class Finder {
   public:
    Finder(const BoundCall& call, const LayoutRequest& request, const MergedAxes& axes)
        : call_(call),
          request_(request),
          axes_(axes),
          rows_(axes.size() - 2),
          columns_(axes.size() - 1),
          forced_(request.tiles->tiles == codegen::TileStrategy::turned) {}

    std::optional<TurnedTiles> find() {
        if (!all_have_call_shape() || !find_turned()) return {};
        find_vectors();
        if (!fit_tile() || !choose_block()) return {};
        return found_;
    }

   private:
    const Array& array(std::size_t i) const { return call_.arrays()[i]; }
    std::int64_t bytes(std::size_t i) const { return array(i).array->dtype().size_bytes(); }
    std::int64_t step(std::size_t i, std::size_t axis) const { return array(i).array->strides()[axes_[axis].axis]; }
    std::size_t size() const { return call_.arrays().size(); }
    bool is_turned(std::size_t i) const { return found_.arguments[i].turned > 0; }

    bool all_have_call_shape() const {
        return std::all_of(call_.arrays().begin(), call_.arrays().end(),
                           [&](const Array& a) { return !a.is_element || a.array->shape() == call_.shape(); });
    }

    /// Whether elements are accessed only as x[i] by the snippet's statements.
    bool can_be_moved(std::size_t i) const {
        const codegen::ArrayUse& use = call_.declared().uses[i];
        return array(i).is_element && use.element && !use.element_address && !use.elsewhere && !use.bare;
    }

    /// Marks the arrays whose neighbours are along columns.
    bool find_turned() {
        bool any = false;
        for (std::size_t i = 0; i < size(); ++i) {
            found_.arguments.push_back({});
            const codegen::ArrayUse& use = call_.declared().uses[i];
            if (!can_be_moved(i) || !use.element_read || use.element_written || bytes(i) > 16) continue;
            const std::int64_t along = std::abs(step(i, columns_)), down = std::abs(step(i, rows_));
            // If neighbours are in different cache sectors, reading along columns gains nothing.
            if (down == 0 || along <= down || down * bytes(i) >= 32) continue;
            found_.arguments[i].turned = 1;
            any = true;
        }
        return any;
    }

    /// The number of elements along an axis per access: a power of 2, at most `wish`, that divides the extent. If a
    /// vector crossed an edge, compilers would merge its scalar loads with the loads of whole vectors.
    std::int64_t vector_of(std::size_t i, std::size_t axis, std::int64_t wish) const {
        if (step(i, axis) != 1 || !std::has_single_bit(static_cast<std::uint64_t>(bytes(i)))) return 1;
        const Array& a = array(i);
        const std::uint64_t address =
            request_.linear_addresses ? a.array->buffer().native_handle() + a.offset_bytes : a.offset_bytes;
        for (; wish > 1; wish /= 2) {
            const std::int64_t alignment = std::min<std::int64_t>(16, wish * bytes(i));
            bool fits = axes_[axis].extent % wish == 0 && address % static_cast<std::uint64_t>(alignment) == 0;
            for (std::size_t k = 0; k < axes_.size(); ++k) fits &= k == axis || step(i, k) * bytes(i) % alignment == 0;
            if (fits) break;
        }
        return wish;
    }

    void find_vectors() {
        const std::int64_t access = request_.access_bytes;
        std::int64_t largest = 1, smallest = 16;
        for (std::size_t i = 0; i < size(); ++i) {
            if (!can_be_moved(i) || is_turned(i)) continue;
            largest = std::max(largest, bytes(i));
            smallest = std::min(smallest, bytes(i));
        }
        // Single bytes are loaded by columns of four; with 16 of them in a row, a thread would have too many.
        std::int64_t vector =
            std::max({std::int64_t{1}, access / largest, std::min<std::int64_t>(4, access) / smallest});
        vector = std::min<std::int64_t>(vector, 8);
        for (const bool written : {true, false}) {
            std::int64_t least = vector;
            bool any = false;
            for (std::size_t i = 0; i < size(); ++i) {
                if (!can_be_moved(i) || is_turned(i) || call_.declared().uses[i].element_written != written) continue;
                if (step(i, columns_) != 1) continue;
                any = true;
                least = std::min(least, vector_of(i, columns_, vector));
            }
            if (!any && written) continue;
            vector = any ? least : 1;
            break;
        }
        found_.vector = static_cast<int>(vector);
        const std::int64_t rows = axes_[rows_].extent;
        for (std::size_t i = 0; i < size(); ++i) {
            if (!can_be_moved(i)) continue;
            TurnedTiles::Argument& argument = found_.arguments[i];
            if (!is_turned(i)) {
                argument.wide = vector > 1 && vector_of(i, columns_, vector) == vector;
                continue;
            }
            argument.turned =
                static_cast<std::uint8_t>(vector_of(i, rows_, std::clamp<std::int64_t>(access / bytes(i), 1, 16)));
            down_ = std::max<std::int64_t>(down_, argument.turned);
            const int cell = codegen::turned_cell(static_cast<int>(bytes(i)));
            found_.group = std::max(found_.group, cell);
        }
        while (found_.group > 1 && found_.group / 2 >= rows) found_.group /= 2;
        down_ = std::max<std::int64_t>(down_, found_.group);
    }

    /// The shared memory of a tile, and the registers of all threads for elements that are read, in bytes.
    std::int64_t shared_bytes(std::int64_t width, std::int64_t height) const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < size(); ++i)
            if (is_turned(i))
                sum += codegen::turned_tile_bytes(static_cast<int>(bytes(i)), static_cast<int>(width),
                                                  static_cast<int>(height), found_.group);
        return sum;
    }
    std::int64_t kept_bytes(std::int64_t width, std::int64_t height) const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < size(); ++i)
            if (can_be_moved(i) && call_.declared().uses[i].element_read) sum += bytes(i);
        return sum * width * height;
    }

    /// The sides depend on the largest element. If an axis is shorter than its side, the other side becomes longer.
    bool fit_tile() {
        std::int64_t largest = 1;
        for (std::size_t i = 0; i < size(); ++i)
            if (is_turned(i)) largest = std::max(largest, bytes(i));
        const codegen::ElementwiseTuning& tuning = *request_.tiles;
        std::int64_t width = tuning.turned_width ? power(tuning.turned_width)
                             : largest == 1      ? 128
                             : largest > 4       ? 32
                                                 : 64;
        std::int64_t height = tuning.turned_rows ? power(tuning.turned_rows) : largest > 4 ? 32 : 64;
        width = std::max<std::int64_t>(width, found_.vector);
        height = std::max(height, down_);
        const auto limit = std::min<std::int64_t>(max_shared_bytes, static_cast<std::int64_t>(request_.shared_bytes));
        threads_ = power(tuning.tile_block > 1 ? tuning.tile_block : 256);
        while (shared_bytes(width, height) > limit || kept_bytes(width, height) > threads_ * max_kept_bytes) {
            std::int64_t& side = width > height ? width : height;
            if (side <= 8 || side / 2 < std::max<std::int64_t>(found_.vector, down_)) break;
            side /= 2;
        }
        const std::int64_t area = width * height;
        width_ = side_of(axes_[columns_].extent, width, found_.vector);
        height_ = side_of(axes_[rows_].extent, height, down_);
        if (width_ < width) height_ = longer_side(axes_[rows_].extent, area / width_, down_);
        if (height_ < height) width_ = longer_side(axes_[columns_].extent, area / height_, found_.vector);
        while (width_ > found_.vector && shared_bytes(width_, height_) > limit)
            width_ = round_up(width_ / 2, found_.vector);
        found_.columns = static_cast<int>(width_);
        found_.rows = static_cast<int>(height_);
        return shared_bytes(width_, height_) <= limit;
    }
    /// A short axis is one tile; if it needs two tiles, they have equal lengths.
    static std::int64_t side_of(std::int64_t extent, std::int64_t wish, std::int64_t unit) {
        if (extent >= 2 * wish) return wish;
        const std::int64_t tiles = extent > wish ? 2 : 1;
        return std::min(round_up((extent + tiles - 1) / tiles, std::max<std::int64_t>(unit, tiles > 1 ? 8 : 1)), wish);
    }
    static std::int64_t longer_side(std::int64_t extent, std::int64_t wish, std::int64_t unit) {
        const std::int64_t side = wish / std::max<std::int64_t>(unit, 16) * std::max<std::int64_t>(unit, 16);
        return std::max(unit, std::min(round_up(extent, unit), side));
    }

    bool choose_block() {
        const std::int64_t pieces = width_ / found_.vector * (height_ / found_.group);
        // With less work than a warp, most threads would idle.
        if (!forced_ && pieces < smallest_block) return false;
        while (threads_ > smallest_block && threads_ / 2 >= pieces) threads_ /= 2;
        found_.block = static_cast<std::uint32_t>(threads_);
        const auto tiles = [](std::int64_t extent, std::int64_t tile) {
            return static_cast<std::size_t>((extent + tile - 1) / tile);
        };
        found_.blocks = tiles(axes_[columns_].extent, width_) * tiles(axes_[rows_].extent, height_);
        for (std::size_t k = 0; k < rows_; ++k) found_.blocks *= static_cast<std::size_t>(axes_[k].extent);
        return found_.blocks <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
    }

    const BoundCall& call_;
    const LayoutRequest& request_;
    const MergedAxes& axes_;
    const std::size_t rows_, columns_;
    const bool forced_;
    TurnedTiles found_;
    std::int64_t down_ = 1;  ///< the rows of a tile are a multiple of this
    std::int64_t width_ = 0, height_ = 0, threads_ = 0;
};

}  // namespace

std::optional<TurnedTiles> find_turned_tiles(const BoundCall& call, const LayoutRequest& request,
                                             const MergedAxes& axes) {
    if (!request.tiles || axes.size() < 2 || request.sliced || call.reads_what_it_writes()) return {};
    const codegen::TileStrategy wish = request.tiles->tiles;
    if (wish == codegen::TileStrategy::direct) return {};
    if (wish == codegen::TileStrategy::automatic && !request.may_turn) return {};
    return Finder(call, request, axes).find();
}

void use_turned_tiles(const TurnedTiles& tiles, CallLayout& layout) {
    codegen::KernelLayout& kernel = layout.kernel;
    kernel.tile_width = tiles.columns;
    kernel.tile_rows = tiles.rows;
    kernel.tile_vector = tiles.vector;
    kernel.tile_group = tiles.group;
    for (std::size_t i = 0; i < tiles.arguments.size(); ++i) {
        kernel.arguments[i].wide = tiles.arguments[i].wide;
        kernel.arguments[i].turned = tiles.arguments[i].turned;
        if (tiles.arguments[i].turned) kernel.arguments[i].last_step = codegen::LastStep::any;
    }
    layout.block = tiles.block;
    layout.tiles = {tiles.blocks, 1, 1};
}

}  // namespace gemel
