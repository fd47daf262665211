/// The source of matrix products.
#pragma once

#include <gemel/codegen/tuning.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/signature.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::codegen {

using gemel::Dialect;

/// The tiles of a product. Zero means "not given". A caller's numbers apply to products through slots of shared memory.
/// For others, only those of a tuner apply: on CPU devices the rows (a multiple of own_rows), columns and depth of a
/// thread's tile, of which own_rows stay in registers; on other devices rows, 4 times the edge of a block.
struct MatmulTuning {
    static constexpr std::string_view family = "matmul";
    std::uint32_t rows = 0, columns = 0;  ///< of the result, per block: powers of 2; grouped and mapped: also 192
    std::uint32_t depth = 0;              ///< of the summed axis, per slot: a power of 2
    /// Of the result. With tensor cores: per warp, multiples of 16. Without: per thread, multiples of 4.
    std::uint32_t own_rows = 0, own_columns = 0;
    /// Slots: 2 to 5, packed and mapped 2 to 8, grouped 3 to 8; 1 if the summed axis is at most depth long.
    std::uint32_t stages = 0;
    std::uint32_t resident_blocks = 0;  ///< minimum per multiprocessor, by which the compiler limits registers
    /// Warps that multiply together on tensor cores: 1, or 4 if the device has warp groups
    /// (DeviceInfo::has_warp_groups): MatmulForm::mapped if it has tensor maps, else grouped. Of doubles, 4 asks for
    /// mapped, whose warps multiply alone.
    std::uint32_t unit_warps = 0;
    /// Parts of the summed axis, for results with too few tiles to fill the device. Different blocks sum different
    /// parts; a second kernel adds the parts in a fixed order.
    std::uint32_t parts = 0;
    /// 1: separate kernels first pack the float operands; see MatmulForm::packed and halves.
    std::uint32_t packs = 0;
    /// Groups of a block's threads that share out the summed axis of a slot: 1, 2, 4 or 8, for the forms threads and
    /// tensor. Each group computes the whole tile; the groups' sums are added in shared memory in a fixed order.
    std::uint32_t slices = 0;
    friend bool operator==(const MatmulTuning&, const MatmulTuning&) = default;
};
GEMEL_STRUCT(MatmulTuning, rows, columns, depth, own_rows, own_columns, stages, resident_blocks, unit_warps, parts,
             packs, slices)

enum class MatmulForm : std::uint8_t {
    checked,  ///< a block computes a tile through shared memory; any device, type and layout
    serial,   ///< a thread computes a tile, for CPU devices
    threads,  ///< slots of shared memory, float: fused multiply-adds
    tensor,   ///< slots of shared memory, tensor cores: 16-bit floats, double; float rounded to 11 bits (tf32)
    split,    ///< as tensor, for float: each number in three parts, six products; as accurate as fused multiply-adds
    /// As split, with two parts that are halves and three products: fewer instructions, 23 of 24 bits. The kernels
    /// matmul_range and matmul_pack_halves have packed the operands. Where 32 elements along the summed axis of all
    /// lines have too different magnitudes for halves, they are multiplied as by split. a_by_columns; not b_by_columns.
    halves,
    /// As tensor, for 16-bit floats: warp groups of four warps multiply (wgmma), whose instructions read shared memory
    /// directly. rows is 128, own_rows 16, own_columns as columns (64, 128, 192 or 256), depth 32; stages 3 to 8.
    /// Operands, their lines and matrices begin at multiples of 16 bytes.
    grouped,
    /// Warp groups with operands that the kernel matmul_pack has packed in the layout that tensor cores read: float,
    /// with one part per number (packed_parts = 1, as tensor) or several (2): two halves and three products, or three
    /// bfloat16s and six products where 64 elements along the summed axis of all lines have too different magnitudes,
    /// or are mostly 0.
    packed,
    /// As tensor; one thread copies the operands by tensor maps, and blocks compute tile after tile. Warp groups of
    /// four warps, whose instructions read shared memory directly (wgmma), multiply 16-bit floats, or float as tf32 if
    /// a or b has stride 1 along the summed axis. own_rows is 16. If b_by_columns, float has own_columns 16 instead:
    /// the transposed result is computed. Single warps multiply doubles; own_rows and own_columns are 32 or more.
    /// Operands, their lines and matrices begin at multiples of 16 bytes.
    mapped,
};

/// Which kernel computes a product.
struct MatmulLayout {
    MatmulForm form = MatmulForm::checked;
    std::uint32_t edge = 16;  ///< checked: blocks are edge x edge threads, tiles 4 * edge x 4 * edge elements
    // The axis with the smaller stride, along which neighbouring threads read: columns (true) or rows. Not for serial.
    bool a_by_columns = true;
    bool b_by_columns = true;
    MatmulTuning tile = {};                    ///< forms with slots: all but `parts`; serial: what is not the default
    std::uint32_t a_access = 1, b_access = 1;  ///< forms with slots: elements per copy, at most 16 bytes
    bool in_parts = false;  ///< a block sums a part of the summed axis and stores unrounded sums. Not for serial
    std::uint32_t packed_parts = 0;  ///< packed: 1, or 2 for numbers in parts
    /// packed, numbers in parts: the length of the summed axis over which tensor cores add the products of high parts,
    /// 32 or 64. They truncate sums, so longer ones are less accurate, and faster.
    std::uint32_t sum_depth = 0;
    /// Forms with slots: whether the kernel declares its shared memory also if it is more than matmul_max_static_bytes
    /// (DeviceInfo::shared_memory_static_bytes).
    bool declares_all = false;
    friend bool operator==(const MatmulLayout&, const MatmulLayout&) = default;
};

/// What a product computes.
struct MatmulRequest {
    DType dtype = {};
    /// A C expression for the stored element; empty: the element of the product itself. Variables: `value` (the element
    /// of the product), `row`, `column` and `matrix` (int64_t), and `before` (the old element of c).
    std::string epilogue = {};
    std::vector<Parameter> arguments = {};  ///< of the expression: values, and arrays as pointers
    std::string preamble = {};              ///< functions of the expression
};

/// The type of the sums: float for 16-bit floats, int32 for small integers and bools, otherwise the type itself.
GEMEL_API DType matmul_accumulator(DType dtype);
/// The default tile of a serial thread.
GEMEL_API MatmulTuning matmul_serial_tile(DType dtype);
/// The rows and columns of the result that a block, or a serial thread, computes.
struct MatmulTile {
    std::uint32_t rows, columns;
};
GEMEL_API MatmulTile matmul_tile(DType dtype, const MatmulLayout& layout);
/// Threads per block.
GEMEL_API std::uint32_t matmul_block(const MatmulLayout& layout);
/// Shared memory per block, in bytes.
GEMEL_API std::size_t matmul_shared_bytes(DType dtype, const MatmulLayout& layout);
/// mapped: lines per box of an operand, along y.
GEMEL_API std::uint32_t matmul_box_lines(const MatmulLayout& layout, bool is_a);
/// Whether the kernel declares its shared memory itself; otherwise its last parameter is SHARED_ARENA.
GEMEL_API bool matmul_is_static(DType dtype, const MatmulLayout& layout);
/// The most static shared memory that all devices have: 48 KiB, less what aligning it to 128 bytes may take.
inline constexpr std::size_t matmul_max_static_bytes = (std::size_t{48} << 10) - 128;
/// Why the tile is invalid; empty if it is valid.
GEMEL_API std::string why_no_tile(DType dtype, const MatmulLayout& layout);

/// The kernel `matmul`: c = a b for every matrix of a batch. Parameters: a, b, c (mapped: tensor maps of a and b with
/// matmul_box_lines(); c) and the request's arguments; packed and halves: the packed a and b; halves and numbers in
/// parts: their scales; then, all int64_t:
///   for each of a, b and c: offset and strides from matrix to matrix, row to row, column to column, in elements
///   rows, columns, the extent of the summed axis
///   tiles across and down a matrix
///   in_parts, packed and mapped: the number of parts and the length of a part
///   packed and mapped: the number of tiles of all matrices and parts
/// and SHARED_ARENA unless matmul_is_static(). With in_parts, c is an array (batch, parts, rows, columns) and there is
/// no epilogue. Launched with batch * parts * tiles blocks; packed and mapped with as many or fewer. Extents may have
/// any value; forms with slots need stride 1 along one of the last two axes of a and of b. A serial kernel is fast if
/// the columns of b have stride 1.
/// @source tiles in shared memory with 4 x 4 results per thread: Volkov and Demmel, "Benchmarking GPUs to Tune Dense
/// Linear Algebra"; parts of numbers and sums outside the tensor cores: Ootomo and Yokota, "Recovering single
/// precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance"; three parts of 8 bits:
/// Henry, Tang and Heinecke, "Leveraging the bfloat16 Artificial Intelligence Datatype For Higher-Precision
/// Computations"; errors of sums: Dekker, "A floating-point technique for extending the available precision"
/// @throws ArgumentError if why_no_tile() gives a reason, or the dialect lacks the form
GEMEL_API std::string matmul_source(const MatmulRequest& request, const MatmulLayout& layout, const Dialect& dialect);

/// How kernels that pack read an operand.
struct MatmulReads {
    bool along = true;  ///< stride 1 along the summed axis; otherwise across the lines (rows of a, columns of b)
    bool wide = false;  ///< along: reads of 16 bytes
    friend bool operator==(const MatmulReads&, const MatmulReads&) = default;
};

/// The lines of a packed unit, its length along the summed axis if numbers have one part, and the threads that pack it.
/// Of halves for single warps, such a length is a stretch.
inline constexpr std::uint32_t matmul_unit_lines = 64, matmul_unit_depth = 32, matmul_pack_block = 256;
/// The length of a packed unit along the summed axis: of 128 bytes.
constexpr std::uint32_t matmul_packed_depth(std::uint32_t parts) { return parts > 1 ? 64 : matmul_unit_depth; }
/// The parts for which a packed unit has room: where numbers do not fit two halves, they have three parts.
constexpr std::uint32_t matmul_stored_parts(std::uint32_t parts) { return parts > 1 ? 3 : parts; }

/// How operands are packed for the form `packed`.
struct MatmulPack {
    std::uint32_t parts = 2;  ///< as MatmulLayout::packed_parts
    MatmulReads a = {}, b = {};
    friend bool operator==(const MatmulPack&, const MatmulPack&) = default;
};
/// How operands are packed for the form `halves`.
struct MatmulPackHalves {
    std::uint32_t depth = 16;  ///< of a slot: 16 or 32
    MatmulReads a = {}, b = {};
    friend bool operator==(const MatmulPackHalves&, const MatmulPackHalves&) = default;
};
/// How the magnitudes of operands are found before they are packed.
struct MatmulRange {
    std::uint32_t depth = matmul_unit_depth;  ///< of a stretch along the summed axis; packed: of a unit
    MatmulReads a = {}, b = {};
    friend bool operator==(const MatmulRange&, const MatmulRange&) = default;
};

// Kernels that pack have blocks of matmul_pack_block threads, first those of a, then those of b. Parameters: a and b;
// arrays; then, all int64_t: of a its offset, its strides from matrix to matrix, from line to line and along the summed
// axis, and its lines; the same of b; the extent of the summed axis, its stretches (packed: slots) and the first block
// of b; and further numbers.

/// The kernel `matmul_range`: the largest magnitude, the smallest other than 0 and how many are not 0 in each stretch
/// of each matrix, over all lines of a share. Array: the ranges (uint32, three per block). Further numbers: the shares
/// of a stretch of a, of b. Launched with matrices * stretches * shares blocks for each operand.
GEMEL_API std::string matmul_range_source(const MatmulRange& range, const Dialect& dialect);

/// The kernel `matmul_pack`: packs operands for the form `packed`, as units in the order [matrix][unit][slot][part],
/// where slots follow the summed axis. Arrays: the units of a and of b (float4); if numbers have two parts, the scales
/// of the slots of each matrix of a and of b (float; negative: slots of three parts), and the ranges. Further numbers:
/// the units per matrix of a and of b; if numbers have two parts, the shares of a and of b, and how many of a precede
/// those of b. Launched with matrices * units * slots blocks for each operand.
GEMEL_API std::string matmul_pack_source(const MatmulPack& pack, const Dialect& dialect);

/// The kernel `matmul_pack_halves`: packs operands for the form `halves`, as [matrix][line][stretch][32 words].
/// Arrays: the words of a and of b (float), the scales of the stretches of each matrix of a and of b (float; 0: the
/// words are floats), and the ranges. Further numbers: as matmul_pack. Launched with matrices * units * stretches
/// blocks for each operand.
/// @throws ArgumentError if depth is neither 16 nor 32
GEMEL_API std::string matmul_pack_halves_source(const MatmulPackHalves& pack, const Dialect& dialect);

/// How many threads of matmul_add_parts share the parts of an element.
GEMEL_API std::uint32_t matmul_part_sharers(const DeviceInfo& device, std::int64_t parts);
/// Threads per block of matmul_add_parts.
inline constexpr std::uint32_t matmul_add_parts_block = 256;

/// The kernel `matmul_add_parts`: adds the sums of a kernel with layout.in_parts and stores the elements of c.
/// Parameters: the sums, c, the request's arguments; then, all int64_t: the offset of c and its strides from matrix to
/// matrix, row to row, column to column, in elements; rows, columns, parts, and the elements of all matrices. Launched
/// with a block for every matmul_add_parts_block / sharers elements.
/// @param sharers  threads per element, a power of 2 up to 32
/// @param wide     64-bit indices, for 2^31 elements or more
GEMEL_API std::string matmul_add_parts_source(const MatmulRequest& request, std::uint32_t sharers, bool wide,
                                              const Dialect& dialect);

}  // namespace gemel::codegen
