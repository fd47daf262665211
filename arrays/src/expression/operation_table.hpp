/// All operations of expressions, by name.
#pragma once

#include <gemel/arrays/expression_view.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace gemel {

struct NamedOperation {
    const Operation* operation;
    std::size_t operands;  ///< how many it takes
};

std::span<const NamedOperation> all_operations();
/// Null if there is none of that name for so many operands.
const Operation* find_operation(std::string_view name, std::size_t operands);

}  // namespace gemel
