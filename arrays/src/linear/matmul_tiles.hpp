/// Chooses the tile of a matrix product by a model of its time.
#pragma once

#include <gemel/codegen/matmul.hpp>
#include <gemel/core/device.hpp>

#include <cstdint>

namespace gemel {

/// The extents of a product of many matrices.
struct MatmulShape {
    std::int64_t batch, rows, inner, columns;
    friend bool operator==(const MatmulShape&, const MatmulShape&) = default;
};

/// Whether tensor maps can copy the operands of MatmulForm::mapped, and how fast.
enum class Mapped : std::uint8_t {
    no,
    crossing,  ///< lines begin within 128 bytes of memory, so that a line of a box crosses into the next ones
    aligned,
};

/// The tile for forms with slots, of which `layout` has all but the tile.
/// @param unit_warps  warps that multiply together: 1, 4, or 0 for either
codegen::MatmulTuning choose_tile(const DeviceInfo& device, DType dtype, codegen::MatmulLayout layout,
                                  const MatmulShape& shape, std::uint32_t unit_warps, Mapped mapped);

/// Whether warp groups can multiply float operands of any layout after packing.
bool can_pack(const DeviceInfo& device, DType dtype, codegen::MatmulForm form);

/// Whether MatmulForm::grouped multiplies operands of this layout of the form tensor: 16-bit floats on a device that
/// has no tensor maps, whose lines and matrices begin at multiples of 16 bytes.
bool can_group(const DeviceInfo& device, DType dtype, const codegen::MatmulLayout& layout);

/// Whether the device has as much shared memory as a form with slots needs.
bool fits(const DeviceInfo& device, DType dtype, const codegen::MatmulLayout& layout);

/// The number of parts of the summed axis that gives every multiprocessor two blocks, with work for at least four slots
/// each.
std::uint32_t max_parts(const DeviceInfo& device, const codegen::MatmulTuning& tile, std::int64_t blocks,
                        std::int64_t inner);

}  // namespace gemel
