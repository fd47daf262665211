/// Which kernel a matrix product takes, and how it is cut.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/arrays/matmul.hpp>
#include <gemel/codegen/matmul.hpp>
#include <gemel/core/device.hpp>

#include <cstdint>

namespace gemel {

/// The extents of a product of many matrices.
struct MatmulShape {
    std::int64_t batch, rows, inner, columns;
};

/// The form of kernel that a device has for such elements.
codegen::MatmulForm matmul_form(const DeviceInfo& device, DType dtype, Precision precision);

/// Where the first element lies, in elements.
std::int64_t begin_of(const AnyArray& x);

/// Whether neighbours lie along one of the last two axes.
bool has_lines(const AnyArray& x);

/// Of the summed axis, that one block sums: a multiple of what a slot holds, or all of it.
std::int64_t matmul_part_depth(const codegen::MatmulTuning& tile, std::int64_t inner);

/// Whether groups of four warps can multiply these: the device has them, and the operands' lines allow it.
bool has_group_tiles(const DeviceInfo& device, DType dtype, codegen::MatmulForm form, const AnyArray& a,
                     const AnyArray& b);

/// Whether they can once a kernel of its own has cut the factors into parts: float of any layout.
bool can_pack(const DeviceInfo& device, DType dtype, codegen::MatmulForm form);

/// What the shape says if nothing else is given.
/// @param unit_warps  that multiply together: 1, 4, or 0 for either
codegen::MatmulTuning matmul_heuristic(const DeviceInfo& device, DType dtype, codegen::MatmulForm form,
                                       const AnyArray& a, const AnyArray& b, std::uint32_t unit_warps);

/// The whole layout, for operands (batch, rows, inner) and (batch, inner, columns).
/// @param tile  all numbers @throws ArgumentError if blocks of so many rows do not fit the device
codegen::MatmulLayout matmul_layout(const DeviceInfo& device, DType dtype, codegen::MatmulForm form, const AnyArray& a,
                                    const AnyArray& b, const codegen::MatmulTuning& tile);

}  // namespace gemel
