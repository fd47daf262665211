/// The source of scans with an associative operation and user-defined input and output.
#pragma once

#include <gemel/codegen/elementwise.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gemel::codegen {

struct ScanRequest {
    std::string name = "scan";
    std::vector<Parameter> arguments = {};
    DType dtype = {};            ///< of the scanned values; 16-bit floats are scanned in float
    Snippet input = {};          ///< an expression of i and the arrays
    std::string scan_expr = {};  ///< of `a` and `b`, associative; may use `across_seg_boundary`
    std::string neutral = {};    ///< the prev_item of elements without a predecessor
    Snippet output = {};         ///< statements with `item`, `prev_item`, `last_item`, i and n
    bool counts = false;         ///< `input` is a condition and scan_expr a sum of integers
    Snippet segment_start = {};  ///< an expression: whether a segment begins at i; empty: no segments
    std::string preamble = {};
    // If staged_type is given and blocks scan tiles, the results of a tile pass through shared memory.
    std::string staged_type = {};  ///< element type of the array `staged`, which is as long as a tile
    Snippet stage =
        {};  ///< replaces `output`: writes to `staged` with results that count from the beginning of the tile
    Snippet tile_output = {};  ///< once per thread after staging: writes `tile_count` elements of `staged`
    // With counts and staged_type, where `stage` only moves elements of one array:
    std::string selected = {};  ///< the array, read as x[i]
    Snippet warp_output = {};   ///< replaces `tile_output` where each warp stages its own results: `run_count` of them,
                                ///< from position `run_first` of the result
};

/// The variant of the kernel.
struct ScanLayout {
    KernelLayout elements = {};
    ScanStrategy strategy = ScanStrategy::look_back;
    bool shuffles = true;  ///< warps exchange by shuffles; otherwise through shared memory (three_passes only)
    /// Above 0: each row is scanned separately by this many threads, a power of 2 up to 32, or the block. Strategy and
    /// segments are ignored.
    int along = 0;
    bool loops = false;    ///< a row may have several tiles, which its threads process in turn
    bool shifted = false;  ///< rows begin and end within packs; the output does not use prev_item
    /// look_back: elements of the request's `selected` array, in packs of 16 bytes, are copied to shared memory without
    /// passing through registers (cp.async, sm_80), and each warp moves its own together there. More blocks then fit a
    /// multiprocessor, with more bytes under way.
    bool copies_packs = false;
    friend bool operator==(const ScanLayout&, const ScanLayout&) = default;
};

/// The number of elements that a block scans at a time. Not for ScanStrategy::chunks.
GEMEL_API std::size_t scan_tile(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning);
/// The size of a stored partial result in bytes.
GEMEL_API std::size_t scan_item_bytes(const ScanRequest& request);
/// The number of 64-bit words of a tile's state.
GEMEL_API std::size_t scan_state_words(const ScanRequest& request);
/// Whether the output uses the total, which a single pass does not know.
GEMEL_API bool scan_needs_total(const ScanRequest& request);

/// The source of the kernels. Sizes have the index type.
///
/// look_back: one kernel `<name>` with a block per tile. Parameters after the arguments, offsets and layout: `states`
/// (scan_state_words() of uint64 per tile), `ticket` (one uint32), `first_ticket` (its value before the launch),
/// `epoch` (uint32, above 0, below 2^30, and greater at every launch with the same states) and n. States of older
/// epochs are ignored, so nothing is cleared between launches. Blocks take tiles in the order in which they start, so a
/// block waits only for blocks that are already running. Each 64-bit word of a state carries 32 bits of a result and a
/// flag, so no fences are needed.
///
/// three_passes and chunks: `<name>_totals` (arguments..., totals, n, tile) with a block per tile; `<name>_prefixes`
/// (totals, tiles) with one block; `<name>` (arguments..., totals, tiles, n, tile) with a block per tile. `tile`, the
/// number of elements per tile, is used by chunks only.
///
/// By rows (layout.along): one kernel `<name>` (arguments..., n, outputs), where n is the length of a row and outputs
/// the number of rows; a block for each block / along rows.
///
/// With look_back, floating-point results may differ in the last digits from run to run; the other strategies give the
/// same bits every time.
/// @source Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
GEMEL_API std::string scan_source(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning,
                                  const Dialect& dialect);
GEMEL_API std::string scan_source(const ScanRequest& request, const Dialect& dialect);

/// @throws ArgumentError
GEMEL_API void check_request(const ScanRequest& request);

}  // namespace gemel::codegen
