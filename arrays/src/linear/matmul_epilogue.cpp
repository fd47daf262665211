#include "linear/matmul_epilogue.hpp"

#include "array/byte_bounds.hpp"

#include <gemel/codegen/identifier.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace gemel {
namespace {

/// Refuses names that the kernel uses.
void check_name(const std::string& name) {
    constexpr std::string_view known[] = {"value", "row", "column", "matrix", "before", "as_float", "as_uint"};
    std::string why = codegen::why_no_name(name);
    if (std::ranges::find(known, name) != std::end(known)) why = "every epilogue knows";
    if (!why.empty())
        throw ArgumentError(text("matmul: the epilogue's argument '", name, "' has a name that ", why, "; rename it"));
}

}  // namespace

std::vector<NamedArgument> epilogue_arguments(const MatmulOptions& options, const AnyArray& target) {
    std::vector<NamedArgument> plain;
    for (const NamedArgument& given : options.arguments) {
        check_name(given.name());
        if (std::ranges::any_of(plain, [&](const NamedArgument& known) { return known.name() == given.name(); }))
            throw ArgumentError(text("matmul: the epilogue has two arguments '", given.name(), "'; rename one"));
        const AnyArray& array = given.array();
        if (given.is_value()) {
            plain.push_back(given);
            continue;
        }
        if (array.empty())
            throw ArgumentError(text("matmul: the epilogue's argument '", given.name(),
                                     "' is an empty handle; assign an array to it first"));
        if (!(array.context() == target.context()))
            throw ArgumentError(text("matmul: the epilogue's argument '", given.name(),
                                     "' is in another context than the operands; copy_to(context) copies it there"));
        const AnyArray own = array.dtype().is_16_bit_float() ? array.astype(dtype_of<float>()) : array;
        const bool is_plain = own.is_contiguous() && begin_of(own) == 0 && begins_at_element(own);
        plain.emplace_back(given.name(), is_plain && !target.may_overlap(own) ? own : own.copy(Order::C));
    }
    return plain;
}

Argument value_argument(const NamedArgument& given) {
    Argument argument;
    argument.dtype = given.dtype();
    argument.bytes = given.dtype().size_bytes();
    argument.data = given.value();
    std::memcpy(argument.value, given.value(), argument.bytes);
    return argument;
}

}  // namespace gemel
