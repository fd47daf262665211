/// Block-wide operations as pieces of kernel source: exchange within warps, scans, decoupled look-back, rank by digit,
/// scatter. docs/write-a-generator.md builds a generator from them.
///
/// Each piece is a struct of parameters; text() returns its source, for a placeholder of the kernel's template. Its
/// comment lists the names that the kernel must declare before the piece ("needs") and those that the piece declares
/// (codegen/src/block/*.kernel repeats both beside the source). All threads of the block execute a piece unless its
/// comment says otherwise. Pieces that use warps need DeviceInfo::has_cross_block_visibility and a block size that is a
/// multiple of 32.
#pragma once

#include <gemel/codegen/kernel_text.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace gemel::codegen::pieces {

/// The type of the values that threads exchange and combine. The kernel defines `<name>_scan(a, b)`, which combines
/// two.
struct Item {
    std::string name = "item";  ///< the prefix of its functions' names
    std::string type = "int";   ///< in C
    std::size_t bytes = 4;      ///< size of the type

    int words() const { return static_cast<int>((bytes + 3) / 4); }
};

/// Declares, at file scope, the union `<name>_words` and the functions `<name>_shuffle_up(item, delta)` and
/// `<name>_shuffle(item, lane)`.
struct Exchange {
    Item item = {};
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// An inclusive scan of a tile in registers. Each thread holds `rows` runs of `vector_width` consecutive elements in
/// `v[rows * vector_width]`. The runs of one row are consecutive across the lanes of a warp, then come the next rows,
/// then the next warps. Needs Exchange, `lane`, `warp`, `v`, and the shared array `warp_totals[block / 32]`. Afterwards
/// `v` holds the scan within each run. Declares `before[row]`, the total of the warp's elements before the run (unset
/// for the warp's first run), `before_warp`, the total of the warps before (unset for the first warp), and `total`.
struct ScanByShuffles {
    Item item = {};
    int block = 256, vector_width = 1, rows = 1;
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Counts flagged elements: ScanByShuffles of zeros and ones in a third of the instructions. Each thread has `flags`
/// (uint32_t), with bit row * vector_width + e for element e of a row. Needs `lane`, `warp`, and the shared array
/// `warp_totals[block / 32]`. Declares `before[row]`, the count in the warp before the run, `before_warp`, the count in
/// the warps before, and `total`.
struct CountByShuffles {
    Item item = {};  ///< the counter: int32_t or int64_t
    int block = 256, vector_width = 1, rows = 1;
    GEMEL_API bool is_possible() const;  ///< whether a thread has at most 32 elements, one per bit
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// An inclusive scan, in place, of the first `count` elements of a shared array, one per thread. Runs on every device.
/// Needs `thread`.
struct ScanInSharedMemory {
    Item item = {};
    std::string shared = "shared", count = "n";  ///< the array, and an expression of the number of elements
    int block = 256;
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Reduces one or several values over the threads of a block by a tree in shared memory. Runs on every device. Needs
/// `thread` and, per value, a variable and a shared array of one element per thread. Several groups of `block` threads
/// may reduce at the same time: `place` is the thread's index in its group, whose threads are `stride` apart.
/// Afterwards the variable and the array element of each group's first thread hold the group's total.
struct ReduceInSharedMemory {
    struct Value {
        std::string total = "total", shared = "shared";  ///< the variable and the array
        std::string reduce = "item_reduce";              ///< a function that combines two values
    };
    std::vector<Value> values = {{}};
    int block = 256;               ///< threads of a group
    std::string place = "thread";  ///< the thread's index in its group
    int stride = 1;                ///< the distance of a group's threads
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Reduces values over `width` consecutive threads, a power of two up to 32, by shuffles. Every thread gets the totals.
/// Needs Exchange for each value's `item`, and `lane`. All threads of a warp execute it.
struct ReduceByShuffles {
    struct Value {
        std::string total = "total", item = "item", reduce = "item_reduce";
    };
    std::vector<Value> values = {{}};
    int width = 32;
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Reduces values over groups of `group` consecutive threads, a multiple of 32. Every thread gets its group's totals.
/// Reduces within warps by ReduceByShuffles, whose needs it shares, then over a shared array per value with one element
/// per warp, with one barrier.
struct ReduceForAll {
    struct Value {
        std::string total = "total", shared = "shared", item = "item", reduce = "item_reduce";
    };
    std::vector<Value> values = {{}};
    int group = 256;
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Follows REQD_WG_SIZE(block, 1, 1): the number of resident blocks per compute unit to compile for. CUDA's compiler
/// limits registers accordingly; OpenCL compilers ignore it. Empty if `count` is 0.
struct ResidentBlocks {
    int block = 256;
    std::uint32_t count = 0;
    GEMEL_API std::string text() const;
};

/// Assigns tiles to blocks in the order in which blocks start, so that a block only waits for blocks that have started.
/// Needs `thread`, the parameters `ticket` (a uint32 counter in device memory) and `first_ticket` (its value before the
/// launch), and the shared array `int dealt[1]`. Declares `tile`.
struct DealTile {
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// The function `wait_for_count(count, expected)` that waits until a uint32 in device memory has a value, for all
/// threads of a block. What other blocks wrote before device_fence() and their atomic_add to the word is visible
/// afterwards. Wait only for blocks that DealTile let begin before.
struct WaitForCount {
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Reduces values over `parts` consecutive blocks (those of equal tile / parts), in the order of their tiles. Every
/// thread of these blocks gets the totals. Needs DealTile, Exchange for each value, `total` in all threads of the
/// block, a shared array of `parts` elements per value that nothing else uses, and the parameters `states` and `epoch`
/// as LookBack, with `words` words per tile.
///
/// With columns, each block reduces `columns` values: `total` is an expression of the column c, the shared array has
/// parts * columns elements, of which element c is total c afterwards, and `states` has `words` words per column.
///
/// A block may wait for blocks that start after it. Since tiles are assigned in the order in which blocks start, a free
/// slot always goes to the first incomplete group: a launch makes progress if `parts` blocks can be resident at the
/// same time. Choose `parts` small enough that this also holds for several launches that run concurrently.
struct ReduceAcrossBlocks {
    struct Value {
        std::string total = "total", shared = "shared";
        Item item = {};
        std::string reduce = "item_reduce";
        int first_word = 0;  ///< its index within the tile's states
    };
    std::vector<Value> values = {{}};
    int parts = 2, words = 1;  ///< parts: without columns at most the threads of a block
    /// Values per block: 1, or a multiple of the block, so that a thread waits only for threads of its own index. 0:
    /// one value, whose total all threads get.
    int columns = 0;
    int block = 256;  ///< used with columns
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// The same over the blocks of a cluster (CUDA, sm_90), without states in device memory: each block stores its totals
/// in the shared memory of all. Needs GEMEL_CLUSTER_BLOCKS(parts) in the kernel's head, gemel_cluster_arrive() where
/// the kernel begins, `part` (the block's number in its cluster), Exchange for each value, `total` in all threads of
/// the block, and for each value a shared array of `parts` elements of type <item>_words that nothing else uses. With
/// columns, as ReduceAcrossBlocks; total c is the item of the shared array's element c.
struct ReduceAcrossCluster {
    std::vector<ReduceAcrossBlocks::Value> values = {{}};  ///< without first_word
    int parts = 2;                                         ///< at most 8, and at most the threads of a block
    bool is_first = true;                                  ///< in the kernel: waits until all blocks have begun
    int columns = 0;  ///< values per block; 0: one value, whose total all threads get
    int block = 256;  ///< used with columns
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// The exclusive prefix of a tile over the tiles before it, by decoupled look-back. Needs Exchange, `tile`, `total`,
/// and the parameters `states` (volatile uint64 words: item.words() per tile, or per tile and column) and `epoch` (from
/// 1, below 2^30, and greater at each launch that uses the same states, so that they need no clearing).
///
/// One value per tile: executed by the first warp, with `lane`; lane 0 writes the prefix to the shared array
/// `tile_prefix[1]`, except for the first tile. With columns: executed by one thread per column, with `column`;
/// declares `so_far`, the prefix, which is unset for the first tile.
/// @source Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
struct LookBack {
    /// The piece can be split: `publish` as soon as the total is known, so that later tiles wait less, and `look` when
    /// the prefix is needed. Both need `total`, and `lane` or `column`.
    enum class Part { whole, publish, look };
    Item item = {};
    int columns = 0;  ///< values per tile, one thread each; 0: one value, found by a warp
    Part part = Part::whole;
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Ranks the elements of a tile among those of equal 8-bit digit. A thread has `items` elements: its element k is
/// element items * 32 * warp + 32 * k + lane of the tile and has `digit[k]` (256 beyond the end). Needs `thread`,
/// `warp`, `lane`, `digit` and the shared array `int digit_counts[block / 32 * 256]`. Declares `rank[k]`, the number of
/// earlier elements of the same digit in the warp. Afterwards `digit_counts[256 * w + d]` is the number of elements of
/// digit d in the warps before w, and `digit_total`, in thread d < 256, the number in the tile.
struct RankByDigit {
    int block = 256;  ///< at least 256
    int items = 1;    ///< elements per thread
    int bits = 9;     ///< the number of bits of digit[k] to compare; 8 if every element has a digit
    /// Stores the digit in rank[k] from bit 16 on, so that the registers of digit[k] are free afterwards.
    bool keeps_digit = false;
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Counts the elements of a tile by an 8-bit digit, for each warp; the first half of a sort of the tile, completed by
/// PlaceByDigit. A thread has `items` elements: its element k is element items * 32 * warp + 32 * k + lane of the tile.
/// Needs `thread`, `warp`, `own` (the index of the thread's first element), `count` (the number of elements of the
/// tile; those beyond get digit 255) and the shared array `int digit_counts[block / 32 * 256]`, all zero. Declares
/// `digit_total`, in thread d < 256 the number of elements of digit d.
struct CountByDigit {
    int block = 256;                 ///< at least 256
    int items = 1;                   ///< elements per thread
    std::string digit = "digit[k]";  ///< an expression of the digit of a thread's element k
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Finds the index in the sorted tile of each element that CountByDigit has counted; elements of equal digit keep their
/// order. Also needs `lane` and, in thread d < 256, `start`: the number of elements of lower digits in the tile. `then`
/// runs for each element k of a thread, with its index in `found` and its digit in `own_digit`.
struct PlaceByDigit {
    int block = 256;
    int items = 1;
    std::string digit = "digit[k]";
    std::string then = {};  ///< "staged[found] = key[k];"
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Permutes the elements of a tile through shared memory. A thread has `items` elements: its element k is element own +
/// 32 * k of the tile, before and after. Needs `own`, `count` (the number of elements of the tile), `place_of[k]` (the
/// new index of a thread's element k) and the shared array `staged` of the tile's length, whose contents are
/// overwritten.
struct Reorder {
    int items = 1;                  ///< elements per thread
    std::string staged = "staged";  ///< the shared array
    std::string value = "key[k]";   ///< the variable of a thread's element k
    GEMEL_API std::string text(KernelText& kernel) const;
};

/// Scatters the elements of a tile through shared memory, so that global writes are coalesced. Needs `thread`, `count`
/// (the number of elements of the tile), `place[k]` (the index in the tile of a thread's element k, -1 for none), and
/// the shared array `staged` of the tile's length, or of a part's. `store` runs for each index `j` of the tile, with
/// the element in `moved`.
struct Scatter {
    int block = 256, items = 1;      ///< threads, and elements per thread
    std::string type = "uint32_t";   ///< the C type of an element
    std::string staged = "staged";   ///< the shared array
    std::string value = "key[k]";    ///< a thread's element k
    std::string place = "place[k]";  ///< its index in the tile
    std::string store = {};          ///< a statement: "out[target[j]] = moved;"
    /// Every element of a thread has an index, also if `count` is less than the tile: omits the test for -1.
    bool places_all = false;
    bool is_staged = false;  ///< the elements are already in the shared array
    /// The shared array holds one of so many parts of a tile, of whole rows of threads each: they pass through it in
    /// turn. Needs places_all.
    int parts = 1;
    GEMEL_API std::string text(KernelText& kernel) const;
};

}  // namespace gemel::codegen::pieces
