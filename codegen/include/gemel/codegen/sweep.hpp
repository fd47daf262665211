/// The text of sweeps. A sweep is one pass over the columns of some arrays: it updates elements, sums over each column
/// and then updates the column's scalars, all on the device. Iterative solvers consist of sweeps.
#pragma once

#include <gemel/codegen/tuning.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::codegen {

/// Which blocks combine the partial sums of a column and run `finish`.
enum class SweepFinish : std::uint32_t {
    automatic,
    last_block,  ///< the last block to arrive, if blocks see each other's writes
    launch,      ///< a second launch
};
inline constexpr std::array<const char*, 3> sweep_finish_names{"automatic", "last_block", "launch"};
constexpr std::span<const char* const> value_names(SweepFinish) { return sweep_finish_names; }

/// Whether a solver runs many iterations in one launch; see chain.hpp.
enum class SweepChain : std::uint32_t {
    automatic,  ///< for small systems, if the device guarantees that blocks run concurrently
    never,
    always,  ///< whenever matrix and preconditioner allow it
};
inline constexpr std::array<const char*, 3> sweep_chain_names{"automatic", "never", "always"};
constexpr std::span<const char* const> value_names(SweepChain) { return sweep_chain_names; }

/// Zero means "not given".
struct SweepTuning {
    static constexpr std::string_view family = "sweep";
    std::uint32_t block = 0;            ///< threads per block; 1: each block is one thread with its own piece
    std::uint32_t blocks_per_unit = 0;  ///< maximum per compute unit
    SweepFinish finish = SweepFinish::automatic;
    SweepChain chain = SweepChain::automatic;
    friend bool operator==(const SweepTuning&, const SweepTuning&) = default;
};
GEMEL_STRUCT(SweepTuning, block, blocks_per_unit, finish, chain)
GEMEL_API SweepTuning sweep_tuning(const DeviceInfo& device, const Workload& work);

/// One array of a sweep. In statements its name denotes the current element.
struct SweepArray {
    enum class Access : std::uint8_t {
        read,
        write,   ///< all elements are written, none is read
        update,  ///< read and written
        whole,   ///< the name is the pointer, which the statements index
    };
    std::string name;
    Access access = Access::read;
    bool has_columns = true;  ///< false: all columns share the array
    std::string type = {};    ///< element type; empty: the sweep's
    std::string begin = {};   ///< an expression: its offset in the given array, in elements; whole packs
    /// The `whole` array of which this one is the part at `begin`; it then has no parameter of its own.
    std::string of = {};
    std::string start = {};  ///< an expression: the initial value of a written element to which a loop adds
};

/// A loop over vectors that are stored one after another in a `whole` array. Each pack loops over all vectors before
/// `element` and reads each once. Names of the sweep's other arrays keep their meaning in the loop.
struct SweepLoop {
    std::string name = {};      ///< of the vector's element
    std::string of = {};        ///< the array
    std::string distance = {};  ///< an expression: from vector to vector, in elements; whole packs
    std::string count = {};     ///< the number of vectors
    std::string element = {};   ///< statements that do not add to sums; `number` is the vector's index
};

/// A sweep over columns of `packs` times sweep_padding elements, `pitch` elements apart. Statements are in the kernel
/// language. `state` points to the column's sweep_state. The preamble declares this struct and `real`, the type of the
/// sums. The padding of a column is zero; statements must keep it zero.
struct SweepRequest {
    std::string name = "sweep";
    DType dtype = {};
    std::vector<SweepArray> arrays = {};
    std::vector<std::string> numbers = {};  ///< parameters of type int
    std::string preamble = {};
    std::string skip = {};  ///< a condition on `state`; if true, the column is skipped
    /// Partial sums of another kernel, which every block combines: for each column and each of `joined_groups` blocks
    /// one value per sum. Values computed from them need no extra launch.
    std::vector<std::string> joins = {};
    std::string joined = {};   ///< statements with these sums, before `prepare` and `finish`
    std::string halt = {};     ///< a condition after `joined`; if true, the elements are skipped and `finish` runs
    std::string prepare = {};  ///< statements before the elements
    SweepLoop loop = {};       ///< over vectors, before `element`; an empty count means no loop
    std::string element = {};  ///< statements for one element, at index `place` of `whole` arrays
    /// Computes the sums for several sets of operands in one launch: `set` is the set's index in all statements, and
    /// `finish` runs for each set. Such a sweep writes no elements.
    bool has_sets = false;
    std::vector<std::string> sums = {};  ///< variables to which `element` adds
    std::string finish = {};             ///< statements with the column's sums

    bool has_loop() const { return !loop.count.empty(); }
    bool has_elements() const { return has_loop() || !element.empty(); }
};

/// Columns are padded with zeros to a multiple of this many elements.
inline constexpr std::int64_t sweep_padding = 32;
/// Maximum threads per block of the second launch; not more than in the first launch, and 1 if its blocks are serial.
inline constexpr std::uint32_t sweep_finish_block = 64;

struct SweepLayout {
    DType dtype = {};
    bool serial = false;      ///< blocks of one thread, for CPU devices
    bool last_block = false;  ///< no second launch
    bool wide_index = false;
    friend bool operator==(const SweepLayout&, const SweepLayout&) = default;
};

/// The number of elements of a pack, which a thread processes at once; `packs` counts packs.
GEMEL_API std::uint32_t sweep_pack(DType dtype, const SweepLayout& layout);
/// The kernel `<name>`, and `<name>_finish` for a second launch with a block for each column. Parameters of both: the
/// arrays, states, partials (sums * groups * columns of `real`), counters (an int32 for each column, zero before and
/// after), with joins their array, the numbers, with joins how many blocks have left some (int32), with sets how many
/// there are (int32); then packs, pitch, groups (blocks of a column) as the index type. Without a `finish`, sums are
/// left in partials. Every set has blocks, partials and a counter as if it were a column.
GEMEL_API std::string sweep_source(const SweepRequest& request, const SweepLayout& layout, const SweepTuning& tuning,
                                   const Dialect& dialect);

}  // namespace gemel::codegen
