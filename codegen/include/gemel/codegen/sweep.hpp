/// The text of sweeps: one pass over the columns of some arrays that updates elements and sums over each column, and,
/// when a column's sums are there, a step on its scalars, all of it on the device. Iterative solvers are made of them.
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

/// Who joins what the blocks of a column have summed, and does the step.
enum class SweepFinish : std::uint32_t {
    automatic,
    last_block,  ///< the block that comes last: where blocks see each other's writes
    launch,      ///< a second launch
};
inline constexpr std::array<const char*, 3> sweep_finish_names{"automatic", "last_block", "launch"};
constexpr std::span<const char* const> value_names(SweepFinish) { return sweep_finish_names; }

/// Whether a solver that can do many iterations in one launch does so: see chain.hpp.
enum class SweepChain : std::uint32_t {
    automatic,  ///< for small systems, where the device promises that blocks run together
    never,
    always,  ///< wherever matrix and preconditioner allow it
};
inline constexpr std::array<const char*, 3> sweep_chain_names{"automatic", "never", "always"};
constexpr std::span<const char* const> value_names(SweepChain) { return sweep_chain_names; }

/// Zero means "not given".
struct SweepTuning {
    static constexpr std::string_view family = "sweep";
    std::uint32_t block = 0;            ///< threads per block; 1: each block is one thread with a piece of its own
    std::uint32_t blocks_per_unit = 0;  ///< at most, for each compute unit
    SweepFinish finish = SweepFinish::automatic;
    SweepChain chain = SweepChain::automatic;
    friend bool operator==(const SweepTuning&, const SweepTuning&) = default;
};
GEMEL_STRUCT(SweepTuning, block, blocks_per_unit, finish, chain)
GEMEL_API SweepTuning sweep_tuning(const DeviceInfo& device, const Workload& work);

/// One array of a sweep. In the statement its name stands for the element.
struct SweepArray {
    enum class Access : std::uint8_t {
        read,
        write,   ///< every element is written, none is read
        update,  ///< read and written
        whole,   ///< the name is the pointer; the statement indexes it by itself
    };
    std::string name;
    Access access = Access::read;
    bool has_columns = true;  ///< false: all columns have this one in common
    std::string type = {};    ///< of elements, if not the sweep's
    std::string begin = {};   ///< an expression: where in the array that is given it begins, in elements; whole packs
    /// One that is `whole`, of which this one is a part, without a parameter of its own: it is at `begin`.
    std::string of = {};
    std::string start = {};  ///< an expression: how an element that is written begins, if a loop adds to it
};

/// Vectors that stand one behind the other in an array that is `whole`. A pack goes through all of them before
/// `element`; each is read once, and the names of the sweep's other arrays are theirs.
struct SweepLoop {
    std::string name = {};      ///< of the vector's element
    std::string of = {};        ///< the array
    std::string distance = {};  ///< an expression: from vector to vector, in elements; whole packs
    std::string count = {};     ///< how many there are
    std::string element = {};   ///< statements, which do not add to sums; `number` is the vector's
};

/// A sweep over columns of `packs` times sweep_padding elements, `pitch` elements apart. Statements are in the words of
/// the kernel language; `state` points to the column's sweep_state, a struct that the preamble declares, as it does
/// the type `real` in which sums are found. Columns end with zeros; statements must keep them zero.
struct SweepRequest {
    std::string name = "sweep";
    DType dtype = {};
    std::vector<SweepArray> arrays = {};
    std::vector<std::string> numbers = {};  ///< parameters of type int
    std::string preamble = {};
    std::string skip = {};  ///< where it is true of `state`, the column is left alone
    /// Sums that the blocks of another kernel have left, joined by every block: a value of each for every one of
    /// `joined_groups` blocks, for each column. What is computed from them costs no launch then.
    std::vector<std::string> joins = {};
    std::string joined = {};   ///< statements with them, before `prepare` and `finish`
    std::string halt = {};     ///< where it is true after these, the elements are left alone, and `finish` is done
    std::string prepare = {};  ///< statements before the elements
    SweepLoop loop = {};       ///< of vectors before the statements of one element; none without a count
    std::string element = {};  ///< of one element, at `place` of arrays that are `whole`
    /// The sums are found for each of several sets of operands, in one launch: `set` is its number in all statements,
    /// and `finish` is done for each. Such a sweep writes no elements.
    bool has_sets = false;
    std::vector<std::string> sums = {};  ///< variables to which `element` adds
    std::string finish = {};             ///< with the sums of the column

    bool has_loop() const { return !loop.count.empty(); }
    bool has_elements() const { return has_loop() || !element.empty(); }
};

/// Columns are padded to a multiple of so many elements, all of them zeros.
inline constexpr std::int64_t sweep_padding = 32;
/// Threads of a block of the second launch, if the first one's blocks have as many; blocks of one thread: one.
inline constexpr std::uint32_t sweep_finish_block = 64;

struct SweepLayout {
    DType dtype = {};
    bool serial = false;      ///< blocks of one thread, for CPU devices
    bool last_block = false;  ///< no second launch
    bool wide_index = false;
    friend bool operator==(const SweepLayout&, const SweepLayout&) = default;
};

/// Elements that a thread has at once; `packs` counts them.
GEMEL_API std::uint32_t sweep_pack(DType dtype, const SweepLayout& layout);
/// The kernel `<name>`, and `<name>_finish` for a second launch with a block for each column. Parameters of both: the
/// arrays, states, partials (sums * groups * columns of `real`), counters (an int32 for each column, zero before and
/// after), with joins their array, the numbers, with joins how many blocks have left some (int32), with sets how many
/// there are (int32); then packs, pitch, groups (blocks of a column) as the index type. Without a `finish`, sums are
/// left in partials. Every set has blocks, partials and a counter as if it were a column.
GEMEL_API std::string sweep_source(const SweepRequest& request, const SweepLayout& layout, const SweepTuning& tuning,
                                   const Dialect& dialect);

}  // namespace gemel::codegen
