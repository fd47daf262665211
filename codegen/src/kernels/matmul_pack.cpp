/// The source of the kernels that pack operands of matrix products.
#include <gemel/codegen/matmul.hpp>

#include "matmul_kernels.hpp"

#include <gemel/codegen/kernel_text.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace gemel::codegen {
namespace {

/// Fills the kernel `name`. Its `body`, for one operand, is filled once for each way in which operands are read.
std::string filled(const char* name, const Template& text, const Template& body, Values values, const MatmulReads& a,
                   const MatmulReads& b, const Dialect& dialect) {
    values["unit_lines"] = matmul_unit_lines;
    values["block"] = matmul_pack_block;
    KernelText kernel(dialect, [](std::string_view) { return false; }, {name, "as_float", "as_uint"});
    values["transposes"] = kernel.fill(matmul_kernels::pack_transposes(), values);
    const auto of = [&](const MatmulReads& reads) {
        values["along"] = reads.along;
        values["wide"] = reads.wide;
        return kernel.fill(body, values);
    };
    values["body"] = a == b ? of(a) : gemel::text("if (!is_b) {\n", of(a), "} else {\n", of(b), "}\n");
    values["across"] = !a.along || !b.along;
    values["operands"] = kernel.fill(matmul_kernels::pack_operands(), {});
    values["parameters"] = kernel.fill(matmul_kernels::pack_parameters(), {});
    values["split_numbers"] = values["splits"].truth() ? kernel.fill(matmul_kernels::split_numbers(), {}) : "";
    if (values.contains("reach")) values["scale_of_stretch"] = kernel.fill(matmul_kernels::scale_of_stretch(), values);
    return kernel.finish(kernel.fill(text, std::move(values)));
}

/// Halves have exponents from -14 to 15. Elements that are 2^26 times smaller than the largest keep the accuracy of
/// float, 2^28 times smaller ones that of 22 bits.
Values of_halves(std::uint32_t depth, bool scales_floats) {
    return {{"unit_depth", depth}, {"reach", 40}, {"width", 28}, {"scales_floats", scales_floats}};
}

}  // namespace

std::string matmul_pack_source(const MatmulPack& pack, const Dialect& dialect) {
    const std::uint32_t depth = matmul_packed_depth(pack.parts);
    Values values = pack.parts > 1 ? of_halves(depth, true) : Values{{"unit_depth", depth}};
    values["splits"] = pack.parts > 1;
    values["parts"] = matmul_stored_parts(pack.parts);
    values["access"] = depth / 8;
    return filled("matmul_pack", matmul_kernels::pack(), matmul_kernels::pack_unit(), std::move(values), pack.a, pack.b,
                  dialect);
}

std::string matmul_range_source(const MatmulRange& range, const Dialect& dialect) {
    return filled("matmul_range", matmul_kernels::range(), matmul_kernels::range_lines(), {{"unit_depth", range.depth}},
                  range.a, range.b, dialect);
}

std::string matmul_pack_halves_source(const MatmulPackHalves& pack, const Dialect& dialect) {
    if (pack.depth != 16 && pack.depth != 32)
        throw ArgumentError(text("matmul_pack_halves_source: expected a depth of 16 or 32, got ", pack.depth));
    Values values = of_halves(matmul_unit_depth, false);
    values["depth"] = pack.depth;
    return filled("matmul_pack_halves", matmul_kernels::pack_halves(), matmul_kernels::pack_halves_unit(),
                  std::move(values), pack.a, pack.b, dialect);
}

}  // namespace gemel::codegen
