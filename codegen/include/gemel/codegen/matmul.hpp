/// The text of matrix products.
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

/// How a product is cut into threads where it passes through slots of shared memory. Zero means "not given". Elsewhere
/// a caller's numbers count for nothing, and a tuner's mean: on CPU devices rows (a multiple of own_rows) and columns
/// of a thread's tile, own_rows that it keeps in registers, depth of a slice of the summed axis; on others rows, 4
/// times the threads along an edge of a block.
struct MatmulTuning {
    static constexpr std::string_view family = "matmul";
    std::uint32_t rows = 0, columns = 0;  ///< of the result, that a block computes: powers of 2
    std::uint32_t depth = 0;              ///< of the summed axis, that a slot holds: a power of 2
    /// Of the result, that a warp computes by tensor cores: multiples of 16; without them: that a thread does, of 4.
    std::uint32_t own_rows = 0, own_columns = 0;
    std::uint32_t stages = 0;           ///< slots: 2 to 5, or 1 where the summed axis is no longer than depth
    std::uint32_t resident_blocks = 0;  ///< per multiprocessor, for which the compiler limits registers
    /// That multiply together by tensor cores: 1, or 4 where the device has warp groups (DeviceInfo::has_warp_groups).
    std::uint32_t unit_warps = 0;
    /// Into which the summed axis is cut, where a matrix has too few tiles for the device: each is summed by blocks of
    /// its own, and a second kernel adds the parts up in their order.
    std::uint32_t parts = 0;
    /// 1: a kernel of its own cuts float factors into parts first, for tiles that warp groups read in whole.
    std::uint32_t packs = 0;
    friend bool operator==(const MatmulTuning&, const MatmulTuning&) = default;
};
GEMEL_STRUCT(MatmulTuning, rows, columns, depth, own_rows, own_columns, stages, resident_blocks, unit_warps, parts,
             packs)

enum class MatmulForm : std::uint8_t {
    checked,  ///< a block has a tile in shared memory; any device, type and layout
    serial,   ///< a thread has a tile by itself, for CPU devices
    threads,  ///< slots of shared memory, float: fused multiply-adds
    tensor,   ///< slots of shared memory, tensor cores: 16-bit floats, double; float rounded to 11 bits (tf32)
    split,    ///< the same for float: each number in two parts, three products; as exact as fused multiply-adds
    /// As tensor, by groups of four warps that read a factor from shared memory themselves (wgmma): 16-bit floats, and
    /// float as tf32 where a's or b's neighbours lie along the summed axis. own_rows or own_columns is 16.
    groups,
    /// By groups of four warps from factors that a kernel of its own has cut into parts (matmul_pack), so that both lie
    /// in shared memory as tensor cores read them: float, as split (packed_parts is 2) or as tensor (1).
    packed,
};

/// Which kernel computes a product.
struct MatmulLayout {
    MatmulForm form = MatmulForm::checked;
    std::uint32_t edge = 16;  ///< checked: blocks are edge x edge threads, tiles 4 * edge x 4 * edge elements
    // On which axis neighbouring elements lie, and neighbouring threads read. Not for serial.
    bool a_by_columns = true;
    bool b_by_columns = true;
    MatmulTuning tile = {};                    ///< of the forms with slots, all but parts; of serial what is not usual
    std::uint32_t a_access = 1, b_access = 1;  ///< elements that are copied at once there: 16 bytes at most
    bool in_parts = false;  ///< a block sums a part of the summed axis, and stores what sums are held in. Not serial
    std::uint32_t packed_parts = 0;  ///< packed: parts of each number
    friend bool operator==(const MatmulLayout&, const MatmulLayout&) = default;
};

/// What a product computes.
struct MatmulRequest {
    DType dtype = {};
    /// An expression in C of `value`, an element of the product, which is stored instead; empty for the element itself.
    /// Knows `row`, `column`, `matrix` (int64_t) and `before`, the element of c until then.
    std::string epilogue = {};
    std::vector<Parameter> arguments = {};  ///< that the expression uses: values, and arrays as pointers
    std::string preamble = {};              ///< functions that it uses
};

/// What sums are held in: 16-bit floats in float, small integers and bools in int32, everything else in its own type.
GEMEL_API DType matmul_accumulator(DType dtype);
/// How a serial thread's tile is cut if nothing else is given.
GEMEL_API MatmulTuning matmul_serial_tile(DType dtype);
/// Rows and columns of the result that a block, or a serial thread, computes.
struct MatmulTile {
    std::uint32_t rows, columns;
};
GEMEL_API MatmulTile matmul_tile(DType dtype, const MatmulLayout& layout);
/// Threads of a block.
GEMEL_API std::uint32_t matmul_block(const MatmulLayout& layout);
/// Bytes of shared memory of a block.
GEMEL_API std::size_t matmul_shared_bytes(DType dtype, const MatmulLayout& layout);
/// Whether the kernel declares them itself; else the launch gives it SHARED_ARENA, its last parameter.
GEMEL_API bool matmul_is_static(DType dtype, const MatmulLayout& layout);
/// Why a tile cannot be cut so, or nothing.
GEMEL_API std::string why_no_tile(DType dtype, const MatmulLayout& layout);

/// The kernel `matmul`: c = a b for every matrix of a batch. Parameters: a, b, c; then, all int64_t, for a, b and c
/// each where it begins, its steps from matrix to matrix, from row to row and from column to column, in elements; then
/// rows, columns, the extent that is summed over, the number of tiles across and down a matrix, and the request's
/// arguments. Behind the tiles, where layout.in_parts, how many parts there are and how long one is: c is then an
/// array (batch, parts, rows, columns), and there is no epilogue. The forms with slots have SHARED_ARENA at the end.
/// Launched with batch * parts * tiles blocks. Bounds are
/// checked: any extents will do; forms with slots want steps of 1 along one of the axes of a and b. A serial kernel is
/// fast where the columns of b lie side by side.
/// @source tiles in shared memory with 4 x 4 results per thread: Volkov and Demmel, "Benchmarking GPUs to Tune Dense
/// Linear Algebra"; two parts and sums outside the tensor cores: Ootomo and Yokota, "Recovering single precision
/// accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance"
/// @throws ArgumentError naming what a tile cannot be cut by
GEMEL_API std::string matmul_source(const MatmulRequest& request, const MatmulLayout& layout, const Dialect& dialect);

/// How a factor is cut into parts for the form `packed`.
struct MatmulPack {
    std::uint32_t parts = 2;  ///< of each number: 2 as split, 1 as tensor
    bool along = true;        ///< neighbours lie along the summed axis; else along the lines (rows of a, columns of b)
    bool wide = false;        ///< 16 bytes are read at once, where along
    friend bool operator==(const MatmulPack&, const MatmulPack&) = default;
};
/// Lines and places along the summed axis of a unit of packed numbers, and threads that pack it.
inline constexpr std::uint32_t matmul_unit_lines = 64, matmul_unit_depth = 32, matmul_pack_block = 256;

/// The kernel `matmul_pack`: a factor's numbers in parts, as the form `packed` takes them, in units in the order
/// [matrix] [unit][slot of the summed axis][part]. Parameters: the factor, the units (as float4); then, all int64_t,
/// where the factor begins, its steps from matrix to matrix, from line to line and along the summed axis; lines, the
/// summed extent, units of a matrix, and slots. Launched with matrices * units * slots blocks. A product of that form
/// takes the units of a and b behind the request's arguments.
GEMEL_API std::string matmul_pack_source(const MatmulPack& pack, const Dialect& dialect);

/// Threads that share the parts of an element where there are so many.
GEMEL_API std::uint32_t matmul_part_sharers(const DeviceInfo& device, std::int64_t parts);
/// Of a block of the kernel below.
inline constexpr std::uint32_t matmul_add_parts_block = 256;

/// The kernel `matmul_add_parts`: the elements of c from what a kernel with layout.in_parts stored. Parameters: those
/// sums, c, the request's arguments; then, all int64_t, where c begins, its steps from matrix to matrix, from row to
/// row and from column to column, in elements; rows, columns, parts, and elements of all matrices. Launched with a
/// block for every matmul_add_parts_block / sharers elements.
/// @param sharers  a power of 2 up to 32
/// @param wide     whether there are 2^31 elements or more
GEMEL_API std::string matmul_add_parts_source(const MatmulRequest& request, std::uint32_t sharers, bool wide,
                                              const Dialect& dialect);

}  // namespace gemel::codegen
