/// The source of radix sorts: of keys with values and indices, of whole arrays, rows and segments.
#pragma once

#include <gemel/codegen/struct.hpp>
#include <gemel/codegen/tuning.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <boost/container/static_vector.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gemel::codegen {

enum class SortStrategy : std::uint32_t {
    automatic,
    one_sweep,     ///< each pass reads and writes every element once, with decoupled look-back
    one_launch,    ///< the same with all passes in one launch, for up to max_one_launch_elements
    three_passes,  ///< each pass counts, scans and scatters in three launches; works on every device
    chunks,        ///< the same with one thread per chunk, for devices with few cores
    block,         ///< all passes in one launch: each block holds whole rows in shared memory
    serial_rows,   ///< all passes in one launch: each thread sorts whole rows, for devices with few cores
    thread_rows,   ///< each thread of a block sorts a row of 2 to 32 numbers by comparing all pairs
};
inline constexpr std::array<const char*, 8> sort_strategy_names{"automatic", "one_sweep", "one_launch",  "three_passes",
                                                                "chunks",    "block",     "serial_rows", "thread_rows"};
constexpr std::span<const char* const> value_names(SortStrategy) { return sort_strategy_names; }
/// Whether tiles use decoupled look-back.
constexpr bool looks_back(SortStrategy strategy) {
    return strategy == SortStrategy::one_sweep || strategy == SortStrategy::one_launch;
}
inline constexpr std::size_t max_one_launch_elements = std::size_t{1} << 24;

struct SortTuning {
    static constexpr std::string_view family = "sort";
    std::uint32_t block = 0;             ///< threads per block
    std::uint32_t items_per_thread = 0;  ///< elements per thread of a tile
    std::uint32_t blocks_per_unit = 0;   ///< chunks per compute unit; for other strategies, counting blocks per unit
    std::uint32_t digit_bits = 0;  ///< bits per pass; 8 for one_sweep, one_launch and block, up to 4 for three_passes
    std::uint32_t resident_blocks = 0;  ///< as in RowTuning, for one_sweep and one_launch
    /// Per thread, for compilers that cannot be told resident_blocks (NVIDIA's OpenCL); 0: no limit.
    std::uint32_t max_registers = 0;
    SortStrategy strategy = SortStrategy::automatic;
    friend bool operator==(const SortTuning&, const SortTuning&) = default;
};
GEMEL_STRUCT(SortTuning, block, items_per_thread, blocks_per_unit, digit_bits, resident_blocks, max_registers, strategy)

/// The key of a sort.
struct SortRequest {
    std::string name = "sort";
    DType key = {};             ///< the type of the sorted elements
    std::string key_expr = {};  ///< the number by which an element `a` is sorted; empty: its own order
    DType key_type = {};        ///< the type of that number, if known
    int key_bits = 0;           ///< number of low key bits to sort by; 0: all
    std::string preamble = {};
};

/// Elements are sorted within consecutive segments.
enum class SortSegments : std::uint32_t {
    none,
    rows,   ///< of equal length
    given,  ///< an array has the segment number of each element
};

/// The variant of the kernels.
struct SortLayout {
    SortStrategy strategy = SortStrategy::one_sweep;
    bool wide_index = false;       ///< for 2^31 elements or more; not for one_launch
    bool descending = false;       ///< reverses the order; still stable
    bool keeps_keys = true;        ///< sorted keys are written
    bool has_index = false;        ///< writes the original indices of the sorted elements, as int64
    bool has_double = true;        ///< the device computes in double
    bool one_row = false;          ///< block: each block has one row
    bool has_aligned_keys = true;  ///< the keys begin at a multiple of 16 bytes, so that one load can take several
    SortSegments segments = SortSegments::none;
    int segment_bits = 0;  ///< number of bits of the segment numbers
    /// one_sweep: shared memory per block for a tile and its counters, in bytes. Above 48 KiB the pass is launched with
    /// sort_shared_bytes().
    std::uint32_t shared_bytes = 48 << 10;
    /// The element size in bytes of each array of values, which moves with the keys.
    boost::container::static_vector<std::uint32_t, 6> values = {};
    friend bool operator==(const SortLayout&, const SortLayout&) = default;
};

inline constexpr std::size_t max_sorted_values = 6;

/// Whether thread_rows can sort rows of this length; items_per_thread is the length.
GEMEL_API bool fits_thread_rows(const SortRequest& request, std::size_t row_length);

/// The number of passes: one per digit of the key, then of the segment number.
struct SortPlaces {
    int bits = 8;
    int key = 0, segment = 0;
    int all() const { return key + segment; }
    int digits() const { return 1 << bits; }
};
GEMEL_API SortPlaces sort_places(const SortRequest& request, const SortLayout& layout, const SortTuning& tuning);
/// The size in bytes of the largest element that moves.
GEMEL_API std::uint32_t sorted_bytes(const SortRequest& request, const SortLayout& layout);
/// The size in bytes of a key and what moves with it, without its segment.
GEMEL_API std::uint32_t moved_bytes(const SortRequest& request, const SortLayout& layout);
/// Whether the kernels take the arrays of an index: rows of one thread need them for values, too.
GEMEL_API bool sort_takes_index(const SortLayout& layout);
/// The number of elements that a block sorts at a time. Not for SortStrategy::chunks.
GEMEL_API std::size_t sort_tile(const SortTuning& tuning);

/// The number of counts in `control`; they are uint32, uint64 with wide_index.
GEMEL_API std::size_t sort_control_counts(SortStrategy strategy, const SortPlaces& places);

/// The number of parts in which a tile of one_sweep passes through shared memory: as few as layout.shared_bytes allows.
GEMEL_API int sort_parts(const SortRequest& request, const SortLayout& layout, const SortTuning& tuning);
/// The dynamic shared memory of one_sweep's pass: 0 if tile and counters fit in 48 KiB.
GEMEL_API std::size_t sort_shared_bytes(const SortRequest& request, const SortLayout& layout, const SortTuning& tuning);
/// The maximum number of elements per thread: for one_sweep in 4 parts, for one_launch in one.
GEMEL_API std::uint32_t max_one_sweep_items(const SortRequest& request, const SortLayout& layout, std::uint32_t block);

/// The source of the kernels. Every kernel takes the arrays first: the keys (from, to, spare), each array of values
/// (from, to, spare), with an index (sort_takes_index(): two spare arrays of counts, the int64 result), with segments
/// (two spare arrays of uint32, the given numbers). A count is uint32, uint64 with wide_index; sizes are int32, int64.
///
/// one_sweep: `<name>_count` (keys, control, n), `<name>_plan` (control, n), then for each digit `<name>_pass` (arrays,
/// control, states, epoch, position, n, row_length), with dynamic shared memory of sort_shared_bytes().
/// `control` holds counts: digits() for each position, then a ticket and a
/// plan for each; it is zero before. `states` has digits() words per tile (two each with wide_index).
/// one_launch: `<name>` (arrays, control, next_control, states, first_epoch, counting_blocks, tiles, n, row_length), by
/// counting_blocks + all() * tiles blocks. `control` is zero before, and `next_control`, which may be passed to the
/// next launch in its place, is zero afterwards; `states` is as above, and epochs up to first_epoch + all() - 1 are
/// used. three_passes, chunks: for each digit `<name>_count` (arrays, control, counts, position, tiles, tile, n,
/// row_length),
/// `<name>_offsets` (control, counts, position, tiles, n), `<name>_pass` as `<name>_count`; then `<name>_finish`
/// (arrays, control, n, row_length). `control` has all() + 1 counts, zero before; `counts` digits() per tile.
/// block, serial_rows, thread_rows: `<name>` (arrays, rows, row_length, rows_per_tile).
/// @source Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs"
GEMEL_API std::string sort_source(const SortRequest& request, const SortLayout& layout, const SortTuning& tuning,
                                  const Dialect& dialect);

/// `<name>_keys` (elements, keys, n): the keys of elements by key_expr, as uint64 numbers of the same order; n as
/// above.
GEMEL_API std::string sort_keys_source(const SortRequest& request, bool wide_index, bool has_double,
                                       std::uint32_t block, const Dialect& dialect);

/// @throws ArgumentError for an invalid key_expr
GEMEL_API void check_request(const SortRequest& request);

/// @param work      count: elements of a row; item_bytes: of the widest element that moves; moved_bytes: of a key and
///                  its values
/// @param strategy  one to tune for, or `automatic` for the device's best
GEMEL_API SortTuning sort_tuning(const DeviceInfo& device, const Workload& work, SortStrategy strategy);

}  // namespace gemel::codegen
