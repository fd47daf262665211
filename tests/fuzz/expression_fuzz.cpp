/// Any text whatever as an expression over arrays of several types and numbers, without a device: an expression with
/// the shape that its operands broadcast to and a text for the kernel, or an error that shows the place, in bounded
/// time.
#include "array/layout.hpp"
#include "expression/expression_node.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using gemel::AnyExpr;
using gemel::NamedOperand;

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

void check(const AnyExpr& found) {
    const gemel::detail::ExpressionNode& node = found.node();
    require(gemel::codegen::is_number(found.dtype()), "elements that are no numbers");
    require(node.depth <= 1000, "an expression that is nested too deeply to be walked through");
    if (node.operands.empty()) return;
    gemel::Shape shape;
    for (const AnyExpr& operand : node.operands) {
        require(broadcast_with(shape, operand.shape()), "operands whose shapes cannot be broadcast");
        check(operand);
    }
    require(shape == found.shape(), "a shape that the operands do not broadcast to");
}

/// What is not refused has a text for the kernel.
void print(const AnyExpr& found) {
    gemel::detail::ExpressionOperands operands;
    if (found.node().leaves > operands.uses.size()) return;
    operands.uses.fill(0);
    gemel::detail::ExpressionText text(operands);
    const gemel::detail::ExpressionView view = found.view();
    require(view.print(view.expression, text, view.dtype).find('#') == std::string::npos, "an operand without a text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<NamedOperand> operands{{"x", gemel::placeholder(gemel::dtype_of<float>(), {2})},
                                                    {"d", gemel::placeholder(gemel::dtype_of<double>(), {3, 1})},
                                                    {"h", gemel::placeholder(gemel::dtype_of<gemel::half>(), {})},
                                                    {"c", gemel::placeholder(gemel::dtype_of<gemel::cfloat>(), {1, 2})},
                                                    {"t", gemel::placeholder(gemel::dtype_of<bool>(), {3, 2})},
                                                    {"i8", gemel::placeholder(gemel::dtype_of<std::int8_t>(), {2})},
                                                    {"n", gemel::placeholder(gemel::dtype_of<std::int32_t>(), {2})},
                                                    {"u64", gemel::placeholder(gemel::dtype_of<std::uint64_t>(), {1})},
                                                    {"four", gemel::placeholder(gemel::dtype_of<float>(), {4})},
                                                    {"a", 2},
                                                    {"big", std::numeric_limits<std::uint64_t>::max()},
                                                    {"low", std::numeric_limits<std::int64_t>::min()},
                                                    {"half", 0.5},
                                                    {"i", gemel::cdouble(0, 1)},
                                                    {"yes", true}};
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::optional<AnyExpr> found;
    try {
        found = gemel::expression(text, operands);
    } catch (const gemel::ArgumentError& error) {
        require(std::string_view(error.what()).starts_with("expression, column "), error.what());
        return 0;
    }
    require(!found->node().is_number(), "an expression of numbers alone");
    check(*found);
    print(*found);
    return 0;
}
