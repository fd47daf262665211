/// Operands of matrix products as tensor maps.
#pragma once

#include "linear/matmul_tiles.hpp"

#include <gemel/arrays/any_array.hpp>
#include <gemel/codegen/matmul.hpp>
#include <gemel/core/argument.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/tensor_map.hpp>

namespace gemel {

/// Whether MatmulForm::mapped can multiply these operands: 16-bit floats, or float of which one has stride 1 along the
/// summed axis, whose lines and matrices begin at multiples of 16 bytes and do not run backwards.
Mapped how_mapped(const DeviceInfo& device, DType dtype, codegen::MatmulForm form, const AnyArray& a,
                  const AnyArray& b);

/// An operand that can be mapped, as the kernel takes it. The argument refers to this object.
class MappedOperand {
   public:
    /// @param is_a  the left one: (batch, rows, inner); otherwise (batch, inner, columns)
    MappedOperand(const AnyArray& x, const codegen::MatmulLayout& layout, bool is_a);
    MappedOperand(const MappedOperand&) = delete;
    MappedOperand& operator=(const MappedOperand&) = delete;
    Argument argument() const;

   private:
    AnyArray array_;
    plugin::TensorMapShape shape_;
};

}  // namespace gemel
