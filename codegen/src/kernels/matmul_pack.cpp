/// The source of the kernels that pack operands of matrix products.
#include <gemel/codegen/matmul.hpp>

#include "matmul_kernels.hpp"

#include <gemel/codegen/kernel_text.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <string_view>
#include <utility>

namespace gemel::codegen {
namespace {

std::string filled(const char* name, const Template& text, Values values, bool along, bool wide,
                   const Dialect& dialect) {
    values["along"] = along;
    values["wide"] = wide;
    values["unit_lines"] = matmul_unit_lines;
    values.try_emplace("unit_depth", matmul_unit_depth);
    values["block"] = matmul_pack_block;
    KernelText kernel(dialect, [](std::string_view) { return false; }, {name, "as_float", "as_uint"});
    values["split_numbers"] = values["splits"].truth() ? kernel.fill(matmul_kernels::split_numbers(), {}) : "";
    return kernel.finish(kernel.fill(text, std::move(values)));
}

}  // namespace

std::string matmul_pack_source(const MatmulPack& pack, const Dialect& dialect) {
    const std::uint32_t depth = matmul_packed_depth(pack.parts);
    return filled("matmul_pack", matmul_kernels::pack(),
                  {{"splits", pack.parts > 1}, {"parts", pack.parts}, {"unit_depth", depth}, {"access", depth / 8}},
                  pack.along, pack.wide, dialect);
}

std::string matmul_range_source(const MatmulPackHalves& pack, const Dialect& dialect) {
    return filled("matmul_range", matmul_kernels::range(), {}, pack.along, pack.wide, dialect);
}

std::string matmul_pack_halves_source(const MatmulPackHalves& pack, const Dialect& dialect) {
    if (pack.depth != 16 && pack.depth != 32)
        throw ArgumentError(text("matmul_pack_halves_source: expected a depth of 16 or 32, got ", pack.depth));
    // Halves have exponents from -14 to 15. Elements that are 2^26 times smaller than the largest keep the accuracy of
    // float, 2^28 times smaller ones that of 22 bits.
    return filled("matmul_pack_halves", matmul_kernels::pack_halves(),
                  {{"depth", pack.depth}, {"reach", 44}, {"width", 28}}, pack.along, pack.wide, dialect);
}

}  // namespace gemel::codegen
