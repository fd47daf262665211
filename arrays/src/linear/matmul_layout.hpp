/// Chooses the kernel of a matrix product and its tiles.
#pragma once

#include "linear/matmul_tiles.hpp"

#include <gemel/arrays/any_array.hpp>
#include <gemel/arrays/matmul.hpp>
#include <gemel/codegen/matmul.hpp>
#include <gemel/core/device.hpp>

#include <cstdint>

namespace gemel {

/// The form of kernel for these elements on a device.
codegen::MatmulForm matmul_form(const DeviceInfo& device, DType dtype, Precision precision);

/// Whether one of the last two axes has stride 1.
bool has_lines(const AnyArray& x);
/// Whether lines are read along the last axis rather than the one before. Of a single column they are not.
bool has_last_lines(const AnyArray& x);

/// The part of the summed axis that one block sums: a multiple of a slot's depth, or all of it.
std::int64_t matmul_part_depth(const codegen::MatmulTuning& tile, std::int64_t inner);

/// The tile for the shape if no numbers are given.
/// @param unit_warps  warps that multiply together: 1, 4, or 0 for either
codegen::MatmulTuning matmul_heuristic(const DeviceInfo& device, DType dtype, codegen::MatmulForm form,
                                       const AnyArray& a, const AnyArray& b, std::uint32_t unit_warps);

/// The whole layout, for operands (batch, rows, inner) and (batch, inner, columns).
/// @param tile  complete @throws ArgumentError if blocks of this many rows do not fit the device
codegen::MatmulLayout matmul_layout(const DeviceInfo& device, DType dtype, codegen::MatmulForm form, const AnyArray& a,
                                    const AnyArray& b, const codegen::MatmulTuning& tile);

/// MatmulLayout::sum_depth of products in parts. An error of sums of 64 has the same share of a result whatever its
/// terms, but that of a float product, which it should not exceed, grows with them.
constexpr std::uint32_t packed_sum_depth(std::int64_t inner) { return inner < 2048 ? 32 : 64; }

/// The layout of packed halves (MatmulForm::halves) instead of that of split operands.
codegen::MatmulLayout halves_layout(codegen::MatmulLayout split);

/// Whether a form with slots has a kernel of this tile for these operands.
bool has_tile(const DeviceInfo& device, DType dtype, codegen::MatmulForm form, const AnyArray& a, const AnyArray& b,
              const codegen::MatmulTuning& tile);

/// Whether numbers of a caller or of a stored tuning describe a tile. Slices chosen for another one may not suit it.
bool names_tile(const codegen::MatmulTuning& given);

/// The blocks of a launch for so many tiles. Blocks of the forms mapped and, for few tiles, packed compute tile after
/// tile.
std::int64_t launched_blocks(const DeviceInfo& device, const codegen::MatmulLayout& layout, std::int64_t tiles);

/// Whether blocks of a product may become resident before the last kernel has ended. They then go where its blocks end
/// first. If fewer blocks are launched than fit, some multiprocessors get more of them than others: 512 x 512 x 512 in
/// 128 blocks took 29 us instead of 15 on an H100.
bool may_overlap(const DeviceInfo& device, std::int64_t blocks, const codegen::MatmulLayout& layout);

/// CompileOptions::jit's limit of registers: where OpenCL's compiler would take too many for the resident blocks. On an
/// H100 at 4096, split products reach 54 TFLOP/s with it and 50 without it, double 53 and 51. With 16-bit elements,
/// three blocks would spill registers: 292 and 330.
int max_registers(const DeviceInfo& device, DType dtype, const codegen::MatmulLayout& layout);

}  // namespace gemel
