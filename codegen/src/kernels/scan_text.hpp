/// The kernels of one variant of a scan: fills the templates of kernels/scan.
#pragma once

#include "block/element_access.hpp"

#include <gemel/codegen/block.hpp>
#include <gemel/codegen/scan.hpp>
#include <gemel/codegen/writer.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::codegen {

/// The distribution of a block's elements: each thread has `rows` runs of `vector_width` adjacent elements.
struct TileShape {
    std::uint32_t block;
    int vector_width, rows;
    int elements() const { return static_cast<int>(block) * vector_width * rows; }
};
TileShape tile_shape(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning);
std::vector<ArrayUse> array_uses(const ScanRequest& request);
bool has_argument(const ScanRequest& request, std::string_view name);
/// The word with which the output uses the number of an element's segment: "segment", "segment_64", or "".
std::string_view counted_segments(const ScanRequest& request);

class ScanText {
   public:
    ScanText(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning, const Dialect& dialect);
    std::string text();

   private:
    using Mode = ElementAccess::Mode;

    /// Text printed by ElementAccess.
    std::string printed(const std::function<void()>& print);
    std::string as_value(const std::string& expression) const;
    Values values() const;
    std::string fill(const Template& kernel, const Values& more = {});
    std::string begin_body();
    std::string chunks();
    std::string prefixes();
    std::string tiles();
    std::string by_rows();
    int lanes() const { return layout_.along > 0 ? std::min(layout_.along, 32) : 32; }
    std::string scan_tile();
    /// Applies the prefix to every run; each row continues with `then`.
    std::string complete_runs(const char* has_prefix, const char* prefix, const std::string& then);
    /// The user's output statement for every element of the tile.
    std::string stage();
    std::string finish_tile(const char* prefix);
    std::string stores(const char* has_prefix, const char* prefix);
    std::string tile_output(Mode mode);
    struct Reached {
        std::string reached, previous, has_previous, starts;
    };
    std::string output(const Reached& words, Mode mode);
    std::string input(Mode mode);
    std::string segment_start(Mode mode);
    std::string pack_number() const;

    const ScanRequest& request_;
    const ScanLayout& layout_;
    const TileShape shape_;
    const int block_ = static_cast<int>(shape_.block);
    Writer writer_;
    const Snippet preamble_;
    ElementAccess access_;
    KernelText kernel_;
    const std::string value_;
    const bool segmented_, staged_, packed_, counts_, copies_packs_;
    const pieces::Item item_;
    const pieces::ResidentBlocks resident_;
    Values values_;
};

}  // namespace gemel::codegen
