/// Prints the kernels of one variant of a scan: what all strategies share, and one strategy per source file.
#pragma once

#include "block/element_access.hpp"

#include <gemel/codegen/scan.hpp>
#include <gemel/codegen/writer.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::codegen {

/// How the elements of one block lie: each thread has `rows` runs of `lanes` neighbouring elements.
struct TileShape {
    std::uint32_t block;
    int lanes, rows;
    int elements() const { return static_cast<int>(block) * lanes * rows; }
};
TileShape tile_shape(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning);
std::vector<ArrayUse> array_uses(const ScanRequest& request);

class ScanPrinter {
   public:
    ScanPrinter(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning, const Dialect& dialect);
    std::string print();

   private:
    using Mode = ElementAccess::Mode;
    static constexpr int warp_size = 32;

    // Names and small pieces.
    std::string name(const char* wish) const { return access_.unused(wish); }
    std::string size(const char* wish) const {
        for (const Parameter& p : request_.arguments)
            if (p.name == wish) return name(wish);
        return std::string(wish) == "n" ? wish : name(wish);
    }
    std::string scanned(const std::string& a, const std::string& b) const {
        return gemel::text(access_.helper("scan"), "(", a, ", ", b, ")");
    }
    /// An expression for a running result: of bool 0 or 1, whatever number it is, as in C++.
    std::string as_value(const std::string& expression) const {
        return request_.dtype.kind() == DType::Kind::boolean ? as_truth(expression) : expression;
    }
    bool uses(std::string_view word) const { return request_.output.uses(word); }
    bool packed() const { return layout_.elements.any(Access::packed); }
    std::string item_pointer() const { return writer_.global_pointer(item_, false); }

    // What every strategy prints; scan_printer.cpp
    void functions();
    /// The value of the input expression at i as an item; `i` and what belongs to it are declared.
    void input(const std::string& to, Mode mode);
    /// The user's output statement for one element.
    /// @param starts  whether a segment begins at it
    void output(const std::string& item, const std::string& previous, const std::string& has_previous,
                const std::string& starts, Mode mode);
    void begin_kernel(const std::string& kernel, const std::vector<std::string>& more);
    void begin_body();
    std::vector<std::string> pass_parameters(bool with_tiles) const;
    void declare_last_item();

    // One thread per chunk, and a block per tile in three passes; scan_passes.cpp
    void chunk_bounds();
    void chunks();
    /// totals[k] becomes the running result through tile k: one thread, a few thousand steps at most on the way of a
    /// block.
    void prefixes_kernel();
    /// An inclusive scan over the first `count` entries of a shared array, one per thread, in place.
    void shared_scan(const std::string& shared, const std::string& thread, const std::string& count);
    void three_passes();

    // A tile in one block; scan_tile.cpp
    void declare_place();
    void load();
    void remember_start(const std::string& row, const std::string& e);
    /// Scans the tile's elements in registers. Afterwards `v` holds running results within each thread's run, `before`
    /// what comes before each run in this tile, where has_before(), and `total` is the tile's.
    void scan_tile_in_registers();
    void scan_by_shuffles(const std::string& last);
    void scan_in_shared_memory(const std::string& last);
    void shared_arrays();
    /// Applies what comes before to every run, and goes on with `body(row)`. `has_prefix` and `prefix` are those of the
    /// tile.
    void complete_runs(const std::string& has_prefix, const std::string& prefix,
                       const std::function<void(const std::string& row)>& body);
    /// The user's statement for every element of the tile.
    void finish_tile(const std::string& has_prefix, const std::string& prefix);
    void output_element(const std::string& row, const std::string& e);
    void output_at(const std::string& row, const std::string& e, Mode mode);
    int row_step() const { return (layout_.shuffles ? warp_size : static_cast<int>(block_)) * lanes_; }
    std::string v(const std::string& row, const std::string& e) const {
        if (rows_ == 1) return gemel::text(name("v"), "[", e, "]");
        return gemel::text(name("v"), "[", row, " * ", lanes_, " + ", e, "]");
    }
    std::string own_starts(const std::string& row) const { return gemel::text(name("own_starts"), "[", row, "]"); }
    std::string index_at(const std::string& row, const std::string& e) const {
        return rows_ == 1 ? gemel::text(name("first"), " + ", e)
                          : gemel::text(name("first"), " + ", row, " * ", row_step(), " + ", e);
    }
    std::string whole_tile() const { return gemel::text(name("tile"), " < ", size("n"), " / ", tile_); }
    template <class Body>
    void each_row(Body&& body) {
        const std::string row = name("row");
        if (rows_ == 1) {
            body("0");
            return;
        }
        writer_.unroll().open("for (int ", row, " = 0; ", row, " < ", rows_, "; ++", row, ")");
        body(row);
        writer_.close();
    }
    template <class Body>
    void each_lane(Body&& body) {
        const std::string e = name("e");
        writer_.unroll().open("for (int ", e, " = 0; ", e, " < ", lanes_, "; ++", e, ")");
        body(e);
        writer_.close();
    }

    // One pass; scan_look_back.cpp
    void look_back();
    void publish(const std::string& what, const std::string& state);
    /// The first warp: publishes the tile's total, then goes back over the tiles before, 32 at a time, until one knows
    /// everything before it.
    void publish_and_look_back();
    int words() const { return static_cast<int>(scan_state_words(request_)); }
    std::string state_word(const std::string& tile, const std::string& w) const {
        return words() == 1 ? gemel::text(name("states"), "[", tile, "]")
                            : gemel::text(name("states"), "[", tile, " * ", words(), " + ", w, "]");
    }
    /// Runs `body` for each word of a running result.
    template <class Body>
    void each_word(Body&& body) {
        if (words() == 1) return body("0");
        writer_.unroll().open("for (int w = 0; w < ", words(), "; ++w)");
        body("w");
        writer_.close();
    }

    const ScanRequest& request_;
    const ScanLayout& layout_;
    const TileShape shape_;
    const std::uint32_t block_ = shape_.block;
    const int lanes_ = shape_.lanes, rows_ = shape_.rows, tile_ = shape_.elements();
    Writer writer_;
    const Snippet preamble_;
    ElementAccess access_;
    const std::string& index_;
    const std::string value_;
    const bool segmented_;
    const std::string item_;
};

}  // namespace gemel::codegen
