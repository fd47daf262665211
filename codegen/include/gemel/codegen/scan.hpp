/// The source of scans with an associative operation and the user's input and output statements.
#pragma once

#include <gemel/codegen/elementwise.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gemel::codegen {

struct ScanRequest {
    std::string name = "scan";
    std::vector<Parameter> arguments = {};
    DType dtype = {};            ///< of what is scanned; 16-bit floats are scanned in float
    Snippet input = {};          ///< an expression in terms of i and the arrays
    std::string scan_expr = {};  ///< of `a` and `b`, associative; may use `across_seg_boundary`
    std::string neutral = {};    ///< for prev_item where nothing comes before
    Snippet output = {};         ///< statements with `item`, `prev_item`, `last_item`, i and n
    bool counts = false;         ///< input says whether an element counts; scan_expr is a sum of integers
    Snippet segment_start = {};  ///< an expression: whether a segment begins at i; empty for no segments
    std::string preamble = {};
    // Where tiles are scanned by blocks, and staged_type is given: results of a tile go through shared memory.
    std::string staged_type = {};  ///< of the array `staged`, which has as many elements as a tile
    Snippet stage =
        {};  ///< instead of `output`: it writes to `staged`, where results are sums from the tile's beginning
    Snippet tile_output = {};  ///< once per thread, when the tile is staged: it writes `tile_count` of `staged`
};

/// The variant of the kernel.
struct ScanLayout {
    KernelLayout elements = {};
    ScanStrategy strategy = ScanStrategy::look_back;
    bool shuffles = true;  ///< warps exchange values directly; otherwise through shared memory (three_passes only)
    /// Above 0: each row of so many elements as the launch says is scanned for itself, by so many threads: a power of 2
    /// up to 32, or the block. The strategy and segments do not matter then. Rows are whole numbers of packs.
    int along = 0;
    bool loops = false;  ///< a row may have several tiles, which its threads take one after the other
    friend bool operator==(const ScanLayout&, const ScanLayout&) = default;
};

/// The number of elements that a block scans at a time. Not for chunks.
GEMEL_API std::size_t scan_tile(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning);
/// The size in bytes of a partial result as the kernels store it.
GEMEL_API std::size_t scan_item_bytes(const ScanRequest& request);
/// The number of 64-bit words of a tile's state.
GEMEL_API std::size_t scan_state_words(const ScanRequest& request);
/// Whether the output statement uses the total, which is unknown in a single pass.
GEMEL_API bool scan_needs_total(const ScanRequest& request);

/// The kernels' text.
///
/// look_back: one kernel `<name>` with a block per tile. Behind the arguments, offsets and layout it takes `states`
/// (scan_state_words() of uint64 per tile), `ticket` (one uint32), `first_ticket` (its value before the launch),
/// `epoch` (uint32, above zero, below 2^30, and greater at every launch that uses the same states) and n. States of
/// older epochs are ignored, so that nothing is cleared between launches. Tiles are dealt in the order in which blocks
/// begin: a block waits only for blocks that run already. A running result travels in 64-bit words, each of which
/// carries 32 bits of it and the state: no fences are needed. three_passes and chunks: `<name>_totals` (arguments...,
/// totals, n, tile), a block per tile; `<name>_prefixes` (totals, tiles), one block; `<name>` (arguments..., totals,
/// tiles, n, tile). `tile` is the number of elements per tile, which matters for chunks only. Sizes are of the index
/// type.
///
/// By rows (layout.along): one kernel `<name>` (arguments..., n, outputs), where n is the length of a row and outputs
/// how many there are: a block for each, or for block / along of them.
///
/// Sums of floats by look-back may differ in their last digits from run to run; the other strategies give the same
/// every time.
/// @source Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
GEMEL_API std::string scan_source(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning,
                                  const Dialect& dialect);
GEMEL_API std::string scan_source(const ScanRequest& request, const Dialect& dialect);

/// @throws ArgumentError
GEMEL_API void check_request(const ScanRequest& request);

}  // namespace gemel::codegen
