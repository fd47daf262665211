/// What the threads of a block do together, as pieces of kernel text: exchange within warps, scans, look-back over the
/// blocks before, rank by digit, scatter. docs/write-a-generator.md shows a generator made of them.
///
/// Each piece is a struct of its blanks; text() fills it, for a blank of the kernel's own template. The pieces say what
/// they need to stand before them and what they declare (codegen/src/block/*.kernel say it again, with the text). Those
/// that use warps need DeviceInfo::has_cross_block_visibility and blocks of whole warps of 32.
#pragma once

#include <gemel/codegen/kernel_text.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace gemel::codegen::pieces {

/// The values that threads exchange and combine: `<name>_scan(a, b)`, a function of the kernel's own, combines two.
struct Item {
    std::string name = "item";  ///< what its functions' names begin with
    std::string type = "int";
    std::size_t bytes = 4;

    int words() const { return static_cast<int>((bytes + 3) / 4); }
};

/// At file scope: the union `<name>_words`, and `<name>_shuffle_up(item, delta)` and `<name>_shuffle(item, lane)`.
struct Exchange {
    Item item = {};
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// A scan of a tile in registers. Each thread has `rows` runs of `vector_width` neighbours in `v[rows * vector_width]`;
/// a row of runs goes across the warp, and warps follow each other. Needs Exchange, `lane`, `warp`, `v`, and the shared
/// array `warp_totals[block / 32]`. Afterwards `v` holds running results within each run. Declares `before[row]`, what
/// the warp has before the run (not set for its first run), `before_warp`, what the tile has before the warp (not for
/// its first warp), and `total`.
struct ScanByShuffles {
    Item item = {};
    int block = 256, vector_width = 1, rows = 1;
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// How many of a tile's elements count, before each run of a thread's: the same as ScanByShuffles of ones and zeros, in
/// a third of the instructions. Each thread has `flags` (uint32_t), bit row * vector_width + e for element e of a row.
/// Needs `lane`, `warp`, and the shared array `warp_totals[block / 32]`. Declares `before[row]`, how many the warp has
/// before the run, `before_warp`, how many the tile has before the warp, and `total`.
struct CountByShuffles {
    Item item = {};  ///< what is counted in: int32_t or int64_t
    int block = 256, vector_width = 1, rows = 1;
    GEMEL_API bool is_possible() const;  ///< a thread has a bit for each element
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// An inclusive scan over the first `count` entries of a shared array, one per thread, in place; on every device.
/// Needs `thread`.
struct ScanInSharedMemory {
    Item item = {};
    std::string shared = "shared", count = "n";  ///< the array, and an expression
    int block = 256;
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// The totals of a block's threads, of one value or several, combined by a tree in shared memory; on every device.
/// Needs `thread` and for each value a variable and a shared array, one element per thread. Several groups of `block`
/// threads may do so side by side: `place` is a thread's place in its group, of which neighbours are `stride` threads
/// apart. Afterwards the variable of each group's first thread, and its element of the array, are the group's total.
struct ReduceInSharedMemory {
    struct Value {
        std::string total = "total", shared = "shared";
        std::string reduce = "item_reduce";  ///< a function of two
    };
    std::vector<Value> values = {{}};
    int block = 256;
    std::string place = "thread";
    int stride = 1;
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// The totals of `width` neighbouring threads, a power of two up to 32, by shuffles: each thread has them afterwards.
/// Needs Exchange for each value, under `item`, and `lane`. All threads of a warp come here.
struct ReduceByShuffles {
    struct Value {
        std::string total = "total", item = "item", reduce = "item_reduce";
    };
    std::vector<Value> values = {{}};
    int width = 32;
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// The totals of groups of `group` neighbouring threads, whole warps: each thread has its group's afterwards. Combines
/// within warps as ReduceByShuffles, whose needs it shares, and those over a shared array per value, an element per
/// warp, with one barrier. All threads of the block come here.
struct ReduceForAll {
    struct Value {
        std::string total = "total", shared = "shared", item = "item", reduce = "item_reduce";
    };
    std::vector<Value> values = {{}};
    int group = 256;
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Behind REQD_WG_SIZE(block, 1, 1): how many such blocks a compute unit shall hold together. CUDA's compiler limits
/// registers so that they fit; others take no notice. Nothing if `count` is 0.
struct ResidentBlocks {
    int block = 256;
    std::uint32_t count = 0;
    GEMEL_API std::string text() const;
};

/// Which tile a block has, so that blocks wait only for blocks that run already. Needs `thread`, the parameters
/// `ticket` (a uint32 in device memory) and `first_ticket` (its value before the launch), the shared array `int
/// dealt[1]`; declares `tile`.
struct DealTile {
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// The totals of `parts` blocks whose tiles lie side by side (tile / parts is the same), combined in their order: every
/// thread of each of the blocks has them afterwards. Needs DealTile, Exchange for each value, `total`, which all
/// threads of a block have, a shared array of `parts` elements per value, which nothing else uses, and the parameters
/// `states` and `epoch` as LookBack does, with `words` words for each tile. All threads come here.
///
/// With columns each block has so many results: `total` is an expression of the result's number c, the shared array has
/// parts * columns elements, of which element c is result c afterwards, and states have `words` for each column.
///
/// Blocks wait for blocks that may begin after them. Since tiles are dealt in the order in which blocks begin, the
/// first tiles that are not complete get every place that becomes free: no launch needs more than `parts` blocks at
/// once. Take few enough that several launches find that many places together.
struct ReduceAcrossBlocks {
    struct Value {
        std::string total = "total", shared = "shared";
        Item item = {};
        std::string reduce = "item_reduce";
        int first_word = 0;  ///< within the tile's states
    };
    std::vector<Value> values = {{}};
    int parts = 2, words = 1;  ///< parts: without columns at most the threads of a block
    int columns = 0;           ///< 0: one result, which all threads get
    int block = 256;           ///< with columns
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// What comes before a tile, from the blocks that have the tiles before it. Needs Exchange, `tile`, `total`, the
/// parameters `states` (volatile uint64 words: item.words() for each tile, or for each tile and column) and `epoch`
/// (above zero, below 2^30, and greater at every launch that uses the same states; then nothing is cleared between).
///
/// One result per tile: the first warp comes here, with `lane`; lane 0 leaves what comes before in the shared array
/// `tile_prefix[1]`, but for the first tile. With columns: one thread for each, with `column`; it declares `so_far`,
/// which is set but for the first tile.
/// @source Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
struct LookBack {
    /// It may come in two parts: `publish` as soon as the total is known, so that others need not wait, and `look` when
    /// its result is needed. Both need `total`, and `lane` or `column`.
    enum class Part { whole, publish, look };
    Item item = {};
    int columns = 0;  ///< results of each tile; 0 for one that a warp looks for
    Part part = Part::whole;
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// The rank of each element of a tile among those with its digit of 8 bits. Thread has `items` elements: number k is
/// element items * 32 * warp + 32 * k + lane of the tile, with `digit[k]`, 256 where there is none. Needs `thread`,
/// `warp`, `lane`, `digit` and the shared array `int digit_counts[block / 32 * 256]`. Declares `rank[k]`, how many
/// elements of its warp with its digit come before it. Afterwards `digit_counts[256 * w + d]` is how many elements
/// with digit d the warps before w have, and `digit_total`, of thread d, how many the tile has.
struct RankByDigit {
    int block = 256;  ///< at least 256
    int items = 1;
    int bits = 9;  ///< of digit[k] that are looked at: 8 where every element has a digit
    /// rank[k] has the digit, too, from bit 16 on: digit[k] is not needed any more, and so many registers are free.
    bool keeps_digit = false;
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Elements of a tile by a digit of 8 bits, counted for each warp. Thread has `items` elements: number k is element
/// items * 32 * warp + 32 * k + lane of the tile. Needs `thread`, `warp`, `own` (the number of the thread's first
/// element), `count` (elements of the tile; what lies behind them gets digit 255) and the shared array `int
/// digit_counts[block / 32 * 256]`, which is zero. Declares `digit_total`, of thread d < 256 how many the tile has of
/// digit d. PlaceByDigit goes on from there.
struct CountByDigit {
    int block = 256;  ///< at least 256
    int items = 1;
    std::string digit = "digit[k]";  ///< of a thread's element k
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// The place in the sorted tile of each element that CountByDigit has counted; equal digits keep their order. Needs
/// besides `lane` and, of thread d < 256, `start`: how many elements of the tile have lower digits. `then` runs for
/// each element k of a thread with its place in `found` and its digit in `own_digit`.
struct PlaceByDigit {
    int block = 256;
    int items = 1;
    std::string digit = "digit[k]";
    std::string then = {};  ///< "staged[found] = key[k];"
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Elements of a tile change their places within it. Thread has `items` elements: number k is element own + 32 * k of
/// the tile, before and after. Needs `own`, `count` (elements of the tile), `place_of[k]` (the new place of a thread's
/// element k) and the shared array `staged`, as long as the tile, which other elements may have been in before.
struct Reorder {
    int items = 1;
    std::string staged = "staged";
    std::string value = "key[k]";  ///< a thread's element k
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Elements to their places through shared memory, so that neighbours are written side by side. Needs `thread`, `count`
/// (elements of the tile), `place[k]` (the place within the tile of a thread's element k, -1 for none), and the shared
/// array `staged`, as long as the tile. `store` runs for each place `j` of the tile, with the element in `moved`.
struct Scatter {
    int block = 256, items = 1;
    std::string type = "uint32_t";  ///< of an element
    std::string staged = "staged";
    std::string value = "key[k]";    ///< a thread's element k
    std::string place = "place[k]";  ///< and its place
    std::string store = {};          ///< "out[target[j]] = moved;", of the thread's place k
    /// Every element of a thread has a place, also where `count` is less than the tile: nothing is tested for it.
    bool places_all = false;
    bool is_staged = false;  ///< the elements are in the shared array already
    GEMEL_API std::string text(KernelText& kernel) const;
};

}  // namespace gemel::codegen::pieces
