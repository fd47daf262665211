/// Tunings of generated kernels (block size, elements per thread, ...): a plain struct per family of kernels, filled by
/// a pure function of device and workload, or by the user. GEMEL_STRUCT lists the fields, so that a tuning can be
/// printed, parsed, merged and enumerated by reflection. User-defined generators can have tunings, too.
#pragma once

#include <gemel/codegen/struct.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/export.hpp>

#include <boost/pfr/core.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gemel::codegen {

enum class TileStrategy : std::uint32_t {
    automatic,
    direct,  ///< no array is transposed
    turned,  ///< arrays with another contiguous axis are transposed in shared memory
};
inline constexpr std::array<const char*, 3> tile_strategy_names{"automatic", "direct", "turned"};
/// The names of the values, for printing and parsing; found by argument-dependent lookup.
constexpr std::span<const char* const> value_names(TileStrategy) { return tile_strategy_names; }

/// Zero means "not given", here and below.
struct ElementwiseTuning {
    static constexpr std::string_view family = "elementwise";
    std::uint32_t block = 0;         ///< threads per block
    std::uint32_t access_bytes = 0;  ///< per memory access, a power of 2; scalar if at most an element's size
    std::uint32_t unroll = 0;        ///< accesses in flight per thread
    // Non-contiguous arrays of rank 2 and above: a block has a tile of the last two axes.
    std::uint32_t tile_block = 0;  ///< threads per block with tiles, if not `block`; 1: a thread per tile
    std::uint32_t tile_width = 0, tile_rows = 0;  ///< powers of 2; if one axis is too short, the tile extends the other
    TileStrategy tiles = TileStrategy::automatic;
    /// The same for tiles with transposed arrays; not given: by the size of the elements.
    std::uint32_t turned_width = 0, turned_rows = 0;
    std::uint32_t rounds = 0;  ///< how often a thread repeats its `unroll` wide accesses between the loop hooks
    friend bool operator==(const ElementwiseTuning&, const ElementwiseTuning&) = default;
};
GEMEL_STRUCT(ElementwiseTuning, block, access_bytes, unroll, tile_block, tile_width, tile_rows, tiles, turned_width,
             turned_rows, rounds)

struct ReductionTuning {
    static constexpr std::string_view family = "reduction";
    std::uint32_t block = 0;            ///< threads per block; 1: each block is one thread with its own piece
    std::uint32_t access_bytes = 0;     ///< per memory access, a power of 2
    std::uint32_t unroll = 0;           ///< accesses in flight per thread
    std::uint32_t blocks_per_unit = 0;  ///< blocks per compute unit if several blocks share a result
    std::uint32_t running_results = 0;  ///< independent accumulators per thread, for blocks of one thread
    friend bool operator==(const ReductionTuning&, const ReductionTuning&) = default;
};
GEMEL_STRUCT(ReductionTuning, block, access_bytes, unroll, blocks_per_unit, running_results)

enum class ScanStrategy : std::uint32_t {
    automatic,
    look_back,     ///< one pass with decoupled look-back
    three_passes,  ///< totals of the tiles, a scan of the totals, scans of the tiles
    chunks,        ///< three passes with one thread per chunk, for devices with few cores
};
inline constexpr std::array<const char*, 4> scan_strategy_names{"automatic", "look_back", "three_passes", "chunks"};
constexpr std::span<const char* const> value_names(ScanStrategy) { return scan_strategy_names; }

struct ScanTuning {
    static constexpr std::string_view family = "scan";
    std::uint32_t block = 0;             ///< threads per block
    std::uint32_t access_bytes = 0;      ///< per memory access, a power of 2
    std::uint32_t items_per_thread = 0;  ///< elements of a tile per thread
    std::uint32_t blocks_per_unit = 0;   ///< chunks per compute unit
    std::uint32_t resident_blocks = 0;   ///< as RowTuning's
    ScanStrategy strategy = ScanStrategy::automatic;
    friend bool operator==(const ScanTuning&, const ScanTuning&) = default;
};
GEMEL_STRUCT(ScanTuning, block, access_bytes, items_per_thread, blocks_per_unit, resident_blocks, strategy)

/// A struct of 32-bit unsigned integers and enumerations with a GEMEL_STRUCT and a `family`, the name of the kernels
/// that it tunes.
template <class T>
concept TuningStruct = ReflectedStruct<T> && requires {
    { T::family } -> std::convertible_to<std::string_view>;
};

/// A field of a tuning.
struct TuningField {
    const char* name;
    std::uint32_t value;
    std::span<const char* const> value_names = {};  ///< of an enumeration; otherwise empty
};

template <TuningStruct T>
auto tuning_fields(const T& tuning) {
    constexpr auto reflected = gemel_struct_fields(StructTag<T>{});
    std::array<TuningField, reflected.names.size()> fields{};
    boost::pfr::for_each_field(tuning, [&]<class Field>(const Field& field, std::size_t i) {
        static_assert(sizeof(Field) == sizeof(std::uint32_t) && (std::is_enum_v<Field> || std::is_unsigned_v<Field>),
                      "a tuning has fields of uint32_t, and of enumerations of that size");
        fields[i] = {reflected.names[i], static_cast<std::uint32_t>(field)};
        if constexpr (std::is_enum_v<Field>) fields[i].value_names = value_names(field);
    });
    return fields;
}
template <TuningStruct T>
T tuning_of(std::span<const TuningField> fields) {
    T tuning;
    boost::pfr::for_each_field(
        tuning, [&]<class Field>(Field& field, std::size_t i) { field = static_cast<Field>(fields[i].value); });
    return tuning;
}

GEMEL_API std::string format_tuning(std::span<const TuningField> fields);
GEMEL_API void read_tuning(std::string_view text, std::span<TuningField> into);
GEMEL_API void check_tuning(std::string_view who, std::span<const TuningField> fields);

/// "block=256 access_bytes=16 unroll=2": the members that are given, in the format of parse_tuning().
template <TuningStruct T>
std::string to_string(const T& tuning) {
    return format_tuning(tuning_fields(tuning));
}
/// @throws ArgumentError naming the invalid word
template <TuningStruct T>
T parse_tuning(std::string_view text) {
    auto fields = tuning_fields(T{});
    read_tuning(text, fields);
    return tuning_of<T>(fields);
}
/// @param who  the function named in the message
/// @throws ArgumentError naming a member that is out of range: accesses of other than 1, 2, 4 ... 64 bytes, more than
///         2^20 threads, 256 accesses in flight, 2^16 blocks per unit, or 4096 items per thread
template <TuningStruct T>
void check_tuning(std::string_view who, const T& tuning) {
    check_tuning(who, std::span<const TuningField>(tuning_fields(tuning)));
}
/// `first`, with members that are not given copied from `second`.
template <TuningStruct T>
T merge(const T& first, const T& second) {
    auto fields = tuning_fields(first);
    const auto others = tuning_fields(second);
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (fields[i].value == 0) fields[i].value = others[i].value;
    return tuning_of<T>(fields);
}

/// The properties of a workload on which the choice of a tuning depends.
struct Workload {
    std::size_t count = 0;          ///< elements
    std::uint32_t item_bytes = 4;   ///< of the largest element accessed, or of a scan's running result
    std::uint32_t arrays = 1;       ///< accessed per element
    std::size_t outputs = 1;        ///< of a reduction
    std::uint32_t moved_bytes = 0;  ///< of sorts: of an element of each array together, where it matters
};

/// The registers per thread with which `resident` blocks of `block` threads fit a multiprocessor, for devices whose
/// language has no word for that: NVIDIA's OpenCL. 0 for other devices, and if `resident` is 0.
GEMEL_API std::uint32_t register_limit(const DeviceInfo& device, std::uint32_t block, std::uint32_t resident);

GEMEL_API ElementwiseTuning elementwise_tuning(const DeviceInfo& device, const Workload& work);
GEMEL_API ReductionTuning reduction_tuning(const DeviceInfo& device, const Workload& work);
/// For scans with ScanRequest::counts.
GEMEL_API ScanTuning count_tuning(const DeviceInfo& device, const Workload& work);
GEMEL_API ScanTuning scan_tuning(const DeviceInfo& device, const Workload& work);

}  // namespace gemel::codegen
