/// Fills the kernels of matrix products.
#pragma once

#include "kernels/matmul_slots.hpp"
#include "kernels/product_sums.hpp"

#include <gemel/codegen/kernel_text.hpp>
#include <gemel/codegen/matmul.hpp>
#include <gemel/codegen/snippet.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace gemel::codegen {

/// Fills one kernel.
class Matmul {
   public:
    Matmul(const MatmulRequest& request, const MatmulLayout& layout, const Dialect& dialect)
        : request_(request),
          dtype_(request.dtype),
          layout_(layout),
          dialect_(dialect),
          sums_(request.dtype, dialect),
          tile_(matmul_tile(dtype_, layout)),
          epilogue_(request.epilogue),
          preamble_(request.preamble),
          kernel_(dialect, [this](std::string_view word) { return is_taken(word); },
                  {"matmul", "matmul_add_parts", "value", "row", "column", "matrix", "before", "as_float", "as_uint"}) {
    }

    std::string text();

    /// The kernel that adds parts.
    std::string add_parts_text(std::uint32_t sharers, bool wide);

   private:
    bool is_taken(std::string_view word) const {
        return epilogue_.mentions(word) || preamble_.mentions(word) ||
               std::ranges::any_of(request_.arguments, [&](const Parameter& p) { return p.name == word; });
    }

    Value::List parameters();

    /// The statement that stores the sum of element (own_row, own_column).
    std::string store(const std::string& sum) { return store(sum, "c[own_row * c_row + own_column * c_column]"); }
    /// The same, but keeps the element in a variable.
    std::string store(const std::string& sum, const std::string& variable);
    std::string block_body(Values values);

    std::string serial_body(Values values);

    void describe_tile(Values& values) const;

    std::string tiled(Values values);

    /// What slices are apart in a slot, unless swizzled groups say it.
    std::uint32_t slice_step(const Factor& f) const;

    /// By how much an instruction of tensor cores advances along the summed axis.
    std::uint32_t group_depth() const;

    std::string by_threads(Values values);

    std::string by_tensor_cores(Values values);

    /// Warp groups that copy for themselves.
    std::string by_groups(Values values, bool a_along, bool b_along);

    /// The instruction of warp groups for 16-bit floats.
    std::string multiply_tiles(bool a_along, bool b_along) const;
    /// The distance of two groups of 16 (floats: 8) along the summed axis, as descriptors of tiles count it.
    static std::uint32_t descriptor_step(bool along) { return along ? 2 : 2 * tile_bytes / 16; }

    /// What groups_store wants to know.
    void describe_stores(Values& values);

    std::string multiply_by_tensor_cores(const Values& values);

    /// In the names of functions for tensor cores.
    const char* short_name() const;

    /// Warps and warp groups that one thread provides with operands.
    std::string piped(Values values);

    std::string consuming_groups(Values values, bool a_along, bool b_along);

    /// Sums of high parts that a thread has at a time, each of sum_depth terms: narrow tiles leave registers for
    /// several.
    std::uint32_t part_sets() const;
    std::string multiply_split(Values values);

    /// Warps that multiply doubles by themselves.
    std::string consuming_warps(Values values);

    const MatmulRequest& request_;
    DType dtype_;
    MatmulLayout layout_;
    const Dialect& dialect_;
    ProductSums sums_;
    MatmulTile tile_;
    Snippet epilogue_, preamble_;
    KernelText kernel_;
};

}  // namespace gemel::codegen
